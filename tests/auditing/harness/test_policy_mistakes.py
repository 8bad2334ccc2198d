"""Policies with mistakes that make their runs depend on each other: refused, with the right cause."""

import functools
import itertools
import os
import threading
import time
import uuid

import numpy as np
import pytest

import privcheck
from privcheck.auditing._harness.kept_state import KeptState

from .refusals import OUTSIDE, SHARED, STATE, STREAMS, refused

# Each policy is made anew for a test, so that it keeps nothing from another


class Noisy:
    """Plays both arms, then the arm with the larger noisy sum."""

    def __init__(self, rng):
        self.rng, self.sums, self.round = rng, [0.0, 0.0], 0

    def select(self):
        return self.round if self.round < 2 else int(self.sums[1] > self.sums[0])

    def update(self, action, reward):
        self.round += 1
        self.sums[action] += reward + self.noise()

    def noise(self):
        return self.rng.laplace()


def with_noise(noise):
    return lambda: type("Policy", (Noisy,), {"noise": noise})


SHELF = iter(np.random.default_rng(0).laplace(size=100_000))
IMPORTED = np.random.default_rng(0)
LOCAL = threading.local()


def of_this_thread(self):
    if not hasattr(LOCAL, "rng"):
        LOCAL.rng = np.random.default_rng(0)
    return LOCAL.rng.laplace()


def from_a_thread(self):
    out = []
    worker = threading.Thread(target=lambda: out.append(np.random.default_rng(time.time_ns()).laplace()))
    worker.start()
    worker.join()
    return out[0]


def class_list():
    class Policy(Noisy):
        history = []  # noqa: RUF012

        def update(self, action, reward):
            super().update(action, reward)
            self.history.append(reward + self.noise())

        def select(self):
            return int(sum(self.history[-3:]) > 0.0)

    return Policy


def class_noise():
    class Policy(Noisy):
        table = None

        def __init__(self, rng):
            super().__init__(rng)
            if Policy.table is None:
                Policy.table = rng.laplace(size=10)

        def noise(self):
            return self.table[self.round]

    return Policy


def kept_arrays():
    sums = [0.0, 0.0]

    class Policy(Noisy):
        def __init__(self, rng):
            super().__init__(rng)
            self.sums = sums

    return Policy


def default_array():
    class Policy(Noisy):
        def __init__(self, rng, sums=[0.0, 0.0]):  # noqa: B006
            super().__init__(rng)
            self.sums = sums

    return Policy


def cached_noise():
    @functools.cache
    def noise(seat):
        return current[0].laplace()

    current = []

    class Policy(Noisy):
        def noise(self):
            current[:] = [self.rng]
            return noise(self.round)

    return Policy


def first_generator_kept():
    """Keeps the Generator of the first policy in a class attribute, and draws from it ever after."""

    class Policy(Noisy):
        def __init__(self, rng):
            super().__init__(rng)
            Policy.source = getattr(Policy, "source", rng)

        def noise(self):
            return self.source.laplace()

    return Policy


def numbered():
    counter = itertools.count()

    class Policy(Noisy):
        def __init__(self, rng):
            super().__init__(rng)
            self.number = next(counter)

        def noise(self):
            return (self.number * 0.618) % 1.0 - 0.5 + self.rng.laplace()

    return Policy


class Batch(Noisy):
    """The same, with many runs at once: correct, and the base of broken twins."""

    def run_batch(self, table, rng, runs):
        return self.actions(table, rng.laplace(size=(runs, len(table))))

    def actions(self, table, noise):
        runs, rounds = noise.shape
        actions, sums = np.zeros((runs, rounds), int), np.zeros((runs, 2))
        for t in range(rounds):
            actions[:, t] = t if t < 2 else sums[:, 1] > sums[:, 0]
            sums[np.arange(runs), actions[:, t]] += table[t, actions[:, t]] + noise[:, t]
        return actions


