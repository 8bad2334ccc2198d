"""Pairs of inputs of a mechanism that the user gives: arrays, any Python objects, or a function that draws pairs."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.auditing._search.left_out import DrawnPairs
from privcheck.auditing._search.random_pairs import SEED_KEY
from privcheck.auditing._search.user_streams import read_file, refuse_frames, two_of
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.privacy import ADD_REMOVE
from privcheck.targets import DRAWN, Effort, Game, Given, StreamPair, describe_exception

DRAWN_PAIRS = 100
"""Pairs that a user's function draws if no number is given."""

TAKEN_AS_ROWS = ("row", "report")
"""Relations under which arrays of one shape are neighbours on the user's word: they may differ in a record each, of
several rows. The other ones count rows or entries, and are checked.
"""

SHORT = 40
"""Characters of an object that is shown in full."""


def given_pair(streams: Any, game: Game) -> StreamPair:
    """Return the user's own pair of inputs, checked as far as that is possible.

    Numbers, and lists and arrays of numbers in one shape, become arrays; everything else is handed to the mechanism as
    it is. Arrays of different lengths are neighbours under "add-remove" alone. That relation, "reward" and "group:k"
    are checked; whether objects, or arrays under "row", are neighbours is the user's word.

    Parameters
    ----------
    streams : a pair, or a .npy or .csv file.
    game : the neighbour relation, and the number of columns.
    """
    refuse_frames(streams, "two data frames are streams=(first, second)")
    if isinstance(streams, str | Path):
        streams = read_file(Path(streams), game.arms or 1)
    first, second = two_of(streams, "streams", "two inputs that differ in one row, such as two arrays")
    one, two = _array(first), _array(second)
    if one is None or two is None:
        if type(first) is not type(second) and any(hasattr(part, "columns") for part in (first, second)):
            got = words(f"a {type(first).__name__} and a {type(second).__name__}")
            raise PrivcheckError("streams", got, "two inputs of one type", "convert one of them")
        if _same(first, second):
            raise PrivcheckError("streams", words("two equal inputs"), "two inputs that differ", "change one row")
        label = f"{StreamPair.GIVEN}: {_short(first)} and {_short(second)}"
        kept: list[Any] = [_copied(each) for each in (first, second)]
        return StreamPair(kept[0], kept[1], label, StreamPair.GIVEN)
    common = np.result_type(one, two)  # of 0 and 0.5, say: an output 0 would differ from 0.0 by its type alone
    one, two = one.astype(common), two.astype(common)
    if game.neighbours == ADD_REMOVE:
        game.relation.check(one, two)
    elif one.shape != two.shape and game.neighbours != "report":
        got = words(f"shapes {one.shape} and {two.shape}")
        hint = f"neighbours={ADD_REMOVE!r} has one row more in one of them; the others replace data"
        raise PrivcheckError("streams", got, "two inputs of the same shape", hint)
    elif np.array_equal(one, two):
        raise PrivcheckError("streams", words("two identical inputs"), "two inputs that differ", "change one entry")
    elif game.neighbours not in TAKEN_AS_ROWS:
        rows = len(one) if one.ndim and one.size else 1
        game.relation.check(one.reshape(rows, -1), two.reshape(rows, -1))
    return StreamPair(one, two, StreamPair.GIVEN, StreamPair.GIVEN)


def drawn_pairs(draw: Callable[..., Any], effort: Effort, read: Callable[[Any], StreamPair]) -> DrawnPairs:
    """Return the pairs that a user's function draws, as candidates of the search; what is none is left out.

    Parameters
    ----------
    draw : `draw(rng)` returns a pair of neighbours, and takes all randomness from the Generator.
    effort : the seed, and how many `pairs` are drawn.
    read : checks one pair.

    Raises
    ------
    PrivcheckError : no draw is a pair of neighbours; that of the first one.
    """
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(effort.seed, spawn_key=(SEED_KEY, 1))))
    found, errors = list[StreamPair](), list[PrivcheckError]()
    for _ in range(effort.pairs or DRAWN_PAIRS):
        try:
            pair = read(_drawn(draw, rng))
        except PrivcheckError as error:
            errors.append(error)
            continue
        label = pair.label.replace("given by the user", "drawn by the user's function")
        shown = label if isinstance(pair.first, Given) or not np.ndim(pair.first) else ""
        found.append(StreamPair(pair.first, pair.second, shown, DRAWN))
    if not found:
        raise errors[0]
    return DrawnPairs(found, errors)


def _drawn(draw: Callable[..., Any], rng: np.random.Generator) -> Any:
    try:
        return draw(rng)
    except PrivcheckError:
        raise
    except Exception as error:
        expected = "a function draw(rng) that returns two neighbours"
        raise PolicyError("streams", words(describe_exception(error)), expected) from None


def _array(part: Any) -> np.ndarray[Any, np.dtype[Any]] | None:
    """Return an input as an array if it consists of numbers in one shape; None for any other object."""
    if isinstance(part, tuple) and any(isinstance(entry, np.ndarray | list | tuple) for entry in part):
        return None  # (X, y)
    if isinstance(part, np.ndarray) and type(part) not in (np.ndarray, np.memmap):
        return None  # a plain array would show what is under a mask, and multiply entries where a matrix multiplies
    if not isinstance(part, np.ndarray | np.generic | list | tuple | bool | int | float):
        return None
    try:
        array = np.asarray(part)
    except ValueError:  # ragged
        return None
    if array.dtype.kind not in "biuf":
        if isinstance(part, np.ndarray) and array.dtype.kind in "cmM":
            raise PrivcheckError("streams", words(f"entries of type {array.dtype}"), "finite numbers or booleans")
        return None
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise PrivcheckError("streams", words("NaN or infinite entries"), "finite numbers or booleans")
    return array


def _copied(part: Any) -> Given:
    """Return an object as an input, of which each run is given a copy."""
    try:
        return Given.as_it_is(part)
    except Exception as error:  # the object is a user's
        got = words(f"an object of type {type(part).__name__}, of which no copy is made: {describe_exception(error)}")
        raise PrivcheckError("streams", got, "two inputs that can be copied", "each run is given a copy") from None


def _same(first: Any, second: Any) -> bool:
    if first is second:
        return True
    try:
        return pickle.dumps(first) == pickle.dumps(second)
    except Exception:  # what cannot be compared is taken on the user's word
        return False


def _short(value: Any) -> str:
    """Return an object in full if it is short, and otherwise its type and size.

    >>> _short("abc"), _short(list("abcdefghijklmnop"))
    ("'abc'", 'a list of 16')
    """
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"a {type(value).__name__} of shape {tuple(shape)}"
    with suppress(Exception):  # the object is a user's, and so is its repr()
        if len(text := repr(value)) <= SHORT:
            return text
    size = f" of {len(value)}" if hasattr(value, "__len__") else ""
    return f"a {type(value).__name__}{size}"
