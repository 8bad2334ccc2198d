"""Candidates from the target's code: the numbers that it names, as values of the data and as rounds.

A function that compares a value with .37 may leak only where a row is on one side of .37 and its neighbour's on the
other, or exactly there; random values hardly ever are. The code is read, not run.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.auditing._search.random_pairs import SEED_KEY
from privcheck.auditing._search.stream_families import group_size
from privcheck.errors import PrivcheckError, words
from privcheck.privacy import ADD_REMOVE
from privcheck.reached_state import is_own_file
from privcheck.targets import RANDOM, Game, StreamPair

IN_CODE = "values that the code names"
"""The kind of change of such pairs."""

MOST_NUMBERS = 32
"""Numbers of the code that are used, those of the target itself first."""

MOST_READ = 200
"""Functions and classes that are read."""

MOST_PAIRS = 160
"""Pairs of such values: as many as two thirds of the random ones."""

LARGEST = 1e300
"""Numbers beyond it are no values of data."""

BESIDE = 1e-3
"""Distance, in lengths of the range, of the values that are tried on both sides of a number: a comparison changes
there, and all else hardly.
"""


def numbers_in_code(target: Any) -> list[float]:
    """Return the finite numbers that the code of a target names, in the order in which they are met.

    Literals, defaults of parameters, attributes of classes, and what a function captures or finds among the globals of
    its module are read; so are functions and classes that it names, where they are the user's own.

    >>> def clipped(data, rng, bound=0.37):
    ...     return min(sum(data), bound) + 12
    >>> numbers_in_code(clipped)
    [0.37, 12.0]
    """
    found = dict[float, None]()
    for part in _read(target):
        if (
            isinstance(part, int | float | np.integer | np.floating)
            and not isinstance(part, bool)
            and -LARGEST <= part <= LARGEST  # neither NaN nor a whole number too large for a float
        ):
            found.setdefault(float(part))
    return list(found)


LIMITING = frozenset({"clip", "clamp", "min", "max", "minimum", "maximum", "fmin", "fmax"})
"""Names of functions and methods that keep values within limits."""


def limits_beyond(target: Any, low: float, high: float) -> list[float]:
    """Return the numbers outside of a range that code with a clip, a minimum or a maximum names; none without one.

    >>> def clipped(data, rng):
    ...     return np.clip(data, 0, 100).sum() + rng.laplace()
    >>> limits_beyond(clipped, 0.0, 1.0), limits_beyond(clipped, 0.0, 200.0)
    ([100.0], [])
    """
    if not any(isinstance(part, CodeType) and LIMITING.intersection(part.co_names) for part in _read(target)):
        return []
    return [number for number in numbers_in_code(target) if not low <= number <= high]


def _read(target: Any) -> Iterator[Any]:
    """Yield what a target's own code names, and what the functions and classes name that it names."""
    seen = set[int]()
    todo = [target]
    while todo and len(seen) < MOST_READ:
        each = todo.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        for part in _named_by(each):
            yield part
            if not isinstance(part, bool | int | float | np.number | None) and _is_code(part):
                todo.append(part)


def _is_code(value: Any) -> bool:
    if isinstance(value, MethodType):
        value = value.__func__
    if isinstance(value, CodeType):
        return True
    if isinstance(value, FunctionType):
        return is_own_file(value.__code__.co_filename)
    if not isinstance(value, type):
        return False
    file = getattr(sys.modules.get(value.__module__), "__file__", None)
    return value.__module__ == "__main__" or (file is not None and is_own_file(file))


def _named_by(value: Any) -> Iterator[Any]:
    """Yield what a function, a class, an object or a code object names: numbers, functions, classes, and the like."""
    if isinstance(value, MethodType):
        yield value.__func__
    elif isinstance(value, FunctionType):
        yield from _named_by_function(value)
    elif isinstance(value, CodeType):
        yield from itertools.chain.from_iterable(map(_flat, value.co_consts))
    elif isinstance(value, type):
        for kind in value.__mro__:
            for attribute in vars(kind).values() if _is_code(kind) else ():
                inner = getattr(attribute, "fget", None) or getattr(attribute, "__func__", None) or attribute
                yield from _flat(inner)
    else:
        yield type(value)
        yield from itertools.chain.from_iterable(map(_flat, getattr(value, "__dict__", {}).values()))


