"""The base class of the kinds of feedback, and their registry."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from privcheck.arrays import Array, Symbols, Table
from privcheck.errors import PrivcheckError, words
from privcheck.feedback._arms import as_arm
from privcheck.mechanisms import finite_array
from privcheck.privacy import Contexts
from privcheck.registry import Registry


class Kinds(Registry["Feedback"]):
    """The kinds of feedback by id, the simplest first."""

    def __iter__(self) -> Iterator[str]:
        """Yield the ids: kinds that play one arm per round first, those with longer outputs last."""
        return iter(
            sorted(super().__iter__(), key=lambda name: (not self[name].one_arm_a_round, self[name]().length(0)))
        )

    @property
    def guarded(self) -> list[str]:
        """The kinds under which a policy can be guarded."""
        return [name for name in self if self[name].wrapped is not Feedback.wrapped]

    @property
    def contextual(self) -> list[str]:
        """The kinds in which `select` is shown a context."""
        return [name for name in self if self[name].contextual]


FEEDBACKS = Kinds("feedback", "privcheck.feedback")


def kind(name: str) -> Feedback:
    """Return the kind of feedback with an id.

    >>> kind("full").call
    'select() and update(action, rewards)'
    """
    return FEEDBACKS[name]()


class Wrapping(Protocol):
    """The part of a guarded session that turns ordinary values into private ones of this round's datum.

    A session counts a round for each call of `update`; a kind whose `update` receives several rewards calls
    `next_round` between the rewards of one round and those of the next.

    Attributes
    ----------
    contexts : what contexts look like.
    choices : how often the policy has chosen.
    awaited : the actions of rounds whose rewards arrive later, by round.
    round : the round whose datum is charged, from 1.
    """

    contexts: Contexts | None
    choices: int
    awaited: dict[int, Any]
    round: int

    def next_round(self) -> None:
        """Charge what is wrapped from here on to the datum of the next round."""

    def reward(self, value: float, arm: int, of_round: int | None = None) -> Any:
        """Wrap the reward of one arm, in this round or in an earlier one."""

    def rewards_of_rounds(self, values: Any, arms: Sequence[int]) -> Any:
        """Wrap one reward of each of several rounds, this one and those after it, and end in the last of them."""

    def reward_vector(self, values: Any) -> Any:
        """Wrap the rewards of all arms, shape (K,)."""

    def contextual(self, context: Any, action: int, reward: float, arms: int) -> tuple[Any, Any, Any]:
        """Wrap a context, the action, which depends on it, and the reward."""


@dataclass(frozen=True)
class Reading:
    """An additional way of reading the symbols of runs.

    Parameters
    ----------
    name : what is read, in words.
    read : maps symbols, shape (runs, D), to integers, shape (runs, E), with the most informative column first.
    in_words : spells out the first few integers of a row.
    """

    name: str
    read: Callable[[Symbols], Symbols]
    in_words: Callable[[tuple[int, ...]], str]


class Feedback:
    """A kind of feedback: how a policy is played on a table, what a run outputs, and how the policy is guarded.

    A run outputs a sequence of symbols, integers from 0: one for each of its T rounds, which for most kinds is the
    action, and possibly further ones (see `length`). A class with an `id` registers itself. Policies can be guarded and
    certified only under a class that defines `wrapped`; its `play` may use nothing but the methods named by `chooses`
    and `learns`, `recommend`, and `attributes`.

    Attributes
    ----------
    id : as in `privcheck.audit(..., feedback=id)`.
    call : how a policy is called, in words.
    methods : the methods that a policy needs.
    chooses, learns : those of them that choose and that receive rewards, called `select` and `update` throughout.
    attributes : the attributes that it needs as well, each with what is expected and what to do if it is missing.
    told : names of the arguments of `update`.
    public : those of them that are no private data.
    contextual : whether `select` is shown a context. Tables then have further columns for contexts, and one datum is
        the context and the rewards of one round.
    whole_row : whether `update` is given the rewards of all arms.
    fewest_arms : the fewest arms with which there is anything to observe.
    one_arm_a_round : whether the symbols of a run are the T arms that it played, chosen without a context. Their
        rewards make up its regret, and every one of the K arms can be played only if T >= K.
    dtype : type of the symbols.

    Examples
    --------
    >>> table, played = np.array([[1.0, 0.0], [0.5, 0.5]]), []
    >>> class First:
    ...     select, update = lambda self: 0, lambda self, action, reward: print(action, reward)
    >>> bandit = kind("bandit")
    >>> bandit.play(First(), iter(bandit.rounds(table, 2, None)), 2, played)
    0 1.0
    0 0.5
    >>> played
    [0, 0]
    """

    id: ClassVar[str]
    call: ClassVar[str]
    methods: ClassVar[tuple[str, ...]] = ("select", "update")
    chooses: ClassVar[str] = "select"
    learns: ClassVar[str] = "update"
    attributes: ClassVar[Mapping[str, tuple[str, str]]] = {}
    told: ClassVar[tuple[str, ...]] = ("action", "reward")
    public: ClassVar[tuple[str, ...]] = ("action",)
    contextual: ClassVar[bool] = False
    whole_row: ClassVar[bool] = False
    fewest_arms: ClassVar[int] = 2
    one_arm_a_round: ClassVar[bool] = True
    dtype: ClassVar[type[np.integer]] = np.int8

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "id" in cls.__dict__:
            FEEDBACKS.register(cls.id, cls)

    # How a policy is played

    def rounds(self, table: Table, arms: int, contexts: Contexts | None) -> list[Any]:  # noqa: ARG002
        """Return what `play` needs in each round, from a table of shape (T, K) or with further columns for contexts."""
        rows: list[Any] = table.tolist()
        return rows

    def play(self, policy: Any, rounds: Iterator[Any], arms: int, played: list[int]) -> None:
        """Play one run on an iterator over the list that `rounds` returned.

        Each symbol is appended to `played` as soon as it can be observed, before `update` is called: if the policy
        fails, `played` holds what it has output so far. Audits of policies in Python spend their time in this loop.
        """
        raise NotImplementedError

    def asked(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments of `select`, besides a context, or refuse them."""
        if given or self.contextual:
            got = words(f"{len(given)} arguments for feedback={self.id!r}")
            raise PrivcheckError(f"{self.chooses}()", got, "()", "see `privcheck.guard`")
        return given

    def action(self, chosen: Any, arms: int | None, name: str, asked: tuple[Any, ...] = ()) -> Any:  # noqa: ARG002
        """Return the result of `select` as an action, or refuse it.

        Parameters
        ----------
        chosen : what the policy returned.
        arms : K, or None if it is not known.
        name : what error messages call it.
        asked : the arguments with which the policy was asked.
        """
        return as_arm(chosen, arms, name)

    # What a run outputs

    def length(self, rounds: int) -> int:
        """Return the number of symbols of a run."""
        return rounds

    def symbols(self, arms: int) -> int:
        """Return the number of different symbols: each is an integer below it."""
        return arms

    def least_rounds(self, arms: int) -> int:
        """Return the fewest rounds of a run that an audit looks at."""
        return arms if self.one_arm_a_round else 1

    def hidden(self, rounds: Sequence[int]) -> list[int]:  # noqa: ARG002
        """Return the rounds, among those in which two streams differ, whose symbols an observer does not see."""
        return []

    def word(self, symbol: int, arms: int) -> str:
        """Spell out the symbol of a round; K marks one that is not shown."""
        return "(not shown)" if symbol == arms else str(symbol)

    def ending(self, symbols: Sequence[int], arms: int) -> str:
        """Spell out the symbols that follow those of the rounds."""
        raise NotImplementedError

    def counted(self, arms: int) -> int:
        """Return the number of arms whose pulls are counted; the pulls of the others follow from these."""
        return arms - 1

    def pulled(self, symbols: Symbols, arm: int) -> npt.NDArray[Any]:
        """Return where an arm was played, in the shape of `symbols`."""
        where: npt.NDArray[Any] = symbols == arm
        return where

    def readings(self, arms: int, horizon: int) -> list[Reading]:  # noqa: ARG002
        """Return ways of reading a run in addition to its symbols in order and the pulls of each arm."""
        return []

    # How a policy is guarded

    def wrapped(self, session: Wrapping, told: Sequence[Any], arms: int) -> tuple[Any, ...]:
        """Return the arguments of `update`, checked, with everything private wrapped by the session."""
        raise NotImplementedError

    def chosen(self, session: Wrapping, action: Any) -> None:
        """Take note of what a guarded policy has chosen."""

    def opens(self, action: Any) -> Sequence[Hashable]:
        """Return what a choice opens, and what the `update` of this action closes.

        A guard lets an `update` in only if all of it is open, so it may depend on the action only where that is
        public. A kind whose `update` names no action says by itself what it lets in.
        """
        return (action,)

    def learned(self, session: Wrapping) -> None:
        """Go on after a guarded policy was told rewards: by default, with the datum of the next round."""
        session.next_round()

    def ended(self, session: Wrapping) -> int:
        """Return how many rounds a policy under its guard has played to their end."""
        return session.round - 1

    def after_leak(self, choice: int, arms: int, asked: tuple[Any, ...] = ()) -> Any:  # noqa: ARG002
        """Return the action to continue with after `select` leaked; every arm gets its turn.

        Parameters
        ----------
        choice : the number of the choice, from 1.
        arms : K.
        asked : the arguments of `select`.
        """
        return (choice - 1) % arms


