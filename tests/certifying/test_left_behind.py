"""What a process keeps between policies leaves a certificate open if it is data, or numbers of the guard."""

from __future__ import annotations

import threading
from contextvars import ContextVar
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.certifying._outside.fresh_process import LEAKS
from privcheck.certifying._outside.left_behind import NOT_SEEN, RELEASED, UNRELEASED, LeftBehind, is_kept
from privcheck.certifying._outside.playing_again import LEFT_BY_ANOTHER
from privcheck.private_values import PrivateSource
from privcheck.results import Certificate

HERE = Path(__file__).with_name("left_behind.py")

DATA = {
    "Warm": "Warm.warm",
    "OfClass": "OfClass.seen",
    "OfModule": "the global SEEN",
    "OfDefault": "the defaults of remembered[0]",
    "OfClosure": "kept, which put closes over",
    "OfFunction": "last['reward']",
    "OfCache": "the cache of first",
    "OfPolicy": "OfPolicy.last",
}
NUMBERS = {"WarmNoisy": "WarmNoisy.warm", "NoisyInClass": "NoisyInClass.seen", "NoisyInModule": "the global NOISY"}
RIGHT = ["Noisy", "Counting", "Logging", "Table", "Listed", "Memo", "Holding", "Releasing"]


def certified(name: str, seed: int = 0) -> Certificate:
    options = {"epsilon": 1.0, "arms": 2, "horizon": 8, "runs": 2}
    return privcheck.certify(f"{HERE}:{name}", seed=seed, **options)


@pytest.mark.parametrize("name", DATA)
def test_data_left_behind_are_named_and_not_granted(name) -> None:
    """Before, `Warm` was granted, `OfClass` beside a note that it leaks in a fresh process."""
    found = certified(name)
    assert found.is_inconclusive
    assert not found.complete
    assert found.epsilon_upper == 1.0
    assert not found.has_findings
    assert UNRELEASED.format(DATA[name]) in found.notes


@pytest.mark.parametrize("seed", [0, 5])
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_the_guard_are_named_and_accuse_nobody_whatever_the_seed(name, seed) -> None:
    """Before, some seeds granted it, and others said that the coins and all releases are the same."""
    found = certified(name, seed)
    assert found.is_inconclusive
    assert not found.has_findings
    assert not found.contradictions
    assert RELEASED.format(NUMBERS[name]) in found.notes


@pytest.mark.parametrize("name", RIGHT)
def test_public_things_may_be_left_behind(name) -> None:
    found = certified(name)
    assert found.granted
    assert not found.notes


def test_what_a_float_is_kept_of_is_not_named() -> None:
    assert not any("policy that has ended" in note for note in certified("WarmReleased").notes)


START = ContextVar("start", default=0.0)


@pytest.mark.parametrize("kept", ["reward", "float(noisy)"])
def test_context_variables_are_looked_at_too(kept) -> None:
    class Variable:
        def __init__(self, rng, arms=2, epsilon=1.0):
            self.rng, self.arm = rng, int(START.get() > 0.5)

        def select(self):
            return self.arm

        def update(self, action, reward):
            noisy = reward + self.rng.laplace(0.0, 1.0)
            self.arm = int(noisy > 0.5)
            START.set(reward if kept == "reward" else float(noisy))

    found = privcheck.certify(Variable, epsilon=1.0, arms=2, horizon=8, runs=2)
    assert (UNRELEASED.format("the context variable start") in found.notes) == (kept == "reward")
    assert found.is_inconclusive or kept != "reward"
    assert not found.has_findings


@pytest.mark.parametrize("feedback", ["delayed", "full"])
def test_other_feedback_is_looked_at_too(feedback) -> None:
    class Summed:
        delay, last = 1, None

        def __init__(self, rng, arms=2, epsilon=1.0):
            self.rng, self.arm = rng, 0

        def select(self):
            return self.arm

        def update(self, action, reward):
            type(self).last = reward
            first = reward[0] if feedback == "full" else reward
            self.arm = int(first + self.rng.laplace(0.0, 1.0) > 0.5)

    found = privcheck.certify(Summed, epsilon=1.0, arms=2, horizon=8, runs=2, feedback=feedback)
    assert found.is_inconclusive
    assert UNRELEASED.format("Summed.last") in found.notes


