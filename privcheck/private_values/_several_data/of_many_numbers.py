"""Order statistics and spreads of private numbers, of which each usually depends on a datum of its own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from privcheck.arrays import Array
from privcheck.private_values._entries import Entries, quiet
from privcheck.private_values._several_data.moved_numbers import UNIT, Moves, entry_roundings, moved_number

if TYPE_CHECKING:
    from privcheck.private_values._private import Private

MOST_SORTED = 100
"""Numbers that are sorted into a list: each of its entries is a number of all data."""

_LEAST_RANGE = 1e-140
"""Range of all entries below which squares may underflow, so that a variance, or its root, is mostly rounding."""


def quantile(value: Private, q: float) -> Private | None:
    """Return numpy's quantile of all entries, interpolated linearly; None if q is no number in [0, 1]."""
    if type(q) not in (int, float) or not 0.0 <= q <= 1.0:
        return None
    place = q * (value.size - 1)
    first = math.floor(place)
    return _between(value, first, place - first)


def percentile(value: Private, q: float) -> Private | None:
    """Return numpy's percentile of all entries, as `quantile` does."""
    return quantile(value, q / 100) if type(q) in (int, float) else None


def largest(value: Private) -> Private | None:
    """Return the largest entry: see `quantile`."""
    return _between(value, value.size - 1, 0.0)


def smallest(value: Private) -> Private | None:
    """Return the smallest entry: see `quantile`."""
    return _between(value, 0, 0.0)


def median(value: Private) -> Private | None:
    """Return the median of all entries: see `quantile`."""
    return quantile(value, 0.5)


def ordered(value: Private) -> Private | None:
    """Return the entries in increasing order, each as a number of all data; None if there are too many."""
    if not 1 < value.size <= MOST_SORTED:
        return None
    found = [_between(value, place, 0.0) for place in range(value.size)]
    return None if found[0] is None else value.of(found)


def _between(value: Private, first: int, part: float) -> Private | None:
    r"""Return (1 - g) y_(k) + g y_(k+1) of the entries in increasing order, y_(0) <= ... <= y_(n-1).

    Order statistics never move further than the entry that moves furthest. A datum that moves one entry alone moves at
    most the y_(k) to y_(k+1) and this one to y_(k+2), or back, so (1 - g) (y_(k+1) - y_(k)) + g (y_(k+2) - y_(k+1)),
    which is at most max(g, 1 - g) times the range of all entries.

    Parameters
    ----------
    first, part : k and g, 0 <= g < 1.

    Source: order statistics interlace when one entry is replaced.
    """
    entries = _entries(value)
    if entries is None:
        return None
    after = min(first + 1, entries.size - 1)

    def between(numbers: Array) -> float:
        ordered = np.sort(numbers)
        return _mixed(float(ordered[first]), float(ordered[after]), part)

    moves, (lows, highs) = Moves.of(entries), entries.interval
    reach = max(part, 1.0 - part) * float(highs.max() - lows.min())
    widths = np.where(moves.alone, np.minimum(moves.largest, reach), moves.largest)
    ends, error = (between(lows), between(highs)), float(entry_roundings(entries).max())
    if part:
        parts = np.sort(lows)[first], np.sort(highs)[after]
        if not np.isfinite(parts).all():
            return None
        error += 8.0 * UNIT * float(np.abs(parts).max())
    found = _number(value, f"order {first} {part!r}", entries, moves, widths, ends, between, error)
    return found if part else found.of_kind(value.kind)


def _mixed(one: float, two: float, part: float) -> float:
    return one if part == 0.0 else (one + two) / 2.0 if part == 0.5 else one + part * (two - one)


