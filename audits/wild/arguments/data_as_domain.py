"""A synthesizer whose domain is the range of the private data: some of its outputs are impossible on a neighbour."""

from __future__ import annotations

import math

import numpy as np

from audits.wild.implementation import Shown

WITHOUT, WITH = [0, 0, 0, 0], [0, 0, 0, 1]


def synthetic_law(column: list[int]) -> dict[int, float]:
    """Return the law of a synthetic row before any weights are learned: uniform on the bins of the histogram."""
    bins = int(max(column) - min(column) + 1)
    counts, _ = np.histogramdd(np.array([column]).T, bins=[bins])
    start = np.full(counts.shape, counts.sum() / bins)
    return {min(column) + place: float(weight / start.sum()) for place, weight in enumerate(start)}


def range_of_the_column() -> Shown:
    """Return the loss of drawing the category that one row alone has; weights are exponentials, and never 0."""
    drawn = [synthetic_law(column).get(1, 0.0) for column in (WITH, WITHOUT)]
    because = (
        f"the histogram has {len(synthetic_law(WITHOUT))} bin for {WITHOUT} and {len(synthetic_law(WITH))} for {WITH}, "
        f"and multiplicative weights keep every bin above 0: a synthetic 1 has probability {drawn[1]:g} on the first, "
        "and a positive one on the second"
    )
    return Shown(1.0, math.inf if drawn[0] > 0.0 == drawn[1] else 0.0, because)
