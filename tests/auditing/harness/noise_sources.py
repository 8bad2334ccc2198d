"""Correct ways of drawing noise: functions of a Generator that return a function which draws one number."""

import copy
import random

import numpy as np


def direct(rng):
    return rng.laplace


def spawned(rng):
    return rng.spawn(1)[0].laplace


def reseeded(rng):
    return np.random.default_rng(rng.integers(1 << 60, size=4)).laplace


def another_algorithm(rng):
    return np.random.Generator(np.random.Philox(int(rng.integers(1 << 60)))).laplace


def legacy(rng):
    return np.random.RandomState(int(rng.integers(1 << 31))).laplace


def legacy_on_the_same_bits(rng):
    return np.random.RandomState(rng.bit_generator).laplace


def of_python(rng):
    source = random.Random(int(rng.integers(1 << 60)))
    return lambda: source.expovariate(1.0) - source.expovariate(1.0)


def raw_bits(rng):
    def draw():
        uniform = ((rng.bit_generator.random_raw() >> 11) + 0.5) * 2.0**-53 - 0.5
        return -np.sign(uniform) * np.log1p(-2.0 * abs(uniform))

    return draw


def seeds_of_the_sequence(rng):
    return np.random.Generator(np.random.PCG64(rng.bit_generator.seed_seq.spawn(1)[0])).laplace


def jumped(rng):
    return np.random.Generator(rng.bit_generator.jumped()).laplace


def copied(rng):
    return copy.deepcopy(rng).laplace


def table(rng):
    drawn = iter(rng.laplace(size=200))
    return lambda: float(next(drawn))


def bytewise(rng):
    return lambda: sum(rng.bytes(48)) / 256.0 - 24.0


def lazy(rng):
    held = []

    def draw():
        if not held:
            held.extend(rng.laplace(size=4))
        return held.pop()

    return draw


SOURCES = [
    direct,
    spawned,
    reseeded,
    another_algorithm,
    legacy,
    legacy_on_the_same_bits,
    of_python,
    raw_bits,
    seeds_of_the_sequence,
    jumped,
    copied,
    table,
    bytewise,
    lazy,
]
