"""What streams of private prefix sums share: the items that they accept, and how they refuse a step."""

from __future__ import annotations

from typing import Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import active_recorder, finite_array

SUMMED = "L2 norms of items, summed"
"""The norm of mechanisms for whole streams with Gaussian noise. The L2 norm of the stream would not do: changes of two
items add up in a sum that contains both.
"""


def checked_item(item: Any, shape: tuple[int, ...] | None) -> tuple[Any, tuple[int, ...] | None]:
    """Return an item, a float for a number, and the shape of items.

    Parameters
    ----------
    item : a number or an array; while a recorder is active, also an object of another kind, which is not looked into.
    shape : the shape of the items before it; None before the first.

    Examples
    --------
    >>> checked_item(1, None), checked_item(2.5, ())
    ((1.0, ()), (2.5, ()))
    """
    ordinary = issubclass(type(item), int | float | list | tuple | np.ndarray | np.generic)
    if active_recorder() is not None and not ordinary:
        return item, shape
    value = finite_array("item", item)
    if shape is not None and value.shape != shape:
        raise PrivcheckError("item", words(f"shape {value.shape}"), f"shape {shape} like the items before")
    return float(value) if value.ndim == 0 else value, value.shape


def refused(error: PrivcheckError) -> PrivcheckError:
    """Return the error to raise for a step that cannot be made: the recorder's refusal if one is active."""
    refuse = getattr(active_recorder(), "refuse", None)
    return error if refuse is None else refuse(error)
