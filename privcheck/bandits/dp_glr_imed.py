"""DP-GLR-IMED, an algorithm of this project: IMED on the likelihood of all releases."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Actions, Array, Integers
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import Algorithm, arms_parameter, epsilon_parameter
from privcheck.bandits.batch_likelihood import divergence_sum, most_likely_mean
from privcheck.bandits.geometric_batches import BatchesPolicy, next_total, ratio_parameter
from privcheck.bandits.reward_coins import coin_sum, rewards_parameter
from privcheck.bandits.round_robin import record_turns, sums_in_turns
from privcheck.declared import Real, parameter
from privcheck.kernels import compiled, record
from privcheck.mechanisms import NOISE_SLACK

LONGEST_FIRST_BATCH = 2.0**52
"""The longest first batch, for a tiny epsilon: up to here floats represent integers exactly."""

INDISTINCT = 1e-9
"""Indices closer than this tie: arms whose batches are clipped alike have the same estimate, except for rounding."""


@compiled
def dp_glr_imed_kernel(
    parameters: Array,
    table: Array,
    means: Array,
    rewards: np.random.Generator,
    coins: np.random.Generator,
    noise: np.random.Generator,
    horizon: int,
    runs: int,
    actions: Actions,
    checkpoints: Integers,
    regret: Array,
) -> None:
    """Run DP-GLR-IMED; `parameters` holds epsilon, the ratio, the first two totals of an arm, and 1 for coins."""
    epsilon, ratio, toss_coins = parameters[0], parameters[1], parameters[4] > 0.0
    first, second = int(parameters[2]), int(parameters[3])
    scale = (1.0 + NOISE_SLACK) / epsilon
    epsilon = 1.0 / scale  # the likelihood is that of the noise that is drawn
    arms = means.shape[0]
    best_mean = means.max()
    most = 2
    pulls = first
    while pulls < horizon:
        pulls = next_total(pulls, ratio, first, second)
        most += 1
    private_means, lengths = np.zeros((arms, most)), np.zeros((arms, most))
    estimate, least, sums, log_pulled = np.zeros(arms), np.zeros(arms), np.zeros(arms), np.zeros(arms)
    cost, cost_at = np.zeros(arms), np.zeros(arms)  # D_a(mu*) - D_a(mu_a), and the mu* for which it was computed
    pulled, batches = np.zeros(arms, np.int64), np.zeros(arms, np.int64)
    for run in range(runs):
        t = min(first * arms, horizon)
        sums_in_turns(toss_coins, table, means, rewards, coins, t, sums)
        cursor, total = record_turns(actions, run, checkpoints, means, regret, t)
        for a in range(max(t - (first - 1) * arms, 0)):
            mean = min(max((sums[a] + noise.laplace(0.0, scale)) / first, 0.0), 1.0)
            private_means[a, 0], lengths[a, 0], estimate[a] = mean, first, mean
            pulled[a], batches[a], least[a], cost_at[a], log_pulled[a] = first, 1, 0.0, -1.0, math.log(first)
        while t < horizon:
            arm, lowest = 0, math.inf
            leader = estimate.max()
            for a in range(arms):
                index = log_pulled[a]
                if estimate[a] < leader:
                    if cost_at[a] != leader:
                        cost[a] = divergence_sum(private_means[a], lengths[a], batches[a], leader, epsilon) - least[a]
                        cost_at[a] = leader
                    index += cost[a]
                if index < lowest - INDISTINCT:
                    arm, lowest = a, index
            planned = next_total(pulled[arm], ratio, first, second)
            length = planned - pulled[arm]
            stop = min(t + length, horizon)
            batch_sum = coin_sum(toss_coins, table, means, rewards, coins, arm, t, stop)
            cursor, total = record(
                actions, run, checkpoints, best_mean - means[arm], regret, cursor, total, arm, t, stop
            )
            if stop - t == length:
                mean = min(max((batch_sum + noise.laplace(0.0, scale)) / length, 0.0), 1.0)
                k = batches[arm]
                private_means[arm, k], lengths[arm, k] = mean, length
                estimate[arm] = most_likely_mean(private_means[arm], lengths[arm], k + 1, epsilon, estimate[arm], mean)
                least[arm] = divergence_sum(private_means[arm], lengths[arm], k + 1, estimate[arm], epsilon)
                cost_at[arm], batches[arm], pulled[arm], log_pulled[arm] = -1.0, k + 1, planned, math.log(planned)
            t = stop


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
    distributed rewards in [0, 1] of any law, and for their coins: proof in docs/dp-glr-imed-regret.md.

    Source
    ------
    This project (docs/bandits.md); IMED: Honda and Takemura 2015; d_epsilon and batches: Azize et al. 2025.

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
    kernel = staticmethod(dp_glr_imed_kernel)

    @property
    def first_batch(self) -> int:
        """Return the number of rewards in an arm's first batch."""
        return max(math.ceil(min(self.first / self.epsilon, LONGEST_FIRST_BATCH)), 1)

    @property
    def second_total(self) -> int:
        """Return the least number of rewards in an arm's first two batches together."""
        return math.ceil(min(self.second / self.epsilon, LONGEST_FIRST_BATCH))

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> DPGLRIMEDPolicy:
        coins = rng if self.rewards == "coin" else None
        return DPGLRIMEDPolicy(
            self.arms, self.epsilon, self.ratio, noise or rng, coins, self.first_batch, self.second_total
        )

    def warm_up(self) -> int:
        """Return the number of rounds of all first batches together."""
        return self.arms * self.first_batch

    def kernel_parameters(self) -> Array:
        return np.array(
            [self.epsilon, self.ratio, self.first_batch, self.second_total, self.rewards == "coin"], np.float64
        )


