"""Full information: the rewards of all arms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from privcheck.arrays import Table
from privcheck.errors import PrivcheckError, words
from privcheck.feedback._arms import as_arm
from privcheck.feedback._base import Feedback, Wrapping, reward_numbers
from privcheck.privacy import Contexts
from privcheck.private_values import told_arm


class FullInformation(Feedback):
    """The policy receives the rewards of all arms, shape (K,)."""

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

    def wrapped(self, session: Wrapping, told: Sequence[Any], arms: int) -> tuple[Any, ...]:
        values = reward_numbers(told[1])
        if values.ndim != 1 or (arms and values.size != arms):
            expected = f"rewards of all arms, shape ({arms or 'K'},)"
            raise PrivcheckError("reward", words(f"shape {values.shape}"), expected)
        return told_arm(told[0], values.size), session.reward_vector(values)
