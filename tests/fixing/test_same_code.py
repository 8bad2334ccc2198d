"""Looks, certificates and runs see the same code: neighbours, folders above, links, and what is imported later."""

from __future__ import annotations

import gc
import os
from functools import partial

import pytest

import privcheck
from privcheck.fixing import _judgement, _look
from privcheck.fixing._judgement import certified, refuted
from privcheck.fixing._look import Setting, apart, look
from privcheck.fixing._own_file import own_file
from privcheck.fixing._patched_file import as_file
from privcheck.fixing._search import _Search
from privcheck.fixing._source_text import SourceText

BANDIT = """\
{head}

class Bandit:
    def __init__(self, rng, arms, epsilon):
        self.rng, self.epsilon, self.sums = rng, epsilon, [0.0] * arms

    def select(self):
        return self.sums.index(max(self.sums))

    def update(self, action, reward):
        {body}
        self.sums[action] += noised(reward, self.rng, self.epsilon)
"""

HELPER = "def noised(reward, rng, epsilon):\n    return float(reward + rng.laplace(0.0, {} / epsilon))\n"


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Let certificates be of a few rounds: their cost grows with the square."""
    monkeypatch.setattr(_judgement, "ROUNDS", 4)
    monkeypatch.setattr(_judgement, "RUNS", 1)


def written(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def found_by_both(path):
    """Return whether a look, and whether a certificate, finds nothing."""
    source = SourceText.read(path)
    certificate, why = certified(source, source.text, "Bandit", Setting(runs=2))
    return look(path, "Bandit", Setting(runs=2)) is None, not why, certificate, why


@pytest.mark.parametrize("noise", [1.0, 0.1])
def test_a_link_is_run_beside_what_it_points_to(noise, tmp_path):
    """Python imports what stands beside the file that a link points to; its data are beside the link."""
    real = written(tmp_path / "real" / "mine.py", BANDIT.format(head="from helper import noised", body="pass"))
    written(real.with_name("helper.py"), HELPER.format(noise))
    written(tmp_path / "links" / "helper.py", HELPER.format(1.1 - noise))
    link = tmp_path / "links" / "bandit.py"
    link.symlink_to(real)
    by_look, by_certificate, certificate, why = found_by_both(link)
    assert by_look is by_certificate is (noise == 1.0), why
    assert certificate.target == f"{link}:Bandit"
    assert "privcheck-fix-" not in certificate.to_json()


def test_a_link_reads_its_own_data(tmp_path):
    real = written(tmp_path / "real" / "mine.py", "")
    link = tmp_path / "links" / "bandit.py"
    written(link.with_name("data.txt"), "7")
    link.symlink_to(real)
    assert link.resolve() == real
    with as_file(SourceText.read(link), "x = 1\n") as file:
        assert (file.name, file.read_text()) == ("bandit.py", "x = 1\n")
        assert file.with_name("data.txt").read_text() == "7"
        assert file.resolve().name == "mine.py"
    assert real.read_text() == ""


@pytest.mark.parametrize("up", [1, 2])
def test_code_that_imports_from_a_folder_above_is_certified(up, tmp_path):
    """Many files begin with a line that puts the folder of their project on the path."""
    head = (
        "import sys\nfrom pathlib import Path\n"
        f"sys.path.insert(0, str(Path(__file__).resolve().parents[{up}]))\nfrom helpers.noise import noised"
    )
    file = written(tmp_path / "project" / "code" / "bandits" / "bandit.py", BANDIT.format(head=head, body="pass"))
    place = written(file.parents[up] / "helpers" / "noise.py", HELPER.format(1.0))
    by_look, by_certificate, certificate, why = found_by_both(file)
    assert by_look
    assert by_certificate, why
    assert "privcheck-fix-" not in certificate.to_json()
    place.write_text(HELPER.format(0.5))
    by_look, by_certificate, certificate, why = found_by_both(file)
    assert not by_look
    assert not by_certificate
    assert "privcheck-fix-" not in certificate.to_json() + why
    assert place.read_text() == HELPER.format(0.5), "nothing is written or removed through a link"


def test_what_a_look_cannot_import_a_certificate_cannot_either(tmp_path):
    """What is imported in a method is not found beside the file, wherever it runs, for the path is as it was."""
    file = written(tmp_path / "bandit.py", BANDIT.format(head="", body="from late_helper import noised"))
    written(tmp_path / "late_helper.py", HELPER.format(1.0))
    by_look, by_certificate, _, why = found_by_both(file)
    assert by_look is by_certificate is False
    assert "late_helper" in why


def test_an_error_that_nobody_expects_is_told_and_is_no_lack_of_time(tmp_path, capfd, monkeypatch):
    assert str(apart(partial(int, "x"), 5, None)).startswith("target: got ValueError: invalid literal")
    source = SourceText.of_bytes(tmp_path / "bandit.py", BANDIT.format(head=HELPER.format(1.0), body="pass").encode())
    monkeypatch.setattr("privcheck.fixing._judgement.audited", lambda *given: 1 / 0)
    assert "ZeroDivisionError" in refuted(source, source.text, "Bandit", Setting())[1]
    assert capfd.readouterr().err == ""


def test_a_file_that_asks_for_its_own_fix_is_told_where_to_do_so(tmp_path):
    text = BANDIT.format(head=HELPER.format(0.1), body="pass") + "\nimport privcheck\n"
    file = written(tmp_path / "bandit.py", text + "privcheck.fix(Bandit, epsilon=1.0, arms=2)\n")
    with pytest.raises(privcheck.PrivcheckError, match=r"a fix within a process of another one.*__main__"):
        own_file(f"{file}:Bandit")


SLOW = "import time\nstart = time.process_time()\nwhile time.process_time() < start + 1.6: pass\n"


def test_the_time_of_an_import_counts_in_no_look(tmp_path, monkeypatch):
    """Every look would be ended otherwise, and nothing but that be found."""
    monkeypatch.setattr(_look, "SECONDS", 1)
    monkeypatch.setattr(_look, "PATIENCE", 60.0)  # the machine may have much else to do
    file = written(tmp_path / "bandit.py", SLOW + BANDIT.format(head=HELPER.format(1.0), body="pass"))
    own = own_file(f"{file}:Bandit")
    assert 1.5 < own.importing < 4.0
    assert look(file, "Bandit", Setting(runs=1)).kind == "time"
    assert look(file, "Bandit", Setting(runs=1, importing=own.importing)) is None
    file.write_text(SLOW + BANDIT.format(head=HELPER.format(0.1), body="pass"))
    own = own_file(f"{file}:Bandit")
    running = _Search(own.source, "Bandit", Setting(runs=1, importing=own.importing), 9, 9, 1.5)
    assert running._look_at_original().kind == "first"
    assert not running._is_exhausted(), "there is time for another look"


def test_a_signal_while_the_folder_is_removed_leaves_none(tmp_path, monkeypatch):
    """It has a link for everything beside the file and above it, so that removing it takes a while."""
    (tmp_path / "bandit.py").write_text("x = 1\n", encoding="utf-8")
    seen, unlink = [], os.unlink

    def interrupted_once(*where, **options):
        if not seen:
            seen.append(where)
            raise KeyboardInterrupt
        unlink(*where, **options)

    held = as_file(SourceText.read(tmp_path / "bandit.py"), "x = 2\n")
    folder = next(each for each in held.__enter__().parents if each.name.startswith("privcheck-fix-"))
    monkeypatch.setattr(os, "unlink", interrupted_once)
    with pytest.raises(KeyboardInterrupt):
        held.__exit__(None, None, None)
    assert seen
    assert not folder.exists()


def _tracked_objects() -> int:
    return len(gc.get_objects())


def test_a_fork_does_not_pay_for_the_memory_of_the_process_that_asks():
    """Its collector never visits what was there before, however much that is, or its time would go into that."""
    before = [[each] for each in range(100_000)]
    assert apart(partial(_tracked_objects), 5, None) < len(before) <= _tracked_objects()
