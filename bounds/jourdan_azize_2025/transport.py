"""What it costs to move the best arm and another arm to a common mean, as the two are told apart privately."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property

import numpy as np

from bounds.arrays import Array
from bounds.divergences import kl_from_complements
from bounds.errors import PrivcheckError
from bounds.gaussian_private_divergence import ROUNDING, gaussian_private_divergence
from bounds.jourdan_azize_2025.falling_root import falling_root
from bounds.private_divergence import d_epsilon_from_complements

_TABLE = 1000
_SECANTS = 2
_LEAST = 2.0**-56
"""Not 0, where raising an arm costs nothing and it demands no finite number of pulls."""
_GRADED = np.logspace(-8, math.log10(0.5), 60)

Costs = tuple[Array, Array]
"""Cost of lowering the best arm, and of raising each other arm."""


class Transport(ABC):
    """The best arm against K - 1 others: `d(mu*, u)` and `d(mu_a, u)` at `u = mu_a + x (mu* - mu_a)`, x in [0, 1].

    Parameters
    ----------
    best : largest mean.
    others : the other means, shape (K - 1,), below `best`.
    epsilon : privacy budget; infinite for none.
    """

    excess: float = 0.0
    """By how much costs may exceed the exact ones, beyond their last digits."""

    fractions: Array
    """Where the search for the cheapest common mean starts, increasing from 0 to 1."""

    def __init__(self, best: float, others: Array, epsilon: float) -> None:
        self.best, self.others, self.epsilon = best, others, epsilon

    @abstractmethod
    def costs(self, x: Array) -> Costs:
        """Return both costs, never below the exact ones by more than their last digits."""

    @abstractmethod
    def rough(self, x: Array) -> tuple[Array, Array, Array, Array]:
        """Return (down, slope of down, up, slope of up) in x, fast and accurate enough to search with."""

    @cached_property
    def _grid(self) -> Costs:
        down, _, up, _ = self.rough(self.fractions[:, None])
        return down, up

    def cheapest(self, pulls: float, lowest: Array | float = 0.0, highest: Array | float = 1.0) -> Array:
        """Return the x, shape (K - 1,), that demand the most pulls of each arm: argmax of `(1 - pulls down)/up`.

        It grows with `pulls`, because `down/up` falls: the x of fewer and more pulls are `lowest` and `highest`.
        """
        down, up = self._grid
        with np.errstate(divide="ignore", invalid="ignore"):
            demand = np.where(up > 0, (1 - pulls * down) / up, -np.inf)
        nearest = demand.argmax(axis=0)
        low = self.fractions[np.maximum(nearest - 1, 0)]
        high = self.fractions[np.minimum(nearest + 1, len(self.fractions) - 1)]

        def rise(x: Array) -> Array:
            return _rise(pulls, *self.rough(x))

        return np.maximum(falling_root(rise, np.clip(lowest, low, high), np.clip(highest, low, high)), _LEAST)


class BernoulliTransport(Transport):
    """Bernoulli arms. Both costs are convex, so that every common mean but one is too dear.

    >>> transport = BernoulliTransport(0.7, np.array([0.2]), 1.0)
    >>> down, up = transport.costs(np.array([0.0]))
    >>> round(float(down[0]), 7), float(up[0])
    (0.4046055, 0.0)
    """

    fractions = np.array([0.0, 1.0])

    def costs(self, x: Array) -> Costs:
        gap, best = self.best - self.others, np.full(len(self.others), self.best)
        rise, fall = x * gap, (1 - x) * gap
        u, u_bar = self.others + rise, 1 - best + fall  # not 1 - u, which would lose u when it is next to 1
        down, up = (best, 1 - best, u, u_bar, -fall), (self.others, 1 - self.others, u, u_bar, rise)
        if math.isinf(self.epsilon):
            return kl_from_complements(*down), kl_from_complements(*up)
        epsilon = np.array(self.epsilon)
        return d_epsilon_from_complements(*down, epsilon), d_epsilon_from_complements(*up, epsilon)

    def rough(self, x: Array) -> tuple[Array, Array, Array, Array]:
        gap = self.best - self.others
        rise, fall = x * gap, (1 - x) * gap
        u = self.others + rise
        up, up_slope = _rising(self.others, 1 - self.others, u, 1 - u, rise, self.epsilon)
        down, down_slope = _rising(np.array(1 - self.best), np.array(self.best), 1 - u, u, fall, self.epsilon)
        return down, -gap * down_slope, up, gap * up_slope


def _rising(p: Array, p_bar: Array, q: Array, q_bar: Array, gap: Array, epsilon: float) -> Costs:
    """Return `d_epsilon(p, q)` for p <= q and its slope in q; `x_bar` is 1 - x, and `gap` is q - p."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio, ratio_bar = np.log1p(gap / p), np.log1p(-gap / p_bar)
        value = np.where(p > 0, -p * ratio, 0.0) - p_bar * ratio_bar
        slope = np.where(p > 0, gap / q, 1.0) / q_bar
        if math.isinf(epsilon):
            return value, slope
        reach = -math.expm1(-epsilon)
        private = ratio - ratio_bar > epsilon
        value = np.where(private, -np.log1p(-q * reach) - epsilon * p, value)
        return value, np.where(private, reach / (1 - q * reach), slope)


