"""`a[k] += x` with a private index k: every entry gets x times the indicator of its index, which tells nothing of k.

Guarantee
---------
What runs does not depend on the index. An index that may lie outside of the array, whatever the data are, is a leak:
the code as it is would raise an error for some data only. So are entries and numbers that are not added as real numbers
are (objects with operators of their own, bools, integers of 8 and 16 bits), and an array that computing x changes:
Python takes a[k] before it computes x.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from privcheck.certifying._translated.raw_numbers import is_raw
from privcheck.errors import PrivcheckError
from privcheck.private_values import Private, PrivateArray, check_whole, one_hot, refuse

MOST = 1_000
"""Entries of an array up to which each is compared with a private index."""

NUMBERS = (int, float, np.int64, np.float64)
"""What is added to as real numbers are, in a list; derived classes may do more."""


def has_private_index(owner: Any, key: Any) -> bool:
    """Tell whether something is added at a private place of an array or a list."""
    return type(key) is Private and type(owner) in (PrivateArray, list) and is_raw(key)


def loaded(owner: Any) -> Any:
    """Return what an array or a list holds, before what is added to it is computed: see `add_at`."""
    if type(owner) is list:
        return list(owner)
    return (owner.terms, owner._const.copy()) if owner.ndim == 1 else None  # rows of others are views


def _is_as_loaded(owner: Any, before: Any) -> bool:
    """Tell whether an array or a list holds what it held before."""
    if before is None:
        return True
    if type(owner) is list:
        return len(owner) == len(before) and all(map(operator.is_, owner, before))
    terms, const = before
    if owner.terms is not terms:
        one, two = owner.terms.tidy(), terms.tidy()
        if not all(np.array_equal(getattr(one, name), getattr(two, name)) for name in ("rows", "features", "weights")):
            return False
    return np.array_equal(owner._const, const, equal_nan=True)


def add_at(owner: Any, key: Private, value: Any, before: Any = None) -> None:
    """Do `owner[key] += value` for a private index; `before` is what `loaded` returned before it was computed."""
    places, added = _indicators(key, owner), Private.of(value)
    if added is None or not _is_as_loaded(owner, before):
        refuse("index", "indexing", key)
    if type(owner) is PrivateArray:
        rest: tuple[int, ...] = owner.shape[1:]
        if np.broadcast_shapes(rest, added.shape) != rest:
            raise ValueError(f"non-broadcastable output operand with shape {rest}, not {added.shape}")
        owner += places.reshape(-1, *(1 for _ in rest)) * np.broadcast_to(added, rest)
    elif all(_fits(added, one) for one in owner):
        for i, part in enumerate([places[i] * added for i in range(len(owner))]):
            owner[i] += part  # arrays, and views of one entry, in place, as numpy does
    else:
        refuse("index", "indexing", key)


def _fits(added: Any, one: Any) -> bool:
    """Tell whether something is added to an entry of a list as real numbers are: to an array in place."""
    if type(one) not in (Private, PrivateArray):
        return type(one) in NUMBERS and added.ndim == 0 and added.kind != "n"
    if "n" in (one.kind, added.kind) or one.kind == added.kind == "b":
        return False
    try:
        return bool(np.broadcast_shapes(one.shape, added.shape) == one.shape)
    except ValueError:
        return False


def subtract_at(owner: Any, key: Private, value: Any, before: Any = None) -> None:
    """Do `owner[key] -= value` for a private index."""
    if type(value) not in (list, tuple) and (subtracted := Private.of(value)) is not None:
        add_at(owner, key, -subtracted, before)
    else:
        refuse("index", "indexing", key)


def _indicators(key: Private, owner: Any) -> Any:
    """Return for each entry whether its index is `key`: 1 for one of them, whatever the data are, and 0 for the others.

    The bools of Python are indices of lists; of arrays they choose none or all entries. No float is an index.
    """
    size = len(owner)
    try:
        if key.is_action:
            return one_hot(key, size)
        check_whole(key, 0, size - 1)
    except PrivcheckError:
        refuse("index", "indexing", key)
    if size > MOST or key.kind not in ("bi" if type(owner) is list else "i"):
        refuse("index", "indexing", key)
    found = [key.compared_with(np.equal, float(place)) for place in range(size)]
    if any(one is None for one in found):  # of several data
        refuse("index", "indexing", key)
    return Private.of([one * 1.0 for one in found])
