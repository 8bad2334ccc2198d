"""A number that is known to lie between two others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

from privcheck.errors import PrivcheckError, words

ROUNDING = 2.0**-52
"""Relative error allowed for one floating-point operation, twice its bound."""

UNDERFLOW = 1e-300
"""Absolute error allowed where numbers may be too small for floats."""


@dataclass(frozen=True)
class Enclosure:
    """An interval that contains the true value.

    Parameters
    ----------
    lower, upper : lower <= true value <= upper; both may be infinite, none NaN.

    Examples
    --------
    >>> loss = Enclosure.around(1.0, relative=1e-9)
    >>> 1.0 in loss, 1.1 in loss, loss.width < 3e-9
    (True, False, True)

    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise PrivcheckError("enclosure", words(f"[{self.lower}, {self.upper}]"), "lower <= upper, none NaN")

    @classmethod
    def around(cls, value: float, *, absolute: float = 0.0, relative: float = 0.0) -> Self:
        """Return the non-negative numbers within these errors of a value >= 0."""
        if math.isinf(value):
            return cls(value, value)
        error = absolute + relative * value
        return cls(max(0.0, value - error), value + error)

    @property
    def midpoint(self) -> float:
        """The middle of the interval."""
        return self.lower if self.lower == self.upper else 0.5 * (self.lower + self.upper)

    @property
    def width(self) -> float:
        """The upper end minus the lower one."""
        return 0.0 if self.lower == self.upper else self.upper - self.lower

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper
