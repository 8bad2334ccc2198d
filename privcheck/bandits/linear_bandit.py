"""The common base of algorithms for contextual linear bandits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Actions, Array, Integers, Table
from privcheck.bandits.base import Algorithm, ContextualPolicy
from privcheck.bandits.linear_kernel import LinearSetup, linear_kernel
from privcheck.bandits.linear_policy import not_definite
from privcheck.declared import POSITIVE, Choice, Integer, parameter
from privcheck.errors import PrivcheckError
from privcheck.kernels import SIGNS, DecisionSets, Generators
from privcheck.privacy import Contexts

MOST_ACTIONS = 10_000
MOST_FEATURES = 256


class LinearBandit(Algorithm):
    """Base of the algorithms that choose among K actions, vectors in R^d that are new in every round.

    Their rewards have the mean x' theta. They are played by one kernel, `privcheck.bandits.linear_kernel`; `setup` is
    what it needs to know of an algorithm.
    """

    feedback: ClassVar[str] = "contextual"
    simulation_engine: ClassVar[str] = "step"
    any_rewards: ClassVar[bool] = True
    kernel: ClassVar[Any] = staticmethod(linear_kernel)

    features: int
    horizon: int

    context_norm: float = 1.0
    reward_bound: float = math.inf
    outside: str = "clip"

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> ContextualPolicy:
        raise NotImplementedError

    @property
    def shares_of_delta(self) -> Mapping[str, float] | None:
        """The shares of delta by accountant under which the noise stays within the budget; None for the default."""
        return None

    @property
    def setup(self) -> LinearSetup:
        """What the kernel needs to know of the algorithm."""
        raise NotImplementedError

    @property
    def contexts(self) -> Contexts:
        """What decision sets look like."""
        norm = self.context_norm
        return Contexts(shape=(self.arms, self.features), low=-norm, high=norm, norm=norm)

    @property
    def alpha(self) -> float:
        """The probability 1 / n with which some confidence set may fail."""
        return 1.0 / self.horizon

    @property
    def items(self) -> int:
        """The number n - 1 of rounds whose data are used: what the last round tells would never be read."""
        return self.horizon - 1

    def warm_up(self) -> int:
        """Return 0: which actions are played depends on the decision sets."""
        return 0

    def symbols(self, table: Table, runs: int, streams: Generators) -> Actions:
        """Return the actions of independent runs on a table of K rewards and K d features, shape (runs, T)."""
        if self.arms > 127:
            raise PrivcheckError("arms", self.arms, "at most 127 for an audit", "larger decision sets can be simulated")
        paid, seen = self.contexts.split(np.ascontiguousarray(table, np.float64), self.arms)
        rewards, contexts = np.ascontiguousarray(paid), np.ascontiguousarray(seen)
        self.check_range(float(np.linalg.norm(contexts, axis=-1).max()), float(np.abs(rewards).max()))
        place = DecisionSets(contexts, rewards, np.zeros_like(rewards), False, 0.0, 0.0, 0.0, SIGNS)
        actions = np.empty((runs, len(table)), np.int8)
        self._play(place, streams, runs, actions, np.zeros(0, np.int64), np.zeros((0, 0)), len(table))
        return actions

    def regret(self, place: DecisionSets, streams: Generators, runs: int, checkpoints: Integers) -> Array:
        """Return the pseudo-regret of independent runs at the checkpoints, shape (runs, C)."""
        found = np.empty((runs, len(checkpoints)))
        self._play(place, streams, runs, np.zeros((0, 0), np.int8), checkpoints, found, int(checkpoints[-1]))
        return found

    def check_range(self, norm: float, reward: float) -> None:
        """Refuse actions or rewards beyond the declared bounds, if the algorithm was built to refuse them."""
        if self.outside != "refuse":
            return
        for name, value, bound in (("context", norm, self.context_norm), ("reward", reward, self.reward_bound)):
            if not value <= bound * (1.0 + 1e-12):
                hint = "scale them, or build it with outside='clip'"
                raise PrivcheckError(name, value, f"at most {bound:g} in norm", hint)

    def _play(
        self,
        place: DecisionSets,
        streams: Generators,
        runs: int,
        actions: Actions,
        checkpoints: Integers,
        regret: Array,
        horizon: int,
    ) -> None:
        failed = linear_kernel(
            self.setup, place, self.arms, self.features, streams.rewards, streams.noise, horizon, runs, actions,
            checkpoints, regret,
        )  # fmt: skip
        if failed:
            raise not_definite(failed)


def actions_parameter() -> Any:
    """Declare the number K of actions in every decision set."""
    return parameter(
        Integer(2, MOST_ACTIONS), typical=(2, 9), doc="K, the number of actions in every decision set",
        hint="a choice needs two actions or more",
    )  # fmt: skip


def features_parameter() -> Any:
    """Declare the number d of entries of an action."""
    return parameter(Integer(1, MOST_FEATURES), typical=(1, 5), doc="d, the number of entries of an action")


def bound_parameter(default: float, doc: str) -> Any:
    """Declare a bound on what the algorithm receives."""
    return parameter(POSITIVE, typical=(0.5, 2.0), default=default, doc=doc, hint="a bound is positive")


def outside_parameter() -> Any:
    """Declare what happens to rows beyond the bounds."""
    return parameter(
        Choice(("clip", "refuse")), typical=("clip", "refuse"), default="clip", doc="what is done beyond the bounds"
    )
