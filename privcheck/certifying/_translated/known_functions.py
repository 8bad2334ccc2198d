"""Functions of Python, math, statistics and numpy that own code calls, and what stands for them on private values.

On ordinary values each does what the function does: it calls it.
"""

from __future__ import annotations

import builtins
import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.private_values import Private


def called(function: Any) -> Any:
    """Return what is to be called in place of a function: itself, unless it is known."""
    return TABLE.get(id(function), function)


def is_raw(value: Any) -> bool:
    """Return whether a value is private, and would be read without noise."""
    return issubclass(type(value), Private) and not (value.is_public or value.holds_draws)


def _holds_raw(value: Any) -> bool:
    if type(value) in (list, tuple):
        return any(map(_holds_raw, value))
    return is_raw(value)


def _made(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a maker of new arrays, of which those of floats take private numbers."""

    def make(*arguments: Any, **options: Any) -> Any:
        found = function(*arguments, **options)
        if type(found) is np.ndarray and found.dtype == np.float64 and found.ndim:
            return Private.public(found)
        return found

    return make


def _collected(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return numpy's `array`, `asarray` or `fromiter` for lists of numbers, some of which may be private."""

    def collect(*arguments: Any, **options: Any) -> Any:
        first = arguments[0] if arguments else None
        if type(first) in (list, tuple):
            if _holds_raw(first):
                if (found := Private.of(first)) is not None and not set(options) - {"dtype", "copy"}:
                    return found
            else:
                return _made(function)(*arguments, **options)
        elif function is np.array and type(first) is np.ndarray:
            return _made(function)(*arguments, **options)
        return function(*arguments, **options)

    return collect


def _number(value: Any = 0.0) -> Any:
    """Stand for `float`."""
    return +value if is_raw(value) and value.ndim == 0 else float(value)


def _integer(value: Any = 0, *base: Any) -> Any:
    """Stand for `int`, which rounds towards 0."""
    if is_raw(value) and value.ndim == 0 and not base:
        if value.is_indicator:
            return value * 1.0
        return np.sign(value) * np.floor(np.abs(value)) if _is_of_one(value) else int(value)
    return int(value, *base)


def _truth(value: Any = False) -> Any:
    """Stand for `bool`."""
    if is_raw(value) and value.ndim == 0:
        if value.is_indicator:
            return value
        if (found := value.compared_with(np.not_equal, 0.0)) is not None:
            return found
    return bool(value)


def _extreme(function: Callable[..., Any], of_two: Any) -> Callable[..., Any]:
    """Stand for `min` or `max` of numbers, of which one datum's is compared with public ones."""

    def extreme(*values: Any, **options: Any) -> Any:
        several = values[0] if len(values) == 1 and type(values[0]) in (list, tuple) else values
        if options or len(several) < 2 or sum(map(is_raw, several)) != 1:
            return function(*values, **options)
        public = [value for value in several if not is_raw(value)]
        return of_two(next(filter(is_raw, several)), function(public) if len(public) > 1 else public[0])

    return extreme


def _rounded(value: Any, digits: Any = None) -> Any:
    """Stand for `round`, which rounds halves to even."""
    if is_raw(value) and digits in (None, 0):
        return np.rint(value)
    return round(value) if digits is None else round(value, digits)


def _is_instance(value: Any, kinds: Any) -> bool:
    """Stand for `isinstance`: an array that takes private numbers is taken for numpy's."""
    if isinstance(value, kinds):
        return True
    return issubclass(type(value), Private) and value.ndim > 0 and isinstance(np.empty(0), kinds)


def _by_numpy(function: Callable[..., Any], ufunc: Any) -> Callable[..., Any]:
    def apply(*values: Any) -> Any:
        return ufunc(*values) if any(map(is_raw, values)) else function(*values)

    return apply


def _averaged(function: Callable[..., Any]) -> Callable[..., Any]:
    def average(data: Any, **options: Any) -> Any:
        return np.mean(data) if not options and _holds_raw(data) else function(data, **options)

    return average


def _finite(function: Callable[..., Any], answer: bool) -> Callable[..., Any]:
    """Stand for `isnan` and the like: whatever the data are, private numbers are finite."""

    def is_so(value: Any, *others: Any, **options: Any) -> Any:
        if is_raw(value) and not (others or options):
            return answer if value.ndim == 0 else np.full(value.shape, answer)
        return function(value, *others, **options)

    return is_so


def _is_of_one(value: Any) -> bool:
    return len(value.data_ids) == 1


KNOWN: dict[Any, Callable[..., Any]] = {
    **{function: _made(function) for function in (np.zeros, np.ones, np.empty, np.full, np.eye, np.identity)},
    **{function: _made(function) for function in (np.zeros_like, np.ones_like, np.empty_like, np.full_like)},
    **{function: _collected(function) for function in (np.array, np.asarray, np.asanyarray)},
    builtins.float: _number, np.float64: _number,
    builtins.int: _integer, builtins.bool: _truth, np.bool_: _truth,
    builtins.min: _extreme(min, np.minimum), builtins.max: _extreme(max, np.maximum),
    builtins.round: _rounded, builtins.isinstance: _is_instance,
    statistics.mean: _averaged(statistics.mean), statistics.fmean: _averaged(statistics.fmean),
    math.isnan: _finite(math.isnan, False), math.isinf: _finite(math.isinf, False),
    math.isfinite: _finite(math.isfinite, True),
    np.isnan: _finite(np.isnan, False), np.isinf: _finite(np.isinf, False), np.isfinite: _finite(np.isfinite, True),
    math.fsum: lambda values: np.sum(Private.of(list(values))) if _holds_raw(values) else math.fsum(values),
    **{
        getattr(math, name): _by_numpy(getattr(math, name), ufunc)
        for name, ufunc in {
            "sqrt": np.sqrt, "exp": np.exp, "log1p": np.log1p, "log2": np.log2, "expm1": np.expm1, "tanh": np.tanh,
            "fabs": np.abs, "floor": np.floor, "ceil": np.ceil, "pow": np.power,
        }.items()
    },
    math.log: lambda value, *base: (
        np.log(value) / math.log(*base) if base else np.log(value)) if is_raw(value) else math.log(value, *base),
}  # fmt: skip
"""By function, what is called in its place."""

TABLE = {id(function): stands for function, stands in KNOWN.items()}
"""By identity, since what is called may have no hash, or a private one. These functions are never freed."""

_MORE = (
    abs,
    len,
    sum,
    range,
    complex,
    divmod,
    pow,
    np.clip,
    np.where,
    np.minimum,
    np.maximum,
    np.abs,
    np.sqrt,
    np.exp,
    np.log,
    np.square,
    np.sign,
    np.dot,
    np.sum,
    np.mean,
)
PURE = TABLE.keys() | {id(function) for function in _MORE} | {id(stands) for stands in KNOWN.values()}
"""Functions that only compute."""
