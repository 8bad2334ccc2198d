"""A number that depends on several data, and that each of them moves by at most so much."""

from __future__ import annotations

import hashlib
import math
from typing import NamedTuple

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.private_values._entries import Entries, quiet
from privcheck.private_values._terms import NOTHING, Terms

UNIT = 2.0**-53
"""The unit roundoff of floats."""


class Moves(NamedTuple):
    """How far each datum moves each entry: the entries, the numbers of the data, and the widths, sorted by datum."""

    rows: Integers
    owners: Integers
    widths: Array

    @classmethod
    def of(cls, entries: Entries) -> Moves:
        """Return the moves of entries; the features of one datum are taken to move independently of one another."""
        table, features = entries.table, entries.features
        owners = table.owner.take(features)
        order = np.lexsort((entries.rows, owners))
        rows, owners = entries.rows[order], owners[order]
        with quiet():
            moved = np.abs(entries.weights[order]) * (table.high.take(features) - table.low.take(features))[order]
            starts = np.flatnonzero((np.diff(rows, prepend=-1) != 0) | (np.diff(owners, prepend=-1) != 0))
            widths: Array = np.add.reduceat(moved, starts) if starts.size else np.empty(0)
        return cls(rows[starts], owners[starts], widths)

    @property
    def firsts(self) -> Integers:
        """Where each datum begins."""
        return np.flatnonzero(np.diff(self.owners, prepend=-1))

    @property
    def alone(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """For each datum, whether it moves one entry only."""
        found: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.diff(self.firsts, append=self.owners.size) == 1
        return found

    @property
    def largest(self) -> Array:
        """The most that each datum moves any entry."""
        return np.asarray(np.maximum.reduceat(self.widths, self.firsts))


def entry_roundings(entries: Entries) -> Array:
    """Return how far the computed value of each entry may be from its exact one; the table's numbers are exact."""
    table, features = entries.table, entries.features
    with quiet():
        sizes = np.abs(entries.weights) * np.maximum(-table.low.take(features), table.high.take(features))
        products, ends = np.zeros(entries.size), entries.interval
        np.add.at(products, entries.rows, sizes)
        found = 2.0 * UNIT * (products + np.maximum(-ends[0], ends[1])) + 2.0**-1073 * (1.0 + entries.counts)
    return np.where(entries.plain | ~entries.private, 0.0, found)


def moved_number(
    name: str,
    entries: Entries,
    owners: Integers,
    moves: Array,
    ends: tuple[float, float],
    found: float,
    error: float,
    sharp: tuple[float, float],
) -> tuple[float, Terms]:
    r"""Return the public part and the terms of a number f(y) of some entries y, of which each datum moves f.

    Parameters
    ----------
    name : the function, with its public parameters: equal names of equal entries are one number.
    owners : shape (n,), the numbers of the data that y depends on, each once.
    moves : shape (n,), the most that f(y) changes when one of them is replaced, whatever the others are.
    ends : between which f(y) lies whatever the data are.
    found : the hidden f(y), computed in floats; it is moved into the interval, which rounding may have made too small.
    error : how far that may be from the exact one.
    sharp : ends that what the code computes does not pass, not by rounding either; -inf and inf where none is known.

    Guarantee
    ---------
    f(y) is written as c + sum_d h_d, with one feature h_d in [0, s_d] for each datum d, where s_d is at least `moves`
    plus the rounding of f on two neighbouring streams. The h_d are not functions of d alone: all of them may change
    with one datum. But only linear operations take a number of several data, which gives all h_d one coefficient k in
    each entry. So what is released moves by |k| |f(y) - f(y')| <= |k| s_d, and is charged that, beside what d moves
    otherwise. Of several data that change together the moves add up, along a path on which one changes at a time.

    The features are filled one after another, so that their sum is f(y) up to rounding, which `error` has to leave
    room for: see `_filled`. Where their highs add up to more than the interval of f(y) is wide, the table knows by how
    much, for the intervals of what f(y) is in.
    """
    least, most = ends
    if not least < most:
        return least, NOTHING
    with quiet():
        slack = error + UNIT * (16.0 * (abs(least) + abs(most)) + 4.0 * owners.size * (most - least))
        least, most = least - slack, most + slack
        widths = np.minimum(moves, ends[1] - ends[0]) * (1.0 + 8.0 * UNIT) + 2.0 * slack
        reach = math.fsum(widths.tolist())
        if reach < most - least:  # the ends are not attained
            widths = widths * ((most - least) / reach * (1.0 + 8.0 * UNIT))
    digest = hashlib.sha256(entries.identity).digest()
    features = entries.table.derived(
        [("moved", name, digest, owner) for owner in owners.tolist()],
        owners, np.zeros(owners.size), widths, _filled(widths, min(max(found, least), most) - least), -1, 1.0, False,
    )  # fmt: skip
    excess = math.fsum([*widths.tolist(), least, -most]) - 1e-12 * (abs(least) + abs(most) + reach)
    if excess > 0.0:
        entries.table.excess[int(features[0])] = excess
    entries.table.sharp[int(features[0])] = (owners.size, least, *sharp)
    return least, Terms.of(np.zeros(owners.size, np.int64), features, np.ones(owners.size))


def _filled(widths: Array, amount: float) -> Array:
    """Return how much of an amount each feature takes: the first ones all that they can, one the rest."""
    amount = max(amount, 0.0)
    filled = np.cumsum(widths)
    full = int(np.searchsorted(filled, amount, "right"))
    values: Array = np.where(np.arange(widths.size) < full, widths, 0.0)
    if full < widths.size:
        values[full] = min(max(math.fsum([amount, *(-widths[:full]).tolist()]), 0.0), float(widths[full]))
    return values
