"""A forest of trees, with many draws a fit: its noisy step is found, and played by what it costs itself."""

from __future__ import annotations

import gc
import importlib.util
import time
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.auditing._steps import time_of_a_look
from privcheck.auditing._steps.time_of_a_look import LookTime

pytestmark = pytest.mark.long

_spec = importlib.util.spec_from_file_location("forest_targets", Path(__file__).parent / "forest_targets.py")
targets = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(targets)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(targets, "waste", lambda _: None)


def looked(name, pair, **options):
    given = {"epsilon": targets.CLAIM, "streams": getattr(targets, pair)(), "runs": 2000}
    return privcheck.steps(getattr(targets, name), **given | options)


@pytest.mark.chance(3e-7, "the level of the suspicion: three audits of calls within the claim")
@pytest.mark.parametrize(
    ("name", "pair"), [("forest", "one_label"), ("forest", "another_split"), ("counted_forest", "one_label")]
)
def test_a_correct_forest_is_not_suspected(name, pair):
    found = looked(name, pair, error=1e-7)
    assert found.steps[0].function == "noisy_counts"
    assert found.suspicion is None
    assert found.best.epsilon_lower > 0.3


@pytest.mark.parametrize(("name", "pair"), [("halved_forest", "one_label"), ("raw_forest", "another_split")])
def test_the_step_of_a_faulty_forest_is_suspected(name, pair):
    """Half the noise shows a loss of 2; another split moves the counts of a leaf by 9, a loss of 4.5."""
    found = looked(name, pair)
    assert found.steps[0].function == found.best.function == "noisy_counts"
    assert found.outcome == "suspicion"
    assert found.suspicion.epsilon > 1.2


def coin(rng):
    return rng.random()


def noisy(value, rng):
    return value + rng.laplace(0.0, 0.25)


def trained(value, rng):
    """Draws without the data, trains, and adds noise."""
    until = time.process_time() + 0.02
    while time.process_time() < until:
        sum(range(200))
    return noisy(value, rng) + 0.0 * coin(rng)


def fit(data, rng):
    return trained(float(data[0]), rng)


def test_a_function_that_trains_does_not_keep_the_one_that_adds_noise_from_being_played():
    """1,600 calls of the two take 16 s on average, more than is left, and 32 s of one of them."""
    found = privcheck.steps(fit, epsilon=1.0, streams=(np.array([0.0]), np.array([1.0])), time_budget=8.0)
    assert {step.function for step in found.steps} == {"noisy", "trained"}
    assert found.best.function == "noisy"
    assert found.suspicion.epsilon > 2.0


def test_what_other_programs_take_counts_for_the_end_alone(monkeypatch):
    """Of 10 s of the processor and 15 of the clock: after 4 s in which it had a quarter, 11 s are left, a quarter of
    them its own."""
    started, now = time.monotonic(), [0.0]
    monkeypatch.setattr(time_of_a_look.time, "monotonic", lambda: started + now[0])
    until = LookTime(10.0, started + 15.0)
    monkeypatch.setattr(until._watch, "seconds", lambda _: 0.25 * now[0])
    assert until.left(1) == pytest.approx(10.0)
    now[0] = 4.0
    assert until.left(1) == pytest.approx(2.75)
    assert until.part(0.5, 1).seconds == pytest.approx(1.375)
    assert until.part(0.5, 1).ends == pytest.approx(started + 9.5)
    monkeypatch.setattr(until._watch, "seconds", lambda _: now[0])
    assert until.left(1) == pytest.approx(6.0)
    assert not until.is_over
    now[0] = 16.0
    assert until.is_over
    assert LookTime().left(1) == np.inf


class Raising:
    def noisy(self, value, rng):
        if value > 1.5:
            raise ValueError("too large")
        return noisy(value, rng)


def raising(data, rng):
    return Raising().noisy(float(data.sum()), rng)


def test_what_an_exception_keeps_alive_does_not_hide_a_function_from_the_next_look():
    """The copy of a function that is called in its place is in the frames of the exception, until it is collected."""
    gc.disable()
    try:
        first, second = (privcheck.steps(raising, epsilon=1.0, runs=500, pairs=6) for _ in range(2))
    finally:
        gc.enable()
    assert [step.standing for step in second.steps] == [step.standing for step in first.steps]
    assert "isolated" in {step.standing for step in second.steps}
