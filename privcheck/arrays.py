"""Types of arrays, numbers or arrays as arguments (checked, broadcast, handed back in kind), and equality with them."""

from __future__ import annotations

import numbers
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privcheck.declared import Integer, Real, check
from privcheck.errors import PrivcheckError, words

Array = NDArray[np.float64]
"""Floats, of any shape."""

Table = NDArray[np.float64]
"""The rewards of all arms in all rounds, shape (T, K)."""

Integers = NDArray[np.int64]
"""Counts, indices or integer values, of any shape."""

Bools = NDArray[np.bool_]
"""For each position, whether something holds, of any shape."""

Symbols = NDArray[np.integer]
"""Sequences of integers, one in each row, of any integer type: actions, categories."""

Actions = NDArray[np.int8]
"""The arm that was played in each round of each run, shape (runs, T)."""

Codes = NDArray[np.int8]
"""For each run 1 in an event, -1 in its mirror image, 0 in neither."""


def checked_array(name: str, value: Any, domain: Real) -> Array:
    """Return a number, or an array of numbers, as a float array whose every entry lies in `domain`.

    >>> checked_array("p", [0, 0.5], Real(0.0, 1.0)).tolist()
    [0.0, 0.5]
    """
    if isinstance(value, numbers.Real):
        return np.array(check(name, value, domain))
    expected = f"{domain.text}, or an array of such numbers"
    try:
        array = np.asarray(value)
    except ValueError:
        raise PrivcheckError(name, words("rows of different lengths"), expected) from None
    if array.dtype.kind not in "iuf":
        raise PrivcheckError(name, value, expected)
    array = array.astype(np.float64)
    above = array > domain.low if domain.low_open else array >= domain.low
    below = array < domain.high if domain.high_open else array <= domain.high
    legal = np.isfinite(array) & above & below
    if not legal.all():
        raise PrivcheckError(name, array[~legal][0].item(), expected)
    return array


def refuse_masks(name: str, value: Any) -> None:
    """Refuse an array with a mask, or a list of such: as plain arrays they would show what the mask hides, and lose it.

    >>> refuse_masks("scores", np.ma.array([1.0, 2.0], mask=[True, False]))
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: scores: got a masked array, expected an array without a mask; fill it first
    """
    parts = value if isinstance(value, list | tuple) else (value,)
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):
        raise PrivcheckError(name, words("a masked array"), "an array without a mask", "fill it first")


def real_array(name: str, value: Any) -> NDArray[Any]:
    """Return `value` as an array of its own type, or refuse it if it does not consist of real numbers or switches.

    >>> real_array("value", [1, 2]).tolist()
    [1, 2]
    """
    expected = "a real number or an array of them"
    try:
        array = np.asarray(value)
    except ValueError:
        raise PrivcheckError(name, words("rows of different lengths"), expected) from None
    if array.dtype.kind not in "biuf":
        raise PrivcheckError(name, value, expected, "convert it with numpy.asarray(value, dtype=float)")
    return array


def zero_array(name: str, shape: Any) -> Array:
    """Return zeros of a shape that is a length or a sequence of lengths, or refuse what is none or does not fit.

    >>> zero_array("shape", (2, 0)).shape
    (2, 0)
    """
    expected = "a length or a tuple of lengths, of an array that fits into memory"
    lengths = shape if isinstance(shape, list | tuple) else [shape]
    try:
        return np.zeros([Integer(0).normalise(length) for length in lengths])
    except (TypeError, ValueError, OverflowError, MemoryError):
        raise PrivcheckError(name, shape, expected) from None


def broadcast(**arguments: tuple[Any, Real]) -> list[Array]:
    """Check each `name=(value, domain)` and broadcast them all to one shape.

    >>> unit = Real(0.0, 1.0)
    >>> [array.tolist() for array in broadcast(p=(0.5, unit), q=([0.1, 0.2], unit))]
    [[0.5, 0.5], [0.1, 0.2]]
    """
    arrays = [checked_array(name, value, domain) for name, (value, domain) in arguments.items()]
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise PrivcheckError(" and ".join(arguments), words(f"shapes {shapes}"), "shapes that broadcast") from None


def in_kind(array: Array | np.float64) -> Any:
    """Return a float when `array` has no dimension, and the array itself otherwise.

    >>> in_kind(np.array(0.5))
    0.5
    """
    return array if isinstance(array, np.ndarray) and array.ndim else float(array)


class ComparedByValue:
    """A dataclass with arrays among its fields, equal to one of its class whose fields are; NaN is equal to NaN.

    The equality that dataclasses write for themselves asks an array for its truth, which has none.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, eq=False)
    ... class Pair(ComparedByValue):
    ...     first: np.ndarray
    ...     second: np.ndarray
    >>> Pair(np.zeros(2), np.ones(2)) == Pair(np.zeros(2), np.ones(2)), Pair(np.zeros(2), np.ones(2)) == 1
    (True, False)
    """

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return all(_same(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]


def _same(one: Any, other: Any) -> bool:
    if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)):
        return type(one) is type(other) and bool(one == other)
    return np.array_equal(one, other, equal_nan=one.dtype.kind == other.dtype.kind == "f")
