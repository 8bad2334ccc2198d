"""The relation of data sets of which one has a row more than the other: unbounded differential privacy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array
from privcheck.declared import Integer, check
from privcheck.errors import PrivcheckError, words
from privcheck.privacy._contexts import Contexts
from privcheck.privacy._neighbours import Relation, drawn_rewards
from privcheck.privacy._stream_tables import check_rewards

ADD_REMOVE = "add-remove"
"""Data sets of which one has one row more than the other: for functions of data, not for streams."""


class AddRemove(Relation):
    """One row is in one data set only; the other rows are the same, in the same order.

    Guarantee
    ---------
    The number of rows is private too. It is a relation for functions of a data set; the horizon of a bandit is public.

    Source: Dwork, McSherry, Nissim and Smith (2006), footnote 1; Kifer and Machanavajjhala (2011), unbounded
    differential privacy.

    Examples
    --------
    >>> related = AddRemove()
    >>> related.distance([[0.0], [1.0]], [[1.0]]), related.distance([[0.0], [1.0]], [[0.0], [0.0]])
    (1, 2)
    """

    def __init__(self) -> None:
        super().__init__(ADD_REMOVE, "row", 1)

    def distance(self, first: npt.ArrayLike, second: npt.ArrayLike) -> int:
        """Return how many rows have to be removed or added to turn one data set into the other."""
        one, two = (np.asarray(table, np.float64) for table in (first, second))
        return _edits(one, two)

    def changed(self, first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[int, ...]:
        """Return the 0-based row of the longer data set that the other one lacks; nothing for others."""
        place = removed_row(np.asarray(first), np.asarray(second))
        return () if place is None else (place,)

    def check(self, first: npt.ArrayLike, second: npt.ArrayLike) -> None:
        """Raise `PrivcheckError` unless one data set has exactly one row more."""
        if removed_row(np.asarray(first), np.asarray(second)) is None:
            got = words(f"data sets of {len(np.asarray(first))} and {len(np.asarray(second))} rows")
            expected = f"one row more in one of them, the others alike and in the same order, for {ADD_REMOVE!r}"
            raise PrivcheckError("streams", got, expected, "remove one row, or use neighbours='row' to replace one")

    def draw(
        self,
        rng: np.random.Generator,
        rounds: int,
        arms: int,
        rewards: tuple[float, float] = (0.0, 1.0),
        contexts: Contexts | None = None,
    ) -> tuple[Array, Array]:
        """Return a random pair: a table of shape (T, K) and the same without one of its rows, in either order.

        Half of the pairs have all entries at the ends of the range; the others are uniform. The parameters are those
        of `Relation.draw`.
        """
        low, high = check_rewards(rewards)
        self._check_contexts(contexts)
        shape = check("rounds", rounds, Integer(1)), check("arms", arms, Integer(1))
        extreme = rng.random() < 0.5
        longer = drawn_rewards(rng, shape, low, high, extreme)
        pair = longer, np.delete(longer, int(rng.integers(rounds)), axis=0)
        return pair if rng.random() < 0.5 else pair[::-1]

    def shrink(
        self, first: npt.ArrayLike, second: npt.ArrayLike, contexts: Contexts | None = None
    ) -> Iterator[tuple[Array, Array]]:
        """Yield simpler pairs, boldest first: fewer rows, then more entries at the lowest value of the two tables."""
        self.check(first, second)
        self._check_contexts(contexts)
        one, two = np.asarray(first, np.float64), np.asarray(second, np.float64)
        longer = one if len(one) > len(two) else two
        (place,) = self.changed(one, two)

        def pair(table: Array, where: int) -> tuple[Array, Array]:
            both = table.copy(), np.delete(table, where, axis=0)
            return both if len(one) > len(two) else both[::-1]

        end, low = len(longer), longer.min(initial=np.inf)
        for start, stop in (
            (place, place + 1),
            (place, end),
            (0, place + 1),
            (place // 2, end),
            (0, end - 1),
            (1, end),
        ):
            if start <= place < stop and stop - start < end:
                yield pair(longer[start:stop], place - start)
        for row in range(end):
            if (longer[row] > low).any() and row != place:
                lower = longer.copy()
                lower[row] = low
                yield pair(lower, place)


def removed_row(first: npt.NDArray[np.generic], second: npt.NDArray[np.generic]) -> int | None:
    """Return the 0-based row of the longer table without which it is the other one; None if there is no such row.

    >>> removed_row(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0])), removed_row(np.ones(2), np.zeros(1))
    (1, None)
    """
    if not first.ndim or not second.ndim or abs(len(first) - len(second)) != 1 or first.shape[1:] != second.shape[1:]:
        return None
    longer, shorter = (first, second) if len(first) > len(second) else (second, first)
    same = (longer[:-1] == shorter).all(axis=tuple(range(1, longer.ndim)))
    place = int(np.argmin(np.append(same, False)))
    return place if np.array_equal(longer[place + 1 :], shorter[place:]) else None


def _edits(first: Array, second: Array) -> int:
    """Return the rows outside the longest common subsequence, after equal rows at both ends are set aside."""
    while len(first) and len(second) and np.array_equal(first[0], second[0]):
        first, second = first[1:], second[1:]
    while len(first) and len(second) and np.array_equal(first[-1], second[-1]):
        first, second = first[:-1], second[:-1]
    row = np.zeros(len(second) + 1, np.int64)
    for entry in first:
        same = (second == entry).all(axis=tuple(range(1, second.ndim)))
        row = np.maximum.accumulate(np.maximum(row, np.append(0, np.where(same, row[:-1] + 1, 0))))
    return len(first) + len(second) - 2 * int(row[-1])
