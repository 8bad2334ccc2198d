"""Noise as third-party code adds it: drawn when it is read, with everything that was added to it until then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.certifying._primitives.drawn_noise import Noise, added
from privcheck.certifying._primitives.linear_noise import (
    ADDING,
    CHECKS,
    JOINING,
    LINEAR,
    LINEAR_OPTIONS,
    METHODS,
    OF_SHAPES,
    PRODUCTS,
    STRUCTURAL,
    any_of,
    image,
)


def drawn(noise: Noise, law: str, loc: Any, scale: Any, size: Any, name: str, place: str) -> UnreadNoise:
    """Return noise of a law that is not drawn yet, shifted by `loc`; takes the arguments of numpy's function."""
    scales, shift = np.asarray(scale, np.float64), _plain(loc)
    shape = np.broadcast_shapes(scales.shape, shift.shape)
    if size is not None:
        shape = tuple(np.empty(size, np.bool_).shape)
    first = noise.number(law, np.broadcast_to(scales, shape).ravel().tolist(), name, place)
    numbers = np.arange(first, first + int(np.prod(shape, dtype=np.int64))).reshape(shape)
    alone = type(loc) in (int, float) and loc == 0
    found = _made(noise, numbers, np.ones(shape), np.array(np.broadcast_to(shift, shape)), alone=alone)
    if noise.is_read_after(adds=bool(shift.any())):
        found._read("the draw")
    return found


