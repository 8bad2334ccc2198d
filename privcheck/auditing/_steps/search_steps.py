"""The look at a target's noisy steps, on many pairs of neighbours: a few runs on each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType

import numpy as np

from privcheck.auditing._costs import Stopwatch
from privcheck.auditing._steps.drawing_functions import Drawing, drawing
from privcheck.auditing._steps.forced_calls import Chain, hooked
from privcheck.auditing._steps.isolated_calls import Look, RecordedInput, look
from privcheck.auditing._steps.time_of_a_look import LookTime
from privcheck.errors import PrivcheckError
from privcheck.targets import Runner, StreamPair

LOOKED, FIRST = 97, 3
"""The part of a key by which runs of the look have coins of their own, and pairs whose draws show who draws."""


@dataclass(frozen=True, eq=False)
class Step:
    """A call that draws and whose arguments the data move, on one pair.

    Parameters
    ----------
    pair : the neighbours.
    function : its number among those that draw.
    moves : the arguments that differ.
    inputs : what it was given on each of the neighbours; None if that cannot be given to it again.
    place : the number of the call in the run on the first of them.
    seed : of that run.
    within : the numbers of the functions around it, of those that draw, the outermost first.
    """

    pair: StreamPair
    function: int
    moves: tuple[str, ...]
    inputs: tuple[RecordedInput, RecordedInput] | None
    place: int
    seed: np.random.SeedSequence
    within: Chain = ()

    @property
    def key(self) -> tuple[int, Chain]:
        """The function, and those around it."""
        return self.function, self.within


@dataclass
class Steps:
    """What was found.

    Parameters
    ----------
    drawing : what draws.
    functions : those that were recorded, by number.
    steps : the innermost moved calls, pair by pair.
    later : numbers of functions whose arguments move after draws that could not be forced, with the names of these.
    strayed : pairs on which the runs call different functions.
    looked_at : pairs on which the target could be played.
    runs : that were played, to the end or until an error.
    unrecorded : names of functions that are called too often to be recorded.
    restless : numbers of functions with an argument that differs between two runs on the same input.
    seconds_of_a_run : on average.
    mixed : steps that what is around them mixes with the data, in whose place the calls around them are steps.
    """

    drawing: Drawing
    functions: tuple[FunctionType, ...]
    steps: list[Step] = field(default_factory=list)
    later: dict[int, tuple[str, ...]] = field(default_factory=dict)
    strayed: int = 0
    looked_at: int = 0
    runs: int = 0
    unrecorded: tuple[str, ...] = ()
    restless: frozenset[int] = frozenset()
    seconds_of_a_run: float = 0.0
    mixed: list[Step] = field(default_factory=list)

    def is_later(self, function: int, names: tuple[str, ...]) -> None:
        """Take note of a function whose arguments move after draws that could not be forced."""
        self.later[function] = tuple(dict.fromkeys((*self.later.get(function, ()), *names)))

    def withdraw(self, function: int) -> None:
        """Take note that arguments of a function, which counted as a step, move with coins that were not forced."""
        for step in self.steps:
            if step.function == function:
                self.is_later(function, step.moves)
        self.steps = [step for step in self.steps if step.function != function]

    def beside(self, step: Step) -> list[Step]:
        """Return the steps on other pairs that are calls of the same function, in the same functions."""
        return [one for one in self.steps if one.key == step.key and one.pair is not step.pair]

    def move_outwards(self, mixed: Step, runner: Runner) -> bool:
        """Take the call around a step in its place, and tell whether there is one that can be played.

        Parameters
        ----------
        mixed : with the data, by what is around it, and so are other calls of that function there, on that pair.
        runner : plays the target, in this thread.
        """
        here = [step for step in self.steps if step.pair is mixed.pair]
        self.mixed += [step for step in here if step.key == mixed.key]
        self.steps = [step for step in self.steps if step not in self.mixed]
        if not mixed.within:
            return False
        hidden = {step.key for step in self.mixed if step.pair is mixed.pair}
        with hooked(self.functions):
            try:
                seen = look(runner, self.functions, mixed.pair, mixed.seed, hidden)
            except PrivcheckError:
                self.runs += 1
                return False
        self.runs += seen.runs
        there, known = steps_of(seen), {step.place for step in here}
        self.steps += [step for step in there if step.place not in known]
        return any(step.function in mixed.within and step.inputs is not None for step in there)


def search_steps(
    runner: Runner, pairs: list[StreamPair], seed: int, until: LookTime, advance: Callable[[int], None]
) -> Steps:
    """Return the steps on some pairs of neighbours.

    Pairs on which the target raises an error are left out; all of them: the error is raised.

    Parameters
    ----------
    runner : plays the target, in this thread.
    pairs : are looked at in their order.
    seed : of the runs.
    until : no time is left; then no other pair is looked at.
    advance : is called after each pair.
    """
    watch = Stopwatch()
    tables = [table for pair in pairs[:FIRST] for table in (pair.first, pair.second)]
    found = drawing(runner, tables, seed)
    functions, left, runs = found.functions, list[str](), len(tables)
    while True:
        steps = Steps(found, functions, runs=runs, unrecorded=tuple(left))
        busiest = _looks(steps, runner, pairs, seed, until, advance) if functions else None
        runs = steps.runs
        if busiest is None:
            steps.seconds_of_a_run = watch.seconds(max(1, runs)) / max(1, runs)
            return steps
        left.append(functions[busiest].__qualname__)
        functions = tuple(each for number, each in enumerate(functions) if number != busiest)


def _looks(
    steps: Steps,
    runner: Runner,
    pairs: list[StreamPair],
    seed: int,
    until: LookTime,
    advance: Callable[[int], None],
) -> int | None:
    """Look at pairs; return the number of the function that is called most if it is called too often."""
    error: PrivcheckError | None = None
    with hooked(steps.functions):
        for number, pair in enumerate(pairs):
            if steps.looked_at and until.left(steps.runs) <= 0.0:
                break
            key = np.random.SeedSequence(seed, spawn_key=(LOOKED, number))
            try:
                seen = look(runner, steps.functions, pair, key)
            except PrivcheckError as raised:
                error = raised
                steps.runs += 1
                continue
            steps.runs += seen.runs
            if seen.full:
                return Counter(call.function for call in seen.recording.calls).most_common(1)[0][0]
            _add(steps, seen)
            advance(1)
    if error is not None and not steps.looked_at:
        raise error
    return None


def _add(steps: Steps, seen: Look) -> None:
    calls = seen.recording.calls
    steps.looked_at += 1
    steps.strayed += seen.strayed
    steps.restless |= seen.restless
    steps.steps += steps_of(seen)
    for moved in seen.after_others:
        steps.is_later(calls[moved.place].function, moved.names)


def steps_of(seen: Look) -> list[Step]:
    """Return the steps on a pair."""
    tape, found = seen.recording, list[Step]()
    for moved, inputs in seen.steps:
        place = moved.place
        found.append(
            Step(seen.pair, tape.calls[place].function, moved.names, inputs, place, seen.seed, tape.within(place))
        )
    return found
