"""The exact law of the answers of the sparse vector technique, by quadrature over the noise of the threshold."""

from __future__ import annotations

import itertools
from functools import lru_cache

import numpy as np

from privcheck.arrays import Array, Bools

_NODES = 16
"""Gauss-Legendre nodes per panel; on panels of at most unit length the results agree with 64 nodes within 1e-13."""

_UNITS = 64
"""Unit panels beside each kink: beyond them the integrand has fallen by exp(-64), or hardly changes."""


def log_probability(distances: Array, above: Bools, ratio: float) -> float:
    r"""Return ln P(answers) for queries at these distances above the threshold.

    P = integral of f(x) prod_{below} F(r (x - d_i)) prod_{above} (1 - F(r (x - d_i))) dx, f and F the density and the
    distribution function of standard Laplace noise: given the noise x of the threshold, the answers are independent.
    The integrand is smooth between two neighbouring kinks, 0 and the d_i. The panels grow from the kinks inwards, from
    the inverse of the steepest slope to 1, and double where the next kink is far away.

    Parameters
    ----------
    distances : d_i, shape (n,), of the answered queries, in units of the threshold's noise scale.
    above : whether the answer is "above", shape (n,).
    ratio : r, the noise scale of the threshold over that of a query.

    Examples
    --------
    >>> law = [log_probability(np.zeros(1), np.array([answer]), 0.5) for answer in (True, False)]
    >>> np.exp(law).round(12).tolist()
    [0.5, 0.5]
    """
    points, log_weights = _rule(np.unique(np.append(distances, 0.0)), 1.0 + distances.size * max(1.0, ratio))
    logs = log_weights - np.abs(points) - np.log(2.0)
    signs = np.where(above, -1.0, 1.0)
    for distance, sign in zip(distances.tolist(), signs.tolist(), strict=True):
        logs += _log_cdf(sign * ratio * (points - distance))
    top = np.max(logs)
    return float(top + np.log(np.sum(np.exp(logs - top))))


def _log_cdf(x: Array) -> Array:
    tail = -np.abs(x) - np.log(2.0)
    found: Array = np.where(x < 0.0, tail, np.log1p(-np.exp(tail)))
    return found


@lru_cache(maxsize=1)
def _legendre() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights


def _rule(kinks: Array, slope: float) -> tuple[Array, Array]:
    """Return points and logarithms of weights between the sorted, distinct kinks, for logarithms of this slope."""
    nodes, weights = _legendre()
    growing = np.minimum(2.0 ** np.arange(np.ceil(np.log2(slope)) + _UNITS) / slope, 1.0)
    grid = np.concatenate(([0.0], np.cumsum(np.concatenate((growing, 2.0 ** np.arange(1.0, 60.0))))))
    near = grid[grid <= grid[growing.size]]
    edges = [kinks[0] - near[::-1]]
    for left, right in itertools.pairwise(kinks):
        half = grid[grid < (right - left) / 2.0]
        edges += [left + half, right - half[::-1]]
    cuts = np.concatenate([*edges, kinks[-1] + near])
    low, width = cuts[:-1], np.diff(cuts)
    low, width = low[width > 0.0], width[width > 0.0]
    points = low[:, None] + width[:, None] * (nodes + 1.0) / 2.0
    return points.ravel(), (np.log(width)[:, None] + np.log(weights / 2.0)).ravel()
