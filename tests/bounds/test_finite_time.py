"""Lower bounds at a horizon, against the regret of the best policy for two arms, by dynamic programming."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

from privcheck.bounds import THEOREMS, FiniteLaw, Instance, evaluate
from privcheck.bounds.finite_time import raised_arm
from privcheck.bounds.local_privacy.rates import report_divergence

PURE, LOCAL = THEOREMS["finite-time/pure"], THEOREMS["finite-time/local"]


def least_worst_regret(means, other, reported, reported_other, horizon):
    """The least over all policies of the larger regret of two instances, by the worst prior on the two.

    A policy sees reports whose means are `reported` and `reported_other`; a history enters by its counts alone.
    """
    gaps = [[max(of) - mean for mean in of] for of in (means, other)]

    def bayes(weight):
        @functools.cache
        def value(n0, s0, n1, s1):
            if n0 + n1 == horizon:
                return 0.0
            likely = []
            for share, q in ((weight, reported), (1.0 - weight, reported_other)):
                likely.append(share * math.prod(
                    p**s * (1.0 - p) ** (n - s) for p, n, s in ((q[0], n0, s0), (q[1], n1, s1))
                ))  # fmt: skip
            costs = []
            for arm in (0, 1):
                now = likely[0] * gaps[0][arm] + likely[1] * gaps[1][arm]
                after = [(n0 + 1 - arm, s0 + one * (1 - arm), n1 + arm, s1 + one * arm) for one in (0, 1)]
                costs.append(now + sum(value(*state) for state in after))
            return min(costs)

        return value(0, 0, 0, 0)

    return max(bayes(weight) for weight in np.linspace(0.05, 0.95, 19))


@pytest.mark.parametrize("means", [(0.6, 0.4), (0.9, 0.2), (0.5, 0.45)])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, math.inf])
@pytest.mark.parametrize("horizon", [2, 8, 12])
def test_no_policy_is_below_the_bound(means, epsilon, horizon):
    """The worst of all raised arms is at least the worst of one; randomised responses are the best local reports."""
    instance = Instance("bernoulli", means, epsilon=epsilon, horizon=horizon)
    pure, local = PURE.evaluate(instance).value, LOCAL.evaluate(instance).value
    shrink = math.tanh(epsilon / 2.0)
    best = 0.0
    for part in raised_arm.RAISES:
        raised = means[0] + part * (means[0] - means[1])
        if raised <= 1.0:
            other = (means[0], raised)
            report = [tuple(0.5 + (m - 0.5) * shrink for m in of) for of in (means, other)]
            best = max(best, least_worst_regret(means, other, *report, horizon))
    assert pure <= local <= best * 1.0001
    assert local > best / 40.0


def test_a_bound_with_a_better_constant_would_be_false(monkeypatch):
    """The broken twin: without the factors 1/2 of the events and 1/4 of the inequality, policies are below it."""
    instance = Instance("bernoulli", (0.6, 0.4), epsilon=math.inf, horizon=400)
    sharper = Instance("bernoulli", (0.6, 0.4), epsilon=math.inf, horizon=400 * 8)
    assert PURE.evaluate(sharper).value > 1.5 * PURE.evaluate(instance).value
    other = Instance("bernoulli", (0.6, 0.4), epsilon=math.inf, horizon=10 * 64)
    assert PURE.evaluate(other).value > least_worst_regret((0.6, 0.4), (0.6, 0.8), (0.6, 0.4), (0.6, 0.8), 10)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, math.inf])
def test_the_rate_is_that_of_the_asymptotic_bounds(epsilon):
    """R / ln T tends to the rate like 1 - ln ln T / ln T: slowly, from below."""
    shares = []
    for horizon in (10**4, 10**8, 10**15):
        instance = Instance("bernoulli", (0.8, 0.4, 0.1), epsilon=epsilon, horizon=horizon)
        found = evaluate(instance)
        pure = found.of("finite-time/pure").value / math.log(horizon) / found.of("azize-basu-2022/thm3-tight").constant
        local = found.of("finite-time/local").value / math.log(horizon) / found.of("local-privacy/rate").constant
        assert pure < 1.0
        assert local < 1.0
        shares.append((pure, local))
    assert shares == sorted(shares)
    assert shares[-1][0] > 0.6


def test_the_root_is_a_root():
    instance = Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=10**5)
    root = raised_arm.least_regret(instance, lambda arm, other: report_divergence(instance.means[arm], other, 1.0))
    terms = [
        0.25 / report_divergence(0.5, 0.75 + x, 1.0) * math.log(10**5 * min(0.25, x) / (8.0 * root))
        for x in (0.25 * part for part in raised_arm.RAISES)
        if 0.75 + x <= 1.0
    ]
    assert max(terms) == pytest.approx(root, rel=1e-9)


def test_gaps_that_are_hardly_numbers():
    instance = Instance("bernoulli", (0.0, 5e-324), epsilon=1.0, horizon=12)
    assert 0.0 <= PURE.evaluate(instance).value <= 12 * 5e-324


def test_conditions():
    for theorem in (PURE, LOCAL):
        assert not theorem.evaluate(Instance("bernoulli", (0.75, 0.5), epsilon=1.0)).applies
        assert not theorem.evaluate(Instance("bernoulli", (0.5, 0.5), epsilon=1.0, horizon=100)).applies
        near = theorem.evaluate(Instance("bernoulli", (0.999999, 0.1), epsilon=1.0, horizon=100)).value
        assert 0.0 < near < 90.0
    gaussian = Instance("gaussian", (0.75, 0.5), epsilon=1.0, horizon=100)
    assert PURE.evaluate(gaussian).applies
    assert not LOCAL.evaluate(gaussian).applies


# Other rewards


def informed_regret(values, here, there, gap, x, horizon, epsilon):
    """The larger regret on two instances of the best of many epsilon-DP policies that know both.

    A policy plays arm a in blocks of n rounds; what it sums has `values` in [0, 1] with two laws. Each sum is released
    with Laplace noise, and at the first one below a threshold the policy leaves the arm for ever.
    """
    best, looks = math.inf, np.array([1, 2, 3, 4, 6, 8, 12, 16])[:, None]
    span = values[1] - values[0]
    for n in np.unique(np.geomspace(1.0, horizon / 20.0, 200).astype(np.int64)).tolist():
        if n * gap > best or n > 3000:
            break
        laws = [power(law, n) for law in (here, there)]
        sums = values[0] * n + span * np.arange(len(laws[0]))
        means = [float(law @ sums) for law in laws]
        spread = 4.0 / epsilon + 2.0 * math.sqrt(n)
        missing = (sums - np.linspace(means[0] - spread, means[1] + spread, 160)[:, None]) * epsilon
        tail = 0.5 * np.exp(-np.abs(missing))
        below = np.where(missing > 0.0, tail, 1.0 - tail)
        leaves, errs = below @ laws[0], below @ laws[1]
        look = np.arange(16)[:, None, None]
        used = look < looks
        first = gap * ((n * used * (1.0 - leaves) ** look).sum(0) + (horizon - looks * n) * (1.0 - leaves) ** looks)
        second = x * (used * (1.0 - errs) ** look * errs * (horizon - (look + 1) * n)).sum(0)
        best = min(best, float(np.maximum(first, second).min()))
    return best


def power(law, n):
    """The law of a sum of n independent values on a lattice, by squaring."""
    found, square = np.ones(1), np.asarray(law, float)
    while n:
        if n % 2:
            found = np.convolve(found, square)
        square, n = np.convolve(square, square), n // 2
    return found


@pytest.mark.parametrize("horizon", [10**4, 10**15])
@pytest.mark.parametrize("epsilon", [0.1, 0.5])
def test_no_informed_policy_is_below_the_bound_for_gaussian_rewards(epsilon, horizon, monkeypatch):
    """A bit says whether a reward is above the middle of the two means. Twice the bound is above such a policy."""
    monkeypatch.setattr(raised_arm, "RAISES", (1.0,))
    bits = [0.5 * math.erfc(shift / math.sqrt(2.0)) for shift in (0.5, -0.5)]
    laws = [np.array([1.0 - p, p]) for p in bits]
    found = informed_regret((0.0, 1.0), *laws, 0.5, 0.5, horizon, epsilon)
    bound = PURE.evaluate(Instance("gaussian", (0.5, 0.0), epsilon=epsilon, horizon=horizon)).value
    assert bound <= found
    assert horizon < 10**15 or 2.0 * bound > found


@pytest.mark.parametrize("family", ["bounded", "finite"])
@pytest.mark.parametrize("epsilon", [0.1, 0.5])
def test_no_informed_policy_is_below_the_bound_for_bounded_rewards(family, epsilon, monkeypatch):
    """Rewards 0, 1/2 and 1; the raised law moves the mass of 0 to 1, which is the least total variation.

    The bound is about the nearest law, so that this one has to be as near: the two divergences differ by 3 % at most.
    """
    weights = ((0.1, 0.4, 0.5), (0.6, 0.2, 0.2))
    for horizon in (10**4, 10**15):
        instance = Instance(family, support=(0, 0.5, 1), weights=weights, epsilon=epsilon, horizon=horizon)
        raised = np.array([0.0, 0.2, 0.8])
        x = 0.9 - 0.7
        monkeypatch.setattr(raised_arm, "RAISES", (x / 0.4,))
        kind, law, other = instance.law_family, instance.law(1), FiniteLaw((0, 0.5, 1), tuple(raised.tolist()))
        nearest = kind.d_epsilon_inf(law, 0.9, epsilon).upper
        assert kind.d_epsilon(law, other, epsilon).lower <= 1.03 * nearest
        found = informed_regret((0.0, 0.5), np.array(weights[1]), raised, 0.4, x, horizon, epsilon)
        bound = PURE.evaluate(instance).value
        assert 0.0 < 1.03 * bound <= found
        assert horizon < 10**15 or 2.0 * bound > found


def test_other_families_tend_to_their_rates():
    laws = {"support": (0, 0.5, 1), "weights": ((0.1, 0.3, 0.6), (0.1, 0.7, 0.2))}
    for family, arms in (("gaussian", {"means": (0.5, 0.0)}), ("poisson", {"means": (3.0, 2.0)}), ("bounded", laws)):
        shares = []
        for horizon in (10**4, 10**8, 10**15):
            found = evaluate(Instance(family, epsilon=0.5, horizon=horizon, **arms))
            rate = found.of("azize-basu-2022/thm3-tight").constant * math.log(horizon)
            shares.append(found.of("finite-time/pure").value / rate)
        assert shares == sorted(shares)
        assert 0.55 < shares[-1] < 1.0, "twice the bound would be above the rate"


@pytest.mark.parametrize("epsilon", [1.0, math.inf])
def test_bernoulli_arms_have_the_same_bound_in_every_description(epsilon):
    """Laws on {0, 1} are Bernoulli laws, and for arms on {0, 1} among all laws on [0, 1] the nearest is Bernoulli."""
    rows = {"support": (0, 1), "weights": ((0.25, 0.75), (0.5, 0.5))}
    plain = PURE.evaluate(Instance("bernoulli", (0.75, 0.5), epsilon=epsilon, horizon=10**6)).value
    for family in ("finite", "bounded"):
        found = PURE.evaluate(Instance(family, epsilon=epsilon, horizon=10**6, **rows)).value
        assert found == pytest.approx(plain, rel=1e-7)
