"""The trees written a second time without the code under test: nodes by greedy splitting, losses and laws by scipy."""

from typing import Any

import numpy as np
from scipy import stats

TREE_VALUE = (1.0, 0.0, 2.5, 1.0, 0.5, 3.0, 1.0)


def standard_laplace_p_value(noise: np.ndarray) -> float:
    """The two tests of `laplace_p_value` on noise of scale 1, shape (draws, entries)."""

    def difference_cdf(x):
        tail = (2 + np.abs(x)) * np.exp(-np.abs(x)) / 4
        return np.where(x < 0, tail, 1 - tail)

    entries = stats.kstest(noise.ravel(), stats.laplace.cdf).pvalue
    return 2 * min(entries, stats.kstest(noise[:, 0] - noise[:, 1], difference_cdf).pvalue)


def blocks(length: int) -> list[tuple[int, int]]:
    """Split 1, ..., length greedily into blocks of powers of two, largest first: (before the first, last)."""
    split, done = [], 0
    while done < length:
        size = 1
        while 2 * size <= length - done:
            size *= 2
        split.append((done, done + size))
        done += size
    return split


def binary_nodes(mechanism: Any, length: int) -> list[tuple[int, int, float]]:
    """Every block that a prefix up to `length` needs, in the order of its last item, with its scale."""
    found = {block for t in range(1, length + 1) for block in blocks(t)}
    return [(*block, mechanism.scale) for block in sorted(found, key=lambda block: block[1])]


def kary_nodes(degree: int):
    """The blocks of a greedy splitting into powers of the degree, largest first, for every prefix."""

    def nodes(mechanism: Any, length: int) -> list[tuple[int, int, float]]:
        found = set()
        for t in range(1, length + 1):
            done = 0
            while done < t:
                size = max(degree**level for level in range(30) if degree**level <= t - done)
                found.add((done, done + size))
                done += size
        return [(*block, mechanism.scale) for block in sorted(found, key=lambda block: block[1])]

    return nodes


def hybrid_nodes(mechanism: Any, length: int) -> list[tuple[int, int, float]]:
    """The same for epochs that end at 1, 2, 4, ...: blocks of the tree of an epoch, then its total."""
    found, first, last = [], 0, 1
    while first < length:
        size = last - first
        tree = sorted({block for t in range(1, size) for block in blocks(t)}, key=lambda block: block[1])
        most = max([sum(a <= item < b for a, b in tree) for item in range(size)])
        found += [(first + a, first + b, most * mechanism.scale / 0.7) for a, b in tree]
        found.append((first, last, mechanism.scale / 0.3))
        first, last = last, 2 * last
    return found[:length]


def tree_worst_loss(nodes):
    """The item that costs most, by summing scipy's tail losses of the nodes that contain it."""

    def worst(mechanism: Any, sensitivity: float) -> float:
        released = nodes(mechanism, 8)
        law = stats.laplace()
        cost = [law.logsf(0.0) - law.logsf(sensitivity / scale) for _, _, scale in released]
        return float(max(sum(c for c, (a, b, _) in zip(cost, released, strict=True) if a <= i < b) for i in range(8)))

    return worst


def tree_change(rng: np.random.Generator, sensitivity: float) -> tuple[Any, Any, Any]:
    value, step = rng.normal(size=(8, 2)), rng.normal(size=2)
    other = value.copy()
    other[rng.integers(8)] += step * sensitivity / np.abs(step).sum()
    return np.cumsum(value, axis=0) + rng.normal(size=(8, 2)) * 30, value, other


def tree_p_value(nodes):
    """Undo the prefix sums into nodes; their noise, in units of the scales, is independent standard Laplace."""

    def p_value(mechanism: Any, draws: np.ndarray) -> float:
        released = nodes(mechanism, len(TREE_VALUE))
        prefixes = np.concatenate((np.zeros((len(draws), 1)), draws), axis=1)
        noise = [(prefixes[:, b] - prefixes[:, a] - sum(TREE_VALUE[a:b])) / scale for a, b, scale in released]
        return standard_laplace_p_value(np.array(noise).T)

    return p_value
