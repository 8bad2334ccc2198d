"""The pairs of neighbouring streams on which recorded code is replayed."""

from __future__ import annotations

import numpy as np

from privcheck.arrays import Table
from privcheck.certifying._explored_streams import MOST_ROUNDS, REPLAYED_ROUNDS, changed_tables, random_table
from privcheck.privacy import ADD_REMOVE
from privcheck.targets import CertifiedEffort, Game


def neighbours(game: Game, effort: CertifiedEffort, length: int, count: int) -> tuple[list[tuple[Table, Table]], int]:
    """Return pairs of neighbouring streams, and the number of first streams.

    The second one has a round at the other end of the range, or drawn again.

    The streams are all low, all high, and random: at the ends of the range or inside it. Under "add-remove" one of the
    two lacks a row of the other: in turn the second and the first.
    """
    rng = np.random.default_rng([effort.seed, 0])
    columns = max(count, 1)
    most = max(2, MOST_ROUNDS // (length * min(length, 100)))
    low, high = game.rewards
    tables = [random_table(rng, length, columns, game, number) for number in range(max(1, effort.runs - 2))]
    if game.contexts is None:
        tables[1:1] = [np.full((length, columns), end) for end in (low, high)]
    pairs = []
    tables = tables[: min(effort.runs, most)]
    for table in tables:
        if game.relation.name == ADD_REMOVE:
            pairs += _with_and_without(table)
            continue
        moved = changed_tables(rng, table, columns, game)
        pairs += moved
        for one, two in moved[:: max(1, len(moved) // 4)]:
            drawn = two.copy()
            places = one[:, :columns] != two[:, :columns]
            drawn[:, :columns][places] = rng.uniform(low, high, int(places.sum()))
            if (drawn != one).any():
                pairs.append((one, drawn))
    if game.relation.name == ADD_REMOVE:
        pairs += [game.relation.draw(rng, length, columns, game.rewards) for _ in tables]
    return pairs, len(tables)


def _with_and_without(table: Table) -> list[tuple[Table, Table]]:
    """Return a table with and without each of its rows, or evenly spread ones of a long one, in either order."""
    places = np.unique(np.linspace(0, len(table) - 1, min(len(table), REPLAYED_ROUNDS)).astype(int))
    pairs = [(table, np.delete(table, place, axis=0)) for place in places]
    return [pair if number % 2 == 0 else pair[::-1] for number, pair in enumerate(pairs)] + [pairs[0][::-1]]
