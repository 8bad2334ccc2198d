"""Reward tables: T rounds by K arms, every entry a finite number in the declared range."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array
from privcheck.declared import Integer, Real, check
from privcheck.errors import PrivcheckError, words


def as_table(values: npt.ArrayLike, arms: int | None = None) -> Array:
    """Return a stream or a table of rewards as a new float table of shape (T, K).

    Parameters
    ----------
    values : a table of shape (T, K), or a stream of length T, which every arm then pays; T >= 1, finite numbers.
    arms : K >= 1; needed for a stream, compared for a table. None takes K from the table.

    Returns
    -------
    A new array of shape (T, K).

    Raises
    ------
    PrivcheckError : ragged, empty, not numeric, NaN or infinite entries, or another shape.

    Source: the reward table of a bandit, as in Azize and Basu (2022), Section 2.

    Examples
    --------
    >>> as_table([0, 1], 3).tolist()
    [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]

    """
    count = None if arms is None else check("arms", arms, Integer(1))
    expected = f"a table of shape (T, {'K' if count is None else count})"
    expected += "" if count is None else " or a stream of length T"
    try:
        raw = np.asarray(values)
    except ValueError:
        raise PrivcheckError("rewards", words("ragged rows"), expected, "give every round one reward per arm") from None
    if isinstance(values, np.ma.MaskedArray):
        raise PrivcheckError("rewards", words("a masked array"), "real numbers", "fill what is masked, or leave it out")
    if raw.dtype.kind not in "iuf":
        got = words(f"entries of type {raw.dtype}")
        raise PrivcheckError("rewards", got, "real numbers", "convert them with numpy.asarray(values, dtype=float)")
    table = raw.astype(np.float64)
    if table.ndim == 1 and count is not None:
        table = np.repeat(table[:, np.newaxis], count, axis=1)
    if table.ndim != 2 or table.size == 0 or count not in (None, table.shape[1]):
        raise PrivcheckError("rewards", words(f"shape {raw.shape}"), expected, "rounds are rows, arms are columns")
    wrong = np.argwhere(~np.isfinite(table))
    if len(wrong):
        row, arm = wrong[0]
        got = words(f"{table[row, arm]} in round {row + 1}, arm {arm}")
        raise PrivcheckError("rewards", got, "finite numbers", "remove or replace such rewards before the audit")
    return table


def check_rewards(rewards: tuple[float, float]) -> tuple[float, float]:
    """Return the declared range of one reward as (lo, hi), or refuse it unless lo < hi are finite.

    >>> check_rewards((0, 1))
    (0.0, 1.0)
    """
    expected, hint = "a pair (lo, hi) of finite numbers, lo < hi", "rewards in [0, 1] are rewards=(0.0, 1.0)"
    try:
        low, high = rewards
    except (TypeError, ValueError):
        raise PrivcheckError("rewards range", rewards, expected, hint) from None
    pair = check("rewards range", low, Real(), hint), check("rewards range", high, Real(), hint)
    if not pair[0] < pair[1]:
        raise PrivcheckError("rewards range", rewards, expected, hint)
    if not math.isfinite(pair[1] - pair[0]):
        raise PrivcheckError("rewards range", rewards, "ends whose difference is a finite number", hint)
    return pair


def check_rewards_range(table: npt.ArrayLike, rewards: tuple[float, float] = (0.0, 1.0)) -> None:
    """Raise `PrivcheckError` when an entry of the table lies outside the declared range of rewards.

    Parameters
    ----------
    table : shape (T, K).
    rewards : (lo, hi), lo < hi, in the unit of the rewards; both ends are allowed.

    Raises
    ------
    PrivcheckError : names the first entry outside [lo, hi], by round and arm.

    Source: sensitivities hold for the declared range only, so that a value outside it would cost more than is charged.

    Examples
    --------
    >>> check_rewards_range([[0.0, 1.0]])
    >>> check_rewards_range([[0.0, 1.0]], (-1.0, 0.5))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    privcheck.errors.PrivcheckError: rewards: got 1.0 in round 1, arm 1, expected rewards in [-1, 0.5]; ...

    """
    low, high = check_rewards(rewards)
    values = as_table(table)
    outside = np.argwhere((values < low) | (values > high))
    if len(outside):
        row, arm = outside[0]
        got = words(f"{values[row, arm]} in round {row + 1}, arm {arm}")
        hint = "declare the true range with rewards=(lo, hi) or clip the rewards"
        raise PrivcheckError("rewards", got, f"rewards in [{low:g}, {high:g}]", hint)
