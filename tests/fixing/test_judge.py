"""The judge withdraws patches that only look right where they were searched for, and lets correct ones pass."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path

import pytest

from privcheck.fixing import _patch_audit
from privcheck.fixing._edits.blocks import released_blocks
from privcheck.fixing._edits.universal import universal
from privcheck.fixing._judgement import certified, refuted
from privcheck.fixing._look import Setting, look
from privcheck.fixing._patched_file import as_file
from privcheck.fixing._program import Program
from privcheck.fixing._source_text import SourceText

pytestmark = pytest.mark.long

_spec = importlib.util.spec_from_file_location("twins_of_patches", Path(__file__).with_name("twins.py"))
twins = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(twins)

SETTING = Setting()


@pytest.fixture
def source(tmp_path):
    return written(tmp_path, twins.UCB)


def written(folder, text):
    file = folder / "bandit.py"
    file.write_text(text, encoding="utf-8")
    return SourceText.read(file)


@pytest.mark.parametrize("name", twins.WITHDRAWN)
def test_a_broken_patch_is_withdrawn(name, tmp_path):
    text = twins.WITHDRAWN[name]
    source = written(tmp_path, twins.UCB + (twins.SIBLING if "sibling" in name else ""))
    withdrawn, _ = twins.judged(source, text, SETTING)
    assert withdrawn, name
    if name not in ("nothing changed", "an edit in a sibling class"):
        short = SETTING._replace(horizon=38)
        assert look(text, "Bandit", short, source.path) is None, "the search would let it pass"
    if name == "an edit in a sibling class":
        assert withdrawn == "it changes class Other, which is not what was to be fixed"


def test_a_right_patch_is_certified_under_the_name_of_the_original(source):
    withdrawn, certificate = twins.judged(source, twins.RIGHT, SETTING)
    assert not withdrawn
    assert certificate.granted
    assert certificate.target == f"{source.path}:Bandit"
    assert "privcheck-fix-" not in certificate.to_json()
    assert source.path.read_text("utf-8") == twins.UCB


@pytest.mark.chance(1e-6, "one audit of a true claim")
def test_an_audit_refutes_the_original_and_not_the_patch(source, monkeypatch):
    monkeypatch.setattr(_patch_audit, "ERROR", 1e-6)
    audited, why = refuted(source, twins.UCB, "Bandit", SETTING)
    assert audited.epsilon_lower > 2.0
    assert "an audit gives epsilon at least" in why
    audited, why = refuted(source, twins.RIGHT, "Bandit", SETTING)
    assert 0.0 <= audited.epsilon_lower < 1.0
    assert not why


BLOCKS = ("released-blocks", "latest-released", "latest-block", "noisy-rewards")


@pytest.mark.parametrize("name", BLOCKS)
def test_an_audit_sees_the_releases_of_blocks(name, source):
    """A first block may have 16 rewards of an arm: with almost no noise, the audit must refute what comes after it."""
    program = Program(twins.UCB, "Bandit")
    found = {each.edit.name: each.text for each in [*released_blocks(program, SETTING), *universal(program, 0, 1, 1)]}
    silent = found[name].replace("laplace(0.0, ", "laplace(0.0, 1e-9 * ")
    assert silent != found[name]
    audited, why = refuted(source, silent, "Bandit", SETTING)
    assert audited.epsilon_lower > 2.0
    assert audited.releases
    assert audited.rounds >= 32
    assert "an audit gives epsilon at least" in why


def test_an_audit_of_rounds_without_a_release_says_so(source):
    """A policy that releases once, after 50 rewards of an arm, releases nothing in 32 rounds."""
    late = twins.UCB.replace("self.sums[action] += reward", LATE)
    assert look(late, "Bandit", SETTING._replace(horizon=20), source.path) is None
    audited, why = refuted(source, late, "Bandit", SETTING)
    assert (audited.rounds, audited.releases, why) == (32, False, "")
    audited, why = refuted(source, late, "Bandit", SETTING, 120)
    assert (audited.rounds, audited.releases) == (120, True)


LATE = """\
self.hidden = getattr(self, "hidden", 0.0) + reward
        if self.counts[action] == 50:
            self.sums[action] = float(self.hidden + self.rng.laplace(0.0, 1.0 / self.epsilon))
            self.hidden = 0.0"""


def test_a_program_that_hangs_or_fails_is_withdrawn(source, monkeypatch):
    from privcheck.fixing import _judgement, _look

    monkeypatch.setattr(_judgement, "SECONDS", 2)
    monkeypatch.setattr(_look, "SECONDS", 1)
    hanging = twins.RIGHT.replace("        self.t += 1\n", "        while True:\n            self.t += 1\n", 1)
    assert "a look takes more than" in twins.judged(source, hanging, SETTING)[0]
    assert "takes more than 2 seconds" in refuted(source, hanging, "Bandit", SETTING)[1]
    failing = twins.RIGHT.replace("return self.t - 1", "return self.nothing")
    assert "nothing" in twins.judged(source, failing, SETTING)[0]


def test_a_certificate_names_the_original_file_wherever_it_is_made(tmp_path, monkeypatch):
    """From the folder in which temporary folders are made, a file there is named by its path from it."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.chdir(tmp_path)
    source = SourceText.of_bytes(Path("bandit.py"), twins.RIGHT.encode())
    Path("bandit.py").write_bytes(source.bytes_read)
    certificate, why = certified(source, source.text, "Bandit", SETTING)
    assert not why
    assert certificate.target == "bandit.py:Bandit"
    assert "privcheck-fix-" not in certificate.to_json()


def test_a_patched_file_finds_its_neighbours(tmp_path):
    (tmp_path / "helper.py").write_text("BONUS = 2.0\n")
    (tmp_path / "data.txt").write_text("7")
    text = (
        "import helper\nfrom pathlib import Path\nDATA = Path(__file__).with_name('data.txt').read_text()\n"
        + twins.RIGHT
    )
    source = written(tmp_path, text)
    assert not twins.judged(source, text, SETTING)[0]
    with as_file(source, text) as file:
        assert file.name == "bandit.py"
        folder = file.parent
    assert not folder.exists()
    assert (tmp_path / "data.txt").read_text() == "7"
