"""The sparse coefficients of private values: which feature enters which entry, and with what weight."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.errors import PrivcheckError, words

_TIDY_FROM = 64
"""Number of terms above which a growing sum is tidied: sorting smaller sums takes more time than it saves."""


class _Buffer:
    """Growing columns of (entry, feature, weight); what has been written is never changed."""

    __slots__ = ("features", "rows", "used", "weights")

    def __init__(self, capacity: int) -> None:
        self.rows: Integers = np.empty(capacity, np.int64)
        self.features: Integers = np.empty(capacity, np.int64)
        self.weights: Array = np.empty(capacity)
        self.used = 0

    def write(self, rows: Integers, features: Integers, weights: Array) -> None:
        stop = self.used + weights.size
        self.rows[self.used : stop] = rows
        self.features[self.used : stop] = features
        self.weights[self.used : stop] = weights
        self.used = stop


class Terms:
    """An immutable sum of weight * feature per entry; entries are numbered in C order.

    Terms that grow out of one another share a buffer, so adding one datum to a sum takes constant (amortised) time,
    whether or not it is done in place.

    Examples
    --------
    >>> first = Terms.of([0, 1], [5, 5], [1.0, 2.0])
    >>> both = first.plus(first.scaled(-1.0)).plus(Terms.of([1], [6], [0.5]))
    >>> both.tidy().rows.tolist(), both.tidy().features.tolist(), both.tidy().weights.tolist()
    ([1], [6], [0.5])
    >>> moved = first.spread(np.array([1, 1]), np.array([0, 3]), np.array([1.0, 10.0])).tidy()
    >>> moved.rows.tolist(), moved.features.tolist(), moved.weights.tolist()
    ([0, 3], [5, 5], [2.0, 20.0])

    """

    __slots__ = ("_buffer", "_settled", "_tidied", "count")

    def __init__(self, buffer: _Buffer, count: int, settled: int) -> None:
        self._buffer, self.count, self._settled = buffer, count, settled
        self._tidied: Terms | None = None

    @classmethod
    def of(cls, rows: Any, features: Any, weights: Any) -> Terms:
        """Return the terms with these parallel columns."""
        return cls._copied(np.asarray(rows), np.asarray(features), checked(np.asarray(weights, np.float64)), 0)

    @classmethod
    def _copied(cls, rows: Integers, features: Integers, weights: Array, room: int) -> Terms:
        buffer = _Buffer(weights.size + room)
        buffer.write(rows, features, weights)
        return cls(buffer, buffer.used, buffer.used)

    @property
    def rows(self) -> Integers:
        """The entry of each term."""
        return self._buffer.rows[: self.count]

    @property
    def features(self) -> Integers:
        """The feature of each term."""
        return self._buffer.features[: self.count]

    @property
    def weights(self) -> Array:
        """The weight of each term."""
        return self._buffer.weights[: self.count]

    def plus(self, other: Terms) -> Terms:
        """Return the entrywise sum."""
        long, short = (self, other) if self.count >= other.count else (other, self)
        if short.count == 0:
            return long
        total, buffer = long.count + short.count, long._buffer
        if buffer.used != long.count or buffer.weights.size < total:
            buffer = _Buffer(2 * total)
            buffer.write(long.rows, long.features, long.weights)
        buffer.write(short.rows, short.features, short.weights)
        return Terms(buffer, total, long._settled)._in_order()

    def _in_order(self) -> Terms:
        return self.tidy() if self.count > max(_TIDY_FROM, 2 * self._settled) else self

    def scaled(self, factor: float) -> Terms:
        """Return these terms multiplied by one public number."""
        if factor == 1.0 or self.count == 0:
            return self
        if factor == 0.0:
            return NOTHING
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return Terms.of(self.rows, self.features, self.weights * factor)

    def spread(self, inputs: Integers, outputs: Integers, factors: Array | None = None) -> Terms:
        """Return the terms of z where z[outputs[k]] += factors[k] * y[inputs[k]] for all k, starting at z = 0."""
        if self.count == 0:
            return NOTHING
        tidy = self.tidy()
        if factors is not None:
            used = factors != 0.0
            inputs, outputs, factors = inputs[used], outputs[used], factors[used]
        first = np.searchsorted(tidy.rows, inputs, "left")
        counts = np.searchsorted(tidy.rows, inputs, "right") - first
        pair = np.repeat(np.arange(inputs.size), counts)
        index = np.arange(pair.size) + (first - np.cumsum(counts) + counts)[pair]
        weights = tidy.weights[index]
        if factors is not None:
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                weights = checked(weights * factors[pair])
        return Terms._copied(outputs[pair], tidy.features[index], weights, 0)

    def row(self, row: int) -> Terms:
        """Return the terms of one entry, as those of entry 0."""
        found = np.flatnonzero(self.rows == row)
        return Terms._copied(np.zeros(found.size, np.int64), self.features[found], self.weights[found], 0)

    def with_row(self, row: int, other: Terms) -> Terms:
        """Return these terms with those of one entry replaced by `other`, the terms of a number."""
        kept = self.rows != row
        rest = Terms._copied(self.rows[kept], self.features[kept], self.weights[kept], other.count)
        rest._buffer.write(np.full(other.count, row), other.features, other.weights)
        return Terms(rest._buffer, rest._buffer.used, self._settled)._in_order()

    def tidy(self) -> Terms:
        """Return the same sum with one term per entry and feature, sorted by entry, and without zeros."""
        if self._tidied is None:
            self._tidied = self._tidy()
            self._tidied._tidied = self._tidied
        return self._tidied

    def _tidy(self) -> Terms:
        if self.count == 0:
            return self
        rows, features = self.rows, self.features
        order = np.lexsort((features, rows))
        rows, features = rows[order], features[order]
        new = np.ones(self.count, np.bool_)
        new[1:] = (rows[1:] != rows[:-1]) | (features[1:] != features[:-1])
        with np.errstate(over="ignore", invalid="ignore"):
            weights = np.add.reduceat(self.weights[order], np.flatnonzero(new))
        kept = weights != 0.0
        return Terms._copied(rows[new][kept], features[new][kept], weights[kept], 0)


def checked(weights: Array) -> Array:
    """Return coefficients, or refuse them if one overflows or underflows, because its sensitivity would be wrong."""
    sizes = np.abs(weights)
    if weights.size and not (sizes.min() >= sys.float_info.min and sizes.max() <= sys.float_info.max):
        hint = "multiply private values by finite numbers of ordinary magnitude"
        got = words("NaN, infinity or a number too small")
        raise PrivcheckError("coefficient of a private value", got, "a finite normal number", hint)
    return weights


NOTHING = Terms.of([], [], [])
"""The terms of a public value."""
