"""DP-TT: a reconstruction of the algorithm of Jourdan and Azize (2025)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.arrays import Actions, Array, Integers
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.bandits.base import arms_parameter, epsilon_parameter
from privcheck.bandits.batch_likelihood import divergence_sum, most_likely_mean
from privcheck.bandits.best_arm import BestArmAlgorithm, delta_parameter, forced_arm, record_end, record_symbols
from privcheck.bandits.geometric_batches import next_total, ratio_parameter
from privcheck.bandits.grid_top_two import leader_of, record_stops
from privcheck.bandits.reward_coins import coin_sum, rewards_parameter, toss
from privcheck.bandits.top_two_batches import INDISTINCT
from privcheck.declared import Choice, parameter
from privcheck.kernels import compiled
from privcheck.mechanisms import NOISE_SLACK, Laplace
from privcheck.private_values import told_arm, told_reward

LOG_ZETA = math.log(math.pi**2 / 6.0)


@compiled
def transport_cost(mean: float, pulls: int, other: float, other_pulls: int, epsilon: float) -> float:
    """Return min_u n d_epsilon(m, u) + n' d_epsilon(m', u) over m' <= u <= m, 0 if m <= m'.

    >>> round(transport_cost(0.7, 100, 0.5, 100, 10.0), 6)
    4.201185
    """
    if mean <= other:
        return 0.0
    means, counts = np.array([mean, other]), np.array([float(pulls), float(other_pulls)])
    return divergence_sum(means, counts, 2, most_likely_mean(means, counts, 2, epsilon, mean, other), epsilon)


@compiled
def log_gamma_tail(shape: int, x: float) -> float:
    """Return ln P(Gamma(shape, 1) >= x) = -x + ln sum_{j < shape} x^j / j! for an integer shape >= 1 and x >= 0.

    >>> round(log_gamma_tail(3, 2.0), 6), round(log_gamma_tail(2, 1e4), 4)
    (-0.390562, -9990.7896)
    """
    if x < shape:
        term, total = 1.0, 1.0
        for j in range(1, shape):
            term *= x / j
            total += term
        return -x + math.log(total)
    term, total = 1.0, 1.0  # from the last and largest term downwards
    for j in range(shape - 1, 0, -1):
        term *= j / x
        total += term
    return -x + (shape - 1) * math.log(x) - math.lgamma(shape) + math.log(total)


@compiled
def log_evidence(cost: float, batches: int, other_batches: int, arms: int) -> float:
    """Return -ln of the bound on the probability that a cost this large separates two arms in the wrong order.

    >>> abs(log_evidence(55.69, 10, 10, 5) - math.log(100)) < 0.001
    True
    """
    union = math.log(arms - 1) + 2.0 * (LOG_ZETA + math.log(batches) + math.log(other_batches))
    return -(log_gamma_tail(2 + batches + other_batches, cost) + union)


@compiled
def dp_tt_kernel(
    parameters: Array,
    table: Array,
    means: Array,
    rewards: np.random.Generator,
    coins: np.random.Generator,
    noise: np.random.Generator,
    horizon: int,
    runs: int,
    actions: Actions,
    deltas: Array,
    stops: Integers,
) -> None:
    """Run DP-TT; `parameters`: epsilon, ratio, 1 for forced exploration, 1 for coins."""
    epsilon, ratio, forced, toss_coins = parameters[0], parameters[1], parameters[2] > 0.0, parameters[3] > 0.0
    scale, drawn = (1.0 + NOISE_SLACK) / epsilon, epsilon / (1.0 + NOISE_SLACK)
    arms = means.shape[0]
    noisy_sum, open_sum, mean = np.zeros(arms), np.zeros(arms), np.zeros(arms)
    pulls, closed, batches = np.zeros(arms, np.int64), np.zeros(arms, np.int64), np.zeros(arms, np.int64)
    planned = np.ones(arms, np.int64)
    levels = -np.log(deltas)
    for run in range(runs):
        noisy_sum[:] = 0.0
        open_sum[:] = 0.0
        pulls[:] = 0
        closed[:] = 0
        batches[:] = 0
        planned[:] = 1
        stops[run, :, 0], stops[run, :, 1] = 0, -1
        t, left, leader, challenger = 0, deltas.shape[0], 0, 0
        while t < horizon and left > 0:
            if t < arms:
                arm = t
            else:
                arm = forced_arm(pulls, t) if forced else -1
                if arm < 0:
                    arm = leader if coins.random() < 0.5 else challenger
            open_sum[arm] += coin_sum(toss_coins, table, means, rewards, coins, arm, t, t + 1)
            record_symbols(actions, run, arm, t, t + 1)
            pulls[arm] += 1
            t += 1
            if pulls[arm] < planned[arm]:
                continue
            noisy_sum[arm] += open_sum[arm] + noise.laplace(0.0, scale)
            open_sum[arm], closed[arm], planned[arm] = 0.0, pulls[arm], next_total(pulls[arm], ratio)
            mean[arm] = min(max(noisy_sum[arm] / closed[arm], 0.0), 1.0)
            batches[arm] += 1
            if t < arms:
                continue
            leader = leader_of(mean)
            evidence, lowest, challenger = math.inf, math.inf, -1
            for a in range(arms):
                if a == leader:
                    continue
                cost = transport_cost(mean[leader], closed[leader], mean[a], closed[a], drawn)
                evidence = min(evidence, log_evidence(cost, batches[leader], batches[a], arms))
                cost += math.log(closed[a])
                if challenger < 0 or cost < lowest - INDISTINCT:
                    challenger, lowest = a, cost
            left = record_stops(stops[run], levels, evidence, t, leader)
        record_end(actions, run, arms, stops, t, horizon)


@dataclass(frozen=True)
class DPTT(BestArmAlgorithm):
    r"""DP-TT, reconstructed: Top Two on the accumulated private means of geometric batches.

    An arm's first batch has one reward, and every further one closes when its pulls reach ceil(ratio n_a), n_a being
    its rewards in closed batches. A closed batch adds its sum plus Laplace(1 / epsilon) noise to the arm's total; m_a
    is the total divided by n_a, clipped to [0, 1], and k_a the number of closed batches. The leader is B = argmax m_a,
    the challenger argmin_a W_a + ln n_a with the transportation cost

        W_a = min_u n_B d_epsilon(m_B, u) + n_a d_epsilon(m_a, u).

    Each round plays the leader or the challenger with probability 1/2. With forced exploration, an arm with fewer than
    max(sqrt(t / K), t / (10 K)) pulls is played first. It stops and recommends B when a batch closes and, for all a !=
    B, P(Gamma(2 + k_B + k_a, 1) >= W_a) <= delta / ((K - 1) (zeta(2) k_B k_a)^2).

    Parameters
    ----------
    arms : K >= 2.
    epsilon : privacy budget, > 0.
    delta : the largest probability of recommending an arm that is not the best, in [1e-9, 0.5).
    ratio : ratio of successive pull counts of an arm, in [1.05, 64]; 1 + eta in the paper, whose default is 2.
    exploration : "forced", or "none": then some runs stall where inferior arms have equal means; see
        docs/identification.md.
    rewards : "plain", or "coin" for one Bernoulli coin per reward: delta is proved for rewards in {0, 1} only.

    Guarantee
    ---------
    epsilon-DP (pure) for reward streams in [0, 1] of any law that differ in one round, when the actions, the stopping
    time and the recommendation are released. Each reward (or its coin) enters one batch sum, of sensitivity 1, that is
    released once; totals, costs and the stopping test use released sums, and when batches close is decided by counts:
    adaptive parallel composition. Means and costs within 1e-9 of each other tie, and the lowest arm wins.

    delta-correct for independent Bernoulli rewards (or coins) of constant means: n_a d_epsilon(m_a, mu_a), where m_a
    errs towards the wrong order, is stochastically at most Gamma(1 + k_a, 1). If B is wrong and b is a best arm, then
    W_b is at most the sum of these two terms for B and b; the probabilities add up to delta over all k_B, k_a and B.

    Source
    ------
    Reconstruction: of Jourdan and Azize 2025 only the abstract, the introduction and the reviews were at hand. Leader,
    challenger, threshold and forced exploration are this project's; batches, accumulated sums, transportation costs and
    the coin are the paper's.

    Examples
    --------
    >>> policy = DPTT(arms=2, epsilon=1.0).build(np.random.default_rng(0))
    >>> while not policy.stopped:
    ...     policy.update(arm := policy.select(), float(arm == 1))
    >>> policy.recommend(), policy.batches
    (1, [7, 7])

    """

    arms: int = arms_parameter()
    epsilon: float = epsilon_parameter()
    delta: float = delta_parameter()
    ratio: float = ratio_parameter(2.0, least=1.05)
    exploration: str = parameter(
        Choice(("forced", "none")), typical=("forced", "none"), default="forced",
        doc="whether arms with few pulls are played first",
    )  # fmt: skip
    rewards: str = rewards_parameter()

    id: ClassVar[str] = "dp-tt"
    source: ClassVar[str] = "reconstruction of Jourdan and Azize 2025; stopping rule of this project"
    tosses_coins: ClassVar[bool] = True
    simulation_engine: ClassVar[str] = "step"
    audit_setting: ClassVar[AuditSetting | None] = AuditSetting(runs=200_000, arms=3, horizon=8)
    kernel = staticmethod(dp_tt_kernel)

    def build(self, rng: np.random.Generator, *, noise: np.random.Generator | None = None) -> DPTTPolicy:
        options = self.exploration == "forced", self.rewards == "coin"
        return DPTTPolicy(self.arms, self.epsilon, self.delta, self.ratio, noise or rng, rng, *options)

    def warm_up(self) -> int:
        """Return the number of rounds of all first batches together."""
        return self.arms

    def kernel_parameters(self) -> Array:
        options = self.exploration == "forced", self.rewards == "coin"
        return np.array([self.epsilon, self.ratio, *options], np.float64)


class DPTTPolicy:
    """The reference of DP-TT."""

    def __init__(
        self,
        arms: int,
        epsilon: float,
        delta: float,
        ratio: float,
        noise: np.random.Generator,
        coins: np.random.Generator,
        forced: bool = True,
        toss_rewards: bool = False,
    ) -> None:
        self.arms, self.epsilon, self.delta, self.ratio = arms, epsilon, delta, ratio
        self.noise, self.coins, self.forced, self.toss_rewards = noise, coins, forced, toss_rewards
        self.drawn = epsilon / (1.0 + NOISE_SLACK)
        self.noisy_sum, self.private_mean = [0.0] * arms, [0.0] * arms
        self.pulls, self.closed, self.batches = [0] * arms, [0] * arms, [0] * arms
        self.stopped, self.recommended = False, 0
        self._sums, self._arm, self._leader, self._challenger = [0.0] * arms, 0, 0, 0

    def select(self) -> int:
        """Return a neglected arm, or the leader or its challenger by a coin; once stopped, the recommended arm."""
        return self._arm

    def update(self, action: int, reward: float) -> None:
        """Add the reward to the arm's open batch, release it if it closes, and choose the next arm."""
        action, reward = told_arm(action, self.arms), told_reward(reward)
        if self.stopped:
            return
        self._sums[action] += toss(reward, self.coins) if self.toss_rewards else reward
        self.pulls[action] += 1
        if self.pulls[action] == next_total(self.closed[action], self.ratio):
            self._close_batch(action)
            if 0 not in self.pulls:
                self.compare()
        if 0 in self.pulls:
            self._arm = self.pulls.index(0)
        elif not self.stopped:
            self._arm = self._next()

    def recommend(self) -> int:
        """Return the leader at the time of stopping."""
        return self.recommended

    def _close_batch(self, arm: int) -> None:
        self.noisy_sum[arm] += Laplace(sensitivity=1.0, epsilon=self.epsilon).release(self._sums[arm], self.noise)
        self._sums[arm], self.closed[arm] = 0.0, self.pulls[arm]
        self.private_mean[arm] = min(max(self.noisy_sum[arm] / self.closed[arm], 0.0), 1.0)
        self.batches[arm] += 1

    def _next(self) -> int:
        fewest, share = self.pulls.index(min(self.pulls)), sum(self.pulls) / self.arms
        if self.forced and self.pulls[fewest] < max(math.sqrt(share), 0.1 * share):
            return fewest
        return self._leader if self.coins.random() < 0.5 else self._challenger

    def compare(self) -> None:
        """Choose leader and challenger, and stop if the leader is separated from all other arms."""
        leader = 0
        for arm, mean in enumerate(self.private_mean):
            if mean > self.private_mean[leader] + INDISTINCT:
                leader = arm
        others = [arm for arm in range(self.arms) if arm != leader]
        costs = {arm: self.cost(leader, arm) for arm in others}
        challenger, lowest = -1, math.inf
        for arm in others:
            price = costs[arm] + math.log(self.closed[arm])
            if challenger < 0 or price < lowest - INDISTINCT:
                challenger, lowest = arm, price
        self._leader, self._challenger = leader, challenger
        if all(self.separates(leader, arm, costs[arm]) for arm in others):
            self.stopped, self.recommended, self._arm = True, leader, leader

    def cost(self, leader: int, arm: int) -> float:
        """Return the transportation cost, by bisection on the sign of its derivative in u."""
        from privcheck.bounds import d_epsilon, d_epsilon_minimiser

        low, high = self.private_mean[arm], self.private_mean[leader]
        if high <= low:
            return 0.0
        means, n = np.array([high, low]), np.array([self.closed[leader], self.closed[arm]])
        for _ in range(60):
            u = 0.5 * (low + high)
            if not low < u < high:
                break
            rising = float(n @ (u - d_epsilon_minimiser(means, u, self.drawn))) > 0.0
            low, high = (low, u) if rising else (u, high)
        return float(n @ d_epsilon(means, 0.5 * (low + high), self.drawn))

    def separates(self, leader: int, arm: int, cost: float) -> bool:
        """Tell whether the test of two arms passes."""
        from scipy.stats import gamma

        one, other = self.batches[leader], self.batches[arm]
        union = math.log(self.arms - 1) + 2.0 * (LOG_ZETA + math.log(one * other))
        return bool(float(gamma.logsf(cost, 2 + one + other)) + union <= math.log(self.delta))
