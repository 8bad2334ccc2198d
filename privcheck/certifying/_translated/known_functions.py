"""Functions of Python, math, statistics and numpy that own code calls, and what stands for them on private values.

On ordinary values each does what the function does: it calls it.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import math
import statistics
from collections.abc import Callable
from functools import partial
from types import BuiltinMethodType, MethodType
from typing import Any

import numpy as np

from privcheck.certifying._translated.collections_of_numbers import of_collection, of_one_collection
from privcheck.certifying._translated.new_arrays import HERE, OF_LISTS, collected, holds_raw, joined, made
from privcheck.certifying._translated.raw_numbers import (
    PRIVATE,
    down_or_up,
    integer,
    is_number,
    is_raw,
    rounded_to_even,
    truncated,
)
from privcheck.certifying._translated.tied_tuples import watched
from privcheck.private_values import Private, PrivateArray, clip, clip_norm, one_hot, rounded, zeros


def called(function: Any) -> Any:
    """Return what is to be called in place of a function: itself, unless it is known."""
    return TABLE.get(id(function), function)


def _number(*values: Any) -> Any:
    """Stand for `float`."""
    if len(values) != 1 or not is_number(values[0]):
        return float(*values)
    one = values[0]
    if one.made is not None and one.made.operation and one.kind == "f":
        return one
    return (+one).of_kind("f").made_here(one.compared, "" if one.compared else "float()")


def _numpy_number(*values: Any) -> Any:
    """Stand for `numpy.float64`."""
    return (+values[0]).of_kind("f") if len(values) == 1 and is_number(values[0]) else np.float64(*values)


def _truth(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `bool`, or numpy's, of numbers of which one may be private and of one datum."""

    def is_true(*values: Any) -> Any:
        if len(values) == 1 and is_number(values[0]):
            if values[0].is_indicator:
                return values[0].made_here(values[0].compared)
            if (found := values[0].compared_with(np.not_equal, 0.0)) is not None:
                return found
        return function(*values)

    return is_true


def _together(values: Any, least: int = 2) -> Any:
    """Return a list of numbers as one private array; None if fewer than `least` are private, or one holds noise."""
    if type(values) not in (list, tuple) or sum(map(is_number, values)) < least:
        return None
    return None if any(type(value) in PRIVATE and value.holds_draws for value in values) else Private.of(values)


def _listed(values: Any, otherwise: Any) -> Any:
    """Return the numbers of the one argument that is a list, or a vector of private numbers without noise."""
    if len(values) != 1:
        return otherwise
    is_vector = is_raw(values[0]) and values[0].ndim == 1
    return list(values[0]) if is_vector else values[0] if type(values[0]) in (list, tuple) else otherwise


