"""The streams on which a certificate explores a policy, and their neighbours."""

from __future__ import annotations

import numpy as np

from privcheck.arrays import Table
from privcheck.privacy import Contexts
from privcheck.targets import Game

REPLAYED = 4
"""Number of streams on whose neighbours transcripts are replayed: three with rewards at the ends of the range, one with
rewards inside it (see `random_table`).
"""

REPLAYED_ROUNDS = 100
"""Largest number of rounds of such a stream that are changed, one at a time: every round of a stream of this length or
shorter. It limits the replays of a longer one, whose changed rounds are evenly spread.
"""

REPLAYED_SEEDS = 3
"""Number of seeds of coins and noise with which each of these pairs is replayed, unless that takes more than
`MOST_ROUNDS`: several, because some coins do not reach the code that leaks.
"""

MOST_ROUNDS = 120_000
"""Largest number of rounds replayed with more than one seed: REPLAYED * REPLAYED_ROUNDS pairs of 100 rounds each, with
REPLAYED_SEEDS seeds, so that every certificate with a horizon of at most 100 uses all seeds.
"""


def random_table(rng: np.random.Generator, horizon: int, arms: int, game: Game, number: int) -> Table:
    """Return a random stream: two in three have rewards at the ends of the range, the others inside it."""
    low, high = game.rewards
    rewards: Table = rng.uniform(low, high, (horizon, arms))
    if number % 3 < 2:
        rewards = np.where(rng.random((horizon, arms)) < rng.random(arms), high, low)
    contexts: Contexts | None = game.contexts
    if contexts is None:
        return rewards
    contexts.columns(arms)
    return contexts.join(rewards, contexts.draw(rng, horizon))


def changed_tables(rng: np.random.Generator, table: Table, arms: int, game: Game) -> list[tuple[Table, Table]]:
    """Return a pair for every round of a table, or for evenly spread rounds of a long one: the table and a neighbour.

    The neighbour has that round's rewards moved to the opposite end of the range, and another context, which is extreme
    every second time. The k rounds of a group follow each other, or are two or three rounds apart: what is done by
    turns takes all of them at once.
    """
    pairs = []
    low, high = game.rewards
    places = np.unique(np.linspace(0, len(table) - 1, min(len(table), REPLAYED_ROUNDS)).astype(int))
    for number, place in enumerate(places):
        changed = table.copy()
        if game.relation.unit == "reward":
            arm = int(rng.integers(arms))
            changed[place, arm] = low if table[place, arm] > (low + high) / 2 else high
        else:
            distance = 1 + number % 3
            rounds = slice(place, place + distance * game.relation.limit, distance)
            changed[rounds, :arms] = np.where(table[rounds, :arms] > (low + high) / 2, low, high)
        if game.contexts is not None:
            corners = game.contexts.corners
            drawn = game.contexts.draw(rng, 1)[0]
            changed[place, arms:] = (corners[rng.integers(len(corners))] if place % 2 else drawn).ravel()
        pairs.append((table, changed))
    return pairs


def rounds_played(runs: int, horizon: int) -> int:
    """Return how many rounds a certificate plays in all: in its guarded runs, and in the replays of the first of these.

    >>> rounds_played(1, 16), rounds_played(20, 16), rounds_played(20, 10_000)
    (784, 3392, 4200000)
    """
    replayed = min(runs, REPLAYED) * min(horizon, REPLAYED_ROUNDS) * horizon
    return runs * horizon + replayed * replayed_seeds(replayed)


def replayed_seeds(rounds: int) -> int:
    """Return how many seeds to replay with when one seed takes this many rounds.

    >>> replayed_seeds(1000), replayed_seeds(50_000), replayed_seeds(400_000)
    (3, 2, 1)
    """
    return max(1, min(REPLAYED_SEEDS, MOST_ROUNDS // rounds))
