"""Semi-bandit feedback: several base arms per round, and the outcome of each."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Symbols, Table
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.feedback._arms import unknown_arm
from privcheck.feedback._base import Feedback, Wrapping, reward_numbers
from privcheck.privacy import Contexts


class SemiBandit(Feedback):
    """The policy plays a set of base arms and receives the outcome of each.

    The symbol of a round is the sum of 2^i over the base arms i of the set.
    """

    id = "semi-bandit"
    call = "select() and update(action, rewards)"
    one_arm_a_round = False
    dtype = np.int64

    def rounds(self, table: Table, arms: int, contexts: Contexts | None) -> list[Any]:  # noqa: ARG002
        return list(table.copy())

    def play(self, policy: Any, rounds: Iterator[Any], arms: int, played: list[int]) -> None:
        for row in rounds:
            chosen = self.action(policy.select(), arms, f"action in round {len(played) + 1}")
            played.append(sum(1 << arm for arm in chosen))
            policy.update(chosen, row[list(chosen)])

    def action(self, chosen: Any, arms: int | None, name: str, asked: tuple[Any, ...] = ()) -> tuple[int, ...]:  # noqa: ARG002
        """Return a super arm as a tuple of distinct base arms, or refuse it."""
        try:
            found = tuple(operator.index(arm) for arm in chosen)
        except TypeError:
            raise PolicyError(name, chosen, "a tuple of integers, the base arms to play") from None
        if len(set(found)) < len(found):
            raise PolicyError(name, chosen, "every base arm at most once")
        for arm in found:
            if arms is not None and not 0 <= arm < arms:
                raise unknown_arm(arm, arms, name)
        return found

    def symbols(self, arms: int) -> int:
        return 1 << arms

    def word(self, symbol: int, arms: int) -> str:
        return "{" + ", ".join(str(arm) for arm in range(arms) if symbol >> arm & 1) + "}"

    def counted(self, arms: int) -> int:
        return arms

    def pulled(self, symbols: Symbols, arm: int) -> npt.NDArray[Any]:
        return (symbols >> arm) & 1

    def wrapped(self, session: Wrapping, told: Sequence[Any], arms: int) -> tuple[Any, ...]:
        chosen = self.action(told[0], arms or None, "action")
        values = reward_numbers(told[1])
        if values.shape != (len(chosen),):
            expected = f"one reward for each base arm of the action, shape ({len(chosen)},)"
            raise PrivcheckError("reward", words(f"shape {values.shape}"), expected)
        return chosen, np.stack(
            [session.reward(value, arm) for arm, value in zip(chosen, values.tolist(), strict=True)]
        )

    def opens(self, action: Any) -> Sequence[Hashable]:
        """Return the set of base arms, in whatever order it is given."""
        return (frozenset(action),)

    def after_leak(self, choice: int, arms: int, asked: tuple[Any, ...] = ()) -> Any:  # noqa: ARG002
        return ((choice - 1) % arms,)
