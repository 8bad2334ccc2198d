"""What one release gives each datum, in a few bytes per datum."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Generic, TypeVar

import numpy as np

from privcheck.arrays import Integers

V = TypeVar("V")
Datum = Hashable
Data = range | Integers | dict[Datum, None]

_LARGEST = 2**61 - 1
"""What is equal to an integer from 0 to this one, exclusive, has the integer itself as its hash."""


class ByDatum(Mapping[Datum, V], Generic[V]):
    """A mapping that never changes, from data to a few different values; rounds in a row take no memory each.

    Parameters
    ----------
    groups : each value with its data: a range or a sorted array of rounds, or the keys of a dictionary.

    Examples
    --------
    >>> charges = ByDatum.of({4: 0.5, 5: 0.5, 6: 0.5, 9: 1.0})
    >>> charges.groups, charges[5], len(charges)
    (((0.5, range(4, 7)), (1.0, {9: None})), 0.5, 4)
    """

    __slots__ = ("groups",)

    def __init__(self, groups: tuple[tuple[V, Data], ...]) -> None:
        self.groups = groups

    @classmethod
    def of(cls, values: Mapping[Datum, V]) -> ByDatum[V]:
        """Return the same mapping; the values have to be hashable."""
        if isinstance(values, ByDatum):
            return values
        data: dict[V, list[Datum]] = {}
        for datum, value in values.items():
            data.setdefault(value, []).append(datum)
        return cls(tuple((value, _packed(found)) for value, found in data.items()))

    @classmethod
    def of_rounds(cls, rounds: Mapping[V, Integers]) -> ByDatum[V]:
        """Return the mapping of the rounds of each value, which are sorted, to that value.

        >>> ByDatum.of_rounds({0.5: np.array([4, 5, 6]), 1.0: np.array([9])})
        {4: 0.5, 5: 0.5, 6: 0.5, 9: 1.0}
        """
        return cls(tuple((value, _packed_rounds(found)) for value, found in rounds.items()))

    @property
    def different(self) -> list[V]:
        """The different values; for values that are equal they may contain one of each group."""
        return [value for value, _ in self.groups]

    def map(self, function: Any) -> ByDatum[Any]:
        """Return the mapping to the results of a function, which is called once for each value."""
        return ByDatum(tuple((function(value), data) for value, data in self.groups))

    def __getitem__(self, datum: Datum) -> V:
        number = as_round(datum)
        for value, data in self.groups:
            if datum in data if isinstance(data, dict) else number is not None and _holds(data, number):
                return value
        raise KeyError(datum)

    def __iter__(self) -> Iterator[Datum]:
        for _, data in self.groups:
            yield from each(data)

    def __len__(self) -> int:
        return sum(len(data) for _, data in self.groups)

    def items(self) -> Any:
        """Return all data with their values."""
        return {datum: value for value, data in self.groups for datum in each(data)}.items()

    def __repr__(self) -> str:
        return repr(dict(self.items()))


def _packed(data: list[Datum]) -> Data:
    if len(data) < 2 or not all(type(datum) is int and 0 <= datum < _LARGEST for datum in data):
        return dict.fromkeys(data)
    return _packed_rounds(np.sort(np.array(data, np.int64)))


def _packed_rounds(rounds: Integers) -> Data:
    if len(rounds) < 2:
        return dict.fromkeys(rounds.tolist())
    if int(rounds[-1]) - int(rounds[0]) == len(rounds) - 1:
        return range(int(rounds[0]), int(rounds[-1]) + 1)
    return rounds


def each(data: Data) -> Any:
    """Return the data one by one, as plain integers where they are rounds."""
    return data.tolist() if isinstance(data, np.ndarray) else data


def array_of(data: range | Integers) -> Integers:
    """Return the numbers of rounds as an array."""
    return np.arange(data.start, data.stop) if isinstance(data, range) else data


def _holds(data: range | Integers, number: int) -> bool:
    if isinstance(data, range):
        return number in data
    place = int(np.searchsorted(data, number))
    return place < len(data) and int(data[place]) == number


def as_round(datum: Any) -> int | None:
    """Return a datum as the number of a round, or None if it is something else; equal data give equal results.

    >>> as_round(3.0), as_round((3, 1)), as_round(-1)
    (3, None, None)
    """
    try:
        number = datum if type(datum) is int else hash(datum)
        return number if 0 <= number < _LARGEST and bool(datum == number) else None
    except (TypeError, ValueError):
        return None
