"""A number that was computed numerically, held between two ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

from privcheck.errors import PrivcheckError, words


@dataclass(frozen=True)
class Enclosure:
    """An interval that contains the true value.

    Parameters
    ----------
    lower : at most the true value; may be infinite when `upper` is.
    upper : at least the true value.

    Raises
    ------
    PrivcheckError : an end that is not a number, or `lower` above `upper`.

    Examples
    --------
    >>> Enclosure(0.25, 0.75).value
    0.5
    >>> Enclosure.exactly(2.0).relative_width
    0.0
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise PrivcheckError("enclosure", words(f"[{self.lower}, {self.upper}]"), "a lower end below the upper end")

    @classmethod
    def exactly(cls, value: float) -> Enclosure:
        """Return the enclosure of a value that is known up to the rounding of its last digits."""
        return cls(float(value), float(value))

    @classmethod
    def around(cls, lower: float, upper: float, relative: float) -> Enclosure:
        """Return [lower, upper], non-negative, widened outwards for rounding by a share of its ends."""
        if math.isinf(upper):
            return cls(lower, upper)
        low, high = min(lower, upper), max(lower, upper)
        return cls(max(0.0, low * (1 - relative)), max(0.0, high * (1 + relative)))

    @property
    def value(self) -> float:
        """The middle of the interval."""
        return self.lower if self.lower == self.upper else self.lower + (self.upper - self.lower) / 2

    @property
    def relative_width(self) -> float:
        """Width as a share of the upper end; 0 for an exact value."""
        return 0.0 if self.lower == self.upper else (self.upper - self.lower) / self.upper

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper
