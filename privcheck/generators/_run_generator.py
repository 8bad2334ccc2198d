"""The Generators that targets are given, which notice when their state or their seed is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from privcheck.generators._handled_generator import bits_of, is_copying
from privcheck.generators._spawned_generator import SpawnedGenerator

_STATE: Any = np.random.PCG64.state
_SEEDS: Any = np.random.PCG64.seed_seq


class PCG64(np.random.PCG64):
    """Numpy's PCG64 under its own name, with the same stream; `copied` tells whether its state or seed was read.

    Reading either is the only way to random numbers that leaves no trace in the Generator: a jump, a deep copy, a
    pickle, another generator from the same seed sequence. Drawing numbers and spawning generators do leave a trace. So
    does a step back, by which the same numbers are drawn again: it counts as read, too. Copies that the guard makes of
    a policy do not.

    >>> rng = np.random.Generator(PCG64(np.random.SeedSequence(1)))
    >>> rng.random() == np.random.default_rng(1).random(), rng.bit_generator.copied
    (True, False)
    >>> jumped = rng.bit_generator.jumped()
    >>> rng.bit_generator.copied
    True
    """

    copied = False
    parent: PCG64 | None = None
    """What it was spawned from; None if that is not known."""

    noise: dict[str, None] | None = None
    """The lines that drew noise from Generators with these bits, or with bits spawned from them, if that is noted."""

    def spawn(self, n_children: int) -> Any:
        """Return bit generators with independent streams."""
        found: Any = super().spawn(n_children)
        for child in found:
            child.parent, child.noise = self, self.noise
        return found

    @property
    def state(self) -> Any:
        """The state, as a dict."""
        self._notice()
        return _STATE.__get__(self)

    @state.setter
    def state(self, value: Any) -> None:
        self._notice()
        _STATE.__set__(self, value)

    @property
    def seed_seq(self) -> Any:
        """The seed sequence."""
        self._notice()
        return _SEEDS.__get__(self)

    _seed_seq = seed_seq

    def advance(self, delta: int) -> Any:
        """Move by a number of draws, which may be negative."""
        self._notice()
        return super().advance(delta)

    def _notice(self) -> None:
        self.copied = self.copied or not is_copying()


_MADE: ContextVar[list[np.random.Generator] | None] = ContextVar("made", default=None)
_MAKE: ContextVar[Callable[[PCG64], np.random.Generator] | None] = ContextVar("make", default=None)


def generator(seed: np.random.SeedSequence) -> np.random.Generator:
    """Return the Generator with the stream of `np.random.Generator(np.random.PCG64(seed))`."""
    make = _MAKE.get()
    rng = np.random.Generator(PCG64(seed)) if make is None else make(PCG64(seed))
    made = _MADE.get()
    if made is not None:
        made.append(rng)
    return rng


def is_copied(rng: np.random.Generator) -> bool:
    """Return whether the state or the seed of a Generator, or of one that it was spawned from, has been read.

    A copy spawns what the original spawns.

    >>> rng = generator(np.random.SeedSequence(1))
    >>> child = rng.spawn(1)[0]
    >>> state = rng.bit_generator.state
    >>> is_copied(child)
    True
    """
    bits: Any = rng.bit_generator
    while isinstance(bits, PCG64) and not bits.copied:
        bits = bits.parent
    return getattr(bits, "copied", False)


def spawned_from(rng: np.random.Generator, bits: Any) -> bool:
    """Return whether a Generator is numpy's, with bits of this class that were spawned from these, or from such bits.

    >>> rng = generator(np.random.SeedSequence(1))
    >>> child = children(rng, 1)[0]
    >>> spawned_from(child.spawn(1)[0], rng.bit_generator), spawned_from(rng, rng.bit_generator)
    (True, False)
    """
    own = bits_of(rng)
    if type(rng) not in (np.random.Generator, SpawnedGenerator) or type(own) is not PCG64:
        return False
    one, other = _SEEDS.__get__(own), bits.seed_seq if type(bits) is not PCG64 else _SEEDS.__get__(bits)
    if type(one) is not np.random.SeedSequence or type(other) is not np.random.SeedSequence:
        return False
    start = other.spawn_key
    further = len(one.spawn_key) > len(start) and one.spawn_key[: len(start)] == start
    return further and np.array_equal(np.asarray(one.entropy), np.asarray(other.entropy))


def position(rng: np.random.Generator) -> tuple[int, int, int, int]:
    """Return what changes when numbers are drawn or generators are spawned.

    >>> rng = generator(np.random.SeedSequence(1))
    >>> start = position(rng)
    >>> position(rng) == start, rng.random() < 1.0 and position(rng) == start
    (True, False)
    """
    state = _STATE.__get__(rng.bit_generator)
    return (
        state["state"]["state"],
        state["has_uint32"],
        state["uinteger"],
        _SEEDS.__get__(rng.bit_generator).n_children_spawned,
    )


def children(rng: np.random.Generator, number: int) -> list[np.random.Generator]:
    """Return the Generators that `rng.spawn(number)` would return, which notice the same."""
    return [np.random.Generator(PCG64(seed)) for seed in _SEEDS.__get__(rng.bit_generator).spawn(number)]


def own_generator(rng: np.random.Generator) -> np.random.Generator:
    """Return the Generator for the next run in a row: `rng` itself, or a child of it if an earlier run copied `rng`.

    A copy leaves `rng` where it was. If it were passed on, the copies of all runs would yield the same numbers.
    """
    return children(rng, 1)[0] if is_copied(rng) else rng


@contextmanager
def collected() -> Iterator[list[np.random.Generator]]:
    """Collect the Generators that `generator` makes inside the block."""
    made: list[np.random.Generator] = []
    token = _MADE.set(made)
    try:
        yield made
    finally:
        _MADE.reset(token)


@contextmanager
def made_by(make: Callable[[PCG64], np.random.Generator]) -> Iterator[None]:
    """Let `generator` return what a function makes of the bits inside the block, with the same stream."""
    token = _MAKE.set(make)
    try:
        yield
    finally:
        _MAKE.reset(token)
