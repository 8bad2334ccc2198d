"""Rounder numbers for a counterexample, so that a reader can check it with pen and paper."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from privcheck.claims._claim import Point, Reading
from privcheck.claims._search.violation import violation
from privcheck.claims._variables import Variable

KEPT = 0.2
"""Share of the violation that rounding may not lose, up to `ENOUGH`."""
ENOUGH = 0.02
COMMON = (
    "1/1000000",
    "1/100000",
    "1/10000",
    "1/1000",
    "1/100",
    "1/10",
    "1/4",
    "1/3",
    "1/2",
    "3/4",
    "9/10",
    "1",
    "2",
    "3",
    "4",
    "5",
    "10",
    "100",
    "1000",
)
"""Numbers that are tried for every variable."""


def rounder(reading: Reading, point: Mapping[str, float]) -> Point:
    """Return a point with shorter numbers at which the relation still fails by a good part of the violation.

    >>> from privcheck.claims._claim import at_most, printed
    >>> from privcheck.claims._variables import probability
    >>> x = probability("x")
    >>> rounder(printed(x, says=at_most(x.symbol, x.symbol**2)), {"x": 0.4982})
    {'x': Fraction(1, 2)}
    """
    best: Point = {name: Fraction(str(value)) for name, value in point.items()}
    needed = min(ENOUGH, KEPT * violation(reading, point))
    for _ in range(2):  # a second round, because the first changed the others
        for of in reading.variables:
            for value in sorted(_simpler(of, best[of.name]), key=_simplicity):
                if _simplicity(value) >= _simplicity(best[of.name]):
                    break
                tried = best | {of.name: value}
                if of.has(value) and violation(reading, {name: float(v) for name, v in tried.items()}) >= needed:
                    best = tried
                    break
    return best


def _simplicity(value: Fraction) -> tuple[int, int]:
    """Return what sorts numbers by their length and, among equally long ones, by their parts."""
    length = len(str(value.numerator)) + (len(str(value.denominator)) if value.denominator != 1 else 0)
    return length, abs(value.numerator) + value.denominator


def _simpler(of: Variable, value: Fraction) -> set[Fraction]:
    low, high = of.searched
    if of.integer:
        return {Fraction(int(low) + step) for step in range(int(min(high - low, 20)) + 1)} | {
            Fraction(10**power) for power in range(1, 6) if low <= 10**power <= high
        }
    near = {value.limit_denominator(largest) for largest in (1, 2, 4, 10, 100, 1000)}
    rounded = {Fraction(f"{float(value):.{digits}g}") for digits in (1, 2, 3)}
    common = {Fraction(number) for number in COMMON}
    ends = {Fraction(str(end)) for end in (low, high)}
    return {found for found in near | rounded | common | ends if low <= found <= high}
