"""AdaC-UCB, reconstructed: AdaP-UCB with Gaussian noise, under zCDP."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.adaptive_episodes import AdaptiveEpisodesPolicy, adaptive_episodes_kernel
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter, rho_parameter
from privcheck.declared import POSITIVE, parameter
from privcheck.mechanisms import Gaussian


@dataclass(frozen=True)
class AdaCUCB(Algorithm):
    r"""AdaC-UCB, reconstructed: adaptive doubling episodes with forgetting, Gaussian noise and a private UCB index.

    At the start of an episode, after t rounds, with the last private mean m_a of n_a rewards of arm a, it plays

        argmax_a  m_a + sqrt((1 / (2 n_a) + 1 / (rho n_a^2)) alpha ln(t + 1))

    for as many rounds as the arm has been played so far. A mean of n_a rewards in [0, 1] with noise of variance
    1 / (2 rho n_a^2) is sub-Gaussian with variance 1 / (4 n_a) + 1 / (2 rho n_a^2), of which this is 2 alpha ln(t + 1)
    times, under the root.

    Parameters
    ----------
    arms : K >= 2.
    rho : privacy budget, > 0.
    alpha : exploration parameter, > 0.

    Guarantee
    ---------
    rho-zCDP, hence sqrt(2 rho)-Gaussian DP, for reward streams in [0, 1] of any law that differ in one round, when the
    actions are released; also for tables that are chosen adaptively. A reward enters the mean of one block of n
    rewards, of sensitivity 1 / n, which is released once with noise of variance 1 / (2 rho n^2). On every course of
    actions and releases exactly one conditional law differs, by a Renyi divergence of at most x rho at each order x;
    see `AdaptiveEpisodesPolicy`. Ties go to the lowest arm.

    Source
    ------
    Azize and Basu 2023, "Concentrated differential privacy for bandits" (arXiv 2309.00557). A reconstruction: the text
    was not at hand. The episodes are those of the authors' AdaP-UCB, and the index is derived above.

    Examples
    --------
    >>> AdaCUCB(arms=2, rho=0.5).build(np.random.default_rng(0)).select()
    0

    """

    arms: int = arms_parameter()
    rho: float = rho_parameter()
    alpha: float = parameter(POSITIVE, typical=(1.0, 4.0), default=3.1, doc="alpha, the exploration parameter")

    id: ClassVar[str] = "adac-ucb"
    source: ClassVar[str] = "Azize and Basu 2023, reconstructed"
    simulation_engine: ClassVar[str] = "event"
    epsilon: ClassVar[None] = None  # type: ignore[misc]  # its budget is in rho
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=400_000, horizon=12, epsilon=None)
    kernel = staticmethod(adaptive_episodes_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> AdaCUCBPolicy:
        return AdaCUCBPolicy(self.arms, self.rho, self.alpha, noise or rng)

    def kernel_parameters(self) -> Array:
        return np.array([self.rho, self.alpha, 2.0])


class AdaCUCBPolicy(AdaptiveEpisodesPolicy):
    """The reference of AdaC-UCB."""

    def __init__(self, arms: int, rho: float, alpha: float, noise: np.random.Generator) -> None:
        super().__init__(arms, math.inf, alpha, noise)
        self.rho = rho

    def mechanism(self, n: int) -> Gaussian:
        """Return the mechanism that releases a mean of n rewards."""
        return Gaussian(sensitivity=1.0 / n, mu=math.sqrt(2.0 * self.rho))

    def index(self, arm: int, log_round: float) -> float:
        """Return m_a + sqrt((1 / (2 n_a) + 1 / (rho n_a^2)) alpha ln(t+1))."""
        n = self.block_length[arm]
        variance = 0.5 / n + 1.0 / (self.rho * n * n)
        return self.private_mean[arm] + math.sqrt(self.alpha * log_round * variance)
