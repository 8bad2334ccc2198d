"""The entries of private values, as columns: sums of features, with their intervals and hidden values."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.arrays import Array, Bools, Integers
from privcheck.errors import PrivcheckError, words
from privcheck.private_values._columns import as_long
from privcheck.private_values._features import FeatureTable, Key
from privcheck.private_values._leaks import describe_data
from privcheck.private_values._noise.noised import toss
from privcheck.private_values._refused_operations import NONLINEAR, refuse
from privcheck.private_values._terms import Terms

if TYPE_CHECKING:
    from privcheck.private_values._private import Private

NOBODY, SEVERAL = -1, -2
"""Stand for the datum of an entry that depends on none, and of one that depends on more than one."""

MARGIN = 1e-9
"""Distance, relative to the numbers that are compared, beyond which float rounding changes no order."""

_LARGEST = sys.float_info.max / 2.0
"""Largest end of an interval: values within it are computed without overflow."""


class Entries:
    """The entries of an array in C order: entry i is const[i] + sum_k weights[k] f[features[k]].

    Parameters
    ----------
    const : shape (n,), the public parts.
    starts : shape (n + 1,); the terms k of entry i are starts[i], ..., starts[i + 1] - 1.
    features, weights : the terms of all entries, one after another.
    table : the features.

    Examples
    --------
    >>> from privcheck.private_values._source import PrivateSource
    >>> source = PrivateSource()
    >>> x, y = source.vector([0.5, 1.0], 0.0, 1.0, data=[3, 4])
    >>> entries = Entries.of(np.stack([2.0 * x, x + y, 0.0 * x - 1.0]))
    >>> entries.owners.tolist(), [ends.tolist() for ends in entries.interval], entries.values.tolist()
    ([3, -2, -1], [[0.0, 0.0, -1.0], [2.0, 2.0, -1.0]], [1.0, 1.5, -1.0])
    """

    def __init__(self, const: Array, starts: Integers, features: Integers, weights: Array, table: FeatureTable) -> None:
        self.const, self.starts, self.features, self.weights = const, starts, features, weights
        self.table, self.size = table, const.size
        self.counts: Integers = starts[1:] - starts[:-1]
        self.rows: Integers = np.repeat(np.arange(self.size), self.counts)

    @classmethod
    def of(cls, value: Private) -> Entries:
        """Return the entries of a value; uniform draws in it become coins, and one that holds noise is released."""
        toss(value)
        if value.holds_draws and (why := value.publish()) is not None:
            refuse("function", "a function of one datum", value, hint=why or NONLINEAR)
        assert value.source is not None
        terms = value.terms.tidy()
        starts = np.searchsorted(terms.rows, np.arange(value.size + 1))
        return cls(value._const.ravel(), starts, terms.features, terms.weights, value.source.features)

    @cached_property
    def private(self) -> Bools:
        """Whether each entry depends on data."""
        return self.counts > 0

    @cached_property
    def firsts(self) -> Integers:
        """Where the stretch of each entry that depends on data starts; 0 for the others."""
        return np.where(self.private, self.starts[:-1], 0)

    @cached_property
    def owners(self) -> Integers:
        """The number of the datum that each entry depends on, or NOBODY or SEVERAL."""
        return self._common(self.table.owner.take(self.features))

    @cached_property
    def plain(self) -> Bools:
        """Whether each entry is a single feature."""
        found: Bools = (self.counts == 1) & (self.const == 0.0)
        if self.features.size:
            found &= self.weights[self.firsts] == 1.0
        return found

    @cached_property
    def whole(self) -> Bools:
        """Whether each entry is an integer whatever the data are: a sum of integer multiples of integer features."""
        found: Bools = np.isfinite(self.const) & (self.const == np.rint(self.const))
        found[self.rows[(self.weights != np.rint(self.weights)) | (self.table.whole.take(self.features) == 0)]] = False
        return found

    @cached_property
    def keys(self) -> list[tuple[float, ...]]:
        """What the entries that depend on data are, for comparison: the features, and unless plain all the rest."""
        features, weights, consts = self.features.tolist(), self.weights.tolist(), self.const.tolist()
        if self.plain.all():
            return list(zip(features, strict=True))
        stretches = zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), self.plain.tolist(), consts, strict=True)
        return [
            (features[start],) if plain else (*features[start:stop], const, *weights[start:stop])
            for start, stop, plain, const in stretches
        ]

    @property
    def identity(self) -> bytes:
        """What all entries together are, for comparison."""
        return b"".join((column + 0).tobytes() for column in (self.const, self.starts, self.features, self.weights))

    @cached_property
    def normal(self) -> tuple[Array, Entries]:
        """Numbers s and entries g with first weights 1 such that each entry that depends on data is s g."""
        scales = np.ones(self.size)
        if self.plain.all():
            return scales, self
        scales[self.private] = self.weights[self.firsts[self.private]]
        with quiet():
            columns = self.const / scales, self.starts, self.features, self.weights / scales[self.rows]
        return scales, Entries(*columns, self.table)

    @cached_property
    def interval(self) -> tuple[Array, Array]:
        """The ends between which each entry lies, whatever the data are; an entry that could overflow is refused."""
        table, lows, highs = self.table, self.const.copy(), self.const.copy()
        with quiet():
            ends = self.weights * table.low.take(self.features), self.weights * table.high.take(self.features)
            np.add.at(lows, self.rows, np.minimum(*ends))
            np.add.at(highs, self.rows, np.maximum(*ends))
            if table.excess:
                self._take_excess(lows, highs)
            reach = self._reach()
            lows, highs = np.fmax(lows, self.const - reach), np.fmin(highs, self.const + reach)  # inf - inf is NaN
            lows = np.minimum(lows, highs)  # where rounding has exchanged them
            fits = (lows >= -_LARGEST) & (lows <= highs) & (highs <= _LARGEST)
        if not fits[self.private].all():
            hint = "bring values and coefficients to ordinary magnitudes"
            raise PrivcheckError("interval of a private value", words("infinite ends"), "a finite interval", hint)
        return lows, highs

    @cached_property
    def values(self) -> Array:
        """The hidden values, correctly rounded except for the products; each depends only on its entry.

        numpy's floating-point warnings and errors are off, so that they reveal nothing about the values.
        """
        with quiet():
            parts = self.weights * self.table._hidden.take(self.features)
            found, alone = self.const.copy(), self.counts == 1
            found[alone] += parts[self.starts[:-1][alone]]
        flat, consts, starts = parts.tolist(), self.const.tolist(), self.starts.tolist()
        for i in np.flatnonzero(self.counts > 1).tolist():
            found[i] = _sum([consts[i], *flat[starts[i] : starts[i + 1]]].__iter__)
        return found

    def data_of(self, place: int) -> list[int]:
        """Return the numbers of the data that an entry depends on, in their order."""
        features = self.features[self.starts[place] : self.starts[place + 1]]
        found: list[int] = np.unique(self.table.owner.take(features)).tolist()
        return found

    def check_single(self, operation: str, hint: str, kept: Bools | None = None) -> None:
        """Raise `PrivcheckError` if an entry depends on several data, unless it is kept."""
        several = self.owners == SEVERAL if kept is None else (self.owners == SEVERAL) & ~kept
        for place in np.flatnonzero(several)[:1].tolist():
            got = words(f"a sum over {describe_data([self.table.data[number] for number in self.data_of(place)])}")
            raise PrivcheckError(operation, got, "entries of one datum each", hint)

    def taken(self, places: Integers) -> Entries:
        """Return the entries at these places, of which some may occur more than once."""
        counts = self.counts[places]
        starts = np.append(0, np.cumsum(counts))
        index = np.repeat(self.starts[places] - starts[:-1], counts) + np.arange(starts[-1])
        return Entries(self.const[places], starts, self.features[index], self.weights[index], self.table)

    def replaced(
        self, keys: Sequence[Key], ends: tuple[Array, Array], values: Array, *, whole: Any = False, kept: Any = None
    ) -> tuple[Array, Terms]:
        """Return the public part and the terms of an array in which each entry is a new number of its datum.

        Entries that are `kept` stay as they are. The other arguments are those of `collected`.
        """
        kept = np.zeros(self.size, np.bool_) if kept is None else kept
        lows, highs = (np.where(kept, self.const, end) for end in ends)
        const, terms = collected(self.table, keys, self.owners, (lows, highs), values, whole=whole)
        stay = kept[self.rows]
        return const, terms.plus(Terms.of(self.rows[stay], self.features[stay], self.weights[stay]))

    def _common(self, column: Integers) -> Integers:
        """Return the number that all features of an entry have in a column, NOBODY without features, or SEVERAL."""
        found = np.full(self.size, NOBODY)
        found[self.rows] = column
        found[self.rows[column != found[self.rows]]] = SEVERAL
        return found

    def _take_excess(self, lows: Array, highs: Array) -> None:
        """Take from ends what numbers of several data do not reach: see `FeatureTable.excess`."""
        excess = np.array([self.table.excess.get(feature, 0.0) for feature in self.features.tolist()])
        np.add.at(highs, self.rows, -np.maximum(self.weights, 0.0) * excess)
        np.add.at(lows, self.rows, -np.minimum(self.weights, 0.0) * excess)

    def _reach(self) -> Array:
        """Return how far each can get from its constant, if its features are the entries of one bounded vector."""
        reach = np.full(self.size, math.inf)
        groups = self.table.group.take(self.features)
        if not (groups >= 0).any():
            return reach
        together = self._common(groups)
        shares = np.abs(self.weights) / np.sqrt(self.table.multiplicity.take(self.features))
        largest, squares = np.zeros(self.size), np.zeros(self.size)
        np.maximum.at(largest, self.rows, shares)
        np.add.at(squares, self.rows, np.square(shares / largest[self.rows]))
        for group in np.unique(together[together >= 0]).tolist():
            own = together == group
            reach[own] = largest[own] * np.sqrt(squares[own]) * self.table.bounds[group].l2_radius
        return reach


def quiet() -> np.errstate:
    """Return numpy's context in which it neither warns nor raises."""
    return np.errstate(all="ignore")


