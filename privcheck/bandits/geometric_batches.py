"""The common base of algorithms with batches of geometric length, and the running sums of DP-KL-UCB and DP-IMED."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from privcheck.arrays import Actions, Array, Integers
from privcheck.bandits.private_index import private_divergence, private_index
from privcheck.bandits.reward_coins import coin_sum, toss
from privcheck.declared import Real, parameter
from privcheck.kernels import compiled, record
from privcheck.mechanisms import NOISE_SLACK, Gaussian, Laplace
from privcheck.private_values import told_arm, told_reward


def ratio_parameter(default: float = 2.0, *, least: float = 1.0) -> Any:
    """Declare the ratio of successive totals of an arm's pulls, above 1."""
    domain = Real(least, 64.0, low_open=least == 1.0)
    return parameter(domain, typical=(1.1, 4.0), default=default, doc="ratio of an arm's successive pull counts")


@compiled
def next_total(pulls: int, ratio: float, first: int = 1, second: int = 0) -> int:
    """Return an arm's number of pulls after its next batch: `first`, then ceil(ratio * pulls), or `second` if more.

    >>> [next_total(n, 2.0) for n in (0, 1, 2, 4)], next_total(10, 1.05), next_total(0, 2.0, 7)
    ([1, 2, 4, 8], 11, 7)
    >>> [next_total(n, 1.5, 2, 20) for n in (0, 2, 20, 30)]
    [2, 20, 30, 45]
    """
    return max(pulls + 1, math.ceil(ratio * pulls), second) if pulls > 0 else first


class BatchesPolicy:
    """The reference of geometric batches; a subclass stores the private sums and chooses the next batch's arm.

    The first batches are played one after the other, lowest arm first, or in turns if `in_turns`.

    Guarantee
    ---------
    That of one release by `mechanism` at sensitivity 1 (epsilon-DP for Laplace noise of scale 1/epsilon, rho-zCDP for
    Gaussian noise of variance 1/(2 rho)) for neighbouring reward streams (one round's rewards replaced), when all
    actions are public. Each reward (or its coin, see `privcheck.bandits.reward_coins`) is in [0, 1] and enters the sum
    of one batch of one arm; a closed batch is released once. Whatever is done with released sums is post-processing,
    including clipping. Which arm is played and how long its batch is are functions of the sums released before. So
    given these the batches are fixed, and replacing one reward changes the law of one release (none if its batch never
    closes), whatever was released before: adaptive parallel composition. In turns, the first batches of all arms are
    open at the same time, but each round belongs to one of them, fixed in advance. Ties go to the lowest arm.
    """

    in_turns: ClassVar[bool] = False

    def __init__(
        self,
        arms: int,
        mechanism: Laplace | Gaussian | None,
        ratio: float,
        noise: np.random.Generator,
        coins: np.random.Generator | None = None,
        first: int = 1,
        second: int = 0,
    ) -> None:
        self.mechanism, self.ratio, self.first, self.second = mechanism, ratio, first, second
        self.noise, self.coins = noise, coins
        self.arms, self.pulls = arms, [0] * arms
        self.rounds = 0
        self._arm, self._left, self._batch_sums = 0, [first] * arms, [0.0] * arms

    def select(self) -> int:
        """Return the arm of the current batch."""
        return self._arm

    def update(self, action: int, reward: float) -> None:
        """Add the reward to the open batch; when it closes, release its sum and choose the next batch's arm."""
        action, reward = told_arm(action, self.arms), told_reward(reward)
        self.rounds += 1
        self._batch_sums[action] += reward if self.coins is None else toss(reward, self.coins)
        self._left[action] -= 1
        if self._left[action] == 0:
            length = self.next_total(action) - self.pulls[action]
            self.pulls[action] += length
            self.take_in(action, length, self.publish(self._batch_sums[action]))
            self._batch_sums[action] = 0.0
        elif not (self.in_turns and self.pulls[action] == 0):
            return
        if 0 not in self.pulls:
            self._arm = self.choose()
            self._left[self._arm] = self.next_total(self._arm) - self.pulls[self._arm]
        else:
            self._arm = (action + 1) % self.arms if self.in_turns else self.pulls.index(0)

    def next_total(self, arm: int) -> int:
        """Return the arm's number of pulls after its next batch."""
        return next_total(self.pulls[arm], self.ratio, self.first, self.second)

    def publish(self, batch_sum: float) -> float:
        """Release the sum of a closed batch; a policy without a mechanism publishes in a way of its own."""
        assert self.mechanism is not None
        return self.mechanism.release(batch_sum, self.noise)

    def take_in(self, arm: int, length: int, private_sum: float) -> None:
        """Store what is needed of the private sum of a closed batch."""
        raise NotImplementedError

    def choose(self) -> int:
        """Return the arm of the next batch."""
        raise NotImplementedError


class GeometricBatchesPolicy(BatchesPolicy):
    """The reference of DP-KL-UCB and DP-IMED: a running total of each arm's private sums, whose noise accumulates."""

    def __init__(
        self,
        arms: int,
        epsilon: float,
        ratio: float,
        noise: np.random.Generator,
        coins: np.random.Generator | None = None,
    ) -> None:
        super().__init__(arms, Laplace(sensitivity=1.0, epsilon=epsilon), ratio, noise, coins)
        self.epsilon = epsilon
        self.noisy_sum = [0.0] * arms

    def take_in(self, arm: int, length: int, private_sum: float) -> None:
        """Add the private sum to the arm's running sum."""
        self.noisy_sum[arm] += private_sum

    def mean(self, arm: int) -> float:
        """Return the private mean of all closed batches, clipped to [0, 1]."""
        return min(max(self.noisy_sum[arm] / self.pulls[arm], 0.0), 1.0)


@compiled
def geometric_batches_kernel(
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
    """Run DP-KL-UCB or DP-IMED; `parameters`: epsilon, ratio, 1 for the IMED index or 0 for KL-UCB's, 1 for coins."""
    epsilon, ratio, imed, toss_coins = parameters[0], parameters[1], parameters[2] > 0.0, parameters[3] > 0.0
    scale = (1.0 + NOISE_SLACK) / epsilon
    arms = means.shape[0]
    best_mean = means.max()
    noisy_sum, mean = np.zeros(arms), np.zeros(arms)
    pulls = np.zeros(arms, np.int64)
    for run in range(runs):
        noisy_sum[:] = 0.0
        pulls[:] = 0
        t, cursor, total = 0, 0, 0.0
        while t < horizon:
            arm, lowest = 0, math.inf
            if t < arms:
                arm = t
            else:
                log_round, leader = math.log(t + 1), mean.max()
                for a in range(arms):
                    if imed:
                        index = pulls[a] * private_divergence(mean[a], leader, epsilon) + math.log(pulls[a])
                    else:
                        index = -private_index(mean[a], log_round / pulls[a], epsilon)
                    if index < lowest:
                        arm, lowest = a, index
            planned = next_total(pulls[arm], ratio)
            stop = min(t + planned - pulls[arm], horizon)
            batch_sum = coin_sum(toss_coins, table, means, rewards, coins, arm, t, stop)
            cursor, total = record(
                actions, run, checkpoints, best_mean - means[arm], regret, cursor, total, arm, t, stop
            )
            if stop - t == planned - pulls[arm]:
                noisy_sum[arm] += batch_sum + noise.laplace(0.0, scale)
                pulls[arm] = planned
                mean[arm] = min(max(noisy_sum[arm] / planned, 0.0), 1.0)
            t = stop
