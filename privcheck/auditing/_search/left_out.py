"""Candidates that are left out of a search: those on which the target raises an error, and draws that are no pair."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from privcheck.errors import PolicyError, PrivcheckError
from privcheck.targets import DEFAULT_TIME_BUDGET, Effort, Runner, ServiceRunner, StreamPair

R = TypeVar("R")

TRIED = (20, 100)
"""Runs on each stream of a candidate that show whether the target raises an error there: more at a second time, for an
error that is raised in few runs.
"""

TRYING_SHARE = 0.2
"""Share of the time budget after which no other candidate is tried, each time. Slow code would take hours for all."""


def without_failing(
    pairs: list[StreamPair], effort: Effort, runner: Runner, course: Callable[[list[StreamPair]], R]
) -> tuple[R, tuple[str, ...]]:
    """Return the course of an audit on the candidates on which the target raises no error, and the note on the others.

    All candidates are taken first. Only if the target raises an error, each is tried.

    Parameters
    ----------
    pairs : the candidates.
    effort : a pair that is given, or an adversary, is the only candidate: nothing is left out.
    runner : plays the target; keys of its runs begin with (0, 4). An error of a service ends an audit.
    course : the audit of some candidates.
    """
    kept, notes = pairs, tuple[str, ...]()
    own = effort.streams is not None and not callable(effort.streams)
    for attempt, runs in enumerate(TRIED):
        try:
            return course(kept), notes
        except PolicyError as error:
            if own or error.is_of_every_input or isinstance(runner, ServiceRunner):
                raise
            taken, untried = _taken(kept, runner, runs, effort, attempt)
            if not taken or len(taken) == len(kept):
                raise
            kept = taken
            notes = (_note(len(pairs), len(taken), untried, error),)
    return course(kept), notes


def _taken(
    pairs: list[StreamPair], runner: Runner, runs: int, effort: Effort, attempt: int
) -> tuple[list[StreamPair], int]:
    """Return the candidates on which the target raises no error, in order, and how many were not tried in time."""
    deadline = time.monotonic() + TRYING_SHARE * _seconds(effort, runner)
    taken, untried = list[int](), 0
    for place in map(int, np.random.default_rng(effort.seed).permutation(len(pairs))):
        if time.monotonic() > deadline and taken:
            untried += 1
        elif _is_taken(pairs[place], runner, runs, effort.seed, (0, 4, attempt, place)):
            taken.append(place)
    return [pairs[place] for place in sorted(taken)], untried


def _seconds(effort: Effort, runner: Runner) -> float:
    """Return the time budget; infinity if there is none."""
    if effort.time_budget is not None:
        return effort.time_budget
    return math.inf if effort.runs is not None or runner.engine == "kernel" else DEFAULT_TIME_BUDGET


def _note(every: int, taken: int, untried: int, error: PolicyError) -> str:
    failed = every - taken - untried
    if not untried:
        return (
            f"the target raised an error on {failed:,} of {every:,} candidate pairs of streams, which "
            f"were left out, so that nothing is known of them ({error})"
        )
    return (
        f"the target raised an error on {failed:,} candidate pairs of streams, and {untried:,} others were not tried "
        f"within the time budget: these {every - taken:,} of {every:,} were left out, so that nothing is known of them "
        f"({error})"
    )


def _is_taken(pair: StreamPair, runner: Runner, runs: int, seed: int, key: tuple[int, ...]) -> bool:
    try:
        for side, (table, other) in enumerate(((pair.first, pair.second), (pair.second, pair.first))):
            runner.play(table, runs, np.random.SeedSequence(seed, spawn_key=(*key, side)), other)
    except PolicyError:
        return False
    return True


class DrawnPairs(list[StreamPair]):
    """The pairs that a user's function drew.

    Parameters
    ----------
    pairs : those that are pairs of neighbours.
    errors : why the others are not.
    """

    def __init__(self, pairs: Sequence[StreamPair], errors: Sequence[PrivcheckError]) -> None:
        super().__init__(pairs)
        self.errors = tuple(errors)

    @property
    def notes(self) -> tuple[str, ...]:
        """How many draws were left out, with the most frequent reason."""
        if not self.errors:
            return ()
        reasons = Counter(str(error) for error in self.errors)
        (reason, _), *others = reasons.most_common()
        more = f", and {len(others)} other reason{'s' * (len(others) > 1)}" if others else ""
        every = len(self) + len(self.errors)
        left = f"{len(self.errors):,} of {every:,} pairs that the user's function drew were left out"
        return (f"{left} ({reason}{more})",)


def notes_of(pairs: list[StreamPair]) -> tuple[str, ...]:
    """Return what was left out of candidates before any was played."""
    return pairs.notes if isinstance(pairs, DrawnPairs) else ()