def _rise(pulls: float, down: Array, down_slope: Array, up: Array, up_slope: Array) -> Array:
    """Return the slope of the demand in x up to a positive factor: pulls times a falling function, less 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(pulls * (down - down_slope * (up / up_slope)) - 1)


class GaussianTransport(Transport):
    """Gaussian arms of variance 1. The costs are convex near 0 and concave far out: the search looks everywhere.

    >>> transport = GaussianTransport(1.0, np.array([0.0]), math.inf)
    >>> [cost.tolist() for cost in transport.costs(np.array([0.5]))]
    [[0.125], [0.125]]
    """

    fractions = np.concatenate(([0.0], _GRADED, 1 - _GRADED[-2::-1], [1.0]))

    def __init__(self, best: float, others: Array, epsilon: float) -> None:
        nothing_is_clipped = 50 * float(np.max(best - others)) <= epsilon  # but for a mass of 2 Phi(-25)
        super().__init__(best, others, math.inf if nothing_is_clipped else epsilon)
        self.excess = 0.0 if nothing_is_clipped else 2 * ROUNDING

    def costs(self, x: Array) -> Costs:
        down, _, up, _ = self._exact(x)
        return down, up

    def cheapest(self, pulls: float, lowest: Array | float = 0.0, highest: Array | float = 1.0) -> Array:
        """Return what the table finds, after two steps of the secant method with the exact costs."""
        x = super().cheapest(pulls, lowest, highest)
        if math.isinf(self.epsilon):
            return x
        nudge = 1e-4 * np.minimum(x, 1 - x)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (_rise(pulls, *self.rough(x + nudge)) - _rise(pulls, *self.rough(x - nudge))) / (2 * nudge)
            height = _rise(pulls, *self._exact(x))
            for _ in range(_SECANTS):
                there = x - height / slope
                above = _rise(pulls, *self._exact(np.where((there > 0) & (there < 1), there, x)))
                closer = np.abs(above) < np.abs(height)
                slope = np.where(closer, (above - height) / (there - x), slope)
                x, height = np.where(closer, there, x), np.where(closer, above, height)
        return x

    def _exact(self, x: Array) -> tuple[Array, Array, Array, Array]:
        gap, n = self.best - self.others, len(self.others)
        value, slope = gaussian_private_divergence(np.concatenate(((1 - x) * gap, x * gap)), self.epsilon)
        return value[:n], -gap * slope[:n], value[n:], gap * slope[n:]

    def rough(self, x: Array) -> tuple[Array, Array, Array, Array]:
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


def transport(family: str, means: Array, epsilon: float) -> Transport:
    """Return the transport of an instance with one best arm, and refuse any other.

    >>> transport("gaussian", np.array([0.5, 0.5]), 1.0)
    Traceback (most recent call last):
    bounds.errors.PrivcheckError: means: got [0.5, 0.5], expected one best arm; the best of several cannot be identified
    """
    best = float(means.max())
    others = means[means < best]
    if len(others) != len(means) - 1:
        raise PrivcheckError("means", means.tolist(), "one best arm", "the best of several cannot be identified")
    return {"bernoulli": BernoulliTransport, "gaussian": GaussianTransport}[family](best, others, epsilon)
