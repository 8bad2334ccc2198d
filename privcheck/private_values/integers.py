"""Private integers: rounding to them, and checking that a private value consists of them."""

from __future__ import annotations

from math import floor
from typing import Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import finite_array
from privcheck.private_values.entries import Form, collected, forms
from privcheck.private_values.features import FeatureTable
from privcheck.private_values.leaks import describe_data
from privcheck.private_values.private import Private

_LARGEST = 2.0**62


def rounded(value: Any) -> Any:
    """Return each entry rounded to the nearest integer, halves up; integer mechanisms accept sums of such values.

    A rounded entry is a new feature of the one datum that the entry depends on. Integer multiples of rounded entries,
    of indicators and of actions, and their sums and products, are integers whatever the data are. Binary rewards are
    rounded to themselves.

    Raises
    ------
    PrivcheckError : an entry depends on several data, or an ordinary value is not a finite number of size below 2^62.

    Source: floor(x + 1/2) does not depend on other data, so its sensitivity is computed from its own interval.

    Examples
    --------
    >>> from privcheck.private_values.source import PrivateSource
    >>> reward = PrivateSource().scalar(0.7, low=0.0, high=4.2, datum=3)
    >>> rounded(reward).sensitivities("l1"), rounded(2.5), rounded([0.2, 0.9]).tolist()
    ({3: 4.0}, 3, [0, 1])

    """
    if not isinstance(value, Private) or value.is_public:
        array = finite_array("value", value.reveal(None) if isinstance(value, Private) else value)
        if (np.abs(array) >= _LARGEST).any():
            raise PrivcheckError("value", value, "numbers between -2^62 and 2^62", "larger ones are no 64-bit integers")
        whole = np.floor(array + 0.5).astype(np.int64)
        return int(whole) if whole.ndim == 0 else whole
    assert value.source is not None
    table = value.source.features
    entries = [_rounded(form, table) for form in forms(value)]
    return value.make(value.source, *collected(entries, value.shape))


def check_whole(value: Private, lowest: int, highest: int) -> None:
    """Raise `PrivcheckError` unless a private value consists of integers in this range, whatever the data are."""
    if value.source is None:
        return
    table, entries = value.source.features, forms(value)
    if not all(form.is_whole(table) for form in entries):
        hint = "privcheck.rounded(reward) rounds the value of each datum; binary rewards stay as they are"
        raise PrivcheckError("value", words("a private value that may not be an integer"), "private integers", hint)
    intervals = [form.interval(table) for form in entries]
    low, high = min(least for least, _ in intervals), max(most for _, most in intervals)
    if not lowest <= low <= high <= highest:
        got = words(f"a private value in [{low:g}, {high:g}]")
        raise PrivcheckError("value", got, f"integers in [{lowest:g}, {highest:g}]", "clip the value of each datum")
    if not all(_is_exact(form, table) for form in entries):
        got = words("a sum of products beyond 2^53, which floats round")
        raise PrivcheckError("value", got, "integers that are computed exactly", "subtract public numbers first")


def _is_exact(form: Form, table: FeatureTable) -> bool:
    """Return whether every product of an integer form is an integer that floats represent."""
    ends = [abs(w) * max(-table.low[j], table.high[j]) for j, w in zip(form.features, form.weights, strict=True)]
    return all(end <= 2.0**53 for end in ends)


def _rounded(form: Form, table: FeatureTable) -> Form:
    owners = form.owners(table)
    if form.is_whole(table):
        return form
    if len(owners) > 1:
        got = words(f"a sum over {describe_data([table.data[i] for i in sorted(owners)])}")
        hint = "round the value of each datum before adding it, or round after the release"
        raise PrivcheckError("rounded", got, "entries of one datum each", hint)
    low, high = (float(np.floor(end + 0.5)) for end in form.interval(table))
    if low == high:
        return Form(low)
    datum = table.data[owners.pop()]
    feature = table.derived(
        ("rounded", form), lambda: table.add(datum, low, high, floor(form.value(table) + 0.5), whole=True)
    )
    return Form(0.0, (feature,), (1.0,))
