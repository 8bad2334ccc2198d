"""What can be audited: a shipped id, a spec instance, a factory, or the place of one in a file or module."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from privcheck.auditing.factories import Location
from privcheck.auditing.runners import KernelRunner, PolicyRunner, Runner
from privcheck.bandits import ALGORITHMS, Algorithm
from privcheck.errors import PrivcheckError, words

FEEDBACKS = ("bandit", "full")


@dataclass(frozen=True)
class Target:
    """A policy, ready to be run."""

    name: str
    runner: Runner
    arms: int
    feedback: str


def resolve(
    target: Any,
    *,
    epsilon: float | None,
    delta: float,
    arms: int | None,
    horizon: int,
    feedback: str,
    rewards: tuple[float, float],
) -> Target:
    """Find out what `target` is and how to run it, or raise `PrivcheckError`.

    Parameters
    ----------
    target : "adap-ucb", a spec instance, a class or factory, "path/to/file.py:name" or "package.module:name".
    epsilon, delta, arms, horizon : handed to a factory that names them; a shipped id is built with epsilon and arms.
    feedback : "bandit" or "full", of a user's policy; a shipped one knows its own.
    rewards : declared range of rewards; shipped algorithms take rewards in [0, 1].

    """
    if feedback not in FEEDBACKS:
        raise PrivcheckError(
            "feedback",
            feedback,
            f"one of {', '.join(map(repr, FEEDBACKS))}",
            "other kinds of feedback cannot be audited yet",
        )
    if isinstance(target, str) and ":" not in target and not target.endswith(".py"):
        target = _shipped(target, epsilon, arms)
    if isinstance(target, Algorithm):
        if arms is not None and arms != target.arms:
            raise PrivcheckError("arms", arms, f"{target.arms}, as {target.id} was built with", "leave arms out")
        if rewards[0] < 0.0 or rewards[1] > 1.0:
            raise PrivcheckError(
                "rewards", rewards, "a range within (0, 1)", f"{target.id} is defined for rewards in [0, 1]"
            )
        return Target(target.describe(), KernelRunner(target), target.arms, target.feedback)
    if arms is None:
        raise PrivcheckError("arms", None, "the number of arms of the policy", "give arms=2, or --arms 2")
    location, factory = _factory(target)
    keywords = {"arms": arms, "epsilon": epsilon, "delta": delta, "horizon": horizon}
    name = f"{location.module}:{location.name}" if location else getattr(factory, "__name__", type(factory).__name__)
    return Target(name, PolicyRunner(factory, keywords, feedback, location), arms, feedback)


def _shipped(name: str, epsilon: float | None, arms: int | None) -> Algorithm:
    if name not in ALGORITHMS:
        hint = "shipped ids are shown by `privcheck list`; a policy of your own is path/to/file.py:name"
        raise PrivcheckError("target", name, f"one of {', '.join(ALGORITHMS)}, or a place like file.py:name", hint)
    algorithm = ALGORITHMS[name]
    parameters: dict[str, Any] = {"arms": arms or 2}
    if algorithm.private:
        if epsilon is None:
            raise PrivcheckError(
                "epsilon", None, f"the budget to build {name} with", "give epsilon=1.0, or --epsilon 1"
            )
        parameters["epsilon"] = epsilon
    return algorithm(**parameters)


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
