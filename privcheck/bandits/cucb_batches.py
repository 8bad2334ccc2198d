"""CUCB-Batches, an algorithm of this project: CUCB on the noisy sums of geometric batches of each base arm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import epsilon_parameter
from privcheck.bandits.batch_likelihood import divergence_sum, most_likely_mean, nearest_plausible
from privcheck.bandits.combinatorial import (
    INDISTINCT,
    SemiBanditAlgorithm,
    SuperArmPolicy,
    base_arms_parameter,
    size_parameter,
    ties_parameter,
)
from privcheck.bandits.geometric_batches import next_total, ratio_parameter
from privcheck.bandits.imed import bernoulli_kl
from privcheck.bandits.private_index import private_index, private_index_by_bisection
from privcheck.bandits.super_arm_kernel import Generator, bits
from privcheck.declared import Choice, parameter
from privcheck.kernels import compiled, inlined, record, reward_sum
from privcheck.mechanisms import Laplace
from privcheck.oracles import OracleData, SuperArmOracle, expected_reward, super_arm

STATISTICS = ("accumulated", "likelihood")

TIES = ("mean", "lowest", "random")


@inlined
def refreshed(t: int) -> int:
    """Return the round, 5 % later than t, after which indices are computed again though no batch has closed.

    >>> [refreshed(t) for t in (0, 7, 100, 1000)]
    [1, 8, 105, 1050]
    """
    return max(t + 1, t + t // 20)


@compiled
def likelihood_index(
    means: Array, lengths: Array, batches: int, estimate: float, level: float, epsilon: float
) -> float:
    """Return the largest q in [estimate, 1] with D(q) - D(estimate) <= level, by Newton's method from the right.

    D is the negative profile log-likelihood of `privcheck.bandits.batch_likelihood`: convex, and smallest at the
    estimate, so that the steps decrease to the root.

    >>> means, lengths = np.array([0.5]), np.array([10.0])
    >>> q = likelihood_index(means, lengths, 1, 0.5, 0.3, 2.0)
    >>> round(divergence_sum(means, lengths, 1, q, 2.0), 9)
    0.3
    """
    bound = level + divergence_sum(means, lengths, batches, estimate, epsilon)
    if divergence_sum(means, lengths, batches, 1.0, epsilon) <= bound:
        return 1.0
    q = 1.0 - 1e-12
    for _ in range(100):
        excess = divergence_sum(means, lengths, batches, q, epsilon) - bound
        least, most = nearest_plausible(q, epsilon)
        slope = 0.0
        for j in range(batches):
            slope += lengths[j] * (q - min(max(means[j], least), most))
        slope /= q * (1.0 - q)
        if excess <= 0.0 or slope <= 0.0:
            break
        step = excess / slope
        q -= step
        if step < 1e-13:
            break
    return max(q, estimate)


@compiled
def write_indices(
    parameters: Array,
    t: int,
    pulls: Integers,
    estimate: Array,
    private_means: Array,
    lengths: Array,
    batches: Integers,
    coins: Generator,
    index: Array,
) -> None:
    """Write the index of every base arm after t rounds, moved by at most 1e-9 to break ties."""
    epsilon, likelihood, ties = parameters[1], parameters[3] > 0.0, int(parameters[4])
    log_round = math.log(t + 1)
    for i in range(pulls.shape[0]):
        if pulls[i] == 0:
            index[i] = math.inf
            continue
        if likelihood:
            index[i] = likelihood_index(private_means[i], lengths[i], batches[i], estimate[i], log_round, epsilon)
        else:
            index[i] = -math.expm1(-private_index(estimate[i], log_round / pulls[i], epsilon))
        if ties == 0:
            index[i] -= INDISTINCT * estimate[i]
    if ties == 2:
        for i in range(pulls.shape[0]):
            index[i] -= INDISTINCT * coins.random()


@compiled
def cucb_batches_kernel(
    parameters: Array,
    table: Array,
    means: Array,
    rewards: Generator,
    coins: Generator,
    noise: Generator,
    horizon: int,
    runs: int,
    actions: Integers,
    checkpoints: Integers,
    regret: Array,
    oracle: OracleData,
    target: float,
) -> None:
    """Run CUCB-Batches; `parameters`: noise scale, epsilon / K, ratio, 1 for the likelihood, and 0 mean, 1 lowest or 2
    random for ties.
    """
    scale, epsilon, ratio = parameters[0], parameters[1], parameters[2]
    likelihood = parameters[3] > 0.0
    m, most, total = means.shape[0], 2, 1
    while total < horizon:
        total = next_total(total, ratio)
        most += 1
    private_means, lengths = np.zeros((m, most)), np.zeros((m, most))
    index, estimate, noisy_sum, open_sum = np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(m)
    pulls, batches, opened = np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(m, np.int64)
    chosen = np.zeros(m, np.int64)
    for run in range(runs):
        noisy_sum[:], open_sum[:] = 0.0, 0.0
        pulls[:], batches[:], opened[:] = 0, 0, 0
        t, cursor, total_regret = 0, 0, 0.0
        while t < horizon:
            write_indices(parameters, t, pulls, estimate, private_means, lengths, batches, coins, index)
            count = super_arm(oracle, index, chosen)
            stop = min(refreshed(t), horizon)
            for j in range(count):
                i = chosen[j]
                stop = min(stop, t + next_total(pulls[i], ratio) - pulls[i] - opened[i])
            for j in range(count):
                open_sum[chosen[j]] += reward_sum(table, means, rewards, chosen[j], t, stop)
            gap = target - expected_reward(oracle, means, chosen, count)
            cursor, total_regret = record(
                actions, run, checkpoints, gap, regret, cursor, total_regret, bits(chosen, count), t, stop
            )
            for j in range(count):
                i = chosen[j]
                opened[i] += stop - t
                planned = next_total(pulls[i], ratio)
                if pulls[i] + opened[i] < planned:
                    continue
                length, released = opened[i], open_sum[i] + noise.laplace(0.0, scale)
                open_sum[i], opened[i], pulls[i] = 0.0, 0, planned
                noisy_sum[i] += released
                if likelihood:
                    k, mean = batches[i], min(max(released / length, 0.0), 1.0)
                    private_means[i, k], lengths[i, k] = mean, length
                    previous = estimate[i] if k > 0 else mean
                    estimate[i] = most_likely_mean(private_means[i], lengths[i], k + 1, epsilon, previous, mean)
                    batches[i] = k + 1
                else:
                    estimate[i] = min(max(noisy_sum[i] / planned, 0.0), 1.0)
            t = stop


@dataclass(frozen=True)
class CUCBBatches(SemiBanditAlgorithm):
    r"""CUCB-Batches: CUCB on noisy sums of batches, 1, 2, 4, ... outcomes of each base arm, without a horizon.

    The outcomes of base arm i are summed in batches that bring their number to ceil(ratio n_i); a batch stays open
    while the base arm is not played. A closed batch is released with Laplace(K / epsilon) noise. With the statistic
    "accumulated" the index is max{q : n_i d(mean_i, q) <= ln t}, where d is the private divergence d_(epsilon/K) and
    mean_i the clipped mean of all releases, whose noise accumulates. With "likelihood" it is
    max{q : D_i(q) - min D_i <= ln t}, where D_i(q) = sum_j l_j d(m_j, q) is the negative profile log-likelihood of the
    clipped means m_j of the single batches (see `privcheck.bandits.batch_likelihood`): a batch with absurdly large
    noise hardly counts. Indices are computed when a batch closes and when the number of rounds has grown by 5 %.

    Parameters
    ----------
    arms : m >= 2 base arms, at most 62.
    epsilon : privacy budget, > 0.
    size : K >= 1, the largest number of base arms of a super arm.
    ratio : ratio of a base arm's successive totals, above 1; at least 1.05.
    statistic : "accumulated" or "likelihood".
    ties : "mean", the smaller private mean among indices within 1e-9, "lowest", or "random".

    Guarantee
    ---------
    epsilon-DP (pure) for streams of outcome vectors in [0, 1]^m of which one row is replaced, when all releases and
    super arms are public. For fixed super arms a row changes at most K batches, one for each base arm that was played,
    each by at most 1, and every batch is released once with Laplace(K / epsilon) noise: epsilon / K each, epsilon in
    all. When a batch closes depends on the super arms alone, which are functions of earlier releases (adaptive
    composition); an oracle that returns more than K base arms is refused. Ties break by released numbers, by the order
    of base arms or by coins. No regret bound is proved.

    Source
    ------
    This project (docs/semi-bandits.md); CUCB: Chen, Wang and Yuan 2013; d_epsilon and batches: Azize et al. 2025.

    Examples
    --------
    >>> algorithm = CUCBBatches(arms=4, epsilon=1.0, size=2)
    >>> algorithm.mechanism.scale
    2.000000008
    >>> policy = algorithm.build(np.random.default_rng(0))
    >>> policy.update(policy.select(), [1.0, 0.0])
    >>> policy.select()
    (2, 3)

    """

    arms: int = base_arms_parameter()
    epsilon: float = epsilon_parameter()
    size: int = size_parameter()
    ratio: float = ratio_parameter(2.0, least=1.05)
    statistic: str = parameter(
        Choice(STATISTICS), typical=STATISTICS, default="likelihood", doc="what the index is computed from"
    )
    ties: str = ties_parameter("mean", TIES)

    id: ClassVar[str] = "cucb-batches"
    source: ClassVar[str] = "this project, after Chen, Wang and Yuan 2013 and Azize et al. 2025"
    simulation_engine: ClassVar[str] = "event"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=200_000, arms=4, horizon=8)
    kernel = staticmethod(cucb_batches_kernel)

    @property
    def mechanism(self) -> Laplace:
        """The mechanism that releases the sum of a batch."""
        return Laplace(sensitivity=1.0, epsilon=self.epsilon / self.size)

    def build(
        self,
        rng: np.random.Generator,
        *,
        noise: np.random.Generator | None = None,
        oracle: SuperArmOracle | None = None,
    ) -> CUCBBatchesPolicy:
        coins = rng if self.ties == "random" else None
        policy = LikelihoodPolicy if self.statistic == "likelihood" else CUCBBatchesPolicy
        return policy(
            self.arms, self.size, self.checked_oracle(oracle), coins, self.epsilon / self.size, self.ratio,
            noise or rng, 1.0 if self.ties == "mean" else 0.0,
        )  # fmt: skip

    def kernel_parameters(self) -> Array:
        options = [self.statistic == "likelihood", TIES.index(self.ties)]
        return np.array([self.mechanism.scale, self.epsilon / self.size, self.ratio, *options], np.float64)


class CUCBBatchesPolicy(SuperArmPolicy):
    """The reference of CUCB-Batches."""

    def __init__(
        self,
        arms: int,
        size: int,
        oracle: SuperArmOracle,
        coins: np.random.Generator | None,
        budget: float,
        ratio: float,
        noise: np.random.Generator,
        preference: float,
    ) -> None:
        super().__init__(arms, size, oracle, coins)
        self.mechanism, self.noise = Laplace(sensitivity=1.0, epsilon=budget), noise
        self.budget, self.ratio, self.preference = budget, ratio, preference
        self.open_sums: list[Any] = [0.0] * arms
        self.opened, self.estimates = [0] * arms, [0.0] * arms
        self.private_means: list[list[float]] = [[] for _ in range(arms)]
        self.lengths: list[list[int]] = [[] for _ in range(arms)]

    def next_choice(self) -> int:
        """Return when indices are computed again, unless a batch closes before."""
        return refreshed(self.rounds)

    def take_in(self, chosen: tuple[int, ...], outcomes: Any) -> None:
        """Add the outcomes to open batches, and release those that close."""
        for j, arm in enumerate(chosen):
            self.open_sums[arm] += outcomes[j]
            self.opened[arm] += 1
        for arm in chosen:
            planned = next_total(self.pulls[arm], self.ratio)
            if self.pulls[arm] + self.opened[arm] == planned:
                released = self.mechanism.release(self.open_sums[arm], self.noise)
                self.private_means[arm].append(min(max(released / self.opened[arm], 0.0), 1.0))
                self.lengths[arm].append(self.opened[arm])
                self.sums[arm] += released
                self.pulls[arm], self.opened[arm], self.open_sums[arm] = planned, 0, 0.0
                self.estimates[arm] = self.estimate(arm)
                self._until = self.rounds

    def estimate(self, arm: int) -> float:
        """Return the clipped mean of all releases."""
        return min(max(self.sums[arm] / self.pulls[arm], 0.0), 1.0)

    def index(self, arm: int) -> float:
        """Return the index, computed from its definition by bisection."""
        if self.pulls[arm] == 0:
            return math.inf
        plausible = self.most_plausible(arm, self.estimates[arm], math.log(self.rounds + 1))
        return plausible - self.preference * (INDISTINCT * self.estimates[arm])

    def most_plausible(self, arm: int, estimate: float, level: float) -> float:
        """Return max{q : n d(estimate, q) <= level}."""
        return -math.expm1(-private_index_by_bisection(estimate, level / self.pulls[arm], self.budget))


class LikelihoodPolicy(CUCBBatchesPolicy):
    """The reference with the likelihood of single batches."""

    def estimate(self, arm: int) -> float:
        """Return the most likely mean."""
        low, high = min(self.private_means[arm]), max(self.private_means[arm])
        for _ in range(60):
            q = 0.5 * (low + high)
            batches = zip(self.private_means[arm], self.lengths[arm], strict=True)
            rising = math.fsum(n * (q - self.nearest(m, q)) for m, n in batches) > 0.0
            low, high = (1 - rising) * q + rising * low, rising * q + (1 - rising) * high
        return 0.5 * (low + high)

    def nearest(self, mean: float, q: float) -> float:
        """Return the point closest to a private mean whose logit is within epsilon / K of that of q."""
        shrink = math.exp(-self.budget)
        return min(max(mean, q * shrink / (1.0 - q + q * shrink)), q / (q + (1.0 - q) * shrink))

    def deviance(self, arm: int, q: float) -> float:
        """Return D(q) = sum_j l_j min_z kl(z, q) + (epsilon / K) |m_j - z|."""
        total = []
        for mean, length in zip(self.private_means[arm], self.lengths[arm], strict=True):
            z = self.nearest(mean, q)
            total.append(length * (bernoulli_kl(z, q) + self.budget * abs(mean - z)))
        return math.fsum(total)

    def most_plausible(self, arm: int, estimate: float, level: float) -> float:
        """Return max{q : D(q) - D(estimate) <= level}."""
        bound = level + self.deviance(arm, estimate)
        low, high = estimate, 1.0
        for _ in range(50):  # without branches: a certificate's short runs may have only one of the two cases
            q = 0.5 * (low + high)
            within = self.deviance(arm, q) <= bound
            low, high = within * q + (1 - within) * low, (1 - within) * q + within * high
        return max(low, float(self.deviance(arm, 1.0) <= bound))
