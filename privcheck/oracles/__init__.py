"""Combinatorial problems: which sets of base arms may be played, what they are worth, and which set looks best."""

from __future__ import annotations

from privcheck.oracles.base import ORACLES, Oracle, SuperArmOracle
from privcheck.oracles.coverage import GreedyCoverage
from privcheck.oracles.shortest_path import ShortestPath
from privcheck.oracles.spanning_tree import MaximumSpanningTree
from privcheck.oracles.top_k import TopK

__all__ = ["ORACLES", "GreedyCoverage", "MaximumSpanningTree", "Oracle", "ShortestPath", "SuperArmOracle", "TopK"]
