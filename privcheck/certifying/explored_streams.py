"""The streams on which a certificate explores a policy, and their neighbours."""

from __future__ import annotations

import numpy as np

from privcheck.arrays import Table
from privcheck.privacy import Contexts
from privcheck.targets.settings import Settings

REPLAYED = 4
"""Streams on whose neighbours transcripts are replayed."""

REPLAYED_ROUNDS = 100
"""Rounds of such a stream that are changed, one at a time: all of a stream that is not longer."""

REPLAYED_SEEDS = 3
"""Seeds of coins and noise with which each of these pairs is replayed, unless that takes more than `MOST_ROUNDS`."""

MOST_ROUNDS = 120_000


def random_table(rng: np.random.Generator, horizon: int, arms: int, settings: Settings, number: int) -> Table:
    """Return a stream: rewards at the ends of the range for two in three, inside it for the others; random contexts."""
    low, high = settings.rewards
    rewards: Table = rng.uniform(low, high, (horizon, arms))
    if number % 3 < 2:
        rewards = np.where(rng.random((horizon, arms)) < rng.random(arms), high, low)
    contexts: Contexts | None = settings.contexts
    if contexts is None:
        return rewards
    contexts.columns(arms)
    return contexts.join(rewards, contexts.draw(rng, horizon))


def changed_tables(rng: np.random.Generator, table: Table, arms: int, settings: Settings) -> list[tuple[Table, Table]]:
    """Return a neighbour for every round of a table (evenly spread rounds of a long one): rewards moved to the other
    end, and another context, every second time an extreme one.
    """
    pairs = []
    low, high = settings.rewards
    for place in np.unique(np.linspace(0, len(table) - 1, min(len(table), REPLAYED_ROUNDS)).astype(int)):
        changed = table.copy()
        if settings.relation.unit == "reward":
            arm = int(rng.integers(arms))
            changed[place, arm] = low if table[place, arm] > (low + high) / 2 else high
        else:
            rounds = slice(place, place + settings.relation.limit)
            changed[rounds, :arms] = np.where(table[rounds, :arms] > (low + high) / 2, low, high)
        if settings.contexts is not None:
            corners = settings.contexts.corners
            drawn = settings.contexts.draw(rng, 1)[0]
            changed[place, arms:] = (corners[rng.integers(len(corners))] if place % 2 else drawn).ravel()
        pairs.append((table, changed))
    return pairs


def replayed_seeds(rounds: int) -> int:
    """Return how many seeds to replay with, when one takes so many rounds.

    >>> replayed_seeds(1000), replayed_seeds(50_000), replayed_seeds(400_000)
    (3, 2, 1)
    """
    return max(1, min(REPLAYED_SEEDS, MOST_ROUNDS // rounds))
