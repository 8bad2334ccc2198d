"""Values of functions of a few numbers at all corners of the boxes on which they are affine in each number."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.arrays import Array, Bools, Integers

if TYPE_CHECKING:
    from privcheck.private_values._curves.shapes import Expression, Number, Placed

MOST_CORNERS = 4096
"""Corners of boxes at which functions are computed."""

_MOST_FUNCTIONS = 100
"""Functions that are computed together."""

_MOST_VALUES = 2**16
"""Values of functions at corners that are kept."""

_NEAR = 64.0
"""Distance from where a line crosses a threshold, in units of the last place, at which it is looked for first."""

_COMPARE: dict[str, tuple[Callable[[Any, Any], Any], ...]] = {
    ">": (np.greater,), ">=": (np.greater_equal,), "==": (np.greater, np.greater_equal),
}  # fmt: skip
"""The comparisons that change where one of a symbol does."""

Cells = list[tuple[float, float]]
"""Closed intervals of floats, in increasing order, that together hold all floats of an interval."""


class _TooManyError(Exception):
    """More corners than are computed."""


@lru_cache(maxsize=256)
def values_at_corners(parts: tuple[Placed, ...], numbers: tuple[Number, ...]) -> Array | None:
    r"""Return the values of functions of some numbers at all corners, without repetitions; None if there are too many.

    Parameters
    ----------
    parts : the functions, and of which of the numbers each is one.
    numbers : their intervals.

    Returns
    -------
    shape (corners, functions). The floats of each interval are divided into stretches, so that every comparison, and
    what every clip and absolute value does, is the same for all numbers of a product of stretches: as computed, with
    rounding. There the functions are affine in each number, up to the errors of their shapes, so that a convex function
    of several values is largest, up to these errors, at ends of stretches.
    """
    if len(parts) > _MOST_FUNCTIONS:
        return None
    try:
        with np.errstate(all="ignore"):
            cells = _Cells(numbers)
            for shape, places in parts:
                cells.refine(shape.how, places)
            points = cells.corners()
            if points[0].size * len(parts) > _MOST_VALUES:
                return None
            values = np.column_stack(
                [_values(shape.how, [points[place] for place in places]) for shape, places in parts]
            )
    except (_TooManyError, OverflowError, ValueError):  # the last ones of sums beyond the largest float
        return None
    found: Array = np.unique(values, axis=0)
    found.flags.writeable = False
    return found if np.isfinite(found).all() else None


class _Cells:
    """The stretches of each number, which become shorter with every threshold that is found."""

    def __init__(self, numbers: Sequence[Number]) -> None:
        self.axes: list[Cells] = [
            [(float(arm), float(arm)) for arm in range(arms)] if arms else [(low + 0.0, high + 0.0)]
            for low, high, arms in numbers
        ]
        self.done: set[tuple[int, tuple[int, ...]]] = set()

    def corners(self) -> list[Array]:
        """Return all combinations of ends of stretches, number by number."""
        return self._grid([sorted({end for cell in cells for end in cell}) for cells in self.axes])

    def refine(self, how: Expression, places: tuple[int, ...]) -> None:
        """Divide stretches where an expression does not do the same for all numbers."""
        if (id(how), places) in self.done:
            return
        self.done.add((id(how), places))
        word, *parts = how
        if word == "at":
            self.refine(parts[1], tuple(places[place] for place in parts[0]))
            return
        for part in parts:
            if type(part) is tuple and part and type(part[0]) is str:
                self.refine(part, places)
        if word == "compared" and parts[1] >= 0:
            inner, axis, symbol, limit = parts
            self._divide(inner, places, axis, [(test, limit) for test in _COMPARE[symbol]])
        elif word == "clip" and parts[1] >= 0:
            inner, axis, low, high = parts
            self._divide(inner, places, axis, [(np.greater, low), (np.greater_equal, high)])
        elif word == "absolute" and parts[1] >= 0:
            self._divide(parts[0], places, parts[1], [(np.greater_equal, 0.0)])

    def _divide(
        self, how: Expression, places: tuple[int, ...], axis: int, tests: Sequence[tuple[Callable[..., Any], float]]
    ) -> None:
        """Divide the stretches of one number where an expression, monotone in it there, begins or ends to pass tests.

        All other numbers of the expression move it from one of their stretches to another one only.
        """
        moved, others = places[axis], sorted({*places} - {places[axis]})
        cells = self.axes[moved]
        grid = self._grid(
            [
                [float(number) for number in range(len(cells))],
                *([low for low, _ in self.axes[other]] for other in others),
            ]
        )
        of_cell, fixed = grid[0].astype(np.int64), dict(zip(others, grid[1:], strict=True))
        lows, highs = (np.array(ends)[of_cell] for ends in zip(*cells, strict=True))

        def at(points: Array, chosen: Any = slice(None)) -> Array:
            numbers = [points if place == moved else fixed[place][chosen] for place in places]
            return _values(how, numbers)

        first, last = at(lows), at(highs)
        cuts: dict[int, set[tuple[float, float]]] = {}
        for test, limit in tests:
            changes = np.flatnonzero(test(first, limit) != test(last, limit))
            if not changes.size:
                continue

            def passes(points: Array, changes: Integers = changes, test: Any = test, limit: float = limit) -> Bools:
                found: Bools = test(at(points, changes), limit)
                return found

            guess = lows[changes] + (limit - first[changes]) / (last[changes] - first[changes]) * (
                highs[changes] - lows[changes]
            )
            below, above = _bisected(passes, lows[changes], highs[changes], guess)
            for cell, one, two in zip(of_cell[changes].tolist(), below.tolist(), above.tolist(), strict=True):
                cuts.setdefault(cell, set()).add((one, two))
        if cuts:
            ends = [
                end
                for number, (low, high) in enumerate(cells)
                for end in (low, *chain(*sorted(cuts.get(number, ()))), high)
            ]
            self.axes[moved] = list(zip(ends[::2], ends[1::2], strict=True))

    def _grid(self, axes: list[list[float]]) -> list[Array]:
        """Return all combinations of one number of each axis, axis by axis."""
        if math.prod(map(len, axes)) > MOST_CORNERS:
            raise _TooManyError
        return [axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")]


def _bisected(passes: Callable[[Array], Bools], low: Array, high: Array, guess: Array) -> tuple[Array, Array]:
    """Return the neighbouring floats between which tests change that `low` and `high` do not both pass."""
    at_low = passes(low)
    reach = _NEAR * np.spacing(np.abs(guess))
    for near in (guess - reach, guess + reach):
        inside = np.isfinite(near) & (low < near) & (near < high)
        as_low = passes(np.where(inside, near, low)) == at_low
        low, high = np.where(inside & as_low, near, low), np.where(inside & ~as_low, near, high)
    below, above = _ranks(low), _ranks(high)
    while (below + 1 < above).any():  # a difference could overflow
        middle = (below >> 1) + (above >> 1) + (below & above & 1)
        as_low = passes(_floats(middle)) == at_low
        below, above = np.where(as_low, middle, below), np.where(as_low, above, middle)
    return _floats(below), _floats(above)


def _ranks(numbers: Array) -> Integers:
    """Return integers in the order of floats, of which neighbours differ by one."""
    bits: Integers = (numbers + 0.0).view(np.int64)
    return np.where(bits >= 0, bits, np.iinfo(np.int64).min - bits)


def _floats(ranks: Integers) -> Array:
    """Return the floats of ranks."""
    return np.where(ranks >= 0, ranks, np.iinfo(np.int64).min - ranks).view(np.float64) + 0.0


def _values(how: Expression, numbers: Sequence[Array]) -> Array:
    """Return the values of an expression, computed as the hidden value of a feature is."""
    word, *parts = how
    found: Array
    match word:
        case "x":
            return numbers[parts[0]]
        case "at":
            return _values(parts[1], [numbers[place] for place in parts[0]])
        case "number":
            found = np.full(numbers[0].shape, parts[0])
        case "within":
            found = np.minimum(np.maximum(_values(parts[0], numbers), parts[1]), parts[2])
        case "clip":
            found = np.minimum(np.maximum(_values(parts[0], numbers), parts[2]), parts[3])
        case "absolute":
            found = np.abs(_values(parts[0], numbers))
        case "compared":
            inner, _, symbol, limit = parts
            found = _HOLDS[symbol](_values(inner, numbers), limit).astype(np.float64)
        case "selected":
            condition, one, two = (_values(part, numbers) for part in parts)
            found = np.where(condition > 0.5, one, two)
        case "product":
            found = _values(parts[0], numbers) * _values(parts[1], numbers)
        case _:
            const, weights, *inners = parts
            products = [weight * _values(inner, numbers) for weight, inner in zip(weights, inners, strict=True)]
            if len(products) == 1:
                return np.asarray(const + products[0])
            found = np.array(
                [math.fsum((const, *row)) for row in zip(*(each.tolist() for each in products), strict=True)]
            )
    return found


_HOLDS: dict[str, Callable[[Any, Any], Any]] = {">": np.greater, ">=": np.greater_equal, "==": np.equal}
