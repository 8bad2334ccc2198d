"""The score of a sequence of symbols, from the counts of its prefixes in training runs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array, Integers, Symbols

PRIOR_RUNS = 8.0
"""Weight, in runs, with which the share of a sequence is shrunk towards that of the prefix one symbol shorter."""

_HASH_BASE = np.uint64(0x9E3779B97F4A7C15)


def sequence_codes(symbols: Symbols) -> npt.NDArray[np.uint64]:
    """Return one 64-bit code per row; equal rows have equal codes, and different rows have different codes except for
    hash collisions.

    A collision only gives two sequences the same score: the event is still fixed, and the limits are still valid.
    """
    code = np.zeros(len(symbols), np.uint64)
    for column in range(symbols.shape[1]):
        code = _extend(code, symbols[:, column])
    return code


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


def _extend(code: npt.NDArray[np.uint64], symbol: Symbols) -> npt.NDArray[np.uint64]:
    mixed = (code ^ (symbol.astype(np.uint64) + np.uint64(1))) * _HASH_BASE
    return mixed ^ (mixed >> np.uint64(29))


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
        self.levels: list[_Level] = []
        code = np.zeros(len(rows), np.uint64)
        share = np.full(len(rows), 0.5)
        total = np.full(len(rows), counts.sum())
        for depth in range(rows.shape[1]):
            code = _extend(code, rows[:, depth])
            nodes, representative, node = np.unique(code, return_index=True, return_inverse=True)
            k = np.bincount(node, counts[:, 0])
            n = k + np.bincount(node, counts[:, 1])
            parent = share[representative]
            posterior = (k + PRIOR_RUNS * parent) / (n + PRIOR_RUNS)
            unsplit = n == total[representative]
            node_share = np.where(unsplit | (depth < common), parent, posterior)
            self.levels.append(_Level(nodes, node_share))
            share, total = node_share[node], n[node]

    def __call__(self, symbols: Symbols) -> Array:
        """Return the score of each row of symbols (n, D); a positive score is evidence for the first stream."""
        code = np.zeros(len(symbols), np.uint64)
        share = np.full(len(symbols), 0.5)
        known = np.ones(len(symbols), bool)
        for depth, level in enumerate(self.levels):
            code = _extend(code, symbols[:, depth])
            place = np.minimum(np.searchsorted(level.codes, code), len(level.codes) - 1)
            known &= level.codes[place] == code
            if not known.any():
                break
            share = np.where(known, level.share[place], share)
        with np.errstate(divide="ignore"):  # many short steps may take a share to 1
            return np.asarray(np.log(share) - np.log1p(-share), np.float64)


def _count_unique(first: Symbols, second: Symbols, runs: tuple[Integers, Integers] | None) -> tuple[Symbols, Array]:
    both = np.concatenate([first, second])
    representative, node = distinct_rows(both)
    sides = node[: len(first)], node[len(first) :]
    weights = runs or (None, None)
    counted = [np.bincount(*each, minlength=len(representative)) for each in zip(sides, weights, strict=True)]
    return both[representative], np.stack(counted, axis=1).astype(float)
