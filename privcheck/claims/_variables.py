"""The variables of a statement: what they range over as printed, where to search and where to prove."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from privcheck.claims._expression import Expression, decimal, variable
from privcheck.errors import PrivcheckError, words

MOST_SEARCHED = 10**6
"""Where the search of an unbounded variable ends."""

LARGEST = 1e300
"""Ends of a domain may be as large as this, or infinite."""


@dataclass(frozen=True)
class Variable:
    """One variable and its domain.

    Parameters
    ----------
    name : as the statement has it, in plain letters.
    low, high : ends of the domain as printed, floats being the decimals that they print as, or `Fraction` objects;
        infinite if there is none.
    integer : whether it takes integers only.
    low_open, high_open : whether the end itself is excluded.
    region : finite range in which a proof is tried, where the domain is too large for one, and integers are searched;
        the domain by default.
    specials : values at which a search looks in any case, such as those where a regime changes.
    words : what the paper prints that gives the variable a smaller range than its kind has; a test asks for them.

    Raises
    ------
    PrivcheckError : a name that is no text, ends, a region or special values that are no real numbers, or ends between
        which there is nothing.

    Examples
    --------
    >>> print(Variable("epsilon", 0, math.inf, low_open=True))
    epsilon in (0, inf)
    >>> print(Variable("n", 1, 8, integer=True))
    integer n in [1, 8]
    """

    name: str
    low: float | Fraction
    high: float | Fraction
    integer: bool = False
    low_open: bool = False
    high_open: bool = False
    region: tuple[float, float] | None = None
    specials: tuple[float, ...] = field(default=())
    words: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise PrivcheckError("name", self.name, "a text, such as 'epsilon'")
        for name in ("low", "high"):
            object.__setattr__(self, name, _end(f"{name} of {self.name}", getattr(self, name)))
        object.__setattr__(self, "specials", _finite(f"specials of {self.name}", self.specials))
        if self.region is not None:
            object.__setattr__(self, "region", _finite(f"region of {self.name}", self.region))
            if len(self.region) != 2 or self.region[0] > self.region[1]:
                raise PrivcheckError(f"region of {self.name}", self.region, "(low, high), the low end first")
        finite = math.isfinite(self.low) and math.isfinite(self.high)
        first, last = (math.ceil(self.low), math.floor(self.high)) if self.integer and finite else (self.low, self.high)
        if first > last or (first == last and (self.low_open or self.high_open)) or math.inf in (first, -last):
            got = words(f"{self.name} from {_shown(self.low)} to {_shown(self.high)}")
            expected = "a range with an integer" if self.integer else "low below high, or a number that both include"
            raise PrivcheckError("domain", got, expected)

    def __str__(self) -> str:
        left, right = "(" if self.low_open else "[", ")" if self.high_open or math.isinf(self.high) else "]"
        return (
            f"{'integer ' if self.integer else ''}{self.name} in {left}{_shown(self.low)}, {_shown(self.high)}{right}"
        )

    @property
    def symbol(self) -> Expression:
        """The variable in expressions."""
        return variable(self.name)

    @property
    def searched(self) -> tuple[float, float]:
        """The finite range that is searched; sums grow with integers, so that a region limits those."""
        if self.integer and self.region:
            return float(self.region[0]), float(self.region[1])
        low, high = max(self.low, -float(MOST_SEARCHED)), min(self.high, float(MOST_SEARCHED))
        return _float_within(low, math.inf), _float_within(high, -math.inf)

    @property
    def proved(self) -> tuple[Fraction, Fraction]:
        """The finite range in which a proof is tried."""
        low, high = self.region or (max(self.low, -MOST_SEARCHED), min(self.high, MOST_SEARCHED))
        return Fraction(str(low)), Fraction(str(high))

    @property
    def whole_domain(self) -> bool:
        """Whether the range in which a proof is tried, with its ends, covers the domain."""
        (low, high), (first, last) = self.proved, self._ends
        return low <= first and high >= last

    @property
    def _ends(self) -> tuple[float | Fraction, float | Fraction]:
        """The ends as the decimal numbers that they print as, which their floats may exceed."""
        low, high = (Fraction(str(end)) if math.isfinite(end) else end for end in (self.low, self.high))
        return low, high

    def has(self, value: Fraction) -> bool:
        """Return whether a value is in the domain as printed.

        >>> Variable("x", 0, 1, low_open=True).has(Fraction(0))
        False
        >>> Variable("x", 0.05, 1).has(Fraction(1, 20))
        True
        """
        low, high = self._ends
        above = value > low if self.low_open else value >= low
        below = value < high if self.high_open else value <= high
        return above and below and (not self.integer or value.denominator == 1)


def _end(name: str, value: Any) -> float | Fraction:
    """Return an end of a domain as a number."""
    given = value
    if isinstance(value, np.generic | np.ndarray) and value.size == 1:
        value = value.item()
    if isinstance(value, str | Decimal):
        with suppress(ValueError, OverflowError, ZeroDivisionError):
            value = Fraction(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction) or value != value:
        raise PrivcheckError(name, given, "a real number, or math.inf", "as in 0, 0.5 or Fraction(1, 3)")
    size: Any = abs(value)
    if LARGEST < size != math.inf:
        raise PrivcheckError(name, words("a number beyond floats"), f"at most {LARGEST:g} in size, or math.inf")
    return value


def _finite(name: str, values: Any) -> Any:
    """Return several numbers as a tuple."""
    listed = isinstance(values, Sequence | np.ndarray) and getattr(values, "ndim", 1) == 1
    if isinstance(values, str | bytes) or not listed:
        raise PrivcheckError(name, values, "a tuple of real numbers")
    found = tuple(_end(name, value) for value in values)
    if math.inf in map(abs, found):
        raise PrivcheckError(name, values, "finite numbers")
    return found


def _shown(value: float | Fraction) -> str:
    return decimal(value) if isinstance(value, Fraction) else f"{value:g}"


def _float_within(value: float | Fraction, inwards: float) -> float:
    """Return an end as a float; that of a fraction between two floats is the one inside of the domain."""
    found = float(value)
    if isinstance(value, Fraction) and (Fraction(found) < value) == (inwards > 0) and Fraction(found) != value:
        return math.nextafter(found, inwards)
    return found


def positive(name: str, region: tuple[float, float] = (0.001, 100.0), *specials: float) -> Variable:
    """Return a variable above 0."""
    return Variable(name, 0, math.inf, low_open=True, region=region, specials=specials)


def probability(name: str, *, open_ends: bool = False, region: tuple[float, float] | None = None) -> Variable:
    """Return a variable in [0, 1], or in (0, 1)."""
    return Variable(name, 0, 1, low_open=open_ends, high_open=open_ends, region=region)


def integer(
    name: str, low: int, high: float = math.inf, region: tuple[float, float] | None = None, *, words: str = ""
) -> Variable:
    """Return an integer from `low` to `high`."""
    return Variable(name, low, high, integer=True, region=region, words=words)
