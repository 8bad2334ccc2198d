"""Variants of a promising pair, with which the search leaves the structured family."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from privcheck.arrays import Table
from privcheck.targets.stream_pair import StreamPair

MOST_ROWS = 6
"""Different rows that a part of the stream is filled with: the two of the pair and up to four of the palette."""


def variants(pair: StreamPair, palette: list[Table]) -> Iterator[StreamPair]:
    """Yield pairs that differ from this one in some rounds that both streams share, or in the position of the change.

    Both streams are modified in the same way, and only in rounds in which they agree, so they remain neighbours.

    Parameters
    ----------
    pair : two tables of the same shape.
    palette : rows to fill a part with; those of the pair are tried first.

    Examples
    --------
    >>> pair = StreamPair(np.zeros((3, 2)), np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]), "zeros")
    >>> one = next(variants(pair, []))
    >>> one.first.tolist(), one.words
    ([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]], 'round 2: (0, 0) vs (1, 1); the other 2 rounds: the same in both')
    """
    if not pair.rounds or pair.first.ndim == 0:
        return
    horizon, start, stop = len(pair.first), pair.rounds[0], pair.rounds[-1] + 1
    rows = [pair.second[start], pair.first[start], *palette]
    spans = [(0, start), (stop, horizon), (0, start // 2), (start // 2, start), (stop, (stop + horizon) // 2)]
    spans += [((stop + horizon) // 2, horizon), (start - 1, start), (stop, stop + 1)]
    for low, high in dict.fromkeys(spans):
        if not 0 <= low < high <= horizon:
            continue
        for row in rows[:MOST_ROWS]:
            if not (pair.first[low:high] == row).all():
                yield _filled(pair, low, high, row)
    for move in (-1, 1, -(start // 2), (horizon - stop) // 2):
        if move and start + move >= 0 and stop + move <= horizon:
            yield _moved(pair, move)


def _filled(pair: StreamPair, low: int, high: int, row: Table) -> StreamPair:
    first, second = pair.first.copy(), pair.second.copy()
    first[low:high] = second[low:high] = row
    return StreamPair(first, second)


def _moved(pair: StreamPair, move: int) -> StreamPair:
    start, stop = pair.rounds[0], pair.rounds[-1] + 1
    order = np.arange(len(pair.first))
    block = order[start:stop]
    rest = np.delete(order, block)
    order = np.concatenate([rest[: start + move], block, rest[start + move :]])
    return StreamPair(pair.first[order], pair.second[order])
