"""Columns of numbers that grow at one end and are forgotten anywhere, in few bytes per number."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from threading import RLock
from typing import Any

import numpy as np

from privcheck.arrays import Integers
from privcheck.private_values._spans import Spans
from privcheck.reached_state import FORKS

_PAGE = 256

ONE_AT_A_TIME = RLock()
"""Held while a feature, a draw or a term of a sum is added, as a policy may compute in threads of its own: columns are
appended to one after the other, and sums that grow out of one another share theirs.
"""

FORKS.locks.append(lambda: (ONE_AT_A_TIME,))


def as_long(given: Any, shape: tuple[int, ...]) -> Any:
    """Return an array of this shape, of an array that has it, or of one number: `numpy.broadcast_to` takes ten times as
    long to find that there is nothing to do.

    >>> as_long(2.0, (3,)).tolist(), as_long(np.arange(3), (3,)).tolist(), as_long(np.arange(2), (2, 2)).tolist()
    ([2.0, 2.0, 2.0], [0, 1, 2], [[0, 1], [0, 1]])
    """
    array = given if type(given) is np.ndarray else np.asarray(given)
    if array.shape == shape:
        return array
    return np.broadcast_to(array, shape) if array.ndim else np.full(shape, array, array.dtype)


class Column:
    """Numbers by position, from 0; what was forgotten cannot be read again, and its position is not reused.

    Parameters
    ----------
    typecode : that of the standard library's `array`.

    Examples
    --------
    >>> column = Column("d")
    >>> for number in range(600):
    ...     column.append(number / 2)
    >>> column.keep(Spans([(np.array([3, 599]), np.ones(2, int))]))
    >>> list(column), column[3], column.take(np.array([599, 3])).tolist(), len(column)
    ([1.5, 299.5], 1.5, [299.5, 1.5], 600)
    >>> column.extend(np.arange(600.0))
    >>> column[599], column[600], column[1199], len(column)
    (299.5, 0.0, 599.0, 1200)
    """

    __slots__ = ("_length", "_pages", "_typecode")

    def __init__(self, typecode: str) -> None:
        self._typecode, self._length = typecode, 0
        self._pages: dict[int, array[Any]] = {}

    def append(self, number: float) -> None:
        """Add a number at the end."""
        self._last_page().append(number)
        self._length += 1

    def extend(self, numbers: Any) -> None:
        """Add the numbers of an array at the end."""
        given, start = np.ascontiguousarray(numbers, self._typecode), 0
        while start < given.size:
            stop = start + _PAGE - self._length % _PAGE
            page = self._last_page()
            page.frombytes(given[start:stop].tobytes())
            self._length += min(stop, given.size) - start
            start = stop

    def _last_page(self) -> array[Any]:
        page = self._pages.get(self._length // _PAGE)
        if page is None:
            page = self._pages[self._length // _PAGE] = array(self._typecode)
            page.extend([0] * (self._length % _PAGE))
        return page

    def __getitem__(self, position: int) -> Any:
        return self._pages[position // _PAGE][position % _PAGE]

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        """Yield the numbers that have not been forgotten."""
        for page in self._pages.values():
            yield from (number for number in page if not (isinstance(number, float) and math.isnan(number)))

    def take(self, positions: Integers) -> Any:
        """Return the numbers at these positions, as an array."""
        if positions.size < _PAGE // 8:
            return np.array([self[position] for position in positions.tolist()], dtype=self._typecode)
        pages = positions // _PAGE
        order = np.argsort(pages, kind="stable")
        found = np.empty(positions.size, self._typecode)
        starts = np.flatnonzero(np.diff(pages[order], prepend=-1)).tolist()
        for start, stop in zip(starts, [*starts[1:], positions.size], strict=True):
            places = order[start:stop]
            found[places] = np.array(self._pages[int(pages[places[0]])])[positions[places] % _PAGE]
        return found

    def keep(self, kept: Spans) -> None:
        """Forget all numbers but those at these positions; a forgotten float is NaN while its page lives."""
        numbers = list(self._pages)
        starts = np.array(numbers, np.int64) * _PAGE
        stops = starts + _PAGE
        stops[-1:] = np.minimum(stops[-1:], self._length)
        touched, covered = kept.touch(starts, stops), kept.cover(starts, stops)
        for place in np.flatnonzero(~touched).tolist():
            del self._pages[numbers[place]]
        if self._typecode == "d":
            for place in np.flatnonzero(touched & ~covered).tolist():
                page = np.frombuffer(self._pages[numbers[place]])
                page[~kept.within(int(starts[place]), int(starts[place]) + page.size)] = math.nan


class Steady:
    """Numbers by position, as `Column`, that seldom change from one position to the next, and take memory only then.

    Parameters
    ----------
    typecode : that of the standard library's `array`.
    slope : what a number that does not change gains from one position to the next, 0 or 1.

    Examples
    --------
    >>> rounds = Steady("q", slope=1)
    >>> for number in (7, 8, 9, 20):
    ...     rounds.append(number)
    >>> rounds[1], rounds.take(np.array([3, 0])).tolist(), len(rounds), rounds.runs
    (8, [20, 7], 4, 2)
    >>> rounds.extend(np.array([21, 22, 22]))
    >>> rounds[5], rounds[6], len(rounds), rounds.runs
    (22, 22, 7, 3)
    """

    __slots__ = ("_last", "_length", "_numbers", "_slope", "_starts", "_typecode")

    def __init__(self, typecode: str, slope: int = 0) -> None:
        self._typecode, self._slope, self._length = typecode, slope, 0
        self._starts, self._numbers = array("q"), array(typecode)
        self._last: float | None = None

    def append(self, number: float) -> None:
        """Add a number at the end."""
        base = number - self._slope * self._length
        if base != self._last:
            self._starts.append(self._length)
            self._numbers.append(base)  # type: ignore[arg-type]
            self._last = base
        self._length += 1

    def extend(self, numbers: Any) -> None:
        """Add the numbers of an array, of at least one, at the end."""
        bases, new = numbers, np.empty(numbers.size, np.bool_)
        if self._slope:
            bases = numbers - np.arange(self._length, self._length + numbers.size)
        new[0], new[1:] = bases[0] != self._last, bases[1:] != bases[:-1]
        places = np.flatnonzero(new)
        self._starts.frombytes((places + self._length).tobytes())
        self._numbers.frombytes(np.asarray(bases[places], self._typecode).tobytes())
        self._last = bases[-1].item()
        self._length += numbers.size

    def __getitem__(self, position: int) -> Any:
        return self._numbers[bisect_right(self._starts, position) - 1] + self._slope * position

    def __len__(self) -> int:
        return self._length

    @property
    def runs(self) -> int:
        """How many stretches without a change are kept."""
        return len(self._starts)

    def take(self, positions: Integers) -> Any:
        """Return the numbers at these positions, as an array."""
        places = np.searchsorted(np.array(self._starts), positions, "right") - 1
        return np.array(self._numbers)[places] + np.asarray(self._slope * positions, self._typecode)

    def keep(self, kept: Spans) -> None:
        """Forget numbers that change nowhere near these positions, but for the last."""
        starts = np.array(self._starts)
        alive = kept.touch(starts, np.append(starts[1:], self._length))
        alive[-1:] = True
        if not alive.all():
            self._starts = array("q", starts[alive].tobytes())
            self._numbers = array(self._typecode, np.array(self._numbers)[alive].tobytes())
