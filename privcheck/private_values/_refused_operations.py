"""The operations that read a private value: releases of noised values, and leaks on those without noise."""

from __future__ import annotations

import linecache
import math
import operator
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NoReturn, Self

import numpy as np

from privcheck.private_values._choices.origins import Origins
from privcheck.private_values._leaks import (
    ACTION,
    COLLECT,
    COMPARE,
    INDICATOR,
    RELEASE,
    LeakError,
    find_leak,
    own_place,
)
from privcheck.private_values._noise.held_draws import NO_LAW
from privcheck.private_values._noise.noised import publish, winner
from privcheck.private_values._replacements import replacement
from privcheck.private_values._shared.views_by_numpy import on_ordinary

MEAN = f"{RELEASE}; numpy.mean of a list stays private"
TEXT = f"{RELEASE}; in a log repr() or {{value!r}} shows no number"
NONLINEAR = f"only sums, public multiples, order statistics and products within one datum stay private: {RELEASE}"


def refuse(kind: str, operation: str, *values: Any, hint: str = RELEASE, at_origin: bool = False) -> NoReturn:
    """Report that an operation read private values, and raise.

    Parameters
    ----------
    kind, operation, hint : see `leaks.Leak`.
    values : those that were read.
    at_origin : whether the place is where the first of them was computed, as of an action, which no own line reads.
    """
    private, given, by_policy = [value for value in values if isinstance(value, Refusals)], hint, not at_origin
    if outcome := next((value.compared for value in private if value.is_indicator and not value.is_public), ""):
        kind, operation, hint = "comparison", outcome, INDICATOR
    hint = ACTION if any(value.is_action for value in private) else hint
    data = tuple(dict.fromkeys(item for value in private for item in value.data_ids))
    advice = next((value.source.advice for value in private if value.source is not None and value.source.advice), "")
    hint = f"{hint}; {advice}" if advice else hint
    if answers := next((found for value in private if (found := value.coin_hint)), ""):
        hint = f"{hint}; {answers}"
    made = next((value.made for value in private if value.made is not None), None)
    if made is not None and made.operation:
        kind, operation, at_origin = "conversion", made.operation, True
    elif made is not None and at_origin and made.compared:
        kind, operation = "comparison", made.compared
    elif made is None and given in NO_LAW.values():
        made = next((met for value in private if (met := value.met_noise) is not None), None)
        at_origin = made is not None
    leak = find_leak(kind, operation, data, hint, made=made, at_origin=at_origin, by_policy=by_policy)
    for source in dict.fromkeys(value.source for value in private):
        if source is not None:
            source.refused = tuple(private)
            source.on_leak(leak)
            source.refused = ()
    raise LeakError(leak)


def read(kind: str, operation: str, function: Callable[..., Any], *values: Any, hint: str = RELEASE) -> Any:
    """Return `function` of values after releasing those that hold noise of their own, or report a leak."""
    if (why := published([value for value in values if isinstance(value, Refusals)])) is not None:
        refuse(kind, operation, *values, hint=why or hint)
    return on_ordinary(function, values, {})


def published(values: Iterable[Any]) -> str | None:
    """Release the private values that hold noise; None if all are public then, otherwise why one is not."""
    for value in values:
        if not value.is_public and (why := value.publish()) is not None:
            return str(why)
    return None


def _function(name: str) -> Callable[..., Any]:
    """Return the array method with this name, for public values only."""

    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        call: Callable[..., Any] = lambda value, *others: getattr(np.asarray(value), name)(*others, **options)  # noqa: E731
        kind, hint = ("conversion", COLLECT) if name in _CONVERSIONS else ("function", NONLINEAR)
        return read(kind, f".{name}()", call, self, *arguments, hint=hint)

    method.__name__, method.__doc__ = name, f"Return numpy's `{name}` of a public value; a leak otherwise."
    return method


def _of_all(name: str) -> Callable[..., Any]:
    """Return the array method of all entries with this name: numpy's function, which stays private where it can."""
    read_it, function = _function(name), getattr(np, name)

    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        return (function if self.is_raw else read_it)(self, *arguments, **options)

    method.__name__, method.__doc__ = name, f"Return numpy's `{name}` of all entries."
    return method


