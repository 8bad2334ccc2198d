"""The score of a sequence of symbols, from the counts of its prefixes in training runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array, Integers, Symbols

PRIOR_RUNS = 8.0
"""Weight, in runs, with which the share of a sequence is shrunk towards that of the prefix one symbol shorter."""

_HASH_BASE, _SHIFT, _ONE = (np.array(number, np.uint64) for number in (0x9E3779B97F4A7C15, 29, 1))
"""Arrays without a dimension: numpy converts a number anew at each step."""

COLUMNS_AT_ONCE = 32
"""Columns that are converted together, which takes less time for a few hundred rows, and little memory for many."""


def sequence_codes(symbols: Symbols) -> npt.NDArray[np.uint64]:
    """Return one 64-bit code per row; equal rows have equal codes, and different rows have different codes except for
    hash collisions.

    A collision only gives two sequences the same score: the event is still fixed, and the limits are still valid.
    """
    code = np.zeros(len(symbols), np.uint64)
    for longer in _codes_of_prefixes(symbols):
        code = longer
    return code


def _codes_of_prefixes(symbols: Symbols) -> Iterator[npt.NDArray[np.uint64]]:
    """Yield the codes of the first symbol of each row, of the first two, and so on: one array, which is overwritten."""
    code, spare = np.zeros(len(symbols), np.uint64), np.empty(len(symbols), np.uint64)
    for begin in range(0, symbols.shape[1], COLUMNS_AT_ONCE):
        for column in symbols[:, begin : begin + COLUMNS_AT_ONCE].T.astype(np.uint64, order="C") + _ONE:
            code ^= column
            code *= _HASH_BASE
            np.right_shift(code, _SHIFT, out=spare)
            code ^= spare
            yield code


def distinct_rows(symbols: Symbols) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the index of one row of each kind, and for every row the number of its kind.

    >>> kept, kind = distinct_rows(np.array([[0, 1], [1, 1], [0, 1]]))
    >>> kept.tolist(), kind.tolist()
    ([0, 1], [0, 1, 0])
    """
    lowest, size, code = symbols.min(axis=0, initial=0), 1, np.zeros(len(symbols), np.intp)
    spans = [int(high) - int(low) + 1 for high, low in zip(symbols.max(axis=0, initial=0), lowest, strict=True)]
    if math.prod(spans) > max(1024, len(symbols)):
        _, kept, kind = np.unique(sequence_codes(symbols), return_index=True, return_inverse=True)
        return kept, kind
    for column, span in enumerate(spans):
        code = code * span + (symbols[:, column].astype(np.intp) - int(lowest[column]))  # 100 - (-100) is no int8
        size *= span
    place = np.full(size, -1, np.intp)
    place[code[::-1]] = np.arange(len(code) - 1, -1, -1)
    present = np.flatnonzero(place >= 0)
    number = np.zeros(size, np.intp)
    number[present] = np.arange(len(present))
    return place[present], number[code]


@dataclass(frozen=True)
class _Level:
    codes: npt.NDArray[np.uint64]
    share: Array


class PrefixScore:
    """The log-likelihood ratio of a sequence, learned from counts of its prefixes.

    A prefix of k training runs on the first stream and of l on the second has the share

        (k + c s) / (k + l + c),    s = the share of the prefix one symbol shorter, c = PRIOR_RUNS,

    a Beta posterior mean whose prior is centred at the shorter prefix. The score of a sequence is the log-odds of the
    share of its longest prefix that occurs in the training runs. Frequent sequences get nearly their empirical
    log-ratio, rare ones are shrunk towards their prefix, and unseen sequences are scored by their known beginning.

    Parameters
    ----------
    first, second : symbols (n, D) of the training runs on each stream.
    common : how many leading symbols are known to have the same law on both streams; their share is 1/2.
    runs : how many training runs each row of `first` and of `second` stands for; None for one.

    """

    def __init__(
        self, first: Symbols, second: Symbols, common: int = 0, runs: tuple[Integers, Integers] | None = None
    ) -> None:
        rows, counts = _count_unique(first, second, runs)
        order, alike = order_of_beginnings(rows)
        rows, counts = rows[order], counts[order]
        self.levels: list[_Level] = []
        begin = np.flatnonzero(alike < 0)
        share, total = np.full(len(begin), 0.5), np.full(len(begin), counts.sum())
        for depth, code in enumerate(_codes_of_prefixes(rows)):
            if (alike == depth).any():  # a node splits
                before, begin = begin, np.flatnonzero(alike <= depth)
                parent = before.searchsorted(begin, side="right") - 1
                both = np.add.reduceat(counts, begin)
                k, n = both[:, 0], both.sum(axis=1)
                posterior = (k + PRIOR_RUNS * share[parent]) / (n + PRIOR_RUNS)
                share = np.where((n == total[parent]) | (depth < common), share[parent], posterior)
                total = n
            nodes = code[begin]
            by_code = nodes.argsort()
            self.levels.append(_Level(nodes[by_code], share[by_code]))

    def __call__(self, symbols: Symbols) -> Array:
        """Return the score of each row of symbols (n, D); a positive score is evidence for the first stream."""
        share = np.full(len(symbols), 0.5)
        known = np.ones(len(symbols), bool)
        for level, code in zip(self.levels, _codes_of_prefixes(symbols), strict=False):
            place = level.codes.searchsorted(code)
            known &= level.codes.take(place, mode="clip") == code
            if not known.any():
                break
            np.copyto(share, level.share.take(place, mode="clip"), where=known)
        with np.errstate(divide="ignore"):  # many short steps may take a share to 1
            return np.asarray(np.log(share) - np.log1p(-share), np.float64)


def order_of_beginnings(rows: Symbols) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return an order in which rows that begin alike stand together, and with how many symbols each begins like the
    row before it.

    The first row has -1, so that as many numbers are below n as there are different beginnings of n symbols.

    >>> order, alike = order_of_beginnings(np.array([[0, 1], [1, 1], [0, 1], [0, 2]]))
    >>> order.tolist(), alike.tolist()
    ([0, 2, 3, 1], [-1, 2, 1, 0])
    """
    length, order = rows.shape[1], np.arange(len(rows))
    if length:
        whole = np.ascontiguousarray(rows)
        order = whole.view(f"V{whole.itemsize * length}").ravel().argsort()
    differs = np.ones((len(rows), length + 1), bool)  # at the latest behind the end
    differs[1:, :length] = rows[order[1:]] != rows[order[:-1]]
    alike = differs.argmax(axis=1)
    alike[:1] = -1
    return order, alike


def _count_unique(first: Symbols, second: Symbols, runs: tuple[Integers, Integers] | None) -> tuple[Symbols, Array]:
    both = np.concatenate([first, second])
    representative, node = distinct_rows(both)
    sides = node[: len(first)], node[len(first) :]
    weights = runs or (None, None)
    counted = [np.bincount(*each, minlength=len(representative)) for each in zip(sides, weights, strict=True)]
    return both[representative], np.stack(counted, axis=1).astype(float)
