r"""One test of pure epsilon-DP from two disjoint events: one likelier on the first input, one on the second.

Let S be likelier on the first input and S' on the second, disjoint and both fixed before the runs are counted. Under
epsilon-DP P_1(S) <= e^epsilon P_2(S) and P_2(S') <= e^epsilon P_1(S'), hence

    P_1(S) + P_2(S') <= e^epsilon (P_2(S) + P_1(S')).

A run is a hit when it is in S on the first input or in S' on the second, and a miss when it is in S on the second or
in S' on the first. When every run's input is drawn by a fair coin, runs are independent with one law, and given
hits + misses = s the hits are Binomial(s, share) with share <= e^epsilon / (1 + e^epsilon): the test is exact. With the
same fixed number of runs on each input the two groups are strata of that law and the variance of the
hits is no larger; the size of that form is enumerated in the tests.
"""

from __future__ import annotations

import math

import numpy as np

from privcheck.declared import Integer, check
from privcheck.errors import PrivcheckError, words
from privcheck.inference._counts import EPSILON, LEVEL, RUNS
from privcheck.inference._limits import conditional_binomial_lower, tail_upper

_COUNT = Integer(0)


def two_tails_lower(more: int, less: int, mirrored_more: int, mirrored_less: int, level: float) -> float:
    """Return the lower limit of epsilon from the counts of an event and of its mirror image.

    Parameters
    ----------
    more, less : runs in S on the first and on the second input.
    mirrored_more, mirrored_less : runs in S' on the second and on the first input; 0 and 0 when there is no S'.
    level : one-sided error probability, in (0, 0.5].

    Returns
    -------
    The limit, -inf when there are no hits. The two inputs must have had equally many runs, or sides drawn by
    `coin_sides`.

    Raises
    ------
    PrivcheckError : a count that is not an integer of at least 0, or a level outside (0, 0.5].

    Source
    ------
    Przyborowski and Wilenski 1940 (conditional test of two Poisson rates); Clopper and Pearson 1934.

    Examples
    --------
    >>> round(two_tails_lower(50_000, 18_394, 50_000, 18_394, 0.05), 3)
    0.99
    >>> round(two_tails_lower(50_000, 18_394, 0, 0, 0.05), 3)
    0.986

    """
    hits, misses = _hits_and_misses(more, less, mirrored_more, mirrored_less)
    return conditional_binomial_lower(hits, misses, level)


def two_tails_interval(
    more: int, less: int, mirrored_more: int, mirrored_less: int, level: float
) -> tuple[float, float]:
    """Return limits of the log-ratio ln((P_1(S) + P_2(S')) / (P_2(S) + P_1(S'))), each one-sided at half the level.

    They are the limits of `two_tails_lower`, for hits and for misses, and contain the observed ln(hits / misses). The
    lower one is at most `two_tails_lower` of the same counts at the whole level. The parameters are the same.

    >>> [round(limit, 3) for limit in two_tails_interval(500, 184, 480, 190, 0.05)]
    [0.843, 1.085]
    """
    half = check("level", level, LEVEL) / 2.0
    low = two_tails_lower(more, less, mirrored_more, mirrored_less, half)
    return low, -two_tails_lower(less, more, mirrored_less, mirrored_more, half)


def two_tails_p_value(more: int, less: int, mirrored_more: int, mirrored_less: int, epsilon: float) -> float:
    """Return the p-value of the claim `epsilon` (pure, at least 0) from the same counts as `two_tails_lower`.

    It is 1 where the test's own is above one half: the conditional test is valid at levels up to that only.

    >>> two_tails_p_value(10, 0, 10, 0, 0.0) == 2.0**-20
    True
    """
    epsilon = check("epsilon", epsilon, EPSILON)
    hits, misses = _hits_and_misses(more, less, mirrored_more, mirrored_less)
    value = tail_upper(hits, hits + misses, 1.0 / (1.0 + math.exp(-epsilon))) if hits else 1.0
    return value if value <= 0.5 else 1.0


def coin_sides(runs: int, rng: np.random.Generator) -> tuple[int, int]:
    """Return how many of `runs` runs go to the first and to the second input when a fair coin is tossed for each.

    >>> sum(coin_sides(1000, np.random.default_rng(1)))
    1000
    """
    if not isinstance(rng, np.random.Generator):
        raise PrivcheckError("rng", words(type(rng).__name__), "a numpy Generator", "numpy.random.default_rng(seed)")
    runs = check("runs", runs, RUNS)
    first = int(rng.binomial(runs, 0.5))
    return first, runs - first


def _hits_and_misses(more: int, less: int, mirrored_more: int, mirrored_less: int) -> tuple[int, int]:
    hits = check("more", more, _COUNT) + check("mirrored_more", mirrored_more, _COUNT)
    misses = check("less", less, _COUNT) + check("mirrored_less", mirrored_less, _COUNT)
    return hits, misses
