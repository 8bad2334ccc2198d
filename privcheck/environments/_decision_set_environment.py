"""The base class of environments for contextual bandits: a new decision set in every round."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.environments._base import Environment
from privcheck.errors import PrivcheckError, words
from privcheck.kernels import DecisionSets


class ContextualEnvironment(Environment):
    """Base of the environments in which every round has its own decision set: K actions, vectors in R^d.

    The pseudo-regret of a round is the largest mean reward in its decision set minus that of the action played. No
    action has a mean of its own, so `means` is empty.
    """

    means: tuple[float, ...] = ()
    unit_rewards: ClassVar[bool] = False
    feedbacks: ClassVar[tuple[str, ...]] = ("contextual",)

    features: int
    """d, the number of entries of an action."""

    context_norm: float = 1.0
    """The largest norm of an action."""

    reward_bound: float = math.inf
    """The largest absolute reward."""

    def place(self) -> DecisionSets:
        """Return where kernels take decision sets and rewards from."""
        raise NotImplementedError

    def draw(self, rng: np.random.Generator, rounds: int) -> tuple[Array, Array, Array]:
        """Return what a policy is shown in each round of one run, and the means and rewards of all actions.

        Contexts are of shape (rounds, K, d), or (rounds, d) where one vector is shown; the others of shape (rounds, K).
        """
        raise NotImplementedError

    def gaps(self) -> Array:
        """Return the largest regret of a round, shape (1,)."""
        raise NotImplementedError

    @property
    def described(self) -> dict[str, Any]:
        """The parameters, for reports: numbers and words as they are, arrays by their shapes."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.init}  # type: ignore[arg-type]
        shown = {name: list(v.shape) if isinstance(v, np.ndarray) else v for name, v in values.items()}
        return {name: value for name, value in shown.items() if value is not None}

    def table(self, rng: np.random.Generator, horizon: int) -> Array:
        """Refuse: rewards without decision sets mean nothing here."""
        got = words(f"a table of rewards of {self.id}")
        raise PrivcheckError("environment", got, "an environment with K arms", "its decision sets are new every round")
