"""The noisy steps of a target on a pair of neighbours: the innermost calls that draw and whose arguments move."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

import numpy as np

from privcheck.auditing._steps.compared_values import Uncopied, copied
from privcheck.auditing._steps.drawing_functions import place_of_function
from privcheck.auditing._steps.forced_calls import (
    OUTPUT_ITSELF,
    Forcing,
    Moved,
    Recording,
    boxed,
    played_on,
    signature_of,
)
from privcheck.auditing._steps.reached_values import OUTPUT, Entry, Place, Reached, covers, reached, varying
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
    signature : of the function; None to ask for it, which tells nothing while calls are recorded.
    varying : the places that the call changes and that vary with its coins, for arrays with a mask of the entries that
        do: its output if it returns nothing else. The rest of what it changes may be private.
    """

    function: FunctionType
    arguments: dict[str, Any]
    generators: tuple[Any, ...]
    signature: inspect.Signature | None = None
    varying: tuple[tuple[Place, Any], ...] = ()

    def __repr__(self) -> str:
        return f"the arguments of {self.function.__qualname__}"

    def __deepcopy__(self, memo: dict[int, Any]) -> RecordedInput:
        """Return itself: each call copies its arguments."""
        return self

    def called(self, rng: np.random.Generator) -> Any:
        """Return what the function returns with these coins."""
        given, returned, _ = self._played(rng)
        if not _is_given(returned, given):
            return returned
        entries = reached(given, ()).entries
        return [_shown(entries.get(place), mask) for place, mask in self.varying]

    def _played(self, rng: np.random.Generator) -> tuple[dict[str, Any], Any, list[Any]]:
        fresh = [rng, *rng.spawn(len(self.generators) - 1)] if self.generators else []
        given = copied(self.arguments, self.generators, fresh)
        bound = (self.signature or signature_of(self.function)).bind_partial()
        bound.arguments.update(given)
        return given, self.function(*bound.args, **bound.kwargs), fresh

    def what_varies(self) -> dict[Place, Any]:
        """Return the places that differ between calls with different coins; none of one that raises an error."""
        seen = []
        for number in range(PLAYED_AGAIN):
            try:
                given, returned, generators = self._played(np.random.default_rng([AGAIN, number]))
            except Exception:  # what is private is not told from what is not, so nothing counts as an output
                return {}
            seen.append(reached({**given, OUTPUT: boxed(returned)}, generators))
        return varying(seen)


AGAIN = 0xA6A1
"""Makes the coins of the plays that show what varies, which share none with those that count."""

PLAYED_AGAIN = 4
"""Plays of a call with other coins, which show what varies."""


def _is_given(returned: Any, given: dict[str, Any]) -> bool:
    return returned is None or any(returned is value for value in given.values())


def _shown(entry: Entry | None, mask: Any) -> Any:
    """Return what varies at a place: a value, or some entries of an array."""
    if entry is None or entry.kind not in ("atom", "array"):
        return None
    of_some = mask is not None and entry.kind == "array" and mask.shape == entry.value.shape
    return entry.value[mask] if of_some else entry.value


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
    strayed : whether the runs call different functions.
    full : whether the first run makes more calls than are recorded.
    restless : numbers of functions with an argument that differs between two runs on the first of the pair.
    runs : of the whole target.
    """

    pair: StreamPair
    recording: Recording
    steps: list[tuple[Moved, tuple[RecordedInput, RecordedInput] | None]] = field(default_factory=list)
    after_others: list[Moved] = field(default_factory=list)
    strayed: bool = False
    full: bool = False
    restless: frozenset[int] = frozenset()
    runs: int = 1


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
    _leave_out_private_places(functions, forcing)
    restless = frozenset(recording.calls[place].function for place in again.moved)
    found = Look(
        pair,
        recording,
        restless=restless,
        runs=3 if again.generators else 2,
        strayed=forcing.strayed or not forcing.is_finished,
    )
    of_function: dict[int, int] = {}
    for place in dict.fromkeys(_innermost(going_on, forcing) for going_on in recording.draws):
        if place is None:
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
    if was.change is None:
        return None
    if any(isinstance(value, Uncopied) for value in (*was.arguments.values(), *moved.arguments.values())):
        return None
    one = RecordedInput(function, was.arguments, tuple(recording.generators), was.signature)
    two = RecordedInput(function, moved.arguments, tuple(forcing.generators), was.signature)
    kept = (one, was.before), (two, moved.before)
    if any(how in SHARED for place in was.change.places for how, _ in place) or not all(map(_is_as_given, kept)):
        return None
    if not _returns_nothing_else(was.change.after):
        return one, two
    places = one.what_varies()
    shown = tuple((at, mask) for at, mask in places.items() if was.change.after.entries[at].kind in ("atom", "array"))
    if not shown or not all(map(_is_as_given, kept)):
        return None  # nobody sees what it has made
    return replace(one, varying=shown), replace(two, varying=shown)


SHARED = ("cell", "defaults")
"""Steps to what functions capture, of which no copies can be made."""


def _is_as_given(kept: tuple[RecordedInput, Reached]) -> bool:
    """Tell whether a copy reaches still what was reached when it was made."""
    given, before = kept
    return reached(given.arguments, given.generators).equals(before)


def _returns_nothing_else(after: Reached) -> bool:
    """Tell whether a call returns nothing, or an argument."""
    entry = after.entries[OUTPUT_ITSELF]
    is_tuple = after.entries[(*OUTPUT_ITSELF[:-1], ("entry", 0))].value
    is_argument = entry.kind == "same" and len(entry.value) == 1
    return not is_tuple and (is_argument or (entry.kind == "atom" and entry.value is None))


def _leave_out_private_places(functions: Sequence[FunctionType], forcing: Forcing) -> None:
    """Count calls as unforced that were made to leave what does not vary with their coins: it is of the other's data.

    The data of two runs together, such as a total of one and rows of the other, are met in no run.
    """
    calls = forcing.recording.calls
    for place, forced in forcing.forced.items():
        if forcing.unforced is not None and calls[forcing.unforced].end <= calls[place].end:
            return
        was = calls[place]
        given = RecordedInput(
            functions[was.function], was.arguments, tuple(forcing.recording.generators), was.signature
        )
        if not covers(given.what_varies(), forced):
            forcing.unforced = place
            return


def name_of(function: FunctionType) -> str:
    """Return the name of a function and where it is defined.

    >>> name_of(name_of).startswith("name_of at isolated_calls.py:")
    True
    """
    return f"{function.__qualname__} at {place_of_function(function)}"
