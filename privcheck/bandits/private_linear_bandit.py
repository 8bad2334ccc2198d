"""What the private algorithms for contextual linear bandits share: their budget, and the bounds of a row."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.bandits.base import horizon_parameter
from privcheck.bandits.linear_bandit import (
    LinearBandit,
    actions_parameter,
    bound_parameter,
    features_parameter,
    outside_parameter,
)
from privcheck.bandits.linear_kernel import LinearSetup
from privcheck.bandits.linear_policy import PrivateLinUCBPolicy, RowSums
from privcheck.bandits.linear_regularisers import NoiseBounds
from privcheck.declared import POSITIVE, Choice, Real, parameter

DELTA = Real(0.0, 1.0, low_open=True, high_open=True)


@dataclass(frozen=True)
class PrivateLinearBandit(LinearBandit):
    """Base of the variants of LinUCB on private sums of outer products of rows (x, y).

    Parameters
    ----------
    arms, features, horizon : K, d and n.
    epsilon, delta : the budget.
    noise : "calibrated" for as little noise as the budget allows, or "published".
    context_norm, reward_bound : L and B, the largest norm of an action and the largest absolute reward.
    outside : "clip" rows (x, y) to the norm sqrt(L^2 + B^2), or "refuse" actions and rewards beyond the bounds.
    sigma, theta_norm : as for LinUCB.
    """

    arms: int = actions_parameter()
    features: int = features_parameter()
    epsilon: float = parameter(
        POSITIVE, typical=(0.1, 4.0), doc="epsilon, of (epsilon, delta)-joint DP", hint="give a positive budget"
    )
    delta: float = parameter(
        DELTA,
        typical=(1e-6, 0.1),
        doc="delta, of (epsilon, delta)-joint DP",
        hint="far below one over the number of users",
    )
    horizon: int = horizon_parameter(2**25)
    noise: str = parameter(
        Choice(("calibrated", "published")), typical=("calibrated", "published"), default="calibrated",
        doc="how large the noise is",
    )  # fmt: skip
    context_norm: float = bound_parameter(1.0, "L, the largest norm of an action")
    reward_bound: float = bound_parameter(1.0, "B, the largest absolute reward")
    sigma: float = bound_parameter(1.0, "sigma, of the sub-Gaussian noise of rewards")
    theta_norm: float = bound_parameter(1.0, "S, the largest norm of the parameter")
    outside: str = outside_parameter()

    approximate: ClassVar[bool] = True

    @property
    def row_norm(self) -> float:
        """The largest norm Ltilde of a row (x, y)."""
        return math.hypot(self.context_norm, self.reward_bound)

    @property
    def bounds(self) -> NoiseBounds:
        """The shift of the noisy Gram matrix, and the bounds on its noise."""
        raise NotImplementedError

    def constants(self, **noise: Any) -> LinearSetup:
        """Return what the kernel needs to know, given what it needs to know of the noise."""
        bounds = self.bounds
        return LinearSetup(
            items=self.items,
            shift=bounds.shift,
            sigma=self.sigma,
            log_failure=2.0 * math.log(2.0 / self.alpha),
            log_rho_min=math.log(bounds.rho_min),
            offset=self.theta_norm * math.sqrt(bounds.rho_max) + bounds.gamma,
            norm=self.row_norm,
            **noise,
        )

    def sums(self, rng: np.random.Generator) -> RowSums:
        """Return the private sums that the reference plays on."""
        raise NotImplementedError

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> PrivateLinUCBPolicy:
        limits = (self.context_norm, self.reward_bound) if self.outside == "refuse" else None
        return PrivateLinUCBPolicy(self.sums(noise or rng), self.setup, self.arms, limits)
