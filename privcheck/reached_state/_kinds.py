"""Kinds of objects that are not looked into, and how to tell them."""

from __future__ import annotations

import datetime as dt
import decimal
import types
from typing import Any

from privcheck.reached_state._holders import slots_of

OPAQUE = frozenset({"logging", "threading", "concurrent", "multiprocessing", "numba", "subprocess", "asyncio"})
"""Packages whose objects are not looked into."""

HARMLESS = frozenset(
    {"re", "decimal", "datetime", "fractions", "collections", "_collections", "types", "operator", "_operator"}
)
"""Modules whose objects without attributes never change."""

NUMBERS = (int, float, complex, str, bytes, decimal.Decimal, dt.date, dt.time, dt.timedelta)
"""Classes whose objects never change, but for the attributes that derived classes add."""

MANAGED_DICTIONARY = 1 << 4
"""A flag of classes whose objects have their dictionary before them, where it does not count."""


def has_attributes(kind: Any) -> bool:
    """Tell whether objects of a class can be given attributes; those of `pathlib` only cache what they are asked.

    >>> import random
    >>> has_attributes(random.Random), has_attributes(float)
    (True, False)
    """
    return str(kind.__module__).partition(".")[0] != "pathlib" and bool(kind.__dictoffset__ or slots_of(kind))


def hides_attributes(kind: Any) -> bool:
    """Tell whether objects of a class can be given attributes, but have no `__dict__`: type variables, as of 3.12."""
    return kind.__dictoffset__ != 0 and not any("__dict__" in vars(base) for base in kind.__mro__)


def holds_more(kind: Any) -> bool:
    """Tell whether objects of a class hold more than attributes and slots, as open files do: by their size."""
    size = object.__basicsize__ + 8 * len(slots_of(kind))
    size += 8 * (kind.__dictoffset__ != 0 and not kind.__flags__ & MANAGED_DICTIONARY)
    size += 8 * (kind.__weakrefoffset__ > 0)
    return bool(kind.__basicsize__ > size) and kind is not types.SimpleNamespace
