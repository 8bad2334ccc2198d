"""Compiled building blocks that all kernels share: one source of rewards and one recorder.

A kernel is one compiled function with the signature

    kernel(parameters, table, means, rewards, coins, noise, horizon, runs, actions, checkpoints, regret)

that plays `runs` independent runs of `horizon` rounds. For an algorithm that chooses an arm in every round,
`privcheck.kernels._step_kernel` makes the kernel from two functions; the other kernels are written out. Audits and
simulations use the same kernel:

- rewards come from `table`: an array (float64, (T, K)), if it has rows; Bernoulli(`means`), one Binomial per episode,
  if the array has none; or `Laws`, the laws of the arms. Kernels only pass it to `reward_sum`, and compute regret from
  `means`;
- `rewards`, `coins` and `noise` are three numpy Generators: for the environment, the algorithm and the privacy noise;
- `actions` (int8, (runs, T), or (0, 0) to omit them) receives every action;
- `regret` (float64, (runs, C)) receives the pseudo-regret at the C rounds in `checkpoints` (int64, increasing).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import types
from numba.extending import overload

from privcheck.arrays import Array, Integers, Symbols
from privcheck.kernels._cache import compiled, fingerprint, inlined
from privcheck.kernels._reward_laws import Laws, law_sum

__all__ = ["Kernel", "compiled", "fingerprint", "inlined", "record", "reward_sum"]

Kernel = Callable[..., None]


@inlined
def table_sum(table: Array, means: Array, rewards: np.random.Generator, arm: int, start: int, stop: int) -> float:
    """Return the sum of the rewards of `arm` in the rows start, ..., stop - 1 of a table, or of as many Bernoullis."""
    if table.shape[0] > 0:
        total = 0.0
        for t in range(start, stop):
            total += table[t, arm]
        return total
    if stop - start == 1:
        return 1.0 if rewards.random() < means[arm] else 0.0
    return float(rewards.binomial(stop - start, means[arm]))


def drawn_sum(
    source: Array | Laws, means: Array, rewards: np.random.Generator, arm: int, start: int, stop: int
) -> float:
    """Return the sum of rewards of an arm from an array or from laws; in compiled code, the type decides."""
    if isinstance(source, Laws):
        return law_sum(source, rewards, arm, stop - start)
    return table_sum(source, means, rewards, arm, start, stop)


def _by_type(source, means, rewards, arm, start, stop):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(source, types.Array):
        return lambda source, means, rewards, arm, start, stop: table_sum(source, means, rewards, arm, start, stop)
    return lambda source, means, rewards, arm, start, stop: law_sum(source, rewards, arm, stop - start)  # noqa: ARG005


overload(drawn_sum)(_by_type)


@inlined
def reward_sum(
    table: Array | Laws, means: Array, rewards: np.random.Generator, arm: int, start: int, stop: int
) -> float:
    """Return the sum of the rewards of `arm` over the 0-based rounds start, ..., stop - 1."""
    return drawn_sum(table, means, rewards, arm, start, stop)


@inlined
def record(
    actions: Symbols,
    run: int,
    checkpoints: Integers,
    gap: float,
    regret: Array,
    cursor: int,
    total: float,
    arm: int,
    start: int,
    stop: int,
) -> tuple[int, float]:
    """Record that `arm`, of suboptimality gap `gap`, was played in rounds start, ..., stop - 1; return (cursor, total).

    `cursor` is the first checkpoint that has not been written yet, and `total` the pseudo-regret up to `start`.
    """
    if actions.shape[0] > 0:
        for t in range(start, stop):
            actions[run, t] = arm
    while cursor < checkpoints.shape[0] and checkpoints[cursor] <= stop:
        regret[run, cursor] = total + gap * (checkpoints[cursor] - start)
        cursor += 1
    return cursor, total + gap * (stop - start)
