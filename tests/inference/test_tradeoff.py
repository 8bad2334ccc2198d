"""The trade-off region and the Gaussian fit: limits, joint coverage, and refusal where the model is wrong."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, binomtest, laplace, norm

from privcheck.errors import PrivcheckError
from privcheck.inference import (
    TradeoffRegion,
    declared_thresholds,
)
from privcheck.inference._gaussian_fit import GaussianFit, _laplace_power, fit_gaussian
from privcheck.inference._tradeoff import tradeoff_region

THRESHOLDS = np.linspace(-2.0, 3.0, 11)


def scores(seed, runs, shift=1.0, law="laplace"):
    rng = np.random.default_rng(seed)
    return shift + getattr(rng, law)(size=runs), getattr(rng, law)(size=runs)


@pytest.mark.chance(0.0, "an identity that holds for all counts")
def test_the_limits_are_clopper_pearsons_with_an_equal_share_each():
    first, second = scores(1, 500)
    region = tradeoff_region(first, second, THRESHOLDS, 0.05)
    for i, t in enumerate(THRESHOLDS):
        k, l = int((first >= t).sum()), int((second >= t).sum())
        assert (region.more[i], region.less[i]) == (k, l)
        sure = 1.0 - 2.0 * 0.05 / 22
        assert region.power_lower[i] == pytest.approx(binomtest(k, 500).proportion_ci(sure).low, abs=1e-9)
        assert region.size_upper[i] == pytest.approx(binomtest(l, 500).proportion_ci(sure).high, abs=1e-9)


def misses(level, repetitions=300, runs=400):
    """Count regions of a Laplace mechanism in which any limit is wrong."""
    p, q = laplace.sf(THRESHOLDS - 1.0), laplace.sf(THRESHOLDS)
    wrong = 0
    for seed in range(repetitions):
        region = replace(tradeoff_region(*scores(seed, runs), THRESHOLDS, 0.05), level=level)
        wrong += bool((region.power_lower > p).any() or (region.size_upper < q).any())
    return wrong


@pytest.mark.chance(1e-6, "a count of regions that miss, against its binomial quantile")
def test_all_limits_hold_together_and_uncorrected_ones_do_not():
    """At level 0.2, 300 regions. Without the correction nearly all would miss."""
    assert 10 < misses(0.2) <= binom.isf(1e-6, 300, 0.2)
    assert misses(0.2 * 22 * 0.9) > 150


@pytest.mark.chance(1e-6, "one region with this level")
def test_the_curves_are_below_the_truth_and_come_near():
    region = tradeoff_region(*scores(2, 100_000), THRESHOLDS, 0.05)
    assert 0.96 < region.epsilon_lower(0.0) < 1.0
    for epsilon in (0.0, 0.3, 0.7):
        truth, _ = quad(
            lambda x, e=epsilon: max(0.0, laplace.pdf(x - 1.0) - math.exp(e) * laplace.pdf(x)),
            -20,
            20,
            points=[0, 0.5, 1],
        )
        assert 0.9 * truth - 0.01 < region.delta_lower(epsilon) < truth
    assert region.epsilon_lower(region.delta_lower(0.5)) == pytest.approx(0.5, abs=1e-9)
    assert region.delta_lower(1.0) == 0.0
    assert region.epsilon_lower(0.9) == 0.0


def test_either_direction_is_seen():
    """The first input's scores reach lower: only complements, likelier on the second input, tell the two apart."""
    first, second = scores(3, 20_000)
    forth, back = tradeoff_region(first, second, [0.0], 0.05), tradeoff_region(first, second, [1.0], 0.05)
    assert forth.epsilon_lower(0.0) > 0.8
    assert back.epsilon_lower(0.0) > 0.8


def test_the_curve_is_convex_and_above_the_true_one():
    region = tradeoff_region(*scores(4, 50_000), THRESHOLDS, 0.05)
    x, y = region.curve()
    assert (x[0], y[0], x[-1], y[-1]) == (0.0, 1.0, 1.0, 0.0)
    slopes = np.diff(y) / np.diff(x)
    assert (np.diff(slopes) > 0.0).all()
    grid = np.linspace(1e-3, 0.999, 200)
    truth = laplace.cdf(laplace.isf(grid) - 1.0)
    assert (np.interp(grid, x, y) >= truth).all()
    assert np.abs(np.interp(grid, x, y) - truth).max() < 0.05


