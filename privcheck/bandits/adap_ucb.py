"""AdaP-UCB."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.adaptive_episodes import AdaptiveEpisodesPolicy, adaptive_episodes_kernel
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter, epsilon_parameter
from privcheck.declared import POSITIVE, parameter


@dataclass(frozen=True)
class AdaPUCB(Algorithm):
    r"""AdaP-UCB: adaptive doubling episodes with forgetting and a private UCB index.

    At the start of an episode, after t rounds, with the last private mean m_a of n_a rewards of arm a, it plays

        argmax_a  m_a + sqrt(alpha ln(t + 1) / (2 n_a)) + alpha ln(t + 1) / (epsilon n_a)

    for as many rounds as the arm has been played so far.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : privacy budget, > 0.
    alpha : exploration parameter, > 0; the regret analysis requires alpha > 3, the paper's experiments use 3.1.

    Guarantee
    ---------
    epsilon-DP (pure) for reward streams in [0, 1] that differ in one round, when the actions are released; see
    `AdaptiveEpisodesPolicy` for what one reward can change. Ties go to the lowest arm.

    Source
    ------
    Azize and Basu 2022, Algorithm 1 and Section 4; privacy: Theorem 6; regret: Theorem 7. The last block has max(1,
    N/2) rewards: the printed N/2 is wrong while an arm has been played only once.

    Examples
    --------
    >>> policy = AdaPUCB(arms=2, epsilon=1.0).build(np.random.default_rng(0))
    >>> policy.select()
    0

    """

    arms: int = arms_parameter()
    epsilon: float = epsilon_parameter()
    alpha: float = parameter(POSITIVE, typical=(1.0, 4.0), default=3.1, doc="alpha, the exploration parameter")

    id: ClassVar[str] = "adap-ucb"
    source: ClassVar[str] = "Azize and Basu 2022, Algorithm 1, Theorems 6 and 7"
    simulation_engine: ClassVar[str] = "event"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=1_000_000, horizon=12)
    kernel = staticmethod(adaptive_episodes_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> AdaPUCBPolicy:
        return AdaPUCBPolicy(self.arms, self.epsilon, self.alpha, noise or rng)

    def kernel_parameters(self) -> Array:
        return np.array([self.epsilon, self.alpha, 0.0])


class AdaPUCBPolicy(AdaptiveEpisodesPolicy):
    """The reference of AdaP-UCB."""

    def index(self, arm: int, log_round: float) -> float:
        """Return m_a + sqrt(alpha ln(t+1) / (2 n_a)) + alpha ln(t+1) / (epsilon n_a)."""
        n = self.block_length[arm]
        privacy_bonus = self.alpha * log_round / (self.epsilon * n)
        return self.private_mean[arm] + math.sqrt(self.alpha * log_round / (2.0 * n)) + privacy_bonus
