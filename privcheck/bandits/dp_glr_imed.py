"""DP-GLR-IMED, an algorithm of this project: IMED on the likelihood of all releases."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter, epsilon_parameter
from privcheck.bandits.geometric_batches import ratio_parameter
from privcheck.bandits.glr_imed import GLRIMEDPolicy, first_batch, glr_imed_kernel, second_total
from privcheck.bandits.reward_coins import rewards_parameter
from privcheck.declared import Real, parameter
from privcheck.mechanisms import NOISE_SLACK, Laplace


@dataclass(frozen=True)
class DPGLRIMED(Algorithm):
    r"""DP-GLR-IMED: geometric batches, and the IMED index of the generalised likelihood ratio of all private sums.

    Let m_j be the clipped private means of arm a's closed batches, l_j their lengths and n_a the sum of these, and let

        D_a(q) = sum_j l_j d_epsilon(m_j, q),    mu_a = argmin D_a,    mu* = max_b mu_b.

    First the arms take turns until each has ceil(first / epsilon) rewards, its first batch. From then on it plays the
    arm with the smallest D_a(mu*) - D_a(mu_a) + ln n_a until that arm has been pulled ceil(ratio n_a) times, or
    ceil(second / epsilon) times if that is more. D_a is the negative profile log-likelihood of the arm's mean (see
    `privcheck.bandits.batch_likelihood`); DP-IMED uses n_a d_epsilon of one accumulated mean instead.

    Parameters
    ----------
    arms : K >= 2.
    epsilon : privacy budget, > 0.
    ratio : ratio of successive pull counts of an arm, in [1.05, 64].
    first : epsilon times the length of an arm's first batch, in (0, 100]; up to epsilon, the batch has one reward.
    second : epsilon times an arm's pulls after its second batch, at least, in (0, 100]. d_epsilon is at most epsilon,
        so a uniformly good policy needs ln T / epsilon pulls of every suboptimal arm anyway, and 10 / epsilon of them
        are better released at once. The shorter first batch is for horizons at which that many are too many.
    rewards : "plain", or "coin" for one Bernoulli coin per reward: the likelihood is that of {0, 1} rewards.

    Guarantee
    ---------
    epsilon-DP (pure) for reward streams in [0, 1] of any law that differ in one round, when the actions are released;
    see `BatchesPolicy` for what one reward can change. Everything else is post-processing of the released sums. Clipped
    means tie with positive probability; among indices within 1e-9 the lowest arm wins, whatever the data.

    Mean regret at most ratio * sum_a (mu* - mu_a) ln T / d_epsilon(mu_a, mu*) + o(ln T) for independent, identically
    distributed rewards in [0, 1] of any law, and for their coins: proof in docs/evidence/dp-glr-imed-regret.md.

    Source
    ------
    This project (docs/evidence/bandits.md); IMED: Honda and Takemura 2015; d_epsilon and batches: Azize et al. 2025.

    Examples
    --------
    >>> spec = DPGLRIMED(arms=2, epsilon=0.3)
    >>> spec.first_batch, spec.second_total
    (4, 34)
    >>> policy = DPGLRIMED(arms=2, epsilon=1.0).build(np.random.default_rng(0))
    >>> policy.select()
    0

    """

    arms: int = arms_parameter()
    epsilon: float = epsilon_parameter()
    ratio: float = ratio_parameter(1.5, least=1.05)
    first: float = parameter(
        Real(0.0, 100.0, low_open=True), typical=(0.1, 10.0), default=1.0, doc="epsilon times an arm's first batch"
    )
    second: float = parameter(
        Real(0.0, 100.0, low_open=True),
        typical=(0.1, 20.0),
        default=10.0,
        doc="epsilon times an arm's first two batches, at least",
    )
    rewards: str = rewards_parameter()

    id: ClassVar[str] = "dp-glr-imed"
    source: ClassVar[str] = "this project, after Honda and Takemura 2015 and Azize et al. 2025"
    simulation_engine: ClassVar[str] = "event"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=200_000, horizon=32)
    kernel = staticmethod(glr_imed_kernel)

    @property
    def first_batch(self) -> int:
        """Return the number of rewards in an arm's first batch."""
        return first_batch(self.first, 1.0 / self.epsilon)

    @property
    def second_total(self) -> int:
        """Return the least number of rewards in an arm's first two batches together."""
        return second_total(self.second, 1.0 / self.epsilon)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> DPGLRIMEDPolicy:
        coins = rng if self.rewards == "coin" else None
        return DPGLRIMEDPolicy(
            self.arms, self.epsilon, self.ratio, noise or rng, coins, self.first_batch, self.second_total
        )

    def warm_up(self) -> int:
        """Return the number of rounds of all first batches together."""
        return self.arms * self.first_batch

    def kernel_parameters(self) -> Array:
        scale = (1.0 + NOISE_SLACK) / self.epsilon  # the likelihood is that of the noise that is drawn
        totals = (self.ratio, self.first_batch, self.second_total)
        return np.array([scale, 1.0 / scale, *totals, self.rewards == "coin", False], np.float64)


class DPGLRIMEDPolicy(GLRIMEDPolicy):
    """The reference of DP-GLR-IMED; `released` has the clipped means."""

    def __init__(
        self,
        arms: int,
        epsilon: float,
        ratio: float,
        noise: np.random.Generator,
        coins: np.random.Generator | None,
        first: int,
        second: int,
    ) -> None:
        super().__init__(arms, Laplace(sensitivity=1.0, epsilon=epsilon), ratio, noise, coins, first, second)
        self.drawn = 1.0 / ((1.0 + NOISE_SLACK) / epsilon)

    def shown(self, length: int, private_sum: float) -> float:
        """Return the batch's clipped mean."""
        return min(max(private_sum / length, 0.0), 1.0)

    def deviance(self, arm: int, q: float) -> float:
        """Return D_a(q)."""
        from privcheck.bounds import d_epsilon

        costs = d_epsilon(self.released[arm], q, self.drawn)
        return math.fsum(n * cost for n, cost in zip(self.lengths[arm], costs.tolist(), strict=True))

    def estimate(self, arm: int) -> float:
        """Return argmin D_a, by bisection on the sign of its derivative, which is that of sum_j l_j (q - z_j)."""
        means, lengths = self.released[arm], self.lengths[arm]
        low, high, shrink = min(means), max(means), math.exp(-self.drawn)
        for _ in range(60):
            q = 0.5 * (low + high)
            if not low < q < high:
                break
            least, most = q * shrink / (1.0 - q + q * shrink), q / (q + (1.0 - q) * shrink)
            rising = math.fsum(n * (q - min(max(m, least), most)) for n, m in zip(lengths, means, strict=True)) > 0.0
            low, high = (low, q) if rising else (q, high)
        return 0.5 * (low + high)
