"""Step curves: numbers of one datum that depend on another number of it by comparisons with thresholds alone."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from privcheck.arrays import Array

MOST_PIECES = 64
"""Different pieces of a curve of which all pairs are compared: those of 31 thresholds."""

_LARGEST = 200
"""Parts of an expression up to which a number is taken for a step."""

_X = ("x",)
"""Stands for the number that is compared with thresholds."""

_SYMBOLS = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip

Expression = tuple[Any, ...]

Step = tuple[Any, Expression, int]
"""The number of which something is a step (None if it is public), how, and of how many parts that consists."""

Steps = Mapping[int, Step]
"""The features that are steps."""


def step_curves(features: list[int], known: Steps) -> list[tuple[tuple[int, ...], bytes]]:
    """Return the places of features that are steps of one number, two at least, with the pieces of their curve.

    Parameters
    ----------
    features : features of one datum.
    known : those that are steps.

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
    >>> [(places, pieces)] = step_curves(bits.terms.features.tolist(), source.features.steps)
    >>> places, np.frombuffer(pieces).reshape(-1, 2).tolist()
    ((0, 1), [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    """
    of_number: dict[Any, list[tuple[int, Expression]]] = {}
    for place, feature in enumerate(features):
        if feature in known:
            number, how, _ = known[feature]
            of_number.setdefault(number, []).append((place, how))
    several = [steps for steps in of_number.values() if len(steps) > 1]
    found = [(tuple(place for place, _ in steps), _pieces(tuple(each for _, each in steps))) for steps in several]
    return [(places, pieces) for places, pieces in found if pieces is not None]


def step_of(key: tuple[Any, ...], low: float, high: float, known: Steps) -> Step | None:
    """Return of which number a new feature is a step, and how; None if it is no step of one number.

    Parameters
    ----------
    key : what it is computed from, and how: see `FeatureTable.derived`.
    low, high : the interval into which it was moved.
    known : the features that are steps.
    """
    kind, *parts = key
    if kind == "compared":
        symbol, form, limit = parts
        inner = _form(form, known)  # what is no step itself is a number, such as 2 r
        number, how, size = inner if inner is not None and inner[0] is not None else (form, _X, 1)
        found: Step | None = (number, ("compared", symbol, how, limit), size + 1)
    elif kind in ("selected", "product"):
        found = _joined(kind, [_form(form, known) for form in parts])
    elif kind == "clip":
        form, lowest, highest = parts
        inner = _form(form, known)
        found = None if inner is None else (inner[0], ("within", inner[1], lowest, highest), inner[2] + 1)
    else:
        return None
    if found is None or found[0] is None or found[2] >= _LARGEST:
        return None
    return found[0], ("within", found[1], low, high), found[2] + 1


def _form(form: Any, known: Steps) -> Step | None:
    """Return a form, of which every feature is a step of the same number: see `Entries.keys`."""
    if form[0] == "public":
        return None, ("number", form[1]), 1
    count = 1 if len(form) == 1 else (len(form) - 1) // 2
    parts = [known.get(feature) for feature in form[:count]]
    return parts[0] if len(form) == 1 else _joined("sum", parts, form[count], form[count + 1 :])


def _joined(word: str, parts: list[Step | None], *more: Any) -> Step | None:
    """Return what is computed from several parts, if these are steps of the same number, or public."""
    found = [part for part in parts if part is not None]
    numbers = {number for number, _, _ in found} - {None}
    if len(found) < len(parts) or len(numbers) > 1:
        return None
    return next(iter(numbers), None), (word, *more, *(how for _, how, _ in found)), 1 + sum(size for *_, size in found)


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
        return float(min(max(_value(inner, x), low), high))
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