def one_policy_for_all_runs():
    class Policy(Batch):
        def run_batch(self, table, rng, runs):
            self.rng, actions = rng, np.zeros((runs, len(table)), int)
            for run in range(runs):
                for t, row in enumerate(table):
                    actions[run, t] = self.select()
                    self.update(actions[run, t], row[actions[run, t]])
            return actions

    return Policy


def noise_from_the_build():
    class Policy(Batch):
        def __init__(self, rng):
            super().__init__(rng)
            self.drawn = rng.laplace(size=100)

        def run_batch(self, table, rng, runs):
            return self.actions(table, np.tile(self.drawn[: len(table)], (runs, 1)))

    return Policy


def one_row_of_noise():
    class Policy(Batch):
        def run_batch(self, table, rng, runs):
            return self.actions(table, np.tile(rng.laplace(size=len(table)), (runs, 1)))

    return Policy


def one_noise_of_many():
    """The noise of round 1 is shared by the runs of a call, and that of the other rounds is not."""

    class Policy(Batch):
        def run_batch(self, table, rng, runs):
            noise = rng.laplace(size=(runs, len(table)))
            noise[:, 0] = noise[0, 0]
            return self.actions(table, noise)

    return Policy


POLICIES = {
    "the clock": (with_noise(lambda self: np.random.default_rng(time.perf_counter_ns()).laplace()), [OUTSIDE]),
    "os.urandom": (with_noise(lambda self: os.urandom(1)[0] / 128.0 - 1.0), [OUTSIDE]),
    "uuid": (with_noise(lambda self: uuid.uuid4().int % 1000 - 500.0), [OUTSIDE]),
    "a generator without a seed": (with_noise(lambda self: np.random.default_rng().laplace()), [OUTSIDE]),
    "a thread": (with_noise(from_a_thread), [OUTSIDE]),
    "a generator made at import": (with_noise(lambda self: IMPORTED.laplace()), [STATE, "variable IMPORTED"]),
    "a shelf of numbers": (with_noise(lambda self: next(SHELF)), ["state kept between runs"]),
    "a generator of the thread": (with_noise(of_this_thread), [STATE, "variable LOCAL"]),
    "a class attribute that grows": (class_list, [STATE, "the class attribute Policy.history"]),
    "noise in a class attribute": (class_noise, ["other draws from the Generator when the policy is built again"]),
    "arrays of the factory": (kept_arrays, [STATE, "the variable sums of"]),
    "a default argument": (default_array, [STATE, "the default argument sums of"]),
    "a cache of noise": (cached_noise, ["other draws from the Generator", STATE, "the cache of noise"]),
    "the first Generator": (first_generator_kept, [STATE, "the class attribute Policy.source"]),
    "a counter of runs": (numbered, [STATE, "the variable counter of"]),
    "one policy for all runs": (one_policy_for_all_runs, ["runs"]),
    "noise drawn by the build": (noise_from_the_build, ["the same output in all runs of a call", SHARED]),
    "one row of noise": (one_row_of_noise, ["the same output in all runs of a call", SHARED]),
    "one shared noise of many": (one_noise_of_many, ["share their noise", SHARED]),
}


@pytest.mark.parametrize("mistake", POLICIES)
def test_policies(mistake):
    make, causes = POLICIES[mistake]
    refused(make(), causes, arms=2, streams=STREAMS, runs=2000)


@pytest.mark.chance(
    1e-6,
    "a claim of twice the loss, refuted at level 1e-3 by at most 4e-8 for each event, and the check of independence",
)
@pytest.mark.parametrize("policy", [Noisy, Batch])
def test_the_correct_policies_are_not_refused(policy):
    """The twins of all of these; independent runs are refused with probability 1.25e-6, and the seed is fixed."""
    assert privcheck.audit(policy, epsilon=2.0, arms=2, streams=STREAMS, runs=400).verdict == "consistent"


def test_what_other_threads_change_in_the_library_of_python_is_no_state():
    before = KeptState(from_a_thread)
    ended = threading.Event()
    other = threading.Thread(target=ended.wait, args=(60.0,))
    other.start()
    try:
        assert before.changed() == []
    finally:
        ended.set()
        other.join()
