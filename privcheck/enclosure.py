"""A number that was computed numerically, held between two ends.

A result states its error in this way; nothing is computed with it. Interval arithmetic for proofs is that of the claims
(`privcheck.claims._float_intervals` and `precise_intervals`). As text, a bound is rounded to its own side, so that no
rounding claims more than was shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from privcheck.errors import PrivcheckError, words

ROUNDING = 2.0**-52
"""Relative error allowed for one floating-point operation, twice its bound."""

UNDERFLOW = 1e-300
"""Absolute error allowed where numbers may be too small for floats."""

_EXACT = Context(prec=800, traps=[])
"""Arithmetic in which no digit of a float is lost, whatever a target has set for its own decimals."""


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
    >>> loss = Enclosure.around(1.0, relative=1e-9)
    >>> 1.0 in loss, 1.1 in loss, loss.width < 3e-9
    (True, False, True)
    >>> Enclosure.between(1.0, 2.0, relative=0.5)
    Enclosure(lower=0.5, upper=3.0)
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
    def around(cls, value: float, *, absolute: float = 0.0, relative: float = 0.0) -> Enclosure:
        """Return the non-negative numbers within these errors of a computed value >= 0."""
        if math.isinf(value):
            return cls(value, value)
        error = absolute + relative * value
        return cls(max(0.0, value - error), value + error)

    @classmethod
    def between(cls, one: float, two: float, *, relative: float) -> Enclosure:
        """Return the numbers >= 0 between two computed ends, in either order, each moved outwards by a share of it."""
        if math.isinf(two):
            return cls(one, two)
        low, high = min(one, two), max(one, two)
        return cls(max(0.0, low * (1 - relative)), max(0.0, high * (1 + relative)))

    @property
    def value(self) -> float:
        """The middle of the interval."""
        return self.lower if self.lower == self.upper else self.lower + (self.upper - self.lower) / 2

    @property
    def width(self) -> float:
        """The upper end minus the lower one; 0 for an exact value, which may be infinite."""
        return 0.0 if self.lower == self.upper else self.upper - self.lower

    @property
    def relative_width(self) -> float:
        """Width as a share of the upper end; 0 for an exact value."""
        return 0.0 if self.lower == self.upper else self.width / self.upper

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper


def as_given(value: float) -> str:
    """Return a number that somebody gave, such as a claim or a level, with the digits that it has.

    >>> as_given(1.0), as_given(1.23456789), as_given(0.1 + 0.2), as_given(1e-06), as_given(math.inf)
    ('1', '1.23456789', '0.3', '1e-06', 'inf')
    """
    return f"{value:.12g}"


def rounded_down(value: float, decimals: int = 3) -> str:
    """Return a lower bound as text, rounded down to some decimals.

    >>> rounded_down(0.9996), rounded_down(1.7649, 2), rounded_down(math.inf), rounded_down(-0.0001)
    ('0.999', '1.76', 'inf', '-0.001')
    """
    return _rounded(value, decimals, math.floor, 1e-9)


def rounded_up(value: float, decimals: int = 3) -> str:
    """Return an upper bound as text, rounded up to some decimals.

    >>> rounded_up(1.7641), rounded_up(0.3)
    ('1.765', '0.300')
    """
    return _rounded(value, decimals, math.ceil, -1e-9)


def digits_down(value: float, digits: int = 6) -> str:
    """Return a lower bound as text, rounded down to some significant digits.

    >>> digits_down(1.0), digits_down(1.7409176), digits_down(0.1 + 0.2), digits_down(1234567.0), digits_down(-1e-9, 1)
    ('1', '1.74091', '0.3', '1.23456e+06', '-1e-09')
    """
    return _to_digits(value, digits, ROUND_FLOOR, Decimal("1e-9"))


def digits_up(value: float, digits: int = 6) -> str:
    """Return an upper bound as text, rounded up to some significant digits.

    >>> digits_up(1.0), digits_up(1.0000002), digits_up(0.1 + 0.2), digits_up(1234561.0), digits_up(math.inf)
    ('1', '1.00001', '0.3', '1.23457e+06', 'inf')
    """
    return _to_digits(value, digits, ROUND_CEILING, Decimal("-1e-9"))


def p_value_text(value: float, digits: int = 3) -> str:
    """Return a p-value, rounded up; one that is too small for a float is not 0.

    >>> p_value_text(0.0), p_value_text(7.1e-10), p_value_text(1.0), p_value_text(0.0500049)
    ('< 1e-300', '7.1e-10', '1', '0.0501')
    """
    return "< 1e-300" if value < 1e-300 else digits_up(value, digits)


def _to_digits(value: float, digits: int, rounding: str, slack: Decimal) -> str:
    """Return a number as text; `slack` as in `_rounded`. A target may have changed the context of decimals."""
    if not value or not math.isfinite(value):
        return f"{value:g}"
    exact = _EXACT.create_decimal(value)
    last = _EXACT.scaleb(1, exact.adjusted() - digits + 1)
    moved = _EXACT.fma(slack, last, exact)
    in_digits = _EXACT.divide(moved, last).to_integral_value(rounding, _EXACT)
    return f"{float(_EXACT.multiply(in_digits, last)):.{digits}g}"


def _rounded(value: float, decimals: int, whole: Callable[[float], int], slack: float) -> str:
    """Return a number as text; `slack` is for decimal numbers that floats do not have, as a share of the last digit."""
    if math.isinf(value) or abs(value) >= 2.0**52:  # all numbers of this size are whole
        return f"{value:.{decimals}f}"
    scale = 10**decimals
    return f"{whole(value * scale + slack) / scale:.{decimals}f}"
