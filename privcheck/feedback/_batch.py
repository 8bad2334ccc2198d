"""Batch feedback: several arms at once, then the reward of each."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.feedback._arms import as_arm
from privcheck.feedback._base import Feedback, Wrapping, reward_numbers
from privcheck.feedback._schedules import schedule
from privcheck.private_values import told_arm, whole_number


class Batch(Feedback):
    """The policy chooses the arms of n rounds at once, and is then told the rewards of all of them.

    A round is still one row of the table, and its reward is a datum of its own: neighbouring streams differ in one
    round of one batch, not in a whole batch. The policy states the sizes of its batches beforehand, in `batch`: an
    integer, or a sequence of which the last one repeats. They are read once, before the first round, so they
    cannot depend on rewards; the last batch is as long as the rounds that are left. Under a guard, whoever calls
    `act(n)` decides on n.
    """

    id = "batch"
    call = "act(n), learn(actions, rewards) and batch"
    methods = ("act", "learn")
    chooses = "act"
    learns = "learn"
    attributes: ClassVar[Mapping[str, tuple[str, str]]] = {
        "batch": ("a policy that says how many rounds it plays at once", "add `batch`, an int or a sequence of ints")
    }
    told = ("actions", "rewards")
    public = ("actions",)

    def play(self, policy: Any, rounds: Iterator[Any], arms: int, played: list[int]) -> None:
        sizes = schedule(policy.batch, "batch", least=1)
        while rows := list(islice(rounds, next(sizes))):
            first, n = len(played) + 1, len(rows)
            actions = self.action(policy.act(n), arms, f"actions in rounds {first} to {first + n - 1}", (n,))
            played += actions
            rewards = np.array([row[arm] for row, arm in zip(rows, actions, strict=True)])
            policy.learn(np.array(actions), rewards)

    def asked(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        (n,) = given
        count = whole_number(n)
        if count is None or count < 1:
            raise PrivcheckError("n", n, "an integer of at least 1, the number of rounds to choose arms for")
        return (count,)

    def action(self, chosen: Any, arms: int | None, name: str, asked: tuple[Any, ...] = ()) -> list[int]:
        """Return the arms of a batch as a list, or refuse them."""
        expected = "a sequence of integers, the arms to play"
        try:
            listed = chosen.tolist() if type(chosen) is np.ndarray else list(chosen)
        except TypeError:
            raise PolicyError(name, chosen, expected, "return a list of ints from act()") from None
        if type(listed) is not list or len(listed) != asked[0]:
            shape = f"{len(listed)} arms" if type(listed) is list else "one number"
            raise PolicyError(name, words(shape), f"{asked[0]} arms, as act() was asked for")
        return [as_arm(arm, arms, name) for arm in listed]

    def wrapped(self, session: Wrapping, told: Sequence[Any], arms: int) -> tuple[Any, ...]:
        try:
            chosen = [told_arm(arm, arms) for arm in told[0]]
        except TypeError:
            got = words(f"an object of type {type(told[0]).__name__}")
            raise PrivcheckError("actions", got, "the arms that were played, in their order") from None
        values = reward_numbers(told[1])
        if values.shape != (len(chosen),):
            expected = f"one reward for each action, shape ({len(chosen)},)"
            raise PrivcheckError("rewards", words(f"shape {values.shape}"), expected)
        return np.array(chosen), session.rewards_of_rounds(values, chosen)

    def opens(self, action: Any) -> Sequence[Hashable]:
        """Return the arms of all rounds."""
        return list(action)

    def after_leak(self, choice: int, arms: int, asked: tuple[Any, ...] = ()) -> list[int]:
        return [(choice - 1 + place) % arms for place in range(asked[0])]
