"""New arrays of own code: made of numbers, of lists, or by numpy's functions of lists, and private where these are."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.certifying._translated.raw_numbers import PRIVATE, is_raw
from privcheck.private_values import Private, PrivateArray


class _Here(threading.local):
    """Whether this thread runs a policy under a guard."""

    guarded = 0


HERE = _Here()


class in_guard:  # noqa: N801 - a block; a generator would cost a microsecond more in each call of a guarded policy
    """Let new arrays of own code take private numbers, in this thread."""

    __slots__ = ()

    def __enter__(self) -> None:
        HERE.guarded += 1

    def __exit__(self, *_: object) -> None:
        HERE.guarded -= 1


def holds_raw(value: Any) -> bool:
    """Return whether a value is private, or a list in which something is, and would be read without noise."""
    if type(value) in (list, tuple):
        return any(map(holds_raw, value))
    return is_raw(value)


def made(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a maker of new arrays, of which those of floats take private numbers."""

    def make(*arguments: Any, **options: Any) -> Any:
        found = function(*arguments, **options)
        if HERE.guarded and type(found) is np.ndarray and found.dtype == np.float64 and found.ndim:
            return Private.public(found).reading_noise()
        return found

    return make


def collected(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return numpy's `array` or `asarray` for lists of numbers, some of which may be private.

    An array that numpy would not copy is returned itself: what is written into one of two names shows under both.
    """
    make = made(function)

    def collect(*arguments: Any, **options: Any) -> Any:
        first, others = (arguments[0], arguments[1:]) if arguments else (None, ())
        if type(first) is PrivateArray and not first.holds_draws and _is_kept(function, first, others, options):
            return first
        if type(first) is PrivateArray and function is np.array and first.is_raw and first.kind == "f":
            if not others and _is_float(options):
                return first.copy()
        elif type(first) in (list, tuple):
            if not holds_raw(first):
                return make(_copied(first), *others, **options)
            if not others and _is_float(options) and (found := Private.of(first)) is not None:
                return found
        elif function is np.array and type(first) is np.ndarray:
            found = function(*arguments, **options)
            return found if np.may_share_memory(found, first) else make(found)
        return function(*arguments, **options)

    return collect


def _is_kept(function: Callable[..., Any], array: PrivateArray, others: Any, options: Any) -> bool:
    """Tell whether numpy returns an array itself, as it does one of numpy's with such entries."""
    const = array._const
    known = (
        const if array.kind == "f" else np.empty_like(const, {"b": np.bool_, "n": np.int8}.get(array.kind, np.int64))
    )
    try:
        return function(known, *others, **options) is known
    except (TypeError, ValueError):
        return False


def _copied(values: Any) -> Any:
    """Return a list of numbers with copies of the public arrays in it, which numpy does not keep."""
    if type(values) in (list, tuple):
        return type(values)(map(_copied, values))
    return np.array(values) if type(values) is PrivateArray and values.is_public else values


def _is_float(options: dict[str, Any]) -> bool:
    return not options or (set(options) == {"dtype"} and options["dtype"] in (float, np.float64, "float", "float64"))


OF_LISTS: list[Any] = [
    function
    for module in (np, np.linalg)
    for function in vars(module).values()
    if isinstance(function, np.ufunc | type(np.concatenate))
]
"""Numpy's functions of arrays, which also take lists."""


_OF_BOOLS = {np.logical_and, np.logical_or, np.logical_not}
"""Functions that give one of the objects, as `and` and `or` do, where an array holds objects: of bools it is right."""


def _holds_numbers(value: Any) -> bool:
    if type(value) in (list, tuple):
        return any(map(_holds_numbers, value))
    return is_raw(value) and value.kind != "b"


def joined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of numpy of which new arrays of Python objects are private arrays, where the objects are.

    Given lists of private numbers, numpy makes arrays of objects, and compares these one by one later.

    >>> from privcheck.private_values import PrivateSource
    >>> reward = PrivateSource().scalar(0.7, low=0.0, high=1.0, datum=3)
    >>> type(np.concatenate([[reward], [0.5]])).__name__, type(joined(np.concatenate)([[reward], [0.5]])).__name__
    ('ndarray', 'PrivateArray')
    """

    def call(*arguments: Any, **options: Any) -> Any:
        if function in _OF_BOOLS and any(map(_holds_numbers, arguments)):
            arguments = tuple(Private.of(one) if holds_raw(one) else one for one in arguments)
        found = function(*arguments, **options)
        if type(found) in (list, tuple):
            return type(found)(_wrapped(part, arguments) for part in found)
        return _wrapped(found, arguments)

    return call


def _wrapped(found: Any, arguments: tuple[Any, ...]) -> Any:
    """Return a new array of objects as a private one, if some are private and none holds noise, and others as is."""
    if type(found) is not np.ndarray or found.dtype != object or not found.ndim:
        return found
    parts = found.ravel().tolist()
    if not any(map(is_raw, parts)) or any(type(part) in PRIVATE and not is_raw(part) for part in parts):
        return found
    if any(type(one) is np.ndarray and np.may_share_memory(found, one) for one in arguments):
        return found
    private = Private.of(found)
    return found if private is None else private
