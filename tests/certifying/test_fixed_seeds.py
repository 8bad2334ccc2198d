"""Noise from a seed that stands in the code is no noise: recorded runs name the place; other seeds are passed over."""

# ruff: noqa: NPY002  this is the code of others

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import privcheck


def new_generator(data, rng):
    return data.sum() + np.random.default_rng(42).laplace(0.0, 1.0)


def by_keyword(data, rng):
    return data.sum() + np.random.default_rng(seed=[1, 2]).laplace(0.0, 1.0)


def global_generator(data, rng):
    np.random.seed(0)
    return data.sum() + np.random.laplace(0.0, 1.0)


def of_scipy(data, rng):
    return data.sum() + stats.laplace.rvs(scale=1.0, random_state=7)


def older_generator(data, rng):
    own = np.random.RandomState(3)
    return data.sum() + own.exponential() - own.exponential()


def of_python(data, rng):
    own = random.Random(1)
    return data.sum() + own.expovariate(1.0) - own.expovariate(1.0)


def seeded_again(data, rng):
    own = np.random.RandomState()
    own.seed(5)
    return data.sum() + own.laplace(0.0, 1.0)


def numbered(data, rng):
    return [row + np.random.default_rng(place).laplace(0.0, 1.0) for place, row in enumerate(data)]


def from_coins(data, rng):
    return data.sum() + np.random.default_rng(rng.integers(2**32)).laplace(0.0, 1.0)


def from_the_system(data, rng):
    return data.sum() + np.random.default_rng().laplace(0.0, 1.0) + 0.0 * random.Random().random()


def from_older_coins(data, rng):
    return data.sum() + np.random.RandomState(int(rng.integers(2**31))).laplace(0.0, 1.0)


def its_own(data, rng):
    return data.sum() + rng.laplace(0.0, 1.0)


SEEDED = [
    new_generator, by_keyword, global_generator, of_scipy, older_generator, of_python, seeded_again, numbered,
]  # fmt: skip
RANDOM = [from_coins, from_the_system, from_older_coins, its_own]


def said(target) -> list[str]:
    found = privcheck.certify(target, epsilon=1.0, horizon=3, runs=3, primitives=["numpy", "scipy", "random"])
    assert not found.granted
    return [note for note in found.notes if "the same seeds in every run" in note]


@pytest.mark.parametrize("target", SEEDED, ids=lambda target: target.__name__)
def test_seeds_that_stand_in_the_code_are_named(target) -> None:
    (note,) = said(target)
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (place,) = re.findall(r"test_fixed_seeds\.py:(\d+) gives", note)
    assert re.search(r"default_rng\(|seed\(|random_state=|RandomState\(3|Random\(1", lines[int(place) - 1])
    assert 0 < int(place) - target.__code__.co_firstlineno <= 2


@pytest.mark.parametrize("target", RANDOM, ids=lambda target: target.__name__)
def test_other_seeds_are_not(target) -> None:
    assert said(target) == []


class Reader:
    """Contextual: its `select` is played with coins of its own, which privcheck seeds."""

    def __init__(self, rng, arms=2):
        self.rng, self.sum = rng, np.zeros(2)

    def select(self, context):
        return int(context @ self.sum > 0)

    def update(self, context, action, reward):
        self.sum = self.sum + (reward * context + self.rng.normal(0, 4.0, 2))


class SeededReader(Reader):
    """The broken twin: the seed of its noise stands in the code."""

    def update(self, context, action, reward):
        self.sum = self.sum + (reward * context + np.random.default_rng(7).normal(0, 4.0, 2))


@pytest.mark.parametrize(("policy", "notes"), [(Reader, 0), (SeededReader, 1)])
def test_seeds_that_privcheck_gives_are_not_those_of_the_code(policy, notes) -> None:
    contexts = privcheck.Contexts(shape=(2,), norm=1.0)
    found = privcheck.certify(
        policy, rho=2.0, arms=2, feedback="contextual", neighbours="context-reward", contexts=contexts,
        horizon=3, runs=2, primitives=["numpy", "random"],
    )  # fmt: skip
    assert len(said_by := [note for note in found.notes if "the same seeds in every run" in note]) == notes, said_by
    assert all("test_fixed_seeds.py" in note for note in said_by)
