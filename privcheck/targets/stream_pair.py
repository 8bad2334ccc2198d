"""Two neighbouring streams, and their name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privcheck.arrays import Table

RANDOM = "random"
"""The base of a random pair."""


@dataclass(frozen=True)
class StreamPair:
    """Two neighbouring reward tables of shape (T, K), or inputs of a mechanism.

    Parameters
    ----------
    first, second : the two.
    label : their name, if they have one.
    base : what the rows that they share look like, in words; `RANDOM` for random pairs.
    change : how the others differ, in words.

    """

    first: Table
    second: Table
    label: str = ""
    base: str = ""
    change: str = ""

    @property
    def family(self) -> str:
        """The family of candidates that they belong to: the kind of base and the kind of change."""
        return f"{self.base}: {self.change}" if self.change else self.base

    @property
    def words(self) -> str:
        """Their name, or a description of the rounds in which they differ."""
        return self.label or in_words(*(np.reshape(table, (len(table), -1)) for table in (self.first, self.second)))

    @property
    def changed(self) -> int:
        """The first 0-based round in which they differ."""
        return self.rounds[0]

    @property
    def rounds(self) -> tuple[int, ...]:
        """The 0-based rounds (rows of an input) in which they differ; none if their shapes differ."""
        one, two = np.atleast_1d(self.first), np.atleast_1d(self.second)
        if one.shape != two.shape:
            return ()
        return tuple(np.flatnonzero((one != two).reshape(len(one), -1).any(axis=1)).tolist())


def in_words(first: Table, second: Table) -> str:
    """Describe two tables of shape (T, K) by the rounds that differ and those that do not.

    >>> in_words(np.array([[0.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 0.0], [1.0, 1.0]]))
    'round 2: (0, 1) vs (1, 1); the other round: (0, 0) in both'
    """
    places = np.flatnonzero((first != second).any(axis=1))
    rest = np.delete(first, places, axis=0)
    parts = [f"round {j + 1}: {_row(first[j])} vs {_row(second[j])}" for j in places[:3]]
    if len(places) > len(parts):
        parts.append(f"{len(places) - len(parts)} more rounds differ")
    if len(rest):
        others = "the other round" if len(rest) == 1 else f"the other {len(rest)} rounds"
        rows = {_row(row) for row in rest}
        parts.append(f"{others}: {rows.pop() if len(rows) == 1 else 'the same'} in both")
    return "; ".join(parts)


def _row(values: Table) -> str:
    if len(values) == 1:
        return f"{values[0]:g}"
    return f"({', '.join(f'{value:g}' for value in values[:8])}{', …' * (len(values) > 8)})"
