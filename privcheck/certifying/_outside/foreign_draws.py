"""What code decides by that is neither data nor the Generator that it is given: random numbers, clocks, addresses."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import BuiltinFunctionType, FrameType
from typing import Any

import numpy as np

from privcheck.certifying._primitives.recorded_calls import LIBRARIES, caller, is_by_privcheck
from privcheck.certifying._primitives.watched_draws import watching
from privcheck.certifying._translated.profile_functions import set_profile
from privcheck.errors import PrivcheckError
from privcheck.reached_state import own_modules

NOT_FOUND = "something that was not found: equal streams differ, too"

CLOCKS = frozenset({"time", "datetime"})
"""Modules whose compiled functions tell the time; their frames are passed over, as those of libraries are."""


def foreign_draws(play: Callable[[], object]) -> list[str]:
    """Return by what a run may differ from an equal one, in words, with files and lines where they are known.

    Random numbers are named if the run draws some, generators of the target's modules if it moves them; failing these,
    calls that read a clock or the address of an object.

    Parameters
    ----------
    play : plays the run.

    Examples
    --------
    >>> foreign_draws(lambda: None)
    ['something that was not found: equal streams differ, too']
    """
    before = dict(_generators())
    with watching() as drawn:
        _played(play)
    moved = [name for name, state in _generators() if state != before.get(name, state)]
    if drawn or moved:
        return [*drawn, *(f"{name}, a generator of a module" for name in moved)]
    return _read(play) or [NOT_FOUND]


def _played(play: Callable[[], object]) -> None:
    with suppress(PrivcheckError):
        play()


def _generators() -> Iterator[tuple[str, str]]:
    """Yield the names and the states of the generators and sources of seeds that modules of the target hold."""
    for module in map(sys.modules.__getitem__, sorted(own_modules())):
        for name, held in list(vars(module).items()):
            if (state := _state(held)) is not None:
                yield f"{Path(str(module.__file__)).stem}.{name}", repr(state)


def _state(held: Any) -> Any:
    if isinstance(held, np.random.Generator):
        return held.bit_generator.state
    if isinstance(held, np.random.RandomState):
        return held.get_state(legacy=False)
    if isinstance(held, np.random.SeedSequence):
        return held.n_children_spawned
    if isinstance(held, random.Random) and not isinstance(held, random.SystemRandom):
        return held.getstate()
    return None


def _read(play: Callable[[], object]) -> list[str]:
    """Return which calls of a run read a clock or the address of an object."""
    found: dict[str, None] = {}
    previous = sys.getprofile()

    def called(frame: FrameType, event: str, function: Any) -> None:
        if event == "c_call" and (name := _name(function)) and not is_by_privcheck(frame):
            found[f"{name} at {caller((*LIBRARIES, *CLOCKS))}"] = None

    set_profile(called)
    try:
        _played(play)
    finally:
        set_profile(previous)
    return list(found)


def _name(function: Any) -> str:
    """Return the name of a compiled function that reads a clock or an address; "" for others.

    >>> import time
    >>> _name(time.time), _name(id), _name(len)
    ('time.time', 'id', '')
    """
    if function is id:
        return "id"
    if isinstance(function, BuiltinFunctionType):
        owner = function.__self__
        module = getattr(owner, "__module__", None) or getattr(owner, "__name__", "")
        if module == "time" and function.__name__ not in ("sleep", "strftime", "strptime", "mktime", "asctime"):
            return f"time.{function.__name__}"
        if module == "datetime" and function.__name__ in ("now", "utcnow", "today"):
            return f"{getattr(owner, '__name__', 'datetime')}.{function.__name__}"
    return ""
