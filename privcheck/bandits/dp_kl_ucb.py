"""DP-KL-UCB."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter, epsilon_parameter
from privcheck.bandits.geometric_batches import GeometricBatchesPolicy, geometric_batches_kernel, ratio_parameter
from privcheck.bandits.private_index import private_index_by_bisection
from privcheck.bandits.reward_coins import rewards_parameter


@dataclass(frozen=True)
class DPKLUCB(Algorithm):
    r"""DP-KL-UCB: geometric batches, accumulated noisy sums, and the index of the private divergence.

    At the start of a batch, after t rounds, with the clipped private mean m_a of all n_a rewards in closed batches of
    arm a, it plays the arm with the largest max{ q in [0, 1] : d_epsilon(m_a, q) <= ln(t + 1) / n_a } until that arm
    has been pulled ceil(ratio n_a) times.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : privacy budget, > 0.
    ratio : ratio of successive pull counts of an arm, in (1, 64]; 2 doubles them.
    rewards : "plain", or "coin" for one Bernoulli coin per reward: d_epsilon is that of {0, 1} rewards.

    Guarantee
    ---------
    epsilon-DP (pure) for reward streams in [0, 1] that differ in one round, when the actions are released; see
    `BatchesPolicy` for what one reward can change. Indices of 1 tie with positive probability; ties go to the lowest
    arm, whatever the data.

    Source
    ------
    Azize et al. 2025, known from a second-hand summary: the batch rule and ln(t + 1) are this implementation's.

    Examples
    --------
    >>> policy = DPKLUCB(arms=2, epsilon=1.0).build(np.random.default_rng(0))
    >>> policy.select()
    0

    """

    arms: int = arms_parameter()
    epsilon: float = epsilon_parameter()
    ratio: float = ratio_parameter()
    rewards: str = rewards_parameter()

    id: ClassVar[str] = "dp-kl-ucb"
    source: ClassVar[str] = "Azize et al. 2025, DP-KLUCB (second hand)"
    simulation_engine: ClassVar[str] = "event"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=200_000, horizon=12)
    kernel = staticmethod(geometric_batches_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> DPKLUCBPolicy:
        return DPKLUCBPolicy(self.arms, self.epsilon, self.ratio, noise or rng, rng if self.rewards == "coin" else None)

    def kernel_parameters(self) -> Array:
        return np.array([self.epsilon, self.ratio, 0.0, self.rewards == "coin"], np.float64)


class DPKLUCBPolicy(GeometricBatchesPolicy):
    """The reference of DP-KL-UCB."""

    def choose(self) -> int:
        """Return the arm with the largest index."""
        level = math.log(self.rounds + 1)
        indices = [private_index_by_bisection(self.mean(a), level / n, self.epsilon) for a, n in enumerate(self.pulls)]
        return indices.index(max(indices))
