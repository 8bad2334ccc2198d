"""What a claim in mu, in rho or as a trade-off curve allows at each epsilon: its delta, never below the exact value.

A mechanism that keeps such a claim is (epsilon, delta(epsilon))-DP for every epsilon >= 0. Refuting one of these pairs,
at an epsilon that was fixed beforehand, refutes the claim.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from privcheck.accounting._conversion import delta_at
from privcheck.accounting._notions import Concentrated, GaussianDP
from privcheck.errors import PrivcheckError, words

Points = tuple[tuple[float, float], ...]

LARGEST = 100.0
"""Amounts of mu and rho above this are not told apart."""

GRID = 128
"""Points at which a trade-off function is read, evenly spaced in log-odds."""

EDGE = 14.0
"""Log-odds of the outermost of them."""


class ClaimedProfile(Protocol):
    """A claim, by the delta that it allows at each epsilon."""

    @property
    def name(self) -> str:
        """What the claim bounds: "mu", "rho", or "delta" for a trade-off curve."""

    def delta_at(self, epsilon: float) -> float:
        """Return the delta that the claim allows at this epsilon."""

    def claimed_at(self, epsilon: float) -> float:
        """Return the amount that is claimed: mu, rho, or the delta at this epsilon."""

    def amount(self, epsilon: float, delta: float) -> float:
        """Return the largest amount that allows less than this delta at this epsilon; 0 if none does."""


@dataclass(frozen=True)
class GaussianProfile:
    """mu-GDP.

    Source: Dong, Roth and Su 2022, Corollary 2.13.

    >>> round(GaussianProfile(1.0).delta_at(1.0), 6), round(GaussianProfile(1.0).amount(1.0, 0.126937), 5)
    (0.126937, 1.0)
    """

    claimed: float
    name: str = "mu"

    def delta_at(self, epsilon: float) -> float:
        return delta_at(GaussianDP(self.claimed), epsilon)

    def claimed_at(self, epsilon: float) -> float:  # noqa: ARG002
        return self.claimed

    def amount(self, epsilon: float, delta: float) -> float:
        return _largest(lambda mu: delta_at(GaussianDP(mu), epsilon), delta)


@dataclass(frozen=True)
class ConcentratedProfile:
    """rho-zCDP. At epsilon = 0 delta is a total variation, at most sqrt(rho / 2) by Pinsker's inequality, since rho
    bounds the Kullback-Leibler divergence; for larger epsilon it is the best of the bounds over the Renyi orders.

    Source: Bun and Steinke 2016, Definition 1.1; Canonne, Kamath and Steinke 2020, Proposition 12.

    >>> ConcentratedProfile(0.02).delta_at(0.0) <= 0.1 + 1e-9, ConcentratedProfile(0.02).amount(0.0, 0.1) < 0.02 + 1e-9
    (True, True)
    """

    claimed: float
    name: str = "rho"

    def delta_at(self, epsilon: float) -> float:
        return self._delta(self.claimed, epsilon)

    def claimed_at(self, epsilon: float) -> float:  # noqa: ARG002
        return self.claimed

    def amount(self, epsilon: float, delta: float) -> float:
        return _largest(lambda rho: self._delta(rho, epsilon), delta)

    @staticmethod
    def _delta(rho: float, epsilon: float) -> float:
        return min(delta_at(Concentrated(rho), epsilon), math.sqrt(rho / 2.0) * (1.0 + 1e-12))


@dataclass(frozen=True)
class CurveProfile:
    """A trade-off curve that is the largest convex one through these corners (type I, type II).

    Source: Dong, Roth and Su 2022, Definition 3 and Proposition 2.12: delta(e) = sup over a of 1 - f(a) - exp(e) a.

    >>> CurveProfile(((0.0, 1.0), (0.25, 0.25), (1.0, 0.0))).delta_at(0.0)
    0.5
    """

    corners: Points
    name: str = "delta"

    def delta_at(self, epsilon: float) -> float:
        return max(0.0, max(1.0 - b - math.exp(min(epsilon, 700.0)) * a for a, b in self.corners))

    def claimed_at(self, epsilon: float) -> float:
        return self.delta_at(epsilon)

    def amount(self, epsilon: float, delta: float) -> float:  # noqa: ARG002
        return delta


def profile_of(mu: float | None, rho: float | None, tradeoff: Points | None) -> ClaimedProfile | None:
    """Return the profile of the claim that is given; None if none of these is.

    >>> profile_of(0.5, None, None), profile_of(None, None, None)
    (GaussianProfile(claimed=0.5, name='mu'), None)
    """
    given = [name for name, value in (("mu", mu), ("rho", rho), ("tradeoff", tradeoff)) if value is not None]
    if len(given) > 1:
        raise PrivcheckError("claim", words(" and ".join(given)), "one of mu, rho and tradeoff", "give one claim")
    if mu is not None:
        return GaussianProfile(mu)
    if rho is not None:
        return ConcentratedProfile(rho)
    return None if tradeoff is None else CurveProfile(tradeoff)


class Corners(tuple[tuple[float, float], ...]):
    """Corners that `corners_of` has found, two of which may have the same type I error."""

    __slots__ = ()


def corners_of(curve: Any) -> Points:
    """Return the corners of a convex polygon that lies nowhere above a claimed trade-off function.

    Parameters
    ----------
    curve : corners (type I, type II) of a convex curve, or a convex function of the type I error. Between two points at
        which a function is read, the polygon follows the lines through their neighbours, below which no convex function
        goes.

    Raises
    ------
    PrivcheckError : no numbers, or no trade-off function: convex, falling, at least 0 and at most 1 - type I.

    Examples
    --------
    >>> corners_of([(0, 1), (0.25, 0.25), (1, 0)])
    ((0.0, 1.0), (0.25, 0.25), (1.0, 0.0))
    >>> polygon = CurveProfile(corners_of(lambda a: (1.0 - a ** 0.5) ** 2))
    >>> 0.5 <= polygon.delta_at(0.0) < 0.505
    True
    """
    if isinstance(curve, Corners):
        return curve
    if callable(curve):
        inner = 1.0 / (1.0 + np.exp(-np.linspace(-EDGE, EDGE, GRID)))
        xs = np.array([0.0, *inner, 1.0])
        try:
            ys = np.array([float(curve(float(x))) for x in xs])
        except Exception as error:
            raise _refused(f"{type(error).__name__}: {error}") from None
        _check(xs, ys)
        return Corners((float(x), float(y)) for x, y in _outer(xs, ys))
    try:
        xs, ys = np.array([(float(x), float(y)) for x, y in curve]).T
    except (TypeError, ValueError):
        raise _refused(f"an object of type {type(curve).__name__}") from None
    _check(xs, ys)
    return Corners(zip(xs.tolist(), ys.tolist(), strict=True))


def _outer(xs: Any, ys: Any) -> list[tuple[float, float]]:
    """Return the points and, between two of them, where the lines through their neighbours meet."""
    found = []
    last = len(xs) - 1
    for i in range(last):
        found.append((xs[i], ys[i]))
        left = ys[i] + (xs[i + 1] - xs[i]) * ((ys[i] - ys[i - 1]) / (xs[i] - xs[i - 1])) if i else 0.0
        after = (ys[i + 2] - ys[i + 1]) / (xs[i + 2] - xs[i + 1]) if i + 1 < last else 0.0
        right = ys[i + 1] - (xs[i + 1] - xs[i]) * after
        before = (left - ys[i]) / (xs[i + 1] - xs[i]) if i else -math.inf
        if before == -math.inf:  # to the left of everything: straight down, then along the line to the right
            found.append((xs[i], max(0.0, min(ys[i], right))))
        elif after > before:
            place = (ys[i + 1] - ys[i] + before * xs[i] - after * xs[i + 1]) / (before - after)
            place = min(max(place, xs[i]), xs[i + 1])
            found.append((place, max(0.0, ys[i] + before * (place - xs[i]))))
    return [*found, (xs[-1], ys[-1])]


def _check(xs: Any, ys: Any) -> None:
    if len(xs) < 2 or not (np.isfinite(xs).all() and np.isfinite(ys).all()):
        raise _refused("fewer than two points, or NaN")
    if xs[0] != 0.0 or xs[-1] != 1.0 or (np.diff(xs) <= 0.0).any():
        raise _refused(f"type I errors from {xs[0]:g} to {xs[-1]:g}, in this order")
    if (ys < 0.0).any() or (ys > 1.0 - xs + 1e-9).any():
        raise _refused("a point below 0 or above 1 - type I")
    slopes = np.diff(ys) / np.diff(xs)
    if (slopes > 1e-9).any() or (np.diff(slopes) < -1e-6 * (1.0 + np.abs(slopes[1:]))).any():
        raise _refused("a curve that rises, or is not convex")


def _refused(got: str) -> PrivcheckError:
    expected = "a trade-off function: convex, falling, from type I = 0 to 1"
    return PrivcheckError("tradeoff", words(got), expected, "give corners such as [(0, 1), (0.2, 0.4), (1, 0)]")


def _largest(delta_of: Callable[[float], float], delta: float) -> float:
    """Return the largest amount with less than this delta, which rises with the amount."""
    low, high = 0.0, 1e-9
    while high < LARGEST and delta_of(high) < delta:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if delta_of(middle) < delta else (low, middle)
    return low
