"""numpy's functions on private values: linear functions work, all others are leaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.private_values import linear_operations as linear
from privcheck.private_values.leaks import COLLECT, COMPARE
from privcheck.private_values.refused_operations import NONLINEAR, Refusals, read, refuse

_LINEAR: dict[Any, Callable[..., Any]] = {
    np.add: linear.add,
    np.subtract: linear.subtract,
    np.multiply: linear.multiply,
    np.divide: linear.divide,
    np.matmul: linear.matmul,
    np.negative: linear.negative,
    np.positive: lambda a: a.copy(),
}
_REDUCTIONS: dict[tuple[Any, str], Callable[..., Any]] = {
    (np.add, "reduce"): linear.total,
    (np.add, "accumulate"): linear.cumulative,
    (np.multiply, "outer"): lambda a, b: linear.outer(a, b).reshape(a.shape + b.shape),
}
_COMPARISONS = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)

_OF_ONE: dict[Any, Callable[..., Any]] = {
    np.sum: linear.total,
    np.mean: linear.mean,
    np.cumsum: linear.cumulative,
    np.copy: lambda a: a.copy(),
    np.clip: lambda a, low=None, high=None, **named: a.clip(
        low if low is not None else named.get("a_min", named.get("min")),
        high if high is not None else named.get("a_max", named.get("max")),
    ),
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a: a.size,
}
_OF_TWO: dict[Any, Callable[..., Any]] = {np.dot: linear.dot, np.outer: linear.outer}
_PICKING = (
    np.reshape, np.ravel, np.transpose, np.squeeze, np.expand_dims, np.swapaxes, np.moveaxis, np.broadcast_to, np.tile,
    np.repeat, np.roll, np.flip, np.take, np.diagonal, np.atleast_1d, np.atleast_2d,
)  # fmt: skip
_JOINING = (np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack)


class NumpyProtocol:
    """numpy's hooks: universal functions and other functions."""

    __slots__ = ()

    def __array_ufunc__(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        out = options.pop("out", (None,))[0]
        function = _LINEAR.get(ufunc) if method == "__call__" else _REDUCTIONS.get((ufunc, method))
        allowed = {"axis", "keepdims"} if method == "reduce" else {"axis"} if method == "accumulate" else set()
        options = {name: option for name, option in options.items() if option is not None}
        if function is None or not options.keys() <= allowed:
            name = f"numpy.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
            kind = "comparison" if ufunc in _COMPARISONS else "function"
            call = lambda *values: getattr(ufunc, method)(*values, **options)  # noqa: E731
            result = read(kind, name, call, *inputs, hint=NONLINEAR if kind == "function" else COMPARE)
        else:
            if method in ("reduce", "accumulate"):
                options.setdefault("axis", 0)
            operands = [self.of(value) for value in inputs]
            if any(value is None for value in operands):
                return NotImplemented
            result = function(*operands, **options)
        if out is None:
            return result
        if not isinstance(out, Refusals):
            if isinstance(result, Refusals) and not result.is_public:
                refuse("conversion", "writing into a float array", result, hint=COLLECT)
            out[...] = result.ordinary() if isinstance(result, Refusals) else result
        else:
            out[...] = result  # type: ignore[index]
        return out

    def __array_function__(self: Any, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if function in _OF_ONE and isinstance(arguments[0], Refusals):
            return _OF_ONE[function](*arguments, **options)
        if function in _OF_TWO and len(arguments) == 2 and not options:
            operands = [self.of(value) for value in arguments]
            return NotImplemented if any(a is None for a in operands) else _OF_TWO[function](*operands)
        if function is np.take and ("out" in options or len(arguments) > 3):
            refuse("conversion", "writing into a float array", arguments[0], hint=COLLECT)
        if function in _PICKING and isinstance(arguments[0], Refusals):
            rest = arguments[1:]
            return arguments[0].view_as(lambda array: function(array, *rest, **options))  # type: ignore[attr-defined]
        if function in _JOINING and isinstance(arguments[0], (list, tuple)):
            return _joined(function, [self.of(part) for part in arguments[0]], arguments[1:], options)
        name = f"{function.__module__}.{function.__name__}"
        values = list(_private_within((arguments, options)))
        if not all(value.is_public for value in values):
            refuse("function", name, *values, hint=NONLINEAR)
        return function(*_ordinary(arguments), **_ordinary(options))


def _private_within(item: Any) -> Iterator[Any]:
    if isinstance(item, Refusals):
        yield item
    elif isinstance(item, (list, tuple)):
        for part in item:
            yield from _private_within(part)
    elif isinstance(item, dict):
        yield from _private_within(tuple(item.values()))


def _ordinary(item: Any) -> Any:
    if isinstance(item, Refusals):
        return item.ordinary()
    if isinstance(item, (list, tuple)):
        return type(item)(_ordinary(part) for part in item)
    return {name: _ordinary(part) for name, part in item.items()} if isinstance(item, dict) else item


def _like(number: float) -> Callable[..., Any]:
    """Return numpy's zeros_like or ones_like; only arrays of floats can take private values."""

    def like(a: Any, dtype: Any = float, **_: Any) -> Any:
        array = np.full(a.shape, number, float if dtype is None else dtype)
        return a.public(array) if array.dtype == np.float64 else array

    return like


_OF_ONE |= {np.zeros_like: _like(0.0), np.empty_like: _like(0.0), np.ones_like: _like(1.0)}


def _joined(function: Any, parts: list[Any], rest: Any, options: Any) -> Any:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        raise PrivcheckError(function.__name__, words("other things"), "private values and public arrays")
    numbers, offset = [], 0
    for part in known:
        numbers.append(np.arange(part.size).reshape(part.shape) + offset)
        offset += part.size
    return linear.picked(known, function(numbers, *rest, **options))
