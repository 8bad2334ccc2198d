"""Streams given by the user: arrays in memory, or one .npy or .csv file."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.errors import PrivcheckError, words
from privcheck.privacy import Contexts, Relation, as_table, check_rewards_range
from privcheck.targets.stream_pair import StreamPair

LAYOUTS = (
    "a .npy array of shape (2, T) or (2, T, K), or a .csv file with one line per round and two columns "
    "(first and second stream) or 2K columns (the K arms of the first, then of the second)"
)


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
    if isinstance(streams, str | Path):
        label = f"streams of {Path(streams).name}"
        first, second = _read_file(Path(streams), arms)
    else:
        label = "streams given by the user"
        first, second = _pair(streams, "streams")
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
    return StreamPair(one, two, label)


def _pair(streams: Any, name: str) -> tuple[Any, Any]:
    try:
        first, second = streams
    except (TypeError, ValueError):
        got = words(f"an object of type {type(streams).__name__}")
        raise PrivcheckError(name, got, "a pair (first, second)", LAYOUTS) from None
    return first, second


def _read_file(path: Path, arms: int) -> tuple[Any, Any]:
    if not path.is_file():
        raise PrivcheckError("streams", str(path), "an existing file", "check the path")
    if path.suffix == ".npy":
        try:
            return _pair(np.load(path, allow_pickle=False), f"streams in {path.name}")
        except (ValueError, OSError, EOFError):
            raise PrivcheckError("streams", str(path), "a .npy file of numbers", LAYOUTS) from None
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
        raise PrivcheckError("streams", words(f"{columns} columns in {path.name}"), f"2 or {2 * arms} columns", LAYOUTS)
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
