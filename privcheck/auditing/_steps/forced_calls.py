"""Calls of the functions that draw: recorded in a run, and forced in the run of a neighbour.

A function that has drawn returns on the neighbour what it returned in the recorded run, and leaves its arguments as it
left them there. So an argument of a later call that still differs was moved by the data, and not by what was released
before: y1 = x + noise and then y2 = 10 [y1 > 1/2] + noise is as private as y1, although the input of the second step
moves with x while y1 is not forced.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from privcheck.auditing._steps.changes_put_back import put_back
from privcheck.auditing._steps.compared_values import differences, kept_arguments
from privcheck.auditing._steps.drawing_functions import noticed_run
from privcheck.auditing._steps.reached_values import OUTPUT, Change, Entry, Place, Reached, change_of, reached
from privcheck.auditing._steps.seen_generators import one_look_at_a_time, put_states, states
from privcheck.certifying import Kept, patched
from privcheck.targets import Outputs, Runner

MOST_CALLS = 400
"""Calls that are recorded in a run: each is copied with its arguments."""


Chain = tuple[int, ...]
"""Functions of calls that are going on, by number, the outermost first."""


@dataclass
class RecordedCall:
    """One call of a function that draws.

    Parameters
    ----------
    function : its number.
    arguments : a copy of what it was given, by name, defaults among them.
    begun : draws that had been made before.
    before : what the arguments reach.
    signature : of the function.
    end : the number of the first call after it and those that it made.
    draws : draws made by it and the functions that it calls.
    change : what it changed, with its output; None if it raised an error.
    states : of the generators afterwards.
    """

    function: int
    arguments: dict[str, Any]
    begun: int
    before: Reached
    signature: inspect.Signature
    end: int = 0
    draws: int = 0
    change: Change | None = None
    states: list[Any] = field(default_factory=list)


class _Tape:
    """What is noted of the calls and draws of a run, in the thread that plays it."""

    def __init__(self) -> None:
        self.generators: list[Any] = []
        self.draws: list[tuple[int, ...]] = []
        self.thread = threading.get_ident()
        self._open: list[int] = []

    def drawn(self, name: str) -> None:  # noqa: ARG002
        """Take note of a draw, and of the calls that are going on."""
        self.draws.append(tuple(self._open))

    def called(self, number: int, function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return what a function returns to the target."""
        raise NotImplementedError


