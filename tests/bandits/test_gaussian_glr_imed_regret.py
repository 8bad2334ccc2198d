"""The steps of the first proof in docs/evidence/concentrated-privacy.md, numerically, with variants that are wrong.

Steps 3 and 5 are those of test_dp_glr_imed_regret.py, with the sums and the deviations that are tested here.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import binom, norm

from privcheck.bandits.gaussian_likelihood import gaussian_divergence_sum
from privcheck.bandits.geometric_batches import next_total
from privcheck.bounds import kl_bernoulli

RHOS = [1e-4, 0.01, 0.5, 20.0]
LENGTHS = [1, 3, 20, 200]
GRID = np.array([1e-9, 1e-4, 0.02, 0.3, 0.5, 0.8, 0.999, 1.0 - 1e-9])


def minimiser(total, length, q, rho):
    """The z of the divergence, by bisection for its logit."""
    stiffness = 2.0 * rho * length
    pull = logit(q) + 2.0 * rho * total
    low, high = pull - stiffness, pull + 0.0 * stiffness
    for _ in range(70):
        middle = (low + high) / 2.0
        above = middle + stiffness * expit(middle) > pull
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return expit((low + high) / 2.0)


def divergence(total, length, q, rho):
    z = minimiser(total, length, q, rho)
    return length * kl_bernoulli(z, q) + rho * (length * z - total) ** 2


def kappa(rho):
    c = 2.0 * rho / (1.0 + rho / 2.0)
    return c / (1.0 + c)


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("length", LENGTHS)
def test_the_divergence_is_that_of_the_algorithm(rho, length):
    for total in (-3.0, 0.2 * length, 1.5 * length):
        for q in (0.01, 0.5, 0.9):
            shipped = gaussian_divergence_sum(np.array([total]), np.array([float(length)]), 1, q, rho)
            assert shipped == pytest.approx(float(divergence(total, length, q, rho)), rel=1e-9, abs=1e-12)


# Step 1


@pytest.mark.parametrize("rho", RHOS)
def test_curvature(rho):
    """The second derivative of the page, against differences, and its lower bound, which is near in places."""
    least, plain = math.inf, math.inf
    for length in LENGTHS:
        totals = length * np.linspace(-0.5, 1.5, 41)[:, None] + np.array([0.0, 1.0, -5.0])
        totals = totals.reshape(-1, 1)
        z, v = minimiser(totals, length, GRID, rho), GRID * (1.0 - GRID)
        s = 2.0 * rho * length * z * (1.0 - z)
        second = length / v**2 * ((GRID - z) ** 2 + z * (1.0 - z) * s / (1.0 + s))
        least, plain = min(least, float((second / length).min())), min(plain, float((second * v).min()))
        q, step = 0.3, 1e-4
        slopes = [length * (at - minimiser(totals, length, at, rho)) / (at * (1.0 - at)) for at in (q - step, q + step)]
        assert np.diff(np.array(slopes), axis=0)[0] / (2.0 * step) == pytest.approx(second[:, [3]], rel=1e-4)
    assert least >= kappa(rho) * (1.0 - 1e-6)
    if rho <= 0.5:
        assert least < 1.0, "the curvature of kl alone is not there"
        assert least < 50.0 * kappa(rho)


# Step 2


def deviation(y, length, mu, rho):
    """The part of the divergence that depends on the mean."""
    outside = np.maximum(np.maximum(-y, y - length), 0.0)
    return divergence(y, length, mu, rho) - rho * outside**2


def room(length, rho):
    b = length * math.sqrt(rho)
    return 1.0 + 2.0 * (b**2 * (1.0 + b**2) + math.sqrt(math.pi) * b * (1.0 + b**2) + 2.0 * b**2)


def laws(length, mu):
    """Laws of the sum of rewards of mean mu: Bernoulli, constant, and mu plus or minus half of what is possible."""
    steps = np.arange(length + 1.0)
    yield steps, binom.pmf(steps, length, mu)
    yield np.array([length * mu]), np.ones(1)
    yield length * mu + min(mu, 1.0 - mu) / 2.0 * (2.0 * steps - length), binom.pmf(steps, length, 0.5)


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("length", LENGTHS)
def test_the_tail_of_one_release(rho, length):
    noise, closest, bare = 1.0 / math.sqrt(2.0 * rho), math.inf, math.inf
    for mu in (0.02, 0.3, 0.5, 0.97):
        y = np.concatenate([np.linspace(0.0, length * mu, 40), -np.geomspace(1e-3, 8.0, 20) * noise])
        extra = np.where(y >= 0.0, rho * (length - y) ** 2, rho * length**2 + 2.0 * rho * length * np.abs(y))
        cost = divergence(y, length, mu, rho)
        for sums, weights in laws(length, mu):
            seen = norm.cdf((y[:, None] - sums) / noise) @ weights
            some = seen > 1e-290
            spare = np.log1p(extra[some]) - cost[some] - np.log(seen[some])
            closest, bare = (
                min(closest, float(spare.min())),
                min(bare, float((-1.3 * cost[some] - np.log(seen[some])).min())),
            )
    assert closest > -1e-9
    if length == 200 and rho == 0.01:
        assert bare < 0.0, "a divergence of 1.3 times this one would be too much"


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("length", LENGTHS[:3])
def test_the_moment_of_one_release(rho, length):
    noise, largest = 1.0 / math.sqrt(2.0 * rho), 0.0
    for mu in (0.001, 0.3, 0.97):
        reach = 12.0 * noise + 2.0 * length * (noise > length)
        y = np.linspace(-reach, length + reach, 4001)
        exponent = deviation(y, length, mu, rho)[:, None]
        for sums, weights in laws(length, mu):
            kept = weights > 0.0
            each = norm.logpdf((y[:, None] - sums[kept]) / noise) + np.log(weights[kept] / noise) + exponent
            largest = max(largest, float(np.trapezoid(np.exp(each).sum(axis=1), y)))
    assert largest + 1e-6 >= 1.0
    assert largest <= room(length, rho)
    assert largest > 1.0 + 0.001 * (room(length, rho) - 1.0) or room(length, rho) > 1e3


def test_the_whole_divergence_has_no_such_moment():
    """Without the distance to [0, l] the mean of e^d is infinite: the density times e^d does not fall."""
    y = np.array([-200.0, -400.0])
    density = norm.logpdf(y, scale=1.0 / math.sqrt(2.0 * 0.01))
    assert np.diff(density + divergence(y, 5, 0.5, 0.01)) > -1e-3
    assert np.diff(density + deviation(y, 5, 0.5, 0.01)) < -100.0


# Step 3


@pytest.mark.parametrize("rho", [0.001, 0.5])
def test_the_gap_of_an_underestimated_arm(rho):
    """G_k <= sum of e - n_k kappa delta^2 / 2 on any releases whose estimate is below q."""
    rng = np.random.default_rng(3)
    best, delta = 0.6, 0.1
    grid = np.linspace(1e-6, 1.0 - 1e-6, 301)
    seen, without = 0, 0
    for _ in range(120):
        lengths = [1, 2, 4, 9, 20][: int(rng.integers(1, 6))]
        totals = [n * rng.random() + rng.normal() * rng.choice([1.0, 3.0]) / math.sqrt(2.0 * rho) for n in lengths]
        d = sum(divergence(y, n, grid, rho) for y, n in zip(totals, lengths, strict=True))
        estimate = grid[np.argmin(d)]
        if estimate >= best - delta:
            continue
        q = best - delta
        gap = float(sum(divergence(y, n, q, rho) for y, n in zip(totals, lengths, strict=True)) - d.min())
        parts = float(sum(deviation(y, n, best, rho) for y, n in zip(totals, lengths, strict=True)))
        limit = parts - sum(lengths) * kappa(rho) * delta**2 / 2.0
        assert gap <= limit + 1e-6 * (1.0 + abs(limit))
        seen, without = seen + 1, without + (gap > parts - sum(lengths) * 10.0 * delta**2 / 2.0)
    assert seen > 15
    assert without > 0, "with a curvature of 10 it is false"


# Step 4


@pytest.mark.parametrize("rho", RHOS)
def test_the_slope_in_the_release(rho):
    largest = 0.0
    for length in LENGTHS:
        y = (length * np.linspace(-0.5, 1.5, 41))[:, None]
        for x, q in ((0.01, 0.5), (0.3, 0.4), (0.5, 0.99)):
            slopes = 2.0 * rho * length * (minimiser(y, length, q, rho) - minimiser(y, length, x, rho))
            limit = logit(q) - logit(x)
            assert (slopes >= -1e-9).all()
            assert (slopes <= limit * (1.0 + 1e-9)).all()
            largest = max(largest, float((slopes / limit).max()))
    assert largest > 0.5 or rho < 0.5, "half of it would be false"


def test_long_batches_tell_means_apart_as_without_noise():
    """The minimum over z of kl(z, q) + rho l (z - x)^2 increases to kl(x, q) in l."""
    for x, q in ((0.2, 0.5), (1e-6, 0.3), (0.6, 0.99)):
        for rho in (1e-3, 0.5):
            found = [float(divergence(n * x, n, q, rho)) / n for n in (1, 10, 1000, 10**5, 10**7)]
            assert found == sorted(found)
            assert found[-1] == pytest.approx(float(kl_bernoulli(x, q)), rel=1e-2)
            assert found[0] < 0.9 * found[-1] or rho == 0.5


@pytest.mark.parametrize("totals", ["geometric", "squares"])
@pytest.mark.parametrize("rho", [0.005, 0.5])
def test_the_sums_are_finite(totals, rho):
    """Terms of both sums fall for good, by more and more, also with k^2 pulls after the k-th batch."""
    n = [float(math.ceil(1.0 / math.sqrt(2.0 * rho)))]
    if totals == "squares":
        n = (np.arange(1.0, 2e6) ** 2).tolist()
    while n[-1] < 1e10:
        n.append(float(next_total(int(n[-1]), 1.5, int(n[0]), 4 * int(n[0]))))
    n = np.array(n)
    batches = np.diff(n, prepend=0.0)
    b = batches * math.sqrt(rho)
    log_c = np.cumsum(np.log1p(2.0 * (b**2 * (1.0 + b**2) + math.sqrt(math.pi) * b * (1.0 + b**2) + 2.0 * b**2)))
    eta, k = 0.02, np.arange(1, len(n) + 1)
    for terms in (
        np.log(4.0 * n) + log_c - n * kappa(rho) * 0.3**2 / 2.0,
        np.log(4.0 * n) + k * (math.log(2.0) + eta**2 / (4.0 * rho)) - 7.0 * eta**2 * n / 8.0,
    ):
        top = int(np.argmax(terms))
        falls = np.diff(terms[top:])
        assert (falls < 0.0).all()
        assert falls[-1] < -10.0
        assert terms[-1] < -100.0, "the drop is seen"
