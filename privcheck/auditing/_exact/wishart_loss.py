"""The true privacy loss of Wishart noise between two matrices that differ by one row."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privcheck.auditing._exact.laws import NOTHING_CHANGES, LossLaw
from privcheck.bounds import Enclosure
from privcheck.mechanisms import Wishart, finite_array, tails

_ROUNDING = 1e-11

_MOST = 2e8
"""The most degrees of freedom: with more, the spacing of floats moves a probability by more than its rounding."""


@dataclass(frozen=True)
class ShiftedChiSquare:
    """The law of X against that of X + shift, X chi-square with `freedom` > 2 degrees of freedom.

    The loss at X = x is a ln(x / (x - r)) - r / 2 with a = freedom / 2 - 1: it falls with x, from infinity at r. The
    events with the largest hockey sticks are therefore {X < t} and {X > t}.

    >>> law = ShiftedChiSquare(shift=1.0, freedom=50.0)
    >>> law.loss().value, round(law.delta(0.4).value, 7)
    (inf, 0.0002428)
    """

    shift: float
    freedom: float

    def loss(self) -> Enclosure:
        """Return infinity: below the shift only one law has a density."""
        return Enclosure(math.inf, math.inf)

    def delta(self, epsilon: float) -> Enclosure:
        """Return the larger of the two directed hockey sticks."""
        power, half = self.freedom / 2.0 - 1.0, self.shift / 2.0
        found = self._stick(0, -self.shift / math.expm1(-(epsilon + half) / power), 0.0, epsilon)
        if epsilon < half:
            above = self._stick(1, -self.shift / math.expm1((epsilon - half) / power), self.shift, epsilon)
            found = max(found, above, key=lambda stick: stick.value)
        return found

    def _stick(self, side: int, at: float, shift: float, epsilon: float) -> Enclosure:
        one, two = (tails(max(0.0, at - moved), self.freedom)[side] for moved in (shift, self.shift - shift))
        two *= math.exp(epsilon)
        return Enclosure.around(max(0.0, one - two), absolute=_ROUNDING * (one + two))


def wishart_laws(mechanism: Wishart, first: npt.ArrayLike, second: npt.ArrayLike) -> LossLaw | None:
    """Return the laws of the noisy matrix for two matrices, if one has one row more than the other; None otherwise.

    None also for more than 2e8 degrees of freedom.

    >>> one = Wishart(dimension=2, degrees=51, sensitivity=1.0, delta=1e-6)
    >>> round(wishart_laws(one, np.eye(2), np.eye(2) + 0.5).delta(0.4).value, 7)
    0.0002428
    """
    mechanism.log_density(first, first)
    change = finite_array("second", second) - finite_array("first", first)
    mechanism.log_density(second, change)
    values = np.linalg.eigvalsh(change)
    row = values[np.abs(values).argmax()]
    others = np.abs(values).sum() - abs(row)
    if row == 0.0:
        return NOTHING_CHANGES
    freedom = float(mechanism.degrees - mechanism.dimension + 1)
    if others > 1e-12 * abs(row) or freedom > _MOST:
        return None
    return ShiftedChiSquare(float(abs(row)) / mechanism.scale, freedom)
