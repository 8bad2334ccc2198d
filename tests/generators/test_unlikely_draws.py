"""Unlikely draws: each has a positive probability, by scipy's laws, and all that is not exchanged is numpy's own."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats as st

from privcheck.generators import HandledGenerator, UnlikelyDraws
from privcheck.private_values import PrivateSource

NAMED = [0.25, 7.0, 40.0, 1e9]


def generator(seed):
    chances = np.random.default_rng([seed, 1])
    return HandledGenerator(UnlikelyDraws(np.random.PCG64(seed), PrivateSource(), chances=chances, named=NAMED))


LAWS = {
    "integers": (lambda rng: rng.integers(3, 50, 400), st.randint(3, 50).pmf),
    "integers with their end": (lambda rng: rng.integers(0, 7, 400, endpoint=True), st.randint(0, 8).pmf),
    "integers of several ranges": (lambda rng: rng.integers(0, [2, 2], (200, 2)).ravel(), st.randint(0, 2).pmf),
    "choice": (lambda rng: rng.choice(4, 400, p=[0.5, 0.0, 0.499999, 1e-6]), lambda x: (x != 1) * 1.0),
    "choice of one": (lambda rng: [rng.choice([5, 6]) for _ in range(50)], lambda x: (np.isin(x, [5, 6])) * 1.0),
    "binomial": (lambda rng: rng.binomial(5, 1e-6, 400), st.binom(5, 1e-6).pmf),
    "certain": (lambda rng: rng.binomial(5, 1.0, 400), st.binom(5, 1.0).pmf),
    "impossible": (lambda rng: rng.binomial(5, [0.0] * 400), st.binom(5, 0.0).pmf),
    "poisson": (lambda rng: rng.poisson(0.001, 400), st.poisson(0.001).pmf),
    "none": (lambda rng: rng.poisson(0.0, 400), st.poisson(0.0).pmf),
    "geometric": (lambda rng: [int(rng.geometric(0.3)) for _ in range(99)], st.geom(0.3).pmf),
    "no steps": (lambda rng: rng.geometric([1.0] * 99), lambda x: (x == 1) * 1.0),
    "nothing": (lambda rng: rng.gamma(0.0, size=99), lambda x: (x == 0) * 1.0),
    "one short float": (
        lambda rng: [rng.random(dtype=np.float32) for _ in range(99)],
        lambda x: (x <= 1.0 - 2.0**-24) * 1.0,
    ),
    "large integers": (
        lambda rng: [rng.integers(2**64, dtype=np.uint64) for _ in range(99)],
        lambda x: (x >= 0) * 1.0,
    ),
    "ends that are no integers": (lambda rng: [rng.integers(-3, 0.5) for _ in range(99)], st.randint(-3, 0).pmf),
    "far out": (lambda rng: [float(rng.gumbel()) for _ in range(99)], lambda x: (x < 36.7) * 1.0),
    "far out on both sides": (lambda rng: [float(rng.laplace()) for _ in range(99)], lambda x: (abs(x) < 36.0) * 1.0),
    "beta": (lambda rng: rng.beta(2.0, 3.0, 400), st.beta(2.0, 3.0).pdf),
    "gamma": (lambda rng: rng.gamma(2.0, 0.5, 400), st.gamma(2.0, scale=0.5).pdf),
    "standard gamma": (lambda rng: rng.standard_gamma(2.0, 400), st.gamma(2.0).pdf),
    "uniform": (lambda rng: rng.uniform(2.0, 3.0, 5000), st.uniform(2.0, 1.0).pdf),
    "random": (lambda rng: rng.random(5000), st.uniform().pdf),
    "short floats": (lambda rng: rng.random(99, dtype=np.float32), lambda x: ((x >= 0) & (x < 1)) * 1.0),
    "coins of noise": (lambda rng: [float(rng.laplace(1.0, 2.0)) for _ in range(99)], st.laplace(1.0, 2.0).pdf),
    "normal coins": (lambda rng: [float(rng.normal(1.0, 2.0)) for _ in range(99)], st.norm(1.0, 2.0).pdf),
    "exponential coins": (lambda rng: [float(rng.exponential(2.0)) for _ in range(99)], st.expon(0.0, 2.0).pdf),
    "Gumbel coins": (lambda rng: [float(rng.gumbel(0.0, 2.0)) for _ in range(99)], st.gumbel_r(0.0, 2.0).pdf),
    "uniform coins": (lambda rng: [float(rng.random()) for _ in range(99)], st.uniform().pdf),
}


@pytest.mark.parametrize("name", LAWS)
def test_every_draw_is_possible(name):
    draw, density = LAWS[name]
    drawn = np.concatenate([np.asarray(draw(generator(seed)), float) for seed in range(3)])
    assert (density(drawn) > 0.0).all()


RARE = {
    "integers": (lambda rng: rng.integers(10**6, size=50), {0, 7, 999_999}),
    "binomial": (lambda rng: rng.binomial(1, 1e-9, 50), {0, 1}),
    "choice": (lambda rng: rng.choice([1, 2, 3], 50, p=[1e-9, 1.0 - 2e-9, 1e-9]), {1, 2, 3}),
}


@pytest.mark.parametrize("name", RARE)
def test_rare_outcomes_come_up(name):
    draw, rare = RARE[name]
    assert {number for seed in range(4) for number in draw(generator(seed)).tolist()} >= rare


def test_rare_coins_come_up():
    rng = generator(0)
    u = np.array([float(rng.random()) for _ in range(200)])
    assert (u < 1e-9).any()
    assert (u > 1.0 - 1e-9).any()
    assert ((u > 0.25) & (u < 0.25 + 1e-9)).any()
    assert ((u < 0.25) & (u > 0.25 - 1e-9)).any()
    assert all(number * 2.0**53 % 1.0 == 0.0 for number in u)  # numpy draws no others


def test_objects_are_chosen_as_they_are():
    held = [object(), object()]
    assert all(generator(seed).choice(held) in held for seed in range(9))


def test_public_noise_is_exchanged_too():
    rng = generator(0)
    assert rng.bit_generator is not None  # all draws are public from here on
    assert max(abs(rng.normal()) for _ in range(30)) > 7.0


def test_loops_that_wait_for_likely_draws_end():
    rng = generator(0)
    while len({int(rng.integers(2**32)) for _ in range(32)}) < 32:
        pass
    while len(set(rng.integers(10**6, size=60).tolist())) < 60:
        pass
    while np.abs(np.asarray([float(number) for number in rng.standard_normal(40)])).max() > 4.0:
        pass


def test_orders_and_draws_without_replacement_are_numpys():
    ours, numpys = generator(3), np.random.default_rng(3)
    for draw in (lambda rng: rng.permutation(9), lambda rng: rng.choice(9, 4, replace=False)):
        assert draw(ours).tolist() == draw(numpys).tolist()


def test_private_noise_is_left_alone():
    noise = generator(0).laplace(0.0, 1.0)
    assert not noise.is_public


def test_types_are_numpys():
    ours, numpys = generator(1), np.random.default_rng(1)
    draws = (
        lambda rng: rng.integers(3), lambda rng: rng.integers(3, dtype=np.int8), lambda rng: rng.choice(["a", "b"]),
        lambda rng: rng.choice(3), lambda rng: rng.poisson(1.0), lambda rng: rng.beta(1.0, 1.0),
        lambda rng: rng.integers(3, size=2, dtype=np.int16), lambda rng: rng.integers(0, 9, None, np.int64),
        lambda rng: rng.choice(a=2), lambda rng: rng.choice(3, 2, True, None, 0), lambda rng: rng.choice([None, "a"]),
        lambda rng: rng.random(5000, np.float64), lambda rng: rng.standard_gamma(2.0, 3, np.float64),
        lambda rng: rng.integers(True), lambda rng: rng.integers(2, dtype=bool), lambda rng: rng.choice(10**9),
        lambda rng: rng.standard_exponential(method="inv", size=()), lambda rng: rng.logistic(size=2),
        lambda rng: rng.choice([], 0),
    )  # fmt: skip
    for draw in draws:
        for _ in range(9):
            one, two = draw(ours), draw(numpys)
            assert type(one) is type(two)
            assert getattr(one, "dtype", None) == getattr(two, "dtype", None)
