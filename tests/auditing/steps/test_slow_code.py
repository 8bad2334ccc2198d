"""Slow targets: the faulty step is named, whole runs find what it does, and nothing that is correct is accused."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.auditing._steps.find_steps import own_seed
from privcheck.auditing._steps.reported_steps import PROVIDED
from privcheck.cli import main
from privcheck.errors import PrivcheckError

pytestmark = pytest.mark.long

FILE = Path(__file__).parent / "slow_targets.py"
_spec = importlib.util.spec_from_file_location("slow_targets", FILE)
targets = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(targets)

MENDED = [f"mended_{name}" for name in targets.FAULTY]
MOVED = [name for name in targets.FAULTY if name != "objective"]
QUICK = {"epsilon": targets.CLAIM, "runs": 3000, "pairs": 12}


@pytest.fixture(autouse=True)
def quick(monkeypatch, request):
    """Let targets compute for 2 ms where the audit has to find them slow, and not at all elsewhere."""
    if "whole_audits" not in request.node.name:
        waste, milliseconds = targets.waste, 2.0 * ("whole_runs" in request.node.name)
        monkeypatch.setattr(targets, "waste", lambda _: waste(milliseconds))


def steps(name, **options):
    return privcheck.steps(getattr(targets, name), **QUICK | options)


@pytest.mark.parametrize("name", MOVED)
def test_the_faulty_step_is_named_and_suspected(name):
    found = steps(name)
    assert found.steps[0].function == targets.STEPS[name]
    assert found.best.function == targets.STEPS[name]
    assert found.outcome == "suspicion"
    assert found.suspicion.kind == "step"
    assert targets.STEPS[name] in found.suspicion.place
    assert found.suspicion.epsilon == found.best.epsilon_lower > targets.CLAIM
    assert found.provided == PROVIDED


@pytest.mark.parametrize("name", ["objective", "mended_objective"])
def test_a_step_with_no_argument_that_moves_is_named_and_not_played(name):
    found = steps(name)
    assert [(step.function, step.standing) for step in found.steps] == [("perturbation", "no argument moves")]
    assert found.outcome == "nothing to isolate"
    assert (found.best, found.suspicion) == (None, None)
    assert any("whole runs" in note for note in found.notes)


@pytest.mark.parametrize("name", [name for name in MENDED if name != "mended_objective"])
@pytest.mark.chance(1e-6, "the level of the suspicion: one audit of a call within its claim")
def test_the_mended_step_is_named_and_not_suspected(name):
    found = steps(name, error=1e-6)
    assert found.steps[0].function == targets.STEPS[name.removeprefix("mended_")]
    assert found.outcome == "isolated"
    assert found.best.epsilon_lower > 0.2 * targets.CLAIM, "the call is played: its loss is seen"


@pytest.mark.chance(1e-6, "the level of the suspicion: one audit of a call within its claim")
def test_a_step_that_only_moves_with_what_was_released_is_no_step():
    """The target is exactly 1-DP; unforced, the second step would show a loss of 4.85 and more."""
    for seed in range(3):
        found = steps("hidden_by_release", error=1e-6 / 3, seed=seed)
        assert found.suspicion is None
        above = found.best.epsilon_lower > targets.CLAIM  # at 95 %: one audit in twenty
        assert found.outcome == ("undecided" if above else "isolated")
        assert found.best.epsilon_lower < 1.2
        assert found.best.first in ("value = 0.0", "value = 1.0", "value = np.float64(1.0)")


def test_after_a_draw_of_the_target_itself_nothing_is_played():
    found = steps("hidden_by_inline_release", pairs=40)
    assert found.outcome == "nothing to isolate"
    assert {step.standing for step in found.steps} == {"after draws that could not be forced", "no argument moves"}
    assert any("could not be forced" in note for note in found.notes)


def test_the_same_seed_and_runs_give_the_same_report():
    def fields(report):
        found = json.loads(report.to_json())
        assert found.pop("seconds") > 0.0
        return found

    assert fields(steps("output")) == fields(steps("output"))
    assert fields(steps("output")) != fields(steps("output", seed=1))


def test_the_look_shares_no_coins_with_the_audit():
    assert own_seed(3) != 3
    assert len({own_seed(seed) for seed in range(100)}) == 100


def still(data, rng):
    return data.sum()


def by_raw_bits(data, rng):
    return data.sum() + np.random.PCG64(1).random_raw() / 2.0**64


@pytest.mark.parametrize("target", [still, by_raw_bits])
def test_a_target_that_draws_nothing_is_refused(target):
    with pytest.raises(PrivcheckError, match="of whose draws none is seen"):
        privcheck.steps(target, epsilon=1.0)


def missing_column(data, rng):
    return noisy(data[:, 3].sum(), rng)


def late_error(data, rng):
    noisy(data.sum(), rng)
    raise ValueError(f"the sum was {data.sum()}")


def noisy(value, rng):
    return value + rng.laplace()


@pytest.mark.parametrize(
    ("target", "kind"), [(missing_column, "IndexError: too many"), (late_error, "ValueError: the")]
)
def test_a_target_that_raises_is_not_said_to_draw_nothing(target, kind):
    """What was raised, where, how often, and what the target was given: also where noise was drawn before."""
    line = target.__code__.co_firstlineno + (1 if target is missing_column else 2)
    given = r"an array of shape \(4,\) with values from 0 to 1: arms=K gives rows of K columns"
    with pytest.raises(PrivcheckError, match=rf"{kind}.*line {line}\) in 6 of 6 runs.*{given}") as caught:
        privcheck.steps(target, epsilon=1.0)
    assert "none is seen" not in str(caught.value)


def raises_on_some(data, rng):
    if data[0] > 0.5:
        raise ValueError(f"the first was {data[0]}")
    return noisy(data.sum(), rng)


def test_a_target_that_raises_in_some_runs_is_looked_into_and_that_is_said():
    pair = (np.array([0.0, 0.0]), np.array([1.0, 0.0]))
    found = privcheck.steps(raises_on_some, epsilon=1.0, streams=pair, runs=400)
    line = raises_on_some.__code__.co_firstlineno + 2
    (note,) = (note for note in found.notes if "raised" in note)
    assert f"raised ValueError (test_slow_code.py, line {line}) in 1 of the first 2 runs" in note
    assert "the first was" not in note


def test_kernels_are_refused():
    with pytest.raises(PrivcheckError, match="Python code in this process"):
        privcheck.steps("adap-ucb", epsilon=1.0)


class Bandit:
    """A bandit whose noisy sums have a method of their own."""

    def __init__(self, rng):
        self.rng, self.sums = rng, np.zeros(2)

    def select(self):
        return int(np.argmax(self.noisy(self.sums)))

    def noisy(self, sums):
        return sums + self.rng.laplace(0.0, 0.1, 2)

    def update(self, action, reward):
        self.sums[action] += reward


def test_steps_of_a_bandit_are_found():
    found = privcheck.steps(Bandit, arms=2, horizon=3, **QUICK | {"pairs": 4})
    assert found.suspicion.place.startswith("Bandit.noisy")
    assert "sums" in found.steps[0].moves


def test_statuses_and_files_of_the_command(tmp_path, capsys):
    page, file = tmp_path / "steps.html", tmp_path / "steps.json"
    asked = ["--epsilon", "1", "--runs", "1000", "--pairs", "4"]
    for name, status in (("output", 3), ("mended_output", 0), ("objective", 3)):
        more = ["--json", str(file), "--html", str(page)] if name == "output" else []
        with pytest.raises(SystemExit) as ended:
            main(["steps", f"{FILE}:{name}", *asked, *more])
        assert ended.value.code == status, name
    shown = capsys.readouterr()
    assert "the call of add_noise alone has a loss of at least" in shown.out
    assert "provided that" in shown.out
    assert not shown.err
    assert "add_noise" in page.read_text(encoding="utf-8")
    assert privcheck.load(file).suspicion.kind == "step"
    (tmp_path / "still.py").write_text("def still(data, rng):\n    return data.sum()\n")
    with pytest.raises(SystemExit) as ended:
        main(["steps", f"{tmp_path / 'still.py'}:still", *asked])
    assert ended.value.code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.nightly
@pytest.mark.chance(1e-6, "the level of the verdict")
@pytest.mark.parametrize("name", [*MENDED, *targets.HIDING, "hidden_by_inline_release"])
def test_whole_audits_accuse_no_correct_target(name):
    assert privcheck.audit(getattr(targets, name), epsilon=targets.CLAIM, error=1e-6).verdict != "violation"