def _named_by_function(function: FunctionType) -> Iterator[Any]:
    for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield from _flat(default)
    yield function.__code__
    for name in _names(function.__code__):
        yield from _flat(function.__globals__.get(name))
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # nothing is in it yet
            yield from _flat(cell.cell_contents)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | list | frozenset) and len(value) <= MOST_NUMBERS:
        yield from value
    else:
        yield value


def pairs_in_code(
    target: Any, game: Game, rows: int, columns: int, seed: int, *, shown_later: bool = False
) -> list[StreamPair]:
    """Return pairs of neighbours with values that the code of a target names, or in rounds that it names.

    A row moves between two values, and all others have a third one, in half of the pairs only up to some round. One of
    the values is a number of the code or beside it, all numbers by turns; the others are such, or ends of the range.

    Parameters
    ----------
    target : the function, class or factory.
    game : the range and the neighbour relation.
    rows, columns : T and K; 1 column for data of one dimension.
    seed : that of the audit.
    shown_later : whether only later outputs can show a change, so that the last round has none.

    Raises
    ------
    PrivcheckError : a target whose code is not the user's, in Python, or data that are not rewards.
    """
    if not (_is_code(target) or (callable(target) and _is_code(type(target)))):
        got = words(f"the code of {getattr(target, '__name__', type(target).__name__)}")
        raise PrivcheckError("read_code", got, "a function or class of your own in Python", "leave read_code out")
    if game.contexts is not None:
        raise PrivcheckError("read_code", True, "False for contextual feedback", "contexts are vectors")
    (low, high), named = game.rewards, numbers_in_code(target)[:MOST_NUMBERS]
    last = rows - 1 if shown_later and rows > 1 else rows
    near = [number + side * BESIDE * (high - low) for side in (0, -1, 1) for number in named]
    values = [value for value in dict.fromkeys(near) if low <= value <= high]
    rounds = {int(number) + move for number in named if number == int(number) for move in (-2, -1, 0)}
    places = sorted(place for place in rounds if 0 <= place < last)
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(SEED_KEY, 2))))
    found = []
    for turn in range(MOST_PAIRS if values or places else 0):
        drawn = rng.choice([low, high, *values], 3).tolist()
        if values:
            drawn[int(rng.integers(3))] = values[turn % len(values)]
        place = places[turn % len(places)] if places and rng.random() < 0.5 else int(rng.integers(last))
        if drawn[0] != drawn[1]:
            found.append(_pair((drawn[0], drawn[1]), drawn[2], place, game, (rows, columns), rng))
    return found


def _pair(
    moved: tuple[float, float],
    base: float,
    place: int,
    game: Game,
    shape: tuple[int, int],
    rng: np.random.Generator,
) -> StreamPair:
    first: Table = np.full(shape, base)
    if rng.random() < 0.5:
        first[int(rng.integers(shape[0])) :] = game.rewards[int(rng.integers(2))]
    if game.neighbours == ADD_REMOVE:
        first[place] = moved[0]
        longer_first = rng.random() < 0.5
        one, two = (first, np.delete(first, place, axis=0))[:: 1 if longer_first else -1]
        return StreamPair(one, two, "", RANDOM, IN_CODE)
    second = first.copy()
    start = max(0, min(place, shape[0] - group_size(game.neighbours)))
    column = int(rng.integers(shape[1]))
    for table, value in zip((first, second), moved, strict=True):
        if game.neighbours == "reward":
            table[place, column] = value
        else:
            table[start : start + group_size(game.neighbours)] = value
    return StreamPair(first, second, "", RANDOM, IN_CODE)
