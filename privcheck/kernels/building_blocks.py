"""Compiled building blocks that every kernel shares: one source of rewards, one recorder.

A kernel is one compiled function with the signature

    kernel(parameters, table, means, rewards, coins, noise, horizon, runs, actions, checkpoints, regret)

that plays `runs` independent runs of `horizon` rounds. `privcheck.kernels.step_kernel` makes the kernel of an algorithm
that chooses in every round from its two functions; the others are written out. A kernel serves the auditor and the
simulator alike:

- rewards come from `table`: an array (float64, (T, K)) when it has rows; Bernoulli(`means`), one Binomial per episode,
  when it has none; or `Laws`, the laws of the arms. Kernels only hand it to `reward_sum`, and pay regret by `means`;
- `rewards`, `coins` and `noise` are three numpy Generators: the environment's, the algorithm's own, the privacy noise;
- `actions` (int8, (runs, T), or (0, 0) to leave out) receives every action;
- `regret` (float64, (runs, C)) receives the pseudo-regret at the C rounds in `checkpoints` (int64, increasing).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import overload

from privcheck.kernels.cache import compiled, fingerprint, inlined
from privcheck.kernels.reward_laws import Laws, law_sum

__all__ = ["Actions", "Floats", "Integers", "Kernel", "compiled", "fingerprint", "inlined", "record", "reward_sum"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Actions = npt.NDArray[np.int8]
Kernel = Callable[..., None]


@inlined
def table_sum(table: Floats, means: Floats, rewards: np.random.Generator, arm: int, start: int, stop: int) -> float:
    """Return the sum of the rewards of `arm` in the rows start, ..., stop - 1 of a table, or of so many Bernoullis."""
    if table.shape[0] > 0:
        total = 0.0
        for t in range(start, stop):
            total += table[t, arm]
        return total
    if stop - start == 1:
        return 1.0 if rewards.random() < means[arm] else 0.0
    return float(rewards.binomial(stop - start, means[arm]))


def drawn_sum(
    source: Floats | Laws, means: Floats, rewards: np.random.Generator, arm: int, start: int, stop: int
) -> float:
    """Return the sum of rewards of an arm from an array or from laws; compiled code decides by the type."""
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
    table: Floats | Laws, means: Floats, rewards: np.random.Generator, arm: int, start: int, stop: int
) -> float:
    """Return the sum of the rewards of `arm` over the 0-based rounds start, ..., stop - 1."""
    return drawn_sum(table, means, rewards, arm, start, stop)


@inlined
def record(
    actions: Actions,
    run: int,
    checkpoints: Integers,
    gap: float,
    regret: Floats,
    cursor: int,
    total: float,
    arm: int,
    start: int,
    stop: int,
) -> tuple[int, float]:
    """Note that `arm` (of sub-optimality gap `gap`) was played in rounds start, ..., stop - 1; return (cursor, total).

    `cursor` is the first checkpoint not yet written and `total` the pseudo-regret up to `start`.
    """
    if actions.shape[0] > 0:
        for t in range(start, stop):
            actions[run, t] = arm
    while cursor < checkpoints.shape[0] and checkpoints[cursor] <= stop:
        regret[run, cursor] = total + gap * (checkpoints[cursor] - start)
        cursor += 1
    return cursor, total + gap * (stop - start)
