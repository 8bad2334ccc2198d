"""Choices by noisy counts."""

from itertools import product

import numpy as np

from .twins import Twins, largest_log_ratio

GRID = np.linspace(-40.0, 40.0, 160_001)


def noisy_max(scale):
    def choose(data, rng, runs):
        return np.argmax(data.sum(axis=0) + rng.laplace(scale=scale, size=(runs, data.shape[1])), axis=1)

    return choose


def _distribution(x):
    return np.where(x < 0.0, 0.5 * np.exp(np.minimum(x, 0.0)), 1.0 - 0.5 * np.exp(-np.maximum(x, 0.0)))


def _winners(counts):
    """Return the law of argmax(counts + Lap(1)), by the trapezoid rule with whole counts on the grid."""
    below = np.array([_distribution(GRID - count) for count in counts])
    density = [0.5 * np.exp(-np.abs(GRID - count)) for count in counts]
    others = [np.prod(np.delete(below, arm, axis=0), axis=0) for arm in range(len(counts))]
    return [np.trapezoid(d * o, GRID) for d, o in zip(density, others, strict=True)]


def noisy_max_law(first, second):
    return largest_log_ratio(_winners(first.sum(axis=0)), _winners(second.sum(axis=0)))


STEP = 10.0
"""Noisy counts are compared in steps of 10."""


def coarse_max(*, by_raw_counts):
    """Choose the larger of two noisy counts, rounded; ties go to the larger raw count, or to the first."""

    def choose(data, rng, runs):
        counts = data.sum(axis=0)
        noisy = np.round((counts + rng.laplace(scale=2.0, size=(runs, 2))) / STEP)
        tie = int(counts[1] > counts[0]) if by_raw_counts else 0
        return np.where(noisy[:, 0] == noisy[:, 1], tie, np.argmax(noisy, axis=1))

    return choose


def coarse_max_law(first, second):
    """Return the loss of the broken one, by summing over the steps of both counts."""

    def second_wins(counts):
        edges = (np.arange(-12, 13) + 0.5) * STEP
        cells = [np.diff(_distribution((edges - count) / 2.0)) for count in counts]
        tie = counts[1] > counts[0]
        places = product(range(len(edges) - 1), repeat=2)
        return sum(cells[0][i] * cells[1][j] for i, j in places if j > i or (i == j and tie))

    p, q = (second_wins(data.sum(axis=0)) for data in (first, second))
    return largest_log_ratio([p, 1.0 - p], [q, 1.0 - q])


TWINS = [
    Twins(
        "noisy max with the monotone scale",
        "under replacement one count rises and another falls: noise of scale 1 costs up to 2",
        noisy_max(1.0),
        noisy_max(2.0),
        options={"arms": 4},
        law=noisy_max_law,
    ),
    Twins(
        "ties broken by raw counts",
        "equal rounded noisy counts are told apart by the counts themselves",
        coarse_max(by_raw_counts=True),
        coarse_max(by_raw_counts=False),
        options={"arms": 2},
        law=coarse_max_law,
    ),
]
