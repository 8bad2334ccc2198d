"""What DP-KL-UCB and DP-IMED share: batches of geometric length, and noisy sums that are never forgotten."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bounds.domains import Real, parameter
from privcheck.bandits.private_index import private_divergence, private_index
from privcheck.mechanisms import Laplace
from privcheck.mechanisms.base import NOISE_SLACK
from privcheck.simulation.compiled import Actions, Floats, Integers, compiled, record, reward_sum


def ratio_parameter() -> Any:
    """Declare the ratio of successive totals of an arm's pulls."""
    return parameter(
        Real(1.0, 64.0, low_open=True), typical=(1.1, 4.0), default=2.0, doc="ratio of an arm's successive pull counts"
    )


@compiled
def next_total(pulls: int, ratio: float) -> int:
    """Return how often an arm has been pulled after its next batch: the least integer of at least ratio * pulls.

    >>> [next_total(n, 2.0) for n in (0, 1, 2, 4)], next_total(10, 1.05)
    ([1, 2, 4, 8], 11)
    """
    return max(pulls + 1, math.ceil(ratio * pulls))


class GeometricBatchesPolicy:
    """The reference of geometric batches with accumulated noisy sums; a subclass chooses the next batch's arm.

    Guarantee
    ---------
    epsilon-DP for neighbouring reward streams (one round's rewards replaced), every action being public. Each reward
    is in [0, 1] and enters the sum of one batch of one arm; a closed batch is released once, as its sum plus
    Laplace(1/epsilon) (sensitivity 1). Running sums add up released batches: post-processing, whatever is added to
    them later. For a fixed sequence of actions the batches are fixed, so replacing one reward changes one release
    (none if its batch never closes): adaptive parallel composition. Clips act on released sums. Ties are broken by the
    lowest arm.
    """

    def __init__(self, arms: int, epsilon: float, ratio: float, noise: np.random.Generator) -> None:
        self.epsilon, self.ratio, self.noise = epsilon, ratio, noise
        self.mechanism = Laplace(sensitivity=1.0, epsilon=epsilon)
        self.noisy_sum = [0.0] * arms
        self.pulls = [0] * arms
        self.rounds = 0
        self._arm, self._left, self._batch_sum = 0, 1, 0.0

    def select(self) -> int:
        """Return the arm of the current batch."""
        return self._arm

    def update(self, action: int, reward: float) -> None:
        """Add the reward to the open batch; when that closes, release its sum and choose the next batch's arm."""
        self.rounds += 1
        self._batch_sum += reward
        self._left -= 1
        if self._left > 0:
            return
        self.noisy_sum[action] += self.mechanism.release(self._batch_sum, self.noise)
        self.pulls[action] = next_total(self.pulls[action], self.ratio)
        self._batch_sum = 0.0
        self._arm = self.pulls.index(0) if 0 in self.pulls else self.choose()
        self._left = next_total(self.pulls[self._arm], self.ratio) - self.pulls[self._arm]

    def mean(self, arm: int) -> float:
        """Return the private mean of all closed batches, clipped to [0, 1]."""
        return min(max(self.noisy_sum[arm] / self.pulls[arm], 0.0), 1.0)

    def choose(self) -> int:
        """Return the arm of the next batch."""
        raise NotImplementedError


@compiled
def geometric_batches_kernel(
    parameters: Floats,
    table: Floats,
    means: Floats,
    rewards: np.random.Generator,
    coins: np.random.Generator,
    noise: np.random.Generator,
    horizon: int,
    runs: int,
    actions: Actions,
    checkpoints: Integers,
    regret: Floats,
) -> None:
    """Run DP-KL-UCB or DP-IMED; `parameters` holds epsilon, the ratio, and 1 for the IMED index or 0 for KL-UCB's."""
    epsilon, ratio, imed = parameters[0], parameters[1], parameters[2] > 0.0
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
            batch_sum = reward_sum(table, means, rewards, arm, t, stop)
            cursor, total = record(
                actions, run, checkpoints, best_mean - means[arm], regret, cursor, total, arm, t, stop
            )
            if stop - t == planned - pulls[arm]:
                noisy_sum[arm] += batch_sum + noise.laplace(0.0, scale)
                pulls[arm] = planned
                mean[arm] = min(max(noisy_sum[arm] / planned, 0.0), 1.0)
            t = stop
