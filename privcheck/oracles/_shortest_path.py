"""The shortest path between two vertices, whose edges are the base arms."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.declared import Switch, parameter
from privcheck.errors import PrivcheckError
from privcheck.oracles._base import Oracle
from privcheck.oracles._compiled_oracles import SHORTEST_PATH, OracleData
from privcheck.oracles._edges import VERTEX, Edge, Edges, component, numbered


@dataclass(frozen=True)
class ShortestPath(Oracle):
    """A path from a source to a target; the delay of edge e is 1 minus its outcome, the reward minus the total delay.

    The oracle minimises the total of 1 - index (indices above 1 count as 1), by Dijkstra's algorithm.

    Parameters
    ----------
    edges : one pair of vertices for each of the m base arms, 2 <= m <= 62.
    source, target : two different vertices of the graph.
    directed : whether an edge (a, b) leads from a to b only.

    Raises
    ------
    PrivcheckError : no path leads from the source to the target.

    Examples
    --------
    >>> oracle = ShortestPath(edges=((0, 1), (1, 2), (0, 2)), source=0, target=2)
    >>> oracle([0.9, 0.8, 0.4]), oracle([0.7, 0.7, 0.5]), oracle.size
    ((0, 1), (2,), 2)
    >>> round(oracle.best([0.9, 0.8, 0.4]), 12)
    -0.3
    >>> oracle.check([0, 2])
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: super arm: got {0, 2}, expected a path from 0 to 2; the oracle has to return one
    """

    edges: tuple[Edge, ...] = parameter(Edges(), typical=((0, 1), (1, 2)), doc="the edges, one for each base arm")
    source: int = parameter(VERTEX, typical=(0, 1), doc="the vertex in which a path starts")
    target: int = parameter(VERTEX, typical=(2, 3), doc="the vertex in which it ends")
    directed: bool = parameter(Switch(), typical=(False, True), default=False, doc="whether edges have a direction")

    id: ClassVar[str] = "shortest-path"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.source == self.target:
            raise PrivcheckError("target", self.target, f"a vertex other than the source {self.source}")
        if self.target not in component(self.edges, self.source, directed=self.directed):
            hint = "a path follows the edges that are given"
            raise PrivcheckError("edges", self.edges, f"edges with a path from {self.source} to {self.target}", hint)

    @classmethod
    def of(cls, graph: Any, source: int, target: int) -> ShortestPath:
        """Return the problem of a networkx graph whose vertices are integers, in the order of `graph.edges()`."""
        return cls(tuple((a, b) for a, b in graph.edges()), source, target, graph.is_directed())

    @property
    def arms(self) -> int:  # type: ignore[override]
        """Number of base arms m."""
        return len(self.edges)

    @property
    def size(self) -> int:  # type: ignore[override]
        """Upper bound on the number K of edges of a path: one less than the number of vertices, and at most m."""
        return min(len(numbered(self.edges)) - 1, self.arms)

    @property
    def least_reward(self) -> float:
        return -float(self.size)

    def data(self) -> OracleData:
        number = numbered(self.edges)
        ends = np.array([(number[a], number[b]) for a, b in self.edges], np.int64)
        numbers = [len(number), number[self.source], number[self.target], self.directed]
        return OracleData(SHORTEST_PATH, self.size, ends, np.array(numbers, np.int64))

    def is_feasible(self, super_arm: tuple[int, ...]) -> bool:
        """Tell whether the edges make up one simple path."""
        played = [self.edges[edge] for edge in super_arm]
        if self.directed:
            leaving, entered = Counter(a for a, _ in played), Counter(b for _, b in played)
            if max(leaving.values()) > 1 or max(entered.values()) > 1:
                return False
        degree = Counter(end for edge in played for end in edge)
        inner = set(degree) - {self.source, self.target}
        joined = component(played, self.source, directed=self.directed)
        return (
            degree[self.source] == degree[self.target] == 1
            and all(degree[v] == 2 for v in inner)
            and joined == set(degree)
        )

    def feasible_here(self) -> str:
        return f"a path from {self.source} to {self.target}"
