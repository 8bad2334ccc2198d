"""A proven bound on how far given numbers of pulls fall short of distinguishing the best arm from every other arm."""

from __future__ import annotations

import numpy as np

from privcheck.arrays import Array
from privcheck.bounds.jourdan_azize_2025.transport import ROUNDING, Transport

_GOAL = 1e-12
"""Shortfall at which the search stops: a hundred times the rounding of a cost, so that it can be reached."""
_ROUNDS = 60
"""Cells are at least halved in every round, so 60 rounds exhaust double precision."""
_CELLS = 2000
"""At most this many cells, and six per arm, are cut in a round, which limits time and memory; those whose bounds are
highest are left as they are, and the result stays proven."""


def shortfall(arms: Transport, pulls: float, others: Array, places: Array) -> float:
    """Return a bound on how far `pulls d(mu*, u) + others_a d(mu_a, u)` falls below 1, over all a and u.

    On a cell of u around x0 each of the two costs lies above its tangent less `bend (x - x0)^2 / 2`, and above its
    value at the end of the cell where it is least: the first falls in x, the second rises. The larger bound of the sum
    counts. A cell whose bound is too low is cut in three, first at `places`, until the bound is 1e-12.

    Parameters
    ----------
    arms : the costs, with their `bend`.
    pulls : of the best arm.
    others : pulls of the other arms, shape (K - 1,).
    places : estimates of where each sum is least, in (0, 1], shape (K - 1,).

    Returns
    -------
    At least 0; rounding of the costs is included. Dividing all numbers of pulls by 1 minus this bound suffices.

    Source
    ------
    Derived; the bend of Gaussian costs in docs/evidence/derivations.md.

    Examples
    --------
    >>> from privcheck.bounds.jourdan_azize_2025.transport import transport
    >>> arms = transport("gaussian", np.array([1.0, 0.0]), 1.0)
    >>> found = [shortfall(arms, n, np.array([n]), np.array([0.5])) for n in (20.0, 4.0)]
    >>> found[0] < 1e-10, found[1] > 0.2
    (True, True)
    """
    arm = np.arange(len(places))
    low, high = np.zeros(len(places)), np.ones(len(places))
    x, tangent = places, _tangents(arms, pulls, others, places)
    least = np.zeros((2, len(places)))
    worst = seen = 0.0
    for _ in range(_ROUNDS):
        missing = 1 - _least(low, x, high, tangent, least)
        seen = max(seen, float((1 - tangent[0].sum(axis=0)).max()))
        worst = max(worst, _GOAL + 2 * seen)
        open_ = missing > worst
        spare = int(open_.sum()) - _CELLS - 6 * len(places)
        if spare > 0:
            worst = float(np.partition(missing[open_], spare - 1)[spare - 1])
            open_ = missing > worst
        if not open_.any():
            break
        arm, tangent, (down, up) = arm[open_], tangent[..., open_], least[:, open_]
        low, x, high = low[open_], x[open_], high[open_]
        left, right = low + (x - low) / 2, x + (high - x) / 2
        beside, start, end = np.concatenate((arm, arm)), np.concatenate((low, right)), np.concatenate((left, high))
        chosen, few = arms.among(beside), others[beside]
        lines = _tangents(chosen, pulls, few, start + (end - start) / 2)
        inner = _heights(*chosen.costs(np.concatenate((left, right))), pulls, few)
        (down_left, down_right), (up_left, up_right) = (np.split(side, 2) for side in inner)
        arm, x = np.concatenate((arm, beside)), np.concatenate((x, start + (end - start) / 2))
        low, high = np.concatenate((left, start)), np.concatenate((right, end))
        least = np.array((np.concatenate((down_right, down_left, down)), np.concatenate((up_left, up, up_right))))
        tangent = np.concatenate((tangent, lines), axis=-1)
    return max(worst, float(missing.max()))


def _heights(down: Array, up: Array, pulls: float, others: Array) -> Array:
    """Return both terms of each sum, shape (2, n), rounded down."""
    return np.array((pulls * down, others * up)) * (1 - 4 * ROUNDING)


def _tangents(arms: Transport, pulls: float, others: Array, x: Array) -> Array:
    """Return height, slope, error of the slope and bend of both terms of each sum at x, shape (4, 2, n)."""
    down, down_slope, up, up_slope = arms.tangents(x)
    bend_down, bend_up = arms.bends(x)
    slopes = np.array((pulls * down_slope, others * up_slope))
    bends = np.array((pulls * bend_down, others * bend_up))
    return np.array((_heights(down, up, pulls, others), slopes, arms.slope_rounding * np.abs(slopes), bends))


def _least(low: Array, x: Array, high: Array, tangent: Array, least: Array) -> Array:
    """Return a lower bound of each sum on its cell, from the tangents at x and the least values of both terms."""
    height, slope, error, bend = tangent
    ends = [height + slope * step - error * np.abs(step) - bend * step**2 / 2 for step in (low - x, high - x)]
    ends = [np.where(np.isnan(end), -np.inf, end) for end in ends]
    flat = np.maximum(least, np.minimum(*ends))
    return np.asarray(np.maximum(np.minimum(*(end.sum(axis=0) for end in ends)), flat.sum(axis=0)))
