"""Whether a target releases what a call makes: values are forced on the call, and the target shows which.

Let the released part be a function of what the call makes, the same on two neighbours, with no other data and no coins.
If it is one-to-one, it is told apart exactly as well as the call. So values of the call are forced in runs on both
neighbours, each with coins of its own: what is released has to agree where the value does, and differ where it does
not. That refutes the word of a user who is wrong; runs with some values cannot show that it is one-to-one for all.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np

from privcheck.auditing._steps.forced_calls import Forcing, RecordedCall, Recording, hooked, played_on
from privcheck.auditing._steps.isolated_calls import RecordedInput, other_coins
from privcheck.auditing._steps.reached_values import OUTPUT, Entry, Place, Reached
from privcheck.auditing._steps.search_steps import Step, Steps
from privcheck.auditing._steps.time_of_a_look import LookTime
from privcheck.errors import PrivcheckError, words
from privcheck.results import Suspicion
from privcheck.targets import Outputs, Runner

VALUES = 8
"""Values that are forced, half of them from the call on either input."""

FIRST_COINS, FIRST_RUN = 100, 1000
"""Numbers of the coins of the first value and of the first run: smaller ones are those of other plays."""

HIDDEN = "that is no bound for the target, whose output may hide the call"
"""What is said of a step of whose release nothing is known."""

EVERYTHING = "output"
"""The name of all that a target returns."""


class ReleasedPart:
    """Reads what a target is said to release from what it returns, before `encode` does.

    Parameters
    ----------
    name : of an attribute, or a key, or the place in a list or a tuple; "output" for all of it.
    encode : of the released part.

    Examples
    --------
    >>> ReleasedPart("1", None)([3.0, 4.0]), ReleasedPart("mean", str)({"mean": 2.0}), ReleasedPart("real", None)(1j)
    (4.0, '2.0', 0.0)
    """

    def __init__(self, name: str, encode: Callable[[Any], Any] | None) -> None:
        self.name, self.encode = name, encode

    def __call__(self, output: Any) -> Any:
        """Return it."""
        part = self._part(output)
        return part if self.encode is None else self.encode(part)

    def _part(self, output: Any) -> Any:
        if self.name == EVERYTHING:
            return output
        if isinstance(output, Mapping):
            return output[self.name]
        if isinstance(output, list | tuple | np.ndarray) and self.name.isdecimal():
            return output[int(self.name)]
        return getattr(output, self.name)


@contextmanager
def refused_parts(name: str | None) -> Iterator[None]:
    """Refuse a part that outputs do not have by the name of the option, inside the block."""
    try:
        yield
    except PrivcheckError as error:
        if name is None or error.parameter != "encode":
            raise
        expected = "an attribute, a key or a place of what the target returns, or 'output' for all of it"
        raise PrivcheckError("released", words(f"{name!r}, {error.value}"), expected) from None


def of_release(suspicion: Suspicion, released: str, hidden: str) -> Suspicion:
    """Return a suspicion of a step with what is known of its release.

    Parameters
    ----------
    suspicion : of the step.
    released : what is said to release it.
    hidden : why that does not, or "".
    """
    what = f"what the target returns{'' if released == EVERYTHING else f', {released} of it,'}"
    if hidden:
        told = f"that is no bound for the target: {what} does not release the call, for {hidden}"
    else:
        told = (
            f"if the call is released, that is a bound for the target: {what} was the same function of {VALUES} values "
            "that were forced on the call, on both neighbours, and told them apart"
        )
    return replace(suspicion, sentence=suspicion.sentence.replace(HIDDEN, told))


def why_hidden(steps: Steps, step: Step, runner: Runner, until: LookTime) -> str:
    """Return why what a target puts out does not release what a step makes; "" if nothing speaks against that.

    Parameters
    ----------
    steps : that it is one of.
    step : a call on two neighbours, that has inputs.
    runner : plays the target in this thread, and shows the part that is said to be released.
    until : its end; then no other run is begun.
    """
    assert step.inputs is not None
    name = steps.functions[step.function].__qualname__
    with hooked(steps.functions):
        try:
            recording = Recording()
            played_on(recording, runner, step.pair.first, step.seed)
            steps.runs += 1
            if recording.calls[step.place].begun:
                return f"there are draws before {name}, which would have to be released as well"
            made, shown = list[list[Entry | None]](), list[Outputs]()
            for number in range(VALUES):
                if until.is_over:
                    return "no time was left to force values"
                call, entries = with_value(recording.calls[step.place], step.inputs[number % 2], number)
                forced = copy.copy(recording)
                forced.calls = [call if place == step.place else each for place, each in enumerate(recording.calls)]
                one, two = (_shown(forced, step, runner, 2 * number + side) for side in (0, 1))
                steps.runs += 2
                if one is None or two is None:
                    return f"what {name} makes cannot be forced"
                if not _same(one, two):
                    return f"with one value of {name} it differs between runs on the neighbours, with other coins"
                made.append(entries)
                shown.append(one)
        except PrivcheckError as error:
            return f"with other values of {name} the target raises an error: {error}"
    return _why_not_one_to_one(name, made, shown)


def _why_not_one_to_one(name: str, made: list[list[Entry | None]], shown: list[Outputs]) -> str:
    unlike = False
    for number, value in enumerate(made):
        for other in range(number):
            is_alike = alike(value, made[other])
            unlike |= not is_alike
            if not is_alike and _same(shown[number], shown[other]):
                return f"it is the same for two different values of {name}"
    return "" if unlike else f"{name} made the same value {len(made)} times"


def alike(one: list[Entry | None], two: list[Entry | None]) -> bool:
    """Tell whether two values of a call are the same."""
    return all(x is not None and x.equals(y) for x, y in zip(one, two, strict=True))


def with_value(was: RecordedCall, given: RecordedInput, number: int) -> tuple[RecordedCall, list[Entry | None]]:
    """Return a recorded call with what it made replaced by what it makes with an input and other coins."""
    assert was.change is not None
    after, there = given.after(FIRST_COINS + number).entries, was.change.after.entries
    masks = dict(given.varying) or {place: None for place in there if place[0] == ("argument", OUTPUT)}
    entries = {place: _masked(there.get(place), after.get(place), mask) for place, mask in masks.items()}
    kept: dict[Place, Entry] = there | {place: entry for place, entry in entries.items() if entry is not None}
    return replace(was, change=replace(was.change, after=Reached(kept))), list(entries.values())


def _masked(there: Entry | None, made: Entry | None, mask: Any) -> Entry | None:
    """Return an entry with the parts of an array that vary from another; what does not vary may be private."""
    if mask is None or there is None or made is None or there.kind != "array":
        return made
    value = there.value.copy()
    value[mask] = made.value[mask]
    return Entry("array", value)


class _Until(Forcing):
    """Forces all calls up to one of them, and neither later ones nor those around it."""

    def __init__(self, recording: Recording, last: int) -> None:
        super().__init__(recording, same_coins=False)
        self._last = last

    def called(self, number: int, function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Play a later call with coins of its own."""
        if self._position > self._last and self._last not in self._open:
            return function(*args, **kwargs)
        return super().called(number, function, args, kwargs)

    def _forced(self, was: RecordedCall, before: Reached, given: dict[str, Any], place: int, output: Any) -> Any:
        if place < self._last < was.end:
            return output
        return super()._forced(was, before, given, place, output)


def _shown(recording: Recording, step: Step, runner: Runner, number: int) -> Outputs | None:
    """Return what a run with forced values shows; None if they could not be forced."""
    tape = _Until(recording, step.place)
    table = (step.pair.first, step.pair.second)[number % 2]
    outputs = played_on(tape, runner, table, other_coins(step.seed, FIRST_RUN + number))
    made = step.place in tape.compared and not tape.strayed
    return outputs if made and tape.unforced is None and not tape.is_late(step.place) else None


def _same(one: Outputs, two: Outputs) -> bool:
    return np.array_equal(one.numbers, two.numbers, equal_nan=True) and np.array_equal(one.symbols, two.symbols)
