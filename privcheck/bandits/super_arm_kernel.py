"""The kernel of an algorithm that asks the oracle in every round, made from a record per base arm and two functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array, Integers
from privcheck.bandits.combinatorial import INDISTINCT
from privcheck.kernels import Kernel, compiled, inlined, record, reward_sum, stored_beside
from privcheck.oracles import OracleData, expected_reward, super_arm

Generator = np.random.Generator

SHARED = 2
"""The first numbers among a kernel's parameters: 1 to break ties at random, 1 for the fallback "first"."""


@inlined
def bits(chosen: Integers, count: int) -> int:
    """Return the sum of 2^i over the first base arms i of an array."""
    found = 0
    for j in range(count):
        found |= 1 << chosen[j]
    return found


def super_arm_kernel(
    kept: npt.DTypeLike,
    indices: Callable[[Any, Array, int, Array], None],
    update: Callable[[Any, Array, Generator, int, Integers, int, Array], None],
) -> Kernel:
    """Return the kernel of an algorithm, with the signature in `privcheck.bandits.combinatorial`.

    Parameters
    ----------
    kept : the dtype, with named fields, of the record of one base arm. All fields are zero when a run starts.
    indices : `indices(arms, parameters, t, index)` writes the index of every base arm after t rounds; `arms` has the
        shape (m,) and the fields `kept`.
    update : `update(arms, parameters, noise, t, chosen, count, outcomes)` takes in the outcomes of the base arms
        `chosen[:count]` in round t, counted from 1.

    The two functions are compiled by `inlined`; the first two numbers of `parameters` are read here (see `SHARED`).
    """
    fields = np.dtype(kept)

    def kernel(
        parameters: Array,
        table: Array,
        means: Array,
        rewards: Generator,
        coins: Generator,
        noise: Generator,
        horizon: int,
        runs: int,
        actions: Integers,
        checkpoints: Integers,
        regret: Array,
        oracle: OracleData,
        target: float,
    ) -> None:
        m, random_ties, first = means.shape[0], parameters[0] > 0.0, parameters[1] > 0.0
        index, outcomes, chosen = np.ones(m), np.zeros(m), np.zeros(m, np.int64)
        count = super_arm(oracle, index, chosen)
        fallback, fallback_count = chosen.copy(), count
        for run in range(runs):
            arms = np.zeros(m, fields)
            cursor, total = 0, 0.0
            for t in range(horizon):
                indices(arms, parameters, t, index)
                negative = False
                if first:
                    for i in range(m):
                        negative |= index[i] < 0.0
                if random_ties:
                    for i in range(m):
                        index[i] -= INDISTINCT * coins.random()
                if negative:
                    count = fallback_count
                    chosen[:count] = fallback[:count]
                else:
                    count = super_arm(oracle, index, chosen)
                for j in range(count):
                    outcomes[j] = reward_sum(table, means, rewards, chosen[j], t, t + 1)
                update(arms, parameters, noise, t + 1, chosen, count, outcomes)
                gap = target - expected_reward(oracle, means, chosen, count)
                symbol = bits(chosen, count)
                cursor, total = record(actions, run, checkpoints, gap, regret, cursor, total, symbol, t, t + 1)

    return compiled(stored_beside(indices, update, kernel))
