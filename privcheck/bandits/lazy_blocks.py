"""HHMH Algorithms 1 and 3: blocks of 1, 2, 4, ... rewards per arm, the arm chosen afresh in every round."""

from __future__ import annotations

import math

import numpy as np

from privcheck.bandits.reward_coins import coin_sum, toss
from privcheck.kernels.building_blocks import Actions, Floats, Integers, compiled, record
from privcheck.mechanisms import Laplace
from privcheck.mechanisms.base import NOISE_SLACK


class LazyBlocksPolicy:
    """The reference of HHMH Algorithms 1 and 3; a subclass gives the score of an arm in a round.

    Guarantee
    ---------
    epsilon-DP for neighbouring reward streams (one round's rewards replaced), every action being public. Each reward
    (or its coin, see `privcheck.bandits.reward_coins`) is in [0, 1] and enters the sum of one block of one arm; a full
    block is released once, with Laplace(1/epsilon) noise (sensitivity 1), and every later score reuses that release.
    Blocks of an arm need not be played in one go, but for a fixed sequence of actions they are fixed, so replacing one
    reward changes one release (none if its block never fills up): adaptive parallel composition. Ties are broken by the
    lowest arm.
    """

    def __init__(
        self,
        arms: int,
        epsilon: float,
        noise: np.random.Generator,
        reward_coins: np.random.Generator | None = None,
    ) -> None:
        self.epsilon, self.noise, self.reward_coins = epsilon, noise, reward_coins
        self.mechanism = Laplace(sensitivity=1.0, epsilon=epsilon)
        self.private_mean = [0.0] * arms
        self.block_length = [0] * arms
        self.rounds = 0
        self._sums, self._counts = [0.0] * arms, [0] * arms
        self._arm: int | None = None

    def select(self) -> int:
        """Return the first arm never played, else the arm with the largest score of this round."""
        if self._arm is None:
            if 0 in self.block_length:
                self._arm = self.block_length.index(0)
            else:
                log_round = math.log(self.rounds + 1)
                scores = [self.score(arm, log_round) for arm in range(len(self.block_length))]
                self._arm = scores.index(max(scores))
        return self._arm

    def update(self, action: int, reward: float) -> None:
        """Add the reward to the arm's open block, and release that when it is full."""
        self.rounds += 1
        self._arm = None
        self._sums[action] += reward if self.reward_coins is None else toss(reward, self.reward_coins)
        self._counts[action] += 1
        if self._counts[action] == max(1, 2 * self.block_length[action]):
            n = self.block_length[action] = self._counts[action]
            self.private_mean[action] = self.mechanism.release(self._sums[action], self.noise) / n
            self._sums[action], self._counts[action] = 0.0, 0

    def score(self, arm: int, log_round: float) -> float:
        """Return what the arm is chosen by in round t, given ln t."""
        raise NotImplementedError


@compiled
def lazy_blocks_kernel(
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
    """Run HHMH Algorithm 1 or 3; `parameters`: epsilon, 1 for Thompson sampling or 0 for the index, 1 for coins."""
    epsilon, thompson, toss_coins = parameters[0], parameters[1] > 0.0, parameters[2] > 0.0
    scale = (1.0 + NOISE_SLACK) / epsilon
    arms = means.shape[0]
    best_mean = means.max()
    private_mean, sums = np.zeros(arms), np.zeros(arms)
    length, counts = np.zeros(arms, np.int64), np.zeros(arms, np.int64)
    for run in range(runs):
        sums[:] = 0.0
        counts[:] = 0
        length[:] = 0
        cursor, total = 0, 0.0
        for t in range(horizon):
            arm, highest = 0, -math.inf
            if t < arms:
                arm = t
            else:
                log_round = math.log(t + 1)
                for a in range(arms):
                    bonus = 3.0 * log_round / (epsilon * length[a])
                    if thompson:
                        mean = min(max(private_mean[a] + bonus, 0.0), 1.0)
                        score = coins.beta(mean * length[a] + 1.0, (1.0 - mean) * length[a] + 1.0)
                    else:
                        score = private_mean[a] + math.sqrt(3.0 * log_round / length[a]) + bonus
                    if score > highest:
                        arm, highest = a, score
            sums[arm] += coin_sum(toss_coins, table, means, rewards, coins, arm, t, t + 1)
            counts[arm] += 1
            if counts[arm] == max(1, 2 * length[arm]):
                length[arm] = counts[arm]
                private_mean[arm] = (sums[arm] + noise.laplace(0.0, scale)) / length[arm]
                sums[arm] = 0.0
                counts[arm] = 0
            cursor, total = record(
                actions, run, checkpoints, best_mean - means[arm], regret, cursor, total, arm, t, t + 1
            )
