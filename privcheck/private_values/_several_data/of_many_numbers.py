"""Order statistics and spreads of private numbers, of which each usually depends on a datum of its own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privcheck.arrays import Array
from privcheck.private_values._entries import Entries, quiet
from privcheck.private_values._several_data.decided_order import note_order
from privcheck.private_values._several_data.moved_numbers import UNIT, Moves, entry_roundings, moved_number
from privcheck.private_values._several_data.sharp_ends import sharp_ends
from privcheck.private_values._terms import NOTHING

if TYPE_CHECKING:
    from privcheck.private_values._private import Private

MOST_SORTED = 100
"""Numbers that are sorted into a list: each of its entries is a number of all data."""

_LEAST_RANGE = 1e-140
"""Range of all entries below which squares may underflow, so that a variance, or its root, is mostly rounding."""


class _Numbers(NamedTuple):
    """The entries of a value, how far each datum moves them, and how far rounding does."""

    value: Private
    entries: Entries
    moves: Moves
    rounding: float

    @classmethod
    def of(cls, value: Private) -> _Numbers | None:
        """Return those of a value; None for no entries, bools and small integers, and where noise is held, to be read.

        None with NaN, too: what Python makes of it depends on the numbers that are compared with it.
        """
        if value.size == 0 or value.kind not in "fi" or not value.is_raw:
            return None
        if np.isnan(value._const).any():
            return None
        entries = Entries.of(value)
        return cls(value, entries, Moves.of(entries), float(entry_roundings(entries).max()))

    def made(
        self,
        name: str,
        widths: Array,
        ends: tuple[float, float],
        function: Callable[[Array], float],
        error: float,
        sharp: tuple[float, float],
    ) -> Private:
        """Return a function of all entries as a number that each datum moves by at most so much: see `moved_number`."""
        with quiet():
            found = function(np.clip(self.entries.values, *self.entries.interval))
        owners = self.moves.owners[self.moves.firsts]
        const, terms = moved_number(name, self.entries, owners, widths, ends, found, error, sharp)
        return self.value.make(self.value.source, const, terms).of_kind("f")


def quantile(value: Private, q: float) -> Private | None:
    """Return numpy's quantile of all entries, interpolated linearly; None if q is no number in [0, 1]."""
    if type(q) not in (int, float) or not 0.0 <= q <= 1.0:
        return None
    place = q * (value.size - 1)
    first = math.floor(place)
    return _between(_Numbers.of(value), first, place - first)


def percentile(value: Private, q: float) -> Private | None:
    """Return numpy's percentile of all entries, as `quantile` does."""
    return quantile(value, q / 100) if type(q) in (int, float) else None


def largest(value: Private) -> Private | None:
    """Return the largest entry: see `quantile`."""
    return _between(_Numbers.of(value), value.size - 1, 0.0)


def smallest(value: Private) -> Private | None:
    """Return the smallest entry: see `quantile`."""
    return _between(_Numbers.of(value), 0, 0.0)


def of_two(ufunc: Any, values: tuple[Any, ...]) -> Private | None:
    """Return the larger or smaller one of two private numbers; None for other functions, and for arrays."""
    function = {np.maximum: largest, np.minimum: smallest}.get(ufunc)
    if function is None or len(values) != 2 or any(value.ndim for value in values):
        return None
    both: Any = np.stack(values)
    return function(both)


def median(value: Private) -> Private | None:
    """Return the median of all entries: see `quantile`."""
    return quantile(value, 0.5)


def ordered(value: Private) -> Private | None:
    """Return the entries in increasing order, each as a number of all data; None if there are too many."""
    numbers = _Numbers.of(value) if 1 < value.size <= MOST_SORTED else None
    return None if numbers is None else value.of([_between(numbers, place, 0.0) for place in range(value.size)])


def _between(numbers: _Numbers | None, first: int, part: float) -> Private | None:
    r"""Return (1 - g) y_(k) + g y_(k+1) of the entries in increasing order, y_(0) <= ... <= y_(n-1).

    Order statistics never move further than the entry that moves furthest. A datum that moves one entry alone moves at
    most the y_(k) to y_(k+1) and this one to y_(k+2), or back, so (1 - g) (y_(k+1) - y_(k)) + g (y_(k+2) - y_(k+1)),
    which is at most max(g, 1 - g) times the range of all entries.

    Parameters
    ----------
    first, part : k and g, 0 <= g < 1.

    Source: order statistics interlace when one entry is replaced.
    """
    if numbers is None:
        return None
    value, entries, moves, error = numbers
    after, (lows, highs) = min(first + 1, entries.size - 1), entries.interval
    order = np.argsort(lows, kind="stable")
    for place in {first, after} if part else {first}:
        note_order("order", value, int(order[place]))

    def between(these: Array) -> float:
        inorder = np.sort(these)
        return _mixed(float(inorder[first]), float(inorder[after]), part)

    reach = max(part, 1.0 - part) * float(highs.max() - lows.min())
    widths = np.where(moves.alone, np.minimum(moves.largest, reach), moves.largest)
    if part:
        parts = np.sort(lows)[first], np.sort(highs)[after]
        if not np.isfinite(parts).all():
            return None
        error += 8.0 * UNIT * float(np.abs(parts).max())
    none_passes = sharp_ends(entries, list(range(entries.size)))
    sharp = float(np.sort(none_passes[0])[first]), float(np.sort(none_passes[1])[after])
    found = numbers.made(f"order {first} {part!r}", widths, (between(lows), between(highs)), between, error, sharp)
    return found if part else found.of_kind(value.kind)


def _mixed(one: float, two: float, part: float) -> float:
    return one if part == 0.0 else (one + two) / 2.0 if part == 0.5 else one + part * (two - one)


