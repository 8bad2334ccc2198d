"""Noise as third-party code adds it: drawn when it is read, with everything that was added to it until then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.certifying._primitives.drawn_noise import Noise, added

STRUCTURAL = frozenset(
    {np.transpose, np.triu, np.tril, np.diag, np.diagonal, np.reshape, np.ravel, np.squeeze, np.copy, np.take, np.flip}
    | {np.roll, np.atleast_1d, np.atleast_2d, np.expand_dims, np.moveaxis, np.swapaxes, np.broadcast_to, np.tile}
    | {np.repeat}
)
"""Numpy's functions that select or arrange entries, or set them to 0."""

CHECKS = {np.isfinite, np.isnan, np.isinf}
"""Numpy's functions that tell a number with noise as they tell what it was added to."""

LINEAR = {np.add, np.subtract, np.negative, np.positive, np.multiply, np.true_divide}


def drawn(noise: Noise, law: str, loc: Any, scale: Any, size: Any, name: str, place: str) -> UnreadNoise:
    """Return noise of a law that is not drawn yet, shifted by `loc`; takes the arguments of numpy's function."""
    scales, shift = np.asarray(scale, np.float64), _plain(loc)
    shape = np.broadcast_shapes(scales.shape, shift.shape)
    if size is not None:
        shape = tuple(np.empty(size, np.bool_).shape)
    first = noise.number(law, np.broadcast_to(scales, shape).ravel().tolist(), name, place)
    numbers = np.arange(first, first + int(np.prod(shape, dtype=np.int64))).reshape(shape)
    return UnreadNoise(noise, numbers, np.ones(shape), np.array(np.broadcast_to(shift, shape)))


