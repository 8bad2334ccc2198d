"""Private integers: rounding to them, and checking that a private value consists of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms import finite_array
from privcheck.private_values._entries import Entries, quiet
from privcheck.private_values._private import Private

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
    >>> from privcheck.private_values._source import PrivateSource
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
    entries = Entries.of(value)
    hint = "round the value of each datum before adding it, or round after the release"
    entries.check_single("rounded", hint, entries.whole)
    low, high = entries.interval
    with quiet():
        ends, hidden = (np.floor(low + 0.5), np.floor(high + 0.5)), np.floor(entries.values + 0.5)
    keys = [("rounded", key) for key in entries.keys]
    const, terms = entries.replaced(keys, ends, hidden, whole=True, kept=entries.whole)
    return value.make(value.source, const.reshape(value.shape), terms)


def check_whole(value: Private, lowest: int, highest: int) -> None:
    """Raise `PrivcheckError` unless a private value consists of integers in this range, whatever the data are."""
    if value.source is None:
        return
    entries = Entries.of(value)
    if not entries.whole.all():
        hint = "privcheck.rounded(reward) rounds the value of each datum; binary rewards stay as they are"
        raise PrivcheckError("value", words("a private value that may not be an integer"), "private integers", hint)
    low, high = float(entries.interval[0].min()), float(entries.interval[1].max())
    if not lowest <= low <= high <= highest:
        got = words(f"a private value in [{low:g}, {high:g}]")
        raise PrivcheckError("value", got, f"integers in [{lowest:g}, {highest:g}]", "clip the value of each datum")
    table, features = entries.table, entries.features
    largest = np.maximum(-table.low.take(features), table.high.take(features))
    with quiet():
        exact = np.abs(entries.weights * largest) <= 2.0**53
    if not exact.all():
        got = words("a sum of products beyond 2^53, which floats round")
        raise PrivcheckError("value", got, "integers that are computed exactly", "subtract public numbers first")
