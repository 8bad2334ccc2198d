"""Semi-bandit feedback: several base arms per round, and the outcome of each."""

from __future__ import annotations

import math
import operator
from collections.abc import Hashable, Iterator, Sequence, Sized
from typing import Any

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Symbols, Table
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.feedback._arms import unknown_arm
from privcheck.feedback._base import Feedback, Wrapping, reward_numbers
from privcheck.privacy import Contexts

BITS = 62
"""Bits of a symbol, for the base arms and their order together: a symbol is a positive 64-bit integer."""


class SemiBandit(Feedback):
    """The policy plays a set of base arms and receives the outcome of each.

    The symbol of a round is the sum of 2^i over the base arms i of the set, plus 2^m times the number of their order
    among m base arms: 0 if they ascend, since whoever sees a tuple sees its order. A set of Python has none. Orders are
    numbered alphabetically, beyond 2^(62 - m) from 0 again.

    >>> ascending, descending = list[int](), list[int]()
    >>> for chosen, played in (((0, 2), ascending), ((2, 0), descending)):
    ...     policy = type("Same", (), {"select": lambda self: chosen, "update": lambda *_: None})()
    ...     SemiBandit().play(policy, iter(np.zeros((1, 3))), 3, played)
    >>> ascending, descending, SemiBandit().word(descending[0], 3)
    ([5], [13], '(2, 0)')
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
            played.append(sum(1 << arm for arm in chosen) + (_order(chosen, arms) << arms))
            policy.update(chosen, row[list(chosen)])

    def action(self, chosen: Any, arms: int | None, name: str, asked: tuple[Any, ...] = ()) -> tuple[int, ...]:  # noqa: ARG002
        """Return a super arm as a tuple of distinct base arms, or refuse it."""
        try:
            found = tuple(operator.index(arm) for arm in chosen)
            found = tuple(sorted(found)) if isinstance(chosen, set | frozenset) else found
        except TypeError:
            raise PolicyError(name, chosen, "a tuple of integers, the base arms to play") from None
        if len(set(found)) < len(found):
            raise PolicyError(name, chosen, "every base arm at most once")
        for arm in found:
            if arms is not None and not 0 <= arm < arms:
                raise unknown_arm(arm, arms, name)
        return found

    def symbols(self, arms: int) -> int:
        """Return the number of sets of base arms: what plays many runs at once has no order within them."""
        return 1 << arms

    def word(self, symbol: int, arms: int) -> str:
        members, order = [arm for arm in range(arms) if symbol >> arm & 1], symbol >> arms
        if not order:
            return f"{{{', '.join(map(str, members))}}}"
        if math.factorial(len(members)) > 1 << (BITS - arms):
            return f"{{{', '.join(map(str, members))}}} in another order"
        shown = []
        for left in range(len(members) - 1, -1, -1):
            place, order = divmod(order, math.factorial(left))
            shown.append(members.pop(place))
        return f"({', '.join(map(str, shown))})"

    def counted(self, arms: int) -> int:
        return arms

    def pulled(self, symbols: Symbols, arm: int) -> npt.NDArray[Any]:
        return (symbols >> arm) & 1

    def wrapped(self, session: Wrapping, told: Sequence[Any], arms: int) -> tuple[Any, ...]:
        chosen = self.action(told[0], arms or None, "action")
        if not chosen and isinstance(told[1], Sized) and not len(told[1]):
            return chosen, np.zeros(0)  # an oracle may choose nothing
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


def _order(chosen: tuple[int, ...], arms: int) -> int:
    """Return the number of an order of base arms among all orders of the same ones; 0 if they ascend."""
    left, number = sorted(chosen), 0
    if tuple(left) == chosen:
        return 0
    for arm in chosen:
        place = left.index(arm)
        number = number * len(left) + place
        left.pop(place)
    return number % (1 << max(0, BITS - arms))
