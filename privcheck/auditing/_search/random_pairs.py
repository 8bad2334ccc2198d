"""Random pairs of neighbouring streams: what no structured family contains, such as rewards inside their range."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from privcheck.privacy import Contexts, Relation
from privcheck.targets import RANDOM, StreamPair

RANDOM_PAIRS = 200
"""Random pairs of tables: a leak that one pair in fifty shows is among them with probability .98."""

SEED_KEY = 5
"""Spawn key of the random pairs, which no run of an audit has."""


def random_pairs(
    number: int,
    seed: int,
    horizon: int,
    arms: int,
    rewards: tuple[float, float],
    relation: Relation,
    contexts: Contexts | None = None,
    *,
    shown_later: bool = True,
) -> list[StreamPair]:
    """Return random pairs of neighbours; half of them have extreme rewards only, and so has what changes in them.

    Parameters
    ----------
    number : how many.
    seed : the seed of the audit.
    horizon, arms, rewards : T, K and the declared range.
    relation : the neighbour relation.
    contexts : what contexts look like, under contextual feedback.
    shown_later : whether only later outputs can show a change, as with policies; the last round is then not the first
        to differ, unless it is the only one.

    Examples
    --------
    >>> from privcheck.privacy import relation
    >>> pairs = random_pairs(10, 0, 4, 2, (0.0, 1.0), relation("row"))
    >>> len(pairs), {len(pair.rounds) for pair in pairs}, max(pair.changed for pair in pairs) < 3
    (10, {1}, True)
    """
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(SEED_KEY,))))

    def drawn() -> Iterator[StreamPair]:
        while True:
            first, second = relation.draw(rng, horizon, arms, rewards, contexts)
            extreme = all(np.isin(table[:, :arms], rewards).all() for table in (first, second))
            pair = StreamPair(first, second, "", RANDOM, "extreme rewards" if extreme else "rewards inside the range")
            if not shown_later or horizon == 1 or pair.changed < horizon - 1:
                yield pair

    source = drawn()
    return [next(source) for _ in range(number)]
