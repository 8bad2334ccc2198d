"""Candidate pairs of neighbouring reward streams: structured families in which private bandits are known to leak."""

from __future__ import annotations

import itertools

import numpy as np

from privcheck.arrays import Table
from privcheck.privacy import Contexts
from privcheck.targets.stream_pair import StreamPair

MOST_PAIRS = 800
"""Pairs of the family that are kept, sampled without looking at the policy: the family grows with the square of K."""


def structured_pairs(horizon: int, arms: int, rewards: tuple[float, float], neighbours: str) -> list[StreamPair]:
    """Return the structured family, or `MOST_PAIRS` pairs of it, shuffled without looking at the policy.

    Every round of a base table has the same row: all arms low, all high, one arm high or one arm low. One round is then
    given a row that differs between the streams: all arms low and all high, or one arm against the others. It is tried
    in every position, or for long horizons in a selection that includes the edges of doubling blocks. Under
    `neighbours="reward"` one entry changes, under "group:k" k successive rows.
    """
    low, high = rewards
    rows = [np.full(arms, low), np.full(arms, high)]
    for one in np.eye(arms, dtype=bool):
        rows += [np.where(one, high, low), np.where(one, low, high)]
    bases = {row.tobytes(): row for row in rows}.values()
    found: dict[tuple[bytes, bytes], StreamPair] = {}
    size = int(neighbours.partition(":")[2] or 1)
    for base, place in itertools.product(bases, _places(horizon)):
        for before, after in _changes(base, low, high, neighbours):
            first = np.tile(base, (horizon, 1))
            second = first.copy()
            first[place : place + size], second[place : place + size] = before, after
            found.setdefault((first.tobytes(), second.tobytes()), StreamPair(first, second))
    return _shuffled(list(found.values()))


def contextual_pairs(horizon: int, arms: int, rewards: tuple[float, float], contexts: Contexts) -> list[StreamPair]:
    """Return the structured family of contextual streams under "context-reward", shuffled and limited in the same way.

    Every round of a base has the same extreme context and the same row of rewards (all low, all high, or one arm high).
    One round is then given a context and rewards that differ between the streams.
    """
    low, high = rewards
    rows = [np.where(np.arange(arms) == arm, high, low) for arm in range(min(arms, 2))]
    rows += [np.full(arms, low), np.full(arms, high)]
    corners = contexts.corners[:MOST_CORNERS]
    rounds = [contexts.join(row, corner) for corner, row in itertools.product(corners, rows)]
    places = [place for place in _places(horizon) if place < horizon - 1]
    kinds = list(itertools.product(range(len(rounds)), places, itertools.permutations(range(len(rounds)), 2)))
    rng = np.random.Generator(np.random.PCG64(20221))
    found = []
    for kind in rng.permutation(len(kinds))[:MOST_PAIRS]:
        base, place, (before, after) = kinds[kind]
        first = np.tile(rounds[base], (horizon, 1))
        second = first.copy()
        first[place], second[place] = rounds[before], rounds[after]
        found.append(StreamPair(first, second))
    return found


MOST_CORNERS = 4
"""Extreme contexts that are combined with each other: the family grows with the cube of their number."""


def _shuffled(pairs: list[StreamPair]) -> list[StreamPair]:
    order = np.random.Generator(np.random.PCG64(20221)).permutation(len(pairs))
    return [pairs[i] for i in order[:MOST_PAIRS]]


def _changes(base: Table, low: float, high: float, neighbours: str) -> list[tuple[Table, Table]]:
    arms = len(base)
    one = np.eye(arms, dtype=bool)
    if neighbours == "reward":
        return [(np.where(one[arm], low, base), np.where(one[arm], high, base)) for arm in range(arms)]
    opposed = [(np.where(one[arm], low, high), np.where(one[arm], high, low)) for arm in range(arms if arms > 2 else 1)]
    return [(np.full(arms, low), np.full(arms, high)), *opposed]


def _places(horizon: int) -> list[int]:
    """Return 0-based rounds: all but the last of a short horizon, else the first 16, block edges and an even spread."""
    if horizon <= 32:
        return list(range(max(1, horizon - 1)))
    edges = [2**i + d for i in range(4, horizon.bit_length()) for d in (-1, 0)]
    spread = np.linspace(16, horizon - 2, 10).astype(int).tolist()
    return sorted({place for place in [*range(16), *edges, *spread] if place < horizon - 1})
