"""Anytime-Lazy-UCB."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter, epsilon_parameter
from privcheck.bandits.lazy_blocks import LazyBlocksPolicy, lazy_blocks_kernel


@dataclass(frozen=True)
class LazyUCB(Algorithm):
    r"""Anytime-Lazy-UCB: private means of blocks of 1, 2, 4, ... rewards, and an optimistic index in every round.

    In round t, with the last private mean m_a of O_a rewards of arm a, it plays

        argmax_a  m_a + sqrt(3 ln t / O_a) + 3 ln t / (epsilon O_a).

    Parameters
    ----------
    arms : K >= 2.
    epsilon : privacy budget, > 0.

    Guarantee
    ---------
    epsilon-DP (pure) for reward streams in [0, 1] that differ in one round, when the actions are released; see
    `LazyBlocksPolicy` for what one reward can change. Ties go to the lowest arm.

    Source
    ------
    Hu, Huang, Mehta and Hegde, Algorithm 1; privacy: Theorem 2; regret: Theorem 3.

    Examples
    --------
    >>> policy = LazyUCB(arms=2, epsilon=1.0).build(np.random.default_rng(0))
    >>> policy.select()
    0

    """

    arms: int = arms_parameter()
    epsilon: float = epsilon_parameter()

    id: ClassVar[str] = "lazy-ucb"
    source: ClassVar[str] = "Hu, Huang, Mehta and Hegde, Algorithm 1, Theorems 2 and 3"
    simulation_engine: ClassVar[str] = "step"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=200_000, horizon=12)
    kernel = staticmethod(lazy_blocks_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> LazyUCBPolicy:
        return LazyUCBPolicy(self.arms, self.epsilon, noise or rng)

    def kernel_parameters(self) -> Array:
        return np.array([self.epsilon, 0.0, 0.0])


class LazyUCBPolicy(LazyBlocksPolicy):
    """The reference of Anytime-Lazy-UCB."""

    def score(self, arm: int, log_round: float) -> float:
        """Return m_a + sqrt(3 ln t / O_a) + 3 ln t / (epsilon O_a)."""
        n = self.block_length[arm]
        return self.private_mean[arm] + math.sqrt(3.0 * log_round / n) + 3.0 * log_round / (self.epsilon * n)
