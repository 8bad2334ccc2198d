"""`privcheck.guard`: a policy under a budget filter, for deployment."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from privcheck.accounting import budget_of
from privcheck.certifying._calls import Process
from privcheck.certifying._noise_source import noise_source
from privcheck.certifying._recorded.event_engine import Engine
from privcheck.certifying._recorded.guarded_policy import GuardedPolicy
from privcheck.certifying._recorded.opening import Keeping, opened, parameters_of
from privcheck.certifying._recorded.policy_builder import PolicyBuilder, check_policy, own_generators
from privcheck.certifying._translated.swapped_code import look_again, translated_for
from privcheck.declared import named_options
from privcheck.errors import PrivcheckError, words
from privcheck.feedback import FEEDBACKS, kind
from privcheck.privacy import ROW, Contexts, check_contexts, check_rewards, refuse_adding, relation
from privcheck.reached_state import take_as_own

NOWHERE = Keeping()


@named_options
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
    neighbours: str = ROW,
    contexts: Contexts | None = None,
    arms: int | None = None,
    noise: str = "secure",
    rng: np.random.Generator | None = None,
    ledger: str | os.PathLike[str] | None = None,
    scope: str | None = None,
    head: str | os.PathLike[str] | None = None,
    continues: str | None = None,
    per_user: float | None = None,
    window: str | None = None,
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
    ledger : file in which each answer is committed together with what it charged, so that the guard goes on after its
        process ends, and several workers share it; None keeps everything in memory. It needs a factory, secure noise
        and `scope`.
    scope : names the policy and the people that share the budget in the ledger.
    head : file, outside whatever restores `ledger` from a backup, that says how far the ledger goes; by default one in
        the user's folder for the state of programs.
    continues : name of a scope whose charges, ids and admissions are kept when code or parameters change; it is closed.
    per_user : the largest loss from all rewards that one person gives in one window, in the notion of the budget; with
        contexts, from these too. The budget then bounds each reward, and a person is admitted as often as all of them
        together fit.
    window : "hour", "day" or "week", in UTC; None for ever. A clock that is set back gives nothing again.

    Guarantee
    ---------
    The notion of the budget (epsilon-DP, (epsilon, delta)-DP, rho-zCDP or mu-GDP) for neighbouring streams, on every
    execution: everything that leaves the guarded policy is a function of releases within the budget, of its own coins,
    and of public numbers. Any error that it raises depends on these alone. Under contextual feedback the guarantee is
    joint: it protects the context and reward of one round against everything that leaves the policy in the other
    rounds, provided that nothing that `select` calls acts outside of the process or later: code that surely does is
    refused, functions of others that are not known are named in a warning, and errors of `select` reach the caller as
    text alone. Neighbouring streams are fixed tables of rewards that differ in one datum.

    With a ledger all this holds over restarts, crashes, retries and workers: what is shown is a function of draws that
    were committed together with their charges before the policy saw them. One id has one answer. With `per_user`,
    neighbours are also streams that differ in all rewards of one person in one window, whenever they are released; over
    W windows the loss is at most W per_user, of rho W^2 per_user. Under contextual feedback they differ in the contexts
    of these rounds too, and what she is shown in them does not count: only what everybody else is shown. Provided that
    the disk keeps what it has confirmed, that `head` is not restored together with the ledger, that nobody else writes
    to either, and that who gave rewards, when, and under which id is public. `forget()` deletes rewards and contexts
    from it. See `docs/deployment.md`.

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
    keeping = Keeping(ledger, scope, head, continues, per_user, window)
    look_again(policy)
    return guarded(policy, given, options, feedback, arms, noise, rng, np.random.default_rng(), keeping)


def guarded(
    policy: Any,
    given: dict[str, float | None],
    options: dict[str, Any],
    feedback: str,
    arms: int | None,
    noise: str,
    rng: np.random.Generator | None,
    coins: np.random.Generator,
    keeping: Keeping = NOWHERE,
) -> GuardedPolicy:
    """Return what `guard` returns; a factory is built with a Generator that takes its coins from `coins`, or from those
    of a ledger.
    """
    Process().check("guard()")
    if isinstance(policy, GuardedPolicy):
        raise PrivcheckError("policy", words("a guarded policy"), "the policy itself", "use it as it is")
    if feedback not in FEEDBACKS.guarded:
        expected = f"one of {', '.join(map(repr, FEEDBACKS.guarded))}"
        raise PrivcheckError("feedback", feedback, expected, "other kinds cannot be guarded yet")
    take_as_own(policy)
    by, contexts = kind(feedback), options["contexts"]
    builds = isinstance(policy, type) or (callable(policy) and not hasattr(policy, by.chooses))
    if not builds:
        check_policy(policy, by, arms)
    asked = options["neighbours"]
    related = relation(asked.under(feedback, FEEDBACKS.contextual) if isinstance(asked, type(ROW)) else asked)
    refuse_adding(related, "a policy", policy=True)
    check_contexts(feedback, related.name, contexts, FEEDBACKS.contextual)
    rewards = check_rewards(options["rewards"])
    budget = budget_of(given["epsilon"], given["delta"] or 0.0, given["rho"], given["mu"])
    if budget is None:
        raise PrivcheckError("epsilon", None, "a budget: epsilon, rho or mu", "a guard needs one: give epsilon=1.0")
    source = noise_source(noise, rng, [coins] if builds else own_generators(policy))
    keeping.check(builds=builds, noise=noise, rng=rng)

    build = PolicyBuilder(policy, given, by, arms, noise, rng, coins, budget, related, rewards, options, source, builds)
    parameters = parameters_of(given, {**options, "rewards": rewards, "neighbours": related.name}, feedback, arms)
    return translated_for(policy, lambda: GuardedPolicy(Engine(build, opened(keeping, budget, parameters, policy))))
