"""Laws of rewards from which kernels draw single rewards and sums, whose law is exactly that of single draws."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array
from privcheck.kernels._cache import compiled, inlined

FINITE, BETA, TRUNCATED_GAUSSIAN, CLIPPED_GAUSSIAN, GAUSSIAN = range(5)


class Laws(NamedTuple):
    """The laws of the K arms, all of one kind.

    FINITE : `parameters` (K, n) are the probabilities of the n `atoms`, `cumulative` their cumulative sums; the sum of
    more than n rewards is drawn as a chain of n Binomials. See `finite_laws`.
    BETA : `parameters` (K, 2) are a and b.
    TRUNCATED_GAUSSIAN : location in [0, 1] and deviation of a Gaussian that is conditioned on [0, 1].
    CLIPPED_GAUSSIAN : mean and deviation of a Gaussian that is clipped to [0, 1].
    GAUSSIAN : mean and deviation; a sum is drawn as one Gaussian.
    """

    kind: int
    atoms: Array
    parameters: Array
    cumulative: Array = np.zeros((0, 0))


NO_ATOMS: Array = np.zeros(0)

SUMMABLE = (FINITE, GAUSSIAN)
"""The kinds for which the sum of an episode takes only a few draws."""


def finite_laws(atoms: npt.ArrayLike, weights: npt.ArrayLike) -> Laws:
    """Return the laws with probabilities `weights` (K, n), whose rows add up to 1, on `atoms` (n,).

    >>> finite_laws([0.0, 0.5, 1.0], [[0.25, 0.75, 0.0]]).cumulative.tolist()
    [[0.25, 1.0, 1.0]]
    """
    probabilities = np.array(weights, np.float64)
    cumulative = np.cumsum(probabilities, axis=1)
    for row, shares in zip(cumulative, probabilities, strict=True):
        row[np.flatnonzero(shares)[-1] :] = 1.0  # so that rounded sums leave no draw beyond the last atom
    return Laws(FINITE, np.array(atoms, np.float64), probabilities, cumulative)


@inlined
def law_sum(laws: Laws, rewards: np.random.Generator, arm: int, count: int) -> float:
    """Return the sum of `count` independent rewards of an arm.

    >>> law_sum(finite_laws([0.0, 0.5], [[0.0, 1.0]]), np.random.default_rng(0), 0, 10)
    5.0
    """
    if laws.kind == GAUSSIAN:
        mean, deviation = laws.parameters[arm, 0], laws.parameters[arm, 1]
        return float(count * mean + math.sqrt(count) * deviation * rewards.standard_normal())
    if laws.kind == FINITE and count > laws.atoms.shape[0]:
        return _finite_sum(laws, rewards, arm, count)
    total = 0.0
    for _ in range(count):
        total += _one(laws, rewards, arm)
    return total


@inlined
def _one(laws: Laws, rewards: np.random.Generator, arm: int) -> float:
    if laws.kind != FINITE:
        first, second = laws.parameters[arm, 0], laws.parameters[arm, 1]
        if laws.kind == BETA:
            return float(rewards.beta(first, second))
        if laws.kind == TRUNCATED_GAUSSIAN:
            return _truncated_gaussian(first, second, rewards)
        return float(min(max(first + second * rewards.standard_normal(), 0.0), 1.0))
    return float(laws.atoms[np.searchsorted(laws.cumulative[arm], rewards.random(), side="right")])


@compiled
def _finite_sum(laws: Laws, rewards: np.random.Generator, arm: int, count: int) -> float:
    """Return the sum of a multinomial count of atoms, atom by atom, each a Binomial of the remaining draws."""
    total, left, probability, last = 0.0, count, 1.0, 0
    for atom in range(laws.atoms.shape[0]):
        weight = laws.parameters[arm, atom]
        if weight > 0.0:
            last = atom
            drawn = rewards.binomial(left, min(weight / probability, 1.0)) if probability > 0.0 else left
            total += drawn * laws.atoms[atom]
            left -= drawn
            probability -= weight
    return float(total + left * laws.atoms[last])


@compiled
def _truncated_gaussian(location: float, deviation: float, rewards: np.random.Generator) -> float:
    """Return a Gaussian conditioned on [0, 1], by rejection; nearly half of the proposals or more are accepted."""
    if deviation < 0.4:
        while True:
            value = location + deviation * rewards.standard_normal()
            if 0.0 <= value <= 1.0:
                return float(value)
    while True:
        value = rewards.random()
        z = (value - location) / deviation
        if rewards.random() <= math.exp(-0.5 * z * z):
            return float(value)


@compiled
def law_table(laws: Laws, rewards: np.random.Generator, horizon: int) -> Array:
    """Return one draw of all rewards of `horizon` rounds, shape (horizon, K)."""
    table = np.empty((horizon, laws.parameters.shape[0]))
    for t in range(horizon):
        for arm in range(table.shape[1]):
            table[t, arm] = law_sum(laws, rewards, arm, 1)
    return table
