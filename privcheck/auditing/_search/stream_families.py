"""Candidate pairs of neighbouring reward streams: structured families in which private bandits are known to leak."""

from __future__ import annotations

import itertools

import numpy as np

from privcheck.arrays import Table
from privcheck.privacy import Contexts
from privcheck.targets import StreamPair

MOST_PAIRS = 800
"""Pairs of the family that are kept, sampled without looking at the policy: the family grows with the square of K."""

SPACED = " in spaced rounds"
"""Ends the name of a change in rounds that do not follow each other."""

BY_TURNS = ", up and down by turns"
"""Is in the name of a change whose rows move in opposite directions by turns."""


def structured_pairs(
    horizon: int, arms: int, rewards: tuple[float, float], neighbours: str, *, shown_later: bool = True
) -> list[StreamPair]:
    """Return the structured family, or `MOST_PAIRS` pairs of it, shuffled without looking at the policy.

    Every round of a base table has the same row: all arms low, all high, one arm high or one arm low. One round is then
    given a row that differs between the streams: all arms low and all high, or one arm against the others. It is tried
    in every position, or for long horizons in a selection that includes the edges of doubling blocks. Under
    `neighbours="reward"` one entry changes, under "group:k" k rows, in successive rounds or at equal distances: persons
    may return after any number of rounds. The k rows move in the same direction, or by turns in opposite ones, which is
    worst for what compares the rewards of a person. At most `MOST_PAIRS` // 2 of the pairs are spaced, and half as
    many are kept of those that move by turns. With `shown_later` only later outputs can show a change, as with most
    policies, so that none begins in the last round.
    """
    low, high = rewards
    rows = [np.full(arms, low), np.full(arms, high)]
    for one in np.eye(arms, dtype=bool):
        rows += [np.where(one, high, low), np.where(one, low, high)]
    bases = {row.tobytes(): row for row in rows}.values()
    seen, size = set[tuple[bytes, bytes]](), group_size(neighbours)
    kinds = dict[tuple[bool, bool], list[StreamPair]]()
    for by_turns, base, place, distance in itertools.product(
        [False, True][: min(size, 2)], bases, _places(horizon, shown_later), [1, *_distances(horizon, size)]
    ):
        if distance > 1 and place + (size - 1) * distance >= horizon:
            continue
        for change, before, after in _changes(base, low, high, neighbours):
            first = np.tile(base, (horizon, 1))
            second = first.copy()
            rounds = slice(place, place + (size - 1) * distance + 1, distance)
            first[rounds], second[rounds] = before, after
            if by_turns:
                others = slice(place + distance, rounds.stop, 2 * distance)
                first[others], second[others] = after, before
            if (key := (first.tobytes(), second.tobytes())) in seen:
                continue
            seen.add(key)
            name = change + BY_TURNS * by_turns + SPACED * (distance > 1)
            pair = StreamPair(first, second, "", _base(base, high), name)
            kinds.setdefault((by_turns, distance > 1), []).append(pair)
    return [pair for kind in sorted(kinds) for pair in _shuffled(kinds[kind], 2 ** sum(kind))]


def group_size(neighbours: str) -> int:
    """Return k of "group:k", and 1 for other relations."""
    return int(neighbours.partition(":")[2] or 1)


def _distances(horizon: int, size: int) -> list[int]:
    """Return distances from 2 on between the rounds of a person: small ones, powers of two, and the largest."""
    most = (horizon - 1) // (size - 1) if size > 1 else 0
    distances = {*range(2, 9), *(2**i for i in range(4, horizon.bit_length())), most, most - 1}
    return sorted(distance for distance in distances if 2 <= distance <= most)


def adding_pairs(rows: int, columns: int, rewards: tuple[float, float]) -> list[StreamPair]:
    """Return the structured family under "add-remove": each table of `structured_pairs`, with and without its row that
    changes there, in both orders.
    """
    found: dict[tuple[bytes, bytes], StreamPair] = {}
    for pair in structured_pairs(rows, columns, rewards, "row", shown_later=False):
        for longer in (pair.first, pair.second):
            shorter = np.delete(longer, pair.changed, axis=0)
            for first, second, change in ((longer, shorter, "a row removed"), (shorter, longer, "a row added")):
                found.setdefault((first.tobytes(), second.tobytes()), StreamPair(first, second, "", pair.base, change))
    return _shuffled(list(found.values()))


