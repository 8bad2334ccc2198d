"""What a place held that was private, and numbers like it, of data of which there are none: it may hold one later."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.private_values._entries import SEVERAL, Entries
from privcheck.private_values._leaks import Made
from privcheck.private_values._private import Private, PrivateArray
from privcheck.private_values._terms import Terms

if TYPE_CHECKING:
    from privcheck.private_values._source import PrivateSource

NUMBERS = (bool, int, float, np.bool_, np.number)

_DATA = count(10**9)
"""Ids of data of which there are none."""


@dataclass(frozen=True)
class Sample:
    """The private numbers that a place held, without noise.

    Parameters
    ----------
    low, high : the interval of those of one datum.
    step : the largest change that one datum makes in those of several; 0.0 if there are none.
    whole : whether they are integers whatever the data are.
    kind, compared : the Python number that they stand for, and the comparison that made them.
    shape : of the array whose entries they are; () for a number.
    entries : which of them, in C order.
    symmetric : whether the entries (i, j) and (j, i) of a matrix were one number of the data, for all i and j; of more
        than two axes, along the last two.
    made : where a choice or a conversion made the number, if that is known.
    """

    low: float
    high: float
    step: float
    whole: bool
    kind: str
    compared: str
    shape: tuple[int, ...]
    entries: tuple[int, ...]
    symmetric: bool
    made: Made | None

    def joined(self, other: Sample) -> Sample:
        """Return what stands for this sample and another one: of several data, if one is, and symmetric if both are."""
        chosen = other if self.step == 0.0 < other.step else self  # what several data are in can be used in fewer ways
        return replace(chosen, symmetric=self.symmetric and other.symmetric)


def sample_of(value: Any) -> Sample | None:
    """Return the private numbers without noise in a value; None if there are none.

    >>> from privcheck.private_values._source import PrivateSource
    >>> reward = PrivateSource().scalar(0.7, low=0.0, high=1.0, datum=3)
    >>> found = sample_of(1.0 - reward)
    >>> found.low, found.high, found.step, sample_of(reward - reward), sample_of(0.7)
    (0.0, 1.0, 0.0, None, None)
    """
    if type(value) not in (Private, PrivateArray) or value.is_public:
        return None
    terms = value.terms.tidy()
    noised = np.unique(terms.rows[terms.features < 0])
    rows, where = np.unique(terms.rows[~np.isin(terms.rows, noised)], return_inverse=True)
    if not rows.size:
        return None
    kept = ~np.isin(terms.rows, noised)
    starts = np.searchsorted(where, np.arange(rows.size + 1))
    const, features, weights = value._const.ravel()[rows], terms.features[kept], terms.weights[kept]
    entries = Entries(const, starts, features, weights, value.source.features)
    several = entries.owners == SEVERAL
    lows, highs = (ends[~several] for ends in entries.interval)
    steps = np.abs(weights) * (entries.table.high.take(features) - entries.table.low.take(features))
    return Sample(
        float(lows.min(initial=0.0)), float(highs.max(initial=0.0)),
        float(steps[several[entries.rows]].max(initial=0.0)), bool(entries.whole.all()),
        value.kind, value.compared, value.shape, tuple(rows.tolist()),
        _is_symmetric(value.shape, terms.rows[kept], features, weights), value.made,
    )  # fmt: skip


def assumed(sample: Sample, holds: Any, source: PrivateSource) -> Any:
    """Return what a place holds, with private numbers where it may hold some; None if there is nothing to replace.

    Their hidden values are the numbers that they replace, so code computes the same with them. Entries vary
    independently, except that a matrix that was symmetric is filled symmetrically, where its numbers are: noise that is
    mirrored is enough for the one and not for the other.

    >>> from privcheck.private_values._source import PrivateSource
    >>> source = PrivateSource()
    >>> found = assumed(sample_of(source.scalar(0.7, low=0.0, high=1.0, datum=3)), 0.25, source)
    >>> list(found.sensitivities("l1").values()), assumed(sample_of(found), found, source)
    ([1.0], None)
    """
    if type(holds) is Private:
        return _number(sample, holds.ordinary(), source) if holds.is_public else None
    if isinstance(holds, NUMBERS):
        return _number(sample, float(holds), source)
    if type(holds) is np.ndarray and holds.dtype == np.float64 and holds.ndim:
        holds = Private.public(holds)
    elif type(holds) is not PrivateArray:
        return None
    places = sample.entries if holds.shape == sample.shape else range(holds.size)
    mirrored = _mirrored(holds.shape) if sample.symmetric and holds.shape == sample.shape else np.arange(holds.size)
    made = dict[int, tuple[float, Private]]()
    for place in places:
        key = np.unravel_index(place, holds.shape)
        entry = holds[key]
        if type(entry) is not Private or entry.is_public:
            now, found = made.get(int(mirrored[place]), (None, None))
            if found is None or now != float(entry):
                found = _number(sample, float(entry), source)
            made[place] = float(entry), found
            holds[key] = found
    return holds if made else None


def _mirrored(shape: tuple[int, ...]) -> Integers:
    """Return the place of the entry (j, i) for that of each entry (i, j), along the last two axes."""
    return np.arange(math.prod(shape)).reshape(shape).swapaxes(-1, -2).ravel()


def _is_symmetric(shape: tuple[int, ...], rows: Integers, features: Integers, weights: Array) -> bool:
    if len(shape) < 2 or shape[-1] != shape[-2]:
        return False
    columns = features.tolist(), weights.tolist()
    return set(zip(rows.tolist(), *columns, strict=True)) == set(
        zip(_mirrored(shape)[rows].tolist(), *columns, strict=True)
    )


def _number(sample: Sample, now: float, source: PrivateSource) -> Private:
    whole = sample.whole and now == round(now)
    ends = (
        [(min(sample.low - now, 0.0), max(sample.high - now, 0.0))] if sample.step == 0.0 else 2 * [(0.0, sample.step)]
    )
    found = Private.make(source, np.array(now), Terms.of([], [], []))
    for low, high in ends:
        feature = source.features.add(next(_DATA), low, high, 0.0, whole=whole)
        found = found + Private.make(source, np.zeros(()), Terms.feature(feature))
    is_indicator = bool(sample.compared) and now in (0.0, 1.0) and sample.step == 0.0
    return found.as_indicator(sample.compared) if is_indicator else found.of_kind(sample.kind if whole else "f")
