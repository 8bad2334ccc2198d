"""The probability of a chain of comparisons of independent Laplace variables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from privcheck.arrays import Array

RELATIVE_ERROR = 1e-12
"""Relative error of a chain probability; comparison with 60-digit arithmetic shows 2e-15 on random chains of up to
seven variables.
"""

SMALLEST = 1e-280
"""Chain probabilities below this may have lost accuracy to underflow."""

_NODES = 16
"""Gauss-Legendre nodes on a panel: with `_STEP`, interpolation on it is accurate to 1e-16."""

_STEP = 2.0
"""Width of a panel times the total rate, at most."""

_REACH = 40.0
"""Distance beyond all centres at which panels end: what is left of exp(-x) is below 5e-18."""


def chain_probabilities(centres: Array, rates: Sequence[int], replaced: Sequence[bool]) -> Array:
    r"""Return P(chain) for independent X_0, ..., X_m of densities n_k exp(-n_k |x - z_k|) / 2.

    One variable is held, at first X_0. X_1, ..., X_m are compared with it in turn: if `replaced` is true for X_k, the
    held variable has to be larger than X_k and is replaced by it; otherwise it has to be smaller and stays.

    The sub-density g of the held variable on the event that all comparisons so far came out as required is a function
    of one variable:

        it stays:        g(z) <- g(z) P(X_k > z)
        it is replaced:  g(z) <- f_k(z) integral from z to infinity of g

    Between neighbouring centres g is a sum of polynomials times exp(j z), with integers |j| <= R, the sum of the rates.
    There it is stored at 16 Gauss-Legendre nodes on panels of width 2 / R or less, where interpolation is accurate to
    1e-16 relative to the largest value on the panel, and g is at least a fixed fraction of that value. Beyond all
    centres everything decays at least as fast as exp(-z), and exp(-j z) matters only up to z = 40 / j: panels grow with
    the distance, up to 40. All terms that are added are positive up to interpolation, hence the relative accuracy;
    probabilities below `SMALLEST` do not have it.

    Parameters
    ----------
    centres : z_k for B problems at once, shape (B, m + 1), in units in which a rate of 1 is a scale of 1.
    rates : n_k >= 1, m + 1 of them.
    replaced : m truth values, for X_1, ..., X_m.

    Returns
    -------
    Probabilities, shape (B,), accurate to `RELATIVE_ERROR`.

    Source: the recursion above. For m = 1 and equal rates P(X_0 < X_1) = (2 + d) exp(-d) / 4, d = z_0 - z_1 >= 0.

    Examples
    --------
    >>> import numpy as np
    >>> one = chain_probabilities(np.array([[2.0, 0.0], [2.0, 1.0]]), (1, 1), (False,))
    >>> bool(np.allclose(one, [np.exp(-2.0), 3.0 * np.exp(-1.0) / 4.0], rtol=1e-14))
    True

    """
    if not replaced:
        return np.ones(len(centres))
    nodes, weights, upper = _rule()
    edges = _panels(np.sort(centres, axis=1), float(sum(rates)))
    half = np.diff(edges, axis=1)[..., None] / 2.0
    points = edges[:, :-1, None] + half * (nodes + 1.0)
    held = _density(points - centres[:, :1, None], rates[0])
    for k, replaces in enumerate(replaced, start=1):
        distance = points - centres[:, k, None, None]
        if replaces:
            beyond = _suffix_sums(half[..., 0] * (held @ weights))
            held = _density(distance, rates[k]) * (half * (held @ upper) + beyond[..., None])
        else:
            held = held * _tail(distance, rates[k])
    total: Array = np.sum(half[..., 0] * (held @ weights), axis=1)
    return total


def _density(distance: Array, rate: int) -> Array:
    values: Array = 0.5 * rate * np.exp(-rate * np.abs(distance))
    return values


def _tail(distance: Array, rate: int) -> Array:
    """Return P(X > x) at these distances of x from the centre."""
    half = 0.5 * np.exp(-rate * np.abs(distance))
    tail: Array = np.where(distance > 0.0, half, 1.0 - half)
    return tail


def _suffix_sums(sums: Array) -> Array:
    """Return the sum of the entries after each one, along the last axis."""
    beyond = np.zeros_like(sums)
    beyond[:, :-1] = np.cumsum(sums[:, :0:-1], axis=1)[:, ::-1]
    return beyond


def _panels(centres: Array, rate: float) -> Array:
    """Return the edges of the panels, shape (B, P + 1), for sorted centres of shape (B, m + 1)."""
    outside = [0.0]
    while outside[-1] < _REACH:
        outside.append(outside[-1] + max(_STEP / rate, outside[-1] / 2.0))
    away = np.array(outside)
    edges = [centres[:, :1] - away[:0:-1]]
    for left, right in zip(centres.T[:-1], centres.T[1:], strict=True):
        gap = right - left
        count = max(1, int(np.ceil(gap.max() * rate / _STEP)))
        edges.append(left[:, None] + gap[:, None] * (np.arange(count) / count))
    edges.append(centres[:, -1:] + away)
    return np.concatenate(edges, axis=1)


@lru_cache(maxsize=1)
def _rule() -> tuple[Array, Array, Array]:
    """Return Gauss-Legendre nodes, weights, and U with f(nodes) @ U = the integrals of f from each node to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    values = np.polynomial.legendre.legvander(nodes, _NODES)
    degrees = np.arange(1, _NODES)
    integrals = np.empty((_NODES, _NODES))
    integrals[:, 0] = 1.0 - nodes
    integrals[:, 1:] = (values[:, :-2] - values[:, 2:]) / (2.0 * degrees + 1.0)
    coefficients = weights[:, None] * values[:, :-1] * (np.arange(_NODES) + 0.5)
    return nodes, weights, coefficients @ integrals.T
