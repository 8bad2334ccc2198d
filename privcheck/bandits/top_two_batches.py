"""The reference of the Top Two rule on batches: when it stops, and whose batch is next, whatever the likelihood."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np

from privcheck.bandits.geometric_batches import BatchesPolicy
from privcheck.mechanisms import Laplace
from privcheck.private_values import told_arm, told_reward

INDISTINCT = 1e-9
"""Estimates and costs closer than this tie, and the lowest arm wins: rounding decides nothing."""


class TopTwoBatchesPolicy(BatchesPolicy):
    """The common base of DP-Exact-TT, Top Two and LDP-TT.

    A subclass says what it knows of arms: `estimate`, `top`, `null` and `evidence`. The divergence between means is
    kl, unless it says otherwise in `least_costs`.

    Guarantee
    ---------
    That of `BatchesPolicy`: which arm is played, when the policy stops and what it recommends are functions of released
    sums, at the moments at which sums are released.
    """

    def __init__(
        self,
        arms: int,
        mechanism: Laplace | None,
        ratio: float,
        noise: np.random.Generator,
        coins: np.random.Generator | None,
        first: int,
        *,
        level: float,
    ) -> None:
        super().__init__(arms, mechanism, ratio, noise, coins, first)
        self.level = level
        self.stopped, self.recommended = False, 0

    def update(self, action: int, reward: float) -> None:
        """Add the reward to the open batch; once stopped, nothing is kept."""
        action, reward = told_arm(action, self.arms), told_reward(reward)
        if not self.stopped:
            super().update(action, reward)

    def recommend(self) -> int:
        """Return the leader at the time of stopping."""
        return self.recommended

    def choose(self) -> int:
        """Stop and return the leader, or return the arm of the next batch."""
        estimates = [self.estimate(arm) for arm in range(self.arms)]
        leader = 0
        for arm, estimate in enumerate(estimates):
            if estimate > estimates[leader] + INDISTINCT:
                leader = arm
        others = [arm for arm in range(self.arms) if arm != leader]
        null = {arm: self.null(leader, arm) for arm in others}
        if all(self.evidence(leader, arm, null[arm]) >= self.level for arm in others):
            self.stopped, self.recommended = True, leader
            return leader
        challenger = self.challenger(leader, others, null)
        fewest, share = self.pulls.index(min(self.pulls)), sum(self.pulls) / self.arms
        if self.pulls[fewest] < max(math.sqrt(share), 0.1 * share):
            arm = fewest
        elif sum(self.ratio_of_costs(leader, arm, estimates) for arm in others) > 1.0 + INDISTINCT:
            arm = leader
        else:
            arm = challenger
        self.plan(arm, estimates[leader], estimates[challenger if arm == leader else arm])
        return arm

    def challenger(self, leader: int, others: list[int], null: dict[int, float]) -> int:
        """Return the arm with the smallest max L_B + max L_a - null_a + ln n_a."""
        challenger, lowest = -1, math.inf
        for arm in others:
            cost = self.top(leader) + self.top(arm) - null[arm] + math.log(self.pulls[arm])
            if cost < lowest - INDISTINCT:
                challenger, lowest = arm, cost
        return challenger

    def plan(self, arm: int, ahead: float, behind: float) -> None:
        """Take note of how long the next batch is; the leader and the arm that it is compared with have these means."""

    def ratio_of_costs(self, leader: int, arm: int, estimates: list[float]) -> float:
        """Return d(mu_B, u) / d(mu_a, u) at the minimiser u of n_B d(mu_B, u) + n_a d(mu_a, u)."""
        ratio = math.inf
        if estimates[arm] < estimates[leader] - INDISTINCT:
            costs = self.least_costs(estimates[leader], estimates[arm], self.pulls[leader], self.pulls[arm])
            if costs[1] > 0.0:
                ratio = costs[0] / costs[1]
        return ratio

    def least_costs(self, high: float, low: float, high_pulls: int, low_pulls: int) -> list[float]:
        """Return d(high, u) and d(low, u) at the minimiser u of their sum with these weights; here d is kl."""
        with localcontext(prec=40):  # of close means, which no digit of a float is to spare for
            exact = Decimal(high), Decimal(low)
            pooled = weighted_mean(*exact, high_pulls, low_pulls)
            return [float(divergence(mean, pooled)) for mean in exact]

    def estimate(self, arm: int) -> float:
        """Return the most likely mean of an arm."""
        raise NotImplementedError

    def top(self, arm: int) -> float:
        """Return the largest log-likelihood of an arm's sums."""
        raise NotImplementedError

    def null(self, leader: int, arm: int) -> float:
        """Return a bound on the log-likelihood of both arms' sums if the leader is no better than the other arm."""
        raise NotImplementedError

    def evidence(self, leader: int, arm: int, null: float) -> float:
        """Return the logarithm of the evidence that the leader is better than the other arm, given `null`."""
        raise NotImplementedError


def weighted_mean(high: Decimal, low: Decimal, high_pulls: int, low_pulls: int) -> Decimal:
    """Return the minimiser u of the sum of kl(high, u) and kl(low, u) with these weights."""
    return (high_pulls * high + low_pulls * low) / (high_pulls + low_pulls)


def divergence(p: Decimal, q: Decimal) -> Decimal:
    """Return kl(p, q) of Bernoulli laws, for q in (0, 1), or equal to p at an end."""
    return sum((a * (a / b).ln() for a, b in ((p, q), (1 - p, 1 - q)) if a > 0), Decimal(0))
