"""Algorithm 1 of Azize and Basu 2022 (AB22), the framework of AdaP-UCB and AdaP-KL-UCB."""

from __future__ import annotations

import math

import numpy as np

from privcheck.arrays import Actions, Array, Integers
from privcheck.bandits.kl_index import excess, kl_index
from privcheck.kernels import compiled, record, reward_sum
from privcheck.mechanisms import NOISE_SLACK, Gaussian, Laplace
from privcheck.private_values import told_arm, told_reward


class AdaptiveEpisodesPolicy:
    """The reference of AB22 Algorithm 1; a subclass defines the index, and the mechanism if it is another one.

    Guarantee
    ---------
    epsilon-DP for neighbouring reward streams (one round's rewards replaced), when all actions are public. Each reward
    is in [0, 1] and enters one block of one arm; a closed block of n rewards is released once, as its mean plus
    Laplace(1/(n epsilon)) noise (sensitivity 1/n), and every later index reuses that release. For a fixed sequence of
    actions the blocks are fixed, so replacing one reward changes one release (none if its block never closes):
    adaptive parallel composition. Ties go to the lowest arm. With another `mechanism`, of sensitivity 1/n, the
    guarantee is that of one release by it.
    """

    def __init__(self, arms: int, epsilon: float, alpha: float, noise: np.random.Generator) -> None:
        self.epsilon, self.alpha, self.noise = epsilon, alpha, noise
        self.arms, self.private_mean = arms, [0.0] * arms
        self.block_length = [0] * arms
        self.pulls = [0] * arms
        self.rounds = 0
        self._arm, self._left, self._block_sum = 0, 1, 0.0

    def select(self) -> int:
        """Return the arm of the current episode."""
        return self._arm

    def update(self, action: int, reward: float) -> None:
        """Add the reward to the open block; when it closes, release its mean and choose the next episode's arm."""
        action, reward = told_arm(action, self.arms), told_reward(reward)
        self.rounds += 1
        self.pulls[action] += 1
        self._block_sum += reward
        self._left -= 1
        if self._left == 0:
            self._close_block(action)
            self._open_block()

    def index(self, arm: int, log_round: float) -> float:
        """Return the optimistic index of an arm from its last private mean, given ln(t + 1)."""
        raise NotImplementedError

    def mechanism(self, n: int) -> Laplace | Gaussian:
        """Return the mechanism that releases a mean of n rewards."""
        return Laplace(sensitivity=1.0 / n, epsilon=self.epsilon)

    def _close_block(self, arm: int) -> None:
        n = max(1, self.pulls[arm] // 2)
        self.private_mean[arm] = self.mechanism(n).release(self._block_sum / n, self.noise)
        self.block_length[arm] = n
        self._block_sum = 0.0

    def _open_block(self) -> None:
        if 0 in self.pulls:
            self._arm, self._left = self.pulls.index(0), 1
            return
        log_round = math.log(self.rounds + 1)
        indices = [self.index(arm, log_round) for arm in range(len(self.pulls))]
        self._arm = indices.index(max(indices))
        self._left = self.pulls[self._arm]


@compiled
def adaptive_episodes_kernel(
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
    """Run AB22 Algorithm 1; `parameters`: epsilon or rho, alpha, and the index.

    The index is 0 for UCB, 1 for KL-UCB, and 2 for UCB with Gaussian noise under rho-zCDP.
    """
    epsilon, alpha, use_kl, gaussian = parameters[0], parameters[1], parameters[2] == 1.0, parameters[2] == 2.0
    arms = means.shape[0]
    best_mean = means.max()
    private_mean = np.zeros(arms)
    length = np.zeros(arms, np.int64)
    pulls = np.zeros(arms, np.int64)
    for run in range(runs):
        pulls[:] = 0
        t, cursor, total = 0, 0, 0.0
        while t < horizon:
            if t < arms:
                arm, planned = t, 1
            else:
                log_round = math.log(t + 1)
                arm, highest = 0, -math.inf
                for a in range(arms):
                    n = length[a]
                    bonus = alpha * log_round / (epsilon * n)
                    if use_kl:
                        mean = min(max(private_mean[a] + bonus, 0.0), 1.0)
                        level = alpha * log_round / n
                        if a > 0 and (highest == math.inf or (mean < 1.0 and not _exceeds(mean, level, highest))):
                            continue
                        index = kl_index(mean, level)
                    elif gaussian:
                        index = private_mean[a] + math.sqrt(alpha * log_round * (0.5 / n + 1.0 / (epsilon * n * n)))
                    else:
                        index = private_mean[a] + math.sqrt(alpha * log_round / (2.0 * n)) + bonus
                    if index > highest:
                        arm, highest = a, index
                planned = pulls[arm]
            stop = min(t + planned, horizon)
            block_sum = reward_sum(table, means, rewards, arm, t, stop)
            cursor, total = record(
                actions, run, checkpoints, best_mean - means[arm], regret, cursor, total, arm, t, stop
            )
            if stop - t == planned:
                pulls[arm] += planned
                length[arm] = planned
                if gaussian:
                    scale = (1.0 / planned) * (1.0 + NOISE_SLACK) / math.sqrt(2.0 * epsilon)
                    private_mean[arm] = block_sum / planned + noise.normal(0.0, scale)
                else:
                    scale = (1.0 / planned) * (1.0 + NOISE_SLACK) / epsilon
                    private_mean[arm] = block_sum / planned + noise.laplace(0.0, scale)
            t = stop


@compiled
def _exceeds(mean: float, level: float, x: float) -> bool:
    """Tell whether the KL-UCB index of (mean, level) is above x, without solving for it."""
    return -math.log1p(-mean) >= x or excess(mean, level, x) < 0.0
