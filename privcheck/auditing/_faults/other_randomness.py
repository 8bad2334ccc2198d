"""Random numbers that a run takes from elsewhere than its Generator.

Noise of the global generators of numpy and Python can be drawn from the Generator of the run in its place, so that it
is examined like noise of the policy's own. All their other draws are coins. Random numbers of other sources are
noticed, where that is possible, and never followed.
"""

from __future__ import annotations

import inspect
import os
import random
import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privcheck.certifying import ONE_AT_A_TIME, Kept, Patches, patched
from privcheck.generators import NOISE as GENERATOR_NOISE
from privcheck.generators import generator_states, global_generators_kept, seed_both
from privcheck.private_values import own_line

SYSTEM = "the operating system"
OPENDP = "OpenDP"
UNKNOWN = "a source that is not known (runs with equal seeds differ)"

NOISE = (*sorted(GENERATOR_NOISE), "randn")
"""Global functions of numpy that draw noise; all but the last have the arguments of a Generator's method."""

_WATCHING = threading.Lock()


@dataclass
class Taken:
    """What runs took from elsewhere than their Generator.

    Parameters
    ----------
    others : the sources that cannot be followed, by name.
    system : whether a run asked the operating system for random bytes; numpy does so even for a seed that is given.
    coins : draws of the global generators that are not followed, in the last run.
    noise : draws of noise of global functions, in the last run, since a generator was seeded.
    seeds : the lines that seed a global generator, each with what it was given in all runs.
    starts : the coins that runs started with.
    touched : whether a run drew from a global generator at all.
    follows : whether noise of global functions is drawn from the Generator of the run.
    generator : of the run that is played.
    """

    others: dict[str, None] = field(default_factory=dict)
    system: bool = False
    coins: bool = False
    noise: int = 0
    seeds: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    starts: set[int] = field(default_factory=set)
    touched: bool = False
    follows: bool = False
    generator: Any = None

    @property
    def must_follow(self) -> bool:
        """Whether runs have to be played again with the noise of global functions followed."""
        return self.touched and not self.follows

    def differs(self) -> None:
        """Take note that equal runs differ."""
        self.others[SYSTEM if self.system else UNKNOWN] = None

    @contextmanager
    def from_elsewhere(self, generator: Any, coins: int) -> Iterator[None]:
        """Play one run, whose global generators start with these coins."""
        own = threading.current_thread() is threading.main_thread()
        if own:
            seed_both(coins)
        self.starts.add(coins)
        before, self.noise, self.generator = generator_states(), 0, generator
        token = RUNNING.set(self)
        try:
            yield
        finally:
            RUNNING.reset(token)
            self.generator = None
            self.coins = before != generator_states()
            self.touched = self.touched or self.coins or self.noise > 0
            if self.coins and not own:
                self.others["a global generator, in another thread than the main one"] = None

    def fixed_seed(self) -> tuple[str, int] | None:
        """Return the line that seeds a global generator with the same number in every run, if noise followed."""
        same = [place for place, given in self.seeds.items() if len(given) == 1]
        return same[0] if same and self.noise and len(self.starts) > 1 else None


RUNNING: ContextVar[Taken | None] = ContextVar("taken", default=None)
"""What the run of this thread takes."""


@contextmanager
def watched() -> Iterator[None]:
    """Notice, inside the block, random numbers that runs take from the operating system and from OpenDP."""
    system: Any = random
    kept = system._urandom, os.urandom

    def urandom(size: int) -> bytes:
        running = RUNNING.get()
        if running is not None and not _is_copying():
            running.system = True
        return kept[1](size)

    with _WATCHING, global_generators_kept(), patched() as patches:
        invoke = getattr(sys.modules.get("opendp.core"), "measurement_invoke", None)
        if inspect.isfunction(invoke):
            patches.function(invoke, _noticed)
        system._urandom = os.urandom = urandom
        try:
            yield
        finally:
            system._urandom, os.urandom = kept


def _is_copying() -> bool:
    """Tell whether a Generator is being copied: numpy makes another one, and then gives it the state of the first."""
    frame: Any = sys._getframe(2)
    while frame.f_code.co_filename in (random.__file__, secrets.__file__):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__")) in ("numpy.random._pickle", "copy")


def _noticed(original: Any) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        running = RUNNING.get()
        if running is not None:
            running.others[OPENDP] = None
        return original(*arguments, **options)

    return call


@contextmanager
def followed() -> Iterator[bool]:
    """Draw the noise of global functions from the Generator of the run inside the block; False if they are taken."""
    if not ONE_AT_A_TIME.acquire(blocking=False):
        yield False
        return
    try:
        with patched() as patches:
            noise = [(getattr(np.random, name), _FromGenerator(getattr(np.random, name), name)) for name in NOISE]
            patches.objects([*noise, *((held, _Seeding(held)) for held in (np.random.seed, random.seed))])
            _of_python(patches)
            yield True
    finally:
        ONE_AT_A_TIME.release()


class _FromGenerator(Kept):
    """What stands in the place of a function of `numpy.random`."""

    __slots__ = ("name",)

    def __init__(self, function: Any, name: str) -> None:
        super().__init__(function)
        self.name = name

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        running = RUNNING.get()
        if running is None or running.generator is None:
            return self.function(*arguments, **options)
        running.noise += 1
        if self.name == "randn":
            return running.generator.standard_normal(arguments or None)
        return getattr(running.generator, self.name)(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)


class _Seeding(Kept):
    """What stands in the place of a function that seeds a global generator."""

    __slots__ = ()

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        running = RUNNING.get()
        given = [*arguments, *options.values()]
        if running is not None and given and given[0] is not None:
            running.seeds.setdefault(own_line(), set()).add(repr(given))
            running.noise = 0
        return self.function(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)


def _of_python(patches: Patches) -> None:
    """Follow the noise of the functions of `random`; generators that the code makes keep theirs."""

    def normal(generator: Any, mu: float = 0.0, sigma: float = 1.0) -> Any:
        return generator.normal(mu, sigma)

    def exponential(generator: Any, lambd: float = 1.0) -> Any:
        return generator.exponential(1.0 / lambd)

    owner: Any = random
    draws: dict[str, Callable[..., Any]] = {"gauss": normal, "normalvariate": normal, "expovariate": exponential}
    for name, draw in draws.items():
        patches.function(getattr(random.Random, name), _hook(draw, owner._inst))


def _hook(draw: Callable[..., Any], owner: random.Random) -> Callable[[Any], Callable[..., Any]]:
    def hook(original: Any) -> Callable[..., Any]:
        def call(self: random.Random, *arguments: Any, **options: Any) -> Any:
            running = RUNNING.get()
            if self is not owner or running is None or running.generator is None:
                return original(self, *arguments, **options)
            running.noise += 1
            return draw(running.generator, *arguments, **options)

        return call

    return hook
