"""Decision sets and rewards of contextual linear bandits in compiled code: drawn, or taken from a table."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from privcheck.arrays import Array
from privcheck.kernels._cache import compiled

SIGNS, NORMAL = range(2)
"""Laws of rewards of mean m: -1 or 1, and normal with standard deviation 1."""


class DecisionSets(NamedTuple):
    """Where the decision sets and rewards of a simulation come from.

    Parameters
    ----------
    contexts : the decision set of each row, shape (R, K, d); R = 0 if they are drawn, as `draw_decision_set` does.
    rewards : the reward of each action of each row, shape (R, K).
    means : the mean rewards that define the regret, shape (R, K).
    resampled : whether each round takes a row at random; otherwise round t takes row t.
    best, high, low : the mean reward of the best action, and the range of those of the others.
    law : the law of drawn rewards.
    """

    contexts: Array
    rewards: Array
    means: Array
    resampled: bool
    best: float
    high: float
    low: float
    law: int


@compiled
def draw_direction(rng: np.random.Generator, vector: Array) -> None:
    """Write a point that is uniform on the unit sphere into `vector`, shape (d,).

    >>> vector = np.zeros(3)
    >>> draw_direction(np.random.default_rng(0), vector)
    >>> round(float(np.linalg.norm(vector)), 12)
    1.0
    """
    square = 0.0
    while square == 0.0:
        for j in range(vector.shape[0]):
            vector[j] = rng.standard_normal()
            square += vector[j] * vector[j]
    for j in range(vector.shape[0]):
        vector[j] /= math.sqrt(square)


@compiled
def draw_decision_set(
    rng: np.random.Generator, theta: Array, best: float, high: float, low: float, actions: Array, means: Array
) -> int:
    """Draw a decision set of unit vectors, and return which action is the best.

    One action, at a uniform place, is uniform on the vectors x of length 1 with <x, theta> = best. The others are
    independent and uniform on those with <x, theta> in [low, high].

    Parameters
    ----------
    theta : the unknown parameter, a unit vector of shape (d,), d >= 2.
    actions, means : receive the actions, shape (K, d), and their products with theta, shape (K,).

    Source: Shariff and Sheffet (2018), appendix D.

    Examples
    --------
    >>> theta, actions, means = np.array([0.0, 1.0]), np.zeros((3, 2)), np.zeros(3)
    >>> first = draw_decision_set(np.random.default_rng(0), theta, 0.75, 0.65, -0.75, actions, means)
    >>> float(means[first]), bool(np.allclose(actions @ theta, means)), bool(np.delete(means, first).max() <= 0.65)
    (0.75, True, True)
    """
    count, size = actions.shape
    chosen = int(rng.integers(0, count))
    for a in range(count):
        inside = False
        while not inside:
            square = 0.0
            along = 0.0
            for j in range(size):
                drawn = rng.standard_normal()
                actions[a, j] = drawn
                square += drawn * drawn
                along += drawn * theta[j]
            root = math.sqrt(square)
            rest = square - along * along
            inside = rest > 1e-12 * square if a == chosen else low * root <= along <= high * root
        if a == chosen:
            stretch = math.sqrt((1.0 - best * best) / rest)
            for j in range(size):
                actions[a, j] = best * theta[j] + stretch * (actions[a, j] - along * theta[j])
            means[a] = best
        else:
            for j in range(size):
                actions[a, j] /= root
            means[a] = along / root
    return chosen


@compiled
def draw_reward(rng: np.random.Generator, mean: float, law: int) -> float:
    """Return a reward of this mean.

    >>> draw_reward(np.random.default_rng(0), 1.0, SIGNS)
    1.0
    """
    if law == SIGNS:
        return 1.0 if rng.random() < 0.5 * (1.0 + mean) else -1.0
    return mean + float(rng.standard_normal())