class UnreadNoise(np.lib.mixins.NDArrayOperatorsMixin):
    """Numbers with noise that was not read yet: a plain part, and a draw times a weight, entry by entry.

    Adding plain numbers, scaling, selecting and rearranging leave the noise unread. Everything else reads: it is the
    release of the sum.

    Parameters
    ----------
    noise : the noise of the run.
    numbers : the draw in each entry, counted from 1; 0 is none.
    weights, consts : its factor and what was added to it, in the same shape.
    """

    __pandas_priority__ = 10_000  # a Series, an Index or a DataFrame leaves the operation to this class

    def __init__(self, noise: Noise, numbers: Any, weights: Array, consts: Array) -> None:
        self._noise, self._numbers, self._weights, self._consts = noise, numbers, weights, consts
        self._known: Array | None = None

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if (
            method == "__call__"
            and not options
            and (tables := [one for one in inputs if hasattr(type(one), "_constructor")])
        ):
            return _of_pandas(function, inputs, tables[0])
        if method == "__call__" and function in LINEAR and options.get("out") is None and len(options) <= 1:
            found = _linear(function, inputs)
            if found is not None:
                return found
        if method == "__call__" and function in CHECKS and not options:
            return function(self._consts)  # noise is finite, so that this reads nothing
        out = options.get("out")
        if out is not None and method == "__call__" and function in LINEAR and len(options) == 1:
            found = getattr(function, method)(*inputs)
            if not isinstance(out[0], UnreadNoise):
                np.copyto(out[0], _plain(found), casting="same_kind")
                return out[0]
            return out[0]._become(found) if out[0]._consts.ndim else found  # `x += 1` makes another number
        if out is not None and isinstance(out[0], UnreadNoise):
            return out[0]._become(getattr(function, method)(*inputs, **options | {"out": None}))
        how = f"numpy.{function.__name__}"
        return getattr(function, method)(*(one._values(how) if _noisy(one) else one for one in inputs), **options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in STRUCTURAL and args and args[0] is self:
            return self._mapped(lambda part: function(part, *args[1:], **kwargs))
        how = f"numpy.{function.__name__}"
        return function(*_read_all(args, how), **_read_all(kwargs, how))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._values("the conversion to an array"), dtype=dtype)

    def __getitem__(self, key: Any) -> Any:
        key = _read_all(key)
        return self._mapped(lambda part: np.asarray(part[key]))

    def __setitem__(self, key: Any, value: Any) -> None:
        values = self._values()
        values[key] = value
        self._numbers, self._consts, self._known = np.zeros_like(self._numbers), values, None

    def _become(self, found: Any) -> UnreadNoise:
        """Hold the result of an operation in place."""
        if isinstance(found, UnreadNoise):
            self._numbers, self._weights, self._consts = found._numbers, found._weights, found._consts
        else:
            self._consts = np.array(np.broadcast_to(found, self._consts.shape), np.float64)
            self._numbers, self._weights = np.zeros(self._consts.shape, int), np.ones(self._consts.shape)
        self._known = None
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_noise", "_numbers", "_weights", "_consts", "_known"):
            raise AttributeError(name)
        if name == "flatten" or getattr(np, name, None) in STRUCTURAL:
            return lambda *args, **kwargs: self._mapped(lambda part: getattr(part, name)(*args, **kwargs))
        if name == "T":
            return self._mapped(np.transpose)
        if name in ("shape", "ndim", "size", "dtype"):
            return getattr(self._consts, name)
        return getattr(self._value(f".{name}"), name)

    def __float__(self) -> float:
        return float(self._values("float()"))

    def __int__(self) -> int:
        return int(self._values("int()"))

    def __bool__(self) -> bool:
        return bool(self._values("a condition"))

    def __hash__(self) -> int:
        return hash(self._value("hash()"))

    def __len__(self) -> int:
        return len(self._consts)

    def __iter__(self) -> Any:
        return (self[place] for place in range(len(self._consts)))

    def __round__(self, digits: int | None = None) -> Any:
        return round(float(self), digits)

    def __trunc__(self) -> int:
        return int(self)

    def __floor__(self) -> int:
        return int(np.floor(self._values("floor()")))

    def __ceil__(self) -> int:
        return int(np.ceil(self._values("ceil()")))

    def __repr__(self) -> str:
        return repr(self._value("repr()"))

    def __format__(self, how: str) -> str:
        return format(self._value("format()"), how)

    def __copy__(self) -> UnreadNoise:
        return UnreadNoise(self._noise, self._numbers, self._weights, self._consts)

    def __deepcopy__(self, memo: dict[int, Any]) -> UnreadNoise:
        return UnreadNoise(self._noise, self._numbers.copy(), self._weights.copy(), self._consts.copy())

    def __reduce__(self) -> Any:
        return np.array, (self._values(),)

    def _values(self, how: str = "an operation") -> Array:
        if self._known is None:
            self._noise.how = f"{how} reads"
            self._known = self._noise.read(self._numbers, self._weights, self._consts)
        return self._known.copy()

    def _value(self, how: str = "an operation") -> Any:
        return self._values(how) if self._consts.ndim else float(self._values(how))

    def _is_read_before(self, function: Any, other: Array) -> bool:
        """Tell whether these numbers are read before they are combined with a plain one or an array of them."""
        if not self._noise.looks_ahead:
            return False
        grows = np.broadcast_shapes(self.shape, other.shape) != self.shape
        stays = function is np.add and not other.any()
        held = b"".join(part.tobytes() for part in (self._numbers, self._weights, self._consts))
        return self._noise.is_read_first(held, (not stays) + grows)

    def _mapped(self, function: Callable[[Any], Any]) -> Any:
        """Return the numbers after a function that selects, arranges or sets to 0."""
        weights = np.asarray(function(np.where(self._numbers > 0, self._weights, 0.0)))
        numbers = np.where(weights == 0.0, 0, function(self._numbers))
        return _result(self._noise, numbers, weights, np.asarray(function(self._consts)))


def _noisy(one: Any) -> bool:
    return isinstance(one, UnreadNoise)


def _plain(one: Any) -> Array:
    return one._values() if isinstance(one, UnreadNoise) else np.asarray(one, np.float64)


