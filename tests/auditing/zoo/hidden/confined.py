"""Leaks that are confined to a few rounds of many."""

from __future__ import annotations

import numpy as np

from ..twins import Twins, policy
from .alternating import TELL


def repeats_the_last(rounds, tell, follow):
    """Return a policy that plays uniformly, but in some rounds stays with or leaves an arm by its last reward.

    Parameters
    ----------
    rounds : these rounds, 0-based.
    tell : probability with which the reward's indicator is told as it is.
    follow : probability with which the policy goes by it.

    """

    def play(table, rng, runs):
        arms = table.shape[1]
        actions = rng.integers(arms, size=(runs, len(table)))
        for t in rounds:
            last = actions[:, t - 1]
            good = (table[t - 1, last] > 0.5) == (rng.random(runs) < tell)
            moved = np.where(good, last, (last + 1) % arms)
            actions[:, t] = np.where(rng.random(runs) < follow, moved, actions[:, t])
        return actions

    return policy(play)


TWINS = [
    Twins(
        "rounds 64 to 127 of 200", "there the last reward decides", repeats_the_last(range(64, 128), 1.0, 0.9),
        repeats_the_last(range(64, 128), TELL, 1.0), options={"arms": 5, "horizon": 200}, needs="rounds",
    ),
    Twins(
        "one round of 64", "the reward of round 42 decides in round 43", repeats_the_last([42], 1.0, 0.9),
        repeats_the_last([42], TELL, 1.0), options={"arms": 2, "horizon": 64}, needs="rounds",
    ),
]  # fmt: skip
