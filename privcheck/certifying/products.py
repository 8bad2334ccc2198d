"""Products and clips within one datum: new features, with intervals computed from those of their parts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from privcheck.certifying.features import FeatureTable
from privcheck.certifying.leaks import describe_data
from privcheck.certifying.operands import operand
from privcheck.certifying.terms import Terms
from privcheck.errors import PrivcheckError, words

if TYPE_CHECKING:
    from privcheck.certifying.linear import Private


class Form(NamedTuple):
    """One entry: const + sum_k weights[k] * f[features[k]]."""

    const: float
    features: tuple[int, ...] = ()
    weights: tuple[float, ...] = ()

    def owners(self, table: FeatureTable) -> set[int]:
        """Return the numbers of the data that it depends on."""
        return {table.owner[j] for j in self.features}

    def normal(self) -> tuple[float, Form]:
        """Return s and a form g with first weight 1 such that this form is s g; it depends on a datum."""
        scale = self.weights[0]
        return scale, Form(self.const / scale, self.features, tuple(weight / scale for weight in self.weights))

    def interval(self, table: FeatureTable) -> tuple[float, float]:
        """Return the interval in which it lies whatever the data."""
        low = high = self.const
        for j, weight in zip(self.features, self.weights, strict=True):
            ends = weight * table.low[j], weight * table.high[j]
            low, high = low + min(ends), high + max(ends)
        return low, high


def pointwise(a: Private, b: Private, shape: tuple[int, ...]) -> tuple[Any, Terms]:
    """Return the public part and the terms of a * b; in each entry at most one datum is involved.

    The product of two entries of one datum is a feature of that datum, in the interval that the intervals of the two
    give; the square of one entry is never negative. Equal products, as in x_i x_j and x_j x_i, are one feature.
    """
    source = a.source or b.source
    assert source is not None
    table = source.features
    ones, twos = _forms(a), _forms(b)
    left = np.broadcast_to(np.arange(a.size).reshape(a.shape), shape).ravel()
    right = np.broadcast_to(np.arange(b.size).reshape(b.shape), shape).ravel()
    found = [_product(ones[i], twos[j], table) for i, j in zip(left.tolist(), right.tolist(), strict=True)]
    return _collected(found, shape)


def clip(value: Any, low: Any, high: Any) -> Any:
    """Return each entry moved into [low, high]; see `privcheck.certifying.private.clip`."""
    lows = operand(-np.inf if low is None else low)
    highs = operand(np.inf if high is None else high)
    if lows is None or highs is None or not (lows.is_public and highs.is_public):
        raise PrivcheckError("low, high", words("other things"), "public numbers", "clip to public limits")
    if not (lows._const <= highs._const).all():
        raise PrivcheckError("low, high", words("a low above its high"), "low <= high in every entry")
    clipped, const = (np.clip(array, lows._const, highs._const) for array in (value._value, value._const))
    if value.source is None:
        return value.make(None, clipped, const, value.terms)
    shape, table = np.shape(clipped), value.source.features
    numbers, lowest, highest = (
        np.broadcast_to(array, shape).ravel().tolist()
        for array in (np.arange(value.size).reshape(value.shape), lows._const, highs._const)
    )
    forms = _forms(value)
    found = [_clip(forms[i], a, b, table) for i, a, b in zip(numbers, lowest, highest, strict=True)]
    return value.make(value.source, clipped, *_collected(found, shape))


def _forms(value: Private) -> list[Form]:
    terms, consts = value.terms.tidy(), value._const.ravel().tolist()
    ends = np.searchsorted(terms.rows, np.arange(value.size + 1)).tolist()
    features, weights = terms.features.tolist(), terms.weights.tolist()
    return [
        Form(consts[i], tuple(features[start:stop]), tuple(weights[start:stop]))
        for i, (start, stop) in enumerate(pairwise(ends))
    ]


def _collected(forms: list[Form], shape: tuple[int, ...]) -> tuple[Any, Terms]:
    rows = [i for i, form in enumerate(forms) for _ in form.features]
    features = [j for form in forms for j in form.features]
    weights = [weight for form in forms for weight in form.weights]
    return np.array([form.const for form in forms]).reshape(shape), Terms.of(rows, features, weights)


def _product(a: Form, b: Form, table: FeatureTable) -> Form:
    if not b.features:
        a, b = b, a
    if not a.features:
        if a.const == 0.0 or not b.features:
            return Form(a.const * b.const)
        return Form(a.const * b.const, b.features, tuple(a.const * weight for weight in b.weights))
    owners = a.owners(table) | b.owners(table)
    if len(owners) > 1:
        got = words(f"factors that depend on {describe_data([table.data[i] for i in sorted(owners)])}")
        hint = "release one of the factors through a mechanism first"
        raise PrivcheckError("product of private values", got, "two values of the same single datum", hint)
    (first, one), (second, two) = a.normal(), b.normal()

    def interval() -> tuple[float, float]:
        (low, high), (lowest, highest) = one.interval(table), two.interval(table)
        ends = (low * lowest, low * highest, high * lowest, high * highest)
        if one == two:
            return (0.0 if low < 0.0 < high else min(low * low, high * high)), max(low * low, high * high)
        return min(ends), max(ends)

    feature = table.derived(("product", *sorted((one, two))), owners.pop(), interval)
    return Form(0.0, (feature,), (first * second,))


def _clip(form: Form, low: float, high: float, table: FeatureTable) -> Form:
    owners = form.owners(table)
    if not owners:
        return Form(min(max(form.const, low), high))
    if len(owners) > 1:
        got = words(f"a sum over {describe_data([table.data[i] for i in sorted(owners)])}")
        hint = "clip the value of each datum before adding it, or clip after the release"
        raise PrivcheckError("clip", got, "entries of one datum each", hint)
    least, most = form.interval(table)
    if low <= least and most <= high:
        return form
    ends = min(max(least, low), high), min(max(most, low), high)
    if ends[0] == ends[1]:
        return Form(ends[0])
    feature = table.derived(("clip", form, low, high), owners.pop(), lambda: ends)
    return Form(0.0, (feature,), (1.0,))
