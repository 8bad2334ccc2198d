"""The cost, in private divergence, of moving the best arm and another arm to a common mean."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privcheck.arrays import Array
from privcheck.bounds._divergences import kl_from_complements
from privcheck.bounds._gaussian_private_divergence import SLOPE_ROUNDING, gaussian_private_divergence
from privcheck.bounds._private_divergence import d_epsilon_from_complements
from privcheck.bounds.jourdan_azize_2025.falling_root import falling_root
from privcheck.errors import PrivcheckError

ROUNDING = 1e-14
"""Largest relative error of a cost."""

_TABLE = 1000
"""Interpolation errs by up to 4e-7, relatively (by 2e-4 with 100 entries), before the secant steps."""
_SECANTS = 2
"""Steps with exact costs: they make up for a coarse table. With 100 entries and none, some times were not certified."""
_LEAST = 2.0**-56
"""Least x of a search: at 0 raising an arm costs nothing, and no finite number of pulls suffices. An eighth of 2^-53,
the spacing of floats just below 1."""
_GRADED = np.logspace(-8, math.log10(0.5), 120)

Costs = tuple[Array, Array]
"""Cost of lowering the best arm, and of raising each other arm."""

Tangents = tuple[Array, Array, Array, Array]
"""Cost of lowering the best arm and its slope in x, cost of raising each other arm and its slope."""


class Transport(ABC):
    """The best arm against K - 1 others: `d(mu*, u)` and `d(mu_a, u)` at `u = mu_a + x (mu* - mu_a)`, x in [0, 1].

    Parameters
    ----------
    best : largest mean.
    others : the other means, shape (K - 1,), below `best`.
    epsilon : privacy budget; infinite for none.
    """

    slope_rounding: float = ROUNDING
    """Largest relative error of a slope."""

    fractions: Array
    """Where the search for the cheapest common mean starts, increasing from 0 to 1."""

    def __init__(self, best: float, others: Array, epsilon: float) -> None:
        self.best, self.others, self.epsilon = best, others, epsilon

    def among(self, chosen: NDArray[np.intp]) -> Self:
        """Return the best arm against some of the others, which may repeat."""
        arms = copy(self)
        arms.others = self.others[chosen]
        return arms

    @abstractmethod
    def tangents(self, x: Array) -> Tangents:
        """Return both costs and their slopes, to relative errors of `ROUNDING` and `slope_rounding`."""

    def bends(self, x: Array) -> Costs:
        """Return b such that each cost is at least its tangent at x less `b (y - x)^2 / 2`; 0 if it is convex."""
        return np.zeros_like(x), np.zeros_like(x)

    def rough(self, x: Array) -> Tangents:
        """Return the same, fast and accurate enough to search with."""
        return self.tangents(x)

    def costs(self, x: Array) -> Costs:
        """Return both costs, to a relative error of `ROUNDING`."""
        down, _, up, _ = self.tangents(x)
        return down, up

    @cached_property
    def _grid(self) -> Costs:
        down, _, up, _ = self.rough(self.fractions[:, None])
        return down, up

    def cheapest(self, pulls: float, lowest: Array | float = 0.0, highest: Array | float = 1.0) -> Array:
        """Return the x, shape (K - 1,), that demand the most pulls of each arm: argmax of `(1 - pulls down)/up`.

        It grows with `pulls`, because `down/up` falls: the x of fewer and more pulls are `lowest` and `highest`.
        """
        return self._refined(pulls, self._on_grid(pulls).argmax(axis=0), lowest, highest)

    def _on_grid(self, pulls: float) -> Array:
        """Return the demand at each of the fractions."""
        down, up = self._grid
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(up > 0, (1 - pulls * down) / up, -np.inf)

    def _refined(
        self, pulls: float, nearest: NDArray[np.intp], lowest: Array | float = 0.0, highest: Array | float = 1.0
    ) -> Array:
        """Return the root of the slope of the demand next to one of the fractions, on the side to which it rises."""

        def rise(x: Array) -> Array:
            return _rise(pulls, *self.rough(x))

        here = self.fractions[nearest]
        slope = rise(here)
        low = np.where(slope > 0, here, self.fractions[np.maximum(nearest - 1, 0)])
        high = np.where(slope < 0, here, self.fractions[np.minimum(nearest + 1, len(self.fractions) - 1)])
        return np.maximum(falling_root(rise, np.clip(lowest, low, high), np.clip(highest, low, high)), _LEAST)


class BernoulliTransport(Transport):
    """Bernoulli arms. Both costs are convex, so only one common mean is cheapest.

    >>> transport = BernoulliTransport(0.7, np.array([0.2]), 1.0)
    >>> down, up = transport.costs(np.array([0.0]))
    >>> round(float(down[0]), 7), float(up[0])
    (0.4046055, 0.0)
    """

    fractions = np.array([0.0, 1.0])

    def tangents(self, x: Array) -> Tangents:
        gap, best = self.best - self.others, np.full(len(self.others), self.best)
        rise, fall = x * gap, (1 - x) * gap
        u, u_bar = self.others + rise, 1 - best + fall  # not 1 - u, which would lose u when it is next to 1
        down, up = (best, 1 - best, u, u_bar, -fall), (self.others, 1 - self.others, u, u_bar, rise)
        if math.isinf(self.epsilon):
            costs = kl_from_complements(*down), kl_from_complements(*up)
        else:
            epsilon = np.array(self.epsilon)
            costs = d_epsilon_from_complements(*down, epsilon), d_epsilon_from_complements(*up, epsilon)
        down_slope = _slope(np.array(1 - self.best), np.array(self.best), u_bar, u, fall, self.epsilon)
        up_slope = _slope(self.others, 1 - self.others, u, u_bar, rise, self.epsilon)
        return costs[0], -gap * down_slope, costs[1], gap * up_slope


def _slope(p: Array, p_bar: Array, q: Array, q_bar: Array, gap: Array, epsilon: float) -> Array:
    """Return the slope of `d_epsilon(p, q)` in q for p <= q; `x_bar` is 1 - x, and `gap` is q - p."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        plain = np.where(p > 0, gap / q, 1.0) / q_bar
        if math.isinf(epsilon):
            return plain
        private = (p == 0) | (np.log1p(gap / p) - np.log1p(-gap / p_bar) > epsilon)
        return np.where(private, -math.expm1(-epsilon) / (q_bar + q * math.exp(-epsilon)), plain)


