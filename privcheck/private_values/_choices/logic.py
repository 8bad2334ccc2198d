"""Logical operations on comparisons of private values, which are 0 or 1: sums and products of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.private_values._refused_operations import Refusals, refuse


def _either(a: Any, b: Any) -> Any:
    return 1.0 - (1.0 - a) * (1.0 - b)


OPERATIONS: dict[Any, Callable[..., Any]] = {
    **dict.fromkeys((np.logical_and, np.bitwise_and), lambda a, b: a * b),
    **dict.fromkeys((np.logical_or, np.bitwise_or), _either),
    **dict.fromkeys((np.logical_xor, np.bitwise_xor), lambda a, b: _either(a, b) * (1.0 - a * b)),
    **dict.fromkeys((np.logical_not, np.invert), lambda a: 1.0 - a),
}
"""numpy's functions, and what gives the same number of zeros and ones; a product of one datum is one feature of it."""


class Logic:
    """The operators."""

    __slots__ = ()

    def __and__(self: Any, other: Any) -> Any:
        return np.bitwise_and(self, other)

    def __rand__(self: Any, other: Any) -> Any:
        return np.bitwise_and(other, self)

    def __or__(self: Any, other: Any) -> Any:
        return np.bitwise_or(self, other)

    def __ror__(self: Any, other: Any) -> Any:
        return np.bitwise_or(other, self)

    def __xor__(self: Any, other: Any) -> Any:
        return np.bitwise_xor(self, other)

    def __rxor__(self: Any, other: Any) -> Any:
        return np.bitwise_xor(other, self)

    def __invert__(self: Any) -> Any:
        if self.ndim == 0 and not self.is_public:
            refuse("function", "~", self)  # of a bool of Python's it is -2 or -1, of numpy's the opposite
        return np.invert(self)


def combined(ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    """Return a logical operation on comparisons of one datum each, and on public truth values; None for any others."""
    parts, told = list[Any](), list[str]()
    for value in inputs:
        if isinstance(value, Refusals) and not value.is_public:
            if not value.is_indicator or value.holds_draws:
                return None
            parts.append(value)
            told.append(value.compared)
        else:
            known = np.asarray(value.ordinary() if isinstance(value, Refusals) else value)
            if known.dtype.kind != "b":
                return None
            parts.append(known.astype(float))
    found = OPERATIONS[ufunc](*parts)
    return None if found is None else found.as_indicator(told[0])
