"""Generators taken apart for a snapshot: with their bits, which several may share, and how many they have spawned."""

from __future__ import annotations

from typing import Any

import numpy as np

from privcheck.generators._handled_generator import HandledGenerator, bits_of


def generator_apart(value: Any) -> Any:
    """Return a function and arguments that make a Generator again, or its bits; NotImplemented for anything else.

    >>> rng = np.random.default_rng(0)
    >>> make, (bits,) = generator_apart(rng)
    >>> make(bits).bit_generator is rng.bit_generator
    True
    """
    if isinstance(value, HandledGenerator):
        return type(value), (value._handler,)
    if type(value) is np.random.Generator:
        return np.random.Generator, (bits_of(value),)
    if isinstance(value, np.random.BitGenerator):
        return _bits, (type(value), value.seed_seq, value.state)
    if type(value) is np.random.SeedSequence:
        return _seed, (value.entropy, value.spawn_key, value.pool_size, value.n_children_spawned)
    return NotImplemented


def _bits(kind: Any, seeds: Any, state: Any) -> Any:
    found = kind(seeds)
    found.state = state
    return found


def _seed(entropy: Any, key: Any, size: int, spawned: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(entropy, spawn_key=key, pool_size=size, n_children_spawned=spawned)
