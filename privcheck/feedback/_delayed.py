"""Delayed feedback: rewards arrive some rounds after the choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from privcheck.errors import PrivcheckError, words
from privcheck.feedback._arms import as_arm
from privcheck.feedback._base import Feedback, Wrapping, one_reward
from privcheck.feedback._schedules import schedule
from privcheck.private_values import whole_number


class Delayed(Feedback):
    """The policy receives the reward of a round in a later one, with the number of its round, counted from 1.

    The policy states the delays beforehand, in `delay`: an integer, or a sequence with one entry for each round, of
    which the last one repeats. They are read once, before the first round, so they cannot depend on rewards. The reward
    of round t arrives at the end of round t + delay: 0 is bandit feedback. Rewards that arrive in the same
    round come in the order of their rounds, and those that are due after the horizon never do. What is a datum does not
    change: neighbouring streams differ in one round's rewards, whenever they arrive. Under a guard, whoever calls
    `update(round, reward)` decides when, each reward at most once.
    """

    id = "delayed"
    call = "select(), update(round, reward) and delay"
    attributes: ClassVar[Mapping[str, tuple[str, str]]] = {
        "delay": ("a policy that says how late rewards arrive", "add `delay`, an int or a sequence of ints")
    }
    told = ("round", "reward")
    public = ("round",)

    def play(self, policy: Any, rounds: Iterator[Any], arms: int, played: list[int]) -> None:
        delays, due = schedule(policy.delay, "delay", least=0), dict[int, list[tuple[int, float]]]()
        for t, row in enumerate(rounds, 1):
            action = as_arm(policy.select(), arms, f"action in round {t}")
            played.append(action)
            due.setdefault(t + next(delays), []).append((t, row[action]))
            for told in due.pop(t, ()):
                policy.update(*told)

    def chosen(self, session: Wrapping, action: Any) -> None:
        session.round = session.choices
        session.awaited[session.choices] = action

    def learned(self, session: Wrapping) -> None:
        """Stay in the round: it is choices that count."""

    def ended(self, session: Wrapping) -> int:
        return session.choices

    def wrapped(self, session: Wrapping, told: Sequence[Any], arms: int) -> tuple[Any, ...]:  # noqa: ARG002
        number, value = told
        t = whole_number(number)
        if t is None or t not in session.awaited:
            shown = t if t is not None else words(f"an object of type {type(number).__name__}")
            expected = "a round that was played and whose reward was not told yet"
            raise PrivcheckError("round", shown, expected, "rounds are counted from 1")
        reward = session.reward(one_reward(value), session.awaited[t], t)
        del session.awaited[t]
        return t, reward