def public_attribute(by: Feedback, policy: Any, name: str) -> Any:
    """Return an attribute of a policy that its kind of feedback reads, for an object that stands in its place."""
    if name not in by.attributes:
        raise AttributeError(name)
    return getattr(policy, name)


def one_reward(value: Any) -> float:
    """Return the reward of the arm played, or refuse anything that is not a finite number; True is 1.

    >>> one_reward(1), one_reward(np.True_)
    (1.0, 1.0)
    """
    if type(value) is float and math.isfinite(value):
        return value
    reward = reward_numbers(value)
    if reward.ndim:
        expected = "one number, the reward of the arm played"
        raise PrivcheckError("reward", words(f"shape {reward.shape}"), expected)
    return float(reward)


def reward_numbers(value: Any) -> Array:
    """Return rewards as floats, or refuse them; the error does not show them, because rewards are private.

    >>> reward_numbers([True, 0.5]).tolist()
    [1.0, 0.5]
    """
    try:
        given = np.asarray(value)
        return finite_array("reward", given.astype(float) if given.dtype.kind == "b" else given)
    except PrivcheckError as error:
        expected = error.expected
    except ValueError:
        expected = "a finite real number or a non-empty array of them"
    raise PrivcheckError("reward", words(f"a {type(value).__name__} that is not one"), expected, "check it first")
