"""Renyi privacy of all orders at once, as epsilon at a given delta and the other way round."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from privcheck.accounting._gaussian_profile import ROUNDING, exp_up
from privcheck.arrays import Array

Curve = Callable[[Array], Array]
"""A bound on the Renyi divergence at the orders 1 + gap, as a function of these gaps."""


def epsilon_of_curve(curve: Curve, delta: float) -> float:
    """Return the smallest epsilon >= 0 that some order of a curve gives at a delta in (0, 1), rounded up.

    Source: Canonne, Kamath and Steinke 2020, Proposition 12.

    Examples
    --------
    >>> round(epsilon_of_curve(lambda gap: 0.5 * (1.0 + gap), 1e-6), 4)
    5.2215
    """

    def at(gap: Array) -> Array:
        return curve(gap) - (math.log(delta) + np.log1p(gap)) / gap - np.log1p(1.0 / gap)

    return max(0.0, least_over_orders(at) * (1.0 + ROUNDING))


def delta_of_curve(curve: Curve, epsilon: float) -> float:
    """Return the smallest delta <= 1 that some order of a curve gives at an epsilon >= 0, rounded up.

    Source: Canonne, Kamath and Steinke 2020, Proposition 12.

    Examples
    --------
    >>> round(math.log(delta_of_curve(lambda gap: 0.5 * (1.0 + gap), 5.2215)) / math.log(1e-6), 4)
    1.0
    """

    def at(gap: Array) -> Array:
        return gap * (curve(gap) - epsilon) - gap * np.log1p(1.0 / gap) - np.log1p(gap)

    least = least_over_orders(at)
    return min(1.0, exp_up(min(0.0, least + ROUNDING * (1.0 + abs(least)))))


def least_over_orders(bound: Curve) -> float:
    """Return the smallest of the bounds that the orders 1 + gap give; each of them is valid, so any minimum is sound.

    Every pass refines the grid of ln(gap) round the best point so far by a factor of 100.
    """
    low, high = -80.0, 80.0
    for _ in range(6):
        logs = np.linspace(low, high, 401)
        with np.errstate(over="ignore"):
            values = bound(np.exp(logs))
        best = int(np.nanargmin(values))
        low, high = logs[max(0, best - 2)], logs[min(400, best + 2)]
    return float(values[best])
