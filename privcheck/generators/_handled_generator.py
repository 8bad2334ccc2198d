"""The one subclass of numpy's Generator: it hands each draw to a handler, and refuses what is in no table."""

from __future__ import annotations

import copy
import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ClassVar, NamedTuple

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.generators._methods import METHODS, Coin, Method, Noise, State

MOST_COINS = 4096
"""Largest number of uniform draws of one call that are handed over as noise."""

Draw = Callable[[np.random.Generator, Any, Any, Any], Any]
"""Draws loc plus noise with a scale, of a size, from a Generator: numpy's own method for a law."""

_BITS: Any = np.random.Generator.bit_generator
_COPYING: ContextVar[bool] = ContextVar("copying", default=False)


class Call(NamedTuple):
    """A call of a method of numpy's Generator, that of a `HandledGenerator`."""

    rng: HandledGenerator
    method: Coin | Noise
    draw: Callable[..., Any]
    given: tuple[Any, ...]
    options: dict[str, Any]

    def by(self, rng: np.random.Generator) -> Any:
        """Return what numpy draws for it by a Generator."""
        return self.draw(rng, *self.given, **self.options)


class Handler(ABC):
    """What becomes of the draws of a `HandledGenerator`.

    Parameters
    ----------
    bits : the bit generator of all draws that are numpy's own.

    Attributes
    ----------
    laws : the laws of noise whose draws go to `noise`; all other draws go to `coin`.
    ordinary : numpy's Generator with these bits.
    """

    laws: ClassVar[frozenset[str]]

    def __init__(self, bits: Any) -> None:
        self.bits, self.ordinary = bits, np.random.Generator(bits)

    @property
    def plain(self) -> bool:
        """Whether draws of noise are numpy's own at present."""
        return False

    @abstractmethod
    def noise(self, method: Noise, draw: Draw, loc: Any, scale: Any, size: Any) -> Any:
        """Return loc plus noise.

        Parameters
        ----------
        method : the method that was called; standard laws have the location 0 and the scale 1, and the scale of a
            geometric draw is that of the discrete Laplace law of a difference of two.
        draw : numpy's own draws.
        loc, scale, size : what it was called with.
        """

    def coin(self, call: Call) -> Any:
        """Return public draws: here what numpy's method returns, which makes some draws of others of the Generator."""
        return call.by(call.rng)

    @abstractmethod
    def exposed(self) -> None:
        """Take note that the state can be read from here on, by which the same numbers can be drawn twice."""

    @abstractmethod
    def child(self, bits: Any) -> np.random.Generator:
        """Return a Generator that is spawned."""

    def copied(self, bits: Any) -> np.random.Generator:
        """Return a Generator that is a copy, whose draws are the same ones again."""
        return np.random.Generator(bits)

    def pickled(self, bits: Any) -> Any:
        """Return what makes such a copy where it is unpickled, as `__reduce__` does."""
        return np.random.Generator(bits).__reduce__()


class HandledGenerator(np.random.Generator):
    """Numpy's Generator, with a handler for its draws.

    Each method that numpy's class defines is here what `METHODS` says it is, and whatever numpy defines beyond that is
    refused: no draw of a new method can pass by a handler.

    Parameters
    ----------
    handler : what becomes of the draws.
    """

    def __init__(self, handler: Handler) -> None:
        super().__init__(handler.bits)
        self._handler = handler

    @property
    def bit_generator(self) -> Any:
        """The bit generator."""
        self._handler.exposed()
        return self._handler.bits

    _bit_generator = bit_generator

    def spawn(self, n_children: int) -> Any:
        """Return Generators with independent draws."""
        return [self._handler.child(bits) for bits in self._handler.bits.spawn(n_children)]

    def __deepcopy__(self, memo: dict[int, Any]) -> np.random.Generator:
        if not _COPYING.get():
            self._handler.exposed()
        return self._handler.copied(copy.deepcopy(self._handler.bits, memo))

    def __copy__(self) -> np.random.Generator:
        return self._handler.copied(self.bit_generator)

    def __reduce__(self) -> Any:
        return self._handler.pickled(self.bit_generator)

    def __getstate__(self) -> Any:
        return self.bit_generator.state

    def __setstate__(self, state: Any) -> None:
        self.bit_generator.state = state

    def __repr__(self) -> str:
        return f"Generator({type(self._handler.bits).__name__})"

    __str__ = __repr__


def meet(cls: type[HandledGenerator], methods: Mapping[str, Method] = METHODS) -> None:
    """Give a class each name of numpy's Generator, as the table says; one that is not in the table is refused."""
    own = {name for base in cls.__mro__ if issubclass(base, HandledGenerator) for name in vars(base)}
    for name, value in of_numpy(cls).items():
        method = methods.get(name)
        if method is None or (isinstance(method, State) and name not in own):
            setattr(cls, name, _refused(name))
        elif isinstance(method, Coin):
            setattr(cls, name, wraps(value)(_coin(method, value)))
        elif isinstance(method, Noise):
            setattr(cls, name, wraps(value)((_uniform if "low" in method.parameters else _noise)(method, value)))


