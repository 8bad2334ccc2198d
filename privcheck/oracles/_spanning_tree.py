"""The maximum spanning tree of a graph, whose edges are the base arms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.declared import parameter
from privcheck.errors import PrivcheckError
from privcheck.oracles._base import Oracle
from privcheck.oracles._compiled_oracles import SPANNING_TREE, OracleData
from privcheck.oracles._edges import Edge, Edges, component, numbered


@dataclass(frozen=True)
class MaximumSpanningTree(Oracle):
    """A spanning tree of a connected graph; the reward is the sum of the outcomes of its edges.

    The oracle is Kruskal's algorithm; among edges of equal index the lowest come first.

    Parameters
    ----------
    edges : one pair of vertices for each of the m base arms, 2 <= m <= 62.

    Raises
    ------
    PrivcheckError : a graph in several parts.

    Examples
    --------
    >>> oracle = MaximumSpanningTree(edges=((0, 1), (1, 2), (0, 2)))
    >>> oracle([0.2, 0.9, 0.4]), oracle.size
    ((1, 2), 2)
    >>> oracle.check([0])
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: super arm: got {0}, expected a spanning tree; the oracle has to return one
    """

    edges: tuple[Edge, ...] = parameter(Edges(), typical=((0, 1), (1, 2)), doc="the edges, one for each base arm")

    id: ClassVar[str] = "spanning-tree"
    feasible: ClassVar[str] = "a spanning tree"

    def __post_init__(self) -> None:
        super().__post_init__()
        if component(self.edges, self.edges[0][0]) != set(numbered(self.edges)):
            raise PrivcheckError("edges", self.edges, "a connected graph", "it has no spanning tree otherwise")

    @classmethod
    def of(cls, graph: Any) -> MaximumSpanningTree:
        """Return the problem of a networkx graph whose vertices are integers, in the order of `graph.edges()`."""
        return cls(tuple((a, b) for a, b in graph.edges()))

    @property
    def arms(self) -> int:  # type: ignore[override]
        """Number of base arms m."""
        return len(self.edges)

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number K of edges of a spanning tree, one less than the number of vertices."""
        return len(numbered(self.edges)) - 1

    def data(self) -> OracleData:
        number = numbered(self.edges)
        ends = np.array([(number[a], number[b]) for a, b in self.edges], np.int64)
        return OracleData(SPANNING_TREE, self.size, ends, np.array([len(number)], np.int64))

    def is_feasible(self, super_arm: tuple[int, ...]) -> bool:
        """Tell whether so many edges reach every vertex."""
        played = [self.edges[edge] for edge in super_arm]
        return len(played) == self.size and component(played, played[0][0]) == set(numbered(self.edges))
