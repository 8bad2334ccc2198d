"""How a guard comes by its policy: from its constructor, or from a snapshot."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from privcheck.accounting import Notion
from privcheck.certifying._calls import Calls
from privcheck.certifying._context_isolation import generators, throw_away
from privcheck.certifying._noise_source import noise_source
from privcheck.certifying._outside.state_apart import check_can_be_put_back, check_keeps_no_context, secret_coins
from privcheck.certifying._recorded.draw_log import DrawLog
from privcheck.certifying._recorded.frozen_state import Thawed
from privcheck.certifying._recorded.played import Played
from privcheck.certifying._recorded.process_generators import moved_generators
from privcheck.certifying._session import Session
from privcheck.certifying._translated.new_arrays import in_guard
from privcheck.declared import Integer, check
from privcheck.errors import PrivcheckError, words
from privcheck.feedback import Feedback, check_at_once
from privcheck.privacy import Contexts, Relation
from privcheck.reached_state import take_as_own
from privcheck.targets import check_built_arms, factory_arguments

BUILT = (
    "a guard that is given a built policy cannot charge the noise that it draws from numpy: give guard() the class or "
    "factory instead"
)


@dataclass(frozen=True)
class PolicyBuilder:
    """Builds a policy under a new session, each time it is called.

    Parameters
    ----------
    policy : its class or factory, or the policy itself.
    given : the budget, by the names that a factory may take.
    by : the kind of feedback.
    arms : K, or None.
    noise, rng : see `privcheck.guard`.
    coins : of a policy without a ledger.
    budget, relation, rewards, options, source : of its sessions.
    builds : whether `policy` is a class or factory.
    """

    policy: Any
    given: dict[str, float | None]
    by: Feedback
    arms: int | None
    noise: str
    rng: np.random.Generator | None
    coins: np.random.Generator
    budget: Notion
    relation: Relation
    rewards: tuple[float, float]
    options: dict[str, Any]
    source: np.random.Generator | None
    builds: bool

    def __call__(self, log: DrawLog | None, calls: Calls, bits: Any, thawed: Thawed | None = None) -> Played:
        """Return the policy and its session.

        Parameters
        ----------
        log : of its draws; None without a ledger.
        calls : those that are let in.
        bits : of the coins that a ledger keeps; None without one.
        thawed : the snapshot from which it goes on; None to construct it.
        """
        coins = self.coins if bits is None else np.random.Generator(bits)
        session = self._session(coins)
        session.log = log and log.of(session)
        if thawed is not None:
            self._construct_aside(np.random.Generator(deepcopy(bits)))
            found = thawed.played(session, bits, self.by, calls)
            take_as_own(found.policy)
            return found
        context, seeded = Context(), set[str]()
        if not self.builds:
            made, session.source.advice = self.policy, BUILT
        elif log is None:
            construct = self._constructor(session, coins)
            with in_guard():
                made = construct()
        else:
            with moved_generators() as seeded:
                made = context.run(_made, session, self._constructor(session, coins))
        if self.builds:
            check_policy(made, self.by, self.arms)
            if self.rng is not None:
                noise_source(self.noise, self.rng, own_generators(made))
        count = _arms(made, self._contexts, self.arms)
        if self._contexts is not None:
            _check_apart(made)
        return Played(made, session, self.by, count, calls, interrupts=log is not None, context=context, seeded=seeded)

    @property
    def _contexts(self) -> Contexts | None:
        contexts: Contexts | None = self.options["contexts"]
        return contexts

    def _session(self, coins: np.random.Generator) -> Session:
        options = self.options
        session = Session(
            self.relation, self.rewards, self.budget, self.source, options["contexts"], options["accountants"]
        )
        session.coins = session.source.coins = secret_coins(coins)
        return session

    def _constructor(self, session: Session, coins: np.random.Generator) -> Callable[[], Any]:
        contexts = self._contexts
        counted = {"arms": self.arms or (contexts and _arms(self.policy, contexts, self.arms))}
        keywords = factory_arguments(self.policy, self.given | counted, self.by.methods)
        return partial(self.policy, session.generator(coins), **keywords)

    def _construct_aside(self, coins: np.random.Generator) -> None:
        """Construct a policy for what it sets for the whole process, as the environment: no snapshot has it.

        It was told nothing, so that what it draws and releases is of no data; nobody sees it.
        """
        session = self._session(coins)
        Context().run(_made, session, self._constructor(session, coins))


def _made(session: Session, build: Callable[[], Any]) -> Any:
    """Return what is built; what the constructor draws is recorded, too."""
    with in_guard(), session.active():
        return build()


def own_generators(policy: Any) -> list[np.random.Generator]:
    """Return the Generators of a policy, whether or not it can be copied."""
    own = (part for part in getattr(policy, "__dict__", {}).values() if isinstance(part, np.random.Generator))
    return [*generators(policy), *own]


def _check_apart(policy: Any) -> None:
    """Refuse a contextual policy whose `select` cannot be called on a throw-away copy, with its state put back."""
    if throw_away(policy) is None:
        got = words(f"{type(policy).__name__}, which copy.deepcopy cannot copy")
        raise PrivcheckError("policy", got, "a policy that can be copied", "select() is called on a throw-away copy")
    check_can_be_put_back(policy)
    check_keeps_no_context(policy)


def check_policy(policy: Any, by: Feedback, arms: int | None) -> None:
    """Refuse an object that is not a policy for this kind of feedback, or has another number of arms."""
    if not all(callable(getattr(policy, name, None)) for name in (by.chooses, by.learns)):
        got = words(f"an object of type {type(policy).__name__}")
        expected = f"an object with {by.chooses}() and {by.learns}(), or a factory of such objects"
        raise PrivcheckError("policy", got, expected)
    if missing := [name for name in (*by.methods, *by.attributes) if not hasattr(policy, name)]:
        got = words(f"an object of type {type(policy).__name__} without {missing[0]}")
        raise PrivcheckError("policy", got, f"an object with {by.call}", "or give the kind of feedback that it takes")
    check_at_once("policy", policy, by.methods, by.attributes)
    if by.one_arm_a_round:
        check_built_arms(policy, arms)


def _arms(policy: Any, contexts: Contexts | None, arms: int | None) -> int:
    """Return K, or 0 if nothing says it."""
    if arms is None and contexts is not None and len(contexts.shape) == 2:
        return int(contexts.shape[0])
    own = getattr(policy, "arms", None)
    if arms is None and contexts is None:
        return int(own) if isinstance(own, int | np.integer) and type(own) is not bool and own > 0 else 0
    count: int = check("arms", arms, Integer(1), "give the number of arms")
    if contexts is not None:
        contexts.columns(count)
    return count
