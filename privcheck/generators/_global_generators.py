"""The global generators of numpy and of Python: seeded for targets that draw from them, watched, and put back."""

# ruff: noqa: NPY002  numpy's global generator is what this module is about

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from privcheck.errors import PolicyError, words
from privcheck.scheduling import workers_here


def seed_both(number: int) -> None:
    """Seed both."""
    random.seed(number)
    np.random.seed(number % 2**32)


def kept_states() -> tuple[Any, Any]:
    """Return the states of both, for `put_back`."""
    return random.getstate(), np.random.get_state()


def put_back(states: tuple[Any, Any]) -> None:
    """Put both into states that they had."""
    random.setstate(states[0])
    np.random.set_state(states[1])


def generator_states() -> dict[str, Any]:
    """Return what can be compared of the states, by the name of the set of primitives that records their noise."""
    state: Any = np.random.get_state(legacy=False)
    of_numpy = state["state"]["key"].tobytes(), state["state"]["pos"], state["gauss"]
    return {"numpy": of_numpy, "random": random.getstate()}


@contextmanager
def global_generators_seeded(seed: np.random.SeedSequence) -> Iterator[None]:
    """Seed both for the block, in a way that depends on `seed` only; the block leaves them where its draws end.

    Threads share them, so they are not seeded in one thread of several that play, nor in one that the user started, and
    may not be drawn from there.

    Raises
    ------
    PolicyError : they were drawn from meanwhile, in such a thread or in another one.

    Examples
    --------
    >>> drawn = []
    >>> with global_generators_kept():
    ...     for _ in range(2):
    ...         with global_generators_seeded(np.random.SeedSequence(1)):
    ...             drawn.append((random.random(), np.random.random()))
    >>> drawn[0] == drawn[1]
    True
    """
    if workers_here() == 1:
        key = repr((seed.entropy, seed.spawn_key)).encode()
        seed_both(int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big"))
        yield
        return
    draws = GlobalDraws()
    with draws.noticed():
        yield
    if draws.names:
        raise _drawn(draws.names)


def _drawn(names: list[str]) -> PolicyError:
    """Return why a run is refused in which these generators were drawn from."""
    if workers_here() > 1:
        got = words("a target that draws from a global generator, with several workers")
        return PolicyError("jobs", got, "jobs=1", "or draw from the Generator that it is given")
    drawn = GlobalDraws.in_code(names)
    got = words(f"draws from {drawn} in a run outside of the main thread, by the target or by another thread")
    expected = "draws from the Generator that the target is given"
    hint = "or play it in the main thread of a process of its own, where they are seeded"
    return PolicyError("target", got, expected, hint)


@contextmanager
def global_generators_kept() -> Iterator[None]:
    """Put both back into the state that they have now."""
    states = kept_states()
    try:
        yield
    finally:
        put_back(states)


@contextmanager
def global_generators_apart(states: dict[str, tuple[Any, Any]]) -> Iterator[None]:
    """Let code inside the block draw from global generators of its own, so that it takes no coins of the run.

    Parameters
    ----------
    states : where they stand, between one such block and the next; empty before the first.
    """
    with global_generators_kept():
        put_back(states.get("own") or (random.Random(1).getstate(), np.random.RandomState(1).get_state()))
        try:
            yield
        finally:
            states["own"] = kept_states()


class GlobalDraws:
    """The global generators that were drawn from: the guard knows no law of their noise, so it counts none.

    Examples
    --------
    >>> draws = GlobalDraws()
    >>> with draws.noticed():
    ...     _ = random.random()
    >>> draws.names
    ['random']
    """

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    @property
    def names(self) -> list[str]:
        """The names in alphabetical order."""
        return sorted(self._found)

    @staticmethod
    def in_code(names: Iterable[str]) -> str:
        """Return what code calls the generators with these names.

        >>> GlobalDraws.in_code(["numpy", "random"])
        'np.random and random'
        """
        return " and ".join({"numpy": "np.random"}.get(name, name) for name in names)

    @contextmanager
    def noticed(self) -> Iterator[None]:
        """Take note of what is drawn from inside the block."""
        before = generator_states()
        try:
            yield
        finally:
            self._found |= {name: None for name, state in generator_states().items() if state != before[name]}
