"""A choice between two numbers by an indicator, all of one datum: a new feature of that datum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.private_values._entries import Entries
from privcheck.private_values._terms import common

if TYPE_CHECKING:
    from privcheck.private_values._private import Private


def selected(condition: Private, one: Any, two: Any) -> Private:
    """Return `one` where an indicator holds and `two` elsewhere, of numbers of shape () that depend on its datum alone.

    Guarantee
    ---------
    The result depends on one datum. It lies in the smallest interval that holds those of both numbers, whatever that
    datum is, and is taken to move independently of the datum's other features, which is an upper bound.

    Examples
    --------
    >>> from privcheck.private_values._source import PrivateSource
    >>> reward = PrivateSource().scalar(0.7, low=0.0, high=1.0, datum=3)
    >>> selected(reward > 0.5, 1.0, reward).sensitivities("l1")
    {3: 1.0}
    >>> selected(reward > 0.5, 0.25, selected(reward > 0.2, 0.5, 0.75)).sensitivities("l1")
    {3: 0.5}
    """
    entries = Entries.of(condition)
    sides = [condition.of(side) for side in (one, two)]
    lows, highs, values, wholes = zip(*map(_side, sides), strict=True)
    ends = np.minimum(*lows), np.maximum(*highs)
    hidden = np.where(entries.values > 0.5, *values)
    const, terms = entries.replaced([("selected", object())], ends, hidden, whole=all(wholes))
    made: Private = condition.make(condition.source, const.reshape(()), terms)
    return made.of_kind(common(*sides))


def _side(value: Any) -> tuple[Any, Any, Any, bool]:
    """Return the ends, the hidden value and whether it is an integer, each but the last as an array of one number."""
    if value.is_public:
        number = np.asarray(value.ordinary(), np.float64).reshape(1)
        return number, number, number, bool((number == np.rint(number)).all())
    entries = Entries.of(value)
    return *entries.interval, entries.values, bool(entries.whole.all())
