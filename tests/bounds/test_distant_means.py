"""Characteristic times of distant means at extreme budgets: certified from both sides, and against a linear program."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.special import ndtr

from privcheck.bounds import characteristic_time
from privcheck.bounds.jourdan_azize_2025.optimality_certificate import shortfall
from privcheck.bounds.jourdan_azize_2025.transport import transport

PLACES = np.logspace(-5, math.log10(0.5), 150)
PLACES = np.concatenate(([0.0], PLACES, 1 - PLACES[-2::-1], [1.0]))


def divergence(shift, epsilon):
    """Mean of the clipped log-ratio of N(0, 1) and N(s, 1) under N(0, 1), once its ends make the better law a law."""
    shift = np.maximum(shift, 1e-9)
    low, high = np.full(len(shift), -epsilon), np.zeros(len(shift))
    for _ in range(60):
        least = (low + high) / 2
        first, last = shift / 2 - (least + epsilon) / shift, shift / 2 - least / shift
        inside = ndtr(last) - ndtr(first)
        surplus = np.exp(least + epsilon) * ndtr(first - shift) + inside + np.exp(least) * ndtr(shift - last) - 1
        low, high = np.where(surplus < 0, least, low), np.where(surplus < 0, high, least)
    densities = np.exp(-(last**2) / 2) - np.exp(-(first**2) / 2)
    inside = shift**2 / 2 * inside + shift * densities / math.sqrt(2 * math.pi)
    return (least + epsilon) * ndtr(first) + inside + least * ndtr(-last)


def time_by_linear_program(means, epsilon):
    """Largest smallest cost over all shares, every arm and a grid of common means being one constraint each."""
    means = np.sort(means)[::-1]
    rows = np.zeros((len(means) - 1, len(PLACES), len(means) + 1))
    rows[..., -1] = 1.0
    for arm, mean in enumerate(means[1:], 1):
        gap = means[0] - mean
        rows[arm - 1, :, 0] = -divergence((1 - PLACES) * gap, epsilon) / epsilon
        rows[arm - 1, :, arm] = -divergence(PLACES * gap, epsilon) / epsilon
    rows = rows.reshape(-1, len(means) + 1)
    best = np.array([0.0] * len(means) + [-1.0])
    found = linprog(best, rows, np.zeros(len(rows)), [[*np.ones(len(means)), 0.0]], [1.0])
    return -1.0 / found.fun / epsilon


@pytest.mark.parametrize("arms", [3, 5, 10])
def test_distant_gaussian_means_at_a_small_budget_have_a_narrow_certificate(arms):
    for seed in range(6):
        means = np.random.default_rng(seed).normal(0.0, 10.0, arms)
        assert characteristic_time("gaussian", means, 1e-3).gap < 1e-6


@pytest.mark.parametrize(("arms", "epsilon"), [(2, 1e-3), (3, 1e-3), (5, 1e-3), (3, 0.05), (3, 2.0)])
@pytest.mark.parametrize("spread", [10.0, 0.5])
def test_the_time_is_that_of_a_linear_program(arms, epsilon, spread):
    """The program leaves out alternatives between its grid's, so its time is the smaller one, by little."""
    means = np.random.default_rng(arms).normal(0.0, spread, arms)
    time = characteristic_time("gaussian", means, epsilon)
    program = time_by_linear_program(means, epsilon)
    assert program * (1 - 1e-6) <= time.upper
    assert time.value <= program * (1 + 2e-4)


@settings(derandomize=True, deadline=None, max_examples=20)
@given(
    family=st.sampled_from(["gaussian", "gaussian", "bernoulli"]),
    arms=st.integers(2, 50),
    spread=st.floats(-4, 4),
    epsilon=st.floats(-6, 3),
    beta=st.none() | st.floats(0.05, 0.95),
    seed=st.integers(0, 10**6),
)
def test_a_certificate_is_narrow_at_every_spread_and_budget(family, arms, spread, epsilon, beta, seed):
    """Warnings are errors in these tests, so no cost or slope overflows either."""
    rng = np.random.default_rng(seed)
    scale = 10 ** (spread if family == "gaussian" else min(0.0, spread))
    means = scale * (rng.normal(size=arms) if family == "gaussian" else rng.random(arms))
    time = characteristic_time(family, means, 10**epsilon, beta=beta)
    assert 0 <= time.gap < 1e-6


@pytest.mark.parametrize(
    ("seed", "spread", "arms", "epsilon", "beta"),
    [(0, 58.2, 38, 2.2e-3, None), (1, 43.8, 25, 2.85e-2, 0.75), (2, 14.8, 46, 1.04, None), (3, 52.1, 29, 17.1, None)],
)
def test_slopes_that_are_too_small_for_a_float_are_searched_past(seed, spread, arms, epsilon, beta):
    means = np.random.default_rng(seed).normal(0.0, spread, arms)
    assert characteristic_time("gaussian", means, epsilon, beta=beta).gap < 1e-9


def test_two_nearly_equal_places_close_together_are_told_apart():
    """The demand has maxima at .32 and .68, and a minimum at .49, a third of the best place away from it."""
    assert characteristic_time("gaussian", [0.04734305, -0.06774413], 0.0049369688541283695).gap < 1e-9


def test_one_percent_too_little_is_reported_for_distant_means_too():
    """Every arm's pulls are needed, so whichever gets 1 % less, an alternative is left that the certificate sees."""
    means = np.sort(np.random.default_rng(8).normal(0.0, 10.0, 4))[::-1]
    time = characteristic_time("gaussian", means, 1e-3)
    arms, pulls = transport("gaussian", means, 1e-3), np.array(time.allocation) * time.upper
    places = arms.cheapest(float(pulls[0]))
    assert shortfall(arms, float(pulls[0]), pulls[1:], places) < 1e-9
    for arm in range(4):
        fewer = pulls * np.where(np.arange(4) == arm, 0.99, 1.0)
        assert shortfall(arms, float(fewer[0]), fewer[1:], places) > 0.004
