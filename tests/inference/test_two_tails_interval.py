"""The two-sided limits of the log-ratio of an event and its mirror image: exact coverage by enumeration, and order."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import fftconvolve
from scipy.stats import binom, binomtest, multinomial

from privcheck.inference import clopper_pearson_lower, two_tails_interval, two_tails_lower

RATES = [0.0, 1e-3, 0.1, 0.3, 0.5, 1.0]


def trinomial(n, x, y):
    i, j = np.indices((n + 1, n + 1))
    rest = n - i - j
    law = multinomial(n, [x, y, max(0.0, 1.0 - x - y)])
    return np.where(rest >= 0, law.pmf(np.stack([i, j, np.maximum(rest, 0)], -1)), 0.0)


def laws(n):
    """Yield true log-ratios and laws of (hits, misses), shape (2 n + 1, 2 n + 1), for pairs of laws of two tails."""
    for a, d, b, c in itertools.product(RATES, repeat=4):
        if a + d <= 1.0 and b + c <= 1.0 and (a + c) * (b + d) > 0.0:
            yield math.log((a + c) / (b + d)), fftconvolve(trinomial(n, a, d), trinomial(n, c, b))


def limits(n, level):
    pairs = [[two_tails_interval(h, m, 0, 0, level) for m in range(2 * n + 1)] for h in range(2 * n + 1)]
    return np.array(pairs)


def largest_miss(n, low, high):
    return max(law[(low > truth + 1e-9) | (high < truth - 1e-9)].sum() for truth, law in laws(n))


@pytest.mark.parametrize(("n", "level"), [(2, 0.5), (4, 0.2), (7, 0.5), (7, 0.05), (12, 0.05)])
def test_the_interval_covers_for_every_pair_of_laws(n, level):
    """Strata of any two laws, so also tails of different sizes and a ratio on the other side of 1."""
    found = limits(n, level)
    assert 0.2 * level < largest_miss(n, found[..., 0], found[..., 1]) <= level


def test_limits_at_the_whole_level_on_either_side_are_caught():
    found = limits(12, 0.4)
    assert largest_miss(12, found[..., 0], found[..., 1]) > 0.2


@pytest.mark.parametrize("epsilon", [-1.0, 0.0, 0.5, 2.0])
@pytest.mark.parametrize("level", [0.5, 0.05, 0.01])
def test_the_interval_of_one_event_covers(epsilon, level):
    n = 60
    counts = np.arange(n + 1)
    found = np.array([[two_tails_interval(int(k), int(l), 0, 0, level) for l in counts] for k in counts])
    for q in [*np.geomspace(1e-4, 0.5, 20), 0.9, 1.0, math.exp(-abs(epsilon))]:
        p = min(1.0, math.exp(epsilon) * q)
        missed = (found[..., 0] > math.log(p / q) + 1e-12) | (found[..., 1] < math.log(p / q) - 1e-12)
        assert binom.pmf(counts, n, p) @ missed @ binom.pmf(counts, n, q) <= level
    assert (found[..., 0] < found[..., 1]).all()


@pytest.mark.chance(0.0, "an identity that holds for all counts")
@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    counts=st.tuples(*[st.integers(0, 3000)] * 4),
    level=st.floats(1e-6, 0.5),
)
def test_the_interval_holds_the_estimate_and_the_bounds(counts, level):
    """And it is scipy's Clopper-Pearson interval of the share of hits, turned into a log-ratio."""
    hits, misses = counts[0] + counts[2], counts[1] + counts[3]
    low, high = two_tails_interval(*counts, level)
    lower = two_tails_lower(*counts, level)
    textbook = clopper_pearson_lower(counts[0], counts[1], 3000, level, 0.0, (counts[2], counts[3]))
    if hits + misses == 0:
        assert (low, high) == (-math.inf, math.inf)
        return
    value = math.inf if not misses else math.log(hits / misses) if hits else -math.inf
    assert low <= lower <= value <= high
    assert textbook <= value
    shares = binomtest(hits, hits + misses).proportion_ci(1.0 - level, method="exact")
    for share, end in ((shares.low, low), (shares.high, high)):
        assert 1.0 / (1.0 + math.exp(-end)) == pytest.approx(share, rel=1e-6, abs=1e-10)


def test_the_hull_of_two_intervals_is_not_this_one():
    """A strong tail beside a weak one: the hull began below 0 next to a lower bound of 1.9."""
    counts = (7000, 1000, 60, 70)
    low, high = two_tails_interval(*counts, 0.05)
    assert 1.8 < low < two_tails_lower(*counts, 0.05) < math.log(7060 / 1070) < high < 2.0