def _read_all(given: Any, how: str = "an operation") -> Any:
    """Return arguments in which all noise is read."""
    if isinstance(given, UnreadNoise):
        return given._value(how)
    if type(given) in (list, tuple):
        return type(given)(_read_all(one, how) for one in given)
    return {key: _read_all(value, how) for key, value in given.items()} if type(given) is dict else given


def _result(noise: Noise, numbers: Array, weights: Array, consts: Array) -> Any:
    """Return numbers with noise, or plain ones if there is none in them."""
    if numbers.any():
        return UnreadNoise(noise, numbers, weights, consts)
    return consts if consts.ndim else np.float64(consts)


def _linear(function: Any, inputs: tuple[Any, ...]) -> Any:
    """Return a sum, difference, multiple or quotient with one operand of unread noise; None if it has to be read."""
    settled = [_settled(one) for one in inputs]
    noisy = [one for one in settled if isinstance(one, UnreadNoise)]
    plain = [one for one in settled if not isinstance(one, UnreadNoise)]
    if any(np.asarray(one).dtype.kind not in "biuf" for one in plain):
        return None
    if not noisy:
        return function(*settled)
    if len(noisy) > 1:
        return _of_two(function, noisy[0], noisy[1])
    (held,) = noisy
    if function is np.true_divide and settled[-1] is held:
        return None
    others = [np.asarray(one, np.float64) for one in plain]
    if others and held._is_read_before(function, others[0]):
        return function(*(one._value(f"numpy.{function.__name__}") if one is held else one for one in settled))
    if not held._consts.ndim and not any(one.ndim for one in others):
        return _of_numbers(function, settled, held)
    shape = np.broadcast_shapes(held._consts.shape, *(one.shape for one in others))
    numbers = np.broadcast_to(held._numbers, shape)
    consts = function(*(one._consts if isinstance(one, UnreadNoise) else one for one in settled))
    if function in (np.multiply, np.true_divide):
        weights = np.broadcast_to(function(held._weights, others[0]), shape)
        if not np.isfinite(weights).all():
            return None
        return _result(held._noise, np.where(weights == 0.0, 0, numbers), weights, np.asarray(consts))
    turned = function is np.negative or (function is np.subtract and settled[1] is held)
    weights = np.broadcast_to(-held._weights if turned else held._weights, shape)
    return _result(held._noise, numbers, weights, np.asarray(consts))


def _of_pandas(function: Any, inputs: tuple[Any, ...], table: Any) -> Any:
    """Return what pandas makes of noise and a Series or DataFrame: numbers with the table's labels, which are read."""
    found = function(*(np.asarray(one, np.float64) if one is table else one for one in inputs))
    labels = {"index": table.index} | ({"columns": table.columns} if table.ndim == 2 else {"name": table.name})
    values = found._values(type(table).__name__) if isinstance(found, UnreadNoise) else found
    return table._constructor(values, **labels)


def _of_numbers(function: Any, operands: list[Any], held: UnreadNoise) -> UnreadNoise | None:
    """Return what `_linear` does for single numbers, quickly."""
    weight = held._weights[()]
    if function in (np.multiply, np.true_divide):
        weight = function(weight, next(one for one in operands if one is not held))
        if not weight or not np.isfinite(weight):
            return None
    elif function is np.negative or (function is np.subtract and operands[1] is held):
        weight = -weight
    const = function(*(held._consts[()] if one is held else one for one in operands))
    return UnreadNoise(held._noise, held._numbers, np.asarray(weight), np.asarray(const, np.float64))


def _of_two(function: Any, one: UnreadNoise, two: UnreadNoise) -> Any:
    """Return a sum or difference of numbers with noise; None for anything else."""
    if function not in (np.add, np.subtract) or one._noise is not two._noise:
        return None
    first, second = ((each._numbers, each._weights, each._consts) for each in (one, two))
    return _result(one._noise, *added(one._noise, first, second, 1.0 if function is np.add else -1.0))


def _settled(one: Any) -> Any:
    """Return an operand as plain numbers if these were read; of others with known draws more may be made first."""
    return one._value() if isinstance(one, UnreadNoise) and one._known is not None else one
