r"""Confidence limits for the log-ratio of two event probabilities, from independent counts.

An event was seen k times in n runs on one stream and l times in n runs on the other, with probabilities p and q. Pure
epsilon-DP requires p <= e^epsilon q for every event, so a lower limit of ln(p / q) is a lower limit of epsilon.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import betainc, betainccinv, betaincinv, betaln, xlog1py, xlogy

from privcheck.arrays import Array, Integers
from privcheck.declared import check
from privcheck.inference._counts import LEVEL

SMALLEST = 1e-100
"""Level below which Chernoff's inequality replaces the exact limits: scipy's inverses are NaN or too large there."""


def conditional_binomial_lower(k: int, l: int, level: float) -> float:
    r"""Return the one-sided lower limit of ln(p / q) by the conditional binomial.

    If p = r q with rare events, K given K + L = s is Binomial(s, r / (1 + r)); the Clopper-Pearson limit of that share
    is turned into a limit of ln r. For events that are not rare the two binomials vary less than the Poissons behind
    this argument and the test is conservative: its size is enumerated in the tests over p, q, n and level, and never
    exceeds the level.

    Parameters
    ----------
    k, l : counts of the event in the same fixed number of independent runs on the first and on the second stream.
    level : one-sided error probability, in (0, 0.5].

    Returns
    -------
    The limit, -inf when k = 0.

    Source
    ------
    Przyborowski and Wilenski 1940 (conditional test of two Poisson rates); Clopper and Pearson 1934.

    Examples
    --------
    >>> round(conditional_binomial_lower(500, 184, 0.05), 3)
    0.855

    """
    level = check("level", level, LEVEL)
    if k == 0:
        return -math.inf
    share = chance_lower(k, k + l, level)
    return math.log(share) - math.log1p(-share) if share > 0.0 else -math.inf


def clopper_pearson(k: int, n: int, level: float) -> tuple[float, float]:
    """Return the lower and the upper Clopper-Pearson limit of a probability, each one-sided at `level`.

    >>> clopper_pearson(0, 10, 0.05)[0]
    0.0
    """
    level = check("level", level, LEVEL)
    if level < SMALLEST:
        return chance_lower(k, n, level), float(chances_upper(np.array(k), n, level))
    return chance_lower(k, n, level), float(betainccinv(k + 1, n - k, level)) if k < n else 1.0


def chance_lower(k: int, n: int, level: float) -> float:
    """Return the p at which P(Binomial(n, p) >= k) is the level, 0 if k is 0."""
    if k == 0:
        return 0.0
    return float(betaincinv(k, n - k + 1, level) if level >= SMALLEST else _chernoff_lower(k, n, level))


def chances_lower(k: Integers, n: int, level: float) -> Array:
    """Return the lower Clopper-Pearson limits of many probabilities, shape (m,), each one-sided at `level`.

    >>> chances_lower(np.array([0, 10]), 10, 0.5**10).round(9).tolist()
    [0.0, 0.5]
    """
    if level < SMALLEST:
        return _chernoff_lower(k, n, level)
    return np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, level), 0.0)


def chances_upper(k: Integers, n: int, level: float) -> Array:
    """Return their upper limits, from the level and not from 1 less it, which is rounded.

    >>> chances_upper(np.array([0, 10]), 10, 0.5**10).round(9).tolist()
    [0.5, 1.0]
    """
    if level < SMALLEST:
        return np.minimum(1.0, np.nextafter(1.0 - _chernoff_lower(n - k, n, level), 2.0))
    return np.where(k < n, betainccinv(k + 1, np.maximum(n - k, 1), level), 1.0)


def tail_upper(k: int, n: int, chance: float) -> float:
    """Return P(Binomial(n, chance) >= k) for k above its mean; Chernoff's bound where the probability is tiny.

    >>> tail_upper(10, 10, 0.5) == 0.5**10, 0.0 < tail_upper(2300, 2331, 0.73) < 1e-200
    (True, True)
    """
    return float(tails_upper(k, n, np.array(chance)))


def tails_upper(k: int, n: int, chances: Array) -> Array:
    """Return the same for many chances, shape (m,), of any size; never 0 where floats above 0 are smaller than that.

    >>> tails_upper(0, 10, np.array([0.5])).tolist(), tails_upper(10, 10, np.array([0.5, 1.0])).tolist()
    ([1.0], [0.0009765625, 1.0])
    """
    if k == 0:
        return np.ones(np.shape(chances))
    values = betainc(k, n - k + 1, chances)
    tiny = (values < SMALLEST) & (k > n * chances)
    ratios = xlogy(k, chances * n / k) + (xlogy(n - k, (1.0 - chances) * n / (n - k)) if k < n else 0.0)
    return np.asarray(np.where(tiny, np.exp(ratios * (1.0 - 1e-13)), values))


def _chernoff_lower(k: Any, n: int, level: float) -> Array:
    """Return the p up to k / n at which exp(-n KL(k / n || p)) is the level, rounded down; elementwise."""
    share = np.maximum(k, 0.5) / n
    most = xlogy(k, share) + xlog1py(n - k, -share) + math.log(level)
    low, high = np.full(np.shape(k), -800.0), np.log(share)
    for _ in range(64):
        middle = low + (high - low) / 2.0
        below = k * middle + xlog1py(n - k, -np.exp(middle)) <= most
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.where(np.greater(k, 0), np.exp(low) * (1.0 - 1e-12), 0.0)


def anytime_limits(k: int, n: int, level: float) -> tuple[float, float]:
    """Return limits of a probability that hold for all n simultaneously: the probability that any of them misses is at
    most 2 `level`.

    The likelihood averaged uniformly over p, divided by the likelihood of the true p, is a test martingale.

    Source
    ------
    Ville 1939; Robbins 1970 (Statistical methods related to the law of the iterated logarithm).

    Examples
    --------
    >>> [round(limit, 3) for limit in anytime_limits(500, 1000, 0.025)]
    [0.444, 0.556]

    """
    level = check("level", level, LEVEL)
    average = float(betaln(k + 1, n - k + 1))
    least = average - 1e-15 * abs(average) + math.log(2.0 * level)
    return math.exp(_least_logarithm(k, n - k, least)), -math.expm1(_least_logarithm(n - k, k, least))


def _least_logarithm(seen: int, missed: int, least: float) -> float:
    """Return the logarithm of the smallest probability of which the log-likelihood is `least`, rounded down."""
    from scipy.optimize import brentq

    def excess(x: float) -> float:
        return seen * x + (missed * math.log(-math.expm1(x)) if missed else 0.0) - least

    lowest, top = -690.0, math.log(seen / (seen + missed)) if seen else -math.inf
    if top <= lowest or excess(lowest) >= 0.0:
        return -math.inf
    return (float(brentq(excess, lowest, top, xtol=1e-300, rtol=1e-15)) if missed else least / seen) * (1.0 + 1e-12)


def clopper_pearson_lower(
    k: int, l: int, n: int, level: float, delta: float = 0.0, mirrored: tuple[int, int] | None = None
) -> float:
    """Return the lower limit of ln((p - delta) / q) by two Clopper-Pearson limits at half the level each; -inf when p
    - delta may be 0.

    With the counts of a mirror image on the second and on the first stream, p and q are sums of two probabilities with
    limits at a quarter of the level each.

    >>> clopper_pearson_lower(500, 184, 1000, 0.05) < conditional_binomial_lower(500, 184, 0.05)
    True
    """
    level = check("level", level, LEVEL)
    tails = [(k, l)] if mirrored is None else [(k, l), mirrored]
    each = level / (2.0 * len(tails))
    p = sum(clopper_pearson(more, n, each)[0] for more, _ in tails) - delta
    q = sum(clopper_pearson(less, n, each)[1] for _, less in tails)
    return math.log(p / q) if p > 0.0 else -math.inf