def epsilon_of_fit(mu, delta):
    return GaussianFit(mu, mu, 1.0, 1.0, "").epsilon_lower(delta)


def test_the_epsilon_of_a_fit_solves_the_profile():
    for mu, delta in [(1.0 / 3.7306, 1e-5), (1.0, 1e-5), (3.0, 1e-3)]:
        epsilon = epsilon_of_fit(mu, delta)
        profile, _ = quad(
            lambda x, m=mu, e=epsilon: max(0.0, norm.pdf(x - m) - math.exp(e) * norm.pdf(x)), -5, 15, limit=400
        )
        assert profile == pytest.approx(delta, rel=1e-4)
    assert epsilon_of_fit(-0.1, 1e-5) == epsilon_of_fit(0.0, 1e-5) == epsilon_of_fit(0.01, 0.5) == 0.0


def test_the_laplace_power_is_that_of_two_laplace_laws():
    mu = 1.0
    shift = -2.0 * math.log(2.0 * norm.cdf(-mu / 2.0))
    sizes = np.array([1e-4, 0.05, 0.2, 0.4, 0.5, 0.7, 0.99])
    assert _laplace_power(sizes, mu) == pytest.approx(laplace.sf(laplace.isf(sizes) - shift), abs=1e-12)
    assert max(_laplace_power(sizes, mu) - sizes) <= 2.0 * norm.cdf(mu / 2.0) - 1.0


def fits(law, shift, runs, repetitions):
    for seed in range(repetitions):
        thresholds = declared_thresholds(*scores(10_000 + seed, runs // 5, shift, law))
        yield fit_gaussian(tradeoff_region(*scores(seed, runs, shift, law), thresholds, 0.05), 0.05)


@pytest.mark.chance(2e-6, "two counts at the level .05, against binomial quantiles at 1e-6")
def test_a_gaussian_is_fitted():
    """Epsilon 1 given delta 1e-5 at 1e5 runs: mean limit at least 0.95, at most a few refusals and misses in 30."""
    found = list(fits("normal", 1.0 / 3.7306, 100_000, 30))
    limits = [fit.epsilon_lower(1e-5) for fit in found if not fit.refused]
    assert 30 - len(limits) <= binom.isf(1e-6, 30, 0.05)
    assert np.mean(limits) >= 0.95
    assert sum(limit > 1.0 for limit in limits) <= binom.isf(1e-6, 30, 0.05)
    assert all(fit.label == "conditional on a Gaussian trade-off" for fit in found)


@pytest.mark.parametrize(("shift", "runs"), [(1.0, 1000), (1.0, 100_000), (0.25, 1000), (0.25, 10_000), (3.0, 10_000)])
def test_a_laplace_is_refused(shift, runs):
    found = list(fits("laplace", shift, runs, 20))
    assert all(fit.refused for fit in found)
    assert all(fit.epsilon_lower(1e-5) is None for fit in found)
    assert fit_gaussian(tradeoff_region(*scores(0, 50, 1.0), THRESHOLDS, 0.05), 0.05).refused


def test_without_its_gates_the_fit_would_report_far_too_much():
    fit = next(fits("laplace", 1.0, 100_000, 1))
    assert epsilon_of_fit(fit.mu_lower, 1e-5) > 3.0


@pytest.mark.parametrize("wrong", [[], [math.nan], [[1.0]], ["a"], None])
def test_bad_input(wrong):
    for arguments in [(wrong, [1.0], [0.0]), ([1.0], wrong, [0.0]), ([1.0], [1.0], wrong)]:
        with pytest.raises(PrivcheckError):
            tradeoff_region(*arguments, 0.05)


def test_bad_levels():
    with pytest.raises(PrivcheckError, match="level"):
        tradeoff_region([1.0], [0.0], [0.5], 1.0)
    region = TradeoffRegion(THRESHOLDS, np.zeros(11, int), np.zeros(11, int), (10, 10), 0.05)
    with pytest.raises(PrivcheckError, match="delta"):
        region.epsilon_lower(1.0)
