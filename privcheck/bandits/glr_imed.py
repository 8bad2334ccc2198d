"""What DP-GLR-IMED and Gaussian-GLR-IMED share: IMED on the likelihood of all releases, over geometric batches."""

from __future__ import annotations

import math

import numpy as np

from privcheck.arrays import Actions, Array, Integers
from privcheck.bandits.batch_likelihood import divergence_sum, most_likely_mean
from privcheck.bandits.gaussian_likelihood import gaussian_divergence_sum, gaussian_most_likely_mean
from privcheck.bandits.geometric_batches import BatchesPolicy, next_total
from privcheck.bandits.reward_coins import coin_sum
from privcheck.bandits.round_robin import record_turns, sums_in_turns
from privcheck.kernels import compiled, record
from privcheck.mechanisms import Gaussian, Laplace

LONGEST_FIRST_BATCH = 2.0**52
"""The longest first batch, for a tiny budget: up to here floats represent integers exactly."""

INDISTINCT = 1e-9
"""Indices closer than this tie: arms whose batches are clipped alike have the same estimate, except for rounding."""


@compiled
def _deviance(values: Array, lengths: Array, batches: int, q: float, budget: float, gaussian: bool) -> float:
    """Return D(q) under Gaussian noise, from sums and rho, or under Laplace noise, from clipped means and epsilon."""
    if gaussian:
        return gaussian_divergence_sum(values, lengths, batches, q, budget)
    return divergence_sum(values, lengths, batches, q, budget)


@compiled
def _estimate(
    values: Array, lengths: Array, batches: int, budget: float, gaussian: bool, one: float, other: float
) -> float:
    """Return argmin D, which lies between `one` and `other`."""
    if gaussian:
        return gaussian_most_likely_mean(values, lengths, batches, budget, one, other)
    return most_likely_mean(values, lengths, batches, budget, one, other)


@compiled
def glr_imed_kernel(
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
    """Run IMED on the likelihood of all releases.

    `parameters` holds the scale of the noise, the budget of that scale (epsilon, or rho), the ratio, the first two
    totals of an arm, 1 for coins, and 1 for Gaussian noise.
    """
    scale, budget, ratio = parameters[0], parameters[1], parameters[2]
    first, second = int(parameters[3]), int(parameters[4])
    toss_coins, gaussian = parameters[5] > 0.0, parameters[6] > 0.0
    arms = means.shape[0]
    best_mean = means.max()
    most = 2
    pulls = first
    while pulls < horizon:
        pulls = next_total(pulls, ratio, first, second)
        most += 1
    released, lengths = np.zeros((arms, most)), np.zeros((arms, most))
    estimate, least, sums, log_pulled = np.zeros(arms), np.zeros(arms), np.zeros(arms), np.zeros(arms)
    cost, cost_at = np.zeros(arms), np.zeros(arms)  # D_a(mu*) - D_a(mu_a), and the mu* for which it was computed
    pulled, batches = np.zeros(arms, np.int64), np.zeros(arms, np.int64)
    for run in range(runs):
        t = min(first * arms, horizon)
        sums_in_turns(toss_coins, table, means, rewards, coins, t, sums)
        cursor, total = record_turns(actions, run, checkpoints, means, regret, t)
        for a in range(max(t - (first - 1) * arms, 0)):
            noisy = sums[a] + (noise.normal(0.0, scale) if gaussian else noise.laplace(0.0, scale))
            mean = min(max(noisy / first, 0.0), 1.0)
            released[a, 0], lengths[a, 0], estimate[a] = noisy if gaussian else mean, first, mean
            pulled[a], batches[a], least[a], cost_at[a], log_pulled[a] = first, 1, 0.0, -1.0, math.log(first)
            if gaussian:
                estimate[a] = _estimate(released[a], lengths[a], 1, budget, gaussian, mean, mean)
                least[a] = _deviance(released[a], lengths[a], 1, estimate[a], budget, gaussian)
        while t < horizon:
            arm, lowest = 0, math.inf
            leader = estimate.max()
            for a in range(arms):
                index = log_pulled[a]
                if estimate[a] < leader:
                    if cost_at[a] != leader:
                        cost[a] = _deviance(released[a], lengths[a], batches[a], leader, budget, gaussian) - least[a]
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
                noisy = batch_sum + (noise.normal(0.0, scale) if gaussian else noise.laplace(0.0, scale))
                mean = min(max(noisy / length, 0.0), 1.0)
                k = batches[arm]
                released[arm, k], lengths[arm, k] = noisy if gaussian else mean, length
                estimate[arm] = _estimate(released[arm], lengths[arm], k + 1, budget, gaussian, estimate[arm], mean)
                least[arm] = _deviance(released[arm], lengths[arm], k + 1, estimate[arm], budget, gaussian)
                cost_at[arm], batches[arm], pulled[arm], log_pulled[arm] = -1.0, k + 1, planned, math.log(planned)
            t = stop


class GLRIMEDPolicy(BatchesPolicy):
    """The reference of IMED on the likelihood of all releases; a subclass has D_a and its minimiser.

    `released` has what each arm's closed batches have shown: clipped means, or sums.
    """

    in_turns = True

    def __init__(
        self,
        arms: int,
        mechanism: Laplace | Gaussian | None,
        ratio: float,
        noise: np.random.Generator,
        coins: np.random.Generator | None,
        first: int,
        second: int,
    ) -> None:
        super().__init__(arms, mechanism, ratio, noise, coins, first, second)
        self.released: list[list[float]] = [[] for _ in range(arms)]
        self.lengths: list[list[int]] = [[] for _ in range(arms)]
        self.estimates, self.least = [0.0] * arms, [0.0] * arms

    def take_in(self, arm: int, length: int, private_sum: float) -> None:
        """Keep what the batch shows; compute mu_a and D_a(mu_a)."""
        self.released[arm].append(self.shown(length, private_sum))
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

    def shown(self, length: int, private_sum: float) -> float:
        """Return what is kept of a private sum."""
        raise NotImplementedError

    def deviance(self, arm: int, q: float) -> float:
        """Return D_a(q)."""
        raise NotImplementedError

    def estimate(self, arm: int) -> float:
        """Return argmin D_a."""
        raise NotImplementedError


def first_batch(first: float, unit: float) -> int:
    """Return the number of rewards in an arm's first batch: `first` units, at least one reward.

    >>> first_batch(1.0, 3.3), first_batch(0.1, 2.0)
    (4, 1)
    """
    return max(math.ceil(min(first * unit, LONGEST_FIRST_BATCH)), 1)


def second_total(second: float, unit: float) -> int:
    """Return the least number of rewards in an arm's first two batches together: `second` units.

    >>> second_total(4.0, 2.2)
    9
    """
    return math.ceil(min(second * unit, LONGEST_FIRST_BATCH))
