"""Confirming a counterexample with arithmetic that cannot be wrong: exact rationals, or intervals of many digits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privcheck.claims._arithmetic import RATIONALS
from privcheck.claims._claim import Point, Reading, Relation
from privcheck.claims._expression import Expression, Number, evaluate
from privcheck.claims._precise_intervals import bits_of, point_intervals
from privcheck.errors import PrivcheckError, words

DIGITS = (50, 100)
"""A counterexample has to hold at each of these."""


@dataclass(frozen=True)
class Counterexample:
    """A point of the domain at which a statement is false for certain.

    Parameters
    ----------
    point : values of the variables, as exact rationals in text.
    left, right : both sides there, to 12 digits.
    arithmetic : "exact rationals", or "intervals of 50 and 100 digits".

    """

    point: dict[str, str]
    left: str
    right: str
    arithmetic: str


def counterexample(reading: Reading, point: Mapping[str, Number]) -> Counterexample | None:
    """Return the confirmed counterexample at a point, or None if the statement is not refuted there.

    Parameters
    ----------
    reading : the statement, an inequality or an equality.
    point : a number for each of its variables; a float stands for the decimal number that it prints as.

    Guarantee
    ---------
    A counterexample is returned only if the point is in the domain as printed, each printed condition holds there and
    the relation fails there, all of it in exact rationals or in intervals with outward rounding at both precisions.

    Raises
    ------
    PrivcheckError : a variable without a value, a value of no variable, or one that is no number; a point outside of
        the domain, at which a condition is not known to hold, or a side has no value; a statement without two sides.

    Examples
    --------
    >>> from privcheck.claims._claim import at_most, printed
    >>> from privcheck.claims._variables import probability
    >>> x = probability("x")
    >>> counterexample(printed(x, says=at_most(x.symbol, x.symbol**2)), {"x": Fraction(1, 2)})
    Counterexample(point={'x': '1/2'}, left='0.5', right='0.25', arithmetic='exact rationals')
    """
    if not isinstance(reading.says, Relation):
        got = words(f"the reading {reading.name!r}, which compares no two sides at a point")
        raise PrivcheckError("reading", got, "one whose statement is an inequality or an equality")
    exact = exact_point(reading, point)
    if told := _outside(reading, exact):
        raise PrivcheckError(
            "point", words(f"{_named(exact)}, {told}"), "a point at which the statement says something"
        )
    return refuted_at(reading, exact)


def refuted_at(reading: Reading, point: Point) -> Counterexample | None:
    """Return the confirmed counterexample at a point; None if it is not refuted there, or says nothing of the point."""
    says = reading.says
    if not isinstance(says, Relation) or not _is_inside(reading, point):
        return None
    if not fails(says, point):
        return None
    how = "intervals of 50 and 100 digits" if _exactly(says.gap, point) is None else "exact rationals"
    left, right = (_shown(side, point) for side in (says.left, says.right))
    return Counterexample({name: str(value) for name, value in point.items()}, left, right, how)


def _is_inside(reading: Reading, point: Point) -> bool:
    inside = all(found.has(point[found.name]) for found in reading.variables)
    return inside and all(holds(condition, point) for condition in reading.assumes)


def _outside(reading: Reading, point: Point) -> str:
    """Return why a statement says nothing of a point; an empty text if it does."""
    says = reading.says
    assert isinstance(says, Relation)
    for found in reading.variables:
        if not found.has(point[found.name]):
            return f"which is outside of the domain: {found}"
    for condition in reading.assumes:
        if not holds(condition, point):
            return f"which is outside of the domain: the condition {condition} is not known to hold there"
    for side in (says.left, says.right):
        if _exactly(side, point) is None and enclosed(side, point) == (-math.inf, math.inf):
            return f"at which {side} is not defined"
    return ""


def _named(point: Point) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items()) or "no numbers"


def exact_point(reading: Reading, point: Mapping[str, Number]) -> Point:
    """Return a point in rational numbers, in the order of the variables of a reading, or refuse it."""
    names = [of.name for of in reading.variables]
    try:
        missing, unknown = [of for of in names if of not in point], [of for of in point if of not in names]
        if not missing and not unknown:
            return {name: _rational(point[name]) for name in names}
        wrong = f"no {', '.join(missing)}" if missing else f"{', '.join(map(str, unknown))}, of which it does not speak"
    except (TypeError, ValueError, ZeroDivisionError):
        wrong = "values that are no finite numbers"
    raise PrivcheckError("point", words(wrong), f"a number for each of {', '.join(names)}", 'as in {"x": "1/3"}')


def _rational(value: Number) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(str(value))


def holds(condition: Relation, point: Point) -> bool:
    """Return whether a printed condition holds at a point for certain."""
    exact = _exactly(condition.gap, point)
    if exact is not None:
        return exact == 0 if condition.sense == "==" else exact > 0 if condition.sense == "<" else exact >= 0
    if condition.sense == "==":
        return False  # an equality of irrational numbers cannot be confirmed by intervals
    lows = [enclosed(condition.gap, point, digits)[0] for digits in DIGITS]
    return all(low > 0 or (low == 0 and condition.sense != "<") for low in lows)


def fails(says: Relation, point: Point) -> bool:
    """Return whether a relation fails at a point for certain."""
    exact = _exactly(says.gap, point)
    if exact is not None:
        return exact != 0 if says.sense == "==" else exact <= 0 if says.sense == "<" else exact < 0
    return all(_fails(says, point, digits) for digits in DIGITS)


def _fails(says: Relation, point: Point, digits: int) -> bool:
    low, high = enclosed(says.gap, point, digits)
    return high < 0 or (high == 0 and says.sense == "<") or (says.sense == "==" and low > 0)


def _exactly(node: Expression, point: Point) -> Fraction | None:
    try:
        return Fraction(evaluate(node, RATIONALS, point))
    except (ArithmeticError, ValueError):
        return None


def enclosed(node: Expression, point: Point, digits: int = DIGITS[-1]) -> tuple[float, float]:
    """Return bounds of an expression at a point, from intervals of a number of digits; infinite without a value."""
    arithmetic = point_intervals(bits_of(digits))
    try:
        found = evaluate(node, arithmetic, _boxed(point, arithmetic))
    except ArithmeticError:
        found = None
    if found is None:
        return -math.inf, math.inf
    return arithmetic.lower(found), arithmetic.upper(found)


def _boxed(point: Mapping[str, Fraction], arithmetic: Any) -> dict[str, Any]:
    return {name: arithmetic.constant(value) for name, value in point.items()}


def _shown(node: Expression, point: Point) -> str:
    low, high = enclosed(node, point, DIGITS[0])
    shown = f"{low:.12g}"
    return shown if shown == f"{high:.12g}" else f"{low!r}..{high!r}"
