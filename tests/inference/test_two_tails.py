"""The test of two mirrored events together: exact size by enumeration of all counts, and what it gains."""

import math

import numpy as np
import pytest
from scipy.signal import fftconvolve
from scipy.stats import binom, binomtest, multinomial

from privcheck.errors import PrivcheckError
from privcheck.inference import (
    conditional_binomial_lower,
    two_tails_lower,
    two_tails_p_value,
)
from privcheck.inference._two_tails import coin_sides

LEVELS = [0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.05 / 3, 1e-3, 1e-3 / 3]
EPSILONS = [0.0, 0.1, 1.0, 3.0]


def trinomial(n, x, y):
    """Return the law of the counts of two disjoint events in n runs, shape (n + 1, n + 1)."""
    i, j = np.indices((n + 1, n + 1))
    rest = n - i - j
    law = multinomial(n, [x, y, max(0.0, 1.0 - x - y)])
    return np.where(rest >= 0, law.pmf(np.stack([i, j, np.maximum(rest, 0)], -1)), 0.0)


def boundaries(n, epsilon):
    """Yield (a, d, b, c) at the edge of the claim: a = r b and c = r d, or what is left."""
    r = math.exp(epsilon)
    rates = [0.0, 1e-6, *np.geomspace(0.02 / n, 0.5, 9), 0.6, 0.9, 0.5 / r, 1.0 / r]
    for b in rates:
        for d in rates:
            a, c = min(r * b, 1.0 - d), min(r * d, 1.0 - b)
            if b + d > 0.0 and d <= b:
                yield a, d, b, c


def hits_and_misses(n, a, d, b, c):
    """Return the law of (hits, misses): S on the first and S' on the second input, and the other way round."""
    return np.maximum(fftconvolve(trinomial(n, a, d), trinomial(n, c, b)), 0.0)


def p_values(n, epsilon):
    return np.array([[two_tails_p_value(k, l, 0, 0, epsilon) for l in range(2 * n + 1)] for k in range(2 * n + 1)])


@pytest.mark.chance(0.0, "sizes are enumerated")
@pytest.mark.parametrize("n", [3, 10, 40])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_size_with_equally_many_runs_never_exceeds_the_level(n, epsilon):
    table = p_values(n, epsilon)
    largest = np.zeros(len(LEVELS))
    for edge in boundaries(n, epsilon):
        law = hits_and_misses(n, *edge)
        largest = np.maximum(largest, [law[table <= level].sum() for level in LEVELS])
    assert (largest <= LEVELS).all()
    if n == 40 and epsilon <= 1.0:
        assert (largest > np.array(LEVELS) / 3.0).all(), "not so conservative as to be useless"


@pytest.mark.chance(0.0, "sizes are enumerated")
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_size_with_sides_drawn_by_coin_never_exceeds_the_level(epsilon):
    """Then (hits, misses) is trinomial with hits' probability at most r times that of misses."""
    runs = 30
    table = p_values(runs // 2, epsilon)
    most = 1.0 / (1.0 + math.exp(epsilon))
    for misses in [0.01 * most, 0.1 * most, 0.5 * most, most]:
        law = trinomial(runs, math.exp(epsilon) * misses, misses)
        for level in LEVELS:
            assert law[table <= level].sum() <= level


@pytest.mark.chance(0.0, "sizes are enumerated")
def test_a_p_value_that_leaves_out_the_observed_counts_is_caught():
    """P(more hits than observed) in place of P(at least as many): the enumeration finds a size above the level."""
    n, epsilon = 40, 0.0
    table = p_values(n, epsilon)
    broken = np.vstack([table[1:], np.zeros(2 * n + 1)])
    broken = np.array([[broken[k, max(0, l - 1)] for l in range(2 * n + 1)] for k in range(2 * n + 1)])
    assert max(hits_and_misses(n, *edge)[broken <= 0.05].sum() for edge in boundaries(n, epsilon)) > 0.06


@pytest.mark.chance(0.0, "sizes are enumerated")
def test_unequal_fixed_runs_are_caught():
    """Twice as many runs on the first input: a mechanism at the edge of the claim is accused far too often."""
    n, epsilon, b = 40, 1.0, 0.15
    table = p_values(n, epsilon)
    first, second = trinomial(n, math.e * b, 0.0), trinomial(n // 2, 0.0, b)
    assert fftconvolve(first, second)[table[:61, :61] <= 0.05].sum() > 3 * 0.05


@pytest.mark.chance(0.0, "no random numbers")
@pytest.mark.parametrize("counts", [(5, 2, 9, 1), (50, 20, 0, 0), (1, 7, 3, 3)])
def test_the_p_value_and_the_limit_are_scipys(counts):
    k, l = counts[0] + counts[2], counts[1] + counts[3]
    r = math.e
    expected = binomtest(k, k + l, r / (1.0 + r), alternative="greater").pvalue
    assert two_tails_p_value(*counts, 1.0) == pytest.approx(expected if expected <= 0.5 else 1.0, rel=1e-9)
    limit = two_tails_lower(*counts, 0.05)
    if limit > 0.0:
        assert two_tails_p_value(*counts, limit) == pytest.approx(0.05, rel=1e-6)


@pytest.mark.chance(
    2e-6,
    "a count of misses, against its binomial quantile, and means 5 standard errors from their target",
)
@pytest.mark.parametrize(("n", "target"), [(10**5, 0.9895), (10**6, 0.9965)])
def test_a_laplace_is_bounded_more_tightly_from_both_tails(n, target):
    """Mean over 2000 draws, of which the target is five standard errors away at the smaller n."""
    rng = np.random.default_rng(7)
    more, less = rng.binomial(n, 0.5, (2, 2000)), rng.binomial(n, 0.5 * math.exp(-1.0), (2, 2000))
    both = [two_tails_lower(k, l, i, j, 0.05) for k, l, i, j in zip(more[0], less[0], more[1], less[1], strict=True)]
    one = [conditional_binomial_lower(int(k), int(l), 0.05) for k, l in zip(more[0], less[0], strict=True)]
    assert np.mean(both) > target > np.mean(one)
    assert sum(limit > 1.0 for limit in both) <= binom.isf(1e-6, 2000, 0.05)


@pytest.mark.chance(1e-7, "a mean of 200 binomial counts within 5.3 standard errors")
def test_nothing_seen_and_bad_input():
    assert two_tails_lower(0, 5, 0, 3, 0.05) == -math.inf
    assert two_tails_p_value(0, 5, 0, 3, 1.0) == 1.0
    for wrong in [(-1, 0, 0, 0, 0.05), (1.5, 0, 0, 0, 0.05), (1, 0, 0, 0, 0.0), (1, 0, 0, 0, math.nan)]:
        with pytest.raises(PrivcheckError):
            two_tails_lower(*wrong)
    with pytest.raises(PrivcheckError, match="numpy Generator"):
        coin_sides(10, 3)
    sides = [coin_sides(1000, np.random.default_rng(seed))[0] for seed in range(200)]
    assert abs(np.mean(sides) - 500.0) < 6.0  # five standard errors
