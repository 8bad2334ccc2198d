"""The sparse coefficients of private values: which feature enters which entry, and with what weight."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.errors import PrivcheckError, words
from privcheck.private_values._columns import ONE_AT_A_TIME

_TIDY_FROM = 64
"""Number of terms above which a growing sum is tidied: sorting smaller sums takes more time than it saves."""


_ORDER = "bnimf"

_CHUNK = 2**12
"""Number of terms of a long sum that are written out at a time."""


class _Buffer:
    """Growing columns of ranges (entry, first feature, number of features, weight); only the last range can grow."""

    __slots__ = ("end", "firsts", "lengths", "rows", "used", "weights")

    def __init__(self, capacity: int) -> None:
        self.rows: Integers = np.empty(capacity, np.int64)
        self.firsts: Integers = np.empty(capacity, np.int64)
        self.lengths: Integers = np.empty(capacity, np.int64)
        self.weights: Array = np.empty(capacity)
        self.used = 0
        self.end: list[Any] | None = None

    def write(self, rows: Any, firsts: Any, lengths: Any, weights: Any) -> None:
        stop = self.used + len(rows)
        self.rows[self.used : stop] = rows
        self.firsts[self.used : stop] = firsts
        self.lengths[self.used : stop] = lengths
        self.weights[self.used : stop] = weights
        self.used, self.end = stop, None

    def last(self) -> list[Any]:
        """Return the entry, the weight, the first feature and the number of features of the last range, as Python's
        numbers, which cost a tenth of those of arrays; they are changed together with the arrays.
        """
        if self.end is None:
            place = self.used - 1
            self.end = [column.item(place) for column in (self.rows, self.weights, self.firsts, self.lengths)]
        return self.end


class Terms:
    """An immutable sum of weight * feature per entry; entries are numbered in C order.

    Terms that grow out of one another share a buffer, so adding one datum to a sum takes constant (amortised) time,
    whether or not it is done in place. Consecutive features that enter one entry with one weight take the memory of a
    single term.

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

    __slots__ = ("_buffer", "_last", "_settled", "_single", "_tidied", "_used", "count")

    def __init__(self, buffer: _Buffer, used: int, last: int, count: int, settled: int) -> None:
        self._buffer, self._used, self._last, self.count = buffer, used, last, count
        self._settled, self._single = settled, -1
        self._tidied: Terms | None = None

    @classmethod
    def of(cls, rows: Any, features: Any, weights: Any) -> Terms:
        """Return the terms with these parallel columns."""
        return cls._copied(np.asarray(rows), np.asarray(features), checked(np.asarray(weights, np.float64)))

    @classmethod
    def feature(cls, number: int) -> Terms:
        """Return the terms of a number that is a single feature.

        >>> Terms.feature(5).features.tolist(), Terms.feature(5).weights.tolist()
        ([5], [1.0])
        """
        self = cls.__new__(cls)
        self._single, self._used, self._last, self.count, self._settled, self._tidied = number, 1, 1, 1, 1, None
        return self

    def __getattr__(self, name: str) -> Any:
        """Write out a single feature when its columns are first used: a sum that it goes on with never does."""
        if name != "_buffer":
            raise AttributeError(name)
        buffer = _Buffer(1)
        buffer.write((0,), (self._single,), (1,), (1.0,))
        self._buffer = buffer  # written before another thread can see it
        return buffer

    @classmethod
    def _copied(cls, rows: Integers, firsts: Integers, weights: Array, lengths: Any = 1, room: int = 0) -> Terms:
        buffer = _Buffer(weights.size + room)
        buffer.write(rows, firsts, lengths, weights)
        return cls._whole(buffer)

    @classmethod
    def _whole(cls, buffer: _Buffer) -> Terms:
        if buffer.used == 0:
            return cls(buffer, 0, 0, 0, 0)
        count = int(buffer.lengths[: buffer.used].sum())
        return cls(buffer, buffer.used, int(buffer.lengths[buffer.used - 1]), count, count)

    @property
    def ranges(self) -> tuple[Integers, Integers, Integers, Array]:
        """Ranges of consecutive features with one weight in one entry: entries, first features, lengths and weights."""
        buffer, used = self._buffer, self._used
        lengths = buffer.lengths[:used]
        if used and (buffer.used == used or lengths[-1] != self._last):  # in a thread the last range may grow meanwhile
            lengths = lengths.copy()
            lengths[-1] = self._last
        return buffer.rows[:used], buffer.firsts[:used], lengths, buffer.weights[:used]

    def chunks(self) -> Iterator[tuple[Integers, Integers, Array]]:
        """Yield the entries, features and weights of the terms, of at most 4096 terms at a time."""
        rows, firsts, lengths, weights = self.ranges
        stops = np.cumsum(lengths)
        offsets = firsts - (stops - lengths)
        for start in range(0, self.count, _CHUNK):
            numbers = np.arange(start, min(start + _CHUNK, self.count))
            places = np.searchsorted(stops, numbers, "right")
            yield rows[places], offsets[places] + numbers, weights[places]

    @property
    def rows(self) -> Integers:
        """The entry of each term."""
        rows, _, lengths, _ = self.ranges
        return rows if self._used == self.count else np.repeat(rows, lengths)

    @property
    def features(self) -> Integers:
        """The feature of each term."""
        _, firsts, lengths, _ = self.ranges
        if self._used == self.count:
            return firsts
        return np.repeat(firsts - (np.cumsum(lengths) - lengths), lengths) + np.arange(self.count)

    @property
    def weights(self) -> Array:
        """The weight of each term."""
        _, _, lengths, weights = self.ranges
        return weights if self._used == self.count else np.repeat(weights, lengths)

    def plus(self, other: Terms) -> Terms:
        """Return the entrywise sum."""
        long, short = self, other
        if (long._used, long.count) < (short._used, short.count):
            long, short = other, self
        if short.count == 0:
            return long
        with ONE_AT_A_TIME:
            found = long._and(short)
        return found._in_order()

    def _and(self, short: Terms) -> Terms:
        """Return the sum with shorter terms, in the buffer of these unless another sum goes on there."""
        if short._single >= 0 and self._grow(short._single):
            return Terms(self._buffer, self._used, self._last + 1, self.count + 1, self._settled)
        buffer, used, joined = self._buffer, self._used, self._goes_on(short)
        total = used + short._used - joined
        if buffer.used != used or buffer.lengths[used - 1] != self._last or buffer.weights.size < total:
            buffer = _Buffer(2 * total)
            buffer.write(*self.ranges)
        last = short._last
        if joined:
            last += self._last if short._used == 1 else 0
            buffer.lengths[used - 1] += short.ranges[2][0]
            buffer.end = None
        if short._used > joined:
            buffer.write(*(column[joined:] for column in short.ranges))
        return Terms(buffer, total, last, self.count + short.count, self._settled)

    def _grow(self, feature: int) -> bool:
        """Add a feature with the weight 1 to the last range of a number, and return whether it goes on there."""
        buffer = self._buffer
        if buffer.used != self._used or self.count == 0:
            return False
        end = buffer.last()
        if end[0] != 0 or end[1] != 1.0 or end[3] != self._last or feature != end[2] + end[3]:
            return False
        end[3] += 1
        buffer.lengths[buffer.used - 1] = end[3]
        return True

    def _goes_on(self, other: Terms) -> bool:
        """Return whether the first range of other terms goes on where the last range of these ends."""
        one, two, end = self._buffer, other._buffer, self._used - 1
        return bool(
            two.firsts[0] == one.firsts[end] + self._last
            and two.weights[0] == one.weights[end]
            and two.rows[0] == one.rows[end]
        )

    def _in_order(self) -> Terms:
        return self.tidy() if self.count > max(_TIDY_FROM, 2 * self._settled) else self

    def scaled(self, factor: float) -> Terms:
        """Return these terms multiplied by one public number."""
        if factor == 1.0 or self.count == 0:
            return self
        if factor == 0.0:
            return NOTHING
        rows, firsts, lengths, weights = self.ranges
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return Terms._copied(rows, firsts, checked(weights * factor), lengths)

    def spread(self, inputs: Integers, outputs: Integers, factors: Array | None = None) -> Terms:
        """Return the terms of z where z[outputs[k]] += factors[k] * y[inputs[k]] for all k, starting at z = 0."""
        if self.count == 0:
            return NOTHING
        rows, firsts, lengths, weights = self.tidy().ranges
        if factors is not None:
            used = factors != 0.0
            inputs, outputs, factors = inputs[used], outputs[used], factors[used]
        first = np.searchsorted(rows, inputs, "left")
        counts = np.searchsorted(rows, inputs, "right") - first
        pair = np.repeat(np.arange(inputs.size), counts)
        index = np.arange(pair.size) + (first - np.cumsum(counts) + counts)[pair]
        weights = weights[index]
        if factors is not None:
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                weights = checked(weights * factors[pair])
        return Terms._copied(outputs[pair], firsts[index], weights, lengths[index])

    def row(self, row: int) -> Terms:
        """Return the terms of one entry, as those of entry 0."""
        rows, firsts, lengths, weights = self.ranges
        found = np.flatnonzero(rows == row)
        return Terms._copied(np.zeros(found.size, np.int64), firsts[found], weights[found], lengths[found])

    def with_row(self, row: int, other: Terms) -> Terms:
        """Return these terms with those of one entry replaced by `other`, the terms of a number."""
        rows, firsts, lengths, weights = self.ranges
        kept = rows != row
        buffer = Terms._copied(rows[kept], firsts[kept], weights[kept], lengths[kept], other._used)._buffer
        _, firsts, lengths, weights = other.ranges
        buffer.write(np.full(other._used, row), firsts, lengths, weights)
        whole = Terms._whole(buffer)
        return Terms(buffer, whole._used, whole._last, whole.count, self._settled)._in_order()

    def tidy(self) -> Terms:
        """Return the same sum with one term per entry and feature, sorted by entry, and without zeros."""
        if self._tidied is None:
            self._tidied = self._tidy()
            self._tidied._tidied = self._tidied
        return self._tidied

    def _tidy(self) -> Terms:
        if self.count == 0:
            return self
        rows, firsts, lengths, weights = self.ranges
        onwards = (rows[1:] == rows[:-1]) & (firsts[1:] >= firsts[:-1] + lengths[:-1]) | (rows[1:] > rows[:-1])
        if onwards.all() and weights.all():
            return Terms(self._buffer, self._used, self._last, self.count, self.count)
        rows, features = self.rows, self.features
        order = np.lexsort((features, rows))
        rows, features = rows[order], features[order]
        new = np.ones(self.count, np.bool_)
        new[1:] = (rows[1:] != rows[:-1]) | (features[1:] != features[:-1])
        with np.errstate(over="ignore", invalid="ignore"):
            weights = np.add.reduceat(self.weights[order], np.flatnonzero(new))
        kept = weights != 0.0
        return Terms._joined(rows[new][kept], features[new][kept], weights[kept])

    @classmethod
    def _joined(cls, rows: Integers, features: Integers, weights: Array) -> Terms:
        """Return the terms with these parallel columns, in as few ranges as their order allows."""
        new = np.ones(weights.size, np.bool_)
        new[1:] = (np.diff(features) != 1) | (np.diff(rows) != 0) | (weights[1:] != weights[:-1])
        starts = np.flatnonzero(new)
        lengths = np.diff(starts, append=weights.size)
        return cls._copied(rows[starts], features[starts], weights[starts], lengths)


