"""The features of one run: every number that a datum contributes, with its interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from itertools import compress
from typing import NoReturn

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.private_values.columns import Column, Steady
from privcheck.private_values.data_ids import DataIds
from privcheck.private_values.spans import Spans
from privcheck.private_values.vector_bounds import VectorBound

Key = tuple[object, ...]


class FeatureTable:
    """Features in order of arrival: their ranges, and their values, which are hidden here and nowhere else.

    Each feature belongs to one datum and lies in [low, high] whatever the data are. The features of one datum are taken
    to move independently of one another, within their intervals and the norm bounds of the vectors whose entries they
    are; where they do not (a clip, a product), the result is an upper bound.

    A vector with norm bounds is a group. Each of its entries has a multiplicity m: the bounds are those of the vector
    in which the entry occurs m times, as x_i x_j does in the matrix x x'.

    Parameters
    ----------
    bounds : norm bounds of the groups.
    whole : for each feature, whether it is an integer whatever the data are.
    actions : the number of arms, for each feature that is an action.
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
        if not (math.isfinite(low) and math.isfinite(high)):
            hint = "bring values and coefficients to ordinary magnitudes"
            raise PrivcheckError("interval of a private value", words("infinite ends"), "a finite interval", hint)
        number = self.data.number(datum)
        self.low.append(low)
        self.high.append(high)
        self._hidden.append(min(max(float(value), low), high))
        self.owner.append(number)
        self.group.append(group)
        self.multiplicity.append(multiplicity)
        self.whole.append(whole)
        return len(self.low) - 1

    def add_group(self, bound: VectorBound) -> int:
        """Declare the norm bounds of a vector and return its group."""
        self.bounds[self._next_group] = bound
        self._next_group += 1
        return self._next_group - 1

    def derived(self, key: Key, make: Callable[[], int]) -> int:
        """Return the feature computed from others of one datum; equal keys give the same feature."""
        if key not in self._derived:
            self._derived[key] = made = make()
            self._keys[made] = key
        return self._derived[key]

    def factors(self, feature: int) -> Key:
        """Return the two forms of which a feature is the product; nothing if it is none."""
        kind, *forms = self._keys.get(feature, ("",))
        return tuple(forms) if kind == "product" else ()

    def derived_group(self, key: Key, bound: Callable[[], VectorBound]) -> int:
        """Return the group of a vector computed from others; equal keys give the same group."""
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
        kept = features.hold(np.fromiter(self._derived.values(), np.int64, len(self._derived))).tolist()
        self._derived = dict(compress(self._derived.items(), kept))
        self._keys = {feature: key for key, feature in self._derived.items()}

    def product_group(self, one: int, two: int) -> tuple[int, float]:
        """Return the group of all products of two features' groups, and the multiplicity of their own product in it."""
        if self.group[one] < 0 and self.group[two] < 0:
            return -1, 1.0
        first, second = sorted((self._vector(one), self._vector(two)))
        same = first == second
        bound = lambda: self._bound(first).times(self._bound(second), same=same)  # noqa: E731
        multiplicity = self.multiplicity[one] * self.multiplicity[two] * (2.0 if same and one != two else 1.0)
        return self.derived_group(("product", first, second), bound), multiplicity

    def __copy__(self) -> FeatureTable:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> FeatureTable:
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        hint = "keep what a policy has released instead"
        raise PrivcheckError("pickle", words("the private data of a run"), "released values", hint)

    def _vector(self, feature: int) -> int:
        """Return the group of a feature, or a unique negative number if it has none."""
        return self.group[feature] if self.group[feature] >= 0 else -1 - feature

    def _bound(self, vector: int) -> VectorBound:
        return self.bounds[vector] if vector >= 0 else VectorBound.of(self.low[-1 - vector], self.high[-1 - vector])