def variance(value: Private, ddof: float = 0) -> Private | None:
    r"""Return numpy's variance of all entries; None if there are not more than ddof.

    With t the entry that a datum moves alone, m the mean of the n - 1 others and a = (n - 1) / (n (n - ddof)), it is
    a (t - m)^2 plus a number without t. It moves by a |t - s| |t + s - 2 m|; if t lies in [l, h], moves by at most w,
    and m lies in [p, q], that is at most a max_A d (2 A - d), A = h - p and q - l, d = min(w, A). For a common interval
    of width w it is a w^2. A datum that moves several entries is charged the largest variance.

    Source: Popoviciu (1935) for the largest one, n / (n - ddof) times the squared range over 4.
    """
    return _spread(value, ddof, lambda squares: squares, "variance")


def deviation(value: Private, ddof: float = 0) -> Private | None:
    r"""Return numpy's standard deviation of all entries; None if there are not more than ddof.

    In the notation of `variance` it is sqrt(a (t - m)^2 + b), b without t: it moves by at most sqrt(a) | |t - m| -
    |s - m| | <= sqrt(a) w, which is attained for b = 0 and m at an end of the interval of t.
    """
    return _spread(value, ddof, math.sqrt, "deviation")


def _spread(value: Private, ddof: float, root: Callable[[float], float], name: str) -> Private | None:
    entries = _entries(value)
    if entries is None or type(ddof) not in (int, float) or not 0 <= ddof < entries.size or entries.size < 2:
        return None
    size, moves, (lows, highs) = entries.size, Moves.of(entries), entries.interval
    share = (size - 1) / (size * (size - ddof))
    rows, firsts = moves.rows[moves.firsts], moves.largest
    whole = float(highs.max() - lows.min())
    largest = root(size / (size - ddof) * whole * whole / 4.0)
    if not math.isfinite(whole * whole * size) or 0.0 < whole < _LEAST_RANGE:
        return None
    if root is math.sqrt:
        widths = math.sqrt(share) * firsts
    else:
        below, above = (math.fsum(end.tolist()) for end in (lows, highs))
        ends = (below - lows[rows]) / (size - 1), (above - highs[rows]) / (size - 1)
        reaches = np.maximum([highs[rows] - ends[0], ends[1] - lows[rows]], 0.0)
        moved = np.minimum(firsts, reaches)
        widths = share * (moved * (2.0 * reaches - moved)).max(axis=0)
    widths = np.where(moves.alone, widths, largest)
    middle, error = float(np.abs([lows, highs]).max()), float(entry_roundings(entries).max())
    near = whole + 8.0 * UNIT * middle
    scale = size / (size - ddof)
    if root is math.sqrt:
        error = math.sqrt(scale) * (error + 16.0 * UNIT * (near + middle))
    else:
        error = scale * (2.0 * error * (near + error) + 64.0 * UNIT * near * (near + middle))

    def computed(numbers: Array) -> float:
        mean = math.fsum(numbers.tolist()) / size
        apart = numbers - mean
        squares = math.fsum(np.square(apart).tolist()) - math.fsum(apart.tolist()) ** 2 / size
        return root(max(squares, 0.0) / (size - ddof))

    return _number(value, f"{name} {ddof!r}", entries, moves, widths, (0.0, largest), computed, error)


def _entries(value: Private) -> Entries | None:
    """Return the entries; None for none, for bools and small integers, and where they hold noise, which is read.

    None with NaN, too: what Python makes of it depends on the numbers that are compared with it.
    """
    if value.size == 0 or value.kind not in "fi" or value.is_public or value.holds_draws:
        return None
    return None if np.isnan(value._const).any() else Entries.of(value)


def _number(
    value: Private,
    name: str,
    entries: Entries,
    moves: Moves,
    widths: Array,
    ends: tuple[float, float],
    function: Callable[[Array], float],
    error: float,
) -> Private:
    with quiet():
        found = function(np.clip(entries.values, *entries.interval))
    owners = moves.owners[moves.firsts]
    const, terms = moved_number(name, entries, owners, widths, ends, found, error)
    return value.make(value.source, const, terms).of_kind("f")
