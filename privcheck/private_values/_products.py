"""Products within one datum, and clips: new features, with intervals computed from those of their parts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.arrays import Array, Integers, real_array
from privcheck.errors import PrivcheckError, words
from privcheck.private_values._columns import as_long
from privcheck.private_values._entries import SEVERAL, Entries, quiet
from privcheck.private_values._refused_operations import NONLINEAR, refuse
from privcheck.private_values._several_data.of_one_sum import lipschitz
from privcheck.private_values._terms import NOTHING, Terms, common

if TYPE_CHECKING:
    from privcheck.private_values._private import Private


SEVERAL_DATA = "private factors stay private if they depend on one datum: release one of them through a mechanism first"


def pointwise(a: Private, b: Private, shape: tuple[int, ...]) -> tuple[Any, Terms]:
    """Return the public part and the terms of a * b; each entry may involve at most one datum.

    The product of two entries of one datum is a feature of that datum, in the interval that follows from the two
    intervals; the square of an entry is never negative. Equal products, such as x_i x_j and x_j x_i, are one feature.
    The products of the entries of two bounded vectors, or of one and a number, are the entries of a bounded vector.
    """
    one, two = Entries.of(a), Entries.of(b)
    left, right = (as_long(np.arange(value.size).reshape(value.shape), shape).ravel() for value in (a, b))
    by_one, by_two = one.private[left], two.private[right]
    with quiet():
        const = np.where(by_one & by_two, 0.0, one.const[left] * two.const[right])
    terms = NOTHING
    for value, places, alone, other in (
        (a, left, by_one & ~by_two, two.const[right]), (b, right, by_two & ~by_one, one.const[left])
    ):  # fmt: skip
        if alone.any():
            terms = terms.plus(value.terms.spread(places[alone], np.flatnonzero(alone), other[alone]))
    both = np.flatnonzero(by_one & by_two)
    left, right = left[both], right[both]
    if ((one.owners[left] != two.owners[right]) | (one.owners[left] == SEVERAL)).any():
        numbers = a * 1.0, b * 1.0  # of comparisons, which are refused in other words
        refuse("function", "a product of two data", *numbers, hint=SEVERAL_DATA)
    features, weights = _products(one, two, left, right)
    return const.reshape(shape), terms.plus(Terms.of(both, features, weights))


def _products(one: Entries, two: Entries, left: Integers, right: Integers) -> tuple[Integers, Array]:
    """Return the features and weights of products of entries that depend on one datum each."""
    table, owners = one.table, one.owners[left]
    (scales, one), (factors, two) = one.normal, two.normal
    names = sorted({*one.keys, *two.keys})
    rank = {name: number for number, name in enumerate(names)}
    ones, twos = (np.array([rank[name] for name in each.keys]) for each in (one, two))
    same, ranks = ones[left] == twos[right], np.sort([ones[left], twos[right]], axis=0)
    keys = [("product", names[i], names[j]) for i, j in zip(*ranks.tolist(), strict=True)]
    (low, high), (lowest, highest) = ([end[left] for end in one.interval], [end[right] for end in two.interval])
    with quiet():
        ends = np.array([low * lowest, low * highest, high * lowest, high * highest])
        least, most = ends.min(axis=0), ends.max(axis=0)
        around = (low < 0.0) & (high > 0.0)
        least = np.where(same, np.where(around, 0.0, np.minimum(low * low, high * high)), least)
        values, weights = one.values[left] * two.values[right], scales[left] * factors[right]
    groups, multiplicities = np.full(left.size, -1), np.ones(left.size)
    plain = one.plain[left] & two.plain[right]
    if plain.any():
        factored = one.features[one.firsts[left]][plain], two.features[two.firsts[right]][plain]
        groups[plain], multiplicities[plain] = table.product_groups(*factored)
    whole = one.whole[left] & two.whole[right]
    return table.derived(keys, owners, least, most, values, groups, multiplicities, whole), weights


def clip(value: Any, low: Any, high: Any, *, in_order: bool = True) -> Any:
    """Return each entry moved into [low, high]; see `privcheck.private_values._source.clip`.

    Unless the limits have to be `in_order`, it is numpy's: an entry is high where low is above it.
    """
    if value.holds_draws and (why := value.publish()) is not None:
        refuse("function", "clip", value, hint=why or NONLINEAR)
    lows = value.of(-np.inf if low is None else low)
    highs = value.of(np.inf if high is None else high)
    if lows is None or highs is None or not (lows.is_public and highs.is_public):
        raise PrivcheckError("low, high", words("other things"), "public numbers", "clip to public limits")
    if not in_order:
        with suppress(ValueError):  # of shapes, which the check refuses
            lows = value.of(np.minimum(lows._const, highs._const))
    _check_limits(value._const, lows._const, highs._const)
    kind = common(value, *(limits for limits, given in ((lows, low), (highs, high)) if given is not None))
    const = np.clip(value._const, lows._const, highs._const)
    if value.source is None:
        return value.make(None, const, value.terms).of_kind(kind)
    shape = np.shape(const)
    places, lowest, highest = (
        as_long(array, shape).ravel()
        for array in (np.arange(value.size).reshape(value.shape), lows._const, highs._const)
    )
    entries = Entries.of(value).taken(places)
    least, most = entries.interval
    kept = entries.private & (lowest <= least) & (most <= highest)
    for limit in (lowest, highest):
        sides = np.where(least >= limit, 1.0, np.where(most <= limit, -1.0, np.nan))
        value.source.decided.note("clip", np.where(entries.private, limit - least, np.nan), sides)
    ends = np.clip(least, lowest, highest), np.clip(most, lowest, highest)
    limits = lowest.tolist(), highest.tolist()
    keys = [("clip", key, low, high) for key, low, high in zip(entries.keys, *limits, strict=True)]
    whole = entries.whole & (np.rint(lowest) == lowest) & (np.rint(highest) == highest)

    def of_sum(row: int) -> tuple[str, Callable[[float], float]]:
        low, high = limits[0][row], limits[1][row]
        return f"clip {low!r} {high!r}", lambda number: min(max(number, low), high)

    sums = entries.owners == SEVERAL
    const, terms = entries.replaced(keys, ends, entries.values, whole=whole, kept=kept | sums)
    const, terms = lipschitz(entries, np.flatnonzero(sums & ~kept), of_sum, ends, const, terms)
    return value.make(value.source, const.reshape(shape), terms).of_kind(kind)


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
