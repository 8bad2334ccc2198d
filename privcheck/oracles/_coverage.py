"""Probabilistic maximum coverage, by the greedy algorithm."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.declared import Integer, parameter
from privcheck.errors import PrivcheckError, words
from privcheck.oracles._base import Oracle
from privcheck.oracles._compiled_oracles import COVERAGE, OracleData
from privcheck.oracles._edges import Edge, Edges

MOST_SETS = 200_000
"""The most choices of left vertices among which the best one is searched."""


@dataclass(frozen=True)
class GreedyCoverage(Oracle):
    """Choose k left vertices of a bipartite graph, all of whose edges are played, so as to cover many right vertices.

    Base arm e = (u, v) is 1 if u covers v; the reward is the number of right vertices that at least one edge covers, in
    expectation sum_v 1 - prod_e (1 - mu_e). The oracle chooses greedily, which gives at least alpha = 1 - 1/e of the
    largest reward (Nemhauser, Wolsey and Fisher 1978); the regret is measured against that share.

    Parameters
    ----------
    edges : one pair (left, right) for each of the m base arms, 2 <= m <= 62; the two sides are numbered separately.
    picks : k, how many left vertices are chosen, at most as many as there are.

    Raises
    ------
    PrivcheckError : more picks than left vertices, or so many choices that the best cannot be searched for.

    Examples
    --------
    >>> oracle = GreedyCoverage(edges=((0, 0), (0, 1), (1, 1), (2, 2)), picks=2)
    >>> oracle([0.9, 0.9, 1.0, 0.3]), oracle.size
    ((0, 1, 3), 3)
    >>> round(oracle.best([0.9, 0.9, 1.0, 0.3]), 12), round(oracle.alpha, 6)
    (2.1, 0.632121)
    """

    edges: tuple[Edge, ...] = parameter(
        Edges(loops=True), typical=((0, 0), (1, 1)), doc="the edges from left to right, one for each base arm"
    )
    picks: int = parameter(Integer(1), typical=(1, 2), doc="k, how many left vertices are chosen")

    id: ClassVar[str] = "coverage"
    alpha: ClassVar[float] = 1.0 - math.exp(-1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        left = len(self._degrees())
        if self.picks > left:
            raise PrivcheckError("picks", self.picks, f"at most the {left} left vertices")
        if math.comb(left, self.picks) > MOST_SETS:
            got = words(f"{math.comb(left, self.picks)} choices of {self.picks} of {left} left vertices")
            raise PrivcheckError("picks", got, f"at most {MOST_SETS} choices", "the best of them is searched for")

    def _degrees(self) -> Counter[int]:
        return Counter(u for u, _ in self.edges)

    @property
    def arms(self) -> int:  # type: ignore[override]
        """Number of base arms m."""
        return len(self.edges)

    @property
    def size(self) -> int:  # type: ignore[override]
        """Largest number K of edges of k left vertices."""
        return sum(degree for _, degree in self._degrees().most_common(self.picks))

    def data(self) -> OracleData:
        left, right = ({v: n for n, v in enumerate(sorted({edge[side] for edge in self.edges}))} for side in range(2))
        ends = np.array([(left[u], right[v]) for u, v in self.edges], np.int64)
        return OracleData(COVERAGE, self.size, ends, np.array([len(left), len(right), self.picks], np.int64))

    def is_feasible(self, super_arm: tuple[int, ...]) -> bool:
        """Tell whether the edges are all edges of k left vertices."""
        chosen = {self.edges[edge][0] for edge in super_arm}
        return len(chosen) == self.picks and super_arm == self._edges_of(chosen)

    def feasible_here(self) -> str:
        return f"all edges of {self.picks} left vertices"

    def best(self, means: npt.ArrayLike) -> float:
        """Return the largest expected coverage, by trying all choices: the greedy one need not have it."""
        return max(
            self.reward(means, self._edges_of(set(chosen))) for chosen in combinations(self._degrees(), self.picks)
        )

    def _edges_of(self, chosen: set[int]) -> tuple[int, ...]:
        return tuple(arm for arm, (u, _) in enumerate(self.edges) if u in chosen)
