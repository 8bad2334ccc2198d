"""Best-arm identification: bandit feedback until the policy stops, then a recommendation."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Symbols
from privcheck.feedback._arms import as_arm
from privcheck.feedback._base import Feedback, Reading, Wrapping, one_reward
from privcheck.private_values import told_arm


class Identification(Feedback):
    """The policy plays arms until it stops, then recommends one.

    Rounds after the policy has stopped have the symbol K. One more symbol is its recommendation, K if it has not
    stopped.
    """

    id = "identification"
    call = "select(), update(action, reward), recommend() and stopped"
    methods = ("select", "update", "recommend")
    attributes: ClassVar[Mapping[str, tuple[str, str]]] = {
        "stopped": ("a policy that says whether it has stopped", "add `stopped`, a bool")
    }
    fewest_arms = 1
    one_arm_a_round = False

    def play(self, policy: Any, rounds: Iterator[Any], arms: int, played: list[int]) -> None:
        horizon = operator.length_hint(rounds)
        stopped = policy.stopped  # once a round, as in `while not policy.stopped`: a property may draw noise
        for row in rounds:
            if stopped:
                break
            action = as_arm(policy.select(), arms, f"action in round {len(played) + 1}")
            played.append(action)
            policy.update(action, row[action])
            stopped = policy.stopped
        last = as_arm(policy.recommend(), arms, "recommendation") if stopped else arms
        played += [*[arms] * (horizon - len(played)), last]

    def length(self, rounds: int) -> int:
        return rounds + 1

    def symbols(self, arms: int) -> int:
        return arms + 1

    def word(self, symbol: int, arms: int) -> str:
        return "stopped" if symbol == arms else str(symbol)

    def ending(self, symbols: Sequence[int], arms: int) -> str:
        return "nothing is recommended" if symbols[0] == arms else f"arm {symbols[0]} is recommended"

    def readings(self, arms: int, horizon: int) -> list[Reading]:
        def read(symbols: Symbols) -> Symbols:
            rounds = np.count_nonzero(symbols[:, :horizon] < arms, axis=1)
            return np.stack([symbols[:, horizon], rounds], axis=1)

        def in_words(symbols: tuple[int, ...]) -> str:
            if not symbols:
                return "every run"
            what = "no recommendation" if symbols[0] == arms else f"arm {symbols[0]} is recommended"
            return what + (f" after {symbols[1]} rounds" if len(symbols) > 1 else "")

        return [Reading("stopping time and recommendation", read, in_words)]

    def wrapped(self, session: Wrapping, told: Sequence[Any], arms: int) -> tuple[Any, ...]:
        arm, reward = told_arm(told[0], arms), one_reward(told[1])
        return arm, session.reward(reward, arm)
