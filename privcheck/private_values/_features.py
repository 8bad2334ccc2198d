"""The features of one run: every number that a datum contributes, with its interval."""

from __future__ import annotations

import hashlib
import marshal
import math
import secrets
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import compress
from typing import Any, NoReturn

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.errors import PrivcheckError, words
from privcheck.private_values._columns import ONE_AT_A_TIME, Column, Steady, as_long
from privcheck.private_values._curves.shapes import Curve, curve_of
from privcheck.private_values._data_ids import DataIds
from privcheck.private_values._spans import Spans
from privcheck.private_values._vector_bounds import VectorBound

Key = tuple[object, ...]


class FeatureTable:
    """Features in order of arrival: their ranges, and their values, which are hidden here and nowhere else.

    Each feature belongs to one datum and lies in [low, high] whatever the data are. The features of one datum are taken
    to move independently of one another, within their intervals and the norm bounds of the vectors whose entries they
    are. Where they do not, the result is an upper bound, unless `curves` tells how they move together.

    A vector with norm bounds is a group. Each of its entries has a multiplicity m: the bounds are those of the vector
    in which the entry occurs m times, as x_i x_j does in the matrix x x'.

    Parameters
    ----------
    bounds : norm bounds of the groups.
    whole : for each feature, whether it is an integer whatever the data are.
    actions : the number of arms, for each feature that is an action.
    curves : the features of which it is known how they are computed from other numbers of their datum.
    excess : for the first feature of a number of several data, by how much the sum of all its features, which have one
        coefficient wherever they are, stays below the sum of their highs. See `moved_number`.
    sharp : for the first feature of such a number, how many it has, its public part, and ends that no rounding passes.
    several : whether some datum may have several features: false as long as each one's datum is a later one.
    history : a hash of all features so far; None if nobody compares. See `_go_on`.
    _hidden : the values, which only a release and the computation of a new feature of the same datum may read.

    Examples
    --------
    >>> table = FeatureTable()
    >>> table.add(3, 0.0, 1.0, 0.5), table.add((4, 0), -1.0, 1.0, 0.0)
    (0, 1)
    >>> [(table.low[j], table.high[j], table.data[table.owner[j]]) for j in range(2)]
    [(0.0, 1.0, 3), (-1.0, 1.0, (4, 0))]
    >>> table.keep(Spans([(np.array([1]), np.array([1]))]))
    >>> table.low[1], table.add(5, 0.0, 1.0, 0.5)
    (-1.0, 2)

    """

    def __init__(self) -> None:
        self._hidden = Column("d")
        self.low, self.high, self.multiplicity = Steady("d"), Steady("d"), Steady("d")
        self.owner, self.group, self.whole = Steady("q", slope=1), Steady("q"), Steady("b")
        self.data = DataIds()
        self.bounds: dict[int, VectorBound] = {}
        self.actions: dict[int, int] = {}
        self.curves: dict[int, Curve] = {}
        self.excess: dict[int, float] = {}
        self.sharp: dict[int, tuple[int, float, float, float]] = {}
        self.several, self._newest = False, -1
        self.history: bytes | None = None
        self._next_group = 0
        self._derived: dict[Key, int] = {}
        self._keys: dict[int, Key] = {}
        self._groups: dict[Key, int] = {}

    def add(
        self,
        datum: Hashable,
        low: float,
        high: float,
        value: float,
        group: int = -1,
        *,
        multiplicity: float = 1.0,
        whole: bool = False,
    ) -> int:
        """Add a feature of a datum and return its number; `group` names the vector with norm bounds, if any.

        A value that float rounding has moved out of its interval is moved back to the nearest end.
        """
        if not (-math.inf < low < math.inf and -math.inf < high < math.inf):
            raise _infinite()
        with ONE_AT_A_TIME:
            number = self.data.number(datum)
            if number <= self._newest:
                self.several = True
            else:
                self._newest = number
            if self.history is not None:
                self._go_on((number, low, high, whole, self.low._length))
            self._hidden.append(min(max(float(value), low), high))
            self.owner.append(number)
            columns = self.low, self.high, self.group, self.multiplicity, self.whole
            for column, given in zip(columns, (low, high, group, multiplicity, whole), strict=True):
                if given == column._last:  # as its `append` does: a call for each costs more
                    column._length += 1
                else:
                    column.append(given)
            return self.low._length - 1

    def add_all(
        self,
        owners: Any,
        lows: Array,
        highs: Any,
        values: Any,
        groups: Any = -1,
        multiplicities: Any = 1.0,
        wholes: Any = False,
    ) -> range:
        """Add a feature for each entry of `lows`, as `add` does, and return their numbers.

        The other columns are arrays of that length, or one number for all; `owners` holds the numbers of data.
        """
        if lows.size == 0:
            return range(0)
        if not (np.isfinite(lows).all() and np.isfinite(highs).all()):
            raise _infinite()
        shape = lows.shape
        columns: Any = self.owner, self.low, self.high, self._hidden, self.group, self.multiplicity, self.whole
        numbers = owners, lows, highs, np.clip(values, lows, highs), groups, multiplicities, wholes
        with ONE_AT_A_TIME:
            first = len(self.low)
            if not self.several:
                every = as_long(owners, shape)
                self.several = bool(every[0] <= self._newest or (every[1:] <= every[:-1]).any())
                self._newest = int(every[-1])
            if self.history is not None:
                self._go_on(tuple(as_long(column, shape).tolist() for column in (owners, lows, highs)))
            for column, given in zip(columns, numbers, strict=True):
                column.extend(as_long(given, shape))
            return range(first, len(self.low))

    def add_group(self, bound: VectorBound) -> int:
        """Declare the norm bounds of a vector and return its group."""
        with ONE_AT_A_TIME:
            self.bounds[self._next_group] = bound
            self._next_group += 1
            return self._next_group - 1

    def derived(self, keys: Sequence[Key], *columns: Any) -> Integers:
        """Return the features that are computed from others of one datum; equal keys give the same feature.

        The columns are those of `add_all`, with one number for each key.
        """
        with ONE_AT_A_TIME:
            return self._derived_from(keys, columns)

    def _derived_from(self, keys: Sequence[Key], columns: Sequence[Any]) -> Integers:
        known, new = self._derived, dict[Key, int]()
        for place, key in enumerate(keys):
            if key not in known:
                new.setdefault(key, place)
        if new:
            places = np.fromiter(new.values(), np.int64, len(new))
            shape = (len(keys),)
            owners, lows, highs, *others = (as_long(column, shape)[places] for column in columns)
            curves = self._curves(list(new), lows.tolist(), highs.tolist(), others[1].tolist())
            if curves:
                lows, highs = lows.copy(), highs.copy()
                for place, curve in curves.items():
                    lows[place], highs[place] = curve.shape.low, curve.shape.high
            if self.history is not None:
                self._go_on(list(new))
            made = self.add_all(owners, lows, highs, *others)
            known.update(zip(new, made, strict=True))
            self._keys.update(zip(made, new, strict=True))
            self.curves.update((made[place], curve) for place, curve in curves.items())
        return np.array([known[key] for key in keys], np.int64)

    def _curves(self, keys: list[Key], lows: list[float], highs: list[float], groups: list[int]) -> dict[int, Curve]:
        """Return, by place, of which numbers new features are functions, where that is known.

        Products with entries of bounded vectors are not looked at: there are many, and a bound for all.
        """
        found, vectors_alone = {}, not self.curves
        for place, key in enumerate(keys):
            if vectors_alone and groups[place] >= 0 and key[0] != "one hot":
                continue
            curve = curve_of(key, lows[place], highs[place], self)
            if curve is not None:
                found[place] = curve
        return found

    def _go_on(self, said: Any) -> None:
        """Add to the history; what has no value to be compared by, such as a function, makes it one of its own.

        It says to which datum each feature belongs, between which ends it lies, and what it is computed from. Where it
        is equal, equal numbers are the same functions of the same data.
        """
        assert self.history is not None
        try:
            text = marshal.dumps(said, 2)  # equal for equal values: later versions have references in it
        except ValueError:
            text = secrets.token_bytes(16)
        self.history = hashlib.blake2b(self.history + text, digest_size=16).digest()

    def factors(self, feature: int) -> Key:
        """Return the two forms of which a feature is the product; nothing if it is none."""
        kind, *forms = self._keys.get(feature, ("",))
        return tuple(forms) if kind == "product" else ()

    def derived_group(self, key: Key, bound: Callable[[], VectorBound]) -> int:
        """Return the group of a vector computed from others; equal keys give the same group."""
        with ONE_AT_A_TIME:
            if key not in self._groups:
                self._groups[key] = self.add_group(bound())
            return self._groups[key]

    def keep(self, features: Spans) -> None:
        """Forget all features but these, and what belongs to no other; nothing may refer to the others any more."""
        for column in (self._hidden, self.low, self.high, self.multiplicity, self.owner, self.group, self.whole):
            column.keep(features)
        if self.data.has_others:
            self.data.keep(self.owner.take(features.positions()).tolist())
        if self.bounds:
            groups = set(np.unique(self.group.take(features.positions())).tolist())
            self.bounds = {group: bound for group, bound in self.bounds.items() if group in groups}
            self._groups = {key: group for key, group in self._groups.items() if group in groups}
        self.actions = {feature: arms for feature, arms in self.actions.items() if feature in features}
        self.curves = {feature: curve for feature, curve in self.curves.items() if feature in features}
        self.excess = {feature: number for feature, number in self.excess.items() if feature in features}
        self.sharp = {feature: ends for feature, ends in self.sharp.items() if feature in features}
        kept = features.hold(np.fromiter(self._derived.values(), np.int64, len(self._derived))).tolist()
        self._derived = dict(compress(self._derived.items(), kept))
        self._keys = {feature: key for key, feature in self._derived.items()}

    def product_groups(self, ones: Integers, twos: Integers) -> tuple[Integers, Array]:
        """Return the groups of all products of two features' groups, and the multiplicities of their own products."""
        groups, multiplicities = np.full(ones.size, -1), np.ones(ones.size)
        pairs = np.sort([self._vectors(ones), self._vectors(twos)], axis=0)
        bounded = pairs.max(axis=0) >= 0
        same = pairs[0] == pairs[1]
        twice = np.where(same & (ones != twos), 2.0, 1.0)
        found = self.multiplicity.take(ones) * self.multiplicity.take(twos) * twice
        multiplicities[bounded] = found[bounded]
        each = list(zip(*pairs[:, bounded].tolist(), strict=True))
        known = {
            one: self.derived_group(("product", *one), partial(self._product, *one)) for one in dict.fromkeys(each)
        }
        groups[bounded] = [known[pair] for pair in each]
        return groups, multiplicities

    def __copy__(self) -> FeatureTable:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> FeatureTable:
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        hint = "keep what a policy has released instead"
        raise PrivcheckError("pickle", words("the private data of a run"), "released values", hint)

    def _vectors(self, features: Integers) -> Integers:
        """Return the groups of features, or a unique negative number for one that has none."""
        group = self.group.take(features)
        return np.where(group >= 0, group, -1 - features)

    def _product(self, first: int, second: int) -> VectorBound:
        return self._bound(first).times(self._bound(second), same=first == second)

    def _bound(self, vector: int) -> VectorBound:
        return self.bounds[vector] if vector >= 0 else VectorBound.of(self.low[-1 - vector], self.high[-1 - vector])


def _infinite() -> PrivcheckError:
    hint = "bring values and coefficients to ordinary magnitudes"
    return PrivcheckError("interval of a private value", words("infinite ends"), "a finite interval", hint)
