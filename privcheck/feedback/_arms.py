"""Actions of a policy, read as arms."""

from __future__ import annotations

import operator
from typing import Any

from privcheck.errors import PolicyError


def as_arm(action: Any, arms: int | None, name: str) -> int:
    """Return an action as an arm, or refuse it.

    Parameters
    ----------
    action : what the policy returned.
    arms : K, or None if it is not known, in which case only the type is checked.
    name : what the error message calls the action.

    Examples
    --------
    >>> as_arm(True, 2, "action in round 1")
    1
    """
    try:
        arm = operator.index(action)
    except TypeError:
        raise PolicyError(name, action, "an integer, the arm to play", "return an int from select()") from None
    if arms is not None and not 0 <= arm < arms:
        raise unknown_arm(arm, arms, name)
    return arm


def unknown_arm(action: int, arms: int, name: str) -> PolicyError:
    """Return the error for an arm that does not exist."""
    return PolicyError(name, action, f"an arm in 0, ..., {arms - 1}", "arms are counted from 0; is `arms` right?")
