"""What can be audited: a shipped id, a spec instance, a factory, or the place of one in a file or module."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from privcheck.bandits import ALGORITHMS, Algorithm
from privcheck.bandits.base import split_description
from privcheck.errors import PrivcheckError, words
from privcheck.targets.location import Location
from privcheck.targets.mechanism import MechanismRunner, is_mechanism
from privcheck.targets.runners import KernelRunner, PolicyRunner, Runner
from privcheck.targets.settings import Settings


@dataclass(frozen=True)
class Target:
    """A policy, ready to be run."""

    name: str
    runner: Runner
    feedback: str
    arms: int


def number_of_arms(target: Any, arms: int | None) -> int:
    """Return K: what was given, what a spec was built with, 2 for a shipped id; a policy of one's own has to say.

    A factory that is not a class says it with an attribute `arms`, as the factories of `privcheck.adapters` do.
    A one-shot mechanism has as many columns of data as `arms` says, and without it a one-dimensional input, here 0.
    """
    if isinstance(target, Algorithm):
        if arms not in (None, target.arms):
            raise PrivcheckError("arms", arms, f"{target.arms}, as {target.id} was built with", "leave arms out")
        return target.arms
    if isinstance(target, MechanismRunner):
        return arms or 0
    if _is_id(target):
        given = split_description(target)[1].get("arms")
        if given is not None and arms not in (None, given):
            raise PrivcheckError("arms", arms, f"{given}, as in {target}", "leave arms out")
        return given or arms or 2
    factory = _factory(target)[1] if arms is None else None
    if not isinstance(factory, type) and type(getattr(factory, "arms", None)) is int:
        return int(factory.arms)  # type: ignore[union-attr]
    if arms is None:
        raise PrivcheckError("arms", None, "the number of arms of the policy", "give arms=2, or --arms 2")
    return arms


def resolve(target: Any, settings: Settings, horizon: int, arms: int) -> Target:
    """Find out what `target` is and how to run it, or raise `PrivcheckError`.

    Parameters
    ----------
    target : "adap-ucb", "adap-ucb(alpha=2.0)", a spec instance, a class or factory, "path/to/file.py:name" or
        "package.module:name".
    settings : epsilon and delta are handed to a factory that names them, a shipped id is built with epsilon.
    horizon, arms : T and K.
    """
    if _is_id(target):
        target = _shipped(target, settings.epsilon, arms, horizon)
    if isinstance(target, MechanismRunner):
        return Target(target.name, target, "mechanism", arms)
    if isinstance(target, Algorithm):
        if target.declares("horizon") and horizon > target.horizon:  # type: ignore[attr-defined]
            hint = "its noise is calibrated to the rounds that it was built for"
            raise PrivcheckError("horizon", horizon, f"at most the horizon of {target.describe()}", hint)
        if settings.rewards[0] < 0.0 or settings.rewards[1] > 1.0:
            hint = f"{target.id} is defined for rewards in [0, 1]"
            raise PrivcheckError("rewards", settings.rewards, "a range within (0, 1)", hint)
        runner: Runner = KernelRunner(target)
        if settings.observe == "releases":
            runner = PolicyRunner(target.build, {"arms": arms}, target.feedback, observe="releases")
        return Target(target.describe(), runner, target.feedback, arms)
    location, factory = _factory(target)
    keywords = {"arms": arms, "epsilon": settings.epsilon, "delta": settings.delta, "horizon": horizon}
    name = str(location) if location else getattr(factory, "__name__", type(factory).__name__)
    feedback = settings.feedback
    runner = PolicyRunner(factory, keywords, feedback, location, settings.observe, settings.contexts)
    return Target(name, runner, feedback, arms)


def loaded(target: Any) -> Any:
    """Return a runner for a one-shot mechanism, or for the place of one; everything else as it is.

    >>> loaded("adap-ucb")
    'adap-ucb'
    """
    if not isinstance(target, str) or _is_id(target):
        return MechanismRunner(target) if is_mechanism(target) else target
    location, factory = _factory(target)
    return MechanismRunner(factory, location) if is_mechanism(factory) else target


def _is_id(target: Any) -> bool:
    return isinstance(target, str) and ":" not in target and not target.endswith(".py")


def _shipped(text: str, epsilon: float | None, arms: int, horizon: int) -> Algorithm:
    name, given = split_description(text)
    if name not in ALGORITHMS:
        hint = "shipped ids are shown by `privcheck list`; a policy of your own is path/to/file.py:name"
        raise PrivcheckError("target", name, f"one of {', '.join(ALGORITHMS)}, or a place like file.py:name", hint)
    algorithm = ALGORITHMS[name]
    parameters: dict[str, Any] = {"arms": arms} | ({"horizon": horizon} if algorithm.declares("horizon") else {})
    if algorithm.private and "epsilon" not in given:
        if epsilon is None:
            raise PrivcheckError(
                "epsilon", None, f"the budget to build {name} with", "give epsilon=1.0, or --epsilon 1"
            )
        parameters["epsilon"] = epsilon
    return algorithm(**parameters | given)


def _factory(target: Any) -> tuple[Location | None, Callable[..., Any]]:
    if isinstance(target, str):
        module, _, name = target.rpartition(":") if ":" in target else (target, "", "")
        if not name:
            raise PrivcheckError("target", target, "path/to/file.py:name", "name the class or factory after a colon")
        location = Location(module, name)
        return location, location.load()
    if not callable(target):
        got = words(f"an object of type {type(target).__name__}")
        raise PrivcheckError(
            "target", got, "a shipped id, a spec, a factory or a place", "pass the class, not an instance of it"
        )
    return None, target