class DPGLRIMEDPolicy(BatchesPolicy):
    """The reference of DP-GLR-IMED."""

    in_turns = True

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
        super().__init__(arms, epsilon, ratio, noise, coins, first, second)
        self.drawn = 1.0 / ((1.0 + NOISE_SLACK) / epsilon)
        self.private_means: list[list[float]] = [[] for _ in range(arms)]
        self.lengths: list[list[int]] = [[] for _ in range(arms)]
        self.estimates, self.least = [0.0] * arms, [0.0] * arms

    def take_in(self, arm: int, length: int, private_sum: float) -> None:
        """Keep the batch's clipped mean; compute mu_a and D_a(mu_a)."""
        self.private_means[arm].append(min(max(private_sum / length, 0.0), 1.0))
        self.lengths[arm].append(length)
        self.estimates[arm] = self.estimate(arm)
        self.least[arm] = self.deviance(arm, self.estimates[arm])

    def choose(self) -> int:
        """Return the arm with the smallest D_a(mu*) - D_a(mu_a) + ln n_a."""
        leader = max(self.estimates)
        indices = [
            math.log(n) + (self.deviance(arm, leader) - self.least[arm] if self.estimates[arm] < leader else 0.0)
            for arm, n in enumerate(self.pulls)
        ]
        best = 0
        for arm, index in enumerate(indices):
            if index < indices[best] - INDISTINCT:
                best = arm
        return best

    def deviance(self, arm: int, q: float) -> float:
        """Return D_a(q)."""
        from privcheck.bounds import d_epsilon

        costs = d_epsilon(self.private_means[arm], q, self.drawn)
        return math.fsum(n * cost for n, cost in zip(self.lengths[arm], costs.tolist(), strict=True))

    def estimate(self, arm: int) -> float:
        """Return argmin D_a, by bisection on the sign of its derivative, which is that of sum_j l_j (q - z_j)."""
        means, lengths = self.private_means[arm], self.lengths[arm]
        low, high, shrink = min(means), max(means), math.exp(-self.drawn)
        for _ in range(60):
            q = 0.5 * (low + high)
            if not low < q < high:
                break
            least, most = q * shrink / (1.0 - q + q * shrink), q / (q + (1.0 - q) * shrink)
            rising = math.fsum(n * (q - min(max(m, least), most)) for n, m in zip(lengths, means, strict=True)) > 0.0
            low, high = (low, q) if rising else (q, high)
        return 0.5 * (low + high)
