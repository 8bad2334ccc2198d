"""Correct targets get no suspicion by noise that is not seen, nor by what a call keeps beside what it releases."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.auditing._steps import find_steps, isolated_calls
from privcheck.auditing._steps.drawing_functions import drawing
from privcheck.auditing._steps.find_steps import UNTRIED
from privcheck.auditing._steps.forced_calls import hooked
from privcheck.auditing._steps.isolated_calls import look
from privcheck.auditing._steps.other_coins import runs_for
from privcheck.targets import Claim, Game, StreamPair, load

FILE = Path(__file__).parent / "unforced_targets.py"
_spec = importlib.util.spec_from_file_location("unforced_targets", FILE)
targets = importlib.util.module_from_spec(_spec)
sys.modules["unforced_targets"] = targets
_spec.loader.exec_module(targets)

QUICK = {"epsilon": 1.0, "runs": 1500, "pairs": 10, "error": 1e-6}
PAIR = StreamPair(np.array([0.0, 1.0]), np.array([1.0, 1.0]), "")


def steps_of(target, seeds=range(20)):
    runner = load(target).target(Claim(), Game(), 2, 0).runner
    found = drawing(runner, [PAIR.first, PAIR.second], 0)
    with hooked(found.functions):
        seen = [look(runner, found.functions, PAIR, np.random.SeedSequence(seed)) for seed in seeds]
    return {found.functions[one.recording.calls[m.place].function].__name__ for one in seen for m, _ in one.steps}


@pytest.mark.parametrize("target", targets.OF_OTHER_COINS, ids=lambda target: target.__name__)
def test_noise_that_is_not_seen_moves_no_step(target):
    """Each is exactly 1-DP. The step after the release would have a loss of 4 and more."""
    assert privcheck.steps(target, **QUICK).suspicion is None


@pytest.mark.chance(1e-6, "the level of the suspicion: one audit of a call within its claim")
@pytest.mark.parametrize("target", targets.PRIVATE_BESIDE, ids=lambda target: target.__name__)
def test_what_is_kept_beside_a_release_is_no_output(target):
    found = privcheck.steps(target, **QUICK)
    assert found.outcome == "isolated"


def test_the_call_whose_output_is_shown_is_played():
    """With a claim of .01 each of these calls is one whose release speaks against it."""
    for target in (targets.returns_a_loss, targets.tree):
        found = privcheck.steps(target, **QUICK | {"epsilon": 0.01, "pairs": 3, "error": 1e-3})
        assert found.suspicion is not None, target.__name__


def test_of_several_things_of_which_none_is_shown_none_is_played():
    found = privcheck.steps(targets.tree_of_which_a_bit_is_shown, **QUICK)
    assert found.outcome == "nothing to isolate"
    assert any("not known what" in note for note in found.notes)


def test_a_symbol_that_is_returned_is_the_output():
    found = privcheck.steps(targets.sparse, **QUICK | {"runs": 2000})
    assert found.suspicion.place.startswith("Above.ask")


@pytest.mark.parametrize(
    ("target", "later"),
    [(targets.lazily, "noisy"), (targets.drawn_on_the_neighbour, "jumps")],
    ids=["target", "call"],
)
def test_draws_of_the_neighbour_alone_end_the_steps(target, later, monkeypatch):
    assert later not in steps_of(target)
    monkeypatch.setattr(isolated_calls, "stays", lambda *_: True)
    assert later not in steps_of(target), "also where other coins do not tell"


def test_a_look_without_other_coins_is_seen(monkeypatch):
    """Broken twin: a step that moves with coins of another generator is suspected."""
    monkeypatch.setattr(isolated_calls, "stays", lambda *_: True)
    monkeypatch.setattr(find_steps, "moves_with_other_coins", lambda *_: False)
    found = privcheck.steps(targets.raw_bits, **QUICK)
    assert found.suspicion.epsilon > 4.0


def test_one_run_with_other_coins_is_not_enough(monkeypatch):
    """The argument stays by chance in half of the runs; the runs on the pair that is suspected tell."""
    monkeypatch.setattr(isolated_calls, "stays", lambda *_: True)
    found = privcheck.steps(targets.raw_bits, **QUICK)
    assert found.suspicion is None
    assert {step.function: step.standing for step in found.steps}["noisy"] == "after draws that could not be forced"


def test_a_step_that_could_not_be_tried_is_not_suspected(monkeypatch):
    monkeypatch.setattr(find_steps, "moves_with_other_coins", lambda *_: None)
    found = privcheck.steps(targets.sparse, **QUICK | {"runs": 2000})
    assert found.suspicion is None
    assert any(UNTRIED in note for note in found.notes)


def test_the_number_of_runs_leaves_less_than_the_error():
    """The largest chance that both arguments stay, by a grid over all pairs of events within the claim."""
    for epsilon in (0.1, 1.0, 2.5):
        p = np.linspace(0.0, 1.0, 2001)
        most = np.minimum(1.0, np.minimum(math.exp(epsilon) * (1.0 - p), 1.0 - p * math.exp(-epsilon)))
        assert (p * most).max() ** runs_for(Claim(epsilon=epsilon, error=1e-3)) <= 1e-3


def test_a_call_that_waits_for_ever_alone_is_ended(monkeypatch):
    monkeypatch.setattr(isolated_calls, "CALL_LIMIT", 0.2)
    assert privcheck.steps(targets.waits_alone, **QUICK | {"pairs": 2}).best is None
