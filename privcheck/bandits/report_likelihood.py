"""The likelihood of one-bit reports in the mean of the rewards: its maximum, its mixture, and two arms with one mean.

Of n reports s are 1. With the chance P(m) = q + (p - q) m of a report 1 for a mean m,

    L(m) = s ln P(m) + (n - s) ln(1 - P(m)),

which is concave in m, with its maximum over [0, 1] where P is s / n moved to [q, p].
"""

from __future__ import annotations

import math

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.kernels import compiled

CUT = 40.0
"""How many nats below the maximum the mixture is cut off: that only makes it smaller."""

NODES, WEIGHTS = (0.5 * part for part in np.polynomial.legendre.leggauss(32))
NODES += 0.5
"""Gauss and Legendre's rule on [0, 1]."""


@compiled
def log_likelihood(ones: float, n: float, chance: float) -> float:
    """Return s ln P + (n - s) ln(1 - P), for P in (0, 1).

    >>> round(log_likelihood(1.0, 2.0, 0.5), 6)
    -1.386294
    """
    return ones * math.log(chance) + (n - ones) * math.log1p(-chance)


@compiled
def likeliest_chance(ones: float, n: float, q: float) -> float:
    """Return the P in [q, 1 - q] at which L is largest.

    >>> likeliest_chance(9.0, 10.0, 0.25), likeliest_chance(5.0, 10.0, 0.25)
    (0.75, 0.5)
    """
    return min(max(ones / n, q), 1.0 - q)


@compiled
def reach(ones: float, n: float, q: float, end: float) -> float:
    """Return how far from the maximum, toward the end q or 1 - q, L is less than 40 nats below it.

    >>> reach(5.0, 10.0, 0.25, 0.75), round(reach(5000.0, 10_000.0, 0.25, 0.75), 3)
    (0.25, 0.045)
    """
    peak = likeliest_chance(ones, n, q)
    floor = log_likelihood(ones, n, peak) - CUT
    inside, outside = 0.0, end - peak
    if log_likelihood(ones, n, end) >= floor:
        return outside
    while abs(outside - inside) > 0.01 * abs(outside):
        middle = 0.5 * (inside + outside)
        if log_likelihood(ones, n, peak + middle) >= floor:
            inside = middle
        else:
            outside = middle
    return outside


@compiled
def log_mixture(ones: float, n: float, q: float, spread: float) -> float:
    """Return the logarithm of the mean of e^L(m) over m uniform in [0, 1], cut off 40 nats below its maximum.

    Each side of the maximum by Gauss and Legendre's rule, to 1e-9 of the value.

    Parameters
    ----------
    ones, n : s and n, the reports that are 1, and all reports.
    q, spread : q and p - q.

    >>> round(math.exp(log_mixture(3.0, 5.0, 0.0, 1.0)) * 60.0, 6)
    1.0
    """
    peak = likeliest_chance(ones, n, q)
    top, total = log_likelihood(ones, n, peak), 0.0
    for end in (q, 1.0 - q):
        width = reach(ones, n, q, end)
        part = 0.0
        if width != 0.0:
            for i in range(NODES.shape[0]):
                part += WEIGHTS[i] * math.exp(log_likelihood(ones, n, peak + width * NODES[i]) - top)
        total += abs(width) * part
    return top + math.log(total / spread)


@compiled
def common_mean(ones: Array, pulls: Array | Integers, leader: int, arm: int, q: float) -> float:
    """Return the largest log-likelihood of two arms' reports if the leader's mean is at most the other arm's.

    Of concave functions, one with its maximum to the right of the other's, it is attained where both means are equal.

    >>> ones, pulls = np.array([7.0, 3.0]), np.array([10.0, 10.0])
    >>> round(common_mean(ones, pulls, 0, 1, 0.1), 6) == round(20.0 * math.log(0.5), 6)
    True
    """
    first, other = likeliest_chance(ones[leader], pulls[leader], q), likeliest_chance(ones[arm], pulls[arm], q)
    if first > other:
        first = other = likeliest_chance(ones[leader] + ones[arm], pulls[leader] + pulls[arm], q)
    return log_likelihood(ones[leader], pulls[leader], first) + log_likelihood(ones[arm], pulls[arm], other)
