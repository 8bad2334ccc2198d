"""The draws of a run, from whatever generator, and its coins; and the coins of a call that is played alone.

A generator that is made without a seed takes one from the coins of the run, so that it can be replayed. While a call is
played alone, generators that it makes or seeds have coins of that play, whatever seed the code gives: with one that the
call was given, all plays would draw the same noise.
"""

from __future__ import annotations

import random
import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

from privcheck.auditing._steps.kinds_of_generators import SYSTEM, kind_of
from privcheck.certifying import ONE_AT_A_TIME
from privcheck.errors import PrivcheckError, words
from privcheck.generators import PCG64

UNSEEDED, OF_MODULES = 0x5EED, 0x30D5
"""Parts of keys by which generators without a seed, and those that modules hold, have coins of their own."""

SCIPY: Any = find_spec("scipy")

BETWEEN = (random.__file__, secrets.__file__, str(Path(SCIPY.submodule_search_locations[0], "stats")))
"""Where code of libraries is between a draw and the function that draws, as numpy's own is: it samples from laws."""

OF_NAMES = ("uuid", "tempfile", "numpy.random._pickle", "copy")
"""Modules that draw to name or to copy something: these draws are no noise."""


@dataclass
class Played:
    """A run that is being played.

    Parameters
    ----------
    seed : of it.
    noticed : is called with the kind of a generator and its method, before it draws.
    generators : of the run, in the order in which they are met.
    """

    seed: np.random.SeedSequence
    noticed: Callable[[str], None]
    generators: list[Any]
    thread: int = field(default_factory=threading.get_ident)
    _changes: dict[int, int] = field(default_factory=dict)
    _states: dict[int, tuple[int, Any]] = field(default_factory=dict)

    def meets(self, generator: Any) -> None:
        """Take note of a generator."""
        if not any(one is generator for one in self.generators):
            self.generators.append(generator)

    def changes(self, generator: Any) -> None:
        """Take note that the state of a generator changes."""
        self._changes[id(generator)] = self._changes.get(id(generator), 0) + 1

    def states(self) -> list[Any]:
        """Return the states of all generators: None where there is none."""
        return [self._state(one) for one in self.generators]

    def _state(self, generator: Any) -> Any:
        kind = kind_of(generator)
        if kind.state is None or kind.is_short:
            return kind.state and kind.state(generator)
        number, state = self._states.get(id(generator), (-1, None))
        if number != self._changes.get(id(generator), 0):
            state = kind.state(generator)
            self._states[id(generator)] = self._changes.get(id(generator), 0), state
        return state

    def put(self, states: list[Any]) -> None:
        """Bring generators to states."""
        for generator, state in zip(self.generators, states, strict=False):
            kind = kind_of(generator)
            if kind.put is None or (not kind.is_short and self._is_at(generator, state)):
                continue
            kind.put(generator, state)
            self.changes(generator)
            self._states[id(generator)] = self._changes[id(generator)], state

    def _is_at(self, generator: Any, state: Any) -> bool:
        return self._states.get(id(generator), (-1, None)) == (self._changes.get(id(generator), 0), state)

    def seeds(self) -> list[int]:
        """Return a seed for a generator that is made without one."""
        return self._coins(UNSEEDED, len(self.generators))

    def seed_held(self) -> None:
        """Give the generators that modules hold coins of this run."""
        for number, generator in enumerate(HELD):
            kind_of(generator).seed(generator, self._coins(OF_MODULES, number))

    def _coins(self, *key: int) -> list[int]:
        own = np.random.SeedSequence(self.seed.entropy, spawn_key=(*self.seed.spawn_key, *key))
        found: list[int] = own.generate_state(4).tolist()
        return found


@dataclass
class Alone:
    """A call that is being played alone, with its coins."""

    rng: np.random.Generator
    _seeds: list[int] | None = None

    def seeds(self) -> list[int]:
        """Return numbers that are others in another play."""
        if self._seeds is None:
            self._seeds = self.rng.spawn(1)[0].integers(2**32, size=4).tolist()
        return self._seeds


_PLAYED: list[Played] = []
"""The run that is being played, if any: the threads that it starts draw for it, too."""

HELD: list[Any] = []
"""What stands in the place of generators that modules hold."""

