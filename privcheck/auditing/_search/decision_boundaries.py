"""Pairs on a decision boundary: two neighbours between which the actions change although no coin does.

A policy that eliminates arms or stops leaks only where a decision is about to flip, and few streams are there. A line
of streams leads from one stream to another, one round at a time: its i-th stream has the first i rounds of the other
end. Where the actions at its ends differ, with all coins the same, they change somewhere on the line; bisection finds
two successive streams, which are neighbours, between which they do.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privcheck.arrays import Symbols, Table
from privcheck.errors import PolicyError
from privcheck.privacy import ADD_REMOVE, Relation
from privcheck.targets import DRAWN, MISSING, Request, Sampler, StreamPair, padded

MOST_WALKS = 24
"""Lines that are bisected, if there are so many candidates: each costs the logarithm of the horizon in runs."""

CANDIDATES_PER_WALK = 8
"""Candidates for each line, so that a slow target, of which few are played, is not played on lines alone."""

BOUNDARY = 97
"""The part of a request's key in which the rounds of the search have their number."""


def walks(pairs: int) -> int:
    """Return how many lines are bisected.

    >>> walks(1000), walks(40), walks(7)
    (24, 5, 0)
    """
    return min(MOST_WALKS, pairs // CANDIDATES_PER_WALK)


def boundary_pairs(
    sampler: Sampler,
    pairs: list[StreamPair],
    relation: Relation,
    advance: Callable[[int], None],
    key: tuple[int, ...],
) -> tuple[list[StreamPair], int]:
    """Return neighbours between which the symbols of a run change under equal coins, and the runs that this took.

    There are none where coins cannot be set, for outputs without symbols, for contextual streams, where a round's own
    action is not seen, for pairs that the user's function drew, and where the target refuses a stream of a line.

    Parameters
    ----------
    sampler : plays the runs; requests are keyed (*key, `BOUNDARY`, line).
    pairs : the candidates, whose first streams are the ends of the lines.
    relation : the neighbour relation; under "reward" one entry changes at a time.
    advance : called with the number of runs that have finished.
    key : that of the search.

    """
    shape = np.shape(pairs[0].first)
    tables = [pair.first for pair in pairs if shape and np.shape(pair.first) == shape and pair.base != DRAWN]
    number = walks(len(tables))
    if not sampler.runner.reproducible or not number or relation.name in ("context-reward", "report", ADD_REMOVE):
        return [], 0
    rng = np.random.Generator(np.random.PCG64(20231))
    ends = [tuple(tables[place] for place in rng.choice(len(tables), 2, replace=False)) for _ in range(number)]
    game = _Lines(sampler, ends, relation.unit == "reward", advance, (*key, BOUNDARY))
    try:
        return game.bisected(), game.runs
    except PolicyError:
        return [], game.runs


class _Lines:
    def __init__(
        self,
        sampler: Sampler,
        ends: list[tuple[Table, ...]],
        by_entry: bool,
        advance: Callable[[int], None],
        key: tuple[int, ...],
    ) -> None:
        self.sampler, self.ends, self.by_entry, self.advance, self.key = sampler, ends, by_entry, advance, key
        self.length = ends[0][0].size if by_entry else len(ends[0][0])
        self.runs = 0

    def bisected(self) -> list[StreamPair]:
        """Return the neighbours on every line along which the symbols change."""
        every = range(len(self.ends))
        low, high = self._played(every, [0] * len(self.ends)), self._played(every, [self.length] * len(self.ends))
        left = {line: (0, self.length, low[line]) for line in every if _differ(low[line], high[line])}
        while any(end - start > 1 for start, end, _ in left.values()):
            open_lines = [line for line, (start, end, _) in left.items() if end - start > 1]
            middles = [(left[line][0] + left[line][1]) // 2 for line in open_lines]
            for line, middle, shown in zip(open_lines, middles, self._played(open_lines, middles), strict=True):
                start, end, first = left[line]
                left[line] = (start, middle, first) if _differ(shown, first) else (middle, end, first)
        found = [(self._stream(line, start), self._stream(line, end)) for line, (start, end, _) in left.items()]
        return [StreamPair(one, two) for one, two in found if (one != two).any()]

    def _stream(self, line: int, place: int) -> Table:
        one, two = self.ends[line]
        mixed = one.copy()
        if self.by_entry:
            mixed.reshape(-1)[:place] = two.reshape(-1)[:place]
        else:
            mixed[:place] = two[:place]
        return mixed

    def _played(self, lines: range | list[int], places: list[int]) -> list[Symbols]:
        requests = []
        for line, place in zip(lines, places, strict=True):
            table = self._stream(line, place)
            requests.append(Request(StreamPair(table, table), 0, 1, (*self.key, line)))
        self.runs += len(requests)
        return [outputs.symbols for outputs in self.sampler.play(requests, self.advance)]


def _differ(one: Symbols, two: Symbols) -> bool:
    """Tell whether two runs differ in a symbol; those that were played together with others are padded like these."""
    first, second = padded([one, two], MISSING)
    return bool((first != second).any())
