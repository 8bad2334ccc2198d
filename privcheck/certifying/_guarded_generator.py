"""The Generator that a guarded policy is built with: its draws of noise stay unread until the policy reads them."""

from __future__ import annotations

import copy
import math
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from typing import Any

import numpy as np

from privcheck.private_values import Private, PrivateSource, Terms, standard

MOST_COINS = 4096
"""Largest number of uniform draws of one call that stay unread."""

_COPYING: ContextVar[bool] = ContextVar("copying", default=False)
_BITS: Any = np.random.Generator.bit_generator


class GuardedGenerator(np.random.Generator):
    """Numpy's Generator, whose draws from laws of noise are private values that hold no data: see `noised.publish`.

    These are `laplace`, `normal`, `standard_normal`, `exponential`, `standard_exponential`, `gumbel` and `geometric`;
    and `random` and `uniform`, of which a comparison is a coin or an answer (see `coins.compared`), in arrays of up to
    4096 numbers. All other draws are ordinary public numbers, and so are these once the policy has looked at the bit
    generator or copied the Generator, by which it could draw the same numbers twice.

    Parameters
    ----------
    bits : the bit generator that the coins come from.
    source : the private data of the run.
    record : called with each array of new draws, in order: the number of the first, and the shape; None for nothing.

    Examples
    --------
    >>> source = PrivateSource()
    >>> rng = GuardedGenerator(np.random.PCG64(0), source)
    >>> noise = rng.laplace(0.0, 2.0)
    >>> noise, isinstance(rng, np.random.Generator)
    (Private(shape=(), data=none, hidden), True)
    >>> float(noise) == np.random.default_rng(0).laplace(0.0, 2.0) == noise
    True
    """

    def __init__(self, bits: Any, source: PrivateSource, record: Callable[[int, int], object] | None = None) -> None:
        super().__init__(bits)
        self._source, self._record, self._plain, self._own_flips = source, record, False, True
        source.draws.sample = partial(standard, rng=np.random.Generator(bits))

    def flip_with(self, coins: np.random.Generator) -> None:
        """Take draws that become coins from another Generator."""
        self._source.draws.sample, self._own_flips = partial(standard, rng=coins), False

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Return loc plus draws of Laplace noise."""
        return self._drawn("laplace", super().laplace, loc, scale, size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Return loc plus draws of normal noise."""
        return self._drawn("normal", super().normal, loc, scale, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Return loc plus draws of Gumbel noise."""
        return self._drawn("gumbel", super().gumbel, loc, scale, size)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return draws of normal noise."""
        if out is not None or np.dtype(dtype) != np.float64:
            return super().standard_normal(size, dtype, out)
        return self._drawn("normal", super().normal, 0.0, 1.0, size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Return draws of exponential noise."""
        draw = super().exponential
        return self._drawn("exponential", lambda _, scale, size: draw(scale, size), 0.0, scale, size)

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: Any = "zig", out: Any = None
    ) -> Any:
        """Return draws of exponential noise."""
        if out is not None or np.dtype(dtype) != np.float64 or method != "zig":
            return super().standard_exponential(size, dtype, method, out)
        return self.exponential(1.0, size)

    def geometric(self, p: Any, size: Any = None) -> Any:
        """Return geometric draws, whose differences are two-sided geometric noise."""
        draw = super().geometric
        chance = np.asarray(p, np.float64)
        if self._is_plain or not ((chance > 0.0) & (chance < 1.0)).all():
            return draw(chance, size)
        with np.errstate(divide="ignore"):
            scale = -1.0 / np.log1p(-chance)
        return self._drawn("geometric", lambda _, scale, size: draw(-np.expm1(-1.0 / scale), size), 0.0, scale, size)

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return uniform draws from [0, 1), which are coins where they are compared with public numbers."""
        draw = super().random
        if out is not None or np.dtype(dtype) != np.float64 or self._is_plain or math.prod(shape_of(size)) > MOST_COINS:
            return draw(size, dtype, out)
        return self._drawn("uniform", lambda _, __, size: draw(size), 0.0, 1.0, size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Return uniform draws from [low, high), in the same way."""
        return between(self.random, super().uniform, low, high, size, plain=self._is_plain)

    def choice(self, *arguments: Any, **options: Any) -> Any:
        """Return public choices; numpy makes them of `random`."""
        return np.random.Generator(_BITS.__get__(self)).choice(*arguments, **options)

    def multivariate_normal(self, *arguments: Any, **options: Any) -> Any:
        """Return public numbers; numpy makes them of `standard_normal`."""
        return np.random.Generator(_BITS.__get__(self)).multivariate_normal(*arguments, **options)

    def spawn(self, n_children: int) -> Any:
        """Return ordinary Generators, whose draws are public numbers."""
        return [np.random.Generator(bits) for bits in _BITS.__get__(self).spawn(n_children)]

    @property
    def bit_generator(self) -> Any:
        """The bit generator; from then on all draws are public numbers."""
        self._become_plain()
        return _BITS.__get__(self)

    def _become_plain(self) -> None:
        """Make all further draws public numbers, none of which is one of those that are unread so far."""
        if not self._plain and self._own_flips:
            ahead = np.random.Generator(copy.deepcopy(_BITS.__get__(self))).integers(2**63, size=4).tolist()
            self._source.draws.sample = partial(standard, rng=np.random.default_rng(ahead))
        self._plain = True

    @property
    def _is_plain(self) -> bool:
        """Whether draws are public numbers; also in `select`, where what is drawn may depend on the context."""
        return self._plain or self._source.reading

    def __deepcopy__(self, memo: dict[int, Any]) -> np.random.Generator:
        copied, plain = deep_copied(self, memo, self._plain)
        if plain:
            self._become_plain()
        return copied

    def __copy__(self) -> np.random.Generator:
        return np.random.Generator(self.bit_generator)

    def __reduce__(self) -> Any:
        return np.random.Generator(self.bit_generator).__reduce__()

    def __getstate__(self) -> Any:
        return self.bit_generator.state

    def __setstate__(self, state: Any) -> None:
        self.bit_generator.state = state

    def __repr__(self) -> str:
        return f"Generator({type(_BITS.__get__(self)).__name__})"

    __str__ = __repr__

    def _drawn(self, law: str, draw: Callable[[Any, Any, Any], Any], loc: Any, scale: Any, size: Any) -> Any:
        """Return loc + scale times new draws, in numpy's shapes."""
        scales = np.asarray(scale, np.float64)  # reads a noised scale
        if self._is_plain or not ((scales > 0.0) & (scales < math.inf)).all():
            return draw(np.asarray(loc, np.float64), scales, size)
        place = Private.of(loc)
        if place is None:
            place = Private.public(np.asarray(loc, np.float64))
        shape = np.broadcast_shapes(scales.shape, place.shape)
        if size is not None:
            asked = shape_of(size)
            if np.broadcast_shapes(asked, shape) != asked:
                raise ValueError(f"Output size {asked} is not compatible with broadcast dimensions of inputs {shape}.")
            shape = asked
        every = np.broadcast_to(scales, shape).ravel().tolist()
        if not every:
            return np.zeros(shape)
        first = self._source.draws.add(law, every)
        if self._record is not None:
            self._record(first, len(every))
        terms = Terms.of(np.arange(len(every)), np.arange(first, first + len(every)), np.ones(len(every)))
        noise = Private.make(self._source, np.zeros(shape), terms)
        return noise if place.is_public and not place._const.any() else place + noise


def shape_of(size: Any) -> tuple[int, ...]:
    """Return the shape that numpy's `size` means: nothing, a length, or a sequence of lengths.

    >>> shape_of(None), shape_of(3), shape_of([2, np.int64(3)])
    ((), (3,), (2, 3))
    """
    if size is None:
        return ()
    return tuple(map(operator.index, size)) if np.ndim(size) else (operator.index(size),)


def between(random: Any, draw: Any, low: Any, high: Any, size: Any, *, plain: bool) -> Any:
    """Return uniform draws from [low, high) made of those from [0, 1), as numpy makes them."""
    lows, highs = np.asarray(low, np.float64), np.asarray(high, np.float64)  # reads noised ends
    shape = np.broadcast_shapes(lows.shape, highs.shape) if size is None else shape_of(size)
    widths = highs - lows
    if plain or not (np.isfinite(widths) & (widths > 0.0)).all() or np.broadcast_shapes(shape, widths.shape) != shape:
        return draw(lows, highs, size)
    found = random(shape if shape or size is not None else None)
    return found if not lows.any() and (widths == 1.0).all() else lows + widths * found


def _taking_ordinary(name: str) -> Callable[..., Any]:
    """Return the method with this name, which reads the private numbers that it is given."""
    plain = getattr(np.random.Generator, name)

    @wraps(plain)
    def method(self: GuardedGenerator, *arguments: Any, **options: Any) -> Any:
        given = (_ordinary(value) for value in arguments)
        return plain(self, *given, **{option: _ordinary(value) for option, value in options.items()})

    return method


def _ordinary(value: Any) -> Any:
    return np.asarray(value, np.float64) if isinstance(value, Private) else value


for _name in ("beta", "binomial", "chisquare", "dirichlet", "f", "gamma", "hypergeometric", "integers", "logistic",
              "lognormal", "logseries", "multinomial", "negative_binomial", "noncentral_chisquare", "noncentral_f",
              "pareto", "poisson", "power", "rayleigh", "standard_cauchy", "standard_gamma", "standard_t",
              "triangular", "vonmises", "wald", "weibull", "zipf"):  # fmt: skip
    setattr(GuardedGenerator, _name, _taking_ordinary(_name))


def bits_of(rng: np.random.Generator) -> Any:
    """Return the bit generator of any Generator; its draws of noise stay what they are."""
    return _BITS.__get__(rng)


def deep_copied(rng: np.random.Generator, memo: dict[int, Any], plain: bool) -> tuple[np.random.Generator, bool]:
    """Return an ordinary copy of a Generator, and whether its numbers can have been drawn twice after that."""
    return np.random.Generator(copy.deepcopy(_BITS.__get__(rng), memo)), plain or not _COPYING.get()


@contextmanager
def copying() -> Iterator[None]:
    """Mark the block in which the guard itself copies a policy, which draws no numbers twice."""
    token = _COPYING.set(True)
    try:
        yield
    finally:
        _COPYING.reset(token)
