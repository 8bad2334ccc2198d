"""Private divergence of general laws: the density ratio clipped to a window of width e^epsilon.

With `TV(P, R) = max over 0 <= f <= 1 of E_P f - E_R f`, and the order of the extrema exchanged,

    inf_R KL(R || Q) + epsilon TV(P, R)  =  max over functions g with 0 <= g <= epsilon of  E_P g - ln E_Q e^g.

Both are attained at `ln dR/dQ = clip(ln dP/dQ, l, l + epsilon)`, where l makes R a probability: what clipping adds
below equals what it takes away above. R is feasible on the left and g on the right, so the two sides enclose the value.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from privcheck.arrays import Array
from privcheck.bounds._divergences import excess_from_log
from privcheck.enclosure import Enclosure

Cells = Callable[[float], tuple[Array, Array, Array]]
"""Maps l to the masses of P and of Q and to ln dP/dQ, cell by cell; neither l nor l + epsilon falls inside a cell."""

_ROUNDING = 1e-13
"""Relative widening of both ends, 450 machine epsilons: sums may have thousands of quadrature nodes."""


def clipped_divergence(cells: Cells, epsilon: float) -> Enclosure:
    """Return the enclosure of `inf_R KL(R || Q) + epsilon TV(P, R)`, in nats.

    Parameters
    ----------
    cells : the two laws; for a fixed list of atoms, a function that ignores its argument.
    epsilon : privacy budget, above 0.

    Examples
    --------
    >>> p, q = np.array([0.8, 0.2]), np.array([0.3, 0.7])
    >>> round(clipped_divergence(lambda _: (p, q, np.log(p / q)), 1.0).value, 7)
    0.3842648
    """
    level = _level(cells, epsilon)
    kl, added, removed, _ = _clip(cells, level, epsilon)
    surplus = added - removed
    total = kl + epsilon * removed
    dual = total - surplus * level + (surplus - math.log1p(surplus))
    mass = 1 + surplus
    primal = (kl + surplus - mass * math.log1p(surplus)) / mass + epsilon * (removed + max(surplus, 0.0))
    return Enclosure.between(dual, primal, relative=_ROUNDING)


def atoms(p: Array, q: Array) -> Cells:
    """Return the cells of two laws on the same atoms.

    >>> _, _, ratio = atoms(np.array([0.5, 0.5, 0.0]), np.array([0.5, 0.0, 0.5]))(0.0)
    >>> ratio.tolist()
    [0.0, inf, -inf]
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        near = np.log1p((p - q) / q)
        ratio = np.where(np.abs(p - q) < q / 2, near, np.log(p) - np.log(q))
    seen = (p > 0) | (q > 0)
    p, q, ratio = p[seen], q[seen], ratio[seen]
    return lambda _: (p, q, ratio)


def _level(cells: Cells, epsilon: float) -> float:
    """Solve for l in [-epsilon, 0] by Newton's method in a bracket, bisecting when a step leaves it."""
    low, high = -epsilon, 0.0
    level = -epsilon / 2
    for _ in range(200):
        _, added, removed, slope = _clip(cells, level, epsilon)
        surplus = added - removed
        if abs(surplus) <= 1e-15 * removed or surplus == 0:
            break
        low, high = (low, level) if surplus > 0 else (level, high)
        step = level - surplus / slope if slope > 0 else math.nan
        level = step if low < step < high else low + (high - low) / 2
        if not low < level < high:
            break
    return level


def _clip(cells: Cells, level: float, epsilon: float) -> tuple[float, float, float, float]:
    """Return KL(R || Q) of the clipped measure R, the mass added and removed, and the slope of their difference.

    All are sums of non-negative terms, each with full relative precision, so nothing cancels.
    """
    p, q, ratio = cells(level)
    below, above = ratio < level, ratio > level + epsilon
    window = np.clip(ratio, level, level + epsilon)
    with np.errstate(under="ignore", invalid="ignore"):
        raised = np.where(below, q * math.exp(level), 0.0)
        lowered = np.where(above, p * np.exp(np.minimum(window - ratio, 0.0)), 0.0)
        added = -(raised[below] * np.expm1(ratio[below] - level)).sum()
        removed = -(p[above] * np.expm1(level + epsilon - ratio[above])).sum()
        kl = excess_from_log(np.where(below, raised, np.where(above, lowered, p)), q, window).sum()
    return float(kl), float(added), float(removed), float(raised.sum() + lowered.sum())
