"""The functions of a target that draw random numbers: those on the stack when its Generator is asked for some."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np

from privcheck.auditing._steps.kinds_of_generators import SYSTEM
from privcheck.auditing._steps.seen_generators import Played, in_run, is_between
from privcheck.auditing._steps.stand_ins import more_is_seen
from privcheck.certifying import Patches
from privcheck.generators import made_by, noticed_generator
from privcheck.reached_state import referrers
from privcheck.targets import Outputs, Runner, all_raised

OURS = str(Path(__file__).parents[2]) + os.sep
MECHANISMS = str(Path(OURS, "mechanisms")) + os.sep

IMPORTING = "<frozen importlib"
"""How the file of Python's own code that imports modules begins."""

NO_PLAIN_CALL = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Kinds of code whose call does not run it."""


@dataclass(frozen=True)
class Drawing:
    """What draws in one run.

    Parameters
    ----------
    functions : that can be recorded, the outermost first: all but the target itself.
    places : file and line of each draw, and the name of the function there, each once.
    draws : the number of calls of methods that draw.
    own : names of functions in which the target itself draws.
    runs, raised : how many were played, and how many of them raised an exception.
    methods : names of the methods that were called, of numpy's Generator alone, of others with the kind.
    """

    functions: tuple[FunctionType, ...]
    places: tuple[tuple[str, str], ...]
    draws: int
    own: frozenset[str] = frozenset()
    runs: int = 0
    raised: int = 0
    methods: frozenset[str] = frozenset()

    @property
    def of_system(self) -> bool:
        """Whether coins are drawn that cannot be replayed."""
        return any(name.startswith(SYSTEM.name) for name in self.methods)


@dataclass
class _Noticed:
    codes: dict[CodeType, int] = field(default_factory=dict)
    places: dict[tuple[str, str], None] = field(default_factory=dict)
    draws: int = 0
    own: set[str] = field(default_factory=set)
    methods: set[str] = field(default_factory=set)

    def draw(self, name: str) -> None:
        """Take note of who draws; not of what is drawn while a module is imported, which happens in one run only."""
        stack = callers(sys._getframe(1))
        if any(frame.f_code.co_filename.startswith(IMPORTING) for frame in stack):
            return
        self.draws += 1
        self.methods.add(name)
        if stack:
            self.places[place_of(stack[0]), stack[0].f_code.co_qualname] = None
        if len(stack) == 1:
            self.own.add(stack[0].f_code.co_qualname)
        for depth, frame in enumerate(reversed(stack[:-1]), start=1):  # the last one is the target itself
            self.codes.setdefault(frame.f_code, depth)


def callers(frame: FrameType | None) -> list[FrameType]:
    """Return the frames of a target's own code and its libraries, the innermost first.

    Those of privcheck are left out, apart from mechanisms that the target uses, and so are those of `random`,
    `secrets` and `scipy.stats`, and whatever plays the target.
    """
    found: list[FrameType] = []
    while frame is not None:
        if is_ours(frame.f_code):
            if found:
                return found
        elif not is_between(frame.f_code):
            found.append(frame)
        frame = frame.f_back
    return found


def is_ours(code: CodeType) -> bool:
    """Tell whether code is part of privcheck and of no mechanism."""
    return code.co_filename.startswith(OURS) and not code.co_filename.startswith(MECHANISMS)


def place_of(frame: FrameType) -> str:
    """Return file:line."""
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


def place_of_function(function: FunctionType) -> str:
    """Return file:line of the definition of a function.

    >>> place_of_function(place_of).startswith("drawing_functions.py:")
    True
    """
    return f"{Path(function.__code__.co_filename).name}:{function.__code__.co_firstlineno}"


def drawing(runner: Runner, tables: list[Any], seed: int) -> Drawing:
    """Return what draws in a run on each of some inputs.

    Parameters
    ----------
    runner : plays the target in this thread.
    tables : inputs.
    seed : of the runs.
    """
    seen, raised = _Noticed(), 0
    for number, table in enumerate(tables):
        met = list[Any]()
        output = noticed_run(runner, table, np.random.SeedSequence(seed, spawn_key=(number,)), seen.draw, met)
        raised += all_raised(output)
        if more_is_seen(met):
            return drawing(runner, tables, seed)
    codes = {code: depth for code, depth in seen.codes.items() if not code.co_flags & NO_PLAIN_CALL}
    found = [
        function for function in referrers(codes) if isinstance(function, FunctionType) and function.__code__ in codes
    ]
    of_code: dict[CodeType, list[FunctionType]] = {}
    for function in found:
        of_code.setdefault(function.__code__, []).append(function)
    originals = [
        [each for each in functions if each not in Patches.copies] or functions for functions in of_code.values()
    ]
    alone = [functions[0] for functions in originals if len(functions) == 1]
    alone.sort(key=lambda function: codes[function.__code__])
    own, methods = frozenset(seen.own), frozenset(seen.methods)
    return Drawing(tuple(alone), tuple(seen.places), seen.draws, own, len(tables), raised, methods)


def noticed_run(
    runner: Runner,
    table: Any,
    seed: np.random.SeedSequence,
    noticed: Callable[[str], None],
    generators: list[Any] | None = None,
) -> Outputs:
    """Play one run, with the draws of an ordinary one, notice each of them, and return the output.

    Parameters
    ----------
    runner : plays the target in this thread.
    table : the input.
    seed : of the run.
    noticed : is called before each draw.
    generators : takes those that the run meets.
    """
    played = Played(seed, noticed, [] if generators is None else generators)
    with in_run(played), made_by(lambda bits: noticed_generator(bits, noticed, played.meets)):
        return runner.play(table, 1, seed)
