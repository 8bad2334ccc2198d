"""The lines that are named are at fault: forty-odd bandits with known faults, and their correct twins.

Nothing here fails by chance: all seeds are fixed.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.auditing._faults import find
from privcheck.results import FAULT_KINDS, Estimate, Witness
from privcheck.targets import Settings, load

TESTS = Path(__file__).parents[2]
NOISY, ZOO = TESTS / "certifying" / "noisy_bandits.py", TESTS / "certifying" / "zoo.py"
OWN, EXAMPLES = Path(__file__).with_name("leaky_bandits.py"), TESTS.parent / "examples"

CONTEXTS = privcheck.Contexts(shape=(2, 3), norm=1.0)
JOINT = {"feedback": "contextual", "neighbours": "context-reward", "contexts": CONTEXTS}
FULL = {"feedback": "full", "arms": 4}

FAULTS = {
    "AllTheData": "released-again", "WrongScale": "too-little-noise", "ScaledDown": "too-little-noise",
    "OneNoise": "noise-used-again", "RawStop": "raw-decision", "RawArgmax": "raw-argmax", "SharedNoise": "noise-shared",
    "Argmin": "one-sided-noise", "NoiseReadFirst": "noise-read-first", "FixedSeed": "fixed-seed",
    "WinnerAndValue": "too-little-noise", "UnnoisedGram": "raw-statistic",
}  # fmt: skip
CORRECT = ["Doubling", "LazyList", "Tree", "Randomised", "Leader", "Linear", "LinearInverse", "Exponentials"]
OF_THE_ZOO = {
    "RenoisedEachRound": "released-again", "RunningMeanAgain": "released-again",
    "IncrementsBetweenReleases": "raw-decision", "EliminatesOnRawSums": "raw-decision",
    "TiesByRawTotals": "raw-argmax", "BlocksByRewards": "raw-decision", "NoiseOfTheMean": "too-little-noise",
    "OneRewardTwoArms": "budget-not-divided", "Unclipped": "too-little-noise", "OwnNoise": "fixed-seed",
}  # fmt: skip
OF_THIS_FILE = {
    "OrdinaryArray": "released-again", "Explores": "raw-argmax", "ReadsTwice": "raw-decision",
    "Remembers": "raw-argmax", "OwnGenerator": "fixed-seed",
    "CountsWins": "too-little-noise", "ListOfArrays": "released-again",
    "GumbelWinner": "noisy-max-misused", "Rounds": "raw-value", "LinearMemory": "context-kept",
}  # fmt: skip
UNNAMED = ["LooksUpWins", "Responds", "Exponential", "OwnTree", "RejectsNoise", "Fails"]
SOMEWHERE = Estimate(0.5, 0.4, 0.6)


def options_of(file, name):
    spec = importlib.util.spec_from_file_location("bandits_with_faults", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    parents = {parent.__name__ for parent in getattr(module, name).__mro__}
    horizon = {"horizon": 16 if file == ZOO or "Tree" in parents else 8}
    others = JOINT if parents & {"Linear", "LinearMemory"} else FULL if "Leader" in parents else {}
    wide = {"rewards": (0.0, 3.0)} if name in ("Unclipped", "Clipped") else {}
    return {"epsilon": 1.0, "arms": 2} | horizon | others | wide


def witness(rng, game, columns):
    """Return two random streams that differ in one round, at the ends of the range."""
    low, high = game.rewards
    first = np.where(rng.random((game.horizon, game.arms)) < 0.5, low, high)
    if game.contexts is not None:
        first = game.contexts.join(first, game.contexts.draw(rng, game.horizon))
    second, place = first.copy(), int(rng.integers(game.horizon))
    second[place, : game.arms] = low + high - first[place, : game.arms]
    if game.contexts is not None:
        second[place, game.arms :] = game.contexts.draw(rng, 1).ravel()
    assert first.shape == (game.horizon, columns)
    return Witness(first, second, (place + 1,), "", "", "first", SOMEWHERE, SOMEWHERE)


def found(file, name, pairs, enough=2):
    """Return the faults that are found on random pairs of streams, all pairs together, and why none is."""
    settings = Settings.of(**options_of(file, name))
    claim, game = settings.claim, settings.game
    target = load(f"{file}:{name}").target(claim, game, game.horizon, game.arms)
    columns = game.arms + (0 if game.contexts is None else game.contexts.size)
    rng, faults, reasons = np.random.default_rng(17), [], []
    for _ in range(pairs):
        named, why = find.find_faults(target, claim, game, [witness(rng, game, columns)])
        assert bool(named) != bool(why)
        faults += named
        reasons.append(why)
        if len(faults) >= enough:
            break
    return faults, reasons


def marked(file, name):
    """Return the line that is marked with the name."""
    lines = file.read_text("utf-8").splitlines()
    (line,) = [n for n, text in enumerate(lines, 1) if re.search(rf"# (here: )?{name}$", text)]
    return line


BROKEN = [
    (file, name, kind)
    for file, kinds in ((NOISY, FAULTS), (ZOO, OF_THE_ZOO), (OWN, OF_THIS_FILE))
    for name, kind in kinds.items()
]


@pytest.mark.parametrize(("file", "name", "kind"), BROKEN, ids=[name for _, name, _ in BROKEN])
def test_the_line_at_fault_is_named_and_no_other(file, name, kind):
    faults, reasons = found(file, name, 24, 1 if name == "Explores" else 2)
    assert faults, reasons
    assert {(Path(fault.file).name, fault.line) for fault in faults} == {(file.name, marked(file, name))}
    assert {fault.kind for fault in faults} == {kind}
    for fault in faults:
        assert fault.excerpt[fault.line - fault.excerpt_start].strip() == fault.code
        assert file.read_text("utf-8").splitlines()[fault.line - 1].strip() == fault.code


@pytest.mark.parametrize("name", CORRECT)
def test_correct_bandits_with_numpy_noise_are_never_accused(name):
    assert found(NOISY, name, 2)[0] == []


def test_correct_bandits_with_mechanisms_are_never_accused():
    names = re.findall(r"^class (\w+)", ZOO.read_text("utf-8"), re.MULTILINE)[1:]
    correct = [name for name in names if name not in OF_THE_ZOO]
    assert len(correct) >= 14
    assert not [name for name in correct if found(ZOO, name, 1)[0]]


@pytest.mark.parametrize("name", UNNAMED)
def test_a_reading_that_may_be_harmless_is_not_accused(name):
    faults, reasons = found(OWN, name, 2)
    assert faults == []
    assert all(reasons)


def test_every_kind_is_found_somewhere():
    """Gaussian noise under a pure claim has a test of its own below."""
    assert {kind for _, _, kind in BROKEN} | {"unbounded-loss"} == set(FAULT_KINDS)


def test_every_kind_is_documented():
    page = (TESTS.parent / "docs" / "reference" / "auditing.md").read_text("utf-8")
    for name, kind in FAULT_KINDS.items():
        assert f"| `{name}` | {kind.meaning} | {kind.fix} |" in page


def test_normal_noise_under_a_pure_claim_is_named(tmp_path):
    file = tmp_path / "normal.py"
    file.write_text(
        "class Normal:\n"
        "    def __init__(self, rng):\n        self.rng, self.arm = rng, 0\n"
        "    def select(self):\n        return self.arm\n"
        "    def update(self, action, reward):\n        self.arm = int(self.rng.normal(reward, 0.3) > 0.5)\n",
        "utf-8",
    )
    streams = np.zeros((4, 2)), np.array([[1.0, 1.0], [0, 0], [0, 0], [0, 0]])
    report = privcheck.audit(f"{file}:Normal", epsilon=1.0, arms=2, horizon=4, runs=2000, streams=streams)
    assert report.verdict == "violation"
    assert [(fault.kind, fault.line) for fault in report.faults] == [("unbounded-loss", 7)]


# In a report

PAIR = np.zeros((8, 2)), np.concatenate([np.ones((1, 2)), np.zeros((7, 2))])
WINS = tuple(np.repeat([[one], [1.0], [0.0]], [1, 2, 5], axis=0).repeat(2, axis=1) for one in (1.0, 0.0))


def audited(place, **options):
    return privcheck.audit(place, **{"epsilon": 1.0, "arms": 2, "horizon": 8, "runs": 2000, "streams": PAIR} | options)


@pytest.fixture(scope="module")
def report():
    return audited(f"{EXAMPLES / 'running_mean_bandit.py'}:RunningMeanBandit", runs=6000)


def test_an_audit_names_the_line_of_the_example(report):
    assert report.verdict == "violation"
    (fault,) = report.faults
    line = (EXAMPLES / "running_mean_bandit.py").read_text("utf-8").splitlines()[fault.line - 1]
    assert line.strip() == "self.published[arm] = self.sums[arm] / n + noise"
    assert (fault.kind, fault.data) == ("released-again", (1,))
    assert "released 3 times, after rounds 2, 4 and 8" in fault.said
    assert f"at fault: examples/running_mean_bandit.py:{fault.line}" in str(report)
    assert not [note for note in report.notes if "at fault" in note]


def test_a_shipped_algorithm_is_named_at_its_release():
    report = privcheck.audit("rnm-ftnl-published", epsilon=1.0, arms=4, horizon=4, runs=20_000)
    assert [(fault.kind, Path(fault.file).name) for fault in report.faults] == [("too-little-noise", "rnm_ftnl.py")]
    assert ".release(" in report.faults[0].code


def test_correct_code_has_no_faults_in_its_report():
    assert audited(f"{OWN}:Responds").faults == []


def test_what_cannot_be_named_is_said_in_one_note():
    report = audited(f"{OWN}:LooksUpWins", streams=WINS)
    assert report.verdict == "violation"
    assert report.faults == []
    (note,) = [note for note in report.notes if note.startswith("a possible line is ")]
    assert "leaky_bandits.py" in note
    assert not [note for note in report.notes if "no line was found" in note], "the note names one"


def test_a_line_at_which_the_guard_refused_a_release_goes_before_one_that_is_only_possible(monkeypatch):
    innocent = f"{find.POSSIBLE}leaky_bandits.py:1 (import numpy as np): what becomes of the value cannot be followed"
    monkeypatch.setattr(find, "find_faults", lambda *arguments: ([], innocent))
    place = f"leaky_bandits.py:{marked(OWN, 'CountsWins')}"
    report = audited(f"{OWN}:CountsWins", streams=WINS)
    assert report.verdict == "violation"
    assert report.certificate.refusals
    (note,) = [note for note in report.notes if note.startswith(find.POSSIBLE)]
    assert note == f"{find.POSSIBLE}{place}: a guard with the claim as its budget refused a release there"


def test_mechanisms_have_no_faults_yet():
    report = privcheck.audit(lambda data, rng: data.sum() + rng.laplace(0.0, 0.3), epsilon=1.0, runs=3000, horizon=2)
    assert report.verdict == "violation"
    assert report.faults == []
    assert report.notes[-1].endswith("it is found by runs under a guard, which cannot run a function of data")


def test_nothing_else_in_the_report_changes(report, monkeypatch):
    monkeypatch.setattr(find, "find_faults", lambda *arguments: ([], ""))
    without = audited(f"{EXAMPLES / 'running_mean_bandit.py'}:RunningMeanBandit", runs=6000)
    one, two = (dataclasses.replace(r, faults=[], seconds=0.0).to_json() for r in (report, without))
    assert one == two


@pytest.mark.parametrize("error", [RuntimeError("no"), MemoryError(), RecursionError()])
def test_it_never_raises(error, monkeypatch):
    def fails(*arguments):
        raise error

    monkeypatch.setattr(find, "raw_path", fails)
    report = audited(f"{OWN}:Remembers")
    assert report.verdict == "violation"
    assert type(error).__name__ in report.notes[-1]


def test_an_interrupt_keeps_the_report(monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(find, "raw_path", interrupted)
    report = audited(f"{OWN}:Remembers")
    assert (report.verdict, report.faults) == ("violation", [])
    assert "interrupted" in report.notes[-1]


def test_no_run_starts_after_the_time_is_up(monkeypatch):
    monkeypatch.setattr(find, "SECONDS", -1.0)
    assert found(OWN, "OrdinaryArray", 1)[0] == []


def test_an_old_report_has_no_faults_and_a_new_one_is_read_back(report):
    again = privcheck.AuditReport.from_json(report.to_json())
    assert again.faults == report.faults
    assert again.to_json() == report.to_json()
    content = report.to_dict()
    del content["faults"]
    old = privcheck.AuditReport.from_json(json.dumps({"schema_version": 2} | content))
    assert old.faults == []
