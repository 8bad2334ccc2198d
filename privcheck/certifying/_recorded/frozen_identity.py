"""What a copy of an object has not: the order of a set, which is that of its history, and being a certain object."""

from __future__ import annotations

import sys
from numbers import Number
from typing import Any

import numpy as np

from privcheck.errors import PrivcheckError, words

KEYS = "a list, or the keys of a dictionary"


def check_identity(value: Any, owners: dict[int, Any]) -> None:
    """Refuse an object that a policy would not find again in a snapshot, so that it would go on in another way.

    Sets of numbers, and of tuples of them, are in the same order in all processes. Of these it is seen whether a copy
    has another order, or room for another number of elements, on which the order of later ones depends; not, what was
    taken out of it without either.

    Parameters
    ----------
    owners : by the number (`id`) of the array that has the memory, the last array in it that is no plain one; filled
        here.

    Raises
    ------
    PrivcheckError : a set that is, or may be, in another order when it is read back, a bare `object()`, and an array of
        a class of its own that shares its memory with another array.

    Examples
    --------
    >>> arms = set(range(40))
    >>> check_identity(arms, {})
    >>> arms.difference_update(set(range(40)) - {9, 32})
    >>> check_identity(arms, {})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: policy: got a policy with a set whose order comes from what was in it before, ...
    """
    if isinstance(value, set | frozenset):
        items = [*value]  # a set that is made of a set takes its order over
        again = set(items) if isinstance(value, set) else frozenset(items)
        same_room = type(value) not in (set, frozenset) or sys.getsizeof(again) == sys.getsizeof(value)
        if len(items) > 1 and not all(map(_has_hash_of_numbers, items)):
            raise _refused("a set of more than numbers, whose order is another one in each process", KEYS)
        if not same_room or any(one is not other for one, other in zip(items, again, strict=True)):
            raise _refused("a set whose order comes from what was in it before", KEYS)
    elif type(value) is object:
        raise _refused("a bare object(), which is another one when it is read back", "None, or a member of an enum")
    elif isinstance(value, np.ndarray):
        owner: Any = value
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if (known := owners.setdefault(id(owner), value)) is not value and {type(known), type(value)} != {np.ndarray}:
            raise _refused("arrays of a class of their own that share their memory", "arrays of numpy, or copies")


def _has_hash_of_numbers(value: Any) -> bool:
    """Return whether the hash is the same in all processes: that of text has a seed, others are places in memory."""
    if type(value) in (tuple, frozenset):
        return all(map(_has_hash_of_numbers, value))
    return isinstance(value, Number) and value == value  # that of NaN is a place in memory, too


def _refused(what: str, instead: str) -> PrivcheckError:
    return PrivcheckError("policy", words(f"a policy with {what}"), instead, "a restart would go on in another way")