def test_what_no_walk_finds_is_seen_in_a_fresh_process() -> None:
    found = certified("OfGenerator")
    assert found.is_inconclusive
    assert not found.has_findings
    assert found.notes[-1] == NOT_SEEN


def test_a_leak_in_a_fresh_process_is_never_granted(monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("settings").write_text("", encoding="utf-8")
    found = certified("Unhidden")
    assert found.is_inconclusive
    assert found.notes[0].startswith(LEAKS.format("left_behind.py:")[:60])
    assert " leaks, which did not happen in other runs" in found.notes[0]
    assert len(found.notes) == 1


def test_places_are_looked_at_after_each_run_and_only_some_are_named() -> None:
    kept: list[object] = []
    left = LeftBehind(lambda: kept)
    left.look()
    assert not left.told()
    source = PrivateSource()
    kept.append(source.scalar(0.7, low=0.0, high=1.0, datum=3))
    left.look()
    kept.clear()
    assert left.told() == [UNRELEASED.format("kept, which <lambda> closes over")]
    left.found = {f"Policy.place{number}": True for number in range(5)}
    assert RELEASED.format("Policy.place0, Policy.place1, Policy.place2 and 2 more") in left.told()


def test_arrays_that_no_data_have_entered_are_no_values_of_a_run() -> None:
    kept = [privcheck.zeros(3), np.zeros(3)]
    assert not LeftBehind(lambda: kept).told()


def test_a_policy_that_holds_itself_is_gone() -> None:
    source = PrivateSource()
    held: list[object] = [source.scalar(0.7, low=0.0, high=1.0, datum=3)]
    held.append(held)
    assert is_kept(source)
    del held
    assert not is_kept(source)


class InTheThread:
    """Keeps its last reward in an object of Python, and begins as that says."""

    def __init__(self, rng, arms=2):
        self.rng, self.sums = rng, [0.0] * arms
        self.start = getattr(threading.current_thread(), "kept", 0.0)

    def select(self):
        return 1 if self.start > 0.5 else int(self.sums[1] > self.sums[0])

    def update(self, action, reward):
        threading.current_thread().kept = reward
        self.sums[action] += reward + self.rng.laplace(0.0, 1.0)


def test_what_is_kept_where_no_walk_looks_is_a_leak_of_the_policy_that_reads_it() -> None:
    """Before, the certificate ended in the error of the leak, with the status of bad input."""
    try:
        found = privcheck.certify(InTheThread, epsilon=1.0, arms=2, horizon=8)
    finally:
        vars(threading.current_thread()).pop("kept", None)
    assert found.leaks[0].code == "return 1 if self.start > 0.5 else int(self.sums[1] > self.sums[0])"
    assert not found.granted
    assert any(note.startswith(LEFT_BY_ANOTHER.partition(":")[0]) for note in found.notes)


class BeginsInTheThread(InTheThread):
    """Reads it in its constructor already."""

    def __init__(self, rng, arms=2):
        super().__init__(rng, arms)
        self.label = f"begins with {self.start}"


def test_a_constructor_that_reads_it_is_a_leak_too() -> None:
    """Before, the certificate ended in "target: got LeakError", with the status of bad input."""
    try:
        found = privcheck.certify(BeginsInTheThread, epsilon=1.0, arms=2, horizon=8)
    finally:
        vars(threading.current_thread()).pop("kept", None)
    assert [leak.code for leak in found.leaks] == ['self.label = f"begins with {self.start}"']
    assert not found.granted


@pytest.mark.parametrize("kept", ["reward", "float(noisy)"])
def test_what_numpy_calls_at_errors_is_looked_at_too(kept) -> None:
    """Before, this was granted: each run has context variables of its own, where numpy keeps it."""

    class Handler:
        def __init__(self, rng, arms=2, epsilon=1.0):
            self.rng, self.arm = rng, int(getattr(np.geterrcall(), "last", 0.0) > 0.5)

        def select(self):
            return self.arm

        def update(self, action, reward):
            noisy = reward + self.rng.laplace(0.0, 1.0)
            self.arm = int(noisy > 0.5)

            def handler(*_):
                return None

            handler.last = reward if kept == "reward" else float(noisy)
            np.seterrcall(handler)

    found = privcheck.certify(Handler, epsilon=1.0, arms=2, horizon=8, runs=2)
    place = UNRELEASED.format("the function that numpy calls at errors")
    assert (place in found.notes) == (kept == "reward")
    assert found.is_inconclusive or kept != "reward"
