"""Where private numbers are held between rounds: attributes, entries, globals, closures; and holding more of them."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from privcheck.certifying._session import Session
from privcheck.private_values import Private, PrivateArray, PrivateSource, number_of_entry
from privcheck.reached_state import Holder, Kept, holders

NUMBERS = (bool, int, float, np.bool_, np.number)

MOST = 1024
"""Entries of an array that are told apart."""

ASSUMED = 10**9
"""From here on data are numbered of which there is none: what a place may hold in a later round."""


@dataclass(frozen=True)
class Sample:
    """What a place held: the number, or one of the private numbers of an array.

    Parameters
    ----------
    low, high : the ends of the interval of the number; of a sum of several data 0 and the largest change by one datum.
    whole : whether it is an integer whatever the data are.
    kind : what Python's number it stands for: see `kind_of`.
    several : whether several data are in it.
    length : of the list or tuple that held it; None elsewhere.
    shape, entries : of the array whose entries were private; None of a number.
    """

    low: float
    high: float
    whole: bool
    kind: str
    several: bool
    length: int | None
    shape: tuple[int, ...] | None
    entries: tuple[int, ...] = ()


@dataclass(frozen=True)
class Place:
    """A place that holds something: its name, as code would write it, what it holds, and what puts a value there.

    Parameters
    ----------
    name, holds, put : see above.
    within : the name of the list that it is an entry of; empty elsewhere.
    length : of that list.
    """

    name: str
    holds: Any
    put: Callable[[Any], None]
    within: str = ""
    length: int | None = None


def places(policy: Any) -> Iterator[Place]:
    """Yield the places that a policy reaches, of each object once; tuples are looked into, and put back as a whole."""
    names: dict[int, str] = {}
    for holder in holders(Kept([policy])):
        of = names.get(id(holder.value), holder.name)
        for step, held, put in holder.parts:
            yield from _place(_joined(of, step, holder), held, put, names, holder)


def _place(
    name: str, held: Any, put: Callable[[Any], None], names: dict[int, str], holder: Holder, length: int | None = None
) -> Iterator[Place]:
    names.setdefault(id(held), name)
    if isinstance(held, tuple):
        for place, part in enumerate(held):
            yield from _place(f"{name}[{place}]", part, partial(_put_in_tuple, put, held, place), names, holder)
        return
    ...
