"""The noisy steps of a target on a pair of neighbours: the innermost calls that draw and whose arguments move."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import FunctionType
from typing import Any

import numpy as np

from privcheck.auditing._steps.compared_values import GLOBAL, Uncopied, copied
from privcheck.auditing._steps.drawing_functions import place_of_function
from privcheck.auditing._steps.forced_calls import (
    OUTPUT_ITSELF,
    Chain,
    Forcing,
    Moved,
    Recording,
    boxed,
    played_on,
    signature_of,
)
from privcheck.auditing._steps.kinds_of_generators import kind_of
from privcheck.auditing._steps.reached_values import OUTPUT, Change, Entry, Place, Reached, covers, reached, varying
from privcheck.auditing._steps.seen_generators import begin_alone, end_alone
from privcheck.generators import seed_both
from privcheck.targets import Outputs, Runner, StreamPair, limited

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
    varying : the places that are its output, for arrays in arguments with a mask of the entries that vary with its
        coins; what it returns if there are none. The rest of what it changes may be private.
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
        """Return the output of the call with these coins."""
        given, returned, generators = self._played(rng)
        if not self.varying:
            return returned
        entries = reached({**given, OUTPUT: boxed(returned)}, generators).entries
        return [_shown(entries.get(place), mask) for place, mask in self.varying]

    def _played(self, rng: np.random.Generator) -> tuple[dict[str, Any], Any, list[Any]]:
        token = begin_alone(rng)
        try:
            fresh = self._fresh(rng)
            given = copied(self.arguments, self.generators, fresh)
            bound = (self.signature or signature_of(self.function)).bind_partial()
            bound.arguments.update(given)
            return given, self.function(*bound.args, **bound.kwargs), fresh
        finally:
            end_alone(token)

    def _fresh(self, rng: np.random.Generator) -> list[Any]:
        """Return what takes the place of each generator; None for one that the arguments do not hold."""
        held = self.held
        if not held:
            return [None] * len(self.generators)
        last = max(held)
        sources = [rng, *rng.spawn(last)] if last else [rng]
        found: list[Any] = [None] * len(self.generators)
        for number in held:
            old = self.generators[number]
            found[number] = kind_of(old).fresh(sources[number], old)
        return found

    @cached_property
    def held(self) -> frozenset[int]:
        """The numbers of the generators that the arguments hold, apart from global ones."""
        entries = reached(self.arguments, self.generators).entries.values()
        numbers = {entry.value - len(GLOBAL) for entry in entries if entry.kind == "generator"}
        return frozenset(number for number in numbers if number >= 0)

    def after(self, coins: int) -> Reached:
        """Return what is reached from the arguments and the output of the call with these coins."""
        seed_both(AGAIN + coins)
        given, returned, generators = self._played(np.random.Generator(np.random.PCG64([AGAIN, coins])))
        return reached({**given, OUTPUT: boxed(returned)}, generators)

    def what_varies(self) -> dict[Place, Any]:
        """Return the places that differ between calls with different coins; none of one that raises an error."""
        seen = []
        try:
            with limited(of_a_run=CALL_LIMIT) as clock:
                for number in range(PLAYED_AGAIN):
                    clock.next_run()
                    seen.append(self.after(number))
        except Exception:  # what is private is not told from what is not, so nothing counts as an output
            return {}
        return varying(seen)

    def unlike(self, other: RecordedInput) -> set[Place]:
        """Return the places that differ from those of the call with another input, and the same coins."""
        try:
            with limited(of_a_run=2.0 * CALL_LIMIT):
                return self.after(0).places_unlike(other.after(0))
        except Exception:
            return set()


CALL_LIMIT = 1.0
"""Seconds that a call may take: a rejection sampler on inputs of its neighbour may hang."""

AGAIN = 0xA6A1
"""Makes the coins of the plays that show what varies, which share none with those that count."""

PLAYED_AGAIN = 4
"""Plays of a call with other coins, which show what varies."""


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
    seed : of its coins.
    """

    pair: StreamPair
    recording: Recording
    seed: np.random.SeedSequence
    steps: list[tuple[Moved, tuple[RecordedInput, RecordedInput] | None]] = field(default_factory=list)
    after_others: list[Moved] = field(default_factory=list)
    strayed: bool = False
    full: bool = False
    restless: frozenset[int] = frozenset()
    runs: int = 1