_MOVING = ("diagonal", "repeat", "squeeze", "swapaxes", "take", "trace")
"""Methods of arrays that only move entries, or add them up."""

_OF_OBJECTS = ("exp", "expm1", "log", "log1p", "log2", "rint", "sqrt", "tanh")
"""Methods that numpy calls on each entry of an array of objects."""

_OF_FLOATS = ("as_integer_ratio", "hex", "is_integer")
"""Methods of floats that read one, as statistics.mean does: code may take an AttributeError for an integer."""

_WRITING = ("put", "partition", "resize", "setflags", "setfield", "byteswap", "flat", "view", "data", "ctypes", "base")
"""Methods and attributes through which an array is changed, which a copy does not have."""

_CONVERSIONS = ("item", "tolist", "tobytes", "astype")


def is_no_attribute(name: str) -> bool:
    """Tell whether no private value has an attribute of this name that its classes do not define.

    >>> is_no_attribute("decoded"), is_no_attribute("take")
    (True, False)
    """
    known = name in _MOVING or hasattr(np.ndarray, name) or hasattr(np.float64, name)
    return name.startswith("_") or name in _WRITING or not known


_ARGMAX, _ARGMIN = _function("argmax"), _function("argmin")


_REFLECTED = {
    np.less: np.greater, np.greater: np.less, np.less_equal: np.greater_equal, np.greater_equal: np.less_equal,
    np.equal: np.equal, np.not_equal: np.not_equal,
}  # fmt: skip


def _compare(symbol: str, ufunc: Any, function: Callable[..., Any], one: Any, two: Any) -> Any:
    """Return a comparison that the intervals decide or that is an indicator of one datum; otherwise it is a read."""
    if one.holds_draws or (isinstance(two, Refusals) and two.holds_draws):
        from privcheck.private_values._noise.coins import compared as flipped

        if (coins := flipped(symbol, one, two)) is not None:
            return coins
    if one.is_public and isinstance(two, Refusals) and two.is_raw:
        one, two, ufunc = two, one, _REFLECTED[ufunc]  # a public array is asked first, as of a derived class
    is_read = one.is_public or (isinstance(two, Refusals) and not two.is_public) or one.holds_draws
    if not is_read and (found := one.compared_with(ufunc, two)) is not None:
        return found
    if one.is_raw and isinstance(two, Refusals) and two.is_raw:
        from privcheck.private_values._several_data.decided_order import compared_alike

        if (found := compared_alike(symbol, one, two)) is not None:  # type: ignore[arg-type]
            return found
    return read("comparison", symbol, function, one, two, hint=COMPARE)


