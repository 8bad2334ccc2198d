"""Confidence limits: against scipy's independent inversions, and their exact size by enumeration of all counts."""

import math
from itertools import product

import mpmath
import numpy as np
import pytest
from scipy.special import betaincinv
from scipy.stats import binom, binomtest

from privcheck.inference import (
    anytime_limits,
    clopper_pearson,
    clopper_pearson_lower,
    conditional_binomial_lower,
    two_tails_p_value,
)

LEVELS = [0.05, 0.05 / 3, 1e-3, 1e-3 / 3]
LARGE_LEVELS = [0.5, 0.45, 0.3, 0.1]
EPSILONS = [0.0, 0.1, 1.0, 3.0]
COUNTS = [(1, 0), (1, 1), (2, 7), (5, 0), (20, 3), (500, 184), (184, 500), (3000, 1)]


def rates(n):
    """Probabilities q from far below 1/n to almost 1."""
    return np.concatenate([[1e-9, 1e-6], np.geomspace(0.01 / n, 0.5, 24), [0.6, 0.7, 0.8, 0.9, 0.99, 0.999]])


def all_limits(limit, n):
    """Return limit(k, l) for all counts whose limit is above 0, and -inf for the others: shape (n + 1, n + 1)."""
    table = np.full((n + 1, n + 1), -math.inf)
    for k in range(1, n + 1):
        for l in range(k + 1):
            table[k, l] = limit(k, l)
            if table[k, l] < 0.0:  # limits fall with l: the rest of the row refutes nothing
                break
    return table


def sizes(table, epsilon):
    """Return the exact probability of a limit above the true log-ratio ln(p / q), p = min(1, e^epsilon q), for each q.

    K and L are independent Binomial(n, p) and Binomial(n, q): every pair of counts is weighted with its probability.
    """
    n = len(table) - 1
    counts = np.arange(n + 1)
    found = []
    for q in [*rates(n), math.exp(-epsilon)]:
        p = min(1.0, math.exp(epsilon) * q)
        above = table > math.log(p / q) + 1e-12
        found.append(float(binom.pmf(counts, n, p) @ above @ binom.pmf(counts, n, q)))
    return np.array(found)


@pytest.mark.chance(0.0, "no random numbers")
@pytest.mark.parametrize(("k", "l"), COUNTS)
@pytest.mark.parametrize("level", LEVELS)
def test_conditional_binomial_is_the_inversion_of_scipys_test(k, l, level):
    """At the limit's share of k among k + l, scipy's one-sided binomial test is exactly at the level."""
    limit = conditional_binomial_lower(k, l, level)
    share = 1.0 / (1.0 + math.exp(-limit))
    assert binomtest(k, k + l, share, alternative="greater").pvalue == pytest.approx(level, rel=1e-7)
    interval = binomtest(k, k + l).proportion_ci(1.0 - 2.0 * level, method="exact")
    assert share == pytest.approx(interval.low, rel=1e-7)


def test_nothing_seen_on_the_first_stream_shows_nothing():
    assert conditional_binomial_lower(0, 0, 0.05) == -math.inf
    assert conditional_binomial_lower(0, 50, 0.05) == -math.inf
    assert clopper_pearson_lower(0, 50, 100, 0.05) == -math.inf
    assert clopper_pearson_lower(10, 0, 100, 0.05, delta=0.5) == -math.inf


@pytest.mark.parametrize(
    ("n", "level"), [*product([20, 100, 1000], LEVELS), *product([1, 2, 5, 20, 100], LARGE_LEVELS)]
)
def test_the_size_of_the_conditional_binomial_never_exceeds_its_level(n, level):
    table = all_limits(lambda k, l: conditional_binomial_lower(k, l, level), n)
    for epsilon in EPSILONS:
        found = sizes(table, epsilon)
        assert found.max() <= level
        assert found.max() > 0.0 or n < 20, "an enumeration that sees no limit above the truth checks nothing"


def test_the_size_comes_close_to_the_level_for_rare_events():
    """Not so conservative as to be useless: with 1000 runs the worst case uses over half of the level."""
    table = all_limits(lambda k, l: conditional_binomial_lower(k, l, 0.05), 1000)
    assert all(sizes(table, epsilon).max() > 0.6 * 0.05 for epsilon in EPSILONS)


def logit(share):
    return math.log(share) - math.log1p(-share) if 0.0 < share < 1.0 else math.copysign(math.inf, share - 0.5)


