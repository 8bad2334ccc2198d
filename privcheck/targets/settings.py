"""The settings of an audit, each declared once: domain, meaning, what to do when it is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privcheck.declared import POSITIVE, Choice, Declared, Integer, OrNone, Real, parameter
from privcheck.errors import PrivcheckError
from privcheck.feedback import FEEDBACKS
from privcheck.privacy import Relation, check_contexts, check_rewards, relation

DEFAULT_HORIZON = 16
"""Rounds of a run where nothing is said of them, and twice the arms at least."""

PROBABILITY = Real(0.0, 1.0, low_open=True, high_open=True)


def _optional(domain: Any, *, typical: tuple[Any, ...], doc: str, hint: str) -> Any:
    return parameter(OrNone(domain), typical=typical, doc=doc, default=None, hint=hint)


@dataclass(frozen=True)
class Settings(Declared):
    """What `privcheck.audit` was asked for, checked.

    >>> Settings(epsilon=1, horizon=16.0).horizon
    16
    """

    epsilon: float | None = _optional(
        POSITIVE, typical=(0.1, 4.0), doc="the claim", hint="a privacy budget is positive, e.g. 1.0"
    )
    delta: float = parameter(
        Real(0.0, 1.0, high_open=True),
        typical=(0.0, 1e-3),
        doc="delta of the claim",
        default=0.0,
        hint="pure epsilon-DP is delta=0",
    )
    arms: int | None = _optional(Integer(2, 127), typical=(2, 10), doc="K", hint="a bandit needs two arms or more")
    horizon: int | None = _optional(Integer(1), typical=(4, 64), doc="T, rounds per run", hint="rounds per run")
    rewards: Any = (0.0, 1.0)
    feedback: str = parameter(
        Choice(FEEDBACKS),
        typical=("bandit", "full", "contextual"),
        doc="what update() is given",
        default="bandit",
        hint="'bandit' is the usual one: update(action, reward)",
    )
    runs: int | None = _optional(
        Integer(20), typical=(1000, 10**6), doc="runs a side", hint="tens of thousands are usual: few runs show nothing"
    )
    time_budget: float | None = _optional(POSITIVE, typical=(1.0, 60.0), doc="seconds", hint="give seconds")
    confidence: float = parameter(
        PROBABILITY, typical=(0.9, 0.99), doc="of the lower bound", default=0.95, hint="0.95 is usual"
    )
    error: float = parameter(
        PROBABILITY, typical=(1e-6, 0.05), doc="level of the verdict", default=1e-3, hint="1e-3 is usual"
    )
    observe: str = parameter(
        Choice(("actions", "releases")),
        typical=("actions", "releases"),
        doc="what is observed",
        default="actions",
        hint="'releases' observes released statistics as well as actions",
    )
    neighbours: str = "row"
    contexts: Any = None
    sequential: bool = False
    seed: int = parameter(Integer(0), typical=(0, 100), doc="root of all randomness", default=0, hint="give an integer")
    jobs: int = parameter(
        Integer(1), typical=(1, 2), doc="workers", default=1, hint="1 runs everything in this process"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "rewards", check_rewards(self.rewards))
        object.__setattr__(self, "neighbours", relation(self.neighbours).name)
        check_contexts(self.feedback, self.neighbours, self.contexts, FEEDBACKS.contextual)
        if self.sequential and self.epsilon is None:
            raise PrivcheckError("epsilon", None, "a claim to bet against", "sequential audits end when it is refuted")

    @property
    def relation(self) -> Relation:
        """The neighbour relation."""
        return relation(self.neighbours)

    @property
    def level(self) -> float:
        """Error probability of the lower bound."""
        return 1.0 - self.confidence
