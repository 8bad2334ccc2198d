"""How the runs of a confirmation are divided; every run is used for one purpose only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from privcheck.auditing.scoring.prefix import distinct_rows
from privcheck.targets.outputs import Outputs, Sides

PROBE_SHARE = 0.05
"""Share of the runs that is looked at first: it tells how much there is to learn."""

UNSEEN = 0.002
"""Outputs are few when a further run shows one that was not seen before with at most this probability."""


class Folds(NamedTuple):
    """Slices of the runs: to learn scores from, to choose events on, to weigh them on, and to count."""

    learning: slice
    choosing: slice
    weighing: slice
    counting: slice


LEARNING_SHARE = 0.6
"""Share of the runs of the search that scores are learned from; on the others events are chosen."""


def folds(runs: int, *, easy: bool = False, searched: bool = False) -> Folds:
    """Divide runs; more of them are counted when there is little to learn, or when the search made enough for that.

    >>> folds(1000)
    Folds(learning=slice(0, 200, None), choosing=slice(200, 300, None), weighing=slice(300, 400, None), \
counting=slice(400, 1000, None))
    >>> folds(1000, easy=True).counting
    slice(250, 1000, None)
    >>> folds(1000, searched=True)
    Folds(learning=slice(0, 0, None), choosing=slice(0, 0, None), weighing=slice(0, 100, None), \
counting=slice(100, 1000, None))
    """
    shares = (0.0, 0.0, 0.1) if searched else (PROBE_SHARE, 0.15, 0.25) if easy else (0.2, 0.3, 0.4)
    a, b, c = (int(runs * share) for share in shares)
    return Folds(slice(0, a), slice(a, b), slice(b, c), slice(c, runs))


def probe(runs: int) -> slice:
    """Return the runs that decide how the others are divided: the beginning of those to learn from."""
    return slice(0, int(runs * PROBE_SHARE))


def taken(sides: Sides, part: slice) -> Sides:
    """Return the same part of the runs on each stream."""
    return sides[0][part], sides[1][part]


def is_easy(first: Outputs, second: Outputs) -> bool:
    """Tell from a few runs on each stream whether these suffice to learn from.

    They do when nearly all outputs were seen repeatedly (by Good and Turing, the probability of an output not seen
    before is about the share of outputs seen once), or when there is a single number.
    """
    numbers = first.numbers.shape[1]
    symbols = np.concatenate([first.symbols, second.symbols])
    if first.ratios is not None or numbers:
        return bool(numbers <= 1 and symbols.shape[1] == 0)
    counts = np.bincount(distinct_rows(symbols)[1])
    return bool((counts == 1).sum() <= UNSEEN * len(symbols))