BROKEN = {
    "two counts too many": lambda k, l: logit(betaincinv(k + 2, l + 1, 0.05)),
    "the other's count one too few": lambda k, l: logit(betaincinv(k, max(l, 1), 0.05)),
    "the upper limit": lambda k, l: logit(betaincinv(k + 1, l, 0.95)) if l else math.inf,
    "the plain estimate": lambda k, l: math.log(k / l) if l else math.inf,
    "twice the level": lambda k, l: conditional_binomial_lower(k, l, 0.10),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_enumeration_notices_broken_limits(name):
    """One count too many would stay below the level, the test being conservative; the inversion above notices that."""
    broken = all_limits(BROKEN[name], 500)
    assert max(sizes(broken, epsilon).max() for epsilon in EPSILONS) > 0.05


@pytest.mark.chance(0.0, "no random numbers")
@pytest.mark.parametrize(("k", "n"), [(0, 10), (1, 10), (5, 10), (10, 10), (3, 1000), (400, 1000), (1000, 1000)])
@pytest.mark.parametrize("level", LEVELS)
def test_clopper_pearson_is_scipys(k, n, level):
    """scipy's interval comes from a root finder that stops within 2e-12; the tails are compared to full precision."""
    interval = binomtest(k, n).proportion_ci(1.0 - 2.0 * level, method="exact")
    low, high = clopper_pearson(k, n, level)
    assert (low, high) == pytest.approx((interval.low, interval.high), rel=0.0, abs=4e-12)
    assert low == 0.0 if k == 0 else binom.sf(k - 1, n, low) == pytest.approx(level, rel=1e-9)
    assert high == 1.0 if k == n else binom.cdf(k, n, high) == pytest.approx(level, rel=1e-9)


@pytest.mark.chance(0.0, "no random numbers")
@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize(("k", "l"), [(400, 110), (1000, 3), (300, 0), (80, 79)])
def test_two_clopper_pearson_limits_share_the_level(k, l, delta):
    """Half of the level for either: scipy's two-sided interval at this level holds both limits."""
    p, q = (binomtest(count, 1000).proportion_ci(0.95, method="exact") for count in (k, l))
    assert clopper_pearson_lower(k, l, 1000, 0.05, delta) == pytest.approx(math.log((p.low - delta) / q.high), abs=1e-8)


@pytest.mark.parametrize("delta", [0.0, 0.01, 0.2])
@pytest.mark.parametrize("level", [0.05, 1e-3])
def test_the_size_of_two_clopper_pearson_limits_never_exceeds_the_level(delta, level):
    """The largest allowed p is e^epsilon q + delta; then ln((p - delta) / q) = epsilon."""
    n, epsilon = 60, 1.0
    counts = np.arange(n + 1)
    table = np.array([[clopper_pearson_lower(k, l, n, level, delta) for l in counts] for k in counts])
    found = []
    for q in rates(n):
        p = min(1.0, math.exp(epsilon) * q + delta)
        found.append(binom.pmf(counts, n, p) @ (table > epsilon + 1e-12) @ binom.pmf(counts, n, q))
    assert 0.0 < max(found) <= level


def test_without_its_delta_the_limit_would_accuse():
    """A policy that is exactly (epsilon, delta)-DP is accused when delta is forgotten."""
    n, epsilon, delta, q = 200, 1.0, 0.2, 0.05
    counts = np.arange(n + 1)
    forgotten = np.array([[clopper_pearson_lower(k, l, n, 0.05) for l in counts] for k in counts])
    p = math.exp(epsilon) * q + delta
    assert binom.pmf(counts, n, p) @ (forgotten > epsilon) @ binom.pmf(counts, n, q) > 0.5


@pytest.mark.parametrize("level", [0.05, 1e-3])
@pytest.mark.parametrize(("k", "l", "n"), [(20, 0, 1000), (500, 184, 1000), (7310, 2690, 10_000), (300, 100, 10**6)])
def test_the_conditional_binomial_is_above_clopper_pearson_where_evidence_matters(k, l, n, level):
    assert conditional_binomial_lower(k, l, level) > clopper_pearson_lower(k, l, n, level)


@pytest.mark.parametrize("level", [0.05, 1e-3])
def test_limits_move_the_right_way(level):
    """More on the first stream or less on the second raises both limits; a larger level too."""
    for k, l in [(5, 3), (50, 20), (500, 100)]:
        for limit in (conditional_binomial_lower, lambda k, l, level: clopper_pearson_lower(k, l, 1000, level)):
            assert limit(k + 1, l, level) > limit(k, l, level) > limit(k, l + 1, level)
            assert limit(k, l, 2 * level) > limit(k, l, level)
    assert clopper_pearson_lower(50, 20, 1000, level, 0.01) < clopper_pearson_lower(50, 20, 1000, level)


@pytest.mark.chance(1e-6, "a count of missed paths, against its binomial quantile")
def test_limits_at_any_time_hold_at_all_times_together():
    """Paths of 5000 runs, looked at 30 times: level .05 in all."""
    rng, looks = np.random.default_rng(7), np.unique(np.geomspace(5, 5000, 30).astype(int))
    missed = dict.fromkeys((anytime_limits, clopper_pearson), 0)
    for p in (0.02, 0.3):
        for counts in (rng.random((150, 5000)) < p).cumsum(axis=1)[:, looks - 1].tolist():
            for limits in missed:
                found = [limits(k, n, 0.025) for k, n in zip(counts, looks.tolist(), strict=True)]
                missed[limits] += any(not low <= p <= high for low, high in found)
    most = binom.isf(1e-6, 300, 0.05)
    assert missed[anytime_limits] <= most
    assert missed[clopper_pearson] > most  # of runs whose number was not fixed beforehand


@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (0, 10**6), (10**6, 10**6), (3, 10**9), (5 * 10**8, 10**9)])
def test_limits_at_any_time_contain_those_of_a_fixed_number(k, n):
    wide, narrow = anytime_limits(k, n, 1e-6), clopper_pearson(k, n, 1e-6)
    assert 0.0 <= wide[0] <= narrow[0] <= narrow[1] <= wide[1] <= 1.0


