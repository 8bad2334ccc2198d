"""Variants of a promising pair, with which the search leaves the structured family."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from privcheck.arrays import Table
from privcheck.targets import DRAWN, StreamPair

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
    >>> one.words
    'round 2: (0, 0) vs (1, 1); the other 2 rounds, in both: (1, 1) in round 1, (0, 0) in round 3'
    """
    if pair.base == DRAWN or not pair.rounds or pair.first.ndim == 0:
        return
    if len(pair.first) != len(pair.second):
        yield from _with_one_row_more(pair, palette)
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
        if high - low > 1 and not (rows[0] == rows[1]).all():
            for one, two in ((rows[0], rows[1]), (rows[1], rows[0])):
                yield _filled(pair, low, high, np.resize([one, two], (high - low, *np.shape(one))))
    for move in (-1, 1, -(start // 2), (horizon - stop) // 2):
        if move and start + move >= 0 and stop + move <= horizon:
            yield _moved(pair, move)


def spliced(one: StreamPair, two: StreamPair) -> Iterator[StreamPair]:
    """Yield pairs with the change of the first, and with other rounds, all, earlier or later ones, of the second.

    >>> one = StreamPair(np.zeros((3, 1)), np.array([[0.0], [1.0], [0.0]]))
    >>> two = StreamPair(np.full((3, 1), 0.5), np.array([[0.5], [0.5], [0.0]]))
    >>> [pair.second.ravel().tolist() for pair in spliced(one, two)]
    [[0.5, 1.0, 0.5], [0.5, 1.0, 0.0], [0.0, 1.0, 0.5]]
    """
    shapes = {np.shape(table) for pair in (one, two) for table in (pair.first, pair.second)}
    if DRAWN in (one.base, two.base) or not one.rounds or len(shapes) > 1 or np.ndim(one.first) == 0:
        return
    start, stop, horizon = one.rounds[0], one.rounds[-1] + 1, len(one.first)
    for spans in ((slice(0, start), slice(stop, horizon)), (slice(0, start),), (slice(stop, horizon),)):
        first, second = one.first.copy(), one.second.copy()
        for span in spans:
            first[span] = second[span] = two.first[span]
        yield StreamPair(first, second)


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


def _with_one_row_more(pair: StreamPair, palette: list[Table]) -> Iterator[StreamPair]:
    """Yield variants of a pair of which one has a row more: other rows before it, after it, or in its place."""
    longer, place = max(pair.first, pair.second, key=len), pair.rounds[0]
    end = len(longer)
    spans = [(0, place), (place + 1, end), (place, place + 1), (0, place // 2), ((place + 1 + end) // 2, end)]
    for low, high in dict.fromkeys(span for span in spans if span[0] < span[1]):
        for row in [longer[place], *palette][:MOST_ROWS]:
            if not (longer[low:high] == row).all():
                table = longer.copy()
                table[low:high] = row
                both = table, np.delete(table, place, axis=0)
                yield StreamPair(*(both if len(pair.first) == end else both[::-1]))
