"""Whether what a call makes comes into what the target puts out in the same way on both neighbours.

With the values w of all other calls that draw and the coins c of the target itself given, let the target put out
f(v, w, c) on one neighbour and f'(v, w, c) on the other, where v is what the call makes: of law M(x) and M(x').

- If a part of f is the same function of v as that part of f', whoever sees it sees the same function of M(x) or of
  M(x'). One-to-one in v, it tells the neighbours apart as well as the call does, at these w and c.
- If f and f' differ wherever they depend on v, the data come in beside v. What v tells may be taken back there, so that
  the call alone says nothing of the target. Let v be the number of the interval in which a quantile is drawn: the ends
  of the intervals are private, and a uniform number of the interval is put out, of density (P(v) / length). If one
  row moves from 0 to 1 beside three rows at 1, v is surely 1 and surely 0, and what is put out has the same law. Or let
  the data decide whose count is drawn first: v is that of one leaf of a tree on one neighbour, of another leaf on the
  other, and stands at another place of what is put out.

So values are forced on the call, those of all other calls stay as recorded, the calls around it are played, and the
coins are the same in all runs. A call whose value moves what is put out, and no part of it alike on both neighbours, is
not suspected: what is around it may be. Where the value moves nothing, later calls may have written over it, and where
equal runs differ, coins come in that cannot be replayed: then nothing is known. That f and f' agree on a few values is
no proof that they do on others.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from privcheck.auditing._steps.forced_calls import Forcing, RecordedCall, Recording, hooked, played_on
from privcheck.auditing._steps.forced_values import alike, with_value
from privcheck.auditing._steps.isolated_calls import CALL_LIMIT
from privcheck.auditing._steps.reached_values import Entry
from privcheck.auditing._steps.search_steps import Step, Steps
from privcheck.auditing._steps.time_of_a_look import LookTime
from privcheck.errors import PrivcheckError
from privcheck.targets import Outputs, Runner, limited

MOST_VALUES = 4
"""Different values that are forced, of those that the call makes on either input."""

DRAWN = 32
"""Calls from which they are taken: some are rare."""

ROUNDING = 1e-9
"""By how much of the range in which the values move a part, rounding may move it between neighbours."""

RUNS = 2 * MOST_VALUES + 3
"""Runs of the target that it takes."""


def is_mixed(steps: Steps, step: Step, runner: Runner, until: LookTime) -> bool | None:
    """Tell whether the data come in beside what a call makes; None if the time ends before it is known.

    Parameters
    ----------
    steps : that it is one of.
    step : a call on two neighbours, that has inputs.
    runner : plays the target, in this thread.
    until : its end; then no other run is begun.
    """
    shown: tuple[list[Outputs], list[Outputs]] = [], []  # of each value in turn, and of the first one once more
    with hooked(steps.functions):
        try:
            recording = Recording()
            played_on(recording, runner, step.pair.first, step.seed)
            steps.runs += 1
            calls = _with_other_values(recording.calls[step.place], step)
            for call in (*calls, *calls[:1]):
                forced = copy.copy(recording)
                forced.calls = [call if place == step.place else each for place, each in enumerate(recording.calls)]
                for kept, table in zip(shown, (step.pair.first, step.pair.second), strict=True):
                    if until.is_over:
                        return None
                    tape = _Around(forced, step.place)
                    kept.append(played_on(tape, runner, table, step.seed))
                    steps.runs += 1
                    if not tape.is_forced:
                        return False
        except PrivcheckError:  # what is put out with other values is not known
            return False
    return bool(calls) and mixes(*shown)


def mixes(one: list[Outputs], two: list[Outputs]) -> bool:
    """Tell whether values move what is put out on one of two neighbours, and no part of it alike on both.

    Parameters
    ----------
    one, two : a run with each of some different values, and with the first of them once more, on each neighbour.

    Examples
    --------
    >>> def shown(*rows): return [Outputs.of_numbers(np.array([row])) for row in rows]
    >>> mixes(shown([0.1, 5.0], [0.9, 5.0], [0.1, 5.0]), shown([0.1, 6.0], [0.9, 6.0], [0.1, 6.0]))
    False
    >>> mixes(shown([0.1, 0.0], [0.9, 0.0], [0.1, 0.0]), shown([0.0, 0.1], [0.0, 0.9], [0.0, 0.1]))
    True
    """
    here, there = _parts(one), _parts(two)
    if any(not _same(column[:1], column[-1:]) for parts in (here, there) for column in parts.values()):
        return False  # coins that cannot be replayed come in, too
    moved = _moved(here)
    return bool(moved | _moved(there)) and not any(_alike(here[place], there.get(place)) for place in moved)


def _with_other_values(was: RecordedCall, step: Step) -> list[RecordedCall]:
    """Return a recorded call with different values that it makes on either input; none if it makes only one."""
    assert step.inputs is not None
    calls, values = list[RecordedCall](), list[list[Entry | None]]()
    try:
        with limited(of_a_run=CALL_LIMIT) as clock:
            for number in range(DRAWN):
                clock.next_run()
                call, made = with_value(was, step.inputs[number % 2], number)
                if not any(alike(made, other) for other in values):
                    calls.append(call)
                    values.append(made)
                if len(calls) == MOST_VALUES:
                    break
    except Exception:  # of the call, such as one that takes too long
        pass
    return calls if len(calls) > 1 else []


def _parts(outputs: list[Outputs]) -> dict[tuple[str, int], Any]:
    """Return each part of the outputs of several runs, as an array of what it is in each of them."""
    joined = Outputs.joined(outputs)
    parts = {("number", place): column for place, column in enumerate(joined.numbers.T)}
    return parts | {("symbol", place): column for place, column in enumerate(joined.symbols.T)}


def _moved(parts: dict[tuple[str, int], Any]) -> set[tuple[str, int]]:
    return {place for place, column in parts.items() if not _same(column, np.full_like(column, column[0]))}


def _same(one: Any, two: Any) -> bool:
    return two is not None and bool(np.array_equal(one, two, equal_nan=one.dtype.kind == "f"))


def _alike(one: Any, two: Any) -> bool:
    """Tell whether a part is the same function of the values on both neighbours, but for rounding."""
    if two is None or one.dtype.kind != "f" or not np.isfinite(one).all():
        return _same(one, two)
    return bool(np.allclose(one, two, rtol=0.0, atol=ROUNDING * np.ptp(one)))


class _Around(Forcing):
    """Forces all calls but those around one of them, with the coins of the recorded run."""

    def __init__(self, recording: Recording, within: int) -> None:
        super().__init__(recording)
        self._within = within
        self._is_reached = False

    @property
    def is_forced(self) -> bool:
        """Whether the call was made, and left as it should be."""
        unforced = self.unforced is not None and self.unforced <= self._within
        return self._is_reached and not unforced and not self.is_late(self._within)

    def _forced(self, was: RecordedCall, before: Any, given: dict[str, Any], place: int, output: Any) -> Any:
        if place < self._within < was.end:
            return output
        self._is_reached |= place == self._within
        return super()._forced(was, before, given, place, output)
