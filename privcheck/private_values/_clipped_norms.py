"""Clipping a vector to an L2 norm, for ordinary numbers and for the private values of one datum."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from privcheck.declared import POSITIVE, check
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms import finite_array
from privcheck.private_values._entries import Entries, collected
from privcheck.private_values._leaks import describe_data
from privcheck.private_values._private import Private
from privcheck.private_values._vector_bounds import VectorBound

_BELOW = 1.0 - 1e-15
"""What a clipped vector is multiplied by, so that rounding does not move it out of the ball."""


def clip_norm(vector: Any, norm: float) -> Any:
    """Return a vector scaled down to an L2 norm of at most `norm`; a shorter vector stays as it is.

    The entries of a private vector have to belong to one datum. The result is a new vector of that datum, of this norm:
    replacing the datum moves it by at most twice `norm`, and its outer product by at most sqrt(2) times the square of
    `norm` in the Frobenius norm. It counts as independent of the vector that was clipped.

    Parameters
    ----------
    vector : shape (d,), private or not, d >= 1.
    norm : the largest L2 norm, > 0, in the unit of the entries.

    Raises
    ------
    PrivcheckError : entries of several data, another shape, or numbers that are not finite.

    Source: Shariff and Sheffet (2018), Section 4: a row (x, y) of context and reward has a bounded norm.

    Examples
    --------
    >>> clip_norm([3.0, 4.0], 1.0).round(6).tolist(), clip_norm([0.0, 0.5], 1.0).tolist()
    ([0.6, 0.8], [0.0, 0.5])
    >>> import numpy as np
    >>> from privcheck.private_values._source import PrivateSource
    >>> source = PrivateSource()
    >>> row = np.hstack([source.vector([0.6, 0.0], -1.0, 1.0, data=3), source.scalar(1.0, -1.0, 1.0, datum=3)])
    >>> clipped = clip_norm(row, 1.0)
    >>> round(np.outer(clipped, clipped).sensitivities("frobenius")[3], 6)
    1.414214

    """
    longest = check("norm", norm, POSITIVE, "the largest norm of a vector")
    if isinstance(vector, Private) and vector.ndim == 1 and not vector.is_public:
        return _clipped(vector, longest)
    values = finite_array("vector", vector.reveal(None) if isinstance(vector, Private) else vector)
    if values.ndim != 1:
        raise PrivcheckError("vector", words(f"shape {values.shape}"), "shape (d,)", "clip one vector at a time")
    return values * _factor(values.tolist(), longest)


def _factor(values: list[float], norm: float) -> float:
    length = math.hypot(*values)
    return 1.0 if length <= norm else norm / length * _BELOW


def _clipped(vector: Private, norm: float) -> Any:
    assert vector.source is not None
    entries = Entries.of(vector)
    table, numbers = entries.table, np.unique(entries.table.owner.take(entries.features)).tolist()
    if len(numbers) > 1:
        got = words(f"a vector with entries of {describe_data([table.data[number] for number in numbers])}")
        raise PrivcheckError("clip_norm", got, "entries of one datum", "clip the vector of each datum, then add them")
    low, high = entries.interval
    lows, highs = np.maximum(np.minimum(low, 0.0), -norm), np.minimum(np.maximum(high, 0.0), norm)
    key = ("clip norm", norm, entries.identity)
    group = table.derived_group(key, partial(VectorBound.of, lows, highs, norm))
    keys, values = [(*key, place) for place in range(entries.size)], entries.values
    values = values * _factor(values.tolist(), norm)
    return vector.make(vector.source, *collected(table, keys, numbers[0], (lows, highs), values, group=group))
