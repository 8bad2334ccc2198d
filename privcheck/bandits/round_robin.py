"""The first batches of all arms in turns: arms 0, 1, ..., K - 1, 0, 1, ..., for kernels."""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from privcheck.arrays import Actions, Array, Integers
from privcheck.bandits.reward_coins import tossed
from privcheck.kernels import Laws, inlined, law_sum, reward_sum


@inlined
def turns(arm: int, arms: int, rounds: int) -> int:
    """Return how often it is the turn of `arm` in so many rounds.

    >>> [turns(arm, 3, 7) for arm in range(3)], turns(2, 3, 1)
    ([3, 2, 2], 0)
    """
    return (rounds - arm + arms - 1) // arms


@inlined
def table_turns(table: Array, means: Array, rewards: np.random.Generator, arm: int, rounds: int) -> float:
    """Return the sum of an arm's rewards in its turns, from a table or, if it has no rows, from Bernoulli(`means`)."""
    arms, total = means.shape[0], 0.0
    if table.shape[0] > 0:
        for t in range(arm, rounds, arms):
            total += table[t, arm]
        return total
    return reward_sum(table, means, rewards, arm, 0, turns(arm, arms, rounds))


def drawn_turns(source: Array | Laws, means: Array, rewards: np.random.Generator, arm: int, rounds: int) -> float:
    """Return the sum of an arm's rewards in its turns; in compiled code, the type of the source decides."""
    if isinstance(source, Laws):
        return law_sum(source, rewards, arm, turns(arm, len(means), rounds))
    return table_turns(source, means, rewards, arm, rounds)


def _by_type(source, means, rewards, arm, rounds):  # type: ignore[no-untyped-def]
    if isinstance(source, types.Array):
        return lambda source, means, rewards, arm, rounds: table_turns(source, means, rewards, arm, rounds)
    return lambda source, means, rewards, arm, rounds: law_sum(source, rewards, arm, turns(arm, len(means), rounds))


overload(drawn_turns)(_by_type)


@inlined
def sums_in_turns(
    toss_coins: bool,
    table: Array,
    means: Array,
    rewards: np.random.Generator,
    coins: np.random.Generator,
    rounds: int,
    sums: Array,
) -> None:
    """Write to `sums` the sum of each arm's rewards, or of their coins, over the first `rounds` rounds, in turns."""
    arms = means.shape[0]
    sums[:] = 0.0
    if toss_coins:
        for t in range(rounds):
            sums[t % arms] += tossed(reward_sum(table, means, rewards, t % arms, t, t + 1), coins.random())
    else:
        for a in range(min(arms, rounds)):
            sums[a] = drawn_turns(table, means, rewards, a, rounds)


@inlined
def record_turns(
    actions: Actions, run: int, checkpoints: Integers, means: Array, regret: Array, rounds: int
) -> tuple[int, float]:
    """Record that the arms took turns in the first `rounds` rounds; return (cursor, total), as `record` does."""
    arms, best, cursor, total = means.shape[0], means.max(), 0, 0.0
    if actions.shape[0] > 0:
        for t in range(rounds):
            actions[run, t] = t % arms
    while cursor < checkpoints.shape[0] and checkpoints[cursor] <= rounds:
        regret[run, cursor] = 0.0
        for a in range(arms):
            regret[run, cursor] += turns(a, arms, checkpoints[cursor]) * (best - means[a])
        cursor += 1
    for a in range(arms):
        total += turns(a, arms, rounds) * (best - means[a])
    return cursor, total
