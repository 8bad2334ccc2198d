"""Bounds under zCDP and Gaussian DP, against policies that know both instances, in closed form, and by optimisation."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import binom, norm

from privcheck.bounds import THEOREMS, ConcentratedInstance, Instance, PrivcheckError, curve, evaluate, kl_bernoulli
from privcheck.bounds.concentrated_privacy import hidden_raise, worst_instance
from privcheck.bounds.concentrated_privacy.first_pulls import first_pulls, under_gdp, under_zcdp
from privcheck.bounds.families import Bernoulli

ZCDP, GDP = (THEOREMS[f"concentrated-privacy/finite-time{end}"] for end in ("", "-gdp"))
LOOKS = np.array([1, 2, 3, 4, 6, 8, 12, 16])[:, None]


def exact_sums(n, p, q):
    """The counts of n bits that are likely under one of the means p < q, and their probabilities."""
    counts = np.arange(binom.ppf(1e-18, n, p), binom.isf(1e-18, n, q) + 1.0)
    return counts, binom.pmf(counts, n, p), binom.pmf(counts, n, q)


def informed_regret(bits, gap, x, horizon, rho):
    """The larger regret on two instances of the best of many policies that know both, and are rho-zCDP and GDP.

    A policy plays arm a in blocks of n rounds, of which the j-th is released as a noisy sum of bits with means `bits`;
    at the first one below a threshold it leaves the arm for ever, and if none of the looks is, it stays.
    """
    best, noise = math.inf, 1.0 / math.sqrt(2.0 * rho)
    for n in np.unique(np.geomspace(1.0, horizon / 20.0, 250).astype(np.int64)).tolist():
        if n * gap > best:
            break
        counts, here, there = exact_sums(n, *bits)
        spread = 3.0 * noise + 2.0 * math.sqrt(n)
        thresholds = np.linspace(n * bits[0] - spread, n * bits[1] + spread, 120)
        below = norm.cdf((thresholds[:, None] - counts) / noise)
        leaves, errs = below @ here, below @ there
        look = np.arange(LOOKS.max())[:, None, None]
        used = look < LOOKS
        stays = (1.0 - leaves) ** look
        first = gap * ((n * used * stays).sum(0) + (horizon - LOOKS * n) * (1.0 - leaves) ** LOOKS)
        second = x * (used * (1.0 - errs) ** look * errs * (horizon - (look + 1) * n)).sum(0)
        best = min(best, float(np.maximum(first, second).min()))
    return best


PAIRS = [
    ("bernoulli", (0.6, 0.2), 0.75, (0.2, 0.9)),
    ("bernoulli", (0.75, 0.5), 0.5, (0.5, 0.875)),
    ("gaussian", (0.5, 0.0), 1.0, (norm.sf(0.5), norm.sf(-0.5))),  # a bit says whether the reward is above 1/2
]


@pytest.mark.chance(0.0, "closed forms")
@pytest.mark.parametrize(("family", "means", "part", "bits"), PAIRS)
@pytest.mark.parametrize("rho", [1e-3, 1e-2])
@pytest.mark.parametrize("horizon", [10**4, 10**15])
def test_no_informed_policy_is_below_the_bounds(family, means, part, bits, rho, horizon, monkeypatch):
    """Twice a bound would be above a policy: at 1e15 the best found has less than twice the bound."""
    monkeypatch.setattr(hidden_raise, "RAISES", (part,))
    instance = ConcentratedInstance(family, means, rho, horizon)
    gap = means[0] - means[1]
    found = informed_regret(bits, gap, part * gap, horizon, rho)
    zcdp, gdp = ZCDP.evaluate(instance).value, GDP.evaluate(instance).value
    assert zcdp <= gdp <= found
    if horizon == 10**15 and (family, rho) == ("bernoulli", 1e-3):
        assert 2.0 * gdp > found
        assert 2.0 * zcdp > found or part == 0.5


@pytest.mark.chance(0.0, "exact laws")
@pytest.mark.parametrize("rho", [1e-3, 0.05, 1.0])
@pytest.mark.parametrize("means", [(0.2, 0.9), (0.5, 0.6), (0.01, 0.05)])
def test_the_probability_of_few_pulls(rho, means):
    """The event that a noisy sum of n rewards is small has the two probabilities of the proof, exactly."""
    mean, to = means
    rows = first_pulls(Bernoulli(), mean, to - 0.01, [0.01], rho, 10**6)
    closest, twin = math.inf, math.inf
    for place, n in enumerate(rows.pulls.tolist()):
        if not 2 <= n <= 20_000:
            continue
        counts, here, there = exact_sums(int(n), mean, to)
        for threshold in np.linspace(n * mean - 2.0 / math.sqrt(rho), n * to, 25).tolist():
            below = norm.cdf((threshold - counts) * math.sqrt(2.0 * rho))
            few, raised = float(below @ here), float(below @ there)
            if raised < 1e-200:
                continue
            for which, hidden in enumerate((under_gdp(math.sqrt(2.0 * rho)), under_zcdp(rho))):
                reckoned = rows.missed + hidden(-math.log(raised) - rows.ratio, rows.differing)
                assert few <= reckoned[:, place].min() * (1.0 + 1e-9) + 1e-15
                closest = min(closest, reckoned[:, place].min() / few) if which == 0 and few < 0.8 else closest
            halved = rows.missed + under_gdp(math.sqrt(2.0 * rho) / 2.0)(-math.log(raised) - rows.ratio, rows.differing)
            twin = min(twin, halved[:, place].min() / few)
    assert closest < 3.0
    assert twin < 1.0 or rho > 1e-3, "with half of mu the inequality is false, where privacy decides"


@pytest.mark.parametrize("differing", [1.0, 3.0])
@pytest.mark.parametrize("rho", [0.01, 0.5])
def test_the_best_order_and_the_weaker_notion(rho, differing):
    for exponent in (0.5, 4.0, 20.0, 200.0):
        order = minimize_scalar(
            lambda a: (1.0 - 1.0 / a) * (a * rho * differing**2 - exponent),  # noqa: B023
            bounds=(1.0, 1e4),
            method="bounded",
        )
        weak = float(under_zcdp(rho)(np.array(exponent), np.array(differing)))
        assert weak == pytest.approx(math.exp(min(order.fun, 0.0)), rel=1e-3)
        strong = float(under_gdp(math.sqrt(2.0 * rho))(np.array(exponent), np.array(differing)))
        assert strong == pytest.approx(norm.cdf(norm.ppf(math.exp(-exponent)) + math.sqrt(2.0 * rho) * differing))
        assert strong <= weak


def test_limits():
    free = Instance("bernoulli", (0.75, 0.5, 0.3), epsilon=math.inf, horizon=10**6)
    noise = THEOREMS["finite-time/pure"].evaluate(free).value
    instance = ConcentratedInstance("bernoulli", (0.75, 0.5, 0.3), rho=math.inf, horizon=10**6)
    assert ZCDP.evaluate(instance).value == pytest.approx(noise, rel=1e-12)
    found = [ZCDP.evaluate(dataclasses.replace(instance, rho=rho)).value for rho in (1e-6, 1e-4, 1e-2, 1.0)]
    assert found == sorted(found, reverse=True)
    assert found[-1] == pytest.approx(noise, rel=1e-12), "privacy decides nothing"
    shares = []
    for horizon in (10**4, 10**8, 10**15):  # about sqrt(ln T/rho)/TV pulls of the arm
        lone = ConcentratedInstance("bernoulli", (0.75, 0.5), rho=1e-8, horizon=horizon * 10**4)
        shares.append(GDP.evaluate(lone).value / math.sqrt(math.log(lone.horizon) / 1e-8))
    assert shares == sorted(shares)
    assert 0.5 < shares[-1] < 1.0


def test_the_rate_is_that_without_privacy():
    for rho in (1e-6, 0.5, math.inf):
        found = evaluate(ConcentratedInstance("bernoulli", (0.8, 0.5, 0.5, 0.1), rho))
        lower, upper = (found.of(f"concentrated-privacy/{name}") for name in ("rate", "rate-attained"))
        lai_robbins = sum((0.8 - mean) / kl_bernoulli(mean, 0.8) for mean in (0.5, 0.5, 0.1))
        assert lower.constant == upper.constant == pytest.approx(lai_robbins, rel=1e-14)
        assert lower.quantity == upper.quantity
    pure = evaluate(Instance("bernoulli", (0.8, 0.5, 0.5, 0.1), epsilon=0.1))
    assert pure.of("azize-basu-2022/thm3-tight").constant > 2.0 * lower.constant, "under pure privacy it is larger"
    assert pure.of("pure-privacy/rate-attained").constant == pytest.approx(
        pure.of("azize-basu-2022/thm3-tight").constant, rel=1e-12
    )


@pytest.mark.parametrize(("family", "name"), [("gaussian", "minimax-gaussian"), ("bernoulli", "minimax-unit")])
@pytest.mark.parametrize(("arms", "rho"), [(2, 1e-6), (7, 1e-6)])
def test_the_worst_instance_by_optimisation(family, name, arms, rho):
    """The loss that the proof leaves, with the exact total variation, at the best gap and share w."""
    horizon = 10**5
    instance = ConcentratedInstance(family, (0.5,) * arms, rho, horizon)

    gap, w = np.geomspace(1e-7, 0.25, 4000)[:, None], np.linspace(2.0, 12.0, 41)
    variation = 2.0 * norm.cdf(gap) - 1.0 if family == "gaussian" else 2.0 * gap
    confused = 1.0 / w + variation * horizon / (arms - 1) * np.sqrt(rho * w / 2.0)
    largest = float((horizon * gap / 2.0 * (1.0 - confused)).max())
    found = THEOREMS[f"concentrated-privacy/{name}"].evaluate(instance).value
    assert found == pytest.approx(largest, rel=2e-3)
    assert 2.0 * found > largest
    assert pytest.approx(0.8**2 / (4.0 * math.sqrt(2.5)), rel=1e-14) == worst_instance.LARGEST_LOSS


@pytest.mark.parametrize("p", [0.05, 0.5, 1.0])
def test_a_reward_that_is_rarely_seen_moves_little(p):
    """A Gaussian release that happens with probability p and has all of the divergence rho."""
    for rho in (1e-4, 0.01, 0.3):
        moved = p * (2.0 * norm.cdf(math.sqrt(2.0 * rho / p) / 2.0) - 1.0)
        assert moved <= math.sqrt(rho * p / 2.0)
        assert moved > math.sqrt(rho * p / 2.0) / 2.0 or rho > 3.0 * p, "half of it would be false"


def test_the_minimax_bound_applies_while_means_are_at_most_one():
    theorem = THEOREMS["concentrated-privacy/minimax-unit"]
    least = math.ceil(math.sqrt(32.0 / 125.0) * 4.0 / 0.01)
    instance = ConcentratedInstance("bernoulli", (0.5,) * 5, rho=1e-4, horizon=least)
    assert theorem.evaluate(instance).applies
    assert theorem.evaluate(instance).value < instance.horizon
    assert not theorem.evaluate(dataclasses.replace(instance, horizon=least - 1)).applies


def test_nonsense_is_refused():
    for wrong, name in (
        ({"rho": -1.0}, "rho"),
        ({"means": (1.5, 0.2)}, "means"),
        ({"family": "poisson"}, "family"),
        ({"variance": 2.0}, "variance"),
        ({"horizon": 0}, "horizon"),
    ):
        with pytest.raises(PrivcheckError) as caught:
            ConcentratedInstance(**({"family": "bernoulli", "means": (0.5, 0.2), "rho": 1.0} | wrong))
        assert caught.value.parameter == name


def test_curves_along_rho():
    instance = ConcentratedInstance("bernoulli", (0.75, 0.5), rho=0.01, horizon=10**5)
    falling = curve(instance, "rho", [1e-4, 1e-2, 1.0]).series("concentrated-privacy/finite-time")
    assert list(falling) == sorted(falling, reverse=True)
    with pytest.raises(PrivcheckError, match="rho, horizon or gap"):
        curve(instance, "epsilon")
    with pytest.raises(PrivcheckError, match="epsilon, horizon or gap"):
        curve(Instance("bernoulli", (0.75, 0.5), epsilon=1.0), "rho")


def test_short_horizons_and_extreme_budgets():
    for horizon in (1, 2, 3):
        for rho in (1e-12, 1.0, 1e12):
            for name in (ZCDP, GDP):
                found = name.evaluate(ConcentratedInstance("bernoulli", (0.75, 0.5), rho, horizon)).value
                assert 0.0 <= found <= 0.25 * horizon + 1e-12
