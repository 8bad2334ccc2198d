"""The distinct sequences of many runs, with the number of runs on each stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privcheck.arrays import Integers, Symbols
from privcheck.auditing._scoring.prefix import distinct_rows

MOST_SEQUENCES = 20_000
"""Distinct sequences above which they are forgotten: an event is then not broken down into beginnings of runs, which
would take long and say little.
"""


@dataclass(frozen=True, eq=False)
class Sequences:
    """Distinct sequences.

    Parameters
    ----------
    rows : the sequences, shape (m, D).
    counts : how often each was seen on either stream, shape (m, 2).
    """

    rows: Symbols
    counts: Integers

    @classmethod
    def total(cls, parts: Sequence[Sequences | None]) -> Sequences | None:
        """Return those of all parts together; None if they are too many, or if those of a part were.

        >>> one = Sequences(np.array([[0, 1]]), np.array([[3, 0]]))
        >>> two = Sequences(np.array([[1, 1], [0, 1]]), np.array([[0, 1], [0, 2]]))
        >>> Sequences.total([one, two]).counts.tolist(), Sequences.total([one, None])
        ([[3, 2], [0, 1]], None)
        """
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        rows = np.concatenate([part.rows for part in known])
        kept, kind = distinct_rows(rows)
        if len(kept) > MOST_SEQUENCES:
            return None
        counts = np.zeros((len(kept), 2), np.int64)
        np.add.at(counts, kind, np.concatenate([part.counts for part in known]))
        return cls(rows[kept], counts)
