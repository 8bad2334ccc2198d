"""Combinatorial problems: which sets of base arms may be played, what they are worth, and which set looks best."""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

__all__ = [
    "ORACLES",
    "GreedyCoverage",
    "MaximumSpanningTree",
    "Oracle",
    "ShortestPath",
    "SuperArmOracle",
    "TopK",
]
