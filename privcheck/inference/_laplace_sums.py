"""The exact law of a sum of independent Laplace variables, and its quantiles."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from privcheck.arrays import Array, Integers


def log_tail(threshold: float, count: int) -> float:
    """Return ln P(Z_1 + ... + Z_count > threshold) for independent standard Laplace variables Z_i.

    Parameters
    ----------
    threshold : >= 0.
    count : >= 1.

    Notes
    -----
    The sum is the waiting time for `count` events of one Poisson process minus that of another. If the first process
    has j < count events by the time `threshold`, the sum exceeds the threshold when the second then has its `count`
    events before the first has its other count - j: in 2 count - 1 - j fair coin tosses, at most count - 1 - j heads.

    Source: Kotz, Kozubowski and Podgorski (2001), Section 2.3, for the law of the sum.

    Examples
    --------
    >>> round(math.exp(log_tail(1.0, 1)), 6), round(math.exp(log_tail(0.0, 5)), 6)
    (0.18394, 0.5)
    """
    return float(_log_tails(np.array([threshold]), np.array([count]))[0])


@lru_cache(maxsize=64)
def radii(largest: int, probability: float) -> tuple[float, ...]:
    """Return for each count from 0 to `largest` how far a sum of standard Laplace variables is from 0, rounded up.

    Parameters
    ----------
    largest : the largest count, >= 1.
    probability : in (0, 1): P(|sum| > radius) is at most this, and equal to it up to the rounding.

    Examples
    --------
    >>> [round(radius, 4) for radius in radii(3, 0.01)]
    [0.0, 4.6052, 5.9902, 7.0598]
    """
    counts, target = np.arange(1, largest + 1), math.log(probability / 2.0)
    low, high = np.zeros(largest), np.ones(largest)
    while (above := _log_tails(high, counts) > target).any():
        high[above] *= 2.0
    for _ in range(60):
        middle = (low + high) / 2.0
        above = _log_tails(middle, counts) > target
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return (0.0, *(high * (1.0 + 1e-12)).tolist())


def _log_tails(thresholds: Array, counts: Integers) -> Array:
    from scipy.special import bdtr, gammaln, logsumexp, xlogy

    events, count, x = np.arange(counts.max()), counts[:, None], thresholds[:, None]
    left = np.maximum(count - 1 - events, 0)
    logs = xlogy(events, x) - x - gammaln(events + 1.0) + np.log(bdtr(left, count + left, 0.5))
    tails: Array = logsumexp(np.where(events < count, logs, -math.inf), axis=1)
    return tails
