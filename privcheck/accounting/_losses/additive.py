"""Exact losses of noise on shifted entries: Laplace and Gaussian noise, discrete Laplace noise, randomised response."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privcheck.accounting._losses.hockey_stick import gaussian_delta
from privcheck.accounting._losses.lattice import convolved
from privcheck.arrays import Array
from privcheck.enclosure import ROUNDING, Enclosure

LATTICE = 2**16
"""Half the number of values to which the losses of Laplace vectors are rounded: more would make the enclosure
narrower and take longer.
"""

MOST_ENTRIES = 64
"""The most changed entries for which hockey sticks are computed by convolution, to bound the time."""


def pure_delta(loss: float, epsilon: float) -> float:
    """Return the largest delta at epsilon of any two laws with this loss, (e^loss - e^epsilon) / (1 + e^loss) or 0.

    Source: Kairouz, Oh and Viswanath (2015), Theorem 2.1: randomised response with this loss dominates.

    >>> pure_delta(1.0, 1.0), round(pure_delta(1.0, 0.0), 7)
    (0.0, 0.4621172)
    """
    return max(0.0, -math.expm1(epsilon - loss) / (1.0 + math.exp(-loss)))


@dataclass(frozen=True, eq=False)
class LaplaceShifts:
    """Two vectors with independent Laplace noise, given by the distances of their entries in units of the noise scale.

    Parameters
    ----------
    shifts : shape (N,), >= 0.

    Examples
    --------
    >>> import numpy as np
    >>> laws = LaplaceShifts(np.array([0.5, 0.25]))
    >>> laws.loss().value, laws.delta(0.75).upper < 1e-15
    (0.75, True)

    """

    shifts: Array

    def loss(self) -> Enclosure:
        """Return the sum of the shifts, which outputs beyond all entries on one side attain."""
        return Enclosure.around(float(np.sum(self.shifts)), relative=ROUNDING * (self.shifts.size + 4.0))

    def delta(self, epsilon: float) -> Enclosure:
        """Return the hockey stick: in closed form for one entry, else enclosed by losses rounded down and rounded up.

        The hockey stick is the expectation of an increasing function of the loss, so rounding every entry's loss down
        (up) to a multiple of one step gives a lower (upper) bound. With more than 64 entries the only upper bound is
        `pure_delta`.
        """
        shifts = self.shifts[self.shifts > 0.0]
        largest = self.loss().upper
        if epsilon >= largest or shifts.size > MOST_ENTRIES:
            return Enclosure(0.0, pure_delta(largest, epsilon))
        if shifts.size == 1:
            value = max(0.0, -math.expm1((epsilon - float(shifts[0])) / 2.0))
            return Enclosure.around(value, absolute=8.0 * ROUNDING * (1.0 + epsilon + largest))
        step = float(np.sum(shifts)) / LATTICE
        down, up = (convolved(step, [_rounded(shift, step, side) for shift in shifts]) for side in (0, 1))
        return Enclosure(down.delta(epsilon).lower, min(pure_delta(largest, epsilon), up.delta(epsilon).upper))


def _rounded(shift: float, step: float, up: int) -> Array:
    """Return the law of one entry's loss, rounded down or up to a multiple of the step, on j = -J, ..., J.

    An output at x has the loss s for x < 0, s - 2 x for 0 <= x <= s, and -s for x > s, measured from the entry:
    P(loss <= l) = exp((l - s) / 2) / 2 for -s <= l < s.
    """
    reach = math.ceil(shift / step) + 1
    places = np.arange(-reach, reach + 1)
    ends = step * (places + 1 - up)
    below = np.where(ends >= shift, 1.0, np.where(ends >= -shift, np.exp((ends - shift) / 2.0) / 2.0, 0.0))
    if not up:
        below[np.isclose(ends, shift, rtol=8.0 * ROUNDING, atol=0.0)] = 0.5
        below[np.isclose(ends, -shift, rtol=8.0 * ROUNDING, atol=0.0)] = 0.0
    return np.diff(below, prepend=0.0)


@dataclass(frozen=True, eq=False)
class GaussianShifts:
    """Two vectors with independent normal noise; only their distance in standard deviations matters.

    Parameters
    ----------
    shifts : the distances of the entries in standard deviations, shape (N,), >= 0.

    Examples
    --------
    >>> import numpy as np
    >>> laws = GaussianShifts(np.array([0.6, 0.8]))
    >>> laws.loss().value, round(laws.delta(1.0).value, 7)
    (inf, 0.1269367)

    """

    shifts: Array

    def loss(self) -> Enclosure:
        """Return infinity, unless both vectors are the same."""
        return Enclosure.exactly(math.inf if self.shifts.any() else 0.0)

    def delta(self, epsilon: float) -> Enclosure:
        """Return the hockey stick in closed form."""
        mu = float(np.linalg.norm(self.shifts))
        if mu == 0.0:
            return Enclosure.exactly(0.0)
        rounding = ROUNDING * (self.shifts.size + 4.0)
        low, high = (gaussian_delta(mu * (1.0 + side * rounding), epsilon) for side in (-1.0, 1.0))
        return Enclosure(low.lower, high.upper)


@dataclass(frozen=True, eq=False)
class LatticeShifts:
    """Independent entries whose losses are multiples of 1 / scale: discrete Laplace noise, randomised response.

    Parameters
    ----------
    scale : b > 0.
    sizes : the largest loss of every changed entry in units of 1 / b, shape (N,), integers >= 1.
    categories : K for randomised response (all sizes are then 1), None for discrete Laplace noise.

    """

    scale: float
    sizes: npt.NDArray[np.int64]
    categories: int | None = None

    def loss(self) -> Enclosure:
        """Return the sum of the entries' losses.

        >>> import numpy as np
        >>> LatticeShifts(2.0, np.array([3, 1])).loss().value
        2.0
        """
        return Enclosure.around(float(np.sum(self.sizes)) / self.scale, relative=4.0 * ROUNDING)

    def delta(self, epsilon: float) -> Enclosure:
        """Return the hockey stick by convolution of the entries' losses, for a total change of up to `LATTICE`.

        With more than 64 entries or a larger change, the only upper bound is `pure_delta`.
        """
        largest = self.loss().upper
        if epsilon >= largest or np.sum(self.sizes) > LATTICE or self.sizes.size > MOST_ENTRIES:
            return Enclosure(0.0, pure_delta(largest, epsilon))
        entries = [self._entry(int(size)) for size in self.sizes]
        return convolved(1.0 / self.scale, entries).delta(epsilon)

    def _entry(self, size: int) -> Array:
        """Return the law of one entry's loss on j = -size, ..., size."""
        rest = math.exp(-1.0 / self.scale)
        if self.categories is not None:
            keep = 1.0 / (1.0 + (self.categories - 1) * rest)
            return np.array([rest, (self.categories - 2) * rest, 1.0]) * keep
        law = np.zeros(2 * size + 1)
        law[-1] = 1.0 / (1.0 + rest)
        between = np.arange(1, size)
        law[2 * (size - between)] = -math.expm1(-1.0 / self.scale) / (1.0 + rest) * np.exp(-between / self.scale)
        law[0] = math.exp(-size / self.scale) / (1.0 + rest)
        return law
