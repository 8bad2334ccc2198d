"""What a report of steps says: of draws that were not recorded, of levels, of runs and of the time that is left."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import privcheck
from privcheck.auditing._steps import drawing_functions, played_alone
from privcheck.auditing._steps.find_steps import suspected
from privcheck.auditing._steps.reported_steps import PROVIDED, UNRECORDED, _of_outcome
from privcheck.auditing._steps.search_steps import search_steps
from privcheck.auditing._steps.time_of_a_look import LookTime
from privcheck.auditing._verdict import almost
from privcheck.results import STILL
from privcheck.targets import Claim, MechanismRunner, StreamPair


def noisy(value, rng):
    return value + rng.laplace()


def other_noisy(value, rng):
    return value + rng.laplace()


def plain(data, rng):
    return noisy(float(data[0]), rng)


def made_anew(data, rng):
    def add(value):
        return value + rng.laplace()

    return add(float(data.sum()))


def branches(data, rng):
    return noisy(1.0, rng) if data[0] > 0.5 else other_noisy(1.0, rng)


def inline(data, rng):
    return float(data.sum()) + rng.laplace()


def slowly(value, rng):
    until = time.process_time() + 0.01
    while time.process_time() < until:
        pass
    return value + rng.laplace()


def slow(data, rng):
    return slowly(float(data[0]), rng)


NOTHING_MOVES = "no argument of a function that draws moves"


def test_draws_of_functions_made_anew_are_not_said_to_be_still():
    found = privcheck.steps(made_anew, epsilon=1.0, runs=400, pairs=4)
    assert [(step.function, step.standing) for step in found.steps] == [("made_anew.<locals>.add", UNRECORDED)]
    assert not any(NOTHING_MOVES in note for note in found.notes)
    assert any("made_anew.<locals>.add" in note and "not recorded" in note for note in found.notes)


def test_data_that_choose_the_function_are_not_said_to_move_nothing():
    found = privcheck.steps(branches, epsilon=1.0, runs=400, pairs=12)
    assert any("calls other functions" in note for note in found.notes)
    assert not any(NOTHING_MOVES in note for note in found.notes)


def test_a_draw_of_the_target_itself_is_still():
    found = privcheck.steps(inline, epsilon=1.0, runs=400, pairs=4)
    assert [step.standing for step in found.steps] == [STILL]
    assert any(NOTHING_MOVES in note for note in found.notes)


def test_a_suspicion_needs_a_bound_above_the_claim():
    """With a strict level of the verdict and a stricter one of the bound, the bound alone may be below the claim."""
    step = SimpleNamespace(function=0, moves=("value",), pair=SimpleNamespace(words="a pair"))
    found, claim = SimpleNamespace(functions=(noisy,)), Claim(epsilon=1.0, confidence=0.99)
    for lower, is_suspected in ((0.9, False), (1.0, False), (1.1, True)):
        outcome = SimpleNamespace(verdict="violation", epsilon_lower=lower, suspicion=None)
        said = suspected(found, SimpleNamespace(step=step, outcome=outcome), claim)
        assert (said is not None) == is_suspected
    assert "at least 1.100, at 99% confidence, between" in said.sentence
    assert suspected(found, SimpleNamespace(step=step, outcome=outcome), replace(claim, epsilon=None)) is None


def test_one_deadline_covers_the_look_and_the_calls():
    """400 calls, to choose and to count on two inputs, take 16 s: nothing is played alone in 2 s."""
    began = time.process_time()
    pair = np.array([0.0]), np.array([1.0])
    found = privcheck.steps(slow, epsilon=1.0, time_budget=2.0, streams=pair)
    assert time.process_time() - began < 4.0
    assert found.best is None
    assert any("longer than is left of the time budget" in note for note in found.notes)
    assert found.steps[0].function == "slowly"


def test_no_time_left_plays_nothing(monkeypatch):
    monkeypatch.setattr(played_alone, "seconds_per_run", None)
    runner, pair = MechanismRunner(plain), StreamPair(np.array([0.0]), np.array([1.0]), "")
    found = search_steps(runner, [pair], 0, LookTime(), lambda _: None)
    assert played_alone.best_alone(found, Claim(epsilon=1.0), 0, LookTime(-1.0), lambda _: None)[0] is None


def test_runs_are_counted_that_were_played(monkeypatch):
    """Two that show who draws, and on each pair one to record, one to force, and one more if an argument moves."""
    played = []

    def counted(data, rng):
        played.append(1)
        return plain(data, rng)

    pairs = [StreamPair(np.array([0.0]), np.array([there]), "") for there in (1.0, 0.0)]
    found = search_steps(MechanismRunner(counted), pairs, 0, LookTime(), lambda _: None)
    assert found.runs == len(played) == 4 + 3 + 2


def test_code_beside_the_package_is_not_ours():
    code = compile("1", drawing_functions.OURS.rstrip("/\\") + "_targets/mine.py", "eval")
    assert not drawing_functions.is_ours(code)
    assert drawing_functions.is_ours(compile("1", drawing_functions.__file__, "eval"))


@pytest.mark.parametrize("words", ["may take back what the call tells", "where it varies with the coins"])
def test_what_a_suspicion_rests_on_is_said(words):
    assert any(words in line for line in PROVIDED)


def test_a_call_alone_is_no_evidence_of_a_violation():
    """A correct target may make a call with less noise than the claim needs, as its other noise hides it."""
    claim = Claim(epsilon=1.0)
    outcome = SimpleNamespace(notes=(*almost(1.1, claim, 1.0), "another note"), suspicion=None)
    of_call, other = _of_outcome(outcome)
    assert of_call.startswith("evidence that the call alone loses more than the claim allows at 95 %, not yet at 0.001")
    assert other == "another note"
