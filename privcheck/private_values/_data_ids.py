"""The ids of data as numbers, and back: rounds, and pairs of a round and an arm, take no memory."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from privcheck.accounting import as_round

PAIRS = 2**62
"""The least number of a datum that is no round."""

_OTHERS = 3 * 2**61
_MOST_ARMS = 2**20
_MOST_ROUNDS = 2**40


class DataIds:
    """Numbers of data that increase with rounds, and with the order of arrival for ids of other kinds.

    >>> ids = DataIds()
    >>> [ids[ids.number(datum)] for datum in (3, (4, 1), "a row", 3.0)]
    [3, (4, 1), 'a row', 3]
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._others: dict[int, Hashable] = {}
        self._next = _OTHERS

    def number(self, datum: Hashable) -> int:
        """Return the number of a datum; equal ids have the same."""
        if type(datum) is int and 0 <= datum < _MOST_ROUNDS:  # nearly always
            return datum
        if (number := as_round(datum)) is not None:
            return number
        if isinstance(datum, tuple) and len(datum) == 2:
            first, arm = (as_round(part) for part in datum)
            if first is not None and arm is not None and first < _MOST_ROUNDS and arm < _MOST_ARMS:
                return PAIRS + first * _MOST_ARMS + arm
        if datum not in self._numbers:
            self._numbers[datum], self._others[self._next] = self._next, datum
            self._next += 1
        return self._numbers[datum]

    def __getitem__(self, number: int) -> Hashable:
        if number < PAIRS:
            return number
        return divmod(number - PAIRS, _MOST_ARMS) if number < _OTHERS else self._others[number]

    @property
    def has_others(self) -> bool:
        """Whether some ids are neither rounds nor pairs, so that they take memory."""
        return bool(self._numbers)

    def keep(self, numbers: Iterable[int]) -> None:
        """Forget all ids but those with these numbers."""
        kept = set(numbers)
        self._others = {number: datum for number, datum in self._others.items() if number in kept}
        self._numbers = {datum: number for number, datum in self._others.items()}
