"""By how much a relation fails at points, in floats."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from privcheck.claims._arithmetic import ARRAYS, FLOATS
from privcheck.claims._claim import Reading, Relation
from privcheck.claims._expression import Expression, evaluate
from privcheck.claims._variables import Variable

SMALLEST = 1e-300


def violation(reading: Reading, point: Mapping[str, float]) -> float:
    """Return the relative amount by which a relation fails at a point; negative where it holds.

    Outside of the domain it is -inf, and where floats give a side or a condition no value it is NaN.

    >>> from privcheck.claims._claim import at_most, printed
    >>> from privcheck.claims._variables import probability
    >>> x = probability("x")
    >>> violation(printed(x, says=at_most(x.symbol, x.symbol**2)), {"x": 0.5})
    0.5
    """
    if any(_outside(of, point[of.name]) for of in reading.variables):
        return -math.inf
    slacks = [(_at(condition.gap, point), condition.sense) for condition in reading.assumes]
    if any(slack < 0.0 or (slack == 0.0 and sense == "<") for slack, sense in slacks):
        return -math.inf
    if any(math.isnan(slack) for slack, _ in slacks):
        return math.nan
    says = reading.says
    assert isinstance(says, Relation)
    left, right = _at(says.left, point), _at(says.right, point)
    return float(_relative(says.sense, left, right))


def violations(reading: Reading, points: Mapping[str, Any]) -> Any:
    """Return `violation` for arrays of points."""
    says = reading.says
    assert isinstance(says, Relation)
    count = len(next(iter(points.values()))) if points else 1
    try:
        left, right = (np.broadcast_to(evaluate(side, ARRAYS, points), count) for side in (says.left, says.right))
        found, outside = _relative(says.sense, left, right), np.zeros(count, bool)
        for condition in reading.assumes:
            slack = evaluate(condition.gap, ARRAYS, points)
            outside |= np.less_equal(slack, 0.0) if condition.sense == "<" else np.less(slack, 0.0)
            found = np.where(np.isnan(slack), np.nan, found)
        for of in reading.variables:
            outside |= _outside(of, points[of.name])
    except ArithmeticError:  # a sum whose limits differ from point to point
        listed = [{name: float(values[i]) for name, values in points.items()} for i in range(count)]
        return np.array([violation(reading, point) for point in listed])
    return np.where(outside, -np.inf, found)


@dataclass
class Points:
    """What became of the points of a search; those outside of the domain count as neither.

    Parameters
    ----------
    tried : at which both sides were compared.
    undefined : at which floats gave a side or a condition no value: it has none, or one that is too large for them.
    """

    tried: int = 0
    undefined: int = 0

    def add(self, found: Any) -> None:
        """Count the values of `violation` at some points."""
        undefined = int(np.isnan(found).sum())
        self.undefined += undefined
        self.tried += int(np.size(found) - np.isneginf(found).sum()) - undefined


def _outside(of: Variable, value: Any) -> Any:
    """Return whether a number, or which numbers, are outside of a domain; an open end itself is."""
    below = value <= of.low if of.low_open else value < of.low
    return below | (value >= of.high if of.high_open else value > of.high)


def _at(node: Expression, point: Mapping[str, float]) -> float:
    try:
        return float(evaluate(node, FLOATS, point))
    except ArithmeticError:
        return math.nan


def _relative(sense: str, left: Any, right: Any) -> Any:
    with np.errstate(all="ignore"):
        excess = {"<=": left - right, ">=": right - left, "==": np.abs(left - right)}[sense]
        scale = np.maximum(np.maximum(np.abs(left), np.abs(right)), SMALLEST)
        return np.where(np.isinf(excess), np.sign(excess), excess / scale)