def of_numpy(cls: type) -> dict[str, Any]:
    """Return what numpy's Generator defines, and what classes between it and `HandledGenerator` add.

    >>> found = of_numpy(np.random.Generator)
    >>> "laplace" in found, "bit_generator" in found, "__eq__" in found
    (True, True, False)
    """
    bases = [base for base in cls.__mro__ if issubclass(base, np.random.Generator)]
    found = [vars(base) for base in reversed(bases) if not issubclass(base, HandledGenerator)]
    return {name: value for own in found for name, value in own.items() if name not in _OF_EVERY_CLASS}


_OF_EVERY_CLASS = vars(type("_", (), {})).keys()


def _refused(name: str) -> Any:
    def refuse(_: HandledGenerator) -> Any:
        got = words(f"rng.{name}, of which privcheck does not know whether it draws noise")
        raise PrivcheckError("rng", got, "a method of numpy's Generator that it knows", "draw by another method")

    return property(refuse)


def _coin(method: Coin, draw: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: HandledGenerator, *given: Any, **options: Any) -> Any:
        return self._handler.coin(Call(self, method, draw, given, options))

    return call


def _noise(method: Noise, draw: Callable[..., Any]) -> Callable[..., Any]:
    form, law = _FORMS[method.parameters](method, draw), method.law

    def call(self: HandledGenerator, *given: Any, **options: Any) -> Any:
        handler = self._handler
        asked = form(*given, **options) if law in handler.laws else None
        if asked is None:
            return handler.coin(Call(self, method, draw, given, options))
        return handler.noise(method, *asked)

    return call


def _uniform(method: Noise, draw: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method that makes uniform draws from [low, high) of those from [0, 1), as numpy makes them."""

    def call(self: HandledGenerator, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        handler = self._handler
        if method.law not in handler.laws or handler.plain:
            return handler.coin(Call(self, method, draw, (low, high, size), {}))
        lows, highs = np.asarray(low, np.float64), np.asarray(high, np.float64)  # reads noised ends
        shape = np.broadcast_shapes(lows.shape, highs.shape) if size is None else shape_of(size)
        widths = highs - lows
        if not (np.isfinite(widths) & (widths > 0.0)).all() or np.broadcast_shapes(shape, widths.shape) != shape:
            return handler.coin(Call(self, method, draw, (lows, highs, size), {}))
        found = self.random(shape if shape or size is not None else None)
        return found if not lows.any() and (widths == 1.0).all() else lows + widths * found

    return call


Asked = tuple[Draw, Any, Any, Any] | None
"""Numpy's draws, and the loc, scale and size that they are asked for; None for draws that are coins in this form."""


def _located(_: Noise, draw: Callable[..., Any]) -> Callable[..., Asked]:
    def asked(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Asked:
        return draw, loc, scale, size

    return asked


def _scaled(_: Noise, draw: Callable[..., Any]) -> Callable[..., Asked]:
    def own(rng: np.random.Generator, _: Any, scale: Any, size: Any) -> Any:
        return draw(rng, scale, size)

    def asked(scale: Any = 1.0, size: Any = None) -> Asked:
        return own, 0.0, scale, size

    return asked


def _with_chance(_: Noise, draw: Callable[..., Any]) -> Callable[..., Asked]:
    def asked(p: Any, size: Any = None) -> Asked:
        chance = np.asarray(p, np.float64)  # reads a noised chance
        with np.errstate(all="ignore"):
            scale = -1.0 / np.log1p(-chance)
        return lambda rng, _, __, size: draw(rng, chance, size), 0.0, scale, size

    return asked


def _standard(method: Noise, draw: Callable[..., Any]) -> Callable[..., Asked]:
    def own(rng: np.random.Generator, _: Any, __: Any, size: Any) -> Any:
        return draw(rng, size)

    def asked(size: Any = None, dtype: Any = np.float64, out: Any = None) -> Asked:
        if out is not None or np.dtype(dtype) != np.float64:
            return None
        if method.law == "uniform" and math.prod(shape_of(size)) > MOST_COINS:
            return None
        return own, 0.0, 1.0, size

    def asked_for_exponential(size: Any = None, dtype: Any = np.float64, method: Any = "zig", out: Any = None) -> Asked:
        return asked(size, dtype, out) if method == "zig" else None

    return asked_for_exponential if method.law == "exponential" else asked


_FORMS = {("loc", "scale"): _located, ("scale",): _scaled, ("p",): _with_chance, (): _standard}
"""What brings the arguments of a method with these parameters into one form."""

meet(HandledGenerator)


def shape_of(size: Any) -> tuple[int, ...]:
    """Return the shape that numpy's `size` means: nothing, a length, or a sequence of lengths.

    >>> shape_of(None), shape_of(3), shape_of([2, np.int64(3)])
    ((), (3,), (2, 3))
    """
    if size is None:
        return ()
    return tuple(map(operator.index, size)) if np.ndim(size) else (operator.index(size),)


def bits_of(rng: np.random.Generator) -> Any:
    """Return the bit generator of any Generator; its draws of noise stay what they are."""
    return _BITS.__get__(rng)


def is_copying() -> bool:
    """Tell whether the guard itself is copying a policy."""
    return _COPYING.get()


@contextmanager
def copying() -> Iterator[None]:
    """Mark the block in which the guard itself copies a policy, which draws no numbers twice."""
    token = _COPYING.set(True)
    try:
        yield
    finally:
        _COPYING.reset(token)
