"""Ends of sums that no rounding passes, so that a comparison with an end itself holds for all data."""

from __future__ import annotations

import numpy as np

from privcheck.arrays import Array
from privcheck.private_values._entries import Entries

MOST_ENTRIES = 256
"""Entries of an array whose ends are looked for, to bound the time."""

_EXACT = 2.0**53
"""Integers below are numbers, and so are all sums of such integers that stay below."""


def sharp_ends(entries: Entries, wanted: list[int]) -> tuple[Array, Array]:
    """Return the ends of some entries that hold in floating point as well; -inf and inf where none is known.

    Rounding is monotone: a sum of integer multiples of numbers whose ends are integers lies, in whatever order it is
    computed, between the integers that its ends add up to. A sum whose smallest value is that of its public part, an
    integer, never falls below it, unless terms cancel. A multiple of a sum of such numbers, or the sum over n as in a
    mean, lies between the multiples of its ends; one that is added up of shares may pass them by its rounding, of which
    no certificate speaks. What is known of a number that was made of several others stands in the table.

    Parameters
    ----------
    entries : of which each is a sum.
    wanted : the indices of those that are looked at.

    Examples
    --------
    >>> from privcheck.private_values._source import PrivateSource
    >>> source = PrivateSource()
    >>> one, two = (source.scalar(0.7, low=0.0, high=1.0, datum=datum) for datum in (3, 4))
    >>> sums = one + two, 0.3 * one + 0.1 * two, (one + two) / 2
    >>> [[float(end[0]) for end in sharp_ends(Entries.of(each), [0])] for each in sums]
    [[0.0, 2.0], [0.0, inf], [0.0, 1.0]]
    """
    exact = entries.plain | ~entries.private
    lows, highs = (np.where(exact, ends, far) for ends, far in zip(entries.interval, (-np.inf, np.inf), strict=True))
    for entry in [entry for entry in wanted if not exact[entry]][:MOST_ENTRIES]:
        of_entry = slice(entries.starts[entry], entries.starts[entry + 1])
        features, weights, const = entries.features[of_entry], entries.weights[of_entry], entries.const[entry]
        if entries.table.sharp and (known := entries.table.sharp.get(int(features[0]))):
            if (len(features), const) == known[:2] and (weights == 1.0).all():
                lows[entry], highs[entry] = known[2:]
            continue
        ends = entries.table.low.take(features), entries.table.high.take(features)
        least, most = np.minimum(*(weights * end for end in ends)), np.maximum(*(weights * end for end in ends))
        reach = abs(const) + np.maximum(np.abs(least), np.abs(most)).sum()
        if const != np.rint(const) or not reach < _EXACT:
            continue
        if not least.any():
            lows[entry] = const
        if not most.any():
            highs[entry] = const
        if any((end != np.rint(end)).any() for end in ends):
            continue
        if (weights == np.rint(weights)).all():
            lows[entry], highs[entry] = const + least.sum(), const + most.sum()
        elif (weights == weights[0]).all():
            lows[entry], highs[entry] = _multiple(float(weights[0]), *(float(end.sum()) for end in ends))
            lows[entry], highs[entry] = const + lows[entry], const + highs[entry]
    return lows, highs


def _multiple(weight: float, low: float, high: float) -> tuple[float, float]:
    """Return ends of a multiple of a sum, whether it is a product or, where the weight is that of one, a quotient.

    >>> _multiple(1.0 / 3.0, 0.0, 3.0), _multiple(-0.1, 0.0, 7.0)
    ((0.0, 1.0), (-0.7000000000000001, -0.0))
    """
    products, divisor = sorted((weight * low, weight * high)), float(np.rint(1.0 / weight))
    if 1.0 / divisor != weight:
        return products[0], products[1]
    quotients = sorted((low / divisor, high / divisor))
    return min(products[0], quotients[0]), max(products[1], quotients[1])
