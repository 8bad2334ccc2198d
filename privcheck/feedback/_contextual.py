"""Contextual feedback: a context before the choice, and the reward of the arm played."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from privcheck.arrays import Table
from privcheck.feedback._arms import as_arm
from privcheck.feedback._base import Feedback, Wrapping, one_reward
from privcheck.privacy import Contexts
from privcheck.private_values import told_arm


class Contextual(Feedback):
    """The policy is shown a context, chooses an arm, and receives the reward of that arm.

    Privacy is joint: the action of a round may depend on that round's own context, and only that round's user sees it.
    """

    id = "contextual"
    call = "select(context) and update(context, action, reward)"
    told = ("context", "action", "reward")
    public = ()
    contextual = True
    one_arm_a_round = False

    def rounds(self, table: Table, arms: int, contexts: Contexts | None) -> list[Any]:
        assert contexts is not None
        rewards, views = contexts.split(table, arms)
        shown = [context.copy() for context in views]  # the base of a view holds all rewards
        for context in shown:
            context.flags.writeable = False
        return list(zip(shown, rewards.tolist(), strict=True))

    def play(self, policy: Any, rounds: Iterator[Any], arms: int, played: list[int]) -> None:
        for context, row in rounds:
            action = as_arm(policy.select(context), arms, f"action in round {len(played) + 1}")
            played.append(action)
            policy.update(context, action, row[action])

    def hidden(self, rounds: Sequence[int]) -> list[int]:
        return list(rounds)

    def wrapped(self, session: Wrapping, told: Sequence[Any], arms: int) -> tuple[Any, ...]:
        context, action, reward = told
        assert session.contexts is not None
        checked = session.contexts.checked(context, arms)
        return session.contextual(checked, told_arm(action, arms), one_reward(reward), arms)

    def opens(self, action: Any) -> Sequence[Hashable]:  # noqa: ARG002
        """Return the same for all actions, which are private: a refusal would show the actions of other rounds."""
        return (None,)
