"""One run of a policy on a table, for each kind of feedback."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from privcheck.errors import PolicyError, words
from privcheck.mechanisms.tape import DivergenceError
from privcheck.privacy.contexts import Contexts
from privcheck.targets.location import describe_exception

Table = npt.NDArray[np.float64]
Play = Callable[[Any], list[int]]
Rounds = Callable[[Any, list[int]], None]
"""Plays a policy round by round, and appends what it played."""

CALLS = {
    "bandit": "select() and update(action, reward)",
    "full": "select() and update(action, rewards)",
    "contextual": "select(context) and update(context, action, reward)",
    "semi-bandit": "select() and update(action, rewards)",
    "identification": "select(), update(action, reward), recommend() and stopped",
}
"""How a policy is called, by the feedback that it gets."""

METHODS = {"identification": ("select", "update", "recommend")}
"""Methods that a policy needs, where it needs more than `select` and `update`."""


def player(feedback: str, table: Table, arms: int, contexts: Contexts | None) -> Play:
    """Return the function that plays one run of a policy on a table and returns its symbols.

    The symbols are the actions, shape (T,); under "semi-bandit" each is the sum of 2^i over the base arms i chosen;
    under "identification" a stopped policy plays K, and one more symbol is its recommendation, K when it has not
    stopped.
    """
    return _guarded(_PLAYERS[feedback](table, arms, contexts), feedback)


def _bandit(table: Table, arms: int, contexts: Contexts | None) -> Rounds:  # noqa: ARG001
    rows = table.tolist()

    def play(policy: Any, played: list[int]) -> None:
        for row in rows:
            action = policy.select()
            if type(action) is not int or not 0 <= action < arms:
                action = as_arm(action, arms, len(played) + 1)
            policy.update(action, row[action])
            played.append(action)

    return play


def _full(table: Table, arms: int, contexts: Contexts | None) -> Rounds:  # noqa: ARG001
    rows = [_frozen(row) for row in table]

    def play(policy: Any, played: list[int]) -> None:
        for row in rows:
            action = as_arm(policy.select(), arms, len(played) + 1)
            policy.update(action, row)
            played.append(action)

    return play


def _contextual(table: Table, arms: int, contexts: Contexts | None) -> Rounds:
    assert contexts is not None
    rewards, shown = contexts.split(table, arms)
    rows = [(_frozen(context), row) for context, row in zip(shown, rewards.tolist(), strict=True)]

    def play(policy: Any, played: list[int]) -> None:
        for context, row in rows:
            action = as_arm(policy.select(context), arms, len(played) + 1)
            policy.update(context, action, row[action])
            played.append(action)

    return play


def _semi_bandit(table: Table, arms: int, contexts: Contexts | None) -> Rounds:  # noqa: ARG001
    rows = [_frozen(row) for row in table]

    def play(policy: Any, played: list[int]) -> None:
        for row in rows:
            chosen = as_arms(policy.select(), arms, len(played) + 1)
            policy.update(chosen, row[list(chosen)])
            played.append(sum(1 << arm for arm in chosen))

    return play


def _identification(table: Table, arms: int, contexts: Contexts | None) -> Rounds:  # noqa: ARG001
    rows = table.tolist()

    def play(policy: Any, played: list[int]) -> None:
        for row in rows:
            if policy.stopped:
                break
            action = as_arm(policy.select(), arms, len(played) + 1)
            policy.update(action, row[action])
            played.append(action)
        last = as_arm(policy.recommend(), arms, None) if policy.stopped else arms
        played += [*[arms] * (len(rows) - len(played)), last]

    return play


_PLAYERS: dict[str, Callable[[Table, int, Contexts | None], Rounds]] = {
    "bandit": _bandit,
    "full": _full,
    "contextual": _contextual,
    "semi-bandit": _semi_bandit,
    "identification": _identification,
}


def _guarded(play: Rounds, feedback: str) -> Play:
    """Return `play` with whatever a policy raises turned into a `PolicyError` that says where."""

    def guarded(policy: Any) -> list[int]:
        played: list[int] = []
        try:
            play(policy, played)
        except (PolicyError, DivergenceError):
            raise
        except (Exception, SystemExit) as error:
            place = f"round {len(played) + 1}"
            if isinstance(error, TypeError) and _is_here(error):
                hint = f"another kind of policy needs another feedback, one of {', '.join(CALLS)}"
                got = words(f"{type(error).__name__}: {error}")
                raise PolicyError(place, got, f"{CALLS[feedback]} for feedback '{feedback}'", hint) from None
            raise PolicyError(place, words(describe_exception(error)), "a policy that plays every round") from None
        return played

    return guarded


def _is_here(error: BaseException) -> bool:
    """Tell whether the call itself failed, before the policy's own code ran."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code.co_filename == __file__


def as_arm(action: Any, arms: int, round_number: int | None) -> int:
    """Return an action as an arm, or refuse it; `round_number` is None for a recommendation."""
    name = "recommendation" if round_number is None else f"action in round {round_number}"
    try:
        arm = operator.index(action)
    except TypeError:
        raise PolicyError(name, action, "an integer, the arm to play", "select() returns an int") from None
    if not 0 <= arm < arms:
        raise unknown_arm(arm, arms, name)
    return arm


def as_arms(action: Any, arms: int, round_number: int) -> tuple[int, ...]:
    """Return a super arm as a tuple of distinct base arms, or refuse it."""
    name = f"action in round {round_number}"
    try:
        chosen = tuple(operator.index(arm) for arm in action)
    except TypeError:
        raise PolicyError(name, action, "a tuple of integers, the base arms to play") from None
    if len(set(chosen)) < len(chosen):
        raise PolicyError(name, action, "every base arm at most once")
    for arm in chosen:
        if not 0 <= arm < arms:
            raise unknown_arm(arm, arms, name)
    return chosen


def unknown_arm(action: int, arms: int, name: str) -> PolicyError:
    """Return the error for an arm that does not exist."""
    return PolicyError(name, action, f"an arm in 0, ..., {arms - 1}", "arms are counted from 0; is `arms` right?")


def _frozen(row: Table) -> Table:
    copy = row.copy()
    copy.flags.writeable = False
    return copy