class UnreadNoise(np.lib.mixins.NDArrayOperatorsMixin):
    """Numbers with noise that was not read yet: a plain part, and a draw times a weight, entry by entry.

    Adding plain numbers, adding entries up, scaling, selecting and rearranging leave the noise unread. Everything else
    reads: it is the release of the sum, and what was read is plain numbers from then on. As with numpy's arrays, slices
    share their memory: what is written into one is in the others.

    Parameters
    ----------
    noise : the noise of the run.
    numbers : the draw in each entry, counted from 1; 0 is none.
    weights, consts : its factor and what was added to it, in the same shape.
    alone : whether nothing was added to the draws, so that to read them is to lose them.
    """

    __pandas_priority__ = 10_000  # a Series, an Index or a DataFrame leaves the operation to this class

    def __init__(self, noise: Noise, numbers: Any, weights: Array, consts: Array, *, alone: bool = False) -> None:
        self._noise, self._numbers, self._weights, self._consts = noise, numbers, weights, consts
        self._alone = alone

    __class__ = property(lambda _: np.float64)  # for what `isinstance` takes one number
    T = property(lambda self: self._mapped(np.transpose))

    @property
    def shape(self) -> Any:
        return self._consts.shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        self._numbers.shape = self._weights.shape = self._consts.shape = shape

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
        if (function, method) in ((np.matmul, "__call__"), (np.add, "reduce"), (np.add, "accumulate")):
            found = self._linear_function(
                np.matmul if function is np.matmul else getattr(function, method), inputs, options
            )
            if found is not None:
                return found
        how = f"numpy.{function.__name__}"
        return getattr(function, method)(*(one._read(how) if _noisy(one) else one for one in inputs), **options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in STRUCTURAL and args and args[0] is self:
            return self._mapped(lambda part: function(part, *args[1:], **kwargs))
        if function in OF_SHAPES and args and args[0] is self:
            return function(self._consts, *args[1:], **kwargs)
        found = None
        if function in JOINING:
            found = self._joined(function, args, kwargs)
        elif function in ADDING or function in PRODUCTS:
            found = self._linear_function(function, args, kwargs)
        if found is not None:
            return found
        how = f"numpy.{function.__name__}"
        return function(*read_all(args, how), **read_all(kwargs, how))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._read("the conversion to an array"), dtype=dtype, copy=copy)

    def _become(self, found: Any) -> UnreadNoise:
        """Hold the result of an operation in place."""
        self[...] = found
        self._alone = _noisy(found) and found._alone
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_noise", "_numbers", "_weights", "_consts", "_alone"):
            raise AttributeError(name)
        if name == "flatten" or getattr(np, name, None) in STRUCTURAL:
            return lambda *args, **kwargs: self._mapped(lambda part: getattr(part, name)(*args, **kwargs))
        if name in METHODS:
            return lambda *args, **kwargs: self.__array_function__(METHODS[name], (), (self, *args), kwargs)
        return getattr(self._consts if name in ("ndim", "size", "dtype") else self._value(f".{name}"), name)

    def shuffle_by(self, shuffle: Callable[[Any], Any], axis: int = 0) -> None:
        """Rearrange the entries along an axis as `shuffle` rearranges an array of as many."""
        rows = self._mapped(lambda part: np.moveaxis(part, axis, 0))
        order = np.arange(len(rows))
        shuffle(order)
        rows[...] = rows[order]

    def __eq__(self, other: object) -> Any:
        return self._value("a comparison") == other

    def __ne__(self, other: object) -> Any:
        return self._value("a comparison") != other

    def __float__(self) -> float:
        return float(self._read("float()"))

    def __int__(self) -> int:
        return int(self._read("int()"))

    __trunc__ = __int__

    def __bool__(self) -> bool:
        return bool(self._read("a condition"))

    def __hash__(self) -> int:
        return hash(self._value("hash()"))

    def __round__(self, digits: int | None = None) -> Any:
        return round(float(self), digits)

    def __floor__(self) -> int:
        return int(np.floor(self._read("floor()")))

    def __ceil__(self) -> int:
        return int(np.ceil(self._read("ceil()")))

    def __repr__(self) -> str:
        return repr(self._read("repr()") if self._consts.ndim else float(self))

    def __str__(self) -> str:
        return str(self._value("str()"))

    def __format__(self, how: str) -> str:
        return format(self._value("format()"), how)

    def __copy__(self) -> UnreadNoise:
        parts = (self._numbers.copy(), self._weights.copy(), self._consts.copy())
        return _made(self._noise, *parts, alone=self._alone)

    def __deepcopy__(self, memo: dict[int, Any]) -> UnreadNoise:
        return self.__copy__()

    def __reduce__(self) -> Any:
        return (np.array, (self._read(),)) if self._consts.ndim else (np.float64, (float(self._read()),))

    def _read(self, how: str = "an operation") -> Array:
        """Read what is unread, and return the numbers: the array itself, as others may write into it."""
        if self._numbers.any():
            self._noise.how = f"{how} reads"
            values = self._noise.read(self._numbers, self._weights, self._consts)
            if self._consts.flags.writeable:
                self._numbers[...], self._consts[...] = 0, values
            else:
                self._numbers, self._consts = np.zeros_like(self._numbers), values
        return self._consts

    def _value(self, how: str = "an operation") -> Any:
        return self._read(how) if self._consts.ndim else np.float64(self._read(how))

    def _is_read_before(self, function: Any, other: Array) -> bool:
        """Tell whether these numbers are read before they are combined with a plain one or an array of them."""
        if not self._noise.looks_ahead:
            return False
        grows = np.broadcast_shapes(self.shape, other.shape) != self.shape
        stays = function is np.add and not other.any()
        held = b"".join(part.tobytes() for part in (self._numbers, self._weights, self._consts))
        return self._noise.is_read_first(held, (not stays) + grows)

    def _is_kept(self) -> bool:
        """Tell whether a product with plain arrays leaves these numbers unread."""
        if self._alone or not self._noise.is_kept():
            return self._alone
        held = b"".join(part.tobytes() for part in (self._numbers, self._weights, self._consts))
        return not (self._noise.looks_ahead and self._noise.is_read_first(held, 2))

    def _mapped(self, function: Callable[[Any], Any]) -> Any:
        """Return the numbers after a function that selects, arranges or sets to 0: views, where it makes views."""
        parts = [np.asarray(function(part)) for part in (self._numbers, self._weights, self._consts)]
        return _result(self._noise, *parts, alone=self._alone)

    def _joined(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Return the entries of several arrays in one; None if they have to be read."""
        of = JOINING[function]
        arrays, others = [args[k] for k in of if k < len(args)], [each for k, each in enumerate(args) if k not in of]
        if len(arrays) < len(of) or any_of(_noisy, [others, kwargs]) or any_of(self._is_foreign, arrays):
            return None
        parts = []
        for which in range(3):
            given = [_parts(each, which) if k in of else each for k, each in enumerate(args)]
            parts.append(np.asarray(function(*given, **kwargs)))
        return _result(self._noise, *parts)

    def _is_foreign(self, one: Any) -> bool:
        """Tell whether something is neither noise of this run nor an array of numbers."""
        return one._noise is not self._noise if _noisy(one) else np.asarray(one).dtype.kind not in "biuf"

    def _linear_function(self, function: Any, args: Any, options: Any) -> Any:
        """Return a linear function of this array and plain ones; None if it has to be read.

        To multiply by numbers with noise is to read them, unless they are noise alone, or it is tried otherwise.
        """
        others = [one for one in args if one is not self]
        if len(others) != len(args) - 1 or not LINEAR_OPTIONS.issuperset(options):
            return None
        if any_of(_noisy, [others, options]) or not (self._is_kept() if function in PRODUCTS else args[0] is self):
            return None

        def apply(part: Array) -> Any:
            return function(*(part if one is self else one for one in args), **options)

        found = image(self._noise, self._numbers, self._weights, self._consts, apply)
        return None if found is None else _result(self._noise, *found, alone=self._alone)


class UnreadArray(UnreadNoise):
    """An array of such numbers; pandas would hand it to compiled code if it were one of numpy's."""

    __class__ = property(lambda _: UnreadArray)

    def __getitem__(self, key: Any) -> Any:
        key = read_all(key)
        return self._mapped(lambda part: np.asarray(part[key]))

    def __setitem__(self, key: Any, value: Any) -> None:
        key, is_ours = read_all(key), _noisy(value) and value._noise is self._noise
        parts = (value._numbers, value._weights, value._consts) if is_ours else (0, 0.0, _plain(value))
        for own, given in zip((self._numbers, self._weights, self._consts), parts, strict=True):
            own[key] = given

    def __len__(self) -> int:
        return len(self._consts)

    def __iter__(self) -> Any:
        return (self[place] for place in range(len(self._consts)))


def _made(noise: Noise, numbers: Any, weights: Array, consts: Array, *, alone: bool = False) -> UnreadNoise:
    """Return one number with noise, or an array of them."""
    return (UnreadArray if consts.ndim else UnreadNoise)(noise, numbers, weights, consts, alone=alone)


def _noisy(one: Any) -> bool:
    return isinstance(one, UnreadNoise)


def _parts(given: Any, which: int) -> Any:
    """Return the numbers, the weights or the constants of an array or a list of arrays; plain ones have no noise."""
    if _noisy(given):
        return (given._numbers, given._weights, given._consts)[which]
    if type(given) in (list, tuple):
        return type(given)(_parts(one, which) for one in given)
    return np.asarray(given, np.float64) if which == 2 else np.zeros(np.shape(given), int if which == 0 else float)


def _plain(one: Any) -> Array:
    return one._read() if isinstance(one, UnreadNoise) else np.asarray(one, np.float64)


def read_all(given: Any, how: str = "an operation") -> Any:
    """Return arguments in which all noise is read."""
    if isinstance(given, UnreadNoise):
        return given._value(how)
    if type(given) in (list, tuple):
        return type(given)(read_all(one, how) for one in given)
    return {key: read_all(value, how) for key, value in given.items()} if type(given) is dict else given


def _result(noise: Noise, numbers: Array, weights: Array, consts: Array, *, alone: bool = False) -> Any:
    """Return numbers with noise, or plain ones if there is none in them."""
    if numbers.any():
        return _made(noise, numbers, weights, consts, alone=alone)
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
    found = (
        _of_arrays(function, settled, held)
        if held.ndim or (others and others[0].ndim)
        else _of_numbers(function, settled, held)
    )
    if function in (np.add, np.subtract) and isinstance(found, UnreadNoise):
        adds = found.shape == held.shape and bool(others[0].any())
        if held._noise.is_read_after(adds=adds):
            found._read(f"numpy.{function.__name__}")
    return found


def _of_arrays(function: Any, settled: list[Any], held: UnreadNoise) -> Any:
    """Return what `_linear` does for arrays."""
    others = [np.asarray(one, np.float64) for one in settled if one is not held]
    shape = np.broadcast_shapes(held._consts.shape, *(one.shape for one in others))
    numbers = np.array(np.broadcast_to(held._numbers, shape))
    consts = function(*(one._consts if isinstance(one, UnreadNoise) else one for one in settled))
    if function in (np.multiply, np.true_divide):
        weights = np.broadcast_to(function(held._weights, others[0]), shape)
        if not np.isfinite(weights).all():
            return None
        numbers[weights == 0.0] = 0
        return _result(held._noise, numbers, np.array(weights), np.asarray(consts), alone=held._alone)
    turned = function is np.negative or (function is np.subtract and settled[1] is held)
    weights = np.array(np.broadcast_to(-held._weights if turned else held._weights, shape))
    return _result(held._noise, numbers, weights, np.asarray(consts), alone=held._alone and not others)


def _of_pandas(function: Any, inputs: tuple[Any, ...], table: Any) -> Any:
    """Return what pandas makes of noise and a Series or DataFrame: numbers with the table's labels, which are read."""
    found = function(*(np.asarray(one, np.float64) if one is table else one for one in inputs))
    labels = {"index": table.index} | ({"columns": table.columns} if table.ndim == 2 else {"name": table.name})
    return table._constructor(read_all(found, type(table).__name__), **labels)


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
    parts = (held._numbers.copy(), np.asarray(weight), np.asarray(const, np.float64))
    return UnreadNoise(held._noise, *parts, alone=held._alone and function not in (np.add, np.subtract))


def _of_two(function: Any, one: UnreadNoise, two: UnreadNoise) -> Any:
    """Return a sum or difference of numbers with noise; None for anything else."""
    if function not in (np.add, np.subtract) or one._noise is not two._noise:
        return None
    first, second = ((each._numbers, each._weights, each._consts) for each in (one, two))
    sign, alone = 1.0 if function is np.add else -1.0, one._alone and two._alone
    return _result(one._noise, *added(one._noise, first, second, sign), alone=alone)


def _settled(one: Any) -> Any:
    """Return an operand as plain numbers if these were read; of others with known draws more may be made first."""
    return one._value() if isinstance(one, UnreadNoise) and not one._numbers.any() else one
