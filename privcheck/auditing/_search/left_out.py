"""Candidates that are left out of a search: those on which the target raises an error, and draws that are no pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from privcheck.errors import PolicyError, PrivcheckError
from privcheck.targets import Effort, Runner, ServiceRunner, StreamPair

R = TypeVar("R")

TRIED = (20, 100)
"""Runs on each stream of a candidate that show whether the target raises an error there: more at a second time, for an
error that is raised in few runs.
"""


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
    for time, runs in enumerate(TRIED):
        try:
            return course(kept), notes
        except PolicyError as error:
            if own or isinstance(runner, ServiceRunner):
                raise
            keys = ((0, 4, time, i) for i in range(len(kept)))
            tried = [
                pair for pair, key in zip(kept, keys, strict=True) if _is_taken(pair, runner, runs, effort.seed, key)
            ]
            if len(tried) in (0, len(kept)):
                raise
            kept, every = tried, len(pairs)
            notes = (
                f"the target raised an error on {every - len(kept):,} of {every:,} candidate pairs of streams, which "
                f"were left out, so that nothing is known of them ({error})",
            )
    return course(kept), notes


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
