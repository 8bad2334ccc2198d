"""The coins of a run: alike in two runs that are compared, or others, also where the code seeds its own generators."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import Any

import numpy as np

from privcheck.certifying._primitives.hooks import RUNNING
from privcheck.certifying._primitives.patching import Kept
from privcheck.certifying._primitives.recorded_calls import LIBRARIES, caller, is_by_privcheck
from privcheck.certifying._primitives.watched_draws import ELSEWHERE
from privcheck.generators import generator_states, global_generators_kept, seed_both

AGAIN: ContextVar[int] = ContextVar("again", default=0)
"""The number of other coins that a run draws: 0 for those of the recorded run."""

SEEDED: ContextVar[dict[str, set[str]] | None] = ContextVar("seeded", default=None)
"""The seeds that the code gives in this run, by the place where; None while they are not noted."""

SAME_SEEDS = (
    "{} gives the same seeds in every run: if noise is drawn from these, whoever knows the code knows the noise"
)


@contextmanager
def other_coins(number: int) -> Iterator[None]:
    """Let generators that are made inside the block draw other coins, whatever seed the code gives them."""
    token = AGAIN.set(number)
    try:
        yield
    finally:
        AGAIN.reset(token)


def moved(bits: Any) -> Any:
    """Return a bit generator that is as far along as `AGAIN` says: the same one for the coins of the recorded run.

    >>> bits = np.random.PCG64(1)
    >>> moved(bits) is bits
    True
    """
    again = AGAIN.get()
    if not again:
        return bits
    if hasattr(bits, "jumped"):
        return bits.jumped(again)
    bits.random_raw(1000 * again, output=False)
    return bits


def note_seed(name: str, seed: Any) -> None:
    """Take note of the seed that the code gives to a generator, if that is noted."""
    found, run = SEEDED.get(), RUNNING.get()
    if (
        found is not None
        and not (run is not None and run.inside)
        and isinstance(seed, int | str | bytes | list | tuple | np.integer | np.ndarray)
        and not is_by_privcheck(sys._getframe(1))
    ):
        found.setdefault(f"{name} at {caller(LIBRARIES)}", set()).add(repr(seed))


def fixed_seeds(runs: dict[int, dict[str, set[str]]]) -> list[str]:
    """Return a sentence for each place where generators have the same seeds whatever the coins are.

    >>> fixed_seeds({0: {"a": {"1"}, "b": {"2"}}, 1: {"a": {"1"}, "b": {"3"}}})
    ['a gives the same seeds in every run: if noise is drawn from these, whoever knows the code knows the noise']
    """
    first, *others = runs.values() or ({},)
    fixed = [place for place, seeds in first.items() if others and all(run.get(place) == seeds for run in others)]
    return [SAME_SEEDS.format(place) for place in fixed]


def seed_hook(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return the hook of `random.Random.seed`: other coins from the same seed."""

    def call(self: Any, *args: Any, **kwargs: Any) -> None:
        note_seed("random.seed", next(iter([*args, *kwargs.values()]), None))
        original(self, *args, **kwargs)
        if (again := AGAIN.get()) and not isinstance(self, random.SystemRandom):
            original(self, self.getrandbits(64) + again)

    return call


class ReplayedCoins:
    """The global generators, and those that modules hold: every run starts with the same coins.

    Parameters
    ----------
    modules : their generators are coins.
    made : makes the Generator that takes the place of one of theirs, from its bit generator.
    older : makes what takes the place of a RandomState; None leaves it there.
    """

    def __init__(
        self, modules: list[ModuleType], made: Callable[[Any], Any], older: Callable[[Any], Any] | None = None
    ) -> None:
        self.pairs: list[tuple[Any, Any]] = []
        self.states: list[tuple[Any, Any]] = []
        self._older: dict[int, tuple[str, Kept, Any]] = {}
        for module in modules:
            for name, held in list(vars(module).items()):
                if type(held) is np.random.Generator and not any(held is old for old, _ in self.pairs):
                    self.pairs.append((held, made(held.bit_generator)))
                elif type(held) in (np.random.RandomState, random.Random) and not _is_global(held):
                    if older is not None and type(held) is np.random.RandomState and id(held) not in self._older:
                        self.states.append((held, older(held._bit_generator)))
                    self._older.setdefault(id(held), (f"{module.__name__}.{name}", Kept(held), _state(held)))
        self._started = generator_states()
        self._states = [old.bit_generator.state for old, _ in self.pairs]
        self._kept = ExitStack()
        self._kept.enter_context(global_generators_kept())

    def start(self, seed: int) -> None:
        """Put all coins where the run of this seed starts; other coins are as far from there as `AGAIN` says."""
        ELSEWHERE.clear()
        seed_both(seed + 1_000_003 * AGAIN.get())
        self._started = generator_states()
        self._put_back()
        for old, _ in self.pairs:
            old.bit_generator.state = moved(old.bit_generator).state
        for _, held, _ in self._older.values() if AGAIN.get() else ():
            held.function.seed(seed + 1_000_003 * AGAIN.get())

    @property
    def drawn(self) -> list[str]:
        """The generators without stand-ins that were drawn from since the start, and draws in other threads."""
        now = generator_states()
        found = [f"the global generator of {name}" for name, state in self._started.items() if now[name] != state]
        changed = [name for name, held, kept in self._older.values() if repr(_state(held.function)) != repr(kept)]
        return [*found, *(f"{name}, a generator of a module" for name in changed), *ELSEWHERE]

    def restore(self) -> None:
        """Put all generators back where they were."""
        self._kept.close()
        self._put_back()

    def _put_back(self) -> None:
        for (old, _), state in zip(self.pairs, self._states, strict=True):
            old.bit_generator.state = state
        for _, held, kept in self._older.values():
            _set_state(held.function, kept)


def _is_global(held: Any) -> bool:
    return held is np.random.mtrand._rand or held is vars(random)["_inst"]


def _state(held: Any) -> Any:
    return held.getstate() if isinstance(held, random.Random) else held.get_state()


def _set_state(held: Any, state: Any) -> None:
    if isinstance(held, random.Random):
        held.setstate(state)
    else:
        held.set_state(state)
