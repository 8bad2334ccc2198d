"""The variables of a statement: what they range over as printed, where to search and where to prove."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

from privcheck.claims._expression import Expression, variable

MOST_SEARCHED = 10**6
"""Where the search of an unbounded variable ends."""


@dataclass(frozen=True)
class Variable:
    """One variable and its domain.

    Parameters
    ----------
    name : as the statement has it, in plain letters.
    low, high : ends of the domain as printed; infinite if there is none.
    integer : whether it takes integers only.
    low_open, high_open : whether the end itself is excluded.
    region : finite range in which a proof is tried, where the domain is too large for one; the domain by default.
    specials : values at which a search looks in any case, such as those where a regime changes.
    words : what the paper prints that gives the variable a smaller range than its kind has; a test asks for them.

    Examples
    --------
    >>> print(Variable("epsilon", 0, math.inf, low_open=True))
    epsilon in (0, inf)
    >>> print(Variable("n", 1, 8, integer=True))
    integer n in [1, 8]
    """

    name: str
    low: float
    high: float
    integer: bool = False
    low_open: bool = False
    high_open: bool = False
    region: tuple[float, float] | None = None
    specials: tuple[float, ...] = field(default=())
    words: str = ""

    def __str__(self) -> str:
        left, right = "(" if self.low_open else "[", ")" if self.high_open or math.isinf(self.high) else "]"
        return f"{'integer ' if self.integer else ''}{self.name} in {left}{self.low:g}, {self.high:g}{right}"

    @property
    def symbol(self) -> Expression:
        """The variable in expressions."""
        return variable(self.name)

    @property
    def searched(self) -> tuple[float, float]:
        """The finite range that is searched; sums grow with integers, so that a region limits those."""
        if self.integer and self.region:
            return self.region
        return max(self.low, -float(MOST_SEARCHED)), min(self.high, float(MOST_SEARCHED))

    @property
    def proved(self) -> tuple[Fraction, Fraction]:
        """The finite range in which a proof is tried."""
        low, high = self.region or self.searched
        return Fraction(str(low)), Fraction(str(high))

    @property
    def whole_domain(self) -> bool:
        """Whether the range in which a proof is tried, with its ends, covers the domain."""
        low, high = self.proved
        return low <= self.low and high >= self.high

    def has(self, value: Fraction) -> bool:
        """Return whether a value is in the domain as printed.

        >>> Variable("x", 0, 1, low_open=True).has(Fraction(0))
        False
        >>> Variable("x", 0.05, 1).has(Fraction(1, 20))
        True
        """
        # an end is the decimal number that it prints as, which its float may exceed
        low, high = (Fraction(str(end)) if math.isfinite(end) else end for end in (self.low, self.high))
        above = value > low if self.low_open else value >= low
        below = value < high if self.high_open else value <= high
        return above and below and (not self.integer or value.denominator == 1)


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
