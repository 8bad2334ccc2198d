"""What one step hands to another is forced, however it is handed on, or nothing after it is played."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.auditing._steps import forced_calls, isolated_calls
from privcheck.auditing._steps.drawing_functions import drawing
from privcheck.auditing._steps.forced_calls import hooked
from privcheck.auditing._steps.isolated_calls import look, played_alone
from privcheck.targets import Claim, Game, StreamPair, load

FILE = Path(__file__).parent / "correct_targets.py"
_spec = importlib.util.spec_from_file_location("correct_targets", FILE)
targets = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(targets)

PAIR = StreamPair(np.array([0.0, 1.0]), np.array([1.0, 1.0]), "")
SEEDS = range(20)


def looks(target, pair=PAIR, seeds=SEEDS):
    runner = load(target).target(Claim(), Game(), 2, 0).runner
    found = drawing(runner, [pair.first], 0)
    with hooked(found.functions):
        return found.functions, [look(runner, found.functions, pair, np.random.SeedSequence(seed)) for seed in seeds]


def steps_of(target):
    functions, seen = looks(target)
    return {functions[one.recording.calls[m.place].function].__name__ for one in seen for m, _ in one.steps}


@pytest.mark.parametrize("target", targets.FIRST_STEPS, ids=lambda target: target.__name__)
def test_a_step_after_a_forced_release_never_moves(target):
    functions, seen = looks(target)
    named = {functions[one.recording.calls[m.place].function].__name__ for one in seen for m, _ in one.steps}
    assert named == {targets.FIRST_STEPS[target]}
    after = any(one.after_others for one in seen)
    assert after <= (target in targets.UNFORCED)


@pytest.mark.parametrize("target", [targets.with_a_lock, targets.raising, targets.subclass_of_list])
def test_what_cannot_be_forced_is_told(target):
    _, seen = looks(target)
    assert any(one.after_others for one in seen)


@pytest.mark.parametrize(
    "target",
    [
        targets.changed_on_one_neighbour,
        targets.shared_array,
        targets.list_of_arrays,
        targets.bound_method,
        targets.method_of_a_list,
        targets.closure,
        targets.captured_number,
        targets.slots,
        targets.replaced_attribute,
    ],
)
def test_a_look_that_forces_nothing_is_seen(target, monkeypatch):
    """Broken twin: without forcing, the second step moves in some runs."""
    monkeypatch.setattr(forced_calls, "put_back", lambda *_: {})
    monkeypatch.setattr(isolated_calls, "stays", lambda *_: True)  # other coins tell, too
    assert "noisy" in steps_of(target)


@pytest.mark.parametrize("target", [targets.data_returned_with_a_release, targets.total_beside_a_release])
def test_a_look_that_mixes_the_data_of_two_runs_is_seen(target, monkeypatch):
    """Broken twin: private places are forced as well, beside the neighbour's own data."""
    monkeypatch.setattr(isolated_calls, "covers", lambda *_: True)
    assert "noisy" in steps_of(target)


def test_private_state_is_no_output():
    """The total is not told; what is shown is, with numpy's own noise."""
    _, (seen,) = looks(targets.private_state, seeds=[1])
    one, two = seen.steps[0][1]
    for given, value in ((one, 0.0), (two, 1.0)):
        assert played_alone(given, np.random.default_rng(3)) == [value + np.random.default_rng(3).laplace()]


@pytest.mark.chance(1e-6, "the level of the suspicion: one audit of a call within its claim")
@pytest.mark.parametrize("target", [targets.private_state, targets.decorated])
def test_correct_calls_are_played_and_not_suspected(target):
    found = privcheck.steps(target, epsilon=1.0, runs=600, pairs=4, error=1e-6)
    assert found.outcome == "isolated"


def test_a_call_of_a_decorated_function_is_played():
    found = privcheck.steps(targets.decorated, epsilon=0.01, runs=3000, pairs=4)
    assert found.suspicion.place.startswith("total at correct_targets.py")
