"""Norm bounds of a vector of features that one datum contributes: how long it can be, and how far it can move."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class VectorBound:
    r"""What is known about a vector v of one datum, beyond the interval of each entry, whatever the datum is.

    Parameters
    ----------
    l1_radius, l2_radius : largest norms ||v||_1 and ||v||_2.
    l1_diameter, l2_diameter : largest distances ||v - w||_1 and ||v - w||_2 between two possible vectors.
    acute : whether <v, w> >= 0 for any two possible vectors; then ||v - w||_2 <= sqrt(2) l2_radius.

    Source: ||v - w||_2^2 = ||v||_2^2 + ||w||_2^2 - 2 <v, w>.

    Examples
    --------
    >>> ball = VectorBound.of(-np.ones(2), np.ones(2), norm=1.0)
    >>> ball.l2_diameter, round(ball.l1_diameter, 3)
    (2.0, 2.828)
    >>> round(ball.times(ball, same=True).l2_diameter, 3)
    1.414

    """

    l1_radius: float
    l2_radius: float
    l1_diameter: float
    l2_diameter: float
    acute: bool

    @classmethod
    def of(cls, low: npt.ArrayLike, high: npt.ArrayLike, norm: float = math.inf, diameter: float = math.inf) -> Self:
        """Return the bounds of a vector with these intervals, L2 norm and L2 diameter."""
        ends = (np.asarray(end, np.float64) for end in (low, high))
        return cls._of(*(end.tobytes() for end in ends), norm, diameter)

    @classmethod
    @lru_cache(maxsize=256)
    def _of(cls, low: bytes, high: bytes, norm: float, diameter: float) -> Self:
        lows, highs = np.frombuffer(low), np.frombuffer(high)
        largest, root = np.maximum(np.abs(lows), np.abs(highs)), math.sqrt(lows.size)
        with np.errstate(over="ignore", under="ignore"):
            widths = highs - lows
            radius = min(norm, _length(largest))
            l1_radius = min(float(largest.sum()), _normal(root * radius))
            acute = bool(((lows >= 0.0) | (highs <= 0.0)).all())
            distance = min(diameter, _length(widths), _widest(radius, acute))
            l1_distance = min(float(widths.sum()), 2.0 * l1_radius, _normal(root * distance))
        return cls(l1_radius, radius, l1_distance, distance, acute)

    def times(self, other: VectorBound, *, same: bool) -> VectorBound:
        """Return the bounds of all products v_i w_j; `same` means that v and w are one vector.

        ||v w'|| = ||v|| ||w||, and v w' - x y' = v (w - y)' + (v - x) y'. Each product is rounded, by at most u of its
        size; that is not small compared with a diameter that is much smaller than the radius.
        """
        l1_radius = _normal(self.l1_radius * other.l1_radius)
        radius = _normal(self.l2_radius * other.l2_radius)
        acute = same or (self.acute and other.acute)
        l1_both = self.l1_radius * other.l1_diameter + self.l1_diameter * other.l1_radius + _ROUNDING * l1_radius
        both = self.l2_radius * other.l2_diameter + self.l2_diameter * other.l2_radius + _ROUNDING * radius
        return VectorBound(l1_radius, radius, min(2.0 * l1_radius, l1_both), min(_widest(radius, acute), both), acute)


_ROUNDING = 2.0 * sys.float_info.epsilon


def _length(vector: npt.NDArray[np.float64]) -> float:
    """Return the L2 norm, also where squares would over- or underflow."""
    exponent = int(np.frexp(np.abs(vector).max())[1])
    return _normal(float(np.ldexp(np.linalg.norm(np.ldexp(vector, -exponent)), exponent)))


def _normal(bound: float) -> float:
    """Return a bound, or infinity if it is too small to be computed with a small relative error."""
    return bound if bound >= sys.float_info.min else math.inf


def _widest(radius: float, acute: bool) -> float:
    return (math.sqrt(2.0) if acute else 2.0) * radius


ONE_HOT = VectorBound(1.0, 1.0, 2.0, math.sqrt(2.0), True)
"""A vector with a single entry 1 and zeros: an indicator."""
