"""`privcheck.guard`: a policy under a budget filter, for deployment."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from bounds.domains import POSITIVE, check
from privcheck.accounting import Ledger
from privcheck.certifying.session import Session
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.mechanisms.base import finite_array, generator
from privcheck.privacy import check_rewards, relation


class GuardedPolicy:
    """A policy whose rewards arrive wrapped and whose releases pass a ledger and a budget filter.

    It has the `select()` and `update()` of the policy inside. A release that would take any datum beyond the budget
    raises `privcheck.BudgetExceededError` before its noise is drawn; a comparison of, or a branch on, an unreleased
    reward raises `privcheck.LeakError`.

    Parameters
    ----------
    policy : releases through privcheck's mechanisms.
    session : what it is guarded by.
    feedback : "bandit" or "full".
    """

    def __init__(self, policy: Any, session: Session, feedback: str) -> None:
        self._policy, self._session, self._feedback = policy, session, feedback
        session.round = 1

    def select(self) -> int:
        """Return the arm to play."""
        with self._session.active():
            action = self._policy.select()
            try:
                return operator.index(action)
            except TypeError:
                got = words(f"an object of type {type(action).__name__}")
                raise PolicyError("action", got, "an integer, the arm to play") from None

    def update(self, action: int, reward: Any) -> None:
        """Wrap the reward (all rewards, under full information), check its range, and hand it on."""
        values = finite_array("reward", reward)
        full = self._feedback == "full"
        if values.ndim != full:
            expected = "rewards of all arms, shape (K,)" if full else "one number, the reward of the arm played"
            raise PrivcheckError("reward", words(f"shape {values.shape}"), expected)
        wrapped = self._session.reward_vector(values) if full else self._session.reward(float(values), int(action))
        try:
            with self._session.active():
                self._policy.update(action, wrapped)
        finally:
            self._session.round += 1

    @property
    def ledger(self) -> Ledger:
        """Every release so far, and what each datum has paid."""
        return self._session.ledger

    @property
    def spent(self) -> float:
        """What the datum that has paid most has been charged so far."""
        return self._session.ledger.epsilon

    @property
    def left(self) -> float:
        """What that datum can still be charged."""
        assert self._session.filter is not None
        return self._session.filter.left(self._session.ledger)

    def __repr__(self) -> str:
        return f"GuardedPolicy({type(self._policy).__name__}, spent {self.spent:g}, left {self.left:g})"


def guard(
    policy: Any,
    *,
    epsilon: float,
    rewards: tuple[float, float] = (0.0, 1.0),
    feedback: str = "bandit",
    neighbours: str = "row",
    rng: np.random.Generator | None = None,
) -> GuardedPolicy:
    """Wrap a policy so that a service that runs it cannot overspend.

    Parameters
    ----------
    policy : an object with `select()` and `update()` that releases through privcheck's mechanisms; new, without
        rewards yet.
    epsilon : what any datum may be charged, > 0.
    rewards : declared (lowest, highest) reward; others are refused.
    feedback : "bandit" or "full".
    neighbours : "row", "reward" or "group:k": what one datum is.
    rng : Generator of the privacy noise; by default seeded by the operating system.

    Guarantee
    ---------
    epsilon-DP (pure) for streams that are neighbours, on every execution: whatever leaves the guarded policy is a
    function of releases within the budget, of its own coins, and of public numbers. An error that it raises depends on
    these alone.

    Examples
    --------
    >>> from privcheck.bandits.adap_ucb import AdaPUCB
    >>> policy = guard(AdaPUCB(arms=2, epsilon=1.0).build(np.random.default_rng(0)), epsilon=1.0)
    >>> policy.update(policy.select(), 1.0)
    >>> policy.spent, policy.left
    (1.0, 0.0)
    """
    if not all(callable(getattr(policy, name, None)) for name in ("select", "update")):
        got = words(f"an object of type {type(policy).__name__}")
        raise PrivcheckError("policy", got, "an object with select() and update()", "build the policy first")
    if feedback not in ("bandit", "full"):
        raise PrivcheckError("feedback", feedback, "'bandit' or 'full'", "others are not available yet")
    budget = check("epsilon", epsilon, POSITIVE, "a privacy budget is positive, e.g. 1.0")
    noise = np.random.default_rng() if rng is None else generator(rng)
    session = Session(relation(neighbours), check_rewards(rewards), budget, noise)
    return GuardedPolicy(policy, session, feedback)
