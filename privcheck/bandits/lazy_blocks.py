"""Algorithms 1 and 3 of Hu, Huang, Mehta and Hegde (HHMH): blocks of 1, 2, 4, ... rewards per arm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.bandits.reward_coins import toss, tossed
from privcheck.kernels import Generator, inlined, step_kernel
from privcheck.mechanisms import NOISE_SLACK, Laplace
from privcheck.private_values import told_arm, told_reward


class LazyBlocksPolicy:
    """The reference of HHMH Algorithms 1 and 3; a subclass defines the score of an arm in a round.

    Guarantee
    ---------
    epsilon-DP for neighbouring reward streams (one round's rewards replaced), when all actions are public. Each reward
    (or its coin, see `privcheck.bandits.reward_coins`) is in [0, 1] and enters the sum of one block of one arm; a full
    block is released once, with Laplace(1/epsilon) noise (sensitivity 1), and every later score reuses that release.
    The rounds of a block need not be consecutive, but for a fixed sequence of actions the blocks are fixed, so
    replacing one reward changes one release (none if its block never fills up): adaptive parallel composition. Ties go
    to the lowest arm.
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
        self.arms, self.private_mean = arms, [0.0] * arms
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
        """Add the reward to the arm's open block, and release the block when it is full."""
        action, reward = told_arm(action, self.arms), told_reward(reward)
        self.rounds += 1
        self._arm = None
        self._sums[action] += reward if self.reward_coins is None else toss(reward, self.reward_coins)
        self._counts[action] += 1
        if self._counts[action] == max(1, 2 * self.block_length[action]):
            n = self.block_length[action] = self._counts[action]
            self.private_mean[action] = self.mechanism.release(self._sums[action], self.noise) / n
            self._sums[action], self._counts[action] = 0.0, 0

    def score(self, arm: int, log_round: float) -> float:
        """Return the arm's score in round t, given ln t; the arm with the largest score is played."""
        raise NotImplementedError


KEPT = [("sum", np.float64), ("count", np.int64), ("length", np.int64), ("private_mean", np.float64)]


@inlined
def select(arms: Any, parameters: Array, coins: Generator, t: int, last: int) -> int:
    """Return the arm with the largest score; `parameters`: epsilon, 1 for Thompson sampling or 0 for the index."""
    epsilon, thompson = parameters[0], parameters[1] > 0.0
    log_round = math.log(t + 1)
    best, highest = 0, -math.inf
    for a in range(len(arms)):
        private_mean, length = arms[a].private_mean, arms[a].length
        bonus = 3.0 * log_round / (epsilon * length)
        if thompson:
            mean = min(max(private_mean + bonus, 0.0), 1.0)
            score = coins.beta(mean * length + 1.0, (1.0 - mean) * length + 1.0)
        else:
            score = private_mean + math.sqrt(3.0 * log_round / length) + bonus
        if score > highest:
            best, highest = a, score
    return best


@inlined
def update(arm: Any, parameters: Array, coins: Generator, noise: Generator, reward: float) -> None:
    """Add the reward, or a coin of that mean, to the open block; `parameters`: epsilon, not used, 1 for coins."""
    scale, toss_coins = (1.0 + NOISE_SLACK) / parameters[0], parameters[2] > 0.0
    arm.sum += tossed(reward, coins.random()) if toss_coins else reward
    arm.count += 1
    if arm.count == max(1, 2 * arm.length):
        arm.length = arm.count
        arm.private_mean = (arm.sum + noise.laplace(0.0, scale)) / arm.length
        arm.sum, arm.count = 0.0, 0


lazy_blocks_kernel = step_kernel(KEPT, select, update)