def look(
    runner: Runner,
    functions: Sequence[FunctionType],
    pair: StreamPair,
    seed: np.random.SeedSequence,
    hidden: Collection[tuple[int, Chain]] = (),
) -> Look:
    """Return the steps on a pair, by a run on each of the neighbours with equal coins; functions are `hooked`.

    What moves when the first of the two is played once more with other coins, and all outputs of functions that draw
    are forced, moves with coins that were not forced: those of other generators, or handed on through globals. If it
    moves with the same coins, too, it is a time or a counter, and not moved by the data. Calls of `hidden` functions in
    the functions that come with them are no steps; a call around them may be.
    """
    recording = Recording()
    shown = shown_numbers(played_on(recording, runner, pair.first, seed))
    found = Look(pair, recording, seed, full=recording.full)
    if recording.full:
        return found
    forcing, again, other = Forcing(recording), Forcing(recording), Forcing(recording, same_coins=False)
    played_on(forcing, runner, pair.second, seed)
    found.strayed = forcing.strayed or not forcing.is_finished
    found.runs = 2
    if forcing.moved:
        played_on(other, runner, pair.first, other_coins(seed, 0))
        found.runs += 1
    with_coins = {place for place in forcing.moved if not stays(other, place)}
    if with_coins:
        played_on(again, runner, pair.first, seed)
        found.runs += 1
        forcing.moved = {place: moved for place, moved in forcing.moved.items() if place not in again.moved}
        found.restless = frozenset(recording.calls[place].function for place in again.moved)
    _leave_out_private_places(functions, forcing)
    of_function: dict[int, int] = {}
    for place in dict.fromkeys(_innermost(going_on, forcing, hidden) for going_on in recording.draws):
        if place is None:
            continue
        moved, call = forcing.moved[place], recording.calls[place]
        if place in with_coins or forcing.is_late(place) or not recording.forced_before(place):
            found.after_others.append(moved)
        elif of_function.setdefault(call.function, 0) < MOST_OF_A_FUNCTION:
            of_function[call.function] += 1
            found.steps.append((moved, _inputs(functions[call.function], recording, forcing, moved, shown)))
    return found


def stays(forcing: Forcing, place: int) -> bool:
    """Tell whether a call was made with its recorded arguments, and every draw before it was forced."""
    return place in forcing.compared and place not in forcing.moved and not forcing.is_late(place)


def other_coins(seed: np.random.SeedSequence, number: int) -> np.random.SeedSequence:
    """Return the seed of other coins, by a number.

    >>> seed = np.random.SeedSequence(1, spawn_key=(2,))
    >>> other_coins(seed, 0).spawn_key == other_coins(seed, 1).spawn_key
    False
    """
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, AGAIN, number))


def shown_numbers(outputs: Outputs) -> frozenset[float]:
    """Return the numbers with a fraction that a run shows: what is equal to one of them is released.

    >>> sorted(shown_numbers(Outputs.of_numbers(np.array([[1.0, 0.25, np.nan]]))))
    [0.25]
    """
    numbers = outputs.numbers[0] if len(outputs) else np.zeros(0)
    return frozenset(numbers[np.isfinite(numbers) & (numbers != np.floor(numbers))].tolist())


def _innermost(going_on: tuple[int, ...], forcing: Forcing, hidden: Collection[tuple[int, Chain]]) -> int | None:
    """Return the innermost call that was going on during a draw, is not hidden, and whose arguments move."""
    calls = forcing.recording.calls
    chain = tuple(calls[place].function for place in going_on)
    open_calls = [
        place for depth, place in enumerate(going_on) if not hidden or (chain[depth], chain[:depth]) not in hidden
    ]
    return next((place for place in reversed(open_calls) if place in forcing.moved), None)


