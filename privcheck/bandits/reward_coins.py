"""Rewards in [0, 1] replaced by coins with the same mean, for algorithms that assume Bernoulli rewards.

A reward x is replaced by the outcome of one coin that shows 1 with probability x (Agrawal and Goyal 2012, Algorithm 2).
This preserves the means and turns any law on [0, 1] into a Bernoulli law; a law with a smaller variance loses that
advantage.

The privacy guarantee is the same. Every reward gets one coin, whatever its value, tossed independently of everything
else. With the coins fixed, an outcome is a function of its own reward alone, with values in {0, 1}: replacing one
reward changes one outcome by at most 1, the sensitivity of the reward itself. An algorithm that is epsilon-DP for every
fixed sequence of coins is epsilon-DP with random ones.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.declared import Choice, parameter
from privcheck.kernels import inlined, reward_sum
from privcheck.private_values import clip, rounded


def rewards_parameter() -> Any:
    """Declare how rewards are used: as they are, or as coins."""
    return parameter(
        Choice(("plain", "coin")), typical=("plain", "coin"), default="plain", doc="rewards as they are, or as coins"
    )


def toss(reward: Any, coins: np.random.Generator) -> Any:
    """Return 1 with probability `reward` in [0, 1], else 0, from one uniform draw (up to its resolution, 2^-52).

    The comparison is written as a rounding, floor(reward - u + 1), which a guarded run can track: the outcome of a
    private reward is a private integer that depends on the same datum.

    >>> coins = np.random.default_rng(0)
    >>> [int(toss(reward, coins)) for reward in (0.3, 0.3, 0.3, 0.0, 1.0)]
    [0, 1, 1, 0, 1]
    """
    return clip(rounded(reward + (0.5 - coins.random())), 0, 1)


@inlined
def tossed(reward: float, uniform: float) -> float:
    """Return what `toss` returns for this uniform draw.

    >>> tossed(0.3, 0.2), tossed(0.3, 0.4)
    (1.0, 0.0)
    """
    return min(max(math.floor(reward + (0.5 - uniform) + 0.5), 0.0), 1.0)


@inlined
def coin_sum(
    toss_coins: bool,
    table: Array,
    means: Array,
    rewards: np.random.Generator,
    coins: np.random.Generator,
    arm: int,
    start: int,
    stop: int,
) -> float:
    """Return `reward_sum`, or with `toss_coins` the sum of one coin for each of these rewards."""
    if not toss_coins:
        return reward_sum(table, means, rewards, arm, start, stop)
    total = 0.0
    for t in range(start, stop):
        total += tossed(reward_sum(table, means, rewards, arm, t, t + 1), coins.random())
    return total
