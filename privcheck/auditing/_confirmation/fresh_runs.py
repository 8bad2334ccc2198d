"""Fresh runs on the pair that was found: the first of them are looked at, the others are only counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from privcheck.auditing._confirmation.evidence import Chosen, divided, learns_from, settling
from privcheck.auditing._confirmation.shares_of_runs import folds, taken
from privcheck.auditing._confirmation.tally import TALLY_FORM, Counter, Tally
from privcheck.targets import Reduction, Request, Sampler, Sides, StoppedError, StreamPair, joined_sides

TOGETHER = 32
"""Tallies that are added up at a time."""

CHUNKS_TOGETHER = 10_000
"""Chunks that are asked for at a time, at about a kilobyte each: so many that hundreds of workers seldom wait for the
last of them.
"""


@dataclass
class FreshRuns:
    """The runs of a pair, each of which is played once, in order.

    Parameters
    ----------
    sampler : plays the runs; requests are keyed (2, side).
    pair : what is played.
    planned : the planned runs per stream.
    advance : called with the number of runs that have finished.
    """

    sampler: Sampler
    pair: StreamPair
    planned: int
    advance: Callable[[int], None]
    _played: list[Sides] = field(default_factory=list)

    @property
    def _have(self) -> int:
        return len(self._played[0][0]) if self._played else 0

    def first(self, runs: int) -> Sides:
        """Return the first so many runs on each stream.

        Raises
        ------
        StoppedError : the deadline passed, or the user interrupted.
        """
        if self._have < runs or not self._played:
            size = self.sampler.chunk_runs
            until = min(self.planned, -(-runs // size) * size)
            first, second = self.sampler.play(list(self._requests(self._have, until)), self.advance)
            self._played = [joined_sides([*self._played, (first, second)])]
        return taken(self._played[0], slice(0, runs))

    def before_counting(self, training: Sides | None) -> Sides:
        """Return the runs that are looked at before any is counted; `training` are the search's runs on the pair."""
        if learns_from(training, self.planned):
            return self.first(settling(folds(self.planned, searched=True)))
        few = self.first(settling(folds(self.planned, easy=True)))
        return self.first(settling(divided(few, self.planned, training)))

    def counted(self, chosen: Chosen, wanted: int | None, depends: Any) -> tuple[Tally | None, bool]:
        """Count runs of the counting fold; return their tally, if there are any, and whether they were cut short.

        Parameters
        ----------
        chosen : what is counted.
        wanted : the most runs per stream; None for all of the fold.
        depends : what decided `chosen`.
        """
        start = chosen.folds.counting.start
        until = self.planned if wanted is None else min(self.planned, start + wanted)
        tallies, cut = list[Tally](), False
        try:
            for tally in self._tallies(chosen.counter, start, until, depends):
                tallies = [Tally.total([*tallies, tally])] if len(tallies) == TOGETHER else [*tallies, tally]
        except (StoppedError, KeyboardInterrupt):
            cut = True
        if not tallies:
            return None, cut
        total, (first, second) = Tally.total(tallies), self._played[0]
        return replace(total, names=first.names | second.names | total.names), cut

    def _tallies(self, count: Counter, start: int, until: int, depends: Any) -> Iterator[Tally]:
        left = taken(self._played[0], slice(start, until))
        if len(left[0]):
            yield count(left)
        together = CHUNKS_TOGETHER * self.sampler.chunk_runs
        for begin in range(self._have, until, together):
            reduction = Reduction(count, depends, TALLY_FORM, begin - start)
            requests = self._requests(begin, min(until, begin + together))
            yield from self.sampler.reduced(requests, reduction, self.advance)

    def _requests(self, begin: int, until: int) -> tuple[Request, Request]:
        first, second = (
            Request(self.pair, side, until - begin, (2, side), planned=self.planned, begin=begin) for side in (0, 1)
        )
        return first, second