def log_tail(k, n, p):
    """ln P(Binomial(n, p) >= k) in long arithmetic, by the sum of its terms."""
    with mpmath.workdps(60):
        p = mpmath.mpf(p)
        term = mpmath.exp(mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1))
        term *= p**k * (1 - p) ** (n - k)
        total = term
        for j in range(k, n):
            term *= p / (1 - p) * (n - j) / (j + 1)
            total += term
        return mpmath.log(total)


@pytest.mark.parametrize("level", [1e-300, 1e-101, 1e-99, 1e-30, 1e-14, 1e-6, 0.5])
@pytest.mark.parametrize(("k", "n"), [(1, 1), (3, 3000), (250, 282), (620, 644), (7, 8), (400, 2000)])
def test_limits_of_small_levels_are_valid(k, n, level):
    allowed = mpmath.log(level) + 1e-9
    low, (_, high) = clopper_pearson(k, n, level)[0], clopper_pearson(n - k, n, level)
    assert log_tail(k, n, low) <= allowed
    with mpmath.workdps(60):  # at 1 there is nothing to test, and next to it floats are far apart
        assert high > 1 - 1e-6 or log_tail(k, n, 1 - mpmath.mpf(high)) <= allowed
    limit = conditional_binomial_lower(k, n - k, level)
    with mpmath.workdps(60):
        assert log_tail(k, n, 1 / (1 + mpmath.exp(-limit))) <= allowed


@pytest.mark.parametrize("level", [1e-300, 1e-12, 0.025])
@pytest.mark.parametrize(("k", "n"), [(1, 10**9), (1, 1), (2, 3), (500, 1000), (40, 10**6), (999_999, 10**6)])
def test_limits_at_any_time_have_at_most_the_likelihood_they_are_allowed(k, n, level):
    with mpmath.workdps(60):
        least = mpmath.log(mpmath.beta(k + 1, n - k + 1)) + mpmath.log(2 * mpmath.mpf(level))
        for p in anytime_limits(k, n, level):
            if 0 < p < 1 - 1e-6:
                p = mpmath.mpf(p)
                likelihood = k * mpmath.log(p) + (n - k) * mpmath.log(1 - p)
                assert least - 1e-6 - 1e-9 * k < likelihood <= least


@pytest.mark.chance(0.0, "no random numbers")
def test_a_p_value_is_not_0_where_a_power_underflows():
    exact = log_tail(2300, 2331, 1 / (1 + mpmath.exp(-1)))
    assert exact <= mpmath.log(two_tails_p_value(2300, 31, 0, 0, 1.0)) < exact + 5
