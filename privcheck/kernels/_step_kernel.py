"""The kernel of a bandit algorithm that chooses an arm in every round, made from a record per arm and two functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Actions, Array, Integers
from privcheck.kernels._building_blocks import Kernel, compiled, record, reward_sum
from privcheck.kernels._cache import stored_beside

Generator = np.random.Generator


def step_kernel(
    kept: npt.DTypeLike,
    select: Callable[[Any, Array, Generator, int, int], int],
    update: Callable[[Any, Array, Generator, Generator, float], None],
    *,
    each_arm_first: bool = True,
) -> Kernel:
    """Return the kernel of an algorithm, with the signature in `privcheck.kernels._building_blocks`.

    Parameters
    ----------
    kept : the dtype, with named fields, of the record of one arm. All fields are zero when a run starts.
    select : `select(arms, parameters, coins, t, last)` returns the arm to play, 0-based, after t rounds; `arms` has
        shape (K,) and the fields `kept`, and `last` is the arm of the previous round (0 in the first round).
    update : `update(arm, parameters, coins, noise, reward)` updates `arm`, the record of the arm that was played, with
        its reward.
    each_arm_first : whether the first K rounds play arms 0, ..., K - 1 without calling `select`.

    `select` and `update` are module-level functions, compiled by `inlined`; they become part of the kernel, which numba
    compiles and caches beside `select`. The reward is drawn after `select` and before `update`.

    Returns
    -------
    A compiled function.

    Notes
    -----
    Records are faster than one array per field: numba counts references to every array in every round unless it can
    prove that counting is superfluous. Records are not reference-counted.

    Examples
    --------
    `privcheck/bandits/ucb.py` is the shortest example.
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
        actions: Actions,
        checkpoints: Integers,
        regret: Array,
    ) -> None:
        best_mean = means.max()
        chosen_from = means.shape[0] if each_arm_first else 0
        for run in range(runs):
            arms = np.zeros(means.shape[0], fields)
            arm, cursor, total = 0, 0, 0.0
            for t in range(horizon):
                arm = select(arms, parameters, coins, t, arm) if t >= chosen_from else t
                update(arms[arm], parameters, coins, noise, reward_sum(table, means, rewards, arm, t, t + 1))
                cursor, total = record(
                    actions, run, checkpoints, best_mean - means[arm], regret, cursor, total, arm, t, t + 1
                )

    return compiled(stored_beside(select, update, kernel))
