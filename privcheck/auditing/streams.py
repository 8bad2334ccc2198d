"""Candidate pairs of neighbouring reward streams: structured families in which private bandits are known to leak."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from privcheck.auditing.runners import Table

MOST_PAIRS = 800
"""Pairs of the family that are kept, a sample that does not look at the policy: many arms make many pairs."""


@dataclass(frozen=True)
class StreamPair:
    """Two neighbouring reward tables of shape (T, K), and in words how they were made."""

    first: Table
    second: Table
    label: str

    @property
    def changed(self) -> int:
        """The first 0-based round in which they differ."""
        return int(np.flatnonzero((self.first != self.second).any(axis=1))[0])


def structured_pairs(horizon: int, arms: int, rewards: tuple[float, float], neighbours: str) -> list[StreamPair]:
    """Return the structured family, or `MOST_PAIRS` of it, in an order that is shuffled without looking at the policy.

    Every round of a base table has the same row: all arms low, all high, one arm high or one arm low. One round j, at
    every place (up to 32 spread over longer horizons, the edges of doubling blocks among them), is then given a first
    and a second value: all arms low or all high, or one arm against the others. Under `neighbours="reward"` one entry
    changes, under "group:k" k successive rows.
    """
    low, high = rewards
    rows = {"all arms low": np.full(arms, low), "all arms high": np.full(arms, high)}
    for arm in range(arms):
        one = np.arange(arms) == arm
        rows[f"arm {arm} high"] = np.where(one, high, low)
        rows[f"arm {arm} low"] = np.where(one, low, high)
    bases = _distinct(rows)
    found: dict[tuple[bytes, bytes], StreamPair] = {}
    size = int(neighbours.partition(":")[2] or 1)
    for (name, base), place in itertools.product(bases.items(), _places(horizon)):
        for label, before, after in _changes(base, low, high, neighbours):
            first = np.tile(base, (horizon, 1))
            second = first.copy()
            first[place : place + size], second[place : place + size] = before, after
            where = f"round {place + 1}" if size == 1 else f"rounds {place + 1} to {min(place + size, horizon)}"
            pair = StreamPair(first, second, f"{name} throughout; {where}: {label}")
            found.setdefault((first.tobytes(), second.tobytes()), pair)
    pairs = list(found.values())
    order = np.random.Generator(np.random.PCG64(20221)).permutation(len(pairs))
    return [pairs[i] for i in order[:MOST_PAIRS]]


def _changes(base: Table, low: float, high: float, neighbours: str) -> list[tuple[str, Table, Table]]:
    arms = len(base)
    one = np.eye(arms, dtype=bool)
    if neighbours == "reward":
        return [
            (f"arm {arm} from low to high", np.where(one[arm], low, base), np.where(one[arm], high, base))
            for arm in range(arms)
        ]
    opposed = [
        (
            f"arm {arm} from low to high, the others from high to low",
            np.where(one[arm], low, high),
            np.where(one[arm], high, low),
        )
        for arm in range(arms if arms > 2 else 1)
    ]
    return [("all arms from low to high", np.full(arms, low), np.full(arms, high)), *opposed]


def _distinct(rows: dict[str, Table]) -> dict[str, Table]:
    kept: dict[str, Table] = {}
    for name, row in rows.items():
        if not any(np.array_equal(row, other) for other in kept.values()):
            kept[name] = row
    return kept


def _places(horizon: int) -> list[int]:
    """Return 0-based rounds: all of a short horizon, else the first 16, block edges and an even spread."""
    if horizon <= 32:
        return list(range(horizon - 1))
    edges = [2**i + d for i in range(4, horizon.bit_length()) for d in (-1, 0)]
    spread = np.linspace(16, horizon - 2, 10).astype(int).tolist()
    return sorted({place for place in [*range(16), *edges, *spread] if place < horizon - 1})
