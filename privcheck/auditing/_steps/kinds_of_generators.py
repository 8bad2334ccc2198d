"""The kinds of generators whose draws are seen, and what can be done with the coins of each: one line for each kind."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from privcheck.certifying import Kept
from privcheck.generators import bits_of


@dataclass(frozen=True)
class Kind:
    """A kind of generators.

    Parameters
    ----------
    name : in words.
    types : of its generators.
    state : returns where the coins of one stand; None if they cannot be replayed.
    put : brings one to such a state.
    seed : gives one coins that numbers determine.
    fresh : returns one with the coins of a numpy Generator, in the place of another.
    is_short : whether a state takes no more time than to find out whether it has changed.
    """

    name: str
    types: tuple[type, ...]
    state: Callable[[Any], Any] | None
    put: Callable[[Any, Any], None] | None
    seed: Callable[[Any, list[int]], None]
    fresh: Callable[[np.random.Generator, Any], Any]
    is_short: bool = False


NUMPY_STATE: Kept = Kept(np.random.RandomState)
"""Numpy's own class, also while another one stands in its place."""


def _put_bits(rng: np.random.Generator, state: Any) -> None:
    bits_of(rng).state = state


def _seed_bits(rng: np.random.Generator, seeds: list[int]) -> None:
    bits_of(rng).state = np.random.PCG64(seeds).state


def _seed_state(state: Any, seeds: list[int]) -> None:
    NUMPY_STATE.function.seed(state, seeds)


def _fresh_state(rng: np.random.Generator, old: Any) -> Any:
    kind: Any = type(old)
    made = kind.__new__(kind)
    NUMPY_STATE.function.__init__(made, np.random.MT19937(_seeds(rng)))
    return made


def _fresh_random(rng: np.random.Generator, old: Any) -> Any:
    kind: Any = type(old)
    made = kind.__new__(kind)
    made.__dict__.update(old.__dict__)
    made.seed(int.from_bytes(_seeds(rng).tobytes(), "little"))
    return made


def _seeds(rng: np.random.Generator) -> Any:
    return rng.integers(2**32, size=4, dtype=np.uint32)


SYSTEM = Kind("the system's generator", (random.SystemRandom,), None, None, lambda *_: None, lambda _, old: old)

KINDS = (
    Kind(
        "numpy.random.Generator",
        (np.random.Generator,),
        lambda rng: bits_of(rng).state,
        _put_bits,
        _seed_bits,
        lambda rng, _: rng,
        is_short=True,
    ),
    Kind(
        "numpy.random.RandomState",
        (np.random.RandomState,),
        lambda one: one.get_state(legacy=False),
        lambda one, state: one.set_state(state),
        _seed_state,
        _fresh_state,
    ),
    SYSTEM,
    Kind(
        "random.Random",
        (random.Random,),
        lambda one: one.getstate(),
        lambda one, state: one.setstate(state),
        lambda one, seeds: one.seed(repr(seeds)),
        _fresh_random,
    ),
)
"""The kinds, those that are derived from others before them."""

GENERATORS = tuple(kind for each in KINDS for kind in each.types)
"""Sources of coins: they do not differ, whatever their states are."""


def kind_of(generator: Any) -> Kind:
    """Return the kind of a generator.

    >>> kind_of(np.random.default_rng(1)).name, kind_of(random.SystemRandom()).name
    ('numpy.random.Generator', "the system's generator")
    """
    return next(kind for kind in KINDS if isinstance(generator, kind.types))
