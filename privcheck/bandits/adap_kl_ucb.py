"""AdaP-KL-UCB."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.adaptive_episodes import AdaptiveEpisodesPolicy, adaptive_episodes_kernel
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter, epsilon_parameter
from privcheck.bandits.kl_index import kl_index_by_bisection
from privcheck.declared import POSITIVE, parameter


@dataclass(frozen=True)
class AdaPKLUCB(Algorithm):
    r"""AdaP-KL-UCB: adaptive doubling episodes with forgetting and a private KL-UCB index.

    At the start of an episode, after t rounds, with the last private mean m_a of n_a rewards of arm a, it plays the
    arm with the largest

        max{ q in [0, 1] : kl(clip(m_a + alpha ln(t + 1) / (epsilon n_a), 0, 1), q) <= alpha ln(t + 1) / n_a }

    for as many rounds as the arm has been played so far.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : privacy budget, > 0.
    alpha : exploration parameter, > 0; the regret analysis requires alpha > 3, the paper's experiments use 3.1.

    Guarantee
    ---------
    epsilon-DP (pure) for reward streams in [0, 1] that differ in one round, when the actions are released; see
    `AdaptiveEpisodesPolicy` for what one reward can change. The clip acts on a released mean. Clipped means of 1 tie
    with positive probability; ties go to the lowest arm, whatever the data.

    Source
    ------
    Azize and Basu 2022, Algorithm 1 and Section 4; privacy: Theorem 6; regret: Theorem 8 (Bernoulli rewards).

    Examples
    --------
    >>> policy = AdaPKLUCB(arms=2, epsilon=1.0).build(np.random.default_rng(0))
    >>> policy.select()
    0

    """

    arms: int = arms_parameter()
    epsilon: float = epsilon_parameter()
    alpha: float = parameter(POSITIVE, typical=(1.0, 4.0), default=3.1, doc="alpha, the exploration parameter")

    id: ClassVar[str] = "adap-kl-ucb"
    source: ClassVar[str] = "Azize and Basu 2022, Algorithm 1, Theorems 6 and 8"
    simulation_engine: ClassVar[str] = "event"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=400_000, horizon=16)
    kernel = staticmethod(adaptive_episodes_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> AdaPKLUCBPolicy:
        return AdaPKLUCBPolicy(self.arms, self.epsilon, self.alpha, noise or rng)

    def kernel_parameters(self) -> Array:
        return np.array([self.epsilon, self.alpha, 1.0])


class AdaPKLUCBPolicy(AdaptiveEpisodesPolicy):
    """The reference of AdaP-KL-UCB."""

    def index(self, arm: int, log_round: float) -> float:
        """Return the KL-UCB index q of the clipped optimistic mean, as -ln(1 - q)."""
        n = self.block_length[arm]
        optimistic = self.private_mean[arm] + self.alpha * log_round / (self.epsilon * n)
        return kl_index_by_bisection(min(max(optimistic, 0.0), 1.0), self.alpha * log_round / n)