def _of_list(function: Callable[..., Any], stands: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Return a function of a list of numbers, of which some may be private: it takes them as an array of numpy's.

    `stands` takes the array alone, in place of a function of `statistics`.
    """

    def apply(*values: Any, **options: Any) -> Any:
        array = _together(values[0], 1) if values else None
        if array is None or (stands is not None and (options or len(values) > 1)):
            return function(*values, **options)
        return function(array, *values[1:], **options) if stands is None else stands(array)

    return apply


def _is_nan(value: Any) -> bool:
    return type(value) in (float, np.float64, np.float32) and bool(np.isnan(value))


def _extreme(function: Callable[..., Any], of_two: Any, of_all: Any) -> Callable[..., Any]:
    """Return `min` or `max` of numbers, of which some are private."""

    def extreme(*values: Any, **options: Any) -> Any:
        several = _listed(values, values)
        if options or len(several) < 2 or not (count := sum(map(is_number, several))) or any(map(_is_nan, several)):
            return function(*values, **options)
        if count > 1:
            return function(*values) if (array := _together(several)) is None else of_all(array)
        public = [value for value in several if not is_number(value)]
        return of_two(next(filter(is_number, several)), function(public) if len(public) > 1 else public[0])

    return extreme


def _sorted(*values: Any, **options: Any) -> Any:
    """Stand for `sorted` of numbers; if one depends on a datum, the entries are that number within limits."""
    several = _listed(values, ())
    if options.keys() == {"reverse"} and any(map(is_number, several)):
        return _sorted(*values)[:: -1 if options["reverse"] else 1]
    if not options and (array := _together(several)) is not None:
        return list(np.sort(array))
    if options or sum(map(is_number, several)) != 1 or len(next(filter(is_number, several)).data_ids) != 1:
        return sorted(*values, **options)
    one = next(filter(is_number, several))
    limits = [None, *sorted(value for value in several if not is_number(value)), None]
    return [one.clip(*ends) for ends in itertools.pairwise(limits)] if len(limits) > 2 else [one]


def _mapped(function: Any, *iterables: Any, **options: Any) -> Any:
    """Stand for `map`, which calls a function from C."""
    return map(called(function), *iterables, **options)


def _reduced(function: Any, *given: Any) -> Any:
    """Stand for `functools.reduce`, in the same way."""
    return functools.reduce(called(function), *given)


def _is_instance(value: Any, kinds: Any) -> bool:
    """Stand for `isinstance`: an array that takes private numbers is taken for numpy's."""
    return isinstance(value, kinds) or (type(value) is PrivateArray and isinstance(EMPTY, kinds))


def _type(*values: Any, **options: Any) -> Any:
    """Stand for `type`: to the policy a private number is of the type of what it stands for, as for `isinstance`."""
    if HERE.guarded and len(values) == 1 and type(values[0]) in PRIVATE:
        return float if type(values[0]) is Private else np.ndarray
    return type(*values, **options)


EMPTY = np.empty(0)


def _by_numpy(function: Callable[..., Any], ufunc: Any) -> Callable[..., Any]:
    def apply(*values: Any) -> Any:
        return ufunc(*values) if any(map(is_number, values)) else function(*values)

    return apply


def _logarithm(*values: Any) -> Any:
    """Stand for `math.log`."""
    if not values or not is_number(values[0]):
        return math.log(*values)
    return np.log(values[0]) if len(values) == 1 else np.log(values[0]) / math.log(values[1])


def _of_scores(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `argmax` or `argmin` of a list of scores: of noisy ones the winner alone is released."""

    def winner(*values: Any, **options: Any) -> Any:
        first = values[0] if len(values) == 1 and not options and type(values[0]) in (list, tuple) else ()
        if any(type(score) is Private and not score.is_public for score in first):
            scores = Private.of(first)
            return function(*values) if scores is None else function(scores)
        return function(*values, **options)

    return winner


def _averaged(function: Callable[..., Any]) -> Callable[..., Any]:
    def average(*values: Any, **options: Any) -> Any:
        if len(values) == 1 and not options and holds_raw(values[0]):
            return np.mean(values[0])
        return function(*values, **options)

    return average


def _summed(*values: Any) -> Any:
    """Stand for `math.fsum`."""
    if len(values) == 1 and holds_raw(values[0]) and (found := Private.of(values[0])) is not None:
        return np.sum(found)
    return math.fsum(*values)


def _finite(function: Callable[..., Any], *, answer: bool) -> Callable[..., Any]:
    """Return `isnan` and the like: whatever the data are, private numbers far below the largest float are finite."""

    def is_so(*values: Any, **options: Any) -> Any:
        if len(values) == 1 and not options and is_raw(values[0]):
            value = values[0]
            far = np.asarray(_are_far_below(value))
            if far.all():
                return np.full(value.shape, answer) if value.ndim else answer
            if value.ndim and far.shape == value.shape and value[~far].is_public:  # such as infinite indices
                return np.where(far, answer, function(value._const))
        return function(*values, **options)

    return is_so


def _are_far_below(value: Private) -> Any:
    """Tell which numbers are finite in the code as it is, too: those of this size may be sums that overflow."""
    sides = value.compared_with(np.less, 1e300), value.compared_with(np.greater, -1e300)
    return np.logical_and(*sides) if all(isinstance(side, bool | np.ndarray) for side in sides) else False


_NEW = (np.zeros, np.ones, np.empty, np.full, np.eye, np.identity)
_LIKE = (np.zeros_like, np.ones_like, np.empty_like, np.full_like)
_LISTS = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray)
_OF_ALL = (np.var, np.std, np.median, np.max, np.min, np.amax, np.amin, np.quantile, np.percentile, np.sort, np.ptp)
_STATISTICS: dict[Any, Any] = {
    statistics.median: np.median, statistics.pvariance: np.var, statistics.pstdev: np.std,
    statistics.variance: partial(np.var, ddof=1), statistics.stdev: partial(np.std, ddof=1),
}  # fmt: skip
_OF_ONE = {
    "sqrt": np.sqrt, "exp": np.exp, "log1p": np.log1p, "log2": np.log2, "expm1": np.expm1, "tanh": np.tanh,
    "fabs": np.abs, "pow": np.power,
}  # fmt: skip

KNOWN: dict[Any, Callable[..., Any]] = {
    **{function: joined(function) for function in OF_LISTS},
    **{function: made(function) for function in (*_NEW, *_LIKE)},
    **{function: collected(function) for function in _LISTS},
    builtins.float: _number, np.float64: _numpy_number,
    builtins.int: integer, builtins.bool: _truth(bool), np.bool_: _truth(np.bool_),
    builtins.min: of_one_collection(watched(_extreme(min, np.minimum, np.min))),
    builtins.max: of_one_collection(watched(_extreme(max, np.maximum, np.max))),
    builtins.sorted: of_one_collection(watched(_sorted)), builtins.map: _mapped, functools.reduce: _reduced,
    builtins.round: rounded_to_even, builtins.isinstance: _is_instance, builtins.type: _type,
    **{function: of_collection(_averaged(function)) for function in (statistics.mean, statistics.fmean)},
    **{function: of_collection(_of_list(function, stands)) for function, stands in _STATISTICS.items()},
    **{function: of_collection(_of_list(function), iterators=False) for function in _OF_ALL},
    math.isnan: _finite(math.isnan, answer=False), math.isinf: _finite(math.isinf, answer=False),
    math.isfinite: _finite(math.isfinite, answer=True),
    np.isnan: _finite(np.isnan, answer=False), np.isinf: _finite(np.isinf, answer=False),
    np.isfinite: _finite(np.isfinite, answer=True),
    np.argmax: _of_scores(np.argmax), np.argmin: _of_scores(np.argmin),
    math.floor: down_or_up(math.floor, np.floor), math.ceil: down_or_up(math.ceil, np.ceil),
    math.trunc: truncated, math.fsum: of_collection(_summed), math.log: _logarithm,
    **{getattr(math, name): _by_numpy(getattr(math, name), ufunc) for name, ufunc in _OF_ONE.items()},
}  # fmt: skip
"""By function, what is called in its place."""

TABLE = {id(function): stands for function, stands in KNOWN.items()}
"""By identity, since what is called may have no hash, or a private one. These functions are never freed."""

_MOST: dict[int, tuple[Any, ...]] = {
    1: (abs, len, float, int, bool, sum, math.sqrt, math.exp, math.log1p, math.log2, math.expm1, math.tanh, math.fabs,
        math.floor, math.ceil, math.isnan, math.isinf, math.isfinite, math.fsum, statistics.mean, statistics.fmean,
        np.abs, np.sqrt, np.exp, np.log, np.log1p, np.log2, np.expm1, np.tanh, np.square, np.sign, np.rint, np.floor,
        np.ceil, np.isnan, np.isfinite, np.isinf, np.sum, np.mean, np.float64, np.array, np.zeros_like, np.ones_like,
        rounded, zeros),
    2: (round, pow, isinstance, math.log, math.pow, np.minimum, np.maximum, np.power, np.add, np.subtract, np.multiply,
        np.divide, np.dot, np.zeros, np.ones, np.full, clip_norm, one_hot, divmod),
    3: (range, np.clip, np.where, clip),
    16: (min, max),
}  # fmt: skip
_PURE = {id(function): most for most, functions in _MOST.items() for function in functions}
"""Functions that only compute, with how many arguments they take before those that are written to."""

_METHODS: dict[type, dict[str, int]] = {
    np.ndarray: {"sum": 1, "mean": 1, "copy": 0, "dot": 1, "max": 1, "min": 1, "clip": 2},
    np.float64: {"sum": 0, "mean": 0, "copy": 0, "max": 0, "min": 0, "clip": 2},
    Private: {"sum": 1, "mean": 1, "copy": 0, "dot": 1, "clip": 2},
    PrivateArray: {"sum": 1, "mean": 1, "copy": 0, "dot": 1, "max": 1, "min": 1, "clip": 2},
    dict: {"get": 2}, float: {"is_integer": 0}, list: {"copy": 0},
}  # fmt: skip
"""Methods that only compute, with as many arguments."""

_TAKEN = frozenset(
    (bool, int, float, str, type(None), np.float64, np.int64, np.bool_, np.ndarray, list, tuple, range, type, *PRIVATE)
)
"""What they compute with: an iterator would be used up."""


def only_computes(function: Any) -> Any:
    """Return what is called in place of a function that only computes, and refuses what it might use up or write to.

    Returns
    -------
    None for any other function.

    >>> only_computes(max)(1.0, 2.0), only_computes([].append), only_computes(print)
    (2.0, None, None)
    """
    most = _PURE.get(id(function))
    if most is None:
        if type(function) not in (MethodType, BuiltinMethodType):
            return None
        most = _METHODS.get(type(function.__self__), {}).get(function.__name__)
        if most is None:
            return None
    stands = called(function)

    def compute(*values: Any, **options: Any) -> Any:
        if len(values) > most or not {*map(type, values), *map(type, options.values())} <= _TAKEN:
            raise TypeError("an argument that may be used up or written to")
        return stands(*values, **options)

    return compute
