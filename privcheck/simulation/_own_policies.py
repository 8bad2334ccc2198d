"""Policies in Python that are not shipped: how they are loaded, and what they need of an environment."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from privcheck.bandits import Algorithm
from privcheck.declared import Choice, check
from privcheck.environments import ContextualEnvironment, Environment
from privcheck.errors import PrivcheckError, words
from privcheck.feedback import kind
from privcheck.results import OwnPolicy
from privcheck.targets import PolicyRunner, factory_parameters, load_factory, takes_generator

MOST_NUMBERS = 50_000_000
"""The most rewards and entries of contexts in one run, which are held in memory: 400 MB."""


@dataclass(frozen=True)
class LoadedPolicy:
    """A policy of a user, ready to be played.

    Parameters
    ----------
    own : what results say about it.
    identity : names its stream of random numbers; the working directory is not part of it.
    runner : builds it.
    """

    own: OwnPolicy
    identity: str
    runner: PolicyRunner


def is_own(policy: Any) -> bool:
    """Tell whether a policy is a user's own: neither a spec nor text without a place.

    >>> is_own("adap-ucb"), is_own("my_bandit.py:MyBandit"), is_own(dict)
    (False, True, True)
    """
    if isinstance(policy, str):
        return "(" not in policy and (":" in policy or policy.endswith(".py"))
    shipped = isinstance(policy, Algorithm) or (isinstance(policy, type) and issubclass(policy, Algorithm))
    return callable(policy) and not shipped


def feedback_of(place: Environment, asked: str | None) -> str:
    """Return the kind of feedback that own policies are given in an environment.

    Raises
    ------
    PrivcheckError : a kind that the environment cannot give.
    """
    possible = place.feedbacks
    return (
        possible[0] if asked is None else str(check("feedback", asked, Choice(possible), f"{place.id} gives no other"))
    )


def load_own(
    policy: Any, place: Environment, horizon: int, promised: Mapping[str, float | None], feedback: str
) -> LoadedPolicy:
    """Return a policy of a user, or refuse one that cannot be played in the environment.

    Parameters
    ----------
    policy : a factory, or the place of one.
    place, horizon : where it is to play, and how long.
    promised : the budget: what of it a factory names is passed to it.
    feedback : id of the kind of feedback.

    Raises
    ------
    PrivcheckError : a factory that cannot be called or lacks methods, or that needs contexts where there are none.
    """
    name, factory, location = load_factory(policy)
    known = None if isinstance(factory, type) else getattr(factory, "arms", None)
    if type(known) is int and known != place.arms:
        got = words(f"{name} with {known} arms on an environment with {place.arms} arms")
        raise PrivcheckError("policies", got, f"{place.arms} arms", "give it the arms of the environment")
    keywords = {"arms": place.arms, "horizon": horizon, **promised}
    randomness = None if takes_generator(factory) else "seeded"
    runner = PolicyRunner(factory, keywords, feedback, location, randomness=randomness)
    _check_select(runner.build(np.random.default_rng(0)), name, place, contextual=kind(feedback).contextual)
    numbers = horizon * place.arms * (1 + place.features if isinstance(place, ContextualEnvironment) else 1)
    if numbers > MOST_NUMBERS:
        got = words(f"{horizon} rounds of {name}, which needs {numbers:.2g} numbers in memory for a run")
        raise PrivcheckError("horizon", got, f"at most {MOST_NUMBERS:.2g} numbers", "give a shorter horizon")
    told = factory_parameters(factory).intersection(promised)
    own = OwnPolicy(name, feedback, **{each: promised[each] for each in told})
    identity = (
        name if location is None else f"{location.module.replace(chr(92), '/').rpartition('/')[2]}:{location.name}"
    )
    return LoadedPolicy(own, identity, runner)


def _check_select(policy: Any, name: str, place: Environment, *, contextual: bool) -> None:
    """Refuse a policy whose `select` cannot be called as the environment calls it."""
    try:
        signature = inspect.signature(policy.select)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*([None] if contextual else []))
    except TypeError:
        got = words(f"{name} with select{signature} on {place.id}")
        if contextual:
            hint = (
                f"{place.id} shows a context in every round; policies without contexts play on arms, as in [0.75, 0.5]"
            )
            raise PrivcheckError("policies", got, "select(context)", hint) from None
        hint = "contextual policies play on linear-contexts or on a log of contexts"
        raise PrivcheckError("policies", got, f"select(), since {place.id} has no contexts", hint) from None
