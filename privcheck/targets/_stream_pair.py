"""Two neighbouring streams, and their name."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Table
from privcheck.privacy import removed_row
from privcheck.private_values import describe_data

RANDOM = "random"
"""The base of a random pair."""

DRAWN = "pairs drawn by the user's function"
"""The base of a pair that the user's function drew. Which inputs are neighbours is then the user's word: the search
plays such a pair as it is, and makes no other pair from it.
"""


@dataclass(frozen=True, eq=False)
class Given:
    """A Python object as an input of a mechanism: records, a data frame, (X, y), a text. It is handed over as it is.

    >>> given = Given.as_it_is([1, 2])
    >>> given.afresh().pop(), given.afresh()
    (2, [1, 2])
    """

    value: Any

    @classmethod
    def as_it_is(cls, value: Any) -> Given:
        """Return an object as it is now, whatever becomes of the one that was given."""
        return cls(cls(value).afresh())

    def afresh(self) -> Any:
        """Return a copy that shares nothing with the object or with other copies, if Python can pickle it.

        A deep copy of a data frame of pandas shares the objects in its columns.
        """
        return copy.deepcopy(self.value) if self._written is None else pickle.loads(self._written)

    @cached_property
    def _written(self) -> bytes | None:
        if "__deepcopy__" in vars(type(self.value)):
            return None  # its own class says how it is copied
        try:
            written = pickle.dumps(self.value, pickle.HIGHEST_PROTOCOL)
            pickle.loads(written)
        except Exception:  # the object is a user's
            return None
        return written

    def __reduce__(self) -> Any:
        return Given, (self.value,)  # elsewhere its class may have another place


def input_words(table: Any) -> str:
    """Describe an input, for whoever has to know what a function of data was given.

    >>> input_words(np.array([0.0, 1.0, 1.0])), input_words(Given({"age": 50}))
    ('an array of shape (3,) with values from 0 to 1', 'an object of type dict')
    """
    if isinstance(table, Given):
        return f"an object of type {type(table.value).__name__}"
    array = np.asarray(table)
    values = f" with values from {array.min():g} to {array.max():g}" if array.size else ""
    return f"an array of shape {array.shape}{values}"


@dataclass(frozen=True)
class StreamPair:
    """Two neighbouring reward tables of shape (T, K), or inputs of a mechanism: arrays or `Given` objects.

    Parameters
    ----------
    first, second : the two.
    label : their name, if they have one.
    base : what the rows that they share look like, in words; `RANDOM` for random pairs.
    change : how the others differ, in words.

    """

    first: Table
    second: Table
    label: str = ""
    base: str = ""
    change: str = ""

    GIVEN: ClassVar[str] = "inputs given by the user"
    """The base of a pair of inputs that the user gave. Whether they are neighbours may be the user's word, too."""

    OTHER_DATA: ClassVar[str] = (
        "arms=K gives rows of K columns, horizon=N makes N rows, rewards=(LOW, HIGH) is the range of the values"
    )
    """How to have a function of data tried on other arrays."""

    @classmethod
    def hint_on(cls, table: Any) -> str:
        """Return what a function of data was given, and for an array which options give it another one.

        >>> StreamPair.hint_on(Given({"age": 50}))
        'it was given an object of type dict'
        """
        said = f"it was given {input_words(table)}"
        return said if isinstance(table, Given) else f"{said}: {cls.OTHER_DATA}"

    @property
    def family(self) -> str:
        """The family of candidates that they belong to: the kind of base and the kind of change."""
        return f"{self.base}: {self.change}" if self.change else self.base

    @property
    def words(self) -> str:
        """Their name, or a description of the rounds, or of the rows of data, in which they differ."""
        noun = "row" if np.ndim(self.first) == 1 else "round"  # data of a function have no arms
        if self.label:
            return self.label
        first, second = (
            np.reshape(table, (len(table), math.prod(np.shape(table)[1:]))) for table in (self.first, self.second)
        )
        return in_words(first, second, noun)

    @property
    def changed(self) -> int:
        """The first 0-based round in which they differ."""
        return self.rounds[0]

    @property
    def rounds(self) -> tuple[int, ...]:
        """The 0-based rounds (rows of an input) in which they differ, or the row that only the longer one has; none
        for Python objects.
        """
        if isinstance(self.first, Given):
            return ()
        one, two = np.atleast_1d(self.first), np.atleast_1d(self.second)
        if one.shape != two.shape:
            place = removed_row(one, two)
            return () if place is None else (place,)
        return tuple(np.flatnonzero((one != two).reshape(len(one), -1).any(axis=1)).tolist())


MOST_ROWS, MOST_CHARACTERS = 4, 160
"""Different rows that a description lists, and its length, up to which it says all of two tables."""


def in_words(first: Table, second: Table, noun: str = "round") -> str:
    """Describe two tables of shape (T, K) by the rounds, or what else a row is called, that differ and that do not.

    >>> in_words(np.array([[0.0, 0.0], [0.0, 1.0]]), np.array([[0.0, 0.0], [1.0, 1.0]]))
    'round 2: (0, 1) vs (1, 1); the other round: (0, 0) in both'
    >>> in_words(np.array([[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]))
    'round 1: (0, 1) vs (1, 1); the other 2 rounds, in both: (0, 0) in round 2, (1, 0) in round 3'
    """
    if len(first) != len(second):
        return _removed_in_words(first, second)
    places = np.flatnonzero((first != second).any(axis=1))
    rest = np.delete(first, places, axis=0)
    parts = [f"{noun} {j + 1}: {_row(first[j])} vs {_row(second[j])}" for j in places[:3]]
    if len(places) > len(parts):
        parts.append(f"{len(places) - len(parts)} more {noun}s differ")
    kinds = dict[str, list[int]]()
    for j in np.setdiff1d(np.arange(len(first)), places).tolist():
        kinds.setdefault(_row(first[j]), []).append(j + 1)
    if 1 < len(kinds) <= MOST_ROWS and not len(places) > 3:
        listed = [
            f"{row} in {describe_data(rounds, most=len(rounds)).replace('round', noun, 1)}"
            for row, rounds in kinds.items()
        ]
        if len(said := f"the other {len(rest)} {noun}s, in both: {', '.join(listed)}") <= MOST_CHARACTERS:
            return "; ".join([*parts, said])
    return "; ".join(parts + _rest(rest, noun))


def _removed_in_words(first: Table, second: Table) -> str:
    place = removed_row(first, second)
    if place is None:
        return f"{len(first)} rows vs {len(second)} rows"
    longer, which = (first, "first") if len(first) > len(second) else (second, "second")
    parts = [f"row {place + 1}, {_row(longer[place])}, is in the {which} only"]
    return "; ".join(parts + _rest(np.delete(longer, place, axis=0), "row"))


def _rest(rest: Table, noun: str) -> list[str]:
    """Describe the rows that two tables have in common; nothing if there are none."""
    if not len(rest):
        return []
    others = f"the other {noun}" if len(rest) == 1 else f"the other {len(rest)} {noun}s"
    rows = {_row(row) for row in rest}
    return [f"{others}: {rows.pop() if len(rows) == 1 else 'the same'} in both"]


def _row(values: Table) -> str:
    if len(values) == 1:
        return f"{values[0]:g}"
    return f"({', '.join(f'{value:g}' for value in values[:8])}{', …' * (len(values) > 8)})"
