"""The exact loss of staircase noise on a number that moves."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from privcheck.arrays import Array
from privcheck.auditing._exact.additive import pure_delta
from privcheck.bounds import ROUNDING, UNDERFLOW, Enclosure

MOST_STAIRS = 500_000
"""The most stairs on either side of a value that are summed, to bound the memory."""


@dataclass(frozen=True)
class StaircaseShift:
    """Two numbers with staircase noise.

    Parameters
    ----------
    drop : the loss from one stair to the next.
    first : where the first stair ends, in units of the width.
    shift : the distance of the numbers in units of the width, >= 0.

    Examples
    --------
    >>> laws = StaircaseShift(1.0, 0.3775406688, 0.5)
    >>> laws.loss().value, round(laws.delta(0.0).value, 6)
    (1.0, 0.260548)

    """

    drop: float
    first: float
    shift: float

    def loss(self) -> Enclosure:
        """Return the drop times the number of edges that can lie between the numbers."""
        edges = [self.drop * math.ceil(self.shift * (1.0 + side * 8.0 * ROUNDING)) for side in (-1, 1)]
        return Enclosure.between(*edges, relative=8.0 * ROUNDING)

    def delta(self, epsilon: float) -> Enclosure:
        """Return the hockey stick by adding up the pieces between the edges of both staircases."""
        count = math.ceil(700.0 / self.drop) + 2
        largest = self.loss().upper
        if epsilon >= largest or count > MOST_STAIRS:
            return Enclosure(0.0, pure_delta(largest, epsilon))
        places = np.arange(count) + self.first
        around = np.concatenate((-places[::-1], places))
        edges = np.sort(np.concatenate((around, around + self.shift)))
        middles = (edges[1:] + edges[:-1]) / 2.0
        one, two = self._density(middles), self._density(middles - self.shift)
        heights = np.maximum(one - math.exp(epsilon) * two, 0.0)
        value = float(np.sum(heights * np.diff(edges)))
        error = (
            float(np.sum((one + math.exp(epsilon) * two) * (8.0 + (1.0 + self.drop) * np.abs(middles))))
            * 8.0
            * ROUNDING
        )
        found = Enclosure.around(value, absolute=error + UNDERFLOW)
        return Enclosure(found.lower, min(1.0, found.upper))

    def _density(self, places: Array) -> Array:
        """Return the density at a distance from the number, in units of the width."""
        area = 2.0 * (self.first + (1.0 - self.first) * math.exp(-self.drop)) / -math.expm1(-self.drop)
        return np.exp(-self.drop * np.floor(np.abs(places) + (1.0 - self.first))) / area
