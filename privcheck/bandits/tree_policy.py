"""The common base of the DP-UCB references: an index on private prefix sums, one stream of them for each arm."""

from __future__ import annotations

import math
from abc import abstractmethod

from privcheck.bandits.ucb import UCBPolicy
from privcheck.mechanisms import PrefixStream
from privcheck.private_values import told_arm, told_reward


class TreePolicy(UCBPolicy):
    """UCB1 on private sums of rewards, with a bonus for their noise.

    Parameters
    ----------
    trees : one tree per arm; each reward enters the tree of its arm once, and indices are post-processing.

    """

    def __init__(self, trees: list[PrefixStream]) -> None:
        super().__init__(len(trees))
        self.trees = trees

    def update(self, action: int, reward: float) -> None:
        """Add the reward to the arm's tree, which returns the private sum."""
        action, reward = told_arm(action, self.arms), told_reward(reward)
        self.rounds += 1
        self.pulls[action] += 1
        self.sums[action] = self.trees[action].add(reward)

    def index(self, arm: int) -> float:
        """Return the noisy mean + sqrt(2 ln t / n_a) + bonus / n_a."""
        n = self.pulls[arm]
        return self.sums[arm] / n + math.sqrt(2.0 * math.log(self.rounds) / n) + self.bonus(arm) / n

    @abstractmethod
    def bonus(self, arm: int) -> float:
        """Return the bonus for the noise of the arm's private sum."""
