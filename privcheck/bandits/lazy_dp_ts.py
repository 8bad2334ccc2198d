"""Lazy-DP-TS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter, epsilon_parameter
from privcheck.bandits.lazy_blocks import LazyBlocksPolicy, lazy_blocks_kernel
from privcheck.bandits.reward_coins import rewards_parameter


@dataclass(frozen=True)
class LazyDPTS(Algorithm):
    r"""Lazy-DP-TS: Thompson sampling from optimistic private means of blocks of 1, 2, 4, ... rewards.

    In round t, with the last private mean of O_a rewards of arm a and m_a = clip(mean + 3 ln t / (epsilon O_a), 0, 1),
    it plays argmax_a theta_a, where the theta_a ~ Beta(m_a O_a + 1, (1 - m_a) O_a + 1) are drawn anew in every round.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : privacy budget, > 0.
    rewards : "plain", or "coin" for one Bernoulli coin per reward: the regret bound is for {0, 1} rewards.

    Guarantee
    ---------
    epsilon-DP (pure) for reward streams in [0, 1] that differ in one round, when the actions are released; see
    `LazyBlocksPolicy` for what one reward can change. The clip and the posterior draws act on released means. Ties have
    probability zero and go to the lowest arm.

    Source
    ------
    Hu, Huang, Mehta and Hegde, Algorithm 3; privacy: Theorem 4; regret: Theorem 5 (Bernoulli rewards).

    Examples
    --------
    >>> policy = LazyDPTS(arms=2, epsilon=1.0).build(np.random.default_rng(0))
    >>> policy.select()
    0

    """

    arms: int = arms_parameter()
    epsilon: float = epsilon_parameter()
    rewards: str = rewards_parameter()

    id: ClassVar[str] = "lazy-dp-ts"
    source: ClassVar[str] = "Hu, Huang, Mehta and Hegde, Algorithm 3, Theorems 4 and 5"
    tosses_coins: ClassVar[bool] = True
    simulation_engine: ClassVar[str] = "step"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=200_000, horizon=16, epsilon=4.0)
    kernel = staticmethod(lazy_blocks_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> LazyDPTSPolicy:
        return LazyDPTSPolicy(self.arms, self.epsilon, noise or rng, rng, toss_rewards=self.rewards == "coin")

    def kernel_parameters(self) -> Array:
        return np.array([self.epsilon, 1.0, self.rewards == "coin"], np.float64)


class LazyDPTSPolicy(LazyBlocksPolicy):
    """The reference of Lazy-DP-TS."""

    def __init__(
        self, arms: int, epsilon: float, noise: np.random.Generator, coins: np.random.Generator, *, toss_rewards: bool
    ) -> None:
        super().__init__(arms, epsilon, noise, coins if toss_rewards else None)
        self.coins = coins

    def score(self, arm: int, log_round: float) -> float:
        """Return a draw from the Beta posterior around the clipped optimistic mean."""
        n = self.block_length[arm]
        mean = min(max(self.private_mean[arm] + 3.0 * log_round / (self.epsilon * n), 0.0), 1.0)
        return self.coins.beta(mean * n + 1.0, (1.0 - mean) * n + 1.0)
