"""The noisy steps of a target on a pair of neighbours: the innermost calls that draw and whose arguments move."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from privcheck.auditing._steps.compared_values import Uncopied, copied, differences
from privcheck.auditing._steps.drawing_functions import place_of_function
from privcheck.auditing._steps.forced_calls import Forcing, Moved, Recording, played_on
from privcheck.targets import Runner, StreamPair

MOST_OF_A_FUNCTION = 2
"""Calls of one function on one pair that are played alone: the first ones, for an iteration makes hundreds."""


@dataclass(frozen=True, eq=False)
class RecordedInput:
    """What a call was given, with the function: calling it again with other coins plays the call alone.

    Parameters
    ----------
    function : is called.
    arguments : by name; they are copied for each call.
    generators : those among the arguments whose place the coins of a call take.
    changed : the arguments, or attributes of them, that the call changed: its output if it returns nothing else.
    """

    function: FunctionType
    arguments: dict[str, Any]
    generators: tuple[Any, ...]
    changed: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"the arguments of {self.function.__qualname__}"

    def __deepcopy__(self, memo: dict[int, Any]) -> RecordedInput:
        """Return itself: each call copies its arguments."""
        return self

    def called(self, rng: np.random.Generator) -> Any:
        """Return what the function returns with these coins."""
        fresh = [rng, *rng.spawn(len(self.generators) - 1)] if self.generators else []
        given = copied(self.arguments, self.generators, fresh)
        bound = inspect.signature(self.function).bind_partial()
        bound.arguments.update(given)
        returned = self.function(*bound.args, **bound.kwargs)
        if returned is None or any(returned is value for value in given.values()):
            return [value_at(given, name) for name in self.changed]
        return returned


def value_at(arguments: dict[str, Any], name: str) -> Any:
    """Return an argument, or an attribute of one.

    >>> value_at({"z": 1 + 2j}, "z"), value_at({"z": 1 + 2j}, "z.imag")
    ((1+2j), 2.0)
    """
    first, *rest = name.split(".")
    value = arguments.get(first)
    for attribute in rest:
        value = getattr(value, attribute, None)
    return value


def played_alone(data: RecordedInput, rng: np.random.Generator) -> Any:
    """Return the output of a recorded call with other coins: the mechanism that is audited."""
    return data.called(rng)


@dataclass
class Look:
    """What is known of a pair after its two runs.

    Parameters
    ----------
    pair : the neighbours.
    recording : of the run on the first.
    steps : the innermost calls that draw and whose arguments move although all earlier draws are forced, each with the
        names of these arguments, and its inputs if it can be played alone.
    after_others : the same after draws that could not be forced: their arguments may move with what was released.
    still : whether draws were made of which no call has an argument that moves.
    strayed : whether the runs call different functions.
    full : whether the first run makes more calls than are recorded.
    restless : numbers of functions with an argument that differs between two runs on the first of the pair.
    """

    pair: StreamPair
    recording: Recording
    steps: list[tuple[Moved, tuple[RecordedInput, RecordedInput] | None]] = field(default_factory=list)
    after_others: list[Moved] = field(default_factory=list)
    still: bool = False
    strayed: bool = False
    full: bool = False
    restless: frozenset[int] = frozenset()


def look(runner: Runner, functions: Sequence[FunctionType], pair: StreamPair, seed: np.random.SeedSequence) -> Look:
    """Return the steps on a pair, by a run on each of the neighbours with equal coins; functions are `hooked`.

    What moves when the first of the two is played once more, a time or a counter, is not moved by the data.
    """
    recording = Recording()
    played_on(recording, runner, pair.first, seed)
    forcing, again = Forcing(recording), Forcing(recording)
    if recording.full:
        return Look(pair, recording, full=True)
    played_on(forcing, runner, pair.second, seed)
    if forcing.moved:
        played_on(again, runner, pair.first, seed)
        forcing.moved = {place: moved for place, moved in forcing.moved.items() if place not in again.moved}
    restless = frozenset(recording.calls[place].function for place in again.moved)
    found = Look(pair, recording, restless=restless, strayed=forcing.strayed or not forcing.is_finished)
    of_function: dict[int, int] = {}
    for place in dict.fromkeys(_innermost(going_on, forcing) for going_on in recording.draws):
        if place is None:
            found.still = True
            continue
        moved, call = forcing.moved[place], recording.calls[place]
        late = forcing.unforced is not None and recording.calls[forcing.unforced].end <= place
        if late or not recording.forced_before(place):
            found.after_others.append(moved)
        elif of_function.setdefault(call.function, 0) < MOST_OF_A_FUNCTION:
            of_function[call.function] += 1
            found.steps.append((moved, _inputs(functions[call.function], recording, forcing, moved)))
    return found


def _innermost(going_on: tuple[int, ...], forcing: Forcing) -> int | None:
    """Return the innermost call that was going on during a draw and whose arguments move."""
    return next((place for place in reversed(going_on) if place in forcing.moved), None)


def _inputs(
    function: FunctionType, recording: Recording, forcing: Forcing, moved: Moved
) -> tuple[RecordedInput, RecordedInput] | None:
    """Return the two recorded inputs of a call; None if an argument could not be copied, or there is no output."""
    was = recording.calls[moved.place]
    if any(isinstance(value, Uncopied) for value in (*was.arguments.values(), *moved.arguments.values())):
        return None
    places = (differences(was.arguments[name], value, name) for name, value in was.changed.items())
    changed = tuple(place for found in places for place in found)
    if not changed and was.output is None and was.raised is None:
        return None  # nobody sees what it has made
    one = RecordedInput(function, was.arguments, tuple(recording.generators), changed)
    two = RecordedInput(function, moved.arguments, tuple(forcing.generators), changed)
    return one, two


def name_of(function: FunctionType) -> str:
    """Return the name of a function and where it is defined.

    >>> name_of(name_of).startswith("name_of at isolated_calls.py:")
    True
    """
    return f"{function.__qualname__} at {place_of_function(function)}"
