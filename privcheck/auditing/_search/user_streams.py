"""Streams given by the user: arrays in memory, or one .npy or .csv file."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.privacy import Contexts, Relation, as_table, check_rewards_range
from privcheck.targets import StreamPair

LAYOUTS = (
    "a .npy array of shape (2, T) or (2, T, K), or a .csv file with one line per round and two columns "
    "(first and second stream) or 2K columns (the K arms of the first, then of the second)"
)


def refuse_frames(streams: Any, hint: str = "") -> None:
    """Refuse data frames: their rows have labels and their columns names, which an array would drop without a word.

    With a hint only one frame in place of a pair is refused: each of the pair is handed over as it is.

    >>> refuse_frames(([0.0, 1.0], [1.0, 1.0]))
    """
    for part in (streams, *(streams if isinstance(streams, list | tuple) and not hint else ())):
        if hasattr(part, "columns") and (hasattr(part, "to_numpy") or hasattr(part, "__dataframe__")):
            got = words(f"a {type(part).__module__.partition('.')[0]} {type(part).__name__}")
            hint = (
                hint
                or "convert each: (first.to_numpy(), second.to_numpy()), its rows in order and a column for each arm"
            )
            raise PrivcheckError("streams", got, "a pair of arrays, whose columns have no names", hint)


def read_streams(
    streams: Any,
    *,
    arms: int,
    rewards: tuple[float, float],
    relation: Relation,
    horizon: int | None = None,
    contexts: Contexts | None = None,
) -> StreamPair:
    """Return the user's pair of streams after checking that they have the same shape, are neighbours, have rewards in
    range, and have `horizon` rounds if that is given.

    Parameters
    ----------
    streams : a path to a .npy or .csv file, or a pair of arrays of shape (T,) or (T, K); in a stream of shape (T,) all
        arms pay the same.
    arms : K.
    rewards : the declared range.
    relation : the neighbour relation that the pair has to satisfy.
    horizon : T, or None to take it from the streams.
    contexts : those of a contextual bandit; the streams then have additional columns for contexts, included in `arms`.
    """
    refuse_frames(streams)
    if isinstance(streams, str | Path):
        label = f"streams of {Path(streams).name}"
        first, second = read_file(Path(streams), arms)
    else:
        label = "streams given by the user"
        first, second = two_of(streams, "streams")
    one, two = as_table(first, arms), as_table(second, arms)
    for table in (one, two):
        if contexts is None:
            check_rewards_range(table, rewards)
        else:
            paid = arms - contexts.size
            contexts.check(table, paid)
            check_rewards_range(table[:, :paid], rewards)
    relation.check(one, two)
    if horizon is not None and len(one) != horizon:
        raise PrivcheckError("horizon", horizon, f"{len(one)}, the length of the streams", "leave the horizon out")
    return StreamPair(one, two, label, "streams given by the user")


def two_of(streams: Any, name: str, hint: str = LAYOUTS) -> tuple[Any, Any]:
    """Return the two of a pair in their order, which a set has not, and of which a dictionary has names alone.

    What can be read once only is no pair either: a report says how to repeat the audit.

    >>> two_of([0, 1], "streams")
    (0, 1)
    """
    try:
        first, second = [] if isinstance(streams, Mapping | Set | Iterator) else streams
    except (TypeError, ValueError):
        got = words(f"an object of type {type(streams).__name__}")
        raise PrivcheckError(name, got, "a pair (first, second)", hint) from None
    return first, second


def read_file(path: Path, arms: int) -> tuple[Any, Any]:
    """Return the pair in a .npy or .csv file as it stands there, after checking that it is a pair of numbers."""
    if not path.is_file():
        raise PrivcheckError("streams", str(path), "an existing file", "check the path")
    if path.suffix == ".npy":
        try:
            with path.open("rb") as file:
                found = np.lib.format.read_array(file, allow_pickle=False)
        except (ValueError, TypeError, OSError, EOFError, OverflowError, MemoryError):
            raise PrivcheckError("streams", str(path), "a .npy file of numbers", LAYOUTS) from None
        return two_of(found, f"streams in {path.name}")
    if path.suffix == ".csv":
        return _read_csv(path, arms)
    raise PrivcheckError("streams", str(path), "a .npy or .csv file", LAYOUTS)


def _read_csv(path: Path, arms: int) -> tuple[Any, Any]:
    try:
        lines = [line for line in csv.reader(path.read_text(encoding="utf-8-sig").splitlines()) if line]
    except (UnicodeDecodeError, csv.Error, OSError):
        raise PrivcheckError("streams", str(path), "a readable .csv file", LAYOUTS) from None
    if lines and not _is_numbers(lines[0]):
        lines = lines[1:]
    for number, line in enumerate(lines, start=1):
        if not _is_numbers(line):
            raise PrivcheckError("streams", words(f"{','.join(line)!r} in round {number}"), "numbers", LAYOUTS)
    if not lines or {len(line) for line in lines} not in ({2}, {2 * arms}):
        columns = ", ".join(sorted({str(len(line)) for line in lines})) or "no"
        got = words(f"{columns} column{'s' * (columns != '1')} in {path.name}")
        expected = "2 columns" if arms == 1 else f"2 or {2 * arms} columns"
        raise PrivcheckError("streams", got, expected, LAYOUTS)
    values = np.array(lines, dtype=float)
    if values.shape[1] == 2:
        return values[:, 0], values[:, 1]
    return values[:, :arms], values[:, arms:]


def _is_numbers(line: list[str]) -> bool:
    try:
        [float(entry) for entry in line]
    except ValueError:
        return False
    return True
