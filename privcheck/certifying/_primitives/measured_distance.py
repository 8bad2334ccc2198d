"""How far apart two private inputs of a primitive are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.mechanisms import DivergenceError


def numbers(value: Any) -> Any:
    """Return an input as an array of floats, a mapping by its values in the order of its keys; None if it holds others.

    >>> numbers({"b": 2, "a": 1}).tolist(), numbers(["a"])
    ([1.0, 2.0], None)
    """
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value, key=repr)]
    try:
        return np.array(value, np.float64)
    except (TypeError, ValueError):
        return None


def _differences(one: Any, two: Any) -> Any:
    first, second = numbers(one), numbers(two)
    if first is None or second is None:
        raise DivergenceError("the input is no number or array of numbers: declare the metric of its primitive")
    if first.shape != second.shape or (isinstance(one, dict) and one.keys() != two.keys()):
        raise DivergenceError(f"the input has shape {first.shape} on one stream and {second.shape} on the other")
    with np.errstate(invalid="ignore"):
        moved = np.abs(first - second)
    same = (first == second) | (np.isnan(first) & np.isnan(second))
    return np.where(same, 0.0, np.where(np.isnan(moved), np.inf, moved))


def _items(value: Any) -> list[Any]:
    """Return the elements of a list or the rows of a table, in a form that can be compared and counted."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    rows = value.tolist() if isinstance(value, np.ndarray) else list(value)
    return [tuple(row) if isinstance(row, list) else row for row in rows]


def _symmetric(one: Any, two: Any) -> float:
    first, second = Counter(_items(one)), Counter(_items(two))
    return float(((first - second) + (second - first)).total())


def _changes(one: Any, two: Any) -> float:
    first, second = _items(one), _items(two)
    if len(first) != len(second):
        return math.inf
    return float(sum(a != b for a, b in zip(first, second, strict=True)))


METRICS: dict[str, Callable[[Any, Any], float]] = {
    "L1": lambda one, two: math.fsum(_differences(one, two).ravel()),
    "L2": lambda one, two: float(np.linalg.norm(_differences(one, two).ravel())),
    "Linf": lambda one, two: float(np.max(_differences(one, two), initial=0.0)),
    "symmetric": _symmetric,
    "changes": _changes,
    "discrete": lambda one, two: float(one != two),
}
"""The metrics by name."""

OF_NORMS = {"Frobenius": "L2", "number of changed entries": "changes"}
"""The metric of a mechanism's `sensitivity_norm`, where it has another name."""


def metric_of(law: Any) -> str | None:
    """Return the metric in which a mechanism or law takes its sensitivity; None if its distance is not known here.

    >>> from privcheck.mechanisms import Gaussian
    >>> metric_of(Gaussian.with_scale(1.0)), metric_of(None)
    ('L2', 'L1')
    """
    if law is None:
        return "L1"
    name = str(getattr(law, "metric", None) or getattr(law, "sensitivity_norm", ""))
    name = OF_NORMS.get(name, name)
    return name if name in METRICS else None
