"""Single entries of private values: sums of features, with their intervals."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.private_values.features import FeatureTable
from privcheck.private_values.refused_operations import NONLINEAR, refuse
from privcheck.private_values.terms import Terms

if TYPE_CHECKING:
    from privcheck.private_values.private import Private

_LARGEST = sys.float_info.max / 2.0
"""Largest end of an interval: values within it are computed without overflow."""


_MANY = 32


class Form(NamedTuple):
    """One entry: const + sum_k weights[k] * f[features[k]]."""

    const: float
    features: tuple[int, ...] = ()
    weights: tuple[float, ...] = ()

    def owners(self, table: FeatureTable) -> set[int]:
        """Return the numbers of the data that it depends on."""
        return {table.owner[j] for j in self.features}

    def normal(self) -> tuple[float, Form]:
        """Return s and a form g with first weight 1 such that this form, which must depend on a datum, is s g."""
        scale = self.weights[0]
        return scale, Form(self.const / scale, self.features, tuple(weight / scale for weight in self.weights))

    @property
    def is_feature(self) -> bool:
        """Whether it is a single feature."""
        return self.const == 0.0 and self.weights == (1.0,)

    def is_whole(self, table: FeatureTable) -> bool:
        """Return whether it is an integer whatever the data are: a sum of integer multiples of integer features."""
        numbers = all(number.is_integer() for number in (self.const, *self.weights))
        return numbers and all(table.whole[j] for j in self.features)

    def value(self, table: FeatureTable) -> float:
        """Return its hidden value, correctly rounded except for the products; it depends only on the form.

        It is computed in Python's floats, so that numpy's floating-point warnings and errors reveal nothing about it.
        """
        if len(self.features) > _MANY:
            hidden = table._hidden.take(np.array(self.features)).tolist()
        else:
            hidden = [table._hidden[j] for j in self.features]
        parts = [weight * number for number, weight in zip(hidden, self.weights, strict=True)]
        try:
            return math.fsum((self.const, *parts))
        except OverflowError:  # of a partial sum: an error would depend on the data
            return float(sum(map(Fraction, parts), Fraction(self.const)))

    def interval(self, table: FeatureTable) -> tuple[float, float]:
        """Return the interval in which it lies, whatever the data are; refuse a form that could overflow."""
        low = high = self.const
        for j, weight in zip(self.features, self.weights, strict=True):
            ends = weight * table.low[j], weight * table.high[j]
            low, high = low + min(ends), high + max(ends)
        reach = self._reach(table)
        low, high = max(low, self.const - reach), min(high, self.const + reach)
        low = min(low, high)  # where rounding has exchanged them
        if not -_LARGEST <= low <= high <= _LARGEST:
            hint = "bring values and coefficients to ordinary magnitudes"
            raise PrivcheckError("interval of a private value", words("infinite ends"), "a finite interval", hint)
        return low, high

    def _reach(self, table: FeatureTable) -> float:
        """Return how far it can get from its constant, given the norm of the vector whose entries its features are."""
        groups = {table.group[j] for j in self.features}
        if len(groups) != 1 or -1 in groups:
            return math.inf
        shares = [(weight, table.multiplicity[j]) for j, weight in zip(self.features, self.weights, strict=True)]
        return math.hypot(*(weight / math.sqrt(m) for weight, m in shares)) * table.bounds[groups.pop()].l2_radius


def forms(value: Private) -> list[Form]:
    """Return the entries of a private value in C order; one that holds noise is released."""
    if value.holds_draws and (why := value.publish()) is not None:
        refuse("function", "a function of one datum", value, hint=why or NONLINEAR)
    terms, consts = value.terms.tidy(), value._const.ravel().tolist()
    ends = np.searchsorted(terms.rows, np.arange(value.size + 1)).tolist()
    features, weights = terms.features.tolist(), terms.weights.tolist()
    return [
        Form(consts[i], tuple(features[start:stop]), tuple(weights[start:stop]))
        for i, (start, stop) in enumerate(pairwise(ends))
    ]


def evaluated(value: Private, table: FeatureTable) -> Any:
    """Return the hidden value of an array."""
    if value.size == 1:
        return np.array([_exact_sum(float(value._const.ravel()[0]), value.terms.tidy(), table)]).reshape(value.shape)
    return np.array([form.value(table) for form in forms(value)]).reshape(value.shape)


def _exact_sum(const: float, terms: Terms, table: FeatureTable) -> float:
    """Return the value of the only entry, as `Form.value` does, without a copy of the terms."""

    def parts() -> Iterator[float]:
        yield const
        for _, features, weights in terms.chunks():
            yield from map(mul, weights.tolist(), table._hidden.take(features).tolist())

    try:
        return math.fsum(parts())
    except OverflowError:  # of a partial sum: an error would depend on the data
        return float(sum(map(Fraction, parts())))


def collected(entries: list[Form], shape: tuple[int, ...]) -> tuple[Any, Terms]:
    """Return the public part and the terms of an array with these entries in C order."""
    rows = [i for i, form in enumerate(entries) for _ in form.features]
    features = [j for form in entries for j in form.features]
    weights = [weight for form in entries for weight in form.weights]
    return np.array([form.const for form in entries]).reshape(shape), Terms.of(rows, features, weights)
