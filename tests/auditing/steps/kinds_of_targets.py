"""Targets that add Laplace noise to a sum, from each kind of generator: with the scale of the claim, or a quarter."""

# ruff: noqa: NPY002  the old generators are what this is about

import os
import random
import secrets
from random import random as uniform

import numpy as np
from numpy.random import RandomState, laplace
from scipy import stats
from sklearn.utils import check_random_state


def seed_of(rng):
    return int(rng.integers(2**31))


def signed(u):
    """Return the standard Laplace number with this quantile."""
    u = min(max(u, 1e-12), 1.0 - 1e-12)
    return float(np.log(2.0 * u) if u < 0.5 else -np.log(2.0 - 2.0 * u))


def noisy(value, scale, source, draw):
    return value + scale * draw(source)


def of_numpy(source):
    return source.laplace()


def of_python(source):
    return signed(source.random())


HELD = {"laplace": np.random.laplace}
STATE, GENERATOR, RANDOM = RandomState(1), np.random.default_rng(1), random.Random(1)

SEEDED = {
    "RandomState": (lambda rng: np.random.RandomState(seed_of(rng)), of_numpy),
    "RandomState under its own name": (lambda rng: RandomState(seed_of(rng)), of_numpy),
    "RandomState without a seed": (lambda _: np.random.RandomState(), of_numpy),
    "RandomState of a module": (lambda _: None, lambda _: STATE.laplace()),
    "check_random_state": (lambda rng: check_random_state(seed_of(rng)), of_numpy),
    "check_random_state of nothing": (lambda _: check_random_state(None), of_numpy),
    "numpy.random": (lambda _: None, lambda _: np.random.laplace()),
    "numpy.random under its own name": (lambda _: None, lambda _: laplace()),
    "numpy.random in a dictionary": (lambda _: None, lambda _: HELD["laplace"]()),
    "scipy": (lambda _: None, lambda _: stats.laplace.rvs()),
    "default_rng": (lambda rng: np.random.default_rng(seed_of(rng)), of_numpy),
    "default_rng without a seed": (lambda _: np.random.default_rng(), of_numpy),
    "Generator": (lambda rng: np.random.Generator(np.random.Philox(seed_of(rng))), of_numpy),
    "Generator of a module": (lambda _: None, lambda _: GENERATOR.laplace()),
    "random": (lambda _: None, lambda _: signed(random.random())),
    "random under its own name": (lambda _: None, lambda _: signed(uniform())),
    "Random": (lambda rng: random.Random(seed_of(rng)), of_python),
    "Random without a seed": (lambda _: random.Random(), of_python),
    "Random of a module": (lambda _: None, lambda _: signed(RANDOM.random())),
}
"""What makes a source of coins that can be replayed, and what draws a standard Laplace number from it."""

OF_THE_SYSTEM = {
    "SystemRandom": (lambda _: secrets.SystemRandom(), of_python),
    "secrets": (lambda _: None, lambda _: signed(secrets.randbits(53) / 2**53)),
    "urandom": (lambda _: None, lambda _: signed(int.from_bytes(os.urandom(6)) / 2**48)),
}
"""The same of coins that cannot."""

ALL = SEEDED | OF_THE_SYSTEM


def target_of(kind, scale):
    """Return the target that draws from a kind of generator."""
    made, draw = ALL[kind]

    def target(data, rng):
        source = made(rng)
        return noisy(float(data.sum()), scale, source, draw)

    return target


def with_a_fixed_seed(value):
    return value + np.random.RandomState(7).laplace()


def fixed(data, rng):
    """Each call has a loss of 1, were it not for its seed, which counts as coins."""
    return with_a_fixed_seed(float(data[0]))
