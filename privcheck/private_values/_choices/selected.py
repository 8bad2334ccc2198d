"""A choice between two numbers by an indicator, all of one datum: a new feature of that datum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.private_values._entries import Entries
from privcheck.private_values._terms import one_of

if TYPE_CHECKING:
    from privcheck.private_values._private import Private


def selected(condition: Private, one: Any, two: Any) -> Private:
    """Return `one` where an indicator holds and `two` elsewhere, of numbers of shape () that depend on its datum alone.

    Guarantee
    ---------
    The result depends on one datum. It lies in the smallest interval that holds those of both numbers, whatever that
    datum is. What it moves together with the datum's other features is known where the numbers are comparisons, clips
    and products of the same ones. Equal choices between equal numbers are one feature.

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
    sides = [_Side.of(condition.of(side)) for side in (one, two)]
    ends = np.minimum(*(side.low for side in sides)), np.maximum(*(side.high for side in sides))
    hidden = np.clip(np.where(entries.values > 0.5, *(side.value for side in sides)), *ends)
    key: tuple[Any, ...] = ("selected", *entries.keys, *(side.key for side in sides))
    const, terms = entries.replaced([key], ends, hidden, whole=all(side.whole for side in sides))
    made: Private = condition.make(condition.source, const.reshape(()), terms)
    return made.of_kind(one_of(*(side.given for side in sides)))


@dataclass(frozen=True)
class _Side:
    """A number that may be selected: its ends, hidden value, what it is, for comparison, and if it is an integer."""

    given: Private
    low: Any
    high: Any
    value: Any
    key: tuple[Any, ...]
    whole: bool

    @classmethod
    def of(cls, given: Any) -> _Side:
        if given.is_public:
            number = np.asarray(given.ordinary(), np.float64).reshape(1)
            return cls(given, number, number, number, ("public", float(number[0])), bool(number == np.rint(number)))
        entries = Entries.of(given)
        return cls(given, *entries.interval, entries.values, entries.keys[0], bool(entries.whole.all()))
