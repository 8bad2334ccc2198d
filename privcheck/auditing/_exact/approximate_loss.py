"""The loss of two given laws by one sum over fixed points: a rank among pairs, never a bound."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logsumexp

from privcheck.arrays import Array
from privcheck.auditing._exact.given_density import Density, common_cuts

POINTS = (8, 4, 2)
"""Points in each region along an axis, for 1, 2 and 3 dimensions."""

LEAST_DELTA = 1e-6
"""Epsilon is ranked at no smaller delta: rarer events lie where the sum has few points, and no run sees them."""

LARGEST = 700.0
"""Log-ratios above this are beyond floating point."""


def approximate_loss(one: Density, two: Density, delta: float) -> float:
    """Return about the epsilon of two laws at delta, the larger of both directions, at most 700.

    Both laws are summed over Gauss-Legendre points between the finite cuts, and divided by their sums.

    Parameters
    ----------
    one, two : laws of equally many numbers.
    delta : that of the claim.

    Examples
    --------
    >>> from scipy import stats
    >>> one, two = (Density(stats.laplace(place, 2.0), "law") for place in (0.0, 1.0))
    >>> round(approximate_loss(one, two, 0.0), 1)
    0.5
    """
    points, weights = np.polynomial.legendre.leggauss(POINTS[one.dimensions - 1])
    axes, sizes = [], []
    for cuts in common_cuts(one, two):
        inner = cuts[np.isfinite(cuts)]
        widths = np.diff(inner)
        axes.append((inner[:-1, None] + widths[:, None] * (points + 1.0) / 2.0).ravel())
        sizes.append(np.log(widths[:, None] * weights / 2.0).ravel())
    grid = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    size = sum(axis.ravel() for axis in np.meshgrid(*sizes, indexing="ij"))
    p, q = (law.log(grid) + size for law in (one, two))
    if not (p.max() > -math.inf and q.max() > -math.inf):
        return 0.0
    p, q = p - logsumexp(p), q - logsumexp(q)
    seen = np.maximum(p, q) > -math.inf
    ratios = np.clip(p[seen] - q[seen], -LARGEST, LARGEST)
    least = max(delta, LEAST_DELTA)
    return max(_epsilon(ratios, p[seen], q[seen], least), _epsilon(-ratios, q[seen], p[seen], least))


def _epsilon(ratios: Array, p: Array, q: Array, delta: float) -> float:
    """Return the largest log-ratio at which the hockey stick of the points above it reaches delta; at least 0."""
    order = np.argsort(-ratios, kind="stable")
    sticks = np.cumsum(np.exp(p[order])) - np.exp(ratios[order]) * np.cumsum(np.exp(q[order]))
    reached = np.flatnonzero(sticks >= delta)
    return max(0.0, float(ratios[order][reached[0]])) if len(reached) else 0.0
