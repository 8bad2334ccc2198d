"""Private bandits that publish spreads, order statistics and limited sums of rewards in [0, 1], and broken twins.

Neighbours differ in one reward. The comment below each class is its privacy argument; b is a noise scale. A twin has
the name of its program with "Broken" before it, and says what is wrong.
"""

import math
import statistics

import numpy as np


class Blocks:
    """Publishes something of the rewards of each arm's block of four, and forgets them."""

    size = 4

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.rewards = [[] for _ in range(arms)]
        self.index = [1.0] * arms

    def select(self):
        return max(range(len(self.index)), key=lambda arm: self.index[arm])

    def update(self, action, reward):
        self.rewards[action].append(reward)
        if len(self.rewards[action]) == self.size:
            self.index[action] = self.published(self.rewards[action])
            self.rewards[action] = []

    def noise(self, sensitivity):
        return self.rng.laplace(0.0, sensitivity / self.epsilon)


class Variance(Blocks):
    # One of four rewards moves np.var by at most 3/16.
    def published(self, rewards):
        return np.var(rewards) + self.noise(3 / 16)


class BrokenVariance(Blocks):
    # The variance of a sample is 4/3 times as large.
    def published(self, rewards):
        return np.var(rewards, ddof=1) + self.noise(3 / 16)


class SampleVariance(Blocks):
    # With n - 1 in the denominator: by at most 1/n.
    def published(self, rewards):
        return statistics.variance(rewards) + self.noise(1 / 4)


class BrokenSampleVariance(Blocks):
    # A reward counts twice.
    def published(self, rewards):
        return statistics.variance([*rewards, rewards[0]]) + self.noise(1 / 4)


class Deviation(Blocks):
    # sqrt(n - 1) / n.
    def published(self, rewards):
        return np.asarray(rewards).std() + self.noise(math.sqrt(3) / 4)


class BrokenDeviation(Blocks):
    # That of the variance is taken for the deviation's.
    def published(self, rewards):
        return np.asarray(rewards).std() + self.noise(3 / 16)


class MeanAndDeviation(Blocks):
    # 1/4 for the mean and sqrt(3) / 4 for the deviation, together in one number: an upper confidence bound.
    def published(self, rewards):
        return np.mean(rewards) + 2 * statistics.pstdev(rewards) + self.noise(1 / 4 + math.sqrt(3) / 2)


class BrokenMeanAndDeviation(Blocks):
    # A coefficient of variation has no bound.
    def published(self, rewards):
        return np.std(rewards) / (0.1 + np.mean(rewards)) + self.noise(10.0)


class Median(Blocks):
    # Four rewards: the mean of the middle two moves by at most 1/2.
    def published(self, rewards):
        return np.median(rewards) + self.noise(1 / 2)


class BrokenMedian(Blocks):
    # Of three rewards the median moves by 1.
    size = 3

    def published(self, rewards):
        return np.median(rewards) + self.noise(1 / 2)


class MedianByHand(Blocks):
    # As people write it; the upper of the middle two moves by at most 1.
    def published(self, rewards):
        return sorted(rewards)[len(rewards) // 2] + self.noise(1.0)


class BrokenMedianByHand(Blocks):
    # Half the noise.
    def published(self, rewards):
        return sorted(rewards)[len(rewards) // 2] + self.noise(0.5)


class Best(Blocks):
    # The largest of four rewards moves by at most 1.
    def published(self, rewards):
        return max(rewards) + self.noise(1.0)


class BrokenBest(Blocks):
    # It is read twice, and paid for once.
    def published(self, rewards):
        return max(rewards) + self.noise(1.0) + 0.1 * (max(rewards) + self.noise(1.0))


class Worst(Blocks):
    # The smallest of four rewards moves by at most 1.
    def published(self, rewards):
        return np.min(np.array(rewards)) + self.noise(1.0)


class BrokenWorst(Blocks):
    # How many rewards are above one half is private.
    def published(self, rewards):
        return np.min([1.0] + [reward for reward in rewards if reward > 0.5]) + self.noise(1.0)


class LimitedSum(Blocks):
    # The sum moves by 1, and so does what is left of it above 1.
    def published(self, rewards):
        return max(0.0, sum(rewards) - 1.0) / 3 + self.noise(1 / 3)


class BrokenLimitedSum(Blocks):
    # The slope is 3.
    def published(self, rewards):
        return max(0.0, 3 * sum(rewards) - 1.0) / 3 + self.noise(1 / 3)


class Distance(Blocks):
    # | sum - 2 | moves by at most 1.
    def published(self, rewards):
        return abs(sum(rewards) - 2) + self.noise(1.0)


class BrokenDistance(Blocks):
    # A condition on several data.
    def published(self, rewards):
        total = sum(rewards) - 2
        return (total if total > 0 else -total) + self.noise(1.0)


class ClippedMean(Blocks):
    # np.clip of a mean moves by at most 1/4.
    def published(self, rewards):
        return np.clip(np.mean(rewards), 0.2, 0.8) + self.noise(1 / 4)


class BrokenClippedMean(Blocks):
    # Clipped to a narrow interval and stretched again.
    def published(self, rewards):
        return 4 * np.clip(np.mean(rewards), 0.2, 0.8) + self.noise(1 / 4)


class Quartile(Blocks):
    # (1 - g) y_(0) + g y_(1), g = 3/4: at most 3/4.
    def published(self, rewards):
        return np.percentile(rewards, 25) + self.noise(3 / 4)


class BrokenQuartile(Blocks):
    # The share is private.
    def published(self, rewards):
        return np.quantile(rewards, rewards[0]) + self.noise(1.0)


class Window(Blocks):
    # The variance of the last four rewards is published after each: a reward is in four of them.
    def update(self, action, reward):
        self.rewards[action] = [*self.rewards[action], reward][-4:]
        if len(self.rewards[action]) == 4:
            self.index[action] = np.var(self.rewards[action]) + self.noise(4 * 3 / 16)


class BrokenWindow(Blocks):
    # It is charged as if each reward were in one.
    def update(self, action, reward):
        self.rewards[action] = [*self.rewards[action], reward][-4:]
        if len(self.rewards[action]) == 4:
            self.index[action] = np.var(self.rewards[action]) + self.noise(3 / 16)
