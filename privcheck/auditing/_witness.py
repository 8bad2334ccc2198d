"""The witness in words: the pair of streams and the event."""

from __future__ import annotations

from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.auditing._confirmation.evidence import CountedEvent
from privcheck.auditing._confirmation.tally import Tally
from privcheck.auditing._scoring.view import Shown
from privcheck.inference import anytime_limits, clopper_pearson
from privcheck.results import Estimate, Witness
from privcheck.targets import Given, StreamPair, named


def describe(pair: StreamPair, counted: CountedEvent, tally: Tally, level: float, *, anytime: bool = False) -> Witness:
    """Return the witness of a counted event.

    Parameters
    ----------
    pair : the two streams.
    counted : the event and its counts.
    tally : the counted runs.
    level : error probability of the interval of each of the two probabilities.
    anytime : whether the number of runs was not fixed in advance; the intervals are then valid at any time.

    """
    n = tally.runs
    (event, k, l), *_ = counted.tails
    in_words = [
        named(tail.view.words(tail, Shown(first, second, n, counted.sequences)), tally.names)
        for tail, first, second in counted.tails
    ]
    limits = anytime_limits if anytime else clopper_pearson
    return Witness(
        _as_table(pair.first),
        _as_table(pair.second),
        tuple(j + 1 for j in pair.rounds),
        pair.words,
        in_words[0],
        "second" if event.reverse else "first",
        Estimate(k / n, *limits(k, n, level / 2)),
        Estimate(l / n, *limits(l, n, level / 2)),
        in_words[1] if len(in_words) > 1 else None,
    )


def _as_table(values: Any) -> Table:
    """Return an input as a table; one-dimensional data become a single column, Python objects a table without rows."""
    if isinstance(values, Given):
        return np.zeros((0, 0))
    array = np.asarray(values, np.float64)
    return array.reshape(array.shape[0] if array.ndim else 1, -1)
