"""Full information: the rewards of all arms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from privcheck.arrays import Table
from privcheck.errors import PrivcheckError, words
from privcheck.feedback.arms import as_arm
from privcheck.feedback.base import Feedback, Wrapping
from privcheck.mechanisms.base import finite_array
from privcheck.privacy import Contexts


class FullInformation(Feedback):
    """The policy is told the rewards of all arms, shape (K,)."""

    id = "full"
    call = "select() and update(action, rewards)"
    whole_row = True

    def rounds(self, table: Table, arms: int, contexts: Contexts | None) -> list[Any]:  # noqa: ARG002
        return [row.copy() for row in table]  # the base of a view holds the rewards of later rounds

    def play(self, policy: Any, rounds: Iterator[Any], arms: int, played: list[int]) -> None:
        for row in rounds:
            action = as_arm(policy.select(), arms, f"action in round {len(played) + 1}")
            played.append(action)
            policy.update(action, row)

    def wrapped(self, session: Wrapping, told: Sequence[Any], arms: int) -> tuple[Any, ...]:  # noqa: ARG002
        action, rewards = told
        values = finite_array("reward", rewards)
        if values.ndim != 1:
            raise PrivcheckError("reward", words(f"shape {values.shape}"), "rewards of all arms, shape (K,)")
        return action, session.reward_vector(values)
