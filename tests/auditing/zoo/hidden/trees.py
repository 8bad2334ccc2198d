"""Trees of prefix sums in which one node has no noise: a difference of two released sums shows it exactly."""

from __future__ import annotations

import numpy as np

from ..continual import _distinct, _nodes
from ..twins import Twins


def tree(levels, bare=None):
    """Return the binary tree mechanism for 2^(levels - 1) rounds, epsilon = 1, with one node left bare."""

    def release(data, rng, runs):
        noise = {node: rng.laplace(scale=levels, size=runs) for node in _distinct(len(data))}
        if bare is not None:
            noise[bare] = np.zeros(runs)
        noisy = [sum(noise[node] for node in nodes) for nodes in _nodes(len(data))]
        return np.cumsum(data) + np.stack(noisy, axis=1)

    return release


def bare_nodes(rounds):
    """Return every node of the tree that the releases use."""
    return _distinct(rounds)


def twins(rounds, bare):
    """Return the tree for so many rounds with a bare node, and the tree."""
    levels = rounds.bit_length()
    return Twins(
        f"tree of {rounds} rounds, node {bare[0] + 1} to {bare[1]} bare",
        "the sum of these rounds is the difference of two releases",
        tree(levels, bare),
        tree(levels),
        options={"horizon": rounds},
        needs="linear",
    )


TWINS = [
    twins(rounds, bare)
    for rounds, bare in ((8, (4, 6)), (8, (6, 7)), (16, (8, 12)), (16, (10, 11)), (32, (16, 24)), (32, (28, 30)))
]
