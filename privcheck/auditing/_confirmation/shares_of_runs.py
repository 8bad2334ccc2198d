"""Which share of the runs serves what: the search, and the folds of the confirmation (sample splitting, holdout)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from privcheck.auditing._scoring.prefix import distinct_rows
from privcheck.targets import MISSING, Outputs, Sides

PROBE_SHARE = 0.05
"""Share of the runs that is looked at first, to find out how much there is to learn."""

MOST_DIVIDED = 10_000_000
"""Runs per stream of which the first three folds are shares; all others are counted. So many runs show events of
probability 1e-6, and their outputs fit into memory.
"""

UNSEEN = 0.002
"""There is little to learn if the probability that a further run shows an unseen output is at most this."""


def screening_budget(runs: int, engine: str) -> int:
    """Return the number of runs, both streams together, to spend on the search for a pair: more where runs are cheap.

    It is the same for all audits of more than `MOST_DIVIDED` runs per stream.

    >>> screening_budget(1000, "python"), screening_budget(1000, "kernel")
    (2000, 8000)
    """
    return min(runs, MOST_DIVIDED) * (8 if engine in ("kernel", "run_batch") else 2)


class Folds(NamedTuple):
    """Slices of the runs: to learn scores, to select events, to divide the level among them, and to count them."""

    learning: slice
    choosing: slice
    weighing: slice
    counting: slice


LEARNING_SHARE = 0.6
"""Share of the search's runs from which scores are learned; events are selected on the rest."""


def folds(runs: int, *, easy: bool = False, searched: bool = False) -> Folds:
    """Divide the runs; more of them are counted if there is little to learn, or if the search made enough runs for it.

    Of more than `MOST_DIVIDED` runs, only the first so many are divided, and all others are counted.

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
    a, b, c = (int(min(runs, MOST_DIVIDED) * share) for share in shares)
    return Folds(slice(0, a), slice(a, b), slice(b, c), slice(c, runs))


def probe(runs: int) -> slice:
    """Return the runs that decide how the others are divided: the first part of the learning fold."""
    return slice(0, int(min(runs, MOST_DIVIDED) * PROBE_SHARE))


def taken(sides: Sides, part: slice) -> Sides:
    """Return the same part of the runs on each stream."""
    return sides[0][part], sides[1][part]


def is_easy(first: Outputs, second: Outputs) -> bool:
    """Tell whether a few runs on each stream are enough to learn from.

    They are if nearly all outputs were seen repeatedly (by Good-Turing, the probability of an unseen output is about
    the share of outputs seen once), or if the output is a single number.
    """
    numbers = np.concatenate([first.numbers, second.numbers])
    symbols = np.concatenate([first.symbols, second.symbols])
    columns = np.count_nonzero(~np.isnan(numbers).all(axis=0))  # these runs' own: later ones may have more
    if first.ratios is not None or columns:
        return bool(columns <= 1 and (symbols == MISSING).all())
    counts = np.bincount(distinct_rows(symbols)[1])
    return bool((counts == 1).sum() <= UNSEEN * len(symbols))
