"""Numbers that a policy states for its whole run before it has seen any data: sizes of batches, delays of rewards."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat
from typing import Any

import numpy as np

from privcheck.errors import PolicyError


def schedule(stated: Any, name: str, least: int) -> Iterator[int]:
    """Return an endless iterator over the integers that a policy states, of which the last one repeats.

    It holds what was stated when it is called: a later change, which could depend on rewards, has no effect.

    Parameters
    ----------
    stated : an integer, or a sequence of integers.
    name : of the policy's attribute.
    least : the smallest integer allowed.

    Raises
    ------
    PolicyError : anything else.

    Examples
    --------
    >>> from itertools import islice
    >>> list(islice(schedule([1, 2, 4], "batch", 1), 5)), next(schedule(3, "batch", 1))
    ([1, 2, 4, 4, 4], 3)
    >>> schedule(0, "batch", 1)
    Traceback (most recent call last):
    privcheck.errors.PolicyError: batch: got 0, expected an integer of at least 1, or a sequence of them; it is read \
once, before the first round

    """
    if type(stated) is int and stated >= least:
        return repeat(stated)
    try:
        numbers = np.asarray(stated)
    except ValueError:  # lists of unequal lengths
        numbers = np.empty(0)
    if numbers.dtype.kind not in "iu" or numbers.ndim > 1 or not numbers.size or numbers.min() < least:
        expected = f"an integer of at least {least}, or a sequence of them"
        raise PolicyError(name, stated, expected, "it is read once, before the first round")
    listed: list[int] = np.atleast_1d(numbers).tolist()
    return chain(listed, repeat(listed[-1]))
