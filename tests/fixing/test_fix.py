"""`privcheck.fix` from a leak to a patch: what it recommends, what it refuses, and what it leaves alone."""

from __future__ import annotations

import importlib.util
import io
import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import privcheck
from privcheck.fixing import _best_certified, _fix, _own_file, _price, save_patch
from privcheck.fixing._edits.edit import made
from privcheck.fixing._patch_audit import Audited
from privcheck.fixing._price import Priced
from privcheck.fixing._search import Found, Patch, search
from privcheck.reporting import details, fix_command
from privcheck.results import PlaceRegret, PolicyRegret

pytestmark = pytest.mark.long

_spec = importlib.util.spec_from_file_location("twins_of_patches", Path(__file__).with_name("twins.py"))
twins = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(twins)

QUICK = {"epsilon": 1.0, "arms": 2, "rounds": 120, "time_budget": 1.0}


GOOD = "class Bandit:\n    def __init__(self, rng): pass\n    def select(self): return 0\n"

DECORATED = GOOD + "    @staticmethod\n    def update(action, reward): return {}\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A repository of git with a bandit that leaks, as Windows writes it, in an old encoding."""
    place = tmp_path_factory.mktemp("repository")
    text = "# -*- coding: latin-1 -*-\n# Größe, naïve\n" + twins.UCB.replace("import privcheck\n", "")
    (place / "shop").mkdir()
    (place / "shop" / "bandit.py").write_bytes(text.replace("\n", "\r\n").encode("latin-1"))
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "a bandit"]):
        identity = ["-c", "user.email=a@example.org", "-c", "user.name=a", "-c", "core.autocrlf=false"]
        subprocess.run(["git", *identity, *command], cwd=place, check=True)
    return place


