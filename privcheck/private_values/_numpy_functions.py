"""numpy's functions on private values: linear functions work, all others are leaks, and no argument is ignored."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.private_values import _linear_functions as linear_functions
from privcheck.private_values import _linear_operations as linear
from privcheck.private_values import _one_datum as one_datum
from privcheck.private_values._choices import logic
from privcheck.private_values._leaks import COLLECT, COMPARE, RELEASE
from privcheck.private_values._noise.coins import compared as flipped
from privcheck.private_values._noise.noised import toss
from privcheck.private_values._refused_operations import NONLINEAR, Refusals, published, refuse
from privcheck.private_values._several_data import of_many_numbers as many
from privcheck.private_values._several_data.equal_functions import same
from privcheck.private_values._shared.views_by_numpy import on_ordinary, private_within
from privcheck.private_values._terms import common, kind_of

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
_TAKEN = {"reduce": ("axis", "keepdims"), "accumulate": ("axis",)}
_COMPARISONS = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)
_UNUSED: dict[str, Any] = {
    "where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True, "out": None,
}  # fmt: skip
"""The arguments of universal functions that change nothing when they have these values."""


class NumpyProtocol(logic.Logic):
    """numpy's hooks: universal functions and other functions.

    An argument that is not implemented for private values is refused, unless it has numpy's default. Public values go
    to numpy with all arguments.
    """

    __slots__ = ()

    def __array_ufunc__(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        name = f"numpy.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
        function = _LINEAR.get(ufunc) if method == "__call__" else _REDUCTIONS.get((ufunc, method))
        given = {option: value for option, value in options.items() if not _is_unused(option, value)}
        outputs, taken = given.pop("out", ()), _TAKEN.get(method, ())
        private = [value for value in private_within((inputs, options)) if not value.is_public]
        if private and method == "at" and ufunc is np.add and isinstance(inputs[0], Refusals):
            return _added_at(*inputs)
        if private and method == "__call__" and not options and ufunc in one_datum.COMPARISONS:
            noisy = any(isinstance(value, Refusals) and value.holds_draws for value in inputs)
            if noisy and (coins := flipped(one_datum.COMPARISONS[ufunc][0], *inputs)) is not None:
                return coins
        if private and method == "__call__" and not options and (found := _of_one_datum(ufunc, inputs)) is not None:
            return found
        why = published(private) if function is None or not given.keys() <= {*taken} else ""
        if why is None:
            return on_ordinary(getattr(ufunc, method), inputs, options)
        if not private and (function is None or outputs or not given.keys() <= {*taken}):
            return on_ordinary(getattr(ufunc, method), inputs, options)
        if function is None:
            kind, hint = ("comparison", COMPARE) if ufunc in _COMPARISONS else ("function", NONLINEAR)
            refuse(kind, name, *private, hint=why or hint)
        _check_taken(name, given, taken, private)
        if method in ("reduce", "accumulate"):
            given.setdefault("axis", 0)
            if method == "accumulate" and given["axis"] is None:
                raise ValueError("accumulate does not allow multiple axes")
        operands = [self.of(value) for value in inputs]
        if any(value is None for value in operands):
            return NotImplemented
        result = function(*operands, **given)
        return _written(result, *outputs, broadcast=method == "__call__") if outputs else result

    def __array_function__(self: Any, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        name = f"{function.__module__}.{function.__name__}"
        private = [value for value in private_within((arguments, options)) if not value.is_public]
        function = same(function, (*arguments, *options.values()))
        if function in (np.argmax, np.argmin) and len(arguments) == 1 and not options:
            return getattr(self.of(arguments[0]), function.__name__)()
        supported = _SUPPORTED.get(function)
        if supported is not None:
            bound = supported.signature.bind(*arguments, **options)
            given = supported.given(bound.arguments)
            if not private and not given.keys() <= {*supported.taken}:
                return on_ordinary(function, arguments, options)
            if any(next(private_within(bound.arguments[name]), None) is not None for name in supported.operands):
                _check_taken(name, given, supported.taken, private)
                return supported.call(self.of, bound, given)
        if private and linear_functions.is_linear(function):
            return linear_functions.applied(self.of, function, arguments, options)
        if function is np.where and len(arguments) == 3 and private and not options:
            return _chosen(self.of, *arguments)
        given_to = arguments[1:] if function is np.searchsorted else arguments
        if private and (computed := ALONE.get(function)) is not None and _only_first(private, given_to):
            found = computed(*arguments, **options)
            if found is not None:
                return found
        if (why := published(private)) is not None:
            refuse("function", name, *private, hint=why or NONLINEAR)
        return on_ordinary(function, arguments, options)


def _only_first(private: list[Any], arguments: Any) -> bool:
    """Tell whether the first argument alone is private, and holds no noise."""
    return len(private) == 1 and bool(arguments) and private[0] is arguments[0] and not private[0].holds_draws


def _of_all(
    function: Callable[..., Any], first: Sequence[str] = (), options: Sequence[str] = (), default: int | None = None
) -> Callable[..., Any]:
    """Return a function of all entries of an array, or of a list, with these arguments; None for any others.

    `first` are those that come before numpy's axis, which is `default` if it is not given, `options` the others.
    """

    def apply(a: Any, *arguments: Any, **given: Any) -> Any:
        value, names = one_datum.gathered(a), (*first, "axis")
        given |= dict(zip(names, arguments, strict=False))
        axis = given.pop("axis", default)
        if len(arguments) > len(names) or not {*first} <= given.keys() <= {*first, *options}:
            return None
        if not isinstance(value, Refusals) or value.ndim == 0:
            return None
        is_all = axis is None or (type(axis) is int and axis in (0, -1) and value.ndim == 1)
        return function(value, **given) if is_all else None

    return apply


def _added_at(array: Any, places: Any, values: Any) -> None:
    """Add values to the entries of an array of one axis at public places, one after another."""
    positions = np.atleast_1d(np.asarray(places))
    if array.ndim != 1 or positions.ndim != 1 or positions.dtype.kind not in "iu":
        refuse(
            "function", "numpy.add.at", array, hint=f"numpy.add.at takes an array of one axis and integers: {RELEASE}"
        )
    added = np.broadcast_to(values, positions.shape)
    for k, place in enumerate(positions.tolist()):
        array[place] = array[place] + added[k]


def _of_one_datum(ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    """Return a function of one datum, or a comparison that is no leak; None for anything else."""
    if ufunc in logic.OPERATIONS:
        return logic.combined(ufunc, inputs)
    ufunc = same(ufunc, inputs)
    if ufunc in one_datum.FUNCTIONS or ufunc in (np.square, np.minimum, np.maximum, np.power):
        for value in inputs:
            if isinstance(value, Refusals):
                toss(value)  # type: ignore[arg-type]
    if any(isinstance(value, Refusals) and value.holds_draws for value in inputs):  # it is read instead
        return None
    if ufunc is np.square:
        return one_datum.squared(inputs[0])
    if ufunc in one_datum.FUNCTIONS:
        return one_datum.applied(ufunc, inputs[0])
    if len(inputs) != 2 or all(isinstance(value, Refusals) and not value.is_public for value in inputs):
        return many.of_two(ufunc, inputs)
    (first, second), swapped = inputs, not isinstance(inputs[0], Refusals) or inputs[0].is_public
    value, other = (second, first) if swapped else (first, second)
    if ufunc in one_datum.COMPARISONS:
        return one_datum.compared(_SWAPPED.get(ufunc, ufunc) if swapped else ufunc, value, other)
    if ufunc in (np.minimum, np.maximum):
        return one_datum.limited(value, other, smallest=ufunc is np.minimum)
    if ufunc is np.power and not swapped and issubclass(type(other), (int, float)) and other in (0.5, 1, 2):
        return +value if other == 1 else one_datum.squared(value) if other == 2 else one_datum.applied(np.sqrt, value)
    return None


_SWAPPED: dict[Any, Any] = {
    np.less: np.greater, np.less_equal: np.greater_equal, np.greater: np.less, np.greater_equal: np.less_equal,
}  # fmt: skip


def _chosen(of: Any, condition: Any, one: Any, two: Any) -> Any:
    """Return numpy's `where`: a public condition chooses entries, a comparison of one datum is multiplied with them."""
    hidden = isinstance(condition, Refusals) and not condition.is_public and not condition.is_indicator
    if hidden and (why := published([condition])) is not None:
        refuse("comparison", "numpy.where", condition, hint=why or COMPARE)
    known = condition.ordinary() if isinstance(condition, Refusals) and condition.is_public else condition
    first, second = of(one), of(two)
    if first is None or second is None:
        return NotImplemented
    if not isinstance(known, Refusals):
        shape = np.broadcast_shapes(np.shape(known), first.shape, second.shape)
        parts: list[Any] = [np.broadcast_to(part, shape) for part in (first, second)]
        numbers = np.arange(math.prod(shape)).reshape(shape)
        return linear.picked(parts, np.where(np.asarray(known, np.bool_), numbers, numbers + numbers.size))
    if not (np.isfinite(first._const).all() and np.isfinite(second._const).all()):
        refuse("comparison", "numpy.where with infinite numbers", condition, hint=COMPARE)
    weight: Any = known
    return (weight * first + (1.0 - weight) * second).of_kind(common(first, second))


