"""Simpler versions of a pair of tables, which turn a leak into a small witness."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from privcheck.arrays import Array

Pair = tuple[Array, Array]
Complexity = tuple[int, int, int, int]


def complexity(first: Array, second: Array, *, by_column: bool = False) -> Complexity:
    """Return the complexity of a pair, which each step of shrinking lowers in lexicographic order, so that it ends.

    Parameters
    ----------
    first, second : the pair, tables of one shape.
    by_column : whether lowest and highest value are those of each column or of the tables.

    Returns
    -------
    Rounds, differing entries, unchanged entries above the lowest value, changed entries that are not at an end value.

    Examples
    --------
    >>> complexity(np.array([[0.0, 1.0]]), np.array([[0.5, 1.0]]))
    (1, 1, 1, 1)

    """
    low, high = _ends(first, second, by_column)
    differs = first != second
    inner = ((first != low) & (first != high)) | ((second != low) & (second != high))
    raised = ~differs & (first != low)
    return len(first), int(differs.sum()), int(raised.sum()), int((differs & inner).sum())


def simpler_pairs(first: Array, second: Array, *, by_column: bool = False) -> Iterator[Pair]:
    """Yield pairs of lower complexity, boldest first; the changes are a subset of the original ones.

    >>> one, two = next(simpler_pairs(np.array([[0.0], [1.0], [1.0]]), np.array([[0.0], [0.0], [1.0]])))
    >>> one.tolist(), two.tolist()
    ([[1.0]], [[0.0]])
    """
    present = complexity(first, second, by_column=by_column)
    for one, two in _candidates(first, second, by_column):
        if complexity(one, two, by_column=by_column) < present:
            yield one, two


def _candidates(first: Array, second: Array, by_column: bool) -> Iterator[Pair]:
    low, high = _ends(first, second, by_column)
    differs = first != second
    rows = np.flatnonzero(differs.any(axis=1))
    start, stop, end = int(rows[0]), int(rows[-1]) + 1, len(first)
    for lead, tail in ((start, stop), (0, stop), (start, end), (0, (stop + end) // 2), (start // 2, end), (0, end - 1)):
        if tail >= stop:
            yield first[lead:tail].copy(), second[lead:tail].copy()
    quiet = np.setdiff1d(np.arange(end), rows)
    for group in (rows[1:], rows[:-1], *([row] for row in rows)):
        yield first.copy(), _with(second, group, slice(None), first)
    for row in rows:
        arms = np.flatnonzero(differs[row])
        for undone in (arms[1:], arms[:-1], *([arm] for arm in arms)):
            yield first.copy(), _with(second, row, undone, first)
    lowest = np.where(differs, first, low), np.where(differs, second, low)
    yield lowest
    for group in (rows, quiet, quiet[: len(quiet) // 2], quiet[len(quiet) // 2 :], *([row] for row in range(end))):
        yield _with(first, group, slice(None), lowest[0]), _with(second, group, slice(None), lowest[1])
    up = second > first
    ends = np.where(differs, np.where(up, low, high), first), np.where(differs, np.where(up, high, low), second)
    yield ends
    for row in rows:
        yield _with(first, row, slice(None), ends[0]), _with(second, row, slice(None), ends[1])


def _ends(first: Array, second: Array, by_column: bool) -> tuple[Array, Array]:
    both = np.stack([first, second])
    axis = (0, 1) if by_column else None
    return np.asarray(both.min(axis=axis)), np.asarray(both.max(axis=axis))


def _with(table: Array, rows: object, columns: object, source: Array) -> Array:
    """Return a copy of `table` with the cells of these rows and columns taken from `source`."""
    copy = table.copy()
    copy[rows, columns] = source[rows, columns]  # type: ignore[index]
    return copy
