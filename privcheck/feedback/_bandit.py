"""Bandit feedback: the reward of the arm played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from privcheck.feedback._arms import as_arm
from privcheck.feedback._base import Feedback, Wrapping, one_reward
from privcheck.private_values import told_arm


class Bandit(Feedback):
    """The policy receives the reward of the arm that it played."""

    id = "bandit"
    call = "select() and update(action, reward)"

    def play(self, policy: Any, rounds: Iterator[Any], arms: int, played: list[int]) -> None:
        for row in rounds:
            action = policy.select()
            if type(action) is not int or not 0 <= action < arms:
                action = as_arm(action, arms, f"action in round {len(played) + 1}")
            played.append(action)
            policy.update(action, row[action])

    def wrapped(self, session: Wrapping, told: Sequence[Any], arms: int) -> tuple[Any, ...]:
        arm, reward = told_arm(told[0], arms), one_reward(told[1])
        return arm, session.reward(reward, arm)
