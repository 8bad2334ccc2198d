"""A log-density on the line at many points, between which jumps, gaps and narrow peaks are looked for."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from privcheck.arrays import Array

Seen = tuple[Array, Array]
"""Points in increasing order, and the log-densities there."""

FINE = 128
"""Points in each region of the line between which kinks, gaps and jumps are looked for."""

SCAN = 2**17
"""Points at equal distances, between which jumps are looked for as well: a cell of a hundred-thousandth has some."""

OFFSET = 0.3819660112501051
"""Share of a distance by which these are moved, so that few of them are round numbers, at which densities jump."""

MOST_PEAKS, NARROW, DEEP, LIGHT = 12, 32, 2.0, 1e-9
"""Most narrow peaks that are named: those with the largest products of density and width, from which the log-density
falls by `DEEP` within a part of the region that they are in. Lighter ones than the last number are left out.
"""


def fine_points(cuts: Array) -> Array:
    """Return points of the line: many in each region, over all orders of magnitude in the infinite ones."""
    inner = cuts[np.isfinite(cuts)]
    steps = np.arange(FINE) / FINE
    parts = [(inner[:-1, None] + np.diff(inner)[:, None] * steps).ravel(), inner[-1:]]
    reach = np.logspace(-6.0, 12.0, FINE)
    if cuts[0] == -math.inf:
        parts.append(inner[0] - reach)
    if cuts[-1] == math.inf:
        parts.append(inner[-1] + reach)
    found: Array = np.unique(np.concatenate(parts))
    return found


def looked_at(log: Callable[[Array], Array], cuts: Array, also: Array | None = None, scan: int = SCAN) -> Seen:
    """Return points within the support, at the ends of which densities may be without bound, and log-densities there.

    Parameters
    ----------
    log : the log-density at n points, shape (n,).
    cuts : where regions of the line end, from one end of the support to the other.
    also : more points to look at, such as samples.
    scan : points at equal distances that are looked at.
    """
    inner = cuts[np.isfinite(cuts)]
    equal = inner[0] + (inner[-1] - inner[0]) * ((np.arange(scan) + OFFSET) / scan)
    parts = [fine_points(cuts), equal, *([] if also is None else [also])]
    points = np.unique(np.concatenate(parts))
    inside: Array = points[(points > cuts[0]) & (points < cuts[-1])]
    return inside, log(inside)


def narrow_peaks(seen: Seen, cuts: Array) -> Array:
    """Return points of the line at narrow peaks of a log-density: quadrature would step over these.

    Parameters
    ----------
    seen : points that were looked at.
    cuts : where regions end.

    Examples
    --------
    >>> cuts = np.array([0.0, 0.5, 1.0])
    >>> narrow_peaks(looked_at(lambda x: np.where(np.abs(x - 0.3) < 0.002, 0.0, -9.0), cuts), cuts).round(2)
    array([0.3])
    """
    points, values = seen
    inner = values[1:-1]
    tops = 1 + np.flatnonzero((inner > values[:-2]) & (inner >= values[2:]))
    if not len(tops):
        return points[:0]
    regions = np.searchsorted(cuts, points[tops])
    widths = np.minimum(cuts[regions] - cuts[regions - 1], np.ptp(points)) / NARROW
    low, high = (np.searchsorted(points, points[tops] + sign * widths) for sign in (-1.0, 1.0))
    low, high = np.maximum(low - 1, 0), np.minimum(high, len(points) - 1)
    fallen = np.maximum(values[low], values[high]) < values[tops] - DEEP
    near = (points[tops + 1] - points[tops - 1]) * np.exp(values[tops] - values.max())
    heavy = fallen & (near > LIGHT * np.sum(np.exp(values[1:] - values.max()) * np.diff(points)))
    order = np.argsort(-near[heavy], kind="stable")[:MOST_PEAKS]
    found: Array = points[tops[heavy][order]]
    return found
