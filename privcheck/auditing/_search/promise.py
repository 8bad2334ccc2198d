"""What the runs on a pair promise: the lower limit that its best event would give, were it confirmed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from privcheck.auditing._confirmation.shares_of_runs import taken
from privcheck.auditing._events.event import learn
from privcheck.auditing._events.event_selection import promising
from privcheck.auditing._scoring.view import DISTINCT, ViewMaker, distinct_runs
from privcheck.scheduling import Calls, Executor
from privcheck.targets import Sides, StreamPair

PESSIMISM = (0.5, 1.0, 2.0)
"""Standard errors subtracted from a pair's log-ratio. Pessimism finds frequent events, optimism rare ones, so there is
one ranking for each value, and the rankings take turns in sending a pair to the next round. The first ranking decides
the last round.
"""

JUDGED_TOGETHER = 20_000
"""Runs per stream that a worker judges at a time, so that sending them takes little of the time."""

JUDGED_IN_THREADS = 10_000
"""Runs per stream of a half from which threads judge it: of so many, most of the time is numpy's, and as long as it
takes to send them to another process.
"""

OVERHEAD = 1000
"""Runs per stream that take as long to judge as what does not depend on their number."""

Played = tuple[StreamPair, Sides]
"""A pair, and its runs on each stream."""

Half = tuple[StreamPair, Sides, Sides]
"""A pair, the runs from which its scores are learned, and those on which they are judged."""


@dataclass(frozen=True)
class Promise:
    """The promises of a pair's best events, cross-fitted: learned on each half of its runs and judged on the other.

    Parameters
    ----------
    views : how outputs are read.
    runs, level, delta : those of the confirmation.
    """

    views: ViewMaker
    runs: int
    level: float
    delta: float

    def __call__(self, pair: StreamPair, sides: Sides) -> list[float]:
        """Return the promises of a pair, one for each degree of pessimism."""
        return _mean([self.judged(half) for half in halves(pair, sides)])

    def of_each(self, played: Sequence[Played], workers: Executor) -> list[list[float]]:
        """Return the promises of several pairs, judged by threads, by worker processes or by those of a scheduler."""
        every = [half for pair, sides in played for half in halves(pair, sides)]
        together, size = list[list[Half]](), JUDGED_TOGETHER
        for half in every:
            if size >= JUDGED_TOGETHER:
                together.append([])
                size = 0
            together[-1].append(half)
            size += OVERHEAD + len(half[1][0]) + len(half[2][0])
        sent = workers.cluster is not None or len(every[0][1][0]) < JUDGED_IN_THREADS
        with closing(workers.in_order(Calls(_judged, [(self, some) for some in together], alone=sent))) as results:
            judged = [promises for some in results for promises in some]
        return [_mean(judged[place : place + 2]) for place in range(0, len(judged), 2)]

    def judged(self, half: Half) -> list[float]:
        """Return the promises of events that are learned on some runs, and judged on others.

        What one view reads of them is forgotten before the next one reads.
        """
        pair, learning, judging = half
        for side in (*learning, *judging):
            distinct_runs(side)
        of_views = []
        for view in self.views(pair, (learning[0].keeping(DISTINCT), learning[1].keeping(DISTINCT)), thorough=False):
            scores = learn([view], *(side.keeping(DISTINCT) for side in learning))
            asked = judging[0].keeping(DISTINCT), judging[1].keeping(DISTINCT)
            best = promising(scores, asked, self.runs, self.level, PESSIMISM, self.delta)
            of_views.append([max(candidate.promise for candidate in candidates) for candidates in best])
        return [max(each) for each in zip(*of_views, strict=True)]


def halves(pair: StreamPair, sides: Sides) -> list[Half]:
    """Return the two ways in which one half of the runs is learned from and the other is judged."""
    middle = len(sides[0]) // 2
    one, two = taken(sides, slice(0, middle)), taken(sides, slice(middle, None))
    return [(pair, one, two), (pair, two, one)]


def _mean(promises: Sequence[list[float]]) -> list[float]:
    return [sum(both) / 2.0 for both in zip(*promises, strict=True)]


def _judged(promise: Promise, some: list[Half]) -> list[list[float]]:
    return [promise.judged(half) for half in some]


def ranked(promises: list[list[float]]) -> list[int]:
    """Return the indices of pairs in an order that takes the next best pair of each ranking in turn.

    >>> ranked([[3.0, 0.0, 0.0], [2.0, 9.0, 0.0], [1.0, 1.0, 9.0]])
    [0, 1, 2]
    """
    rankings = [sorted(range(len(promises)), key=lambda i: -promises[i][k]) for k in range(len(PESSIMISM))]
    return list(dict.fromkeys(place for tied in zip(*rankings, strict=True) for place in tied))