def checked(weights: Array) -> Array:
    """Return coefficients, or refuse them if one overflows or underflows, because its sensitivity would be wrong."""
    sizes = np.abs(weights)
    if weights.size and not (sizes.min() >= sys.float_info.min and sizes.max() <= sys.float_info.max):
        hint = "multiply private values by finite numbers of ordinary magnitude"
        got = words("NaN, infinity or a number too small")
        raise PrivcheckError("coefficient of a private value", got, "a finite normal number", hint)
    return weights


def kind_of(array: Any) -> str:
    """Return what an array of numpy holds: "b" bools, "n" integers of 8 or 16 bits, "i" others, "f" floats.

    >>> import numpy as np
    >>> [kind_of(np.array(number)) for number in (True, np.int8(3), 3, 0.5)]
    ['b', 'n', 'i', 'f']
    """
    if array.dtype.kind in "iu" and array.dtype.itemsize < 4:
        return "n"
    return {"b": "b", "i": "i", "u": "i"}.get(array.dtype.kind, "f")


def common(*values: Any, least: str = "b") -> str:
    """Return what numpy's result of several arrays holds."""
    kinds = [least, *(value.kind for value in values)]
    return "f" if "f" in kinds else max(kinds, key=_ORDER.index)


def one_of(*values: Any) -> str:
    """Return what a number is that a datum chooses from several: "m" if its type tells which of them was chosen.

    Floats take it in, as all others do; what is made of it and integers may still be either.
    """
    kinds = {value.kind for value in values}
    return kinds.pop() if len(kinds) == 1 else "n" if "n" in kinds else "m"


def numbered(const: Array) -> Integers:
    """Return the numbers of the entries of an array, in memory as these are: views of both are of the same entries."""
    if const.ndim == 0:
        return SCALAR
    if const.flags.c_contiguous:
        return np.arange(const.size).reshape(const.shape)
    numbers = np.empty_like(const, np.int64)
    numbers[...] = np.arange(const.size).reshape(const.shape)
    return numbers


NOTHING = Terms.of([], [], [])
"""The terms of a public value."""

SCALAR: Integers = np.zeros((), np.int64)
SCALAR.flags.writeable = False
