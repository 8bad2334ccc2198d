"""LinUCB, the optimistic algorithm for contextual linear bandits, which is not private."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.bandits.base import horizon_parameter
from privcheck.bandits.linear_bandit import LinearBandit, actions_parameter, bound_parameter, features_parameter
from privcheck.bandits.linear_kernel import PLAIN, LinearSetup
from privcheck.bandits.linear_policy import ExactSums, LinUCBPolicy


@dataclass(frozen=True)
class LinUCB(LinearBandit):
    r"""LinUCB: least squares with a regulariser rho, and the action that is the best within a confidence set.

    Rewards are y = x' theta* + noise. With V = rho I + sum_s x_s x_s' and theta = V^-1 sum_s y_s x_s it plays the
    action x of the round's decision set with the largest theta' x + beta |x| in the norm of V^-1, where

        beta = sigma sqrt(2 ln(2 / alpha) + ln det V - d ln rho) + S sqrt(rho),    alpha = 1 / n.

    Parameters
    ----------
    arms : K >= 2, the number of actions in every decision set.
    features : d >= 1, the number of entries of an action.
    horizon : n, the largest number of rounds.
    regulariser : rho > 0.
    sigma : the noise of the rewards is sigma-sub-Gaussian, > 0; 1 for rewards in [-1, 1].
    theta_norm : S, the largest norm of theta*, > 0.

    Guarantee
    ---------
    None: actions depend on rewards and contexts without noise. Ties within 1e-9 go to the lowest action.

    Source
    ------
    Shariff and Sheffet 2018, Algorithm 1 with the regulariser rho I; Abbasi-Yadkori, Pal and Szepesvari 2011.

    Examples
    --------
    >>> policy = LinUCB(arms=2, features=2, horizon=100).build(np.random.default_rng(0))
    >>> for reward in (1.0, 1.0, -1.0):
    ...     policy.update(np.eye(2), 0, reward)
    >>> policy.select(np.eye(2))
    1

    """

    arms: int = actions_parameter()
    features: int = features_parameter()
    horizon: int = horizon_parameter()
    regulariser: float = bound_parameter(1.0, "rho, the regulariser")
    sigma: float = bound_parameter(1.0, "sigma, of the sub-Gaussian noise of rewards")
    theta_norm: float = bound_parameter(1.0, "S, the largest norm of the parameter")

    id: ClassVar[str] = "lin-ucb"
    source: ClassVar[str] = "Shariff and Sheffet 2018, Algorithm 1; Abbasi-Yadkori, Pal and Szepesvari 2011"
    private: ClassVar[bool] = False

    @property
    def setup(self) -> LinearSetup:
        return LinearSetup(
            kind=PLAIN, items=self.items, scale=0.0, degrees=0.0, levels=0, decoder=np.zeros(0), shift=self.regulariser,
            sigma=self.sigma, log_failure=2.0 * math.log(2.0 / self.alpha), log_rho_min=math.log(self.regulariser),
            offset=self.theta_norm * math.sqrt(self.regulariser), norm=math.inf,
        )  # fmt: skip

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> LinUCBPolicy:
        return LinUCBPolicy(ExactSums(self.features + 1), self.setup, self.arms, None)