def collected(
    table: FeatureTable,
    keys: Sequence[Key],
    owners: Any,
    ends: tuple[Array, Array],
    values: Array,
    *,
    group: int = -1,
    whole: Any = False,
) -> tuple[Array, Terms]:
    """Return the public part and the terms of an array of new numbers, each computed from one datum.

    Parameters
    ----------
    keys : what each number is computed from, and how; equal keys are one feature.
    owners : the numbers of the data.
    ends : between which each number lies whatever its datum is; a number with equal ends is public.
    values : the hidden values.
    group : the bounded vector whose entries the numbers are, if any.
    whole : whether they are integers whatever the data are.
    """
    lows, highs = ends
    places = np.flatnonzero(lows < highs)
    owners, lows, highs, values, whole = (
        as_long(column, lows.shape)[places] for column in (owners, lows, highs, values, whole)
    )
    features = table.derived([keys[place] for place in places.tolist()], owners, lows, highs, values, group, 1.0, whole)
    return np.where(ends[0] < ends[1], 0.0, ends[0]), Terms.of(places, features, np.ones(places.size))


def evaluated(value: Private, table: FeatureTable) -> Any:
    """Return the hidden value of an array."""
    if value.size == 1:
        return np.array([_only(float(value._const.ravel()[0]), value.terms.tidy(), table)]).reshape(value.shape)
    return Entries.of(value).values.reshape(value.shape)


def _only(const: float, terms: Terms, table: FeatureTable) -> float:
    """Return the value of the only entry, as `Entries.values` does, without a copy of the terms."""

    def parts() -> Iterator[float]:  # of chains, which yield a number in a fifth of the time of a generator
        hidden = table._hidden
        products = (map(mul, weights.tolist(), hidden.take(some).tolist()) for _, some, weights in terms.chunks())
        return chain((const,), chain.from_iterable(products))

    return _sum(parts)


def _sum(numbers: Callable[[], Iterable[float]]) -> float:
    """Return the correctly rounded sum of what a function returns."""
    try:
        return math.fsum(numbers())
    except OverflowError:  # of a partial sum: an error would depend on the data
        return float(sum(map(Fraction, numbers())))
