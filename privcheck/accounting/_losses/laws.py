"""The privacy loss of two laws: the interface of every closed form, and the finite case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from privcheck.arrays import Array
from privcheck.enclosure import ROUNDING, UNDERFLOW, Enclosure

MOST_OUTCOMES = 1_000_000
"""The most outcomes of a product law that are enumerated, to bound the memory: three arrays of 8 MB."""

_LARGEST_EXPONENT = 700.0
"""Exponents are cut here: exp overflows above 709."""


class LossLaw(Protocol):
    """The two laws of an output, under one input and under its neighbour, as far as privacy is concerned."""

    def loss(self) -> Enclosure:
        """Return the largest |ln(P(event) / Q(event))| over events: the pure privacy loss."""

    def delta(self, epsilon: float) -> Enclosure:
        """Return the largest P(event) - e^epsilon Q(event) over events, P being either law: the hockey stick."""


@dataclass(frozen=True, eq=False)
class FiniteLaws:
    """Two laws on finitely many outcomes, given by the logarithms of their probabilities.

    The ratio of the probabilities of an event lies between the smallest and the largest ratio of its outcomes, so a
    single outcome attains the loss. The hockey stick is the sum of the positive parts of p - e^epsilon q.

    Parameters
    ----------
    log_first, log_second : natural logarithms, shape (N,), finite.
    error : the error of each logarithm, shape (N,); 0 where both laws are known to give the same probability.

    Examples
    --------
    >>> import numpy as np
    >>> laws = FiniteLaws(np.log([0.75, 0.25]), np.log([0.25, 0.75]), np.full(2, 1e-15))
    >>> round(laws.loss().value, 7), round(laws.delta(0.0).value, 7)
    (1.0986123, 0.5)

    """

    log_first: Array
    log_second: Array
    error: Array

    def loss(self) -> Enclosure:
        """Return the largest |log-ratio| of an outcome."""
        ratios = np.abs(self.log_first - self.log_second)
        errors = 2.0 * self.error
        return Enclosure(max(0.0, float(np.max(ratios - errors))), float(np.max(ratios + errors)))

    def delta(self, epsilon: float) -> Enclosure:
        """Return the larger of the two directed hockey sticks."""
        one = self._directed(self.log_first, self.log_second, epsilon)
        two = self._directed(self.log_second, self.log_first, epsilon)
        return Enclosure(max(one[0], two[0]), max(one[1], two[1]))

    def times(self, other: FiniteLaws) -> FiniteLaws | None:
        """Return the laws of an independent pair of outcomes; None if there are more than `MOST_OUTCOMES`."""
        if self.error.size * other.error.size > MOST_OUTCOMES:
            return None
        sums = [
            np.add.outer(getattr(self, name), getattr(other, name)).ravel()
            for name in ("log_first", "log_second", "error")
        ]
        return FiniteLaws(*sums)

    def _directed(self, log_p: Array, log_q: Array, epsilon: float) -> tuple[float, float]:
        p, q = np.exp(log_p), np.exp(np.minimum(log_q + epsilon, _LARGEST_EXPONENT))
        error = self.error + 4.0 * ROUNDING * (1.0 + epsilon + np.abs(log_p) + np.abs(log_q))
        error[self.error == 0.0] = 0.0
        lower = float(np.maximum(p * (1.0 - error) - q * (1.0 + error), 0.0).sum())
        upper = float(np.maximum(p * (1.0 + error) - q * (1.0 - error), 0.0).sum())
        slack = ROUNDING * p.size
        lost = UNDERFLOW * int(np.count_nonzero(log_p < 20.0 - _LARGEST_EXPONENT))
        return max(0.0, lower * (1.0 - slack)), min(1.0, upper * (1.0 + slack) + lost)


NOTHING_CHANGES = FiniteLaws(np.zeros(1), np.zeros(1), np.zeros(1))
"""Two equal laws."""


def independent(laws: Sequence[FiniteLaws]) -> FiniteLaws | None:
    """Return the laws of independent outcomes together; None if there are more than `MOST_OUTCOMES`.

    >>> independent([]) is NOTHING_CHANGES
    True
    """
    found: FiniteLaws | None = NOTHING_CHANGES
    for law in laws:
        found = None if found is None else found.times(law)
    return found
