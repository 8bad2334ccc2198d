"""Candidates that are left out of a search: those on which the target raises an error, and draws that are no pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from privcheck.errors import PolicyError, PrivcheckError
from privcheck.targets import Effort, Runner, ServiceRunner, StreamPair

TRIED = (20, 100)
"""Runs on each stream of a candidate that show whether the target raises an error there: more at a second time, for an
error that is raised in few runs.
"""


def without_failing(
    pairs: list[StreamPair], effort: Effort, runner: Runner, error: PolicyError, time: int
) -> list[StreamPair]:
    """Return the candidates on which the target raises no error, or raise the one that made somebody ask.

    Parameters
    ----------
    pairs : the candidates.
    effort : a pair that is given, or an adversary, is the only candidate: nothing is left out.
    runner : plays the target; keys of its runs begin with (0, 4). An error of a service ends an audit.
    error : what was raised.
    time : how often an error was raised before, which each time led to fewer candidates.
    """
    own = effort.streams is not None and not callable(effort.streams)
    if own or len(pairs) < 2 or time >= len(TRIED) or isinstance(runner, ServiceRunner):
        raise error
    keys = ((effort.seed, (0, 4, time, number)) for number in range(len(pairs)))
    kept = [pair for pair, key in zip(pairs, keys, strict=True) if _is_taken(pair, runner, TRIED[time], *key)]
    if not kept or len(kept) == len(pairs):
        raise error
    return kept


def _is_taken(pair: StreamPair, runner: Runner, runs: int, seed: int, key: tuple[int, ...]) -> bool:
    try:
        for side, (table, other) in enumerate(((pair.first, pair.second), (pair.second, pair.first))):
            runner.play(table, runs, np.random.SeedSequence(seed, spawn_key=(*key, side)), other)
    except PolicyError:
        return False
    return True


def failing_note(failed: int, every: int, error: PolicyError | None) -> tuple[str, ...]:
    """Return the note on candidates on which the target raised an error."""
    if not failed:
        return ()
    return (
        f"the target raised an error on {failed:,} of {every:,} candidate pairs of streams, which were left out, so "
        f"that nothing is known of them ({error})",
    )


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
