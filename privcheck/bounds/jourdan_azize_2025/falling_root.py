"""Roots of many falling functions at once, by the Illinois form of false position with bisection in between."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privcheck.arrays import Array

_STEPS = 90
"""A cap; every fourth step bisects, so that false position cannot stall."""
_GOAL = 2e-12
"""Height that counts as 0; from 2e-10 to 2e-13 the duality gaps of characteristic times did not change."""


def falling_root(function: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """Return for every entry a root in [low, high]; an end where the function has one sign only.

    Parameters
    ----------
    function : elementwise, falling from positive to negative; where undefined, 1 at `low` and -1 at `high`.
    low, high : shape (n,), `low <= high`.

    Examples
    --------
    >>> falling_root(lambda x: np.array([0.25, 2.0]) - x**2, np.zeros(2), np.ones(2)).round(9).tolist()
    [0.5, 1.0]
    """
    above, below = (_defined(function(end), value) for end, value in ((low, 1.0), (high, -1.0)))
    found = np.where(above <= 0, low, high)
    open_ = (above > 0) & (below < 0)
    last = np.zeros(len(low))
    for step in range(_STEPS):
        if not open_.any():
            break
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            guess = low + (high - low) * (above / (above - below))
        inside = (guess > low) & (guess < high) & (step % 4 != 3)
        x = np.where(inside, guess, low + (high - low) / 2)
        height = function(x)
        found = np.where(open_, x, found)
        side = np.where(height > 0, 1.0, -1.0)
        # an end that is kept twice gets half its height, which moves the next guess towards it
        above = np.where(side > 0, height, np.where(last < 0, above / 2, above))
        below = np.where(side < 0, height, np.where(last > 0, below / 2, below))
        low, high = np.where(side > 0, x, low), np.where(side < 0, x, high)
        last = side
        middle = low + (high - low) / 2
        open_ &= (np.abs(height) > _GOAL) & (low < middle) & (middle < high)
    return found


def _defined(height: Array, otherwise: float) -> Array:
    return np.where(np.isnan(height), otherwise, height)