ALONE: dict[Any, Callable[..., Any]] = {
    np.digitize: one_datum.digitized, np.searchsorted: one_datum.sorted_into, np.ptp: _of_all(many.peak_to_peak),
    np.var: _of_all(many.variance, (), ["ddof"]), np.std: _of_all(many.deviation, (), ["ddof"]),
    np.max: _of_all(many.largest), np.amax: _of_all(many.largest), np.min: _of_all(many.smallest),
    np.amin: _of_all(many.smallest), np.sort: _of_all(many.ordered, default=-1), np.median: _of_all(many.median),
    np.quantile: _of_all(many.quantile, ["q"]), np.percentile: _of_all(many.percentile, ["q"]),
}  # fmt: skip
"""Functions of which the first argument alone, that of `searchsorted` after the bins, may be private.

They return None for what they do not take.
"""


@dataclass(frozen=True)
class _Supported:
    """A function of numpy for private values.

    Parameters
    ----------
    signature : numpy's signature.
    call : takes `Private.of`, the bound arguments, and the arguments that do not have numpy's default.
    taken : the arguments that are implemented, besides the operands.
    operands : the arguments that may be private.
    """

    signature: inspect.Signature
    call: Callable[..., Any]
    taken: Collection[str]
    operands: Collection[str]

    def given(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments, besides the operands, that do not have numpy's default."""
        found = {name: value for name, value in arguments.items() if name not in self.operands}
        found |= found.pop("kwargs", {})
        defaults = {name: parameter.default for name, parameter in self.signature.parameters.items()}
        return {
            name: value
            for name, value in found.items()
            if not (_is(value, defaults[name]) if name in defaults else _is_unused(name, value))
        }


def _is_unused(option: str, value: Any) -> bool:
    return value is np._NoValue or (option in _UNUSED and _is(value, _UNUSED[option]))


def _is(value: Any, default: Any) -> bool:
    """Return whether an argument is numpy's default; other objects than these are compared by identity."""
    simple = isinstance(value, (bool, int, str)) and type(value) is type(default)
    return value is default or value is np._NoValue or (simple and value == default)


def _check_taken(name: str, given: Collection[str], taken: Collection[str], private: list[Any]) -> None:
    """Refuse the arguments that a function does not take from private values."""
    for option in given:
        if option == "out":
            refuse("conversion", f"{name} with out=", *private, hint=COLLECT)
        if option not in taken:
            takes = ", ".join(taken) or "no options"
            hint = f"{name} takes {takes} with private values: leave {option}= out, or {RELEASE}"
            refuse("function", f"{name} with {option}=", *private, hint=hint)


def _written(result: Any, out: Any, *, broadcast: bool) -> Any:
    """Return `out`, a private array, after writing a result into it."""
    if not isinstance(out, Refusals):
        if (why := published([result])) is None:
            out[...] = result.ordinary()
            return out
        refuse("conversion", "writing into a float array", result, hint=why or COLLECT)
    shape = out.shape
    if shape != result.shape and not (broadcast and np.broadcast_shapes(shape, result.shape) == shape):
        raise ValueError(f"an output of shape {shape} for a result of shape {result.shape}")
    out[...] = result
    return out


def _of_operands(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return how to call a function of all operands, and of the arguments that are given."""

    def call(of: Any, bound: inspect.BoundArguments, given: dict[str, Any]) -> Any:
        operands = [of(value) for name, value in bound.arguments.items() if name not in given and name in _OPERANDS]
        return NotImplemented if any(value is None for value in operands) else function(*operands, **given)

    return call


def _picked(function: Any) -> Callable[..., Any]:
    """Return how to call a function that only selects and moves the entries of its first argument."""

    def call(of: Any, bound: inspect.BoundArguments, _: Any) -> Any:
        first = next(iter(bound.arguments))

        def pick(array: Any) -> Any:
            bound.arguments[first] = array
            return function(*bound.args, **bound.kwargs)

        return of(bound.arguments[first]).view_as(pick)

    return call


def _joined(function: Any) -> Callable[..., Any]:
    """Return how to call a function that joins arrays."""

    def call(of: Any, bound: inspect.BoundArguments, given: dict[str, Any]) -> Any:
        parts = [of(part) for part in next(iter(bound.arguments.values()))]
        if any(part is None for part in parts):
            raise PrivcheckError(function.__name__, words("other things"), "private values and public arrays")
        numbers, offset = [], 0
        for part in parts:
            numbers.append(np.arange(part.size).reshape(part.shape) + offset)
            offset += part.size
        return linear.picked(parts, function(numbers, **given))

    return call


def _at_least(function: Any) -> Callable[..., Any]:
    def call(of: Any, bound: inspect.BoundArguments, _: Any) -> Any:
        found = tuple(of(array).view_as(function) for array in bound.arguments["arys"])
        return found if len(found) > 1 else found[0]

    return call


def _clipped(a: Any, **limits: Any) -> Any:
    if not (limits.keys() <= {"min", "max"} or limits.keys() == {"a_min", "a_max"}):
        raise TypeError("numpy.clip takes both a_min and a_max, or min and max")
    return a.clip(limits.get("a_min", limits.get("min")), limits.get("a_max", limits.get("max")))


def _filled(number: float) -> Callable[..., Any]:
    """Return numpy's zeros_like or ones_like; only arrays of floats can take private values."""

    def like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
        array = np.full(a.shape if shape is None else shape, number, float if dtype is None else dtype)
        kind = a.kind if dtype is None else kind_of(array)
        return a.public(array).of_kind(kind) if array.dtype == np.float64 else array

    return like


def _concatenate(
    arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> None:
    """Stand for numpy.concatenate where numpy does not know its own signature, as in version 2.0."""


def _dot(a: Any, b: Any, out: Any = None) -> None:
    """Stand for numpy.dot in the same way."""


def _supported(function: Any, call: Callable[..., Any], taken: Collection[str] = (), operands: int = 1) -> _Supported:
    try:
        signature = inspect.signature(function)
    except ValueError:
        stand_in: Callable[..., None] = _concatenate if function is np.concatenate else _dot
        signature = inspect.signature(stand_in)
    return _Supported(signature, call, tuple(taken), tuple(signature.parameters)[:operands])


_OPERANDS, _AXES = ("a", "b", "prototype"), ("axis", "keepdims")
_SUPPORTED: dict[Any, _Supported] = {
    np.sum: _supported(np.sum, _of_operands(linear.total), _AXES),
    np.mean: _supported(np.mean, _of_operands(linear.mean), _AXES),
    np.cumsum: _supported(np.cumsum, _of_operands(linear.cumulative), ("axis",)),
    np.copy: _supported(np.copy, _of_operands(lambda a: a.copy())),
    np.clip: _supported(np.clip, _of_operands(_clipped), ("a_min", "a_max", "min", "max")),
    np.dot: _supported(np.dot, _of_operands(linear.dot), operands=2),
    np.outer: _supported(np.outer, _of_operands(linear.outer), operands=2),
    np.atleast_1d: _supported(np.atleast_1d, _at_least(np.atleast_1d)),
    np.atleast_2d: _supported(np.atleast_2d, _at_least(np.atleast_2d)),
}
_JOINING: tuple[Any, ...] = (np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack)
_PICKING: tuple[Any, ...] = (
    np.reshape, np.ravel, np.transpose, np.squeeze, np.expand_dims, np.swapaxes, np.moveaxis, np.broadcast_to, np.tile,
    np.repeat, np.roll, np.flip, np.take, np.diagonal,
)  # fmt: skip
for _function in (np.shape, np.ndim, np.size):
    _SUPPORTED[_function] = _supported(_function, _of_operands(attrgetter(_function.__name__)))
for _like, _number in ((np.zeros_like, 0.0), (np.empty_like, 0.0), (np.ones_like, 1.0)):
    _SUPPORTED[_like] = _supported(_like, _of_operands(_filled(_number)), ("dtype", "shape"))
for _function in _JOINING:
    _SUPPORTED[_function] = _supported(_function, _joined(_function), ("axis",))
for _function in _PICKING:
    _names = list(inspect.signature(_function).parameters)[1:]
    _SUPPORTED[_function] = _supported(_function, _picked(_function), [name for name in _names if name != "out"])
