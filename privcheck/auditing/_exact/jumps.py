"""Where a log-density on the line jumps: quadrature has to end there, or its error cannot be told."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from privcheck.arrays import Array, Bools
from privcheck.auditing._exact.scan import SCAN, Seen, looked_at

MANY, CLOSER = 8, 8
"""Where there are more jumps than the first, so many times more points are looked at, for cells that are narrow."""

HIDDEN = 10.0
"""The estimate of the mass of cells that are not seen is multiplied by this."""

LEAST = 1e-11
"""Smaller jumps of a log-density are left to the quadrature."""

ROUGH = 8.0
"""A second derivative is looked into if it is so many times that of the points nearby."""

CALM = 3
"""Halvings in a row that a smooth function would pass, after which an interval is called smooth."""

LEVELS = 100
"""Most halvings of an interval."""

MOST_HALVED = 20_000
"""Most intervals that are halved at a time, those with most at stake first."""

MOST_JUMPS = 8192
"""Most jumps at which quadrature ends; the others count as an error."""

NEGLIGIBLE = 500.0
"""Log-densities below the highest one minus this are taken for that: rounding makes steps of numbers near the least."""

SHARE_MISSED = 0.1
"""Quadrature over an interval with a jump in it is off by at most about this share of jump times width."""


def jumps(log: Callable[[Array], Array], cuts: Array, seen: Seen) -> tuple[Array, float, float]:
    """Return where a log-density jumps, the largest one seen, and the error of jumps at which no region is to end.

    An interval between two points is halved as long as the function does not look smooth in it, down to neighbouring
    numbers. A cell between two of the points, with equal densities on both of its sides, is not seen. Where there are
    more than `MANY` jumps, the error has an estimate of such cells, from as many jumps after each: at a distance h of
    the points and r jumps in a unit of length, another one follows a jump within h with probability about r h.

    Parameters
    ----------
    log : the log-density at n points, shape (n,).
    cuts : where regions of the line end, from one end of the support to the other.
    seen : points that were looked at.

    Returns
    -------
    The places in increasing order, the logarithm of the highest density seen, and the error in units of this density.

    Examples
    --------
    >>> log, cuts = lambda x: np.where(x < 0.3, 0.0, x), np.array([0.0, 1.0])
    >>> places, _, error = jumps(log, cuts, looked_at(log, cuts))
    >>> places.round(9).tolist(), error
    ([0.3], 0.0)
    """
    found, closer = _looked_for(log, seen), CLOSER * SCAN
    if len(found[0]) > MANY:
        found = _looked_for(log, looked_at(log, cuts, seen[0], closer))
    places, before, after, highest = found
    if not len(places):
        return places, highest, 0.0
    sizes = np.abs(np.exp(before - highest) - np.exp(after - highest))
    distance = np.ptp(cuts[np.isfinite(cuts)]) / closer
    apart = (places[MANY:] - places[:-MANY]) / MANY
    hidden = HIDDEN * np.where(apart > distance, sizes[:-MANY] * distance**2 / apart, 0.0).sum()
    order = np.argsort(-sizes, kind="stable")
    kept, left = np.sort(places[order[:MOST_JUMPS]]), order[MOST_JUMPS:]
    ends = np.unique(np.concatenate([cuts[np.isfinite(cuts)], kept]))
    where = np.searchsorted(ends, places[left])
    inside = (where > 0) & (where < len(ends))
    widths = ends[where[inside]] - ends[where[inside] - 1]
    return kept, highest, float(hidden + SHARE_MISSED * (sizes[left][inside] * widths).sum())


def _looked_for(log: Callable[[Array], Array], seen: Seen) -> tuple[Array, Array, Array, float]:
    """Return the places of jumps in order, the log-densities before and after them, and the highest one seen."""
    points, values = seen
    highest = float(values.max())
    if highest == -math.inf:
        return np.zeros(0), np.zeros(0), np.zeros(0), highest

    def floored(x: Array) -> Array:
        found: Array = np.maximum(log(x), highest - NEGLIGIBLE)
        return found

    values = np.maximum(values, highest - NEGLIGIBLE)
    rough, least = _rough(points, values)
    places, before, after = _halved(floored, points, values, rough, least, highest)
    order = np.argsort(places, kind="stable")
    top = max([highest, *before.tolist(), *after.tolist()])
    return places[order], before[order], after[order], top


def _rough(points: Array, values: Array) -> tuple[Bools, Array]:
    """Return between which neighbouring points a function is not as smooth as nearby, and the least jump there.

    A jump is in the second derivatives, as differences tell them, of the two points around it alone, so they are
    compared with those two points away.
    """
    widths = np.diff(points)
    with np.errstate(over="ignore", invalid="ignore"):  # next to 0, points are as close as numbers can be
        slopes = np.diff(values) / widths
        second = np.abs(np.diff(slopes)) * 2.0 / (widths[1:] + widths[:-1])
        padded = np.pad(second, 2, mode="edge")
        usual = np.minimum(padded[:-4], padded[4:])
        size = np.maximum(np.abs(values[1:]), np.abs(values[:-1]))
        rounding = np.maximum(np.abs(points[1:]), np.abs(points[:-1])) * np.abs(slopes)
        least = LEAST + 2.0**-48 * size + 2.0**-50 * rounding
        at_points = (second - ROUGH * usual) * widths[1:] * widths[:-1] / 2.0 > np.maximum(least[1:], least[:-1])
    rough = np.zeros(len(widths), bool)
    rough[:-1] |= at_points
    rough[1:] |= at_points
    return rough, least


def _halved(
    log: Callable[[Array], Array], points: Array, values: Array, rough: Bools, least: Array, highest: float
) -> tuple[Array, Array, Array]:
    """Return the places of jumps in rough intervals, and the log-densities before and after each of them."""
    low, high, before, after = points[:-1][rough], points[1:][rough], values[:-1][rough], values[1:][rough]
    least = least[rough]
    parent, calm = np.full(len(low), math.inf), np.zeros(len(low), int)
    found: list[tuple[Array, Array, Array]] = []
    for _ in range(LEVELS):
        ended = high - low <= 2.0 * np.spacing(np.maximum(np.abs(low), np.abs(high)))
        jump = ended & (np.abs(after - before) > least)
        found.append((high[jump], before[jump], after[jump]))
        going = np.flatnonzero(~ended)
        if len(going) > MOST_HALVED:
            stake = np.exp(np.maximum(before, after)[going] - highest) * (high - low)[going]
            going = going[np.argsort(-stake * np.minimum(1.0, np.abs(after - before)[going]))[:MOST_HALVED]]
        if not len(going):
            break
        low, high, before, after, least = (each[going] for each in (low, high, before, after, least))
        middle = low + (high - low) / 2.0
        between = log(middle)
        bent, change = np.abs(between - (before + after) / 2.0), np.abs(after - before)
        smooth = (bent <= least + 0.5 * parent[going]) & (bent <= least + 0.1 * change)
        calm = np.where(smooth, calm[going] + 1, 0)
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
        before, after = np.concatenate([before, between]), np.concatenate([between, after])
        least, parent, calm = np.tile(least, 2), np.tile(bent, 2), np.tile(calm, 2)
        kept = (calm < CALM) & (np.abs(after - before) > least)
        low, high, before, after, least, parent, calm = (
            each[kept] for each in (low, high, before, after, least, parent, calm)
        )
    places, earlier, later = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return places, earlier, later
