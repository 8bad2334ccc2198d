"""Base arms that are the edges of a graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from privcheck.declared import Integer
from privcheck.oracles._base import MOST_BASE_ARMS

Edge = tuple[int, int]

VERTEX = Integer(0, 10**6)


@dataclass(frozen=True)
class Edges:
    """One pair of vertices for each of 2 to 62 base arms; `loops` says whether its two ends may be equal.

    >>> Edges().normalise([(0, 1), (1.0, 2)])
    ((0, 1), (1, 2))
    """

    loops: bool = False

    @property
    def text(self) -> str:
        """What the domain contains, in words."""
        ends = "pairs of vertices" if self.loops else "pairs of different vertices"
        return f"a list of 2 to {MOST_BASE_ARMS} edges, {ends} that are integers of at least 0"

    def normalise(self, value: Any) -> tuple[Edge, ...]:
        """Return a tuple of pairs of integers."""
        if isinstance(value, str | bytes) or not isinstance(value, Sequence) or not 2 <= len(value) <= MOST_BASE_ARMS:
            raise TypeError
        found = []
        for edge in value:
            one, other = (VERTEX.normalise(end) for end in edge)
            if one == other and not self.loops:
                raise ValueError
            found.append((one, other))
        return tuple(found)


def numbered(edges: Iterable[Edge], extra: Iterable[int] = ()) -> dict[int, int]:
    """Return the vertices of edges, numbered from 0 in ascending order.

    >>> numbered([(3, 7), (7, 9)])
    {3: 0, 7: 1, 9: 2}
    """
    return {vertex: number for number, vertex in enumerate(sorted({v for edge in edges for v in edge} | {*extra}))}


def component(edges: Iterable[Edge], start: int, *, directed: bool = False) -> set[int]:
    """Return the vertices that can be reached from one.

    >>> sorted(component([(0, 1), (2, 1)], 0)), sorted(component([(0, 1), (2, 1)], 0, directed=True))
    ([0, 1, 2], [0, 1])
    """
    known, reached = list(edges), {start}
    while True:
        more = {b for a, b in known if a in reached} | (
            {a for a, b in known if b in reached} if not directed else set()
        )
        if more <= reached:
            return reached
        reached |= more