def contextual_pairs(
    horizon: int, arms: int, rewards: tuple[float, float], contexts: Contexts, *, shown_later: bool = True
) -> list[StreamPair]:
    """Return the structured family of contextual streams under "context-reward", shuffled and limited in the same way.

    Every round of a base has the same extreme context and the same row of rewards (all low, all high, or one arm high).
    One round is then given a context and rewards that differ between the streams. Where arms have features, they differ
    between arms in half of the contexts: a policy that sees all arms alike shows nothing but how it breaks ties.
    """
    low, high = rewards
    rows = [np.where(np.arange(arms) == arm, high, low) for arm in range(min(arms, 2))]
    rows += [np.full(arms, low), np.full(arms, high)]
    corners = _corners(contexts)
    rounds = [contexts.join(row, corner) for corner, row in itertools.product(corners, rows)]
    names = [_base(row, high) for _, row in itertools.product(corners, rows)]
    places = [place for place in _places(horizon, shown_later) if place < horizon - shown_later]
    kinds = list(itertools.product(range(len(rounds)), places, itertools.permutations(range(len(rounds)), 2)))
    rng = np.random.Generator(np.random.PCG64(20221))
    found = []
    for kind in rng.permutation(len(kinds))[:MOST_PAIRS]:
        base, place, (before, after) = kinds[kind]
        first = np.tile(rounds[base], (horizon, 1))
        second = first.copy()
        first[place], second[place] = rounds[before], rounds[after]
        context, row = (
            one != two for one, two in zip(divmod(before, len(rows)), divmod(after, len(rows)), strict=True)
        )
        change = "context and rewards" if context and row else "context" if context else "rewards"
        found.append(StreamPair(first, second, "", names[base], change))
    return found


def spread(pairs: list[StreamPair], number: int) -> list[StreamPair]:
    """Return a number of the candidates, in their order: one of each family first, then an even selection of the rest.

    >>> pairs = structured_pairs(16, 2, (0.0, 1.0), "row")
    >>> few = spread(pairs, 20)
    >>> len(few), {pair.family for pair in few} == {pair.family for pair in pairs}
    (20, True)
    """
    if number >= len(pairs):
        return pairs
    of_family: dict[str, int] = {}
    for place, pair in enumerate(pairs):
        of_family.setdefault(pair.family, place)
    first = sorted(of_family.values())[:number]
    rest = sorted(set(range(len(pairs))) - set(first))
    left = number - len(first)
    return [pairs[place] for place in sorted([*first, *(rest[i * len(rest) // left] for i in range(left))])]


def _base(row: Table, high: float) -> str:
    """Return the name of the base of which every round has this row.

    >>> _base(np.array([0.0, 1.0]), 1.0), _base(np.array([1.0]), 1.0)
    ('one arm high', 'all high')
    """
    highs = int((row == high).sum())
    names = {1: "one arm high", 0: "all low", len(row): "all high"}
    return names.get(highs, "one arm low")


def _corners(contexts: Contexts) -> Table:
    """Return `MOST_CORNERS` extreme contexts, half of them with features that differ between arms, if arms have any."""
    corners = contexts.corners
    if len(contexts.shape) == 1:
        return corners[:MOST_CORNERS]
    alike = (corners == corners[:, :1]).all(axis=(1, 2))
    return np.concatenate([corners[alike][: MOST_CORNERS // 2], corners[~alike]])[:MOST_CORNERS]


MOST_CORNERS = 4
"""Extreme contexts that are combined with each other: the family grows with the cube of their number."""


def _shuffled(pairs: list[StreamPair], part: int = 1) -> list[StreamPair]:
    order = np.random.Generator(np.random.PCG64(20221)).permutation(len(pairs))
    return [pairs[i] for i in order[: MOST_PAIRS // part]]


def _changes(base: Table, low: float, high: float, neighbours: str) -> list[tuple[str, Table, Table]]:
    """Return the kinds of change, each with the row before and after."""
    arms = len(base)
    one = np.eye(arms, dtype=bool)
    if neighbours == "reward":
        return [("one reward", np.where(one[arm], low, base), np.where(one[arm], high, base)) for arm in range(arms)]
    every = ("all rewards", np.full(arms, low), np.full(arms, high))
    opposed = [(np.where(one[arm], low, high), np.where(one[arm], high, low)) for arm in range(arms if arms > 2 else 1)]
    return [every, *(("one arm against the others", *rows) for rows in opposed if arms > 1)]


def _places(horizon: int, shown_later: bool) -> list[int]:
    """Return 0-based rounds: all of a short horizon, else the first 16, block edges and an even spread; the last one
    only if it can show.
    """
    last = [] if shown_later else [horizon - 1]
    if horizon <= 32:
        return [*range(max(1, horizon - 1)), *(last if horizon > 1 else [])]
    edges = [2**i + d for i in range(4, horizon.bit_length()) for d in (-1, 0)]
    spread = np.linspace(16, horizon - 2, 10).astype(int).tolist()
    return sorted({place for place in [*range(16), *edges, *spread] if place < horizon - 1}) + last
