"""`a[k] += x` with a private index k: every entry gets x times the indicator of its index, which tells nothing of k.

Guarantee
---------
What runs does not depend on the index. An index that may lie outside of the array, whatever the data are, is a leak:
the code as it is would raise an error for some data only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from privcheck.certifying._translated.known_functions import is_raw
from privcheck.errors import PrivcheckError
from privcheck.private_values import Private, PrivateArray, check_whole, one_hot, refuse

MOST = 1_000
"""Entries of an array up to which each is compared with a private index."""

NUMBERS = (bool, int, float, np.bool_, np.number, Private)


def has_private_index(owner: Any, key: Any) -> bool:
    """Tell whether something is added at a private place of an array or a list."""
    return type(key) is Private and type(owner) in (PrivateArray, list) and is_raw(key)


def add_at(owner: Any, key: Private, value: Any) -> None:
    """Do `owner[key] += value` for a private index."""
    places, added = _indicators(key, owner), Private.of(value)
    if added is None:
        refuse("index", "indexing", key)
    if type(owner) is PrivateArray:
        rest: tuple[int, ...] = owner.shape[1:]
        if np.broadcast_shapes(rest, added.shape) != rest:
            raise ValueError(f"non-broadcastable output operand with shape {rest}, not {added.shape}")
        owner += places.reshape(-1, *(1 for _ in rest)) * np.broadcast_to(added, rest)
    elif added.ndim == 0 and all(isinstance(one, NUMBERS) and type(one) is not PrivateArray for one in owner):
        owner[:] = [one + places[i] * added for i, one in enumerate(owner)]
    elif all(type(one) is PrivateArray and _fits(added, one) for one in owner):
        for i, one in enumerate(owner):  # in place, as numpy does
            one += places[i] * added
    else:
        refuse("index", "indexing", key)


def _fits(added: Any, array: Any) -> bool:
    """Tell whether something can be added to an array in place."""
    try:
        return bool(np.broadcast_shapes(array.shape, added.shape) == array.shape)
    except ValueError:
        return False


def subtract_at(owner: Any, key: Private, value: Any) -> None:
    """Do `owner[key] -= value` for a private index."""
    if type(value) not in (list, tuple) and (subtracted := Private.of(value)) is not None:
        add_at(owner, key, -subtracted)
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