@pytest.fixture(scope="module")
def found(folder):
    """A fix whose runs for the regret end by their number: on a busy machine a second is over after fewer."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_price, "MOST", _price.FIRST + _price.BATCH)
        return privcheck.fix(f"{folder}/shop/bandit.py:Bandit", **QUICK | {"time_budget": 60.0})


def test_a_leak_gets_a_certified_patch(found):
    patch = found.recommended
    assert found.outcome == "fixed"
    assert found.finding.code.startswith("return int(np.argmax("), "as a certificate says"
    assert patch is found.patches[0]
    assert patch.certificate.granted
    assert patch.certificate.epsilon_upper == 1.0
    assert patch.certificate.seed != found.seed
    assert patch.epsilon_lower < 1.0
    assert len(patch.settings) == 2
    learning = [each for each in found.patches if not each.why.startswith("it stops learning")]
    shares = [each.regret.share for each in learning if each.standing != "certified"]
    assert shares == sorted(shares), "regret decides which patch comes first"
    assert [each.standing for each in found.patches[:2]] == ["recommended", "certified"]
    assert found.patches[1].by_targeted_edits is not patch.by_targeted_edits, "one of each kind is certified"
    smallest = min(learning, key=lambda each: sum(each.changed_lines))
    assert smallest.is_certified
    for each in [each for each in found.patches[2:] if each is not smallest]:
        assert each.standing == "not certified"
        assert each.certificate is None
        assert "no certificate was made of it" in each.why
    assert [each.number for each in found.patches] == list(range(1, len(found.patches) + 1))
    assert {other.policy for other in found.others} == {"uniform", "adap-ucb"}


def test_what_it_says_can_be_checked_again(found, tmp_path):
    (tmp_path / "bandit.py").write_text(found.recommended.text, encoding="latin-1")
    rounds = found.recommended.certificate.horizon
    again = privcheck.certify(f"{tmp_path}/bandit.py:Bandit", epsilon=1.0, arms=2, horizon=rounds, runs=3, seed=77)
    assert again.granted
    before = found.target
    assert not privcheck.certify(before, epsilon=1.0, arms=2, horizon=16, runs=1).granted


def test_git_applies_the_diff_and_nothing_else_changes(folder, found, tmp_path):
    diff = tmp_path / "fix.patch"
    for patch in found.patches:
        diff.write_bytes(_fix.diff_bytes(found.target, patch))
        subprocess.run(["git", "apply", "--check", str(diff)], cwd=folder, check=True)
    diff.write_bytes(_fix.diff_bytes(found.target, found.recommended))
    file = folder / "shop" / "bandit.py"
    before = file.read_bytes()
    try:
        subprocess.run(["git", "apply", str(diff)], cwd=folder, check=True)
        assert file.read_bytes() == found.recommended.text.encode("latin-1")
        assert b"Gr\xf6\xdfe" in file.read_bytes()
        assert file.read_bytes().count(b"\n") == file.read_bytes().count(b"\r\n")
    finally:
        file.write_bytes(before)


def test_a_fix_is_written_and_read_as_json(found, tmp_path):
    found.save(tmp_path / "fix.json")
    again = privcheck.load(tmp_path / "fix.json")
    assert again.to_json() == found.to_json()
    assert again.recommended.certificate.granted


def test_it_prints_what_it_rests_on(found):
    from rich.console import Console

    console = Console(width=400, file=io.StringIO())
    console.print(details(found))
    told = console.file.getvalue()
    assert "provided that:" in told
    assert "Regret was measured in 3 environments alone" in told
    assert "Without the guard nothing is refused" in told
    lines = [line.rstrip() for line in found.recommended.diff.split("\n")]
    assert [line for line in lines if line not in told] == []


def test_sarif_has_the_patch_as_a_fix(found, tmp_path, folder):
    """A reader that replaces the regions gets the patched file."""
    from privcheck.reporting import save_sarif

    save_sarif(found, tmp_path / "a.sarif")
    (result,) = json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    lines = (folder / "shop" / "bandit.py").read_bytes().decode("latin-1").splitlines(keepends=True)
    for each in reversed(change["replacements"]):
        region = each["deletedRegion"]
        lines[region["startLine"] - 1 : region["endLine"] - 1] = [each["insertedContent"]["text"]]
    assert "".join(lines) == found.recommended.text


def test_the_file_is_written_whole_and_only_if_it_is_what_was_read(folder, found):
    file = folder / "shop" / "bandit.py"
    before = file.read_bytes()
    file.chmod(0o640)  # git knows of one bit only, that of programs
    try:
        file.write_bytes(before + b"# later\r\n")
        with pytest.raises(privcheck.PrivcheckError, match="has changed since it was read"):
            save_patch(found, found.target)
        assert file.read_bytes() == before + b"# later\r\n"
        file.write_bytes(before)
        assert save_patch(found, found.target) == f"wrote {file}; git has the file as it was"
        assert file.read_bytes() == found.recommended.text.encode("latin-1")
        assert file.stat().st_mode & 0o777 == 0o640
        assert [each.name for each in file.parent.iterdir() if each.suffix != ".pyc" and each.is_file()] == [
            "bandit.py"
        ]
    finally:
        file.write_bytes(before)


def test_where_git_does_not_have_the_file_it_is_kept(found, tmp_path):
    target = tmp_path / "bandit.py"
    target.write_bytes(Path(found.target.rpartition(":")[0]).read_bytes())
    other = replace(found, target=f"{target}:Bandit")
    assert save_patch(other, other.target).endswith("bandit.py.orig keeps the file as it was")
    assert (tmp_path / "bandit.py.orig").read_bytes() == Path(found.target.rpartition(":")[0]).read_bytes()
    target.write_bytes(Path(found.target.rpartition(":")[0]).read_bytes())
    (tmp_path / "bandit.py.orig").write_text("something else")
    with pytest.raises(privcheck.PrivcheckError, match="which is there already"):
        save_patch(other, other.target)
    assert (tmp_path / "bandit.py.orig").read_text() == "something else"


def test_what_is_certified_needs_no_fix_and_is_untouched(tmp_path):
    file = tmp_path / "bandit.py"
    file.write_text(twins.RIGHT)
    found = privcheck.fix(f"{file}:Bandit", **QUICK)
    assert (found.outcome, found.finding, found.patches) == ("nothing to fix", None, ())
    assert found.certificate.granted
    assert file.read_text() == twins.RIGHT
    assert found.recommended is None
    with pytest.raises(privcheck.PrivcheckError, match="expected a recommended patch"):
        save_patch(found, f"{file}:Bandit")


def test_what_could_not_be_edited_needs_no_fix_either_if_it_is_certified(tmp_path):
    file = tmp_path / "bandit.py"
    file.write_text(DECORATED.format("None"))
    assert privcheck.fix(f"{file}:Bandit", **QUICK).outcome == "nothing to fix"
    file.write_text(DECORATED.format("[1][reward]"))
    assert privcheck.fix(f"{file}:Bandit", **QUICK).outcome == "nothing certifies"


def only(monkeypatch, *texts):
    """Let a search find these texts."""

    def searched(source, class_name, setting, **options):
        first = search(source, class_name, setting, looks=1)
        edit = made("an edit of a test", "structure", "none", 1)
        return Found(tuple(Patch(text, (edit,), 3) for text in texts), ((edit,),), 1, first.finding)

    monkeypatch.setattr(_fix, "search", searched)


def test_patches_of_which_none_learns_are_listed_and_not_recommended(monkeypatch, tmp_path):
    original, constant = twins.STUCK["a constant policy"]
    only(monkeypatch, constant)
    file = tmp_path / "bandit.py"
    file.write_text(original)
    found = privcheck.fix(f"{file}:Bandit", **QUICK | {"time_budget": 5.0})
    assert found.outcome == "none learns"
    assert [patch.standing for patch in found.patches] == ["not recommended"]
    assert found.patches[0].certificate.granted
    with pytest.raises(privcheck.PrivcheckError, match="a patch that stops learning is not written"):
        save_patch(found, f"{file}:Bandit")


def test_a_patch_that_only_the_search_let_pass_is_withdrawn(monkeypatch, tmp_path):
    only(monkeypatch, twins.WITHDRAWN["a scale that ignores epsilon"])
    file = tmp_path / "bandit.py"
    file.write_text(twins.UCB)
    found = privcheck.fix(f"{file}:Bandit", **QUICK)
    assert found.outcome == "nothing certifies"
    (patch,) = found.patches
    assert (patch.standing, patch.certificate, found.recommended) == ("withdrawn", None, None)
    assert patch.why.startswith("at epsilon = 0.3, 4 arms, 160 rounds: ")


def test_an_audit_withdraws_the_best_patch_and_the_next_one_takes_its_place(monkeypatch, tmp_path):
    louder = twins.RIGHT.replace("1.0 / self.epsilon", "1.1 / self.epsilon")
    only(monkeypatch, twins.RIGHT, louder)

    def regret(share):
        return PolicyRegret("a policy", 32, (PlaceRegret("somewhere", 100.0 * share, 1.0, share, share / 2.0),))

    price = Priced(regret(0.1), [regret(0.3), regret(0.2)], ["", ""], ())
    monkeypatch.setattr(_fix, "priced", lambda *given, **options: price)
    asked = []

    def refuting(source, text, *rest):
        asked.append(text)
        return Audited(1.5 if text == louder else 0.5, 2000, 32, True), "a bound above" * (text == louder)

    monkeypatch.setattr(_best_certified, "refuted", refuting)
    file = tmp_path / "bandit.py"
    file.write_text(twins.UCB)
    found = privcheck.fix(f"{file}:Bandit", **QUICK)
    assert asked == [louder, twins.RIGHT], "the patch with the least regret is audited first"
    assert [patch.standing for patch in found.patches] == ["recommended", "withdrawn"]
    assert found.recommended.text == twins.RIGHT
    assert (found.recommended.epsilon_lower, found.recommended.regret_ratio) == (0.5, 3.0)
    withdrawn = found.patches[1]
    assert (withdrawn.why, withdrawn.certificate, withdrawn.regret) == ("a bound above", None, None)
    assert withdrawn.epsilon_lower == 1.5


BAD = {
    "no update": (GOOD, "which has no method update()"),
    "update elsewhere": (GOOD.replace("Bandit:", "Bandit(dict):"), "as a base class dict may have it elsewhere"),
    "other arguments": (GOOD + "    def update(self, context, action, reward): pass\n", "Bandit.update(self, context"),
    "no select": ("class Bandit:\n    def update(self, action, reward): pass\n", "which has no method select()"),
    "more to build it with": (
        GOOD + "    def __init__(self, rng, window, arms): pass\n    def select(self): pass\n"
        "    def update(self, action, reward): pass\n",
        "return Bandit(rng, window=..., arms=arms)",
    ),
    "a function": ("def Bandit(rng): pass\n", "which is a function"),
    "inside a function": ("def make():\n    class Bandit: pass\n", "which is defined inside something else"),
    "not there": (GOOD.replace("Bandit", "Other"), "the file has Other"),
    "no Python": ("class Bandit(:\n", "line 1: invalid syntax"),
    "a null byte": ("x = '\0'\n", "expected a file that is Python"),
    "another encoding": ("# -*- coding: nonsense -*-\n", "which cannot be decoded"),
    "an error": (GOOD + "    def update(self, action, reward): pass\n1 / 0\n", "which raises ZeroDivisionError"),
    "an end": (GOOD + "    def update(self, action, reward): pass\nimport os\nos._exit(3)\n", "or ends the process"),
    "no end": (GOOD + "    def update(self, action, reward): pass\nwhile True: pass\n", "takes more than"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_in_one_line(name, tmp_path, monkeypatch):
    monkeypatch.setattr(_own_file, "IMPORTED", 1)
    text, said = BAD[name]
    file = tmp_path / "bandit.py"
    file.write_text(text)
    with pytest.raises(privcheck.PrivcheckError) as error:
        privcheck.fix(f"{file}:Bandit", **QUICK)
    assert said in str(error.value)
    assert str(error.value).count("expected") == 1
    assert "\n" not in str(error.value)
    assert error.value.parameter == "target"
    assert file.read_text() == text


def test_only_classes_in_files_of_ones_own_are_fixed():
    class Closure:
        def update(self, action, reward):
            pass

    cell = type("Cell", (), {"__module__": "a_notebook"})
    cases = [
        ("adap-ucb", "got 'adap-ucb'"), (lambda rng: None, "a lambda"), (Closure, "a class inside a function"),
        (cell, "which is in no file"), (3, "an object"), ("bandit.py", "name the class after a colon"),
        ("nowhere.py:Bandit", "cannot be read"), ("math:sqrt", "got 'math:sqrt'"),
    ]  # fmt: skip
    for target, said in cases:
        with pytest.raises(privcheck.PrivcheckError, match=r"^target: ") as error:
            privcheck.fix(target, epsilon=1.0, arms=2)
        assert said in str(error.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"arms": 2}, "epsilon: got None"), ({"epsilon": 1.0}, "arms: got None"),
        ({"epsilon": 0.0, "arms": 2}, "epsilon"),
        ({"epsilon": 1.0, "arms": 1}, "arms: got 1"), ({"epsilon": 1.0, "arms": 2, "horizon": 5}, "horizon: got 5"),
        ({"epsilon": 1.0, "arms": 2, "rewards": (1.0, 0.0)}, "rewards"),
        ({"epsilon": 1.0, "arms": 2, "time_budget": 0.0}, "time_budget"),
    ],
)  # fmt: skip
def test_options_out_of_their_range_are_refused(options, said, tmp_path):
    with pytest.raises(privcheck.PrivcheckError, match=f"^{said}"):
        privcheck.fix(f"{tmp_path}/bandit.py:Bandit", **options)


def test_a_certificate_names_the_command_where_it_helps(folder):
    file = f"{folder}/shop/bandit.py"
    leaking = privcheck.certify(f"{file}:Bandit", epsilon=0.5, arms=3, horizon=16, runs=1)
    command = fix_command(leaking)
    assert command.endswith("bandit.py:Bandit --epsilon 0.5 --arms 3")
    assert fix_command(replace(leaking, feedback="full")) == ""
    assert fix_command(replace(leaking, target="Bandit")) == ""
    assert fix_command(leaking, "a b.py:Bandit").startswith("privcheck fix 'a b.py:Bandit' ")
    assert fix_command(replace(leaking, rewards=(-1.0, 1.0))).endswith("--rewards -1,1")


@pytest.mark.parametrize("as_class", [False, True])
def test_a_failing_test_of_a_certificate_prints_the_command(as_class, folder):
    from privcheck.testing import PrivacyFailure, assert_certified

    place = f"{folder}/shop/bandit.py:Bandit"
    target = _own_file.Location(*place.rsplit(":", 1)).load() if as_class else place
    with pytest.raises(PrivacyFailure) as failure:
        assert_certified(target, 1.0, arms=2, horizon=6, runs=1)
    lines = [line for line in str(failure.value).splitlines() if line.startswith("fix: ")]
    assert len(lines) == 1
    assert lines[0].startswith("fix: privcheck fix ")
    assert lines[0].endswith("shop/bandit.py:Bandit --epsilon 1 --arms 2")
    assert_certified("adap-ucb", 1.0, arms=2, horizon=6, runs=1)
