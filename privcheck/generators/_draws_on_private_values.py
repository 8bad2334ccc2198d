"""The draws of a guarded policy: noise stays unread until the policy reads it."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from privcheck.generators._handled_generator import Call, Draw, Handler, shape_of
from privcheck.generators._methods import Coin, Noise
from privcheck.generators._run_generator import PCG64
from privcheck.generators._spawned_generator import SpawnedGenerator
from privcheck.private_values import Private, PrivateArray, PrivateSource, Terms, standard

LAWS = frozenset({"laplace", "normal", "exponential", "gumbel", "geometric", "uniform"})
"""The laws whose draws the guard can leave unread."""


class GuardedDraws(Handler):
    """Draws from laws of noise are private values that hold no data: see `noised.publish`.

    These are `LAWS`; of a uniform draw a comparison is a coin or an answer (see `coins.compared`), in arrays of up to
    4096 numbers. All other draws are ordinary public numbers, and so are these once the policy has looked at the bit
    generator or copied the Generator, by which it could draw the same numbers twice.

    Parameters
    ----------
    bits : the bit generator that the coins come from.
    source : the private data of the run.
    record : called with each array of new draws, in order: the number of the first, and the shape; None for nothing.

    Attributes
    ----------
    noise_of_children : the lines that drew noise from Generators that were spawned; it is public, and not counted.

    Examples
    --------
    >>> from privcheck.generators._handled_generator import HandledGenerator
    >>> source = PrivateSource()
    >>> rng = HandledGenerator(GuardedDraws(np.random.PCG64(0), source))
    >>> noise = rng.laplace(0.0, 2.0)
    >>> noise, isinstance(rng, np.random.Generator)
    (Private(shape=(), data=none, hidden), True)
    >>> float(noise) == np.random.default_rng(0).laplace(0.0, 2.0) == noise
    True
    """

    laws = LAWS

    def __init__(self, bits: Any, source: PrivateSource, record: Callable[[int, int], object] | None = None) -> None:
        super().__init__(bits)
        self._source, self._record, self._plain, self._own_flips = source, record, False, True
        source.draws.sample = partial(standard, rng=self.ordinary)
        self.noise_of_children: dict[str, None] = {}

    def flip_with(self, coins: np.random.Generator) -> None:
        """Take draws that become coins from another Generator."""
        self._source.draws.sample, self._own_flips = partial(standard, rng=coins), False

    @property
    def plain(self) -> bool:
        """Whether draws are public numbers; also in `select`, where what is drawn may depend on the context."""
        return self._plain or self._source.reading

    @property
    def is_exposed(self) -> bool:
        """Whether the policy has looked at the bit generator or copied the Generator."""
        return self._plain

    def exposed(self) -> None:
        """Make all further draws public numbers, none of which is one of those that are unread so far."""
        if not self._plain and self._own_flips:
            ahead = np.random.Generator(copy.deepcopy(self.bits)).integers(2**63, size=4).tolist()
            self._source.draws.sample = partial(standard, rng=np.random.default_rng(ahead))
        self._plain = True

    def child(self, bits: Any) -> np.random.Generator:
        """Return an ordinary Generator, whose draws are public numbers, and which notices when its state is read."""
        if type(bits) is not np.random.PCG64:
            return np.random.Generator(bits)
        seeds: Any = bits.seed_seq
        own = PCG64(seeds)
        own.noise = self.noise_of_children
        return SpawnedGenerator(own)

    def coin(self, call: Call) -> Any:
        """Return public numbers, also where numpy makes them of draws of noise; parameters of laws are read."""
        if isinstance(call.method, Coin) and not call.method.of_a_law:
            return self._shuffled(*call.given, **call.options) if _shuffles(call) else call.by(self.ordinary)
        options = {name: as_read(value) for name, value in call.options.items()}
        return call.draw(self.ordinary, *map(as_read, call.given), **options)

    def _shuffled(self, array: Any, axis: int = 0) -> None:
        """Shuffle a private array in place; numpy would swap its rows one by one, which are views of it."""
        order = np.arange(array.shape[axis])
        self.ordinary.shuffle(order)
        array[...] = np.take(array, order, axis=axis)

    def noise(self, method: Noise, draw: Draw, loc: Any, scale: Any, size: Any) -> Any:
        """Return loc + scale times new draws, in numpy's shapes."""
        scales = np.asarray(scale, np.float64)  # reads a noised scale
        if self.plain or not ((scales > 0.0) & (scales < math.inf)).all():
            return draw(self.ordinary, np.asarray(loc, np.float64), scales, size)
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
        first = self._source.draws.add(method.law, every)
        if self._record is not None:
            self._record(first, len(every))
        terms = Terms.of(np.arange(len(every)), np.arange(first, first + len(every)), np.ones(len(every)))
        noise = Private.make(self._source, np.zeros(shape), terms)
        return noise if place.is_public and not place._const.any() else place + noise


def _shuffles(call: Call) -> bool:
    """Tell whether a private array is shuffled."""
    return call.method.name == "shuffle" and bool(call.given) and type(call.given[0]) is PrivateArray


def as_read(value: Any) -> Any:
    """Return a parameter of a law as a public number, which reads a private one."""
    return np.asarray(value, np.float64) if isinstance(value, Private) else value
