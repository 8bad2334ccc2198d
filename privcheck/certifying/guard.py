"""`privcheck.guard`: a policy under a budget filter, for deployment."""

from __future__ import annotations

from typing import Any

import numpy as np

from privcheck.accounting import Ledger
from privcheck.certifying.context_isolation import ask_guarded, throw_away
from privcheck.certifying.session import Session
from privcheck.declared import POSITIVE, Integer, check
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.feedback import FEEDBACKS, kind
from privcheck.mechanisms.base import generator
from privcheck.privacy import Contexts, check_contexts, check_rewards, relation


class GuardedPolicy:
    """A policy whose rewards arrive wrapped and whose releases pass a ledger and a budget filter.

    It has the same `select()` and `update()` as the policy inside; under contextual feedback these are
    `select(context)`, which runs on a throw-away copy of the policy, and `update(context, action, reward)`. A release
    that would take any datum over the budget raises `privcheck.BudgetExceededError` before its noise is drawn;
    comparing an unreleased reward or branching on it raises `privcheck.LeakError`.

    Parameters
    ----------
    policy : a policy that releases through privcheck's mechanisms.
    session : the session that guards it.
    feedback : id of the kind of feedback, one under which a policy can be guarded.
    arms : K, under contextual feedback; 0 if it is not known.
    """

    def __init__(self, policy: Any, session: Session, feedback: str, arms: int = 0) -> None:
        self._policy, self._session, self._kind, self._arms = policy, session, kind(feedback), arms
        session.round = 1

    def select(self, *context: Any) -> Any:
        """Return the arm to play, for this context under contextual feedback."""
        read = self._context(*context)
        with self._session.active():
            action, _ = ask_guarded(self._policy, read, self._session)
            try:
                return self._kind.action(action, self._arms or None, "action")
            except PolicyError as error:
                if error.value is not action or isinstance(action, int):
                    raise
                expected, hint = error.expected, error.hint
            raise PolicyError("action", words(f"an object of type {type(action).__name__}"), expected, hint)

    def update(self, *told: Any) -> None:
        """Take (action, reward), or (context, action, reward) under contextual feedback, and pass it on wrapped.

        The reward is that of the arm played, or the rewards of all arms under full information. The ranges of the
        reward and of the context are checked.
        """
        self._check_count("update", self._kind.told, told)
        first = self._session.round
        try:
            wrapped = self._kind.wrapped(self._session, told, self._arms)
        except PrivcheckError:
            self._session.round = first  # the policy was told nothing
            raise
        try:
            with self._session.active():
                self._policy.update(*wrapped)
        finally:
            self._session.next_round()

    def _context(self, *context: Any) -> Any:
        """Return the context, checked and read-only; None if feedback is not contextual."""
        self._check_count("select", ("context",) if self._kind.contextual else (), context)
        if not context:
            return None
        assert self._session.contexts is not None
        return self._session.contexts.checked(context[0], self._arms)

    def _check_count(self, method: str, names: tuple[str, ...], given: tuple[Any, ...]) -> None:
        if len(given) != len(names):
            got = words(f"{len(given)} arguments for feedback={self._kind.id!r}")
            raise PrivcheckError(f"{method}()", got, f"({', '.join(names)})", "see `privcheck.guard`")

    @property
    def ledger(self) -> Ledger:
        """Every release so far, and the total charge of each datum."""
        return self._session.ledger

    @property
    def spent(self) -> float:
        """The largest total charge so far of any datum, or of any k data together under "group:k"."""
        return self._session.ledger.epsilon

    @property
    def left(self) -> float:
        """The budget minus `spent`, and at least 0."""
        assert self._session.filter is not None
        return self._session.filter.left(self._session.ledger)

    def __reduce_ex__(self, protocol: Any) -> Any:
        hint = "a copy would spend the same budget again, and a file would contain the private rewards"
        raise PrivcheckError("policy", words("a copy of a guarded policy"), "the guarded policy itself", hint)

    def __repr__(self) -> str:
        return f"GuardedPolicy({type(self._policy).__name__}, spent {self.spent:g}, left {self.left:g})"


def guard(
    policy: Any,
    *,
    epsilon: float,
    rewards: tuple[float, float] = (0.0, 1.0),
    feedback: str = "bandit",
    neighbours: str = "row",
    contexts: Contexts | None = None,
    arms: int | None = None,
    rng: np.random.Generator | None = None,
) -> GuardedPolicy:
    """Wrap a policy so that a service which runs it cannot exceed the privacy budget.

    Parameters
    ----------
    policy : a newly built object with `select()` and `update()` that releases through privcheck's mechanisms and has
        seen no rewards yet.
    epsilon : the largest total charge of any datum, > 0.
    rewards : declared (lowest, highest) reward; rewards outside this range are refused.
    feedback : "bandit", "full" or "contextual".
    neighbours : what one datum is: "row", "reward", "group:k" or, under contextual feedback, "context-reward".
    contexts : what contexts look like, under contextual feedback; contexts that do not fit are refused.
    arms : K, under contextual feedback; not needed for a decision set, whose shape gives it.
    rng : Generator of the privacy noise; by default the operating system seeds one.

    Guarantee
    ---------
    Pure epsilon-DP for neighbouring streams, on every execution: everything that leaves the guarded policy is a
    function of releases within the budget, of its own coins, and of public numbers. Any error that it raises depends
    on these alone. Under contextual feedback the guarantee is joint differential privacy: it protects the context and
    reward of one round against everything that leaves the policy in the other rounds.

    Examples
    --------
    >>> from privcheck.bandits.adap_ucb import AdaPUCB
    >>> policy = guard(AdaPUCB(arms=2, epsilon=1.0).build(np.random.default_rng(0)), epsilon=1.0)
    >>> policy.update(policy.select(), 1.0)
    >>> policy.spent, policy.left
    (1.0, 0.0)
    """
    if isinstance(policy, type):
        hint = f"build it first: guard({policy.__name__}(rng), ...)"
        raise PrivcheckError("policy", words(f"the class {policy.__name__}"), "an object of it", hint)
    if not all(callable(getattr(policy, name, None)) for name in ("select", "update")):
        got = words(f"an object of type {type(policy).__name__}")
        raise PrivcheckError("policy", got, "an object with select() and update()", "build the policy first")
    if feedback not in FEEDBACKS.guarded:
        expected = f"one of {', '.join(map(repr, FEEDBACKS.guarded))}"
        raise PrivcheckError("feedback", feedback, expected, "other kinds cannot be guarded yet")
    related = relation(neighbours)
    check_contexts(feedback, related.name, contexts, FEEDBACKS.contextual)
    count = 0 if contexts is None else _arms(contexts, arms)
    if contexts is not None and throw_away(policy) is None:
        got = words(f"{type(policy).__name__}, which copy.deepcopy cannot copy")
        raise PrivcheckError("policy", got, "a policy that can be copied", "select() is called on a throw-away copy")
    budget = check("epsilon", epsilon, POSITIVE, "a privacy budget is positive, e.g. 1.0")
    noise = np.random.default_rng() if rng is None else generator(rng)
    session = Session(related, check_rewards(rewards), budget, noise, contexts)
    return GuardedPolicy(policy, session, feedback, count)


def _arms(contexts: Contexts, arms: int | None) -> int:
    if arms is None and len(contexts.shape) == 2:
        return int(contexts.shape[0])
    count: int = check("arms", arms, Integer(1), "give the number of arms")
    contexts.columns(count)
    return count
