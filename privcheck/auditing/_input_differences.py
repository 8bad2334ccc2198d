"""Where two inputs that are Python objects differ, in words, for whoever reads the witness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

from privcheck.targets import Given, StreamPair

MOST, LONGEST = 3, 40
"""Places that are named, and characters of a value."""


def named_pair(pair: StreamPair) -> str:
    """Return the words of a pair and, of objects that they do not show in full, where the two differ.

    Objects are compared here, for the pairs of a report, and not where a search makes many of them.

    >>> rows = [[0.25] * 9] * 9
    >>> named_pair(StreamPair(Given(rows), Given([*rows[:8], [0.5] * 9]), "a list of 9 and a list of 9"))
    'a list of 9 and a list of 9; [8][0] is 0.25 vs 0.5, [8][1] is 0.25 vs 0.5, [8][2] is 0.25 vs 0.5, and others'
    """
    if not isinstance(pair.first, Given) or not isinstance(pair.second, Given):
        return pair.words
    one, two = pair.first.value, pair.second.value
    try:
        where = "" if f"{one!r} and {two!r}" in pair.words else differences(one, two)
    except Exception:  # the objects are a user's, and so are their comparisons and their repr()
        where = ""
    return f"{pair.words}; {where}" if where else pair.words


def differences(first: Any, second: Any) -> str:
    """Return the places at which two inputs differ and what stands there; "" if no place has a name.

    >>> differences(([[1.0]], [0, 1]), ([[1.0]], [0, 2]))
    '[1][1] is 1 vs 2'
    >>> differences({"age": 50}, {"age": 50, "ill": True})
    "['ill'] is absent vs True"
    >>> differences("banana", "banina"), differences([5, 6, 7], [5, 7])
    ("character 4 is 'a' vs 'i'", '[1] is 6 vs absent')
    >>> import pandas
    >>> differences(pandas.DataFrame({"name": ["ann"]}), pandas.DataFrame({"name": ["anne"]}))
    "column 'name', row 0, from character 4 on is '' vs 'e'"
    """
    places = [*islice(_places(first, second, ""), MOST + 1)]
    said = [f"{place} is {_short(one)} vs {_short(two)}" for place, one, two in places[:MOST] if place]
    return ", ".join([*said, "and others"] if len(places) > MOST else said)


class _Absent:
    def __repr__(self) -> str:
        return "absent"


ABSENT = _Absent()


def _places(first: Any, second: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the places, the deepest that can be named, and what stands there in each."""
    if hasattr(first, "columns") and hasattr(second, "columns"):
        yield from _in_frames(first, second, path)
    elif type(first) is not type(second):
        yield path, first, second
    elif isinstance(first, Mapping):
        for key in [*first, *(key for key in second if key not in first)]:
            yield from _places(first.get(key, ABSENT), second.get(key, ABSENT), f"{path}[{key!r}]")
    elif isinstance(first, list | tuple):
        yield from _in_rows(first, second, path)
    elif isinstance(first, str | bytes):
        yield from _in_text(first, second, path)
    elif isinstance(first, np.ndarray) and first.shape == second.shape:
        for place in np.argwhere(_unequal(first, second)).tolist():
            yield f"{path}{place or ''}", first[tuple(place)], second[tuple(place)]
    elif isinstance(first, np.ndarray) and first.ndim and first.shape[1:] == second.shape[1:]:
        yield from _in_rows(first, second, path)
    elif _differ(first, second):
        yield path, first, second


def _in_rows(first: Any, second: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Compare rows; where one has a row more, it is named, and no row after it."""
    if abs(len(first) - len(second)) == 1:
        longer, shorter = (first, second) if len(first) > len(second) else (second, first)
        place = next((i for i, row in enumerate(shorter) if _differ(longer[i], row)), len(shorter))
        if not any(_differ(*rows) for rows in zip(longer[place + 1 :], shorter[place:], strict=True)):
            row = longer[place]
            yield f"{path}[{place}]", *((row, ABSENT) if longer is first else (ABSENT, row))
            return
    for place in range(max(len(first), len(second))):
        one, two = (part[place] if place < len(part) else ABSENT for part in (first, second))
        yield from _places(one, two, f"{path}[{place}]")


def _in_text(first: Any, second: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    least = min(len(first), len(second))
    place = next((i for i in range(least) if first[i] != second[i]), least)
    if first == second:
        return
    if len(first) != len(second):
        yield f"{path} from character {place + 1} on".lstrip(), first[place:], second[place:]
        return
    for place in (i for i in range(least) if first[i] != second[i]):
        yield f"{path} character {place + 1}".lstrip(), first[place : place + 1], second[place : place + 1]


def _in_frames(first: Any, second: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Compare data frames, of pandas or polars, column by column."""
    names = [*first.columns, *(name for name in second.columns if name not in [*first.columns])]
    columns: list[dict[Any, Any]] = [{name: [*frame[name]] for name in frame.columns} for frame in (first, second)]
    for name in names:
        ours, theirs = (part.get(name, ABSENT) for part in columns)
        for place, one, two in _places(ours, theirs, ""):
            row, _, part = place.removeprefix("[").partition("]")
            where = "".join(f", {said}" for said in (f"row {row}", part.strip()) if place and said)
            yield f"{path} column {name!r}{where}".lstrip(), one, two


def _differ(first: Any, second: Any) -> bool:
    return next(iter(_places(first, second, "")), None) is not None if _has_parts(first) else _unlike(first, second)


def _has_parts(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple | np.ndarray | str | bytes) or hasattr(value, "columns")


def _unlike(first: Any, second: Any) -> bool:
    return bool(first != second) and not (first != first and second != second)


def _unequal(first: Any, second: Any) -> Any:
    return (first != second) & ~((first != first) & (second != second))


def _short(value: Any) -> str:
    said = " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 4]} ..."