def _rise(pulls: float, down: Array, down_slope: Array, up: Array, up_slope: Array) -> Array:
    """Return the slope of the demand in x up to a positive factor: pulls times a falling function, less 1."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(pulls * (down - down_slope * (up / up_slope)) - 1)


class GaussianTransport(Transport):
    """Gaussian arms of variance 1. The costs are convex near 0 and concave far out, so the search covers all of [0, 1].

    >>> transport = GaussianTransport(1.0, np.array([0.0]), math.inf)
    >>> [cost.tolist() for cost in transport.costs(np.array([0.5]))]
    [[0.125], [0.125]]
    """

    slope_rounding = SLOPE_ROUNDING
    fractions = np.concatenate(([0.0], _GRADED, 1 - _GRADED[-2::-1], [1.0]))

    def __init__(self, best: float, others: Array, epsilon: float) -> None:
        nothing_is_clipped = 50 * float(np.max(best - others)) <= epsilon  # except a mass of 2 Phi(-25)
        super().__init__(best, others, math.inf if nothing_is_clipped else epsilon)

    def cheapest(self, pulls: float, lowest: Array | float = 0.0, highest: Array | float = 1.0) -> Array:
        """Return the maximum that the table finds, or the better of two nearly equal ones."""
        demand, half = self._on_grid(pulls), len(self.fractions) // 2
        first = demand.argmax(axis=0)
        other = np.where(first > half, demand[:half].argmax(axis=0), half + demand[half:].argmax(axis=0))
        x = self._polished(pulls, self._refined(pulls, first, lowest, highest))
        x = self._larger(pulls, x, np.maximum(self.fractions[first], _LEAST))
        heights = (np.take_along_axis(demand, place[None, :], axis=0)[0] for place in (first, other))
        with np.errstate(invalid="ignore"):
            close = np.flatnonzero(np.subtract(*heights) < 0.1 * demand.max(axis=0))
        if len(close) and not math.isinf(self.epsilon):
            arms = self.among(close)
            x[close] = arms._larger(pulls, x[close], arms._polished(pulls, arms._refined(pulls, other[close])))
        return x

    def _larger(self, pulls: float, x: Array, y: Array) -> Array:
        """Return x or y, where the demand is larger."""
        here, there = ((1 - pulls * down) / up for down, up in (self.costs(x), self.costs(y)))
        return np.where(there > here, y, x)

    def _polished(self, pulls: float, x: Array) -> Array:
        """Return x after two steps of the secant method with the exact costs."""
        if math.isinf(self.epsilon):
            return x
        nudge = 1e-4 * np.minimum(x, 1 - x)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            slope = (_rise(pulls, *self.rough(x + nudge)) - _rise(pulls, *self.rough(x - nudge))) / (2 * nudge)
            height = _rise(pulls, *self.tangents(x))
            for _ in range(_SECANTS):
                there = x - height / slope
                inside = (there > 0) & (there < 1)
                above = _rise(pulls, *self.tangents(np.where(inside, there, x)))
                closer = inside & (np.abs(above) < np.abs(height))
                slope = np.where(closer, (above - height) / (there - x), slope)
                x, height = np.where(closer, there, x), np.where(closer, above, height)
        return x

    def tangents(self, x: Array) -> Tangents:
        gap, n = self.best - self.others, len(self.others)
        value, slope = gaussian_private_divergence(np.concatenate(((1 - x) * gap, x * gap)), self.epsilon)
        return value[:n], -gap * slope[:n], value[n:], gap * slope[n:]

    def bends(self, x: Array) -> Costs:
        gap = self.best - self.others
        if math.isinf(self.epsilon):
            return super().bends(x)
        return gap**2 * _bend((1 - x) * gap, self.epsilon), gap**2 * _bend(x * gap, self.epsilon)

    def rough(self, x: Array) -> Tangents:
        gap = self.best - self.others
        down, down_slope = self._table(np.asarray((1 - x) * gap))
        up, up_slope = self._table(np.asarray(x * gap))
        return down, -gap * down_slope, up, gap * up_slope

    @cached_property
    def _table(self) -> Callable[[Array], Costs]:
        """The divergence and its slope, interpolated: ln D is smooth in the logarithm of the shift."""
        if math.isinf(self.epsilon):
            return lambda shift: (shift**2 / 2, shift)
        from scipy.interpolate import CubicHermiteSpline

        widest = float(np.max(self.best - self.others))
        shifts = np.geomspace(min(1e-9 * widest, 1e-3 * self.epsilon), widest, _TABLE)
        value, slope = gaussian_private_divergence(shifts, self.epsilon)
        logarithm = CubicHermiteSpline(np.log(shifts), np.log(value), shifts * slope / value)
        derivative = logarithm.derivative()

        def look_up(shift: Array) -> Costs:
            place = np.log(np.maximum(shift, shifts[0]))
            cost = np.exp(logarithm(place))
            near = shift <= shifts[0]
            return np.where(near, shift**2 / 2, cost), np.where(near, shift, cost * derivative(place) / np.exp(place))

        return look_up


def _bend(shift: Array, epsilon: float) -> Array:
    """Return `min(2 E max(Z + s/2, 0)^2, e^epsilon) - 1` for a standard normal Z (docs/evidence/derivations.md)."""
    from scipy.special import erf

    half = shift / 2
    with np.errstate(under="ignore"):
        density = np.exp(-(half**2) / 2) / math.sqrt(2 * math.pi)
    by_shift = (1 + half**2) * (1 + erf(half / math.sqrt(2))) + 2 * half * density - 1
    return np.asarray(np.minimum(by_shift, math.expm1(min(epsilon, 700.0))))


def transport(family: str, means: Array, epsilon: float) -> Transport:
    """Return the transport of an instance with one best arm, and refuse any other.

    >>> transport("gaussian", np.array([0.5, 0.5]), 1.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: means: got [0.5, 0.5], expected a unique maximum; identification needs one ...
    """
    if means.ndim != 1 or len(means) < 2:
        raise PrivcheckError("means", means.tolist(), "the means of two arms or more, shape (K,)", "one for each arm")
    best = float(means.max())
    others = means[means < best]
    if len(others) != len(means) - 1:
        raise PrivcheckError("means", means.tolist(), "a unique maximum", "identification needs one best arm")
    return {"bernoulli": BernoulliTransport, "gaussian": GaussianTransport}[family](best, others, epsilon)
