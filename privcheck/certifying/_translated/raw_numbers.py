"""Private numbers without noise, and how code makes whole numbers of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.private_values import Private, PrivateArray

PRIVATE = (Private, PrivateArray)


def is_raw(value: Any) -> bool:
    """Return whether a value is private, and would be read without noise."""
    return type(value) in PRIVATE and value.is_raw


def is_number(value: Any) -> bool:
    """Return whether a value is one private number without noise."""
    return type(value) is Private and is_raw(value)


def integer(*values: Any, **options: Any) -> Any:
    """Stand for `int`, which rounds towards 0."""
    if len(values) == 1 and not options and is_number(values[0]):
        value = values[0]
        if value.is_indicator:
            return (value * 1).of_kind("i").made_here(value.compared)
        if len(value.data_ids) == 1:
            return _whole(np.sign(value) * np.floor(np.abs(value)), "int()")
    return int(*values, **options)


def truncated(*values: Any) -> Any:
    """Stand for `math.trunc`, which is `int` of a number."""
    return integer(*values) if len(values) == 1 and is_number(values[0]) else math.trunc(*values)


def rounded_to_even(*values: Any, **options: Any) -> Any:
    """Stand for `round`, which rounds halves to even."""
    is_whole = len(values) == 1 or (len(values) == 2 and values[1] is None)
    if not is_whole or options or not is_number(values[0]):
        return round(*values, **options)
    return _whole(np.rint(values[0]), "round()")


def down_or_up(function: Callable[..., Any], ufunc: Any) -> Callable[..., Any]:
    """Return what stands for `math.floor` or `math.ceil`."""

    def apply(*values: Any) -> Any:
        if len(values) != 1 or not is_number(values[0]):
            return function(*values)
        return _whole(ufunc(values[0]), f"math.{function.__name__}()")

    return apply


def _whole(value: Any, operation: str) -> Any:
    """Return a whole number as an integer of Python's: an ordinary one where it is the same for all data."""
    return int(value) if value.is_public else value.of_kind("i").made_here(operation=operation)