USED: set[int] = set()
"""The ids of those that were drawn from, and of others."""

_ALONE: ContextVar[Alone | None] = ContextVar("alone", default=None)
"""The call that this thread plays alone."""


@contextmanager
def in_run(played: Played) -> Iterator[None]:
    """Notice the draws of a run inside the block."""
    played.seed_held()
    _PLAYED.append(played)
    try:
        yield
    finally:
        _PLAYED.pop()


def begin_alone(rng: np.random.Generator) -> Token[Alone | None]:
    """Give the generators that a call makes or seeds coins of this play, until `end_alone`: a play takes few us."""
    play = Alone(rng)
    for number, generator in enumerate(HELD) if USED else ():
        if id(generator) in USED:
            kind_of(generator).seed(generator, [*play.seeds(), number])
    return _ALONE.set(play)


def end_alone(token: Token[Alone | None]) -> None:
    """Take note that the play has ended."""
    _ALONE.reset(token)


def states() -> list[Any]:
    """Return the states of the generators of the run that is played."""
    return _PLAYED[-1].states()


def put_states(found: list[Any]) -> None:
    """Bring the generators of the run that is played to states."""
    _PLAYED[-1].put(found)


def run_here() -> Played | None:
    """Return the run that this thread plays, if any."""
    return _PLAYED[-1] if _PLAYED and _PLAYED[-1].thread == threading.get_ident() else None


def announce(name: str, generator: Any = None) -> None:
    """Take note of a draw by a method before it is made: of the system's generator, if of none that is given."""
    if not _PLAYED or _names_something():
        return
    played = _PLAYED[-1]
    if generator is not None:
        USED.add(id(generator))
        played.meets(generator)
        played.changes(generator)
    played.noticed(f"{(SYSTEM if generator is None else kind_of(generator)).name}: {name}")


def announce_of_generator(name: str, held: Any = None) -> None:
    """Take note of a draw of one of numpy's Generators that the run has made, or of one that a module holds."""
    USED.add(id(held))
    if _PLAYED:
        _PLAYED[-1].noticed(name)


def is_between(code: CodeType) -> bool:
    """Tell whether code samples from a law for the function that draws."""
    return code.co_filename.startswith(BETWEEN)


def _names_something() -> bool:
    """Tell whether numbers are drawn to name or to copy something."""
    frame: FrameType | None = sys._getframe(3)
    while frame is not None and is_between(frame.f_code):
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__") in OF_NAMES


def is_made(generator: Any, *, is_global: bool = False) -> None:
    """Take note of a generator that the run makes, or whose state it sets; global ones are met when they draw."""
    if _PLAYED:
        _PLAYED[-1].changes(generator)
        if not is_global:
            _PLAYED[-1].meets(generator)


def unseeded() -> list[int] | None:
    """Return a seed for a generator that is made without one; None outside of runs and of plays of a call."""
    play, run = _ALONE.get(), run_here()
    return play.seeds() if play is not None else run.seeds() if run is not None else None


def of_play(words: Callable[[], list[int]]) -> list[int] | None:
    """Return a seed made of numbers of a generator and of the coins of a play; None if no call is played alone."""
    play = _ALONE.get()
    return None if play is None else [*words(), *play.seeds()]


def bits_of_play(bits: Any) -> Any:
    """Return bits with coins of the play of a call, if one is played alone and they are not those of the play."""
    if _ALONE.get() is None or isinstance(bits, PCG64):
        return bits
    return np.random.PCG64(of_play(lambda: bits.random_raw(4).tolist()))


_LOOKING: ContextVar[bool] = ContextVar("looking", default=False)
"""Whether this thread replaces functions."""


@contextmanager
def one_look_at_a_time(what: str) -> Iterator[None]:
    """Let no other part of the process replace functions inside the block.

    Raises
    ------
    PrivcheckError : another part of the process replaces functions at the same time.
    """
    if _LOOKING.get():
        yield
        return
    if not ONE_AT_A_TIME.acquire(blocking=False):
        raise PrivcheckError("target", words(f"a second look at {what}"), "one at a time", "they are replaced")
    token = _LOOKING.set(True)
    try:
        yield
    finally:
        _LOOKING.reset(token)
        ONE_AT_A_TIME.release()
