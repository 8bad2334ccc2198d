"""`privcheck.guard`: a policy under a budget filter, for deployment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from privcheck.accounting import BudgetExceededError, Ledger, budget_of, shown, spent
from privcheck.certifying._calls import Calls
from privcheck.certifying._context_isolation import copy_of_state, generators, throw_away
from privcheck.certifying._execution import ask, tell
from privcheck.certifying._noise_source import noise_source
from privcheck.certifying._outside.state_apart import check_can_be_put_back, secret_coins
from privcheck.certifying._session import Session
from privcheck.declared import Integer, check
from privcheck.errors import GuardClosedError, PolicyError, PrivcheckError, words
from privcheck.feedback import FEEDBACKS, Feedback, check_at_once, kind, public_attribute
from privcheck.privacy import Contexts, check_contexts, check_rewards, refuse_adding, relation
from privcheck.targets import factory_arguments

LARGE = 2000
"""Size of a policy beyond which copying it before every update would take longer than a millisecond: it is copied only
when a release that does not fit into the budget is to be expected.
"""


class GuardedPolicy:
    """A policy whose rewards arrive wrapped and whose releases pass a ledger and a budget filter.

    It has the same `select()` and `update()` as the policy inside; under contextual feedback these are
    `select(context)`, which runs on a throw-away copy of the policy, and `update(context, action, reward)`, under batch
    feedback `act(n)` and `learn(actions, rewards)`, and under delayed feedback `update(round, reward)`. A release
    that would take any datum over the budget raises `privcheck.BudgetExceededError` before its noise is drawn; `select`
    then goes on with the policy as it was before that update, if it could be copied, and `update` is closed. A policy
    that holds more than 2000 objects is copied only while it holds data for which a release like the largest so far
    would not fit, or has released nothing. Any other exception within the
    policy, such as the `privcheck.LeakError` of comparing an unreleased reward, closes both, because it may leave the
    policy half-updated. Closed calls raise `privcheck.GuardClosedError` with the first cause. Calls of several threads
    take turns; in a forked process all are closed.

    Parameters
    ----------
    policy : a policy that releases through privcheck's mechanisms.
    session : the session that guards it.
    feedback : id of the kind of feedback, one under which a policy can be guarded.
    arms : K; 0 if it is not known.
    """

    def __init__(self, policy: Any, session: Session, feedback: str, arms: int = 0) -> None:
        self._policy, self._session, self._kind, self._arms = policy, session, kind(feedback), arms
        self._calls, self._coins, self._size = Calls(), generators(policy), 0
        session.round = 1

    def select(self, *context: Any) -> Any:
        """Return the arm to play, for this context under contextual feedback."""
        if self._kind.chooses != "select":
            raise self._not_called("select")
        return self._choose(*context)

    def act(self, n: int) -> Any:
        """Return the arms to play in the next n rounds, under batch feedback."""
        if self._kind.chooses != "act":
            raise self._not_called("act")
        return self._choose(n)

    def _choose(self, *given: Any) -> Any:
        ends = self._ends
        with self._calls.one(ends[0]):
            read = self._context(*given) if self._kind.contextual else None
            asked = () if self._kind.contextual else self._kind.asked(given)
            with self._session.active():
                try:
                    action = ask(self._policy, self._kind, read, asked, self._session)
                except BaseException as error:
                    if not self._kind.contextual:  # the policy itself was asked, not a copy of it
                        self._calls.close(error, *ends)
                    raise
                chosen = self._checked_action(action, asked)
                self._session.choices += 1
                self._kind.chosen(self._session, chosen)
                return chosen

    @property
    def _ends(self) -> tuple[str, str]:
        """The calls that choose and that tell rewards."""
        return f"{self._kind.chooses}()", f"{self._kind.learns}()"

    def _not_called(self, name: str) -> PrivcheckError:
        got = words(f"{name}() for feedback={self._kind.id!r}")
        return PrivcheckError("call", got, self._kind.call, "or build the guard with another kind of feedback")

    def update(self, *told: Any) -> None:
        """Take (action, reward), or (context, action, reward) under contextual feedback, and pass it on wrapped.

        The reward is that of the arm played, or the rewards of all arms under full information. The ranges of the
        reward and of the context are checked first; a call that is refused for them changes nothing.
        """
        if self._kind.learns != "update":
            raise self._not_called("update")
        self._learn(told)

    def learn(self, actions: Any, rewards: Any) -> None:
        """Take the arms that were played in the rounds of a batch and their rewards, under batch feedback."""
        if self._kind.learns != "learn":
            raise self._not_called("learn")
        self._learn((actions, rewards))

    def _learn(self, told: tuple[Any, ...]) -> None:
        ends = self._ends
        with self._calls.one(ends[1]):
            self._check_count(self._kind.learns, self._kind.told, told)
            first = self._session.round
            try:
                wrapped = self._kind.wrapped(self._session, told, self._arms)
            except BaseException:
                self._session.round = first  # the policy was told nothing
                raise
            if self._kind.whole_row:
                self._arms = self._arms or np.size(wrapped[-1])
            before = None
            if self._size <= LARGE or self._session.expects_refusal:
                before, self._size = copy_of_state(self._policy, self._coins)
            try:
                with self._session.active():
                    tell(self._policy, self._kind, wrapped, self._session)
            except BudgetExceededError as refused:
                self._put_back(before, refused)
                raise
            except BaseException as error:
                self._calls.close(error, *ends)
                raise
            finally:
                self._kind.learned(self._session)

    @property
    def stopped(self) -> bool:
        """Whether the policy has stopped, under identification feedback."""
        return bool(self._asked("stopped", lambda: bool(self._policy.stopped)))

    def recommend(self) -> Any:
        """Return the arm that the policy recommends, under identification feedback."""
        return self._checked_action(self._asked("recommend", lambda: self._policy.recommend()))

    def _asked(self, name: str, answer: Callable[[], Any]) -> Any:
        """Return what a policy answers after its last round; a leak closes the guard, as one in `select` does."""
        if name not in (*self._kind.methods, *self._kind.attributes):
            hint = "build the guard with feedback='identification'"
            raise PrivcheckError(name, words(f"a guard for feedback={self._kind.id!r}"), "one for identification", hint)
        with self._calls.one(name), self._session.active():
            try:
                return answer()
            except BaseException as error:
                self._calls.close(error, *self._ends, *self._kind.attributes, "recommend")
                raise

    def _put_back(self, before: Any | None, refused: BudgetExceededError) -> None:
        """Go on with the policy as it was before an update in which a release did not fit into the budget."""
        self._calls.close(refused, self._ends[1])
        if before is None:
            self._calls.close(refused, self._ends[0])
        else:
            self._policy = before

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return public_attribute(self._kind, self._policy, name)

    def _checked_action(self, action: Any, asked: tuple[Any, ...] = ()) -> Any:
        """Return an action of the policy, or refuse it; if it is private, the error does not show it."""
        try:
            return self._kind.action(action, self._arms or None, "action", asked)
        except PolicyError as error:
            if error.value is not action or isinstance(action, int):
                raise
            expected, hint = error.expected, error.hint
        raise PolicyError("action", words(f"an object of type {type(action).__name__}"), expected, hint)

    def _context(self, *context: Any) -> Any:
        """Return the context, checked and read-only."""
        self._check_count("select", ("context",), context)
        assert self._session.contexts is not None
        return self._session.contexts.checked(context[0], self._arms)

    def _check_count(self, method: str, names: tuple[str, ...], given: tuple[Any, ...]) -> None:
        if len(given) != len(names):
            got = words(f"{len(given)} arguments for feedback={self._kind.id!r}")
            raise PrivcheckError(f"{method}()", got, f"({', '.join(names)})", "see `privcheck.guard`")

    @property
    def ledger(self) -> Ledger:
        """Every release so far, and the total charge of each datum: a copy, which the guard does not read."""
        session = self._own("ledger")
        with session.charging:
            assert session.filter is not None
            return shown(session.filter, session.ledger)

    @property
    def spent(self) -> float:
        """The largest total charge so far of any datum, or of any k data together under "group:k".

        It is in the notion of the budget: epsilon (at the budget's delta if it has one), rho or mu. It never exceeds
        the budget: sums of charges are rounded up, but what the filter accepts is within the budget itself.
        """
        session = self._own("spent")
        assert session.filter is not None
        with session.charging:
            return spent(session.filter, session.ledger).amount

    @property
    def left(self) -> float:
        """The budget minus `spent`, and at least 0; of mu, whose squares add up, what still fits."""
        session = self._own("left")
        assert session.filter is not None
        with session.charging:
            return session.filter.left(session.ledger)

    def _own(self, name: str) -> Session:
        self._calls.process.check(name)
        return self._session

    def __reduce_ex__(self, protocol: Any) -> Any:
        hint = "a copy would spend the same budget again, and a file would contain the private rewards"
        raise PrivcheckError("policy", words("a copy of a guarded policy"), "the guarded policy itself", hint)

    def __repr__(self) -> str:
        try:
            state = f"spent {self.spent:g}, left {self.left:g}" + (", closed" if self._calls.closed else "")
        except GuardClosedError:
            state = "closed"
        return f"GuardedPolicy({type(self._policy).__name__}, {state})"


def guard(
    policy: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    rho: float | None = None,
    mu: float | None = None,
    accountants: dict[str, float] | None = None,
    rewards: tuple[float, float] = (0.0, 1.0),
    feedback: str = "bandit",
    neighbours: str = "row",
    contexts: Contexts | None = None,
    arms: int | None = None,
    noise: str = "secure",
    rng: np.random.Generator | None = None,
) -> GuardedPolicy:
    """Wrap a policy so that a service which runs it cannot exceed the privacy budget.

    Parameters
    ----------
    policy : a class or factory of objects with `select()` and `update()`, which is called with a numpy Generator and
        those of arms, epsilon, delta, rho and mu that its signature names; the noise that it draws from this Generator
        is charged. Or a newly built object that has seen no rewards yet, of which only releases through privcheck's
        mechanisms are charged.
    epsilon : the largest total charge of any datum in pure DP, > 0; with `delta`, in (epsilon, delta)-DP.
    delta : in [0, 1).
    rho, mu : the largest total charge in zCDP or in Gaussian DP, in place of epsilon.
    accountants : with delta, the share of delta of each accountant, {"gdp": 1.0} by default: see `privcheck.certify`.
    rewards : declared (lowest, highest) reward; rewards outside this range are refused.
    feedback : "bandit", "full", "contextual", "identification", "batch" or "delayed".
    neighbours : what one datum is: "row", "reward", "group:k" or, under contextual feedback, "context-reward".
    contexts : what contexts look like, under contextual feedback; contexts that do not fit are refused.
    arms : K, so that other actions are refused; by default `policy.arms` if that is an integer. Contextual feedback
        needs it unless contexts are decision sets, whose shape gives it.
    noise : "secure" samples exactly, with OpenDP and the system's randomness, and refuses mechanisms that cannot;
        "float" is numpy's, faster, and its last digits can reveal more about the released value than epsilon allows.
    rng : Generator of float noise, not one that the policy draws from; by default the system seeds one.

    Guarantee
    ---------
    The notion of the budget (epsilon-DP, (epsilon, delta)-DP, rho-zCDP or mu-GDP) for neighbouring streams, on every
    execution: everything that leaves the guarded policy is a function of releases within the budget, of its own coins,
    and of public numbers. Any error that it raises depends on these alone. Under contextual feedback the guarantee is
    joint: it protects the context and reward of one round against everything that leaves the policy in the other
    rounds. Neighbouring streams are fixed tables of rewards that differ in one datum.

    Examples
    --------
    >>> from privcheck.bandits.adap_ucb import AdaPUCB
    >>> policy = guard(AdaPUCB(arms=2, epsilon=1.0).build(np.random.default_rng(0)), epsilon=1.0)
    >>> policy.update(policy.select(), 1.0)
    >>> policy.spent, policy.left
    (1.0, 0.0)
    >>> class Mean:
    ...     def __init__(self, rng, arms, epsilon):
    ...         self.rng, self.arms, self.epsilon, self.total, self.arm = rng, arms, epsilon, 0.0, 0
    ...     def select(self):
    ...         return self.arm
    ...     def update(self, action, reward):
    ...         self.total += reward
    ...         self.arm = int(self.total + self.rng.laplace(0.0, 2.0 / self.epsilon) > 0.5)
    >>> policy = guard(Mean, epsilon=1.0, arms=2)
    >>> policy.update(policy.select(), 1.0)
    >>> policy.spent, policy.left
    (0.5, 0.5)
    """
    options = {"rewards": rewards, "neighbours": neighbours, "contexts": contexts, "accountants": accountants}
    given = {"epsilon": epsilon, "delta": delta, "rho": rho, "mu": mu}
    return guarded(policy, given, options, feedback, arms, noise, rng, np.random.default_rng())


def guarded(
    policy: Any,
    given: dict[str, float | None],
    options: dict[str, Any],
    feedback: str,
    arms: int | None,
    noise: str,
    rng: np.random.Generator | None,
    coins: np.random.Generator,
) -> GuardedPolicy:
    """Return what `guard` returns; a factory is built with a Generator that takes its coins from `coins`."""
    if isinstance(policy, GuardedPolicy):
        raise PrivcheckError("policy", words("a guarded policy"), "the policy itself", "use it as it is")
    if feedback not in FEEDBACKS.guarded:
        expected = f"one of {', '.join(map(repr, FEEDBACKS.guarded))}"
        raise PrivcheckError("feedback", feedback, expected, "other kinds cannot be guarded yet")
    by, contexts = kind(feedback), options["contexts"]
    builds = isinstance(policy, type) or (callable(policy) and not hasattr(policy, by.chooses))
    if not builds:
        _check_policy(policy, by)
    related = relation(options["neighbours"])
    refuse_adding(related, "a policy")
    check_contexts(feedback, related.name, contexts, FEEDBACKS.contextual)
    rewards = check_rewards(options["rewards"])
    budget = budget_of(given["epsilon"], given["delta"] or 0.0, given["rho"], given["mu"])
    if budget is None:
        raise PrivcheckError("epsilon", None, "a budget: epsilon, rho or mu", "a guard needs one: give epsilon=1.0")
    known = [coins]
    if not builds:
        known = _own_generators(policy)
    source = noise_source(noise, rng, known)
    session = Session(related, rewards, budget, source, contexts, options["accountants"])
    session.coins = session.source.coins = secret_coins(coins)
    if builds:
        keywords = factory_arguments(
            policy, given | {"arms": arms or (contexts and _arms(policy, contexts, arms))}, by.methods
        )
        policy = policy(session.generator(coins), **keywords)
        _check_policy(policy, by)
        if rng is not None:
            noise_source(noise, rng, _own_generators(policy))
    count = _arms(policy, contexts, arms)
    if contexts is not None and throw_away(policy) is None:
        got = words(f"{type(policy).__name__}, which copy.deepcopy cannot copy")
        raise PrivcheckError("policy", got, "a policy that can be copied", "select() is called on a throw-away copy")
    if contexts is not None:
        check_can_be_put_back(policy)
    if not builds:
        session.source.advice = BUILT
    return GuardedPolicy(policy, session, feedback, count)


BUILT = (
    "a guard that is given a built policy cannot charge the noise that it draws from numpy: give guard() the class or "
    "factory instead"
)


def _own_generators(policy: Any) -> list[np.random.Generator]:
    """Return the Generators of a policy, whether or not it can be copied."""
    own = (part for part in getattr(policy, "__dict__", {}).values() if isinstance(part, np.random.Generator))
    return [*generators(policy), *own]


def _check_policy(policy: Any, by: Feedback) -> None:
    """Refuse an object that is not a policy for this kind of feedback."""
    if not all(callable(getattr(policy, name, None)) for name in (by.chooses, by.learns)):
        got = words(f"an object of type {type(policy).__name__}")
        expected = f"an object with {by.chooses}() and {by.learns}(), or a factory of such objects"
        raise PrivcheckError("policy", got, expected)
    if missing := [name for name in (*by.methods, *by.attributes) if not hasattr(policy, name)]:
        got = words(f"an object of type {type(policy).__name__} without {missing[0]}")
        raise PrivcheckError("policy", got, f"an object with {by.call}", "or give the kind of feedback that it takes")
    check_at_once("policy", policy, by.methods)


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
