"""Sets of positions as spans from a start to a stop, of which a long block of rewards needs one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from privcheck.arrays import Bools, Integers


class Spans:
    """A set of positions, as disjoint spans in increasing order.

    Parameters
    ----------
    ranges : first positions and lengths, in any order; they may overlap.

    Examples
    --------
    >>> spans = Spans([(np.array([7, 3]), np.array([2, 4])), (np.array([20]), np.array([1]))])
    >>> spans.starts.tolist(), spans.stops.tolist(), spans.size
    ([3, 20], [9, 21], 7)
    >>> 8 in spans, 9 in spans, spans.positions().tolist()
    (True, False, [3, 4, 5, 6, 7, 8, 20])
    """

    __slots__ = ("size", "starts", "stops")

    def __init__(self, ranges: Iterable[tuple[Integers, Integers]]) -> None:
        pairs = [(np.zeros(0, np.int64), np.zeros(0, np.int64)), *ranges]
        firsts, lengths = (np.concatenate(column) for column in zip(*pairs, strict=True))
        order = np.argsort(firsts, kind="stable")
        firsts = firsts[order]
        reach = np.maximum.accumulate(firsts + lengths[order])
        new = np.ones(firsts.size, np.bool_)
        new[1:] = firsts[1:] > reach[:-1]
        self.starts: Integers = firsts[new]
        self.stops: Integers = reach[np.append(np.flatnonzero(new)[1:], firsts.size) - 1] if firsts.size else firsts
        self.size = int((self.stops - self.starts).sum())

    def __contains__(self, position: int) -> bool:
        place = int(np.searchsorted(self.stops, position, "right"))
        return place < self.stops.size and bool(self.starts[place] <= position)

    def hold(self, positions: Integers) -> Bools:
        """Return for each position whether it is in the set."""
        places = np.searchsorted(self.stops, positions, "right")
        found: Bools = np.append(self.starts, np.iinfo(np.int64).max)[places] <= positions
        return found

    def touch(self, starts: Integers, stops: Integers) -> Bools:
        """Return for each stretch of positions whether some of them are in the set."""
        places = np.searchsorted(self.stops, starts, "right")
        found: Bools = np.append(self.starts, np.iinfo(np.int64).max)[places] < stops
        return found

    def cover(self, starts: Integers, stops: Integers) -> Bools:
        """Return for each stretch of positions whether all of them are in the set."""
        places = np.searchsorted(self.stops, starts, "right")
        ends = [np.append(column, np.iinfo(np.int64).max)[places] for column in (self.starts, self.stops)]
        found: Bools = (ends[0] <= starts) & (stops <= ends[1])
        return found

    def within(self, start: int, stop: int) -> Bools:
        """Return for each position of one stretch whether it is in the set."""
        found = np.zeros(stop - start, np.bool_)
        first, last = np.searchsorted(self.stops, start, "right"), np.searchsorted(self.starts, stop, "left")
        for begin, end in zip(self.starts[first:last].tolist(), self.stops[first:last].tolist(), strict=True):
            found[max(begin - start, 0) : end - start] = True
        return found

    def positions(self) -> Integers:
        """Return all positions in increasing order."""
        lengths = self.stops - self.starts
        found: Integers = np.repeat(self.starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(self.size)
        return found