class Refusals(Origins):
    """The operators and methods of numbers and arrays that are leaks on private values."""

    __slots__ = ()

    source: Any
    shape: Any
    ndim: Any
    __getitem__: Any
    data_ids: Any
    is_action: Any
    ordinary: Any
    compared_with: Any
    terms: Any
    view_as: Any
    _cell: Any

    def __getattr__(self, name: str) -> Any:
        """Return what numpy's arrays or numbers have under another name, of values that are public or hold noise."""
        if name in _MOVING or name in _OF_OBJECTS:
            return partial(getattr(np, name), self)
        if name == "real":
            return self.view_as(lambda array: array[...])
        if name == "dtype":  # as of a float
            raise AttributeError(name)
        if name in _OF_FLOATS and self.is_raw:
            refuse("conversion", f".{name}()", self, hint=MEAN)
        kind: Any = np.ndarray if getattr(self, "ndim", 0) else np.float64
        if name.startswith("_") or name in _WRITING or not hasattr(kind, name) or published([self]) is not None:
            raise AttributeError(f"a private value has no attribute {name!r}")
        if kind is np.float64:
            return getattr(kind(self.ordinary()), name)
        is_method = callable(getattr(kind, name))
        return _function(name).__get__(self) if is_method else on_ordinary(operator.attrgetter(name), (self,), {})

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """What `isinstance` takes a number for, besides its type: a float."""
        return type(self) if self.ndim else float

    @property
    def reused(self) -> bool:
        """Whether it held noise that was released with another value."""
        return bool(self._cell.reused)

    @property
    def is_raw(self) -> bool:
        """Whether it depends on data and holds no noise, so that what reads it is a leak."""
        return not (self.is_public or self.holds_draws)

    @property
    def holds_draws(self) -> bool:
        """Whether it holds draws of noise that are not public."""
        self.settle()
        if self.source is None or not len(self.source.draws):
            return False
        return bool((self.terms.tidy().ranges[1] < 0).any())

    def settle(self) -> None:
        """Replace draws of noise that are known by what they have become."""
        self._cell.settle()

    @property
    def coin_hint(self) -> str:
        """How a choice by a coin that was read is written as randomised response; empty if there is none."""
        for file, line in [] if self.source is None or self.holds_draws else sorted(self.source.coin_lines):
            code = linecache.getline(file, line).strip()
            if " if " in code and (pasted := replacement(code, kind="coin")):
                return f"a coin that `if` reads is public, so for randomised response write {pasted}"
        return ""

    @property
    def kind(self) -> str:
        """What numpy's array would hold: see `terms.kind_of`."""
        return str(self._cell.kind)

    def of_kind(self, kind: str) -> Self:
        """Return this array after noting what numpy's would hold."""
        self._cell.kind = kind
        return self

    def publish(self) -> str | None:
        """Release it with the noise that it holds; None if that was done, otherwise why it cannot be."""
        return publish(self)  # type: ignore[arg-type]

    def assigned(self) -> Any:
        """Return what an array of numpy holds of it: it is read if it holds noise; if that was spent, it is a leak."""
        if not (self.holds_draws or self.reused):
            return self
        if (why := self.publish()) is None:
            return self.ordinary()
        if self.reused and not self.holds_draws:
            refuse("conversion", "float()", self, hint=why)
        return self

    def winner(self, sign: float) -> int | None:
        """Release the index of the largest (smallest for sign -1) entry as a noisy maximum, if it is one."""
        return winner(self if sign > 0.0 else -self)  # type: ignore[arg-type, operator]

    def _winning(self, sign: float) -> int | None:
        """Return the index of a noisy maximum, or of one that is the same for all data."""
        if not self.is_raw:
            return self.winner(sign)
        from privcheck.private_values._several_data.decided_order import extreme

        return extreme(self, sign)  # type: ignore[arg-type]

    def __lt__(self, other: Any) -> Any:
        return _compare("<", np.less, operator.lt, self, other)

    def __le__(self, other: Any) -> Any:
        return _compare("<=", np.less_equal, operator.le, self, other)

    def __gt__(self, other: Any) -> Any:
        return _compare(">", np.greater, operator.gt, self, other)

    def __ge__(self, other: Any) -> Any:
        return _compare(">=", np.greater_equal, operator.ge, self, other)

    def __eq__(self, other: object) -> Any:
        return _compare("==", np.equal, operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        return _compare("!=", np.not_equal, operator.ne, self, other)

    def __contains__(self, other: object) -> Any:
        return read("comparison", "in", operator.contains, self, other, hint=COMPARE)

    def __hash__(self) -> int:
        return int(read("hash", "hash()", hash, self))

    def __bool__(self) -> bool:
        return bool(read("branch", "truth value", bool, self))

    def __float__(self) -> float:
        return float(read("conversion", "float()", float, self, hint=COLLECT))

    def __int__(self) -> int:
        return int(read("conversion", "int()", int, self, hint=COLLECT))

    def __complex__(self) -> complex:
        return complex(read("conversion", "complex()", complex, self, hint=COLLECT))

    def __index__(self) -> int:
        whole = int if self.kind in ("b", "i") else lambda value: value  # as of a sum in which the data cancel
        return int(read("index", "index", lambda value: operator.index(whole(value)), self))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return the ordinary array that it is or is released as; without noise, numbers in an array of objects.

        numpy collects lists of numbers in this way; an array of several axes is copied only by `numpy.array`, since the
        result of `numpy.asarray` would share its entries, as the code that asks for it may: see `Cell.replace`.
        """
        if self.ndim and not copy and not self._cell.lent:
            self._cell.lent = own_place()
        if dtype in (None, object) and (self.ndim == 0 or copy) and self.is_raw:
            self.source.collected = self.data_ids
            found = np.empty(self.shape, object)
            if self.ndim == 0:
                found.fill(self)
            for place in np.ndindex(self.shape) if self.ndim else ():
                found[place] = self[place]
            return found
        return read("conversion", "conversion to an array", lambda v: np.array(v, dtype=dtype), self, hint=COLLECT)

    def __str__(self) -> str:
        """Return the number or array as text, which is its release; without noise it is a leak, unlike `repr`.

        Text in its place would compare, sort and count otherwise than the number's.
        """
        return str(read("format", "str()", str, self, hint=TEXT))

    def __format__(self, specification: str) -> str:
        if not specification:
            return str(self)
        return str(read("format", f"format {specification!r}", lambda value: format(value, specification), self))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return read("pickle", "pickle", lambda value: (type(self).public, (np.array(value),)), self)  # type: ignore[attr-defined]

    def __abs__(self) -> Any:
        return np.absolute(self)

    def __round__(self, digits: int | None = None) -> Any:
        return read("function", "round()", lambda value: round(value, digits), self, hint=NONLINEAR)

    def __floor__(self) -> Any:
        return read("function", "math.floor()", math.floor, self, hint=NONLINEAR)

    def __ceil__(self) -> Any:
        return read("function", "math.ceil()", math.ceil, self, hint=NONLINEAR)

    def __trunc__(self) -> Any:
        return read("function", "math.trunc()", math.trunc, self, hint=NONLINEAR)

    def __pow__(self, other: Any) -> Any:
        return np.power(self, other)

    def __rpow__(self, other: Any) -> Any:
        return read("function", "**", operator.pow, other, self, hint=NONLINEAR)

    def __floordiv__(self, other: Any) -> Any:
        if type(other) in (int, float) and other and self.is_raw:
            from privcheck.private_values._several_data.decided_order import floored

            if (found := floored(self, other)) is not None:  # type: ignore[arg-type]
                return found
        return read("function", "//", operator.floordiv, self, other, hint=NONLINEAR)

    def __rfloordiv__(self, other: Any) -> Any:
        return read("function", "//", operator.floordiv, other, self, hint=NONLINEAR)

    def __mod__(self, other: Any) -> Any:
        return read("function", "%", operator.mod, self, other, hint=NONLINEAR)

    def __rmod__(self, other: Any) -> Any:
        return read("function", "%", operator.mod, other, self, hint=NONLINEAR)

    def __divmod__(self, other: Any) -> Any:
        return read("function", "divmod()", divmod, self, other, hint=NONLINEAR)

    def __rdivmod__(self, other: Any) -> Any:
        return read("function", "divmod()", divmod, other, self, hint=NONLINEAR)

    def argmax(self, axis: Any = None, **options: Any) -> Any:
        """Return the index of the largest entry: the release of a noisy maximum, or of all entries."""
        index = self._winning(1.0) if axis in (None, 0) and not options else None
        return _ARGMAX(self, axis, **options) if index is None else np.int64(index)

    def argmin(self, axis: Any = None, **options: Any) -> Any:
        """Return the index of the smallest entry, in the same way."""
        index = self._winning(-1.0) if axis in (None, 0) and not options else None
        return _ARGMIN(self, axis, **options) if index is None else np.int64(index)

    min, max, std, var, ptp = (_of_all(name) for name in ("min", "max", "std", "var", "ptp"))
    sort, argsort, round, prod = _function("sort"), _function("argsort"), _function("round"), _function("prod")
    any, all = _function("any"), _function("all")
    nonzero, searchsorted = _function("nonzero"), _function("searchsorted")
    item, tolist, tobytes, astype = (_function(name) for name in ("item", "tolist", "tobytes", "astype"))