def _inputs(
    function: FunctionType, recording: Recording, forcing: Forcing, moved: Moved, shown: frozenset[float]
) -> tuple[RecordedInput, RecordedInput] | None:
    """Return the two recorded inputs of a call; None if it cannot be made again, or there is no output."""
    was = recording.calls[moved.place]
    if was.change is None or was.before.has_other_coins or moved.before.has_other_coins:
        return None
    if any(isinstance(value, Uncopied) for value in (*was.arguments.values(), *moved.arguments.values())):
        return None
    one = RecordedInput(function, was.arguments, tuple(recording.generators), was.signature)
    two = RecordedInput(function, moved.arguments, tuple(forcing.generators), was.signature)
    kept = (one, was.before), (two, moved.before)
    if any(how in SHARED for place in was.change.places for how, _ in place) or not all(map(_is_as_given, kept)):
        return None
    places = _outputs(one, two, was.change, shown)
    if places is None or not all(map(_is_as_given, kept)):
        return None  # nobody sees what it has made
    return replace(one, varying=places), replace(two, varying=places)


def _outputs(
    one: RecordedInput, two: RecordedInput, change: Change, shown: frozenset[float]
) -> tuple[tuple[Place, Any], ...] | None:
    """Return the places that are the output of a call: none for what it returns, None if it is not known which.

    What varies with its coins need not be released: a class that keeps the noise, or the loss of its minimiser, is as
    private without. What the target itself shows is; otherwise what the call returns, or the one place that varies.
    """
    after = change.after.entries
    of_return = [place for place in after if place[0] == ("argument", OUTPUT) and len(place) > 1]
    value = after[OUTPUT_ITSELF] if len(of_return) == len(boxed(None)) else None
    is_plain = value is not None and value.kind in LEAVES and (value.kind == "array" or value.value is not None)
    if is_plain and change.before.is_known and all(place[0] == ("argument", OUTPUT) for place in change.places):
        return ()
    varies = one.what_varies()
    there = {place: mask for place, mask in varies.items() if place in after and after[place].kind in LEAVES}
    released = {place: mask for place, mask in there.items() if _is_shown(after[place], mask, shown)}
    returned = {place: None for place in there if place in of_return}
    if not released and not returned and any(after[place].kind == "unknown" for place in of_return):
        return ()
    if not there and is_plain and value is not None and not isinstance(value.value, float | np.inexact | np.ndarray):
        return ()  # a symbol that varies seldom, as an answer of a sparse vector
    chosen = _each_once(released, after, one.unlike(two)) or returned or (there if len(there) == 1 else {})
    return tuple(chosen.items()) or None


def _each_once(released: dict[Place, Any], after: dict[Place, Entry], unlike: set[Place]) -> dict[Place, Any]:
    """Return places of which no two hold the same: a noise is equal to a noisy 0, and that is what the target shows."""
    found: dict[Place, Any] = {}
    for place in sorted(released, key=lambda place: place not in unlike):
        if not any(after[place].equals(after[other]) for other in found):
            found[place] = released[place]
    return found


LEAVES = ("atom", "array")
"""Kinds of values without parts."""


def _is_shown(entry: Entry, mask: Any, shown: frozenset[float]) -> bool:
    values = np.ravel(_shown(entry, mask))
    return values.dtype.kind == "f" and bool(values.size) and shown.issuperset(values.tolist())


SHARED = ("cell", "defaults")
"""Steps to what functions capture, of which no copies can be made."""


def _is_as_given(kept: tuple[RecordedInput, Reached]) -> bool:
    """Tell whether a copy reaches still what was reached when it was made."""
    given, before = kept
    return reached(given.arguments, given.generators).equals(before)


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