class _Spread(NamedTuple):
    """What variances and standard deviations have in common: the entries, their range and their largest size."""

    numbers: _Numbers
    ddof: float
    whole: float
    middle: float

    @classmethod
    def of(cls, value: Private, ddof: float) -> _Spread | None:
        """Return that of the entries; None if there are not more than ddof, or squares would over- or underflow."""
        if type(ddof) not in (int, float) or not 0 <= ddof < value.size or value.size < 2:
            return None
        if (numbers := _Numbers.of(value)) is None:
            return None
        lows, highs = numbers.entries.interval
        whole = float(highs.max() - lows.min())
        if not math.isfinite(whole * whole * value.size) or 0.0 < whole < _LEAST_RANGE:
            return None
        return cls(numbers, ddof, whole, float(np.abs([lows, highs]).max()))

    @property
    def scale(self) -> float:
        """By what numpy divides less than the number of entries n: n / (n - ddof)."""
        return self.numbers.entries.size / (self.numbers.entries.size - self.ddof)

    @property
    def share(self) -> float:
        """The factor a of `variance`: (n - 1) / (n (n - ddof))."""
        size = self.numbers.entries.size
        return (size - 1) / (size * (size - self.ddof))

    @property
    def near(self) -> float:
        """The largest distance from the computed mean."""
        return self.whole + 8.0 * UNIT * self.middle

    @property
    def largest(self) -> float:
        """The largest variance."""
        return self.scale * self.whole * self.whole / 4.0

    def variance(self, these: Array) -> float:
        """Return the variance of numbers."""
        mean = math.fsum(these.tolist()) / these.size
        apart = these - mean
        squares = math.fsum(np.square(apart).tolist()) - math.fsum(apart.tolist()) ** 2 / these.size
        return max(squares, 0.0) / (these.size - self.ddof)


def variance(value: Private, ddof: float = 0) -> Private | None:
    r"""Return numpy's variance of all entries; None if there are not more than ddof.

    With t the entry that a datum moves alone, m the mean of the n - 1 others and a = (n - 1) / (n (n - ddof)), it is
    a (t - m)^2 plus a number without t. It moves by a |t - s| |t + s - 2 m|; if t lies in [l, h], moves by at most w,
    and m lies in [p, q], that is at most a max_A d (2 A - d), A = h - p and q - l, d = min(w, A). For a common interval
    of width w it is a w^2. A datum that moves several entries is charged the largest variance.

    Source: Popoviciu (1935) for the largest one, n / (n - ddof) times the squared range over 4.
    """
    if (spread := _Spread.of(value, ddof)) is None:
        return _of_one(value, ddof)
    _, entries, moves, rounding = spread.numbers
    (lows, highs), rows = entries.interval, moves.rows[moves.firsts]
    below, above = (math.fsum(end.tolist()) for end in (lows, highs))
    ends = (below - lows[rows]) / (entries.size - 1), (above - highs[rows]) / (entries.size - 1)
    reaches = np.maximum([highs[rows] - ends[0], ends[1] - lows[rows]], 0.0)
    moved = np.minimum(moves.largest, reaches)
    widths = spread.share * (moved * (2.0 * reaches - moved)).max(axis=0)
    widths = np.where(moves.alone, widths, spread.largest)
    error = 2.0 * rounding * (spread.near + rounding) + 64.0 * UNIT * spread.near * (spread.near + spread.middle)
    within = 0.0, spread.largest
    return spread.numbers.made(f"variance {ddof!r}", widths, within, spread.variance, spread.scale * error, within)


def deviation(value: Private, ddof: float = 0) -> Private | None:
    r"""Return numpy's standard deviation of all entries; None if there are not more than ddof.

    In the notation of `variance` it is sqrt(a (t - m)^2 + b), b without t: it moves by at most sqrt(a) | |t - m| -
    |s - m| | <= sqrt(a) w, which is attained for b = 0 and m at an end of the interval of t.
    """
    if (spread := _Spread.of(value, ddof)) is None:
        return _of_one(value, ddof)
    moves, largest = spread.numbers.moves, math.sqrt(spread.largest)
    widths = np.where(moves.alone, math.sqrt(spread.share) * moves.largest, largest)
    error = math.sqrt(spread.scale) * (spread.numbers.rounding + 16.0 * UNIT * (spread.near + spread.middle))

    def root(these: Array) -> float:
        return math.sqrt(spread.variance(these))

    ends = (0.0, largest)
    return spread.numbers.made(f"deviation {ddof!r}", widths, ends, root, error, ends)


def _of_one(value: Private, ddof: float) -> Private | None:
    """Return the variance of a single number, which is 0 whatever it is; None for any other."""
    numbers = _Numbers.of(value) if value.size == 1 and type(ddof) is int and ddof == 0 else None
    return None if numbers is None else value.make(value.source, 0.0, NOTHING).of_kind("f")


def peak_to_peak(value: Private) -> Private | None:
    """Return the largest entry minus the smallest one; a datum that moves one entry moves it by at most as much."""
    if (numbers := _Numbers.of(value)) is None:
        return None
    _, entries, moves, error = numbers
    (lows, highs), (least, most) = entries.interval, sharp_ends(entries, list(range(entries.size)))
    order, whole = np.argsort(lows, kind="stable"), float(highs.max() - lows.min())
    for place in {int(order[0]), int(order[-1])}:
        note_order("order", value, place)
    widths = np.where(moves.alone, moves.largest, np.minimum(2.0 * moves.largest, whole))
    error = 2.0 * error + 4.0 * UNIT * whole
    sharp = 0.0, float(most.max() - least.min())
    found = numbers.made("range", widths, (0.0, whole), lambda these: float(np.ptp(these)), error, sharp)
    return found.of_kind(value.kind)
