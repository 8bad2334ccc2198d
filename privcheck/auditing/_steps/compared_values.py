"""Copies of what functions are given and return, and where two of them differ."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Iterable, Sequence
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from privcheck.auditing._steps.kinds_of_generators import GENERATORS
from privcheck.auditing._steps.stand_ins import GLOBAL_STATE

GLOBAL = (np.random.mtrand._rand, random.random.__self__, GLOBAL_STATE.function)  # type: ignore[attr-defined]
"""The global generators, which are seeded for each run: whatever holds one has no coins of its own."""

MOST_DEEP = 12
"""Levels of attributes and entries that are compared."""


class Uncopied:
    """What stands for a value that cannot be copied."""

    def __init__(self, value: Any) -> None:
        self.type_name = type(value).__name__


def copied(value: Any, generators: Sequence[Any], instead: Sequence[Any] | None = None) -> Any:
    """Return a deep copy, in which each generator is itself, or the one in its place; global ones are themselves.

    Raises
    ------
    Exception : whatever a value raises that cannot be copied.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> copied({"rng": rng, "x": [1]}, [rng])["rng"] is rng
    True
    """
    pairs = zip(generators, generators if instead is None else instead, strict=True)
    memo = {id(one): one for one in GLOBAL} | {id(old): new for old, new in pairs if new is not None}
    return copy.deepcopy(value, memo)


def kept_arguments(arguments: dict[str, Any], generators: Sequence[Any]) -> dict[str, Any]:
    """Return a copy of arguments by name, made together, so that what they share is shared; each alone if one fails."""
    try:
        return dict(copied(arguments, generators))
    except Exception:  # a lock, a file, a module of C code
        return {name: kept(value, generators) for name, value in arguments.items()}


def kept(value: Any, generators: Sequence[Any]) -> Any:
    """Return a copy of a value, or `Uncopied`."""
    try:
        return copied(value, generators)
    except Exception:
        return Uncopied(value)


def differences(one: Any, two: Any, name: str = "", deep: int = MOST_DEEP) -> list[str]:
    """Return where two values differ: the names of arguments and attributes.

    Generators never differ: their draws are coins.

    >>> differences({"x": np.ones(2), "n": 1}, {"x": np.array([1.0, 2.0]), "n": 1})
    ['x']
    >>> differences(float("nan"), float("nan"), "x"), differences([1, 2], [1], "x")
    ([], ['x'])
    """
    if one is two or isinstance(one, GENERATORS) or deep == 0:
        return []
    if type(one) is not type(two):
        return [name]
    if isinstance(one, dict | list | tuple):
        return _in_container(one, two, name, deep)
    if isinstance(one, MethodType):
        same = one.__func__ is two.__func__
        return differences(one.__self__, two.__self__, name, deep - 1) if same else [name]
    if isinstance(one, FunctionType):
        same = one.__code__ is two.__code__  # a lambda is made anew in each run
        return [name] if not same or differences(_captured(one), _captured(two), name, deep - 1) else []
    attributes = getattr(one, "__dict__", None)
    if isinstance(attributes, dict) and attributes and not isinstance(one, PLAIN) and not hasattr(one, "__array__"):
        other = vars(two)
        if attributes.keys() != other.keys():
            return [name]
        return _of_parts(((value, other[key], f"{name}.{key}") for key, value in attributes.items()), deep)
    return [] if _same_value(one, two, deep) else [name]


PLAIN = (str, bytes, int, complex, type, set, frozenset, np.generic)
"""Types of values that are compared by ==."""


def _in_container(one: Any, two: Any, name: str, deep: int) -> list[str]:
    if len(one) != len(two):
        return [name]
    if isinstance(one, dict):
        if list(one) != list(two):
            return [name]
        return _of_parts(((one[key], two[key], name or key) for key in one), deep)
    return _of_parts(((a, b, name) for a, b in zip(one, two, strict=True)), deep)


def _captured(function: FunctionType) -> list[Any]:
    """Return what a function has besides its code and its globals."""
    cells = list[Any]()
    for cell in function.__closure__ or ():
        try:
            cells.append(cell.cell_contents)
        except ValueError:  # nothing is in it yet
            cells.append(None)
    return [cells, list(function.__defaults__ or ()), dict(function.__kwdefaults__ or {})]


def _same_value(one: Any, two: Any, deep: int) -> bool:
    if isinstance(one, Uncopied):
        return bool(one.type_name == two.type_name)
    if isinstance(one, np.ndarray):
        return _same_arrays(one, two, deep)
    if isinstance(one, float | complex | np.inexact):
        return same_numbers(np.asarray(one), np.asarray(two))
    return bool(one == two) if isinstance(one, PLAIN) else _same_pickles(one, two)


def _of_parts(parts: Iterable[tuple[Any, Any, Any]], deep: int) -> list[str]:
    return list(
        dict.fromkeys(found for one, two, name in parts for found in differences(one, two, str(name), deep - 1))
    )


def _same_arrays(one: Any, two: Any, deep: int) -> bool:
    if one.dtype.kind == "O" and one.shape == two.shape and one.dtype == two.dtype:
        return not differences(one.tolist(), two.tolist(), "x", deep - 1)
    if isinstance(one, np.ma.MaskedArray):
        return same_numbers(np.ma.getmaskarray(one), np.ma.getmaskarray(two)) and same_numbers(*map(_shown, (one, two)))
    return same_numbers(one, two)


def _shown(array: Any) -> Any:
    """Return a masked array as an ordinary one, with zeros where it is masked."""
    found = array.data.copy()
    found[np.ma.getmaskarray(array)] = 0
    return found


def same_numbers(one: Any, two: Any) -> bool:
    """Tell whether two arrays have the same type, shape and entries, which are no objects; NaN equals NaN.

    >>> same_numbers(np.array([1.0, np.nan]), np.array([1.0, np.nan])), same_numbers(np.ones(2), np.ones(2, int))
    (True, False)
    """
    if one.shape != two.shape or one.dtype != two.dtype:
        return False
    if one.dtype.names is not None:
        return all(same_numbers(one[name], two[name]) for name in one.dtype.names)
    return bool(np.array_equal(one, two, equal_nan=one.dtype.kind in "fcmM"))


def _same_pickles(one: Any, two: Any) -> bool:
    try:
        return pickle.dumps(one) == pickle.dumps(two)
    except Exception:  # what cannot be compared is not said to differ
        return True
