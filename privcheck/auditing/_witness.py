"""The witness in words: the pair of streams and the event."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.auditing._confirmation.evidence import CountedEvent
from privcheck.auditing._confirmation.tally import Tally
from privcheck.auditing._events.event import Event
from privcheck.auditing._input_differences import named_pair
from privcheck.auditing._scoring.view import Shown
from privcheck.inference import anytime_limits, clopper_pearson, conditional_binomial_lower
from privcheck.results import Estimate, Witness
from privcheck.targets import Given, StreamPair, named


def describe(pair: StreamPair, counted: CountedEvent, tally: Tally, level: float, *, anytime: bool = False) -> Witness:
    """Return the witness of a counted event; of an event and its mirror image, the half that shows more comes first.

    Parameters
    ----------
    pair : the two streams.
    counted : the event and its counts.
    tally : the counted runs.
    level : error probability of the interval of each of the two probabilities.
    anytime : whether the number of runs was not fixed in advance; the intervals are then valid at any time.

    """
    n = tally.runs
    tails = sorted(counted.tails, key=lambda tail: -_lower(tail, level))
    (event, k, l), *_ = tails
    in_words = [
        named(tail.view.words(tail, Shown(first, second, n, counted.sequences)), tally.names)
        for tail, first, second in tails
    ]
    limits = anytime_limits if anytime else clopper_pearson
    return Witness(
        _as_table(pair.first),
        _as_table(pair.second),
        tuple(j + 1 for j in pair.rounds),
        named_pair(pair),
        in_words[0],
        _likelier(k, l, said="second" if event.reverse else "first"),
        Estimate(k / n, *limits(k, n, level / 2)),
        Estimate(l / n, *limits(l, n, level / 2)),
        in_words[1] if len(in_words) > 1 else None,
    )


def event_on_two_inputs(pair: StreamPair, event: str, counted: tuple[int, int], runs: int, level: float) -> Witness:
    """Return the witness of an event in words that so many runs on each input had.

    Parameters
    ----------
    pair : the two inputs.
    event : in words.
    counted : runs on each of them that were in the event.
    runs : on each.
    level : error probability of the interval of each of the two probabilities.
    """
    first, second = (Estimate(count / runs, *clopper_pearson(count, runs, level / 2)) for count in counted)
    return Witness(
        _as_table(pair.first),
        _as_table(pair.second),
        tuple(j + 1 for j in pair.rounds),
        named_pair(pair),
        event,
        _likelier(*counted, said="first"),
        first,
        second,
    )


def _lower(tail: tuple[Event, int, int], level: float) -> float:
    """Return the lower limit of the log-ratio of a one-tailed event, in its own direction."""
    event, first, second = tail
    more, less = (second, first) if event.reverse else (first, second)
    return conditional_binomial_lower(more, less, level)


def _likelier(first: int, second: int, *, said: str) -> str:
    """Return the stream on which an event was seen more often; what is said of it if both have as many."""
    return said if first == second else "first" if first > second else "second"


def _as_table(values: Any) -> Table:
    """Return an input as a table; one-dimensional data become a single column, Python objects a table without rows."""
    if isinstance(values, Given):
        return np.zeros((0, 0))
    array = np.asarray(values, np.float64)
    return array.reshape(array.shape[0] if array.ndim else 1, math.prod(array.shape[1:]))  # of no rows, -1 is unknown
