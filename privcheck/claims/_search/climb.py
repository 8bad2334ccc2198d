"""Climbing from the best points: local optimisation of the relative violation on scales that suit the variables."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from privcheck.claims._claim import Reading
from privcheck.claims._search.violation import Points, violation


def climb(
    reading: Reading, start: Mapping[str, float], evaluations: int, points: Points
) -> tuple[dict[str, float], float]:
    """Return the best point that a Nelder-Mead search finds from a start, and its violation.

    Integers stay as they are: the start has already been chosen among many. The points on the way are counted.
    """
    from scipy.optimize import minimize

    moving = [of for of in reading.variables if not of.integer]
    best, value = dict(start), violation(reading, start)
    value = -math.inf if math.isnan(value) else value
    if not moving or evaluations < 10:
        return best, value
    logarithmic = [start[of.name] > 0.0 and of.searched[0] >= 0.0 for of in moving]

    def at(position: np.ndarray[tuple[int], np.dtype[np.float64]]) -> dict[str, float]:
        point = dict(start)
        for of, scaled, along in zip(moving, logarithmic, position, strict=True):
            low, high = of.searched
            moved = start[of.name] * math.exp(min(along, 50.0)) if scaled else start[of.name] + along
            point[of.name] = min(max(moved, low), high)
        return point

    def loss(position: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        found = violation(reading, at(position))
        points.add(found)
        return -found if math.isfinite(found) else 2.0

    result = minimize(
        loss,
        np.zeros(len(moving)),
        method="Nelder-Mead",
        options={"maxfev": evaluations, "xatol": 1e-9, "fatol": 1e-13},
    )
    found = at(result.x)
    reached = violation(reading, found)
    return (found, reached) if reached > value else (best, value)
