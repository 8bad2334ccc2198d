"""Products and clips within one datum: new features, with intervals computed from those of their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.arrays import real_array
from privcheck.errors import PrivcheckError, words
from privcheck.private_values.entries import Form, collected, forms
from privcheck.private_values.features import FeatureTable
from privcheck.private_values.leaks import describe_data
from privcheck.private_values.refused_operations import NONLINEAR, refuse
from privcheck.private_values.terms import Terms

if TYPE_CHECKING:
    from privcheck.private_values.private import Private


def pointwise(a: Private, b: Private, shape: tuple[int, ...]) -> tuple[Any, Terms]:
    """Return the public part and the terms of a * b; each entry may involve at most one datum.

    The product of two entries of one datum is a feature of that datum, in the interval that follows from the two
    intervals; the square of an entry is never negative. Equal products, such as x_i x_j and x_j x_i, are one feature.
    The products of the entries of two bounded vectors, or of one and a number, are the entries of a bounded vector.
    """
    source = a.source or b.source
    assert source is not None
    table = source.features
    ones, twos = ([_Factor(form, table) for form in forms(value)] for value in (a, b))
    left = np.broadcast_to(np.arange(a.size).reshape(a.shape), shape).ravel()
    right = np.broadcast_to(np.arange(b.size).reshape(b.shape), shape).ravel()
    found = [_product(ones[i], twos[j], table) for i, j in zip(left.tolist(), right.tolist(), strict=True)]
    return collected(found, shape)


class _Factor:
    """An entry of a factor, with what its products need, computed once for all of them."""

    __slots__ = ("_ends", "_table", "_value", "form", "normal", "owners", "scale")

    def __init__(self, form: Form, table: FeatureTable) -> None:
        self.form, self._table = form, table
        self.owners = form.owners(table)
        self.scale, self.normal = form.normal() if form.features else (1.0, form)
        self._ends: tuple[float, float] | None = None
        self._value = 0.0

    @property
    def ends(self) -> tuple[float, float]:
        """The interval of the normal form."""
        if self._ends is None:
            self._ends, self._value = self.normal.interval(self._table), self.normal.value(self._table)
        return self._ends

    @property
    def value(self) -> float:
        """The hidden value of the normal form."""
        return self._value if self.ends else 0.0


def clip(value: Any, low: Any, high: Any) -> Any:
    """Return each entry moved into [low, high]; see `privcheck.private_values.source.clip`."""
    if value.holds_draws and (why := value.publish()) is not None:
        refuse("function", "clip", value, hint=why or NONLINEAR)
    lows = value.of(-np.inf if low is None else low)
    highs = value.of(np.inf if high is None else high)
    if lows is None or highs is None or not (lows.is_public and highs.is_public):
        raise PrivcheckError("low, high", words("other things"), "public numbers", "clip to public limits")
    _check_limits(value._const, lows._const, highs._const)
    const = np.clip(value._const, lows._const, highs._const)
    if value.source is None:
        return value.make(None, const, value.terms)
    shape, table = np.shape(const), value.source.features
    numbers, lowest, highest = (
        np.broadcast_to(array, shape).ravel().tolist()
        for array in (np.arange(value.size).reshape(value.shape), lows._const, highs._const)
    )
    entries = forms(value)
    found = [_clip(entries[i], a, b, table) for i, a, b in zip(numbers, lowest, highest, strict=True)]
    return value.make(value.source, *collected(found, shape))


def clip_ordinary(value: Any, low: Any, high: Any) -> Any:
    """Return numpy's clip of real numbers; what has no private values is refused as it would be with them."""
    lows = real_array("low", -np.inf if low is None else low)
    highs = real_array("high", np.inf if high is None else high)
    _check_limits(real_array("value", value), lows, highs)
    return np.clip(value, low if high is not None else lows, high)


def _check_limits(values: Any, lows: Any, highs: Any) -> None:
    try:
        ordered = (lows <= highs).all()
        np.broadcast_shapes(values.shape, lows.shape, highs.shape)
    except ValueError:
        got = words(f"shapes {values.shape}, {lows.shape} and {highs.shape}")
        raise PrivcheckError("value, low, high", got, "shapes that broadcast") from None
    if not ordered:
        raise PrivcheckError("low, high", words("a low above its high, or NaN"), "low <= high in every entry")


def _product(a: _Factor, b: _Factor, table: FeatureTable) -> Form:
    if not b.form.features:
        a, b = b, a
    if not a.form.features:
        public = a.form.const
        if public == 0.0 or not b.form.features:
            return Form(public * b.form.const)
        return Form(public * b.form.const, b.form.features, tuple(public * weight for weight in b.form.weights))
    if len(a.owners) > 1 or a.owners != b.owners:
        owners = a.owners | b.owners
        got = words(f"factors that depend on {describe_data([table.data[i] for i in sorted(owners)])}")
        hint = "release one of the factors through a mechanism first"
        raise PrivcheckError("product of private values", got, "two values of the same single datum", hint)
    one, two = a.normal, b.normal
    (owner,) = a.owners

    def make() -> int:
        (low, high), (lowest, highest) = a.ends, b.ends
        ends = (low * lowest, low * highest, high * lowest, high * highest)
        least, most = min(ends), max(ends)
        if one == two:
            least = 0.0 if low < 0.0 < high else min(low * low, high * high)
        plain = one.is_feature and two.is_feature
        group, multiplicity = table.product_group(one.features[0], two.features[0]) if plain else (-1, 1.0)
        whole = one.is_whole(table) and two.is_whole(table)
        return table.add(
            table.data[owner], least, most, a.value * b.value, group, multiplicity=multiplicity, whole=whole
        )

    feature = table.derived(("product", *((one, two) if one <= two else (two, one))), make)
    return Form(0.0, (feature,), (a.scale * b.scale,))


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
    datum = table.data[owners.pop()]
    whole = form.is_whole(table) and bool(np.rint(low) == low and np.rint(high) == high)
    feature = table.derived(("clip", form, low, high), lambda: table.add(datum, *ends, form.value(table), whole=whole))
    return Form(0.0, (feature,), (1.0,))
