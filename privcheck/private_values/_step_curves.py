"""Step curves: numbers of one datum that depend on another number of it by comparisons with thresholds alone."""

from __future__ import annotations

import itertools
import math
import operator
from functools import lru_cache
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.private_values._features import FeatureTable, Key

MOST_PIECES = 64
"""Different pieces of a curve of which all pairs are compared: those of 31 thresholds."""

_DEEPEST = 40
"""Steps within steps that are followed."""

_X = ("x",)
"""Stands for the number that is compared with thresholds."""

_SYMBOLS = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip

Expression = tuple[Any, ...]


def step_curves(features: list[int], table: FeatureTable) -> list[tuple[tuple[int, ...], bytes]]:
    """Return the places of features that are steps of one number, two at least, with the pieces of their curve.

    Parameters
    ----------
    features : features of one datum.

    Returns
    -------
    For each number, or form such as 2 r, of which several features are steps: their places in `features`, and their
    values on the pieces of the curve, row by row, as bytes. The pieces are the thresholds, each as a point, and the
    open intervals between, below and above them: wherever the number is, the features have the values of a piece. The
    declared range does not bound them, so a piece may be out of reach, and a diameter too large, never too small.

    Examples
    --------
    >>> from privcheck.private_values._source import PrivateSource
    >>> source = PrivateSource()
    >>> reward = source.scalar(0.7, low=0.0, high=1.0, datum=3)
    >>> bits = np.stack([reward > 0.2, reward > 0.5])
    >>> [(places, pieces)] = step_curves(bits.terms.features.tolist(), source.features)
    >>> places, np.frombuffer(pieces).reshape(-1, 2).tolist()
    ((0, 1), [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    """
    of_number: dict[Key, list[tuple[int, Expression]]] = {}
    for place, feature in enumerate(features):
        found = _expression(feature, table, 0)
        if found is not None:
            of_number.setdefault(found[0], []).append((place, found[1]))
    several = [steps for steps in of_number.values() if len(steps) > 1]
    found = [(tuple(place for place, _ in steps), _pieces(tuple(each for _, each in steps))) for steps in several]
    return [(places, pieces) for places, pieces in found if pieces is not None]


def is_step(feature: int, table: FeatureTable) -> bool:
    """Tell whether a feature may be a step: whether it comes from a comparison, a choice, a clip or a product."""
    return table.key(feature)[0] in _RULES


def _expression(feature: int, table: FeatureTable, depth: int) -> tuple[Key, Expression] | None:
    """Return the number of which a feature is a step, and how; None if it is no step of one number."""
    kind, *parts = table.key(feature)
    rule = _RULES.get(kind)
    found = rule(parts, table, depth + 1) if rule is not None and depth < _DEEPEST else None
    if found is None or found[0] is None:
        return None
    ends = table.low[feature], table.high[feature]  # into which the feature was moved
    return found[0], ("within", found[1], *ends)


_Found = tuple[Key | None, Expression] | None
"""The number on which something depends, if any, and how."""


def _compared(parts: list[Any], table: FeatureTable, depth: int) -> _Found:
    symbol, key, limit = parts
    inner = _form(key, table, depth)
    number, how = (key, _X) if inner is None else inner  # what is no step is a number by itself, such as 2 r
    return number, ("compared", symbol, how, limit)


def _selected(parts: list[Any], table: FeatureTable, depth: int) -> _Found:
    return _joined("selected", [_form(key, table, depth) for key in parts])


def _clipped(parts: list[Any], table: FeatureTable, depth: int) -> _Found:
    key, low, high = parts
    inner = _form(key, table, depth)
    return None if inner is None else (inner[0], ("within", inner[1], low, high))


def _product(parts: list[Any], table: FeatureTable, depth: int) -> _Found:
    return _joined("product", [_form(key, table, depth) for key in parts])


_RULES: dict[Any, Any] = {"compared": _compared, "selected": _selected, "clip": _clipped, "product": _product}
"""By the first word of the key of a feature: what it is computed from, and how."""


def _form(key: Key, table: FeatureTable, depth: int) -> _Found:
    """Return a form, of which every feature is a step of the same number: see `Entries.keys`."""
    numbers: Any = key
    if numbers[0] == "public":
        return None, ("number", numbers[1])
    count = 1 if len(numbers) == 1 else (len(numbers) - 1) // 2
    found = [_expression(feature, table, depth) for feature in numbers[:count]]
    if len(numbers) == 1:
        return found[0]
    const, *weights = numbers[count:]
    return _joined("sum", found, const, tuple(weights))


def _joined(word: str, parts: list[Any], *more: Any) -> _Found:
    """Return what is computed from several parts, if these are steps of the same number, or public."""
    if any(part is None for part in parts):
        return None
    numbers = {number for number, _ in parts} - {None}
    return (next(iter(numbers), None), (word, *more, *(part for _, part in parts))) if len(numbers) <= 1 else None


@lru_cache(maxsize=4096)
def _pieces(steps: tuple[Expression, ...]) -> bytes | None:
    """Return the values of steps on all pieces, without repetitions; None if there are too many."""
    thresholds = sorted({limit for step in steps for limit in _thresholds(step)})
    if len(thresholds) >= 2 * MOST_PIECES or not all(map(math.isfinite, thresholds)):
        return None
    points = [*thresholds, *(low / 2.0 + high / 2.0 for low, high in itertools.pairwise(thresholds))]
    points += [-math.inf, math.inf]
    values: Array = np.unique([[_value(step, point) for step in steps] for point in points], axis=0)
    return values.tobytes() if len(values) <= MOST_PIECES else None


def _thresholds(step: Expression) -> list[float]:
    """Return the thresholds with which the number itself is compared."""
    if step[0] == "compared" and step[2] == _X:
        return [step[3]]
    return [limit for part in step if type(part) is tuple for limit in _thresholds(part)]


def _value(step: Expression, x: float) -> float:
    """Return the value of a step where the number is x, computed as the hidden value of the feature is."""
    word, *parts = step
    if word == "x":
        return x
    if word == "number":
        return float(parts[0])
    if word == "within":
        inner, low, high = parts
        return min(max(_value(inner, x), low), high)
    if word == "compared":
        symbol, inner, limit = parts
        return float(_SYMBOLS[symbol](_value(inner, x), limit))
    if word == "selected":
        condition, yes, no = parts
        return _value(yes if _value(condition, x) > 0.5 else no, x)
    if word == "product":
        one, two = parts
        return _value(one, x) * _value(two, x)
    const, weights, *inner = parts
    return math.fsum([const, *(w * _value(each, x) for w, each in zip(weights, inner, strict=True))])
