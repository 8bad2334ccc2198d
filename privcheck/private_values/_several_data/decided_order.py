"""The order of private numbers where it is the same for all data, so that it tells nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.arrays import Array, Bools
from privcheck.private_values._entries import MARGIN, Entries, quiet

if TYPE_CHECKING:
    from privcheck.private_values._private import Private

ORDERS: dict[str, tuple[bool, bool]] = {
    "<": (True, False), "<=": (True, False), ">": (False, True), ">=": (False, True), "==": (False, False),
    "!=": (True, True),
}  # fmt: skip
"""By symbol, whether a comparison holds if the first number is the smaller one, and if it is the larger one."""


def least_difference(one: Private, two: Private) -> Array:
    """Return for each entry a number that the first minus the second exceeds or equals, whatever the data are.

    Of the same data the difference counts: r + 2 exceeds r by 2, whichever number r in [0, 3] is.

    Parameters
    ----------
    one, two : of one shape.
    """
    (low, high, exact), (least, most, precise) = _ends(one), _ends(two)
    with quiet():
        sizes = MARGIN * sum(np.where(np.isfinite(end), np.abs(end), 0.0) for end in (low, high, least, most))
        found = low - most - np.where(exact & precise, 0.0, sizes)
        found = np.where(exact & precise & (low == most), 0.0, found)  # also of infinite numbers
        if np.isfinite(low + high + least + most).all():
            found = np.fmax(found, _ends(one - two)[0] - sizes)
    return np.where(np.isnan(found), -np.inf, found)


def compared_alike(symbol: str, one: Private, two: Private) -> Any:
    """Return a comparison of two private numbers, or of arrays of one shape, that holds or fails for all data, or None.

    >>> from privcheck.private_values._source import PrivateSource
    >>> source = PrivateSource()
    >>> reward = source.scalar(0.7, low=0.0, high=1.0, datum=3)
    >>> compared_alike("<", reward, reward + 2.0), compared_alike("<", reward, 1.5 * reward)
    (True, None)
    """
    if one.shape != two.shape or one.is_action or two.is_action:
        return None
    if one is two:
        alike = symbol in ("<=", ">=", "==")
        return np.full(one.shape, alike) if one.ndim else alike
    above, below = least_difference(one, two) > 0.0, least_difference(two, one) > 0.0
    if not (above | below).all():
        return None
    assert one.source is not None
    with quiet():
        one.source.decided.note(symbol, _ends(two)[0] - _ends(one)[0], np.where(above, 1.0, -1.0))
    smaller, larger = ORDERS[symbol]
    holds = np.where(below, smaller, larger)
    return holds.reshape(one.shape) if one.ndim else bool(holds[0])


def extreme(values: Private, sign: float) -> int | None:
    """Return the index of the largest entry of a vector (smallest for sign -1), if it is the same for all data.

    >>> from privcheck.private_values._source import PrivateSource
    >>> reward = PrivateSource().scalar(0.7, low=0.0, high=1.0, datum=3)
    >>> extreme(np.stack([reward, reward + 2.0, reward - 1.0]), 1.0)
    1
    """
    if values.ndim != 1 or values.size < 2 or values.is_action:
        return None
    if (missing := np.isnan(values._const)).any():
        return int(np.argmax(missing))  # as numpy does
    low, high, _ = _ends(values)
    most = int(np.argmax(low) if sign > 0.0 else np.argmin(high))
    others = np.delete(np.arange(values.size), most)
    best, rest = values[np.full(others.size, most)], values[others]
    ahead = least_difference(best, rest) if sign > 0.0 else least_difference(rest, best)
    if not ((ahead > 0.0) | ((ahead == 0.0) & (others > most))).all():  # the first of equal ones
        return None
    note_order("argmax", values, most, np.where(others > most, sign, -sign))
    return most


def note_order(read: str, values: Private, chosen: int, sides: Array | None = None) -> None:
    """Note which of an entry and each of the others is the larger one, for all data: see `DecidedReads`.

    Parameters
    ----------
    chosen : the entry.
    sides : shape (n - 1,), for each of the others 1 if that of the two with the smaller index is the larger one, -1 if
        it is the smaller one; by default what the ends of the entries tell.
    """
    private, others = Entries.of(values).private, np.delete(np.arange(values.size), chosen)
    (low, high, _), one, two = _ends(values), np.minimum(chosen, others), np.maximum(chosen, others)
    assert values.source is not None
    with quiet():
        if sides is None:
            sides = np.where(low[one] >= high[two], 1.0, np.where(high[one] <= low[two], -1.0, np.nan))
        apart = np.where(private[others] | private[chosen], low[one] - low[two], np.nan)
    values.source.decided.note(read, apart, sides, (one * values.size + two).tolist())


def floored(value: Private, divisor: float) -> Any:
    """Return `value // divisor`, for a divisor that is not 0, if it is the same for all data; None otherwise.

    Rounding down is monotone, so it is if it is the same at both ends.

    >>> from privcheck.private_values._source import PrivateSource
    >>> reward = PrivateSource().scalar(0.7, low=0.0, high=1.0, datum=3)
    >>> floored(reward, 2.0), floored(reward, 0.5), floored(reward + 1.0, -4.0)
    (0.0, None, -1.0)
    """
    if value.is_action:
        return None
    low, high, exact = _ends(value)
    slack = np.where(exact, 0.0, MARGIN * (np.abs(low) + np.abs(high)))
    with quiet():
        least, most = (low - slack) // divisor, (high + slack) // divisor
    if not (least == most).all():
        return None
    assert value.source is not None
    value.source.decided.note("//", low, least)
    found: Array = least.reshape(value.shape)
    return found if value.ndim else float(least[0])


def _ends(values: Private) -> tuple[Array, Array, Bools]:
    """Return between which ends each entry lies, whatever the data are, and whether these are exact."""
    if values.is_public:
        return values._const.ravel(), values._const.ravel(), np.ones(values.size, np.bool_)
    entries = Entries.of(values)
    lows, highs = entries.interval
    lows, highs = (np.where(entries.private, ends, entries.const) for ends in (lows, highs))
    return lows, highs, entries.plain | ~entries.private
