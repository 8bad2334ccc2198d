"""The witness in words: which streams, which event."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from privcheck.auditing.confirm import CountedEvent
from privcheck.auditing.limits import clopper_pearson
from privcheck.auditing.report import Estimate, Witness
from privcheck.auditing.runners import Actions
from privcheck.auditing.scores import sequence_codes
from privcheck.auditing.streams import StreamPair

SHOWN = 4
"""Beginnings of runs that are spelled out."""

MOST_SEQUENCES = 20_000
"""Distinct sequences above which an event is not broken down into beginnings."""


def describe(pair: StreamPair, counted: CountedEvent, first: Actions, second: Actions, level: float) -> Witness:
    """Return the witness of a counted event.

    Parameters
    ----------
    pair : the two streams.
    counted : the event and its counts in the runs `first` and `second`.
    first, second : the counted runs' actions (n, T).
    level : error probability of each of the two probabilities' intervals.

    """
    n = len(first)
    k, l = (counted.less, counted.more) if counted.event.reverse else (counted.more, counted.less)
    rounds = tuple(int(j) + 1 for j in np.flatnonzero((pair.first != pair.second).any(axis=1)))
    return Witness(
        pair.first,
        pair.second,
        rounds,
        pair.label,
        _event_in_words(counted, first, second),
        "second" if counted.event.reverse else "first",
        Estimate(k / n, *clopper_pearson(k, n, level / 2)),
        Estimate(l / n, *clopper_pearson(l, n, level / 2)),
    )


def _event_in_words(counted: CountedEvent, first: Actions, second: Actions) -> str:
    view = counted.event.view
    both = view.read(np.concatenate([first, second]))
    _, representative, node = np.unique(sequence_codes(both), return_index=True, return_inverse=True)
    inside = counted.event.contains(np.concatenate([first, second])[representative])
    if len(representative) > MOST_SEQUENCES:
        return f"the learned score of the {view.name} is past its threshold ({inside.sum()} of {len(inside)} sequences)"
    counts = np.stack(
        [np.bincount(part, minlength=len(inside)) for part in (node[: len(first)], node[len(first) :])], 1
    )
    parts = sorted(_beginnings(both[representative], inside, counts), key=lambda part: -part[1].max())
    lines = [
        f"{view.describe(symbols)} ({100 * k / len(first):.3g} % against {100 * l / len(first):.3g} %)"
        for symbols, (k, l) in parts[:SHOWN]
    ]
    rest = len(parts) - len(lines)
    more = f"; or {'a rarer one' if rest == 1 else f'one of {rest} rarer ones'}" if rest else ""
    return "; or ".join(lines) + more


def _beginnings(
    rows: npt.NDArray[np.integer], inside: npt.NDArray[np.bool_], counts: npt.NDArray[np.integer]
) -> list[tuple[tuple[int, ...], npt.NDArray[np.integer]]]:
    """Return the shortest beginnings all of whose continuations seen are inside the event, each with its two counts."""
    parts = []
    open_groups = [(np.arange(len(rows)), 0)]
    while open_groups:
        group, depth = open_groups.pop()
        if inside[group].all():
            parts.append((tuple(int(symbol) for symbol in rows[group[0], :depth]), counts[group].sum(axis=0)))
        elif inside[group].any():
            symbols = rows[group, depth]
            open_groups += [(group[symbols == symbol], depth + 1) for symbol in np.unique(symbols)]
    return parts
