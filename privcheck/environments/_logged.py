"""Logged bandit feedback, read from CSV columns that the user names, and checked."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privcheck.declared import Real, check
from privcheck.errors import PrivcheckError, words


@dataclass(frozen=True, eq=False)
class LoggedFeedback:
    """A log of rounds in which some policy played one arm and observed its reward.

    Parameters
    ----------
    arms : the names of the arms, shape (K,).
    actions : index of the arm that was played, integers, shape (n,).
    rewards : in [0, 1], shape (n,).
    propensities : the logging policy's probability of the arm that it played, shape (n,); all equal if the log has no
        such column.
    """

    arms: tuple[str, ...]
    actions: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float64]
    propensities: npt.NDArray[np.float64]

    @classmethod
    def from_csv(
        cls,
        path: str | Path,
        *,
        action: str,
        reward: str,
        propensity: str | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
        arms: Sequence[str] | None = None,
    ) -> LoggedFeedback:
        """Read a CSV file with a header; other columns are ignored.

        Parameters
        ----------
        path : the file.
        action, reward : the columns of the arm that was played, any text, and of its reward, a number.
        propensity : the column of the logging policy's probability of that arm, in (0, 1]; None if arms were played
            uniformly at random.
        reward_range : lowest and highest possible reward, mapped to 0 and 1. It must not be computed from the data: the
            range of the data is not public.
        arms : the names of the arms, in order; None for the names in the log, sorted.

        Raises
        ------
        PrivcheckError : no such file or column, a repeated column, a reward outside the range, a row without an arm, a
            name that is not an arm, an arm that is repeated or never logged, fewer than 2 or more than 127 arms.
        """
        rows = _read(path, [name for name in (action, reward, propensity) if name is not None])
        return cls._of_rows(rows, ("line", 2), action, reward, propensity, reward_range, arms)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        action: str,
        reward: str,
        propensity: str | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
        arms: Sequence[str] | None = None,
    ) -> LoggedFeedback:
        """Read a data frame of pandas or polars, or a dict of columns; other columns are ignored.

        Parameters
        ----------
        frame : what gives a column of n values as `frame[name]`.
        action, reward, propensity, reward_range, arms : as in `from_csv`. Rows are counted from 0 in errors.

        Raises
        ------
        PrivcheckError : what is no frame, and whatever `from_csv` refuses.

        Examples
        --------
        >>> frame = {"item": ["b", "a", "b"], "stars": [5, 1, 3]}
        >>> log = LoggedFeedback.from_frame(frame, action="item", reward="stars", reward_range=(1, 5))
        >>> log.arms, log.rewards.tolist()
        (('a', 'b'), [1.0, 0.0, 0.5])
        """
        rows = _rows(frame, [name for name in (action, reward, propensity) if name is not None])
        return cls._of_rows(rows, ("row", 0), action, reward, propensity, reward_range, arms)

    @classmethod
    def _of_rows(
        cls,
        rows: list[dict[str, Any]],
        counted: tuple[str, int],
        action: str,
        reward: str,
        propensity: str | None,
        reward_range: tuple[float, float],
        arms: Sequence[str] | None,
    ) -> LoggedFeedback:
        """Check rows whose places errors name, such as ("line", 2) for the second line and those after it."""
        _check_named(rows, action, counted)
        names = tuple(sorted({row[action] for row in rows})) if arms is None else _names(arms)
        if not 2 <= len(names) <= 127:
            raise PrivcheckError(
                "arms", names, "2 to 127 different arms", f"the arms are the names in column {action!r}"
            )
        number = {name: index for index, name in enumerate(names)}
        unknown = next((row[action] for row in rows if row[action] not in number), None)
        if unknown is not None:
            raise PrivcheckError("arms", unknown, f"one of the arms {', '.join(names)}", "list every arm of the log")
        actions = np.array([number[row[action]] for row in rows], np.int64)
        never = [
            name for name, count in zip(names, np.bincount(actions, minlength=len(names)), strict=True) if not count
        ]
        if never:
            hint = "the log says nothing about their rewards: leave them out"
            raise PrivcheckError("arms", words(f"{', '.join(never)}, never logged"), "arms that occur in the log", hint)
        low, high = _range(reward_range)
        hint = "reward_range, or --reward-range, declares the possible rewards"
        values = _column(rows, reward, counted, Real(low, high), hint)
        odds = np.ones(len(rows))
        if propensity is not None:
            domain = Real(0.0, 1.0, low_open=True)
            odds = _column(rows, propensity, counted, domain, "the probability of the logged arm")
        return cls(names, actions, (values - low) / (high - low), odds)


def _read(path: str | Path, columns: list[str]) -> list[dict[str, str]]:
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            header = list(reader.fieldnames or [])
            for column in columns:
                if column not in header:
                    found = f"the file has {', '.join(header) or 'no header'}"
                    raise PrivcheckError("columns", column, f"a column of {path}", found)
                if header.count(column) > 1:
                    got = words(f"{column!r}, {header.count(column)} times")
                    raise PrivcheckError("columns", got, f"one column of this name in {path}", "rename the others")
            rows = list(reader)
    except TypeError:
        got = words(f"an object of type {type(path).__name__}")
        raise PrivcheckError("log", got, "the path of a CSV file", "a data frame is read by from_frame") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PrivcheckError("log", str(path), "a readable CSV file", reason) from None
    if not rows:
        raise PrivcheckError("log", str(path), "at least one logged round", "the file has only a header")
    return rows


def _rows(frame: Any, columns: list[str]) -> list[dict[str, Any]]:
    known = [str(name) for name in getattr(frame, "columns", frame if isinstance(frame, dict) else ())]
    if not known:
        hint = "for a file, use from_csv"
        raise PrivcheckError("frame", words(f"an object of type {type(frame).__name__}"), "a data frame", hint)
    for column in columns:
        if known.count(column) != 1:
            found = f"the frame has {', '.join(known)}"
            raise PrivcheckError("columns", column, "one column of the frame", found)
    values = [list(frame[column]) for column in columns]
    if not values[0] or any(len(each) != len(values[0]) for each in values):
        got = words(f"columns of {', '.join(str(len(each)) for each in values)} values")
        raise PrivcheckError("frame", got, "at least one logged round, and columns of equal length")
    arms = ["" if value is None or value != value else str(value) for value in values[0]]
    return [dict(zip(columns, row, strict=True)) for row in zip(arms, *values[1:], strict=True)]


def _check_named(rows: list[dict[str, Any]], action: str, counted: tuple[str, int]) -> None:
    for place, row in enumerate(rows):
        if not (row[action] or "").strip():
            where = f"column {action!r}, {counted[0]} {place + counted[1]}"
            raise PrivcheckError(where, row[action], "the name of the arm played")


def _names(arms: Sequence[str]) -> tuple[str, ...]:
    names = tuple(map(str, arms))
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or isinstance(arms, str):
        raise PrivcheckError("arms", twice or arms, "a list of different names", "every arm has one name")
    return names


def _range(pair: tuple[float, float]) -> tuple[float, float]:
    if len(pair) != 2 or not all(math.isfinite(end) for end in pair) or pair[0] >= pair[1]:
        raise PrivcheckError("reward_range", pair, "the lowest and the highest possible reward", "as in (0, 1)")
    return float(pair[0]), float(pair[1])


def _column(
    rows: list[dict[str, Any]], name: str, counted: tuple[str, int], domain: Real, hint: str
) -> npt.NDArray[np.float64]:
    values = np.empty(len(rows))
    for place, row in enumerate(rows):
        try:
            number: float | str = float(row[name])
        except (TypeError, ValueError):
            number = row[name]
        values[place] = check(f"column {name!r}, {counted[0]} {place + counted[1]}", number, domain, hint)
    return values
