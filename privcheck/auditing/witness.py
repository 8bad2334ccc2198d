"""The witness in words: the pair of streams and the event."""

from __future__ import annotations

from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.auditing.confirmation.evidence import CountedEvent
from privcheck.inference.limits import anytime_limits, clopper_pearson
from privcheck.results.audit_report import Estimate, Witness
from privcheck.targets.output_parts import named
from privcheck.targets.outputs import Sides
from privcheck.targets.stream_pair import Given, StreamPair


def describe(pair: StreamPair, counted: CountedEvent, sides: Sides, level: float, *, anytime: bool = False) -> Witness:
    """Return the witness of a counted event.

    Parameters
    ----------
    pair : the two streams.
    counted : the event and its counts.
    sides : the counted runs on each stream.
    level : error probability of the interval of each of the two probabilities.
    anytime : whether the number of runs was not fixed in advance; the intervals are then valid at any time.

    """
    n = len(sides[0])
    event, *mirror = counted.event.tails
    shares = [float(event.contains(side).mean()) for side in sides]
    k, l = (round(n * share) for share in shares)
    names = sides[0].names | sides[1].names
    limits = anytime_limits if anytime else clopper_pearson
    return Witness(
        _as_table(pair.first),
        _as_table(pair.second),
        tuple(j + 1 for j in pair.rounds),
        pair.words,
        named(event.view.words(event, *sides), names),
        "second" if event.reverse else "first",
        Estimate(k / n, *limits(k, n, level / 2)),
        Estimate(l / n, *limits(l, n, level / 2)),
        named(mirror[0].view.words(mirror[0], *sides), names) if mirror else None,
    )


def _as_table(values: Any) -> Table:
    """Return an input as a table; one-dimensional data become a single column, Python objects a table without rows."""
    if isinstance(values, Given):
        return np.zeros((0, 0))
    array = np.asarray(values, np.float64)
    return array.reshape(array.shape[0] if array.ndim else 1, -1)
