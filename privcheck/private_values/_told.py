"""What a shipped policy's `update` receives: checked arms and rewards; private rewards stay as they are."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from privcheck.declared import UNIT_INTERVAL, Integer, Real, check
from privcheck.errors import PrivcheckError, words
from privcheck.private_values._private import Private


def whole_number(value: Any) -> int | None:
    """Return an integer of any type as an int; None for anything else, and for True and False.

    >>> whole_number(np.int8(3)), whole_number(3.0), whole_number(True)
    (3, None, None)
    """
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None


def told_arm(action: Any, arms: int) -> int:
    """Return the arm that was played, as `update` receives it, one of 0, ..., K - 1; `arms` is K, 0 if it is not known.

    A policy calls it before it changes anything.

    >>> told_arm(1, 2), told_arm(7, 0)
    (1, 7)
    >>> told_arm(True, 2)
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: action: got True, expected an integer in [0, 1]; the arm that was played, from 0
    """
    if type(action) is int and (0 <= action < arms or (arms == 0 and action >= 0)):  # nearly always: in one step
        return action
    index = whole_number(action)
    given = (
        words(f"an object of type {type(action).__name__}") if index is None and type(action) is not bool else action
    )
    domain = Integer(0, arms - 1 if arms else None)
    arm: int = check("action", given if index is None else index, domain, "the arm that was played, from 0")
    return arm


def told_reward(reward: Any, *, any_rewards: bool = False) -> Any:
    """Return the reward: a number in [0, 1], or a private value, which its guard has checked.

    Parameters
    ----------
    reward : a number, or True or False.
    any_rewards : whether any finite reward is accepted.

    Raises
    ------
    PrivcheckError : another reward.

    Examples
    --------
    >>> told_reward(True)
    1.0
    """
    if type(reward) is float and 0.0 <= reward <= 1.0:  # nearly always: in one step
        return reward
    if isinstance(reward, Private):
        return reward
    number = _one_number(reward)
    hint = "" if any_rewards else "divide by the largest reward, or clip, before the policy sees it"
    return check("reward", number, Real() if any_rewards else UNIT_INTERVAL, hint)


def _one_number(reward: Any) -> Any:
    """Return one number of numpy's, or True or False, as Python's number; anything else as it is."""
    value = reward.item() if isinstance(reward, np.ndarray | np.generic) and reward.ndim == 0 else reward
    return float(value) if isinstance(value, bool) else value


def told_rewards(rewards: Any, arms: int) -> Any:
    """Return the rewards of all arms, shape (K,), each in [0, 1] or private.

    >>> told_rewards([True, 0.5], 2)
    array([1. , 0.5])
    """
    shape = rewards.shape if isinstance(rewards, Private | np.ndarray) else np.shape(np.asarray(rewards, object))
    if shape != (arms,):
        raise PrivcheckError("rewards", words(f"shape {shape}"), f"shape ({arms},), the rewards of all arms")
    if isinstance(rewards, Private):
        return rewards
    return np.array([told_reward(reward) for reward in rewards])


def told_outcomes(action: Any, rewards: Any, arms: int, size: int) -> tuple[tuple[int, ...], Any]:
    """Return the at most K distinct base arms that were played, and their outcomes, each in [0, 1] or private.

    >>> chosen, outcomes = told_outcomes((2, 0), [True, 0.5], 3, 2)
    >>> chosen, outcomes.tolist()
    ((2, 0), [1.0, 0.5])
    """
    expected = f"at most {size} distinct base arms"
    try:
        chosen = tuple(told_arm(arm, arms) for arm in action)
    except TypeError:
        raise PrivcheckError("action", action, expected, "the base arms that were played") from None
    if not 0 < len(set(chosen)) == len(chosen) <= size:
        raise PrivcheckError("action", chosen, expected, "the base arms that were played")
    shape = rewards.shape if isinstance(rewards, Private | np.ndarray) else np.shape(np.asarray(rewards, object))
    if shape != (len(chosen),):
        raise PrivcheckError("rewards", words(f"shape {shape}"), f"shape ({len(chosen)},), one for each base arm")
    return chosen, rewards if isinstance(rewards, Private) else np.array([told_reward(each) for each in rewards])


def told_row(context: Any, action: Any, reward: Any, shape: tuple[int, int], limits: tuple[float, float] | None) -> Any:
    """Return the context, the action and the reward of a round of a linear bandit; private ones stay as they are.

    Parameters
    ----------
    context : the rows of the actions, of this shape (K, d).
    limits : the largest norm of a row, and the largest size of a reward; None for no limits.

    >>> told_row([[1.0], [0.0]], 1, True, (2, 1), None)[1:]
    (1, 1.0)
    """
    if isinstance(context, Private):
        return context, action, reward
    norm, largest = limits or (None, math.inf)
    domain = Real() if largest == math.inf else Real(-largest, largest)
    rows, arm = decision_set(context, shape, norm), check("action", action, Integer(0, shape[0] - 1))
    return rows, arm, check("reward", _one_number(reward), domain, "scale rewards")


def decision_set(context: Any, shape: tuple[int, int], norm: float | None) -> Any:
    """Return the rows of the actions, shape (K, d), which are finite and not longer than `norm`.

    >>> decision_set([[1.0], [0.0]], (2, 1), None).tolist()
    [[1.0], [0.0]]
    """
    try:
        actions = np.asarray(context, dtype=np.float64)
    except (TypeError, ValueError):
        actions = np.zeros(0)
    expected = f"finite numbers of shape {shape}, one row per action"
    if actions.shape != shape:
        raise PrivcheckError("context", words(f"shape {actions.shape}"), expected, "give one row for each action")
    if not np.isfinite(actions).all():
        raise PrivcheckError("context", words("an entry that is not finite"), expected, "leave the round out")
    if norm is not None and float(np.linalg.norm(actions, axis=1).max()) > norm * (1.0 + 1e-12):
        hint = "scale the actions down, or build it with outside='clip'"
        raise PrivcheckError("context", words("an action beyond it"), f"norms of at most {norm:g}", hint)
    return actions