class Recording(_Tape):
    """Records the calls of a run.

    Attributes
    ----------
    calls : in the order in which they began.
    draws : for each draw, the numbers of the calls that were going on, the outermost first.
    full : whether there were more calls than are recorded.
    """

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[RecordedCall] = []
        self.full = False

    def drawn(self, name: str) -> None:
        """Take note of a draw, and of the calls that are going on."""
        super().drawn(name)
        for place in self._open:
            self.calls[place].draws += 1

    def called(self, number: int, function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Record a call."""
        if len(self.calls) >= MOST_CALLS:
            self.full = True
            return function(*args, **kwargs)
        given = arguments_of(function, args, kwargs)
        before = reached(given, self.generators)
        copies = kept_arguments(given, self.generators)
        made = RecordedCall(number, copies, len(self.draws), before, signature_of(function))
        self._open.append(len(self.calls))
        self.calls.append(made)
        try:
            output = function(*args, **kwargs)
        finally:
            self._open.pop()
            made.end = len(self.calls)
            made.states = states()
        if made.draws:
            made.change = change_of(before, given, self.generators, boxed(output))
            made.change.after.forget()
        before.forget()
        return output

    def within(self, place: int) -> Chain:
        """Return the functions of the calls that were going on when a call began."""
        return tuple(call.function for call in self.calls[:place] if call.end > place)

    def forced_before(self, place: int, draws: Sequence[tuple[int, ...]] | None = None) -> bool:
        """Tell whether every draw before a call was made by a function that had returned, so that it can be forced.

        The draws are those of this run, or of a run with the same calls.
        """
        before = self.draws[: self.calls[place].begun] if draws is None else draws
        return all(any(self.calls[one].end <= place for one in going_on) for going_on in before)


@dataclass(frozen=True)
class Moved:
    """A recorded call whose arguments differ on the neighbour.

    Parameters
    ----------
    place : the number of the call.
    names : the arguments, or attributes of them, that differ.
    arguments : those on the neighbour.
    before : what they reach.
    """

    place: int
    names: tuple[str, ...]
    arguments: dict[str, Any]
    before: Reached

    def equals(self, other: Moved | None) -> bool:
        """Tell whether two neighbours' calls were given the same."""
        return other is not None and not _names_unlike(self.arguments, self.before, other.arguments, other.before)


def _names_unlike(was: dict[str, Any], before: Reached, now: dict[str, Any], after: Reached) -> list[str]:
    """Return the names of arguments, and of their attributes, that differ between two calls."""
    told = after.arguments_unlike(before) | after.unknown
    return [each for name, value in now.items() if name in told for each in differences(was[name], value, name)]


class Forcing(_Tape):
    """Plays a neighbour, with the outputs of all calls that draw forced to the recorded ones.

    Parameters
    ----------
    recording : of the first run.
    same_coins : whether this run has the coins of the first. With others, what differs between the calls of a function
        moves with coins that were not forced. A call whose arguments do not move, and that makes a number which may be
        a seed, is not forced then.

    Attributes
    ----------
    moved : the calls whose arguments differ, by their numbers.
    compared : the number of draws before each call that was made, by its number.
    strayed : whether other functions are called than in the recorded run, outside of any call that draws.
    unforced : the number of the first call that cannot be left as in the recorded run.
    forced : the places that a call would have left otherwise, apart from its output as a whole, by its number: private
        unless they vary with its coins.
    """

    def __init__(self, recording: Recording, *, same_coins: bool = True) -> None:
        super().__init__()
        self.recording, self._same_coins = recording, same_coins
        self.moved: dict[int, Moved] = {}
        self.compared: dict[int, int] = {}
        self.strayed = False
        self.unforced: int | None = None
        self.forced: dict[int, dict[Place, Any]] = {}
        self._position = 0
        self._adrift: list[int] = []

    @property
    def is_finished(self) -> bool:
        """Whether all recorded calls have been made again."""
        return self._position == len(self.recording.calls)

    def is_late(self, place: int) -> bool:
        """Tell whether a call comes after a draw or a call that was not forced in this run."""
        after_a_call = self.unforced is not None and self.recording.calls[self.unforced].end <= place
        return after_a_call or not self.recording.forced_before(place, self.draws[: self.compared[place]])

    def called(self, number: int, function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Compare the arguments of a call with the recorded ones, and return the recorded output if it drew."""
        calls = self.recording.calls
        end = calls[self._open[-1]].end if self._open else len(calls)
        if self.strayed or self._adrift or self._position >= end or calls[self._position].function != number:
            return self._stray(function, args, kwargs)
        place, was = self._position, calls[self._position]
        self._position += 1
        begun = self.compared[place] = len(self.draws)
        given = arguments_of(function, args, kwargs)
        before = reached(given, self.generators)  # which meets generators, so that they are not copied
        now = kept_arguments(given, self.generators)
        names = _names_unlike(was.arguments, was.before, now, before)
        if names:
            self.moved[place] = Moved(place, tuple(names), now, before)
        self._open.append(place)
        try:
            output, error = function(*args, **kwargs), None
        except Exception as raised:
            output, error = None, raised
        finally:
            self._open.pop()
            self._adrift = [one for one in self._adrift if one != place]
        if not self.strayed:
            self._position = was.end
        if error is not None:
            if was.draws:
                self._is_unforced(place)
            raise error
        if not was.draws:
            if len(self.draws) > begun:  # what it drew here, it did not draw in the recorded run
                self._is_unforced(place)
            return output
        if not self._same_coins and not names and was.change is not None and may_be_a_seed(was.change):
            return output
        return self._forced(was, before, given, place, output)

    def _stray(self, function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Play a call that has no counterpart: all that follows is compared again when the call around it returns."""
        if self._open and not self._adrift:
            self._adrift.append(self._open[-1])
        elif not self._open:
            self.strayed = True
        return function(*args, **kwargs)

    def _forced(self, was: RecordedCall, before: Reached, given: dict[str, Any], place: int, output: Any) -> Any:
        """Leave everything as the recorded call left it, and return its output; or all as it is if that is unknown."""
        if self._same_coins:
            put_states(was.states)
        box = boxed(output)
        forced = None
        if was.change is not None and len(self.generators) == len(was.states):
            now = change_of(before, given, self.generators, box)
            forced = put_back(was.change, now, given, self.generators, box)
        if forced is None:
            self._is_unforced(place)
            return output
        if type(output) is not tuple:
            forced.pop(OUTPUT_ITSELF, None)
        if forced:
            self.forced[place] = forced
        return tuple(box[1:]) if type(output) is tuple else box[1]

    def _is_unforced(self, place: int) -> None:
        if self.unforced is None:
            self.unforced = place


LEAST_SEED = 2**16
"""Numbers of rows and of parameters are smaller in audits, and seeds that are drawn are larger."""


def may_be_a_seed(change: Change) -> bool:
    """Tell whether a call has made an integer that may be the seed of another generator."""
    return any(_is_large(change.after.entries[place]) for place in change.places if place in change.after.entries)


def _is_large(entry: Entry) -> bool:
    if entry.kind == "array":
        return entry.value.dtype.kind in "iu" and bool((entry.value >= LEAST_SEED).any())
    return entry.kind == "atom" and isinstance(entry.value, int | np.integer) and bool(entry.value >= LEAST_SEED)


OUTPUT_ITSELF: Place = (("argument", OUTPUT), ("entry", 1))
"""The place of an output in its box, if it is no tuple."""


def boxed(output: Any) -> list[Any]:
    """Return a list of whether an output is a tuple, and of the output or the parts of the tuple.

    >>> boxed(2.0), boxed((2.0, 3.0))
    ([False, 2.0], [True, 2.0, 3.0])
    """
    return [True, *output] if type(output) is tuple else [False, output]


def arguments_of(function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return all arguments of a call by the names of the parameters, with defaults, `*args` and `**kwargs`.

    >>> arguments_of(lambda x, *, scale=1.0, **rest: None, (3,), {"name": "a"})
    {'x': 3, 'scale': 1.0, 'rest': {'name': 'a'}}
    """
    bound = signature_of(function).bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a function itself, and not of one that it wraps and adds noise to."""
    return inspect.signature(function, follow_wrapped=False)


PLAYED: ContextVar[_Tape | None] = ContextVar("played", default=None)
"""What notes the calls of the run that this thread plays."""


@contextmanager
def hooked(functions: Sequence[FunctionType]) -> Iterator[None]:
    """Have the calls of functions told to the tape of the run, inside the block.

    Raises
    ------
    PrivcheckError : another part of the process replaces functions at the same time.
    """
    with one_look_at_a_time("functions"), patched() as patches:
        for number, function in enumerate(functions):
            patches.function(function, _hook(number))
        yield


def _hook(number: int) -> Callable[[FunctionType], Callable[..., Any]]:
    def hook(original: FunctionType) -> Callable[..., Any]:
        holder = Kept(original)

        def call(*args: Any, **kwargs: Any) -> Any:
            tape = PLAYED.get()
            if tape is None or threading.get_ident() != tape.thread:
                return holder.function(*args, **kwargs)
            return tape.called(number, holder.function, args, kwargs)

        return call

    return hook


def played_on(tape: Any, runner: Runner, table: Any, seed: np.random.SeedSequence) -> Outputs:
    """Play one run, all of whose draws and calls a tape notes, and return its output."""
    token = PLAYED.set(tape)
    try:
        return noticed_run(runner, table, seed, tape.drawn, tape.generators)
    finally:
        PLAYED.reset(token)
