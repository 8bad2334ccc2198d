"""An adaptive adversary of continual release: it chooses each reward after it has seen the actions so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.feedback import kind
from privcheck.privacy import check_rewards_range, refuse_adding
from privcheck.targets._location import describe_exception
from privcheck.targets._mechanism import MechanismRunner
from privcheck.targets._options.game_options import Game
from privcheck.targets._player import play_rounds
from privcheck.targets._stream_pair import Given, StreamPair
from privcheck.targets._target import Target

KINDS = ("bandit", "full")
"""The kinds of feedback under which rewards come one round after the other, and actions are single arms."""


@dataclass(frozen=True)
class Adversary:
    """Two games between an adversary and a policy that differ in the rewards of one round, for `audit(streams=...)`.

    Parameters
    ----------
    rewards : `rewards(actions, side)` returns the rewards of the next round, one number or K of them in the declared
        range. `actions` are those of the rounds before, a tuple; `side` is 0 or 1. It is a function of these alone,
        which draws and keeps nothing. In each game both sides are asked in every round: their answers may differ in as
        many rounds as two neighbouring streams may, and which rounds these are may depend on the actions.

    Guarantee
    ---------
    A policy is (epsilon, delta)-DP under adaptive continual observation if no adversary of this kind tells its own
    side from the actions better than epsilon and delta allow. The runs of both games are independent, so a lower bound
    from them holds for any adversary. Fix a sequence of actions: the policy plays it in a game as often as on the table
    of the rewards that the adversary gives in reply, and the tables of both sides are neighbours. So at delta = 0 no
    adversary proves more than some fixed pair of tables does, though it needs far fewer runs where a leak waits for a
    pattern of actions. With delta > 0 it may show more, since fixed tables meet such a pattern by chance only.

    Source: Jain, Raskhodnikova, Sivakumar and Smith (2023), The price of differential privacy under continual
    observation, section 2; Denisov, McMahan, Rush, Smith and Thakurta (2022), section 3.

    Raises
    ------
    PrivcheckError : no function.

    Examples
    --------
    >>> def follow(actions, side):
    ...     return side if not actions else actions[-1]
    >>> Adversary(follow).name
    'follow'
    """

    rewards: Callable[[tuple[int, ...], int], Any]

    def __post_init__(self) -> None:
        given: object = self.rewards
        if not callable(given):
            got = words(f"an object of type {type(given).__name__}")
            raise PrivcheckError("rewards", got, "a function rewards(actions, side) of the actions so far")

    @property
    def name(self) -> str:
        """The name in reports."""
        return str(getattr(self.rewards, "__name__", type(self.rewards).__name__))

    def pair(self) -> StreamPair:
        """Return the two games, which stand where others have two streams."""
        label = f"the adversary {self.name}: side 0 vs side 1; it chooses rewards by the actions so far"
        return StreamPair(Given(0), Given(1), label, "games against an adversary")  # type: ignore[arg-type]


@dataclass
class PlayedAgainst:
    """A run of a policy against an adversary, as a mechanism whose input is the side and whose output is the actions.

    Parameters
    ----------
    build : builds a policy.
    adversary : answers it.
    game : the feedback, the range of rewards and the neighbour relation.
    arms, horizon : K and T.
    """

    build: Callable[[np.random.Generator], Any]
    adversary: Adversary
    game: Game
    arms: int
    horizon: int

    def __call__(self, data: int, rng: np.random.Generator) -> tuple[int, ...]:
        """Return the actions of a run.

        Raises
        ------
        PolicyError : what the policy or the adversary does wrong.
        """
        by, played, given = kind(self.game.feedback), list[int](), ([], [])  # type: ignore[var-annotated]

        def rounds() -> Iterator[Any]:
            for _ in range(self.horizon):
                rows = [self._row(tuple(played), side) for side in (0, 1)]
                for table, row in zip(given, rows, strict=True):
                    table.append(row[0])
                yield by.rounds(rows[data], self.arms, None)[0]

        play_rounds(by, self.build(rng), rounds(), self.arms, played)
        tables = np.array(given[0]), np.array(given[1])
        if not np.array_equal(*tables):
            self.game.relation.check(*tables)
        return tuple(played)

    def _row(self, actions: tuple[int, ...], side: int) -> Table:
        """Return the rewards of the next round, shape (1, K)."""
        expected = f"one number or {self.arms} numbers"
        try:
            answer = np.asarray(self.adversary.rewards(actions, side), float)
        except Exception as error:
            raise PolicyError("streams", words(describe_exception(error)), "rewards(actions, side)") from None
        if answer.shape not in ((), (self.arms,)):
            raise PolicyError("streams", words(f"rewards of shape {answer.shape}"), expected)
        row, (low, high) = np.full((1, self.arms), answer), self.game.rewards
        if not ((row >= low) & (row <= high)).all():  # the full check is slow, and every round of every run has one
            check_rewards_range(row, self.game.rewards)
        return row


def against(
    policy: Target, adversary: Adversary, game: Game, horizon: int, *, guarded: bool, time_limit: float | None
) -> Target:
    """Return the games of a policy against an adversary as a target, a mechanism in the eyes of an audit.

    Raises
    ------
    PrivcheckError : a target or an option that has no such game.
    """
    hint = f"an adversary answers policies with feedback {' or '.join(KINDS)}, by their actions"
    given = {"observe": game.observe, "guarded": guarded, "encode": game.encode, "law": game.law}
    for option, usual in (("observe", "actions"), ("guarded", False), ("encode", None), ("law", None)):
        if (value := given[option]) != usual:
            raise PrivcheckError(option, value, repr(usual), hint)
    if policy.feedback not in KINDS:
        raise PrivcheckError("feedback", policy.feedback, " or ".join(KINDS), hint)
    refuse_adding(game.neighbours, "a policy, whose horizon is public", policy=True)
    played = PlayedAgainst(policy.build, adversary, game, policy.arms, horizon)
    runner = MechanismRunner(played, randomness=game.randomness, time_limit=time_limit)
    return Target(policy.name, runner, "mechanism", policy.arms)
