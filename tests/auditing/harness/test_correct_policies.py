"""A hundred correct policies, in as many ways of writing them: none is refused.

Independent runs are refused where they are suspected, and then with probability 1.25e-7: see
docs/evidence/false-failures.md.
"""

import functools
import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import privcheck
from privcheck import Contexts
from privcheck.auditing._harness.checked_runs import check_runs
from privcheck.mechanisms import Laplace
from privcheck.targets import MechanismRunner, PolicyRunner, StreamPair

from .noise_sources import SOURCES, copied, jumped

KEYWORDS = {"arms": 2, "epsilon": 1.0, "delta": 0.0, "horizon": 4}

# Policies of every kind of feedback, with noise from any source


@functools.cache
def weights(rounds):
    """Constants may be cached: they are the same in every run."""
    return 1.0 / (1.0 + np.arange(rounds))


class Noisy:
    horizon = 4
    built = itertools.count()

    def __init__(self, rng, source):
        self.rng, self.noise, self.round, self.sums = rng, source(rng), 0, [0.0, 0.0]
        self.released = []
        self.number = next(self.built)  # a log that decides nothing
        self.began = repr(rng)

    def choice(self):
        return self.round if self.round < 2 else int(self.sums[1] > self.sums[0])

    def select(self, *context):
        return self.choice()

    def add(self, arm, reward):
        self.sums[arm] += weights(10)[self.round] * reward + self.noise()
        self.released.append(self.sums[arm])
        self.round += 1

    def update(self, *told):
        *_, action, reward = told
        self.add(action, reward)


class Whole(Noisy):
    def update(self, action, rewards):
        self.add(action, float(np.sum(rewards)))


class Several(Noisy):
    def select(self):
        return (self.choice(),)

    def update(self, arms, outcomes):
        self.add(arms[0], outcomes[0])


class Identifies(Noisy):
    @property
    def stopped(self):
        return self.round > 2 and self.sums[0] > 0.5

    def recommend(self):
        return self.choice()


class Odd:
    """An object that cannot be looked at."""

    def __repr__(self):
        raise RuntimeError("no")

    def __eq__(self, other):
        raise RuntimeError("no")

    __hash__ = None


class LogsTheState(Noisy):
    """Writes the state of its Generator down, for whoever wants to repeat the run."""

    odd = Odd()

    def __init__(self, rng, source):
        super().__init__(rng, source)
        self.began = rng.bit_generator.state


KINDS = [
    ("bandit", Noisy, "actions"),
    ("bandit", Noisy, "releases"),
    ("bandit", LogsTheState, "actions"),
    ("full", Whole, "actions"),
    ("contextual", Noisy, "actions"),
    ("semi-bandit", Several, "releases"),
    ("identification", Identifies, "actions"),
]


# Ways of writing a factory


def as_class(policy, source):
    class Mine(policy):
        def __init__(self, rng):
            super().__init__(rng, source)

    return Mine


def as_closure(policy, source):
    def build(rng, horizon=None):
        return policy(rng, source)

    return build


def as_partial(policy, source):
    return functools.partial(policy, source=source)


def as_dataclass(policy, source):
    @dataclass
    class Mine:
        rng: Any
        arms: int = 2
        log: list = field(default_factory=list)

        def __post_init__(self):
            self.inner = policy(self.rng, source)

        def __getattr__(self, name):
            if name == "inner":
                raise AttributeError(name)
            return getattr(self.inner, name)

        def select(self, *context):
            return self.inner.select(*context)

        def update(self, *told):
            self.log.append(told)
            self.inner.update(*told)

    return Mine


def as_object(policy, source):
    class Factory:
        def __init__(self):
            self.built = 0

        def __call__(self, rng, *, arms=2, epsilon=None):
            self.built += 1
            return policy(rng, source)

    return Factory()


def as_lambda(policy, source):
    return lambda rng: policy(rng, source)


def as_method(policy, source):
    class Shop:
        @classmethod
        def build(cls, rng, arms):
            return policy(rng, source)

    return Shop.build


def as_child(policy, source):
    """Hands a child of the Generator on, and keeps the Generator for itself."""
    return lambda rng: policy(rng.spawn(1)[0], source)


FACTORIES = [as_class, as_closure, as_partial, as_dataclass, as_object, as_lambda, as_method, as_child]

POLICIES = [
    pytest.param(factory, source, *kind, id=f"{factory.__name__}-{source.__name__}-{kind[0]}-{kind[2]}")
    for number, (factory, source) in enumerate(itertools.product(FACTORIES, SOURCES))
    for kind in [KINDS[number % len(KINDS)]]
]


@pytest.mark.parametrize(("factory", "source", "feedback", "policy", "observe"), POLICIES)
def test_policies(factory, source, feedback, policy, observe):
    contexts = Contexts(2) if feedback == "contextual" else None
    columns = contexts.columns(2) if contexts else 2
    low, high = np.zeros((4, columns)), np.zeros((4, columns))
    high[0, 0] = 1.0
    runner = PolicyRunner(factory(policy, source), KEYWORDS, feedback, None, observe, contexts)
    check_runs(runner, [StreamPair(low, high)], 3, 2000)


# What reads its Generator's state is not only let pass, but judged by independent runs


class Jumps(Noisy):
    """Laplace noise of loss 1 for each reward, from a jumped Generator; only round 1 differs."""

    def __init__(self, rng):
        super().__init__(rng, jumped)


class Releases:
    def __init__(self, rng):
        self.rng, self.released = rng, []

    def select(self):
        return 0

    def update(self, action, reward):
        self.released.append(Laplace.with_scale(1.0).release(reward, self.rng))


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
@pytest.mark.parametrize(("policy", "observe"), [(Jumps, "actions"), (Jumps, "releases"), (Releases, "releases")])
def test_a_jumped_generator_is_audited_like_any_other(policy, observe):
    """The loss is at most 1."""
    streams = (np.zeros((4, 2)), np.array([[1.0, 0.0], *[[0.0, 0.0]] * 3]))
    report = privcheck.audit(policy, epsilon=1.0, arms=2, streams=streams, observe=observe, runs=1000, error=1e-6)
    assert report.verdict == "consistent"


def test_runs_of_one_chunk_do_not_share_a_jumped_generator():
    """The broken twin of that is a runner that hands the same Generator on: all its runs would be the same."""
    runner = PolicyRunner(Jumps, {"arms": 2}, "bandit")
    runs = runner.play(np.zeros((4, 2)), 100, np.random.SeedSequence(0)).symbols
    assert 0.3 < runs[:, 2].mean() < 0.7
    alone = MechanismRunner(lambda data, rng: copied(rng)())
    assert len(np.unique(alone.play(np.zeros(1), 100, np.random.SeedSequence(0)).numbers)) == 100
