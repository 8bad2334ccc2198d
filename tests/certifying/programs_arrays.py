"""Private bandits in the manner of numpy tutorials: arrays of sums and counts, running means, masks, histograms.

Neighbours differ in one reward in [0, 1]. The comment below each class is its privacy argument; b is a noise scale.
"""

import math

import numpy as np


class BlockMeans:
    # A reward is in one sum, which is published once with b = 1 / epsilon and then reset.
    def __init__(self, rng, arms=2, epsilon=1.0, block=3):
        self.rng, self.epsilon, self.block = rng, epsilon, block
        self.sums = np.zeros(arms)
        self.counts = np.zeros(arms, dtype=int)
        self.means = np.full(arms, np.inf)
        self.current = 0

    def select(self):
        return self.current

    def update(self, action, reward):
        self.sums[action] += reward
        self.counts[action] += 1
        if self.counts[action] == self.block:
            self.means[action] = (self.sums[action] + self.rng.laplace(0, 1 / self.epsilon)) / self.block
            self.sums[action], self.counts[action] = 0.0, 0
            self.current = int(np.argmax(self.means))


class RoundRobinMeans:
    # Every block of 2 x 2 rewards is one vector of two means, of L1 sensitivity 1/2, published once.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.total = np.zeros(arms)
        self.t, self.best = 0, 0

    def select(self):
        return self.t % self.arms if self.t % 8 < 4 else self.best

    def update(self, action, reward):
        if self.t % 8 < 4:
            self.total = self.total + np.eye(self.arms)[action] * reward
        self.t += 1
        if self.t % 8 == 4:
            noisy = self.total / 2 + self.rng.laplace(0, 1 / (2 * self.epsilon), size=self.arms)
            self.best = int(noisy.argmax())
            self.total = np.zeros(self.arms)


class IncrementalMean:
    # After n steps each of the n rewards has weight 1/n in the running mean, published once, b = 1 / (n epsilon).
    def __init__(self, rng, arms=2, epsilon=1.0, n=4):
        self.rng, self.arms, self.epsilon, self.n = rng, arms, epsilon, n
        self.values, self.pulls = [0.0] * arms, [0] * arms
        self.published = np.ones(arms)

    def select(self):
        return int(np.argmax(self.published))

    def update(self, action, reward):
        self.pulls[action] += 1
        self.values[action] += (reward - self.values[action]) / self.pulls[action]
        if self.pulls[action] == self.n:
            noise = self.rng.laplace(0.0, 1.0 / (self.n * self.epsilon))
            self.published[action] = self.values[action] + noise
            self.values[action], self.pulls[action] = 0.0, 0


class IncrementalMeanInAnArray:
    # The same with an array: weights 1/n in one publication with b = 1 / (n epsilon).
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.values = np.zeros(arms)
        self.counts = np.zeros(arms)
        self.noisy = np.full(arms, 10.0)

    def select(self):
        return np.argmax(self.noisy)

    def update(self, chosen_arm, reward):
        self.counts[chosen_arm] += 1
        n = self.counts[chosen_arm]
        value = self.values[chosen_arm]
        self.values[chosen_arm] = ((n - 1) / n) * value + (1 / n) * reward
        if n == 4:
            self.noisy[chosen_arm] = self.values[chosen_arm] + self.rng.laplace(scale=1 / (n * self.epsilon))
            self.values[chosen_arm] = self.counts[chosen_arm] = 0.0


class NoisyUCB:
    # The index uses only published sums; a reward enters one of them, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0, batch=2):
        self.rng, self.epsilon, self.batch = rng, epsilon, batch
        self.released = np.zeros(arms)
        self.n_released = np.zeros(arms)
        self.waiting = [0.0 for _ in range(arms)]
        self.n_waiting = [0 for _ in range(arms)]
        self.t = 0

    def select(self):
        self.t += 1
        if np.any(self.n_released == 0):
            return int(np.argmin(self.n_released))
        bonus = np.sqrt(2 * np.log(self.t) / self.n_released)
        return int(np.argmax(self.released / self.n_released + bonus))

    def update(self, arm, reward):
        self.waiting[arm] += reward
        self.n_waiting[arm] += 1
        if self.n_waiting[arm] >= self.batch:
            self.released[arm] += self.waiting[arm] + self.rng.laplace(0.0, 1.0 / self.epsilon)
            self.n_released[arm] += self.n_waiting[arm]
            self.waiting[arm], self.n_waiting[arm] = 0.0, 0


class ForgettingSums:
    # S = 0.8 S + r for four rounds, published once, then reset: the largest weight is 1, so b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0, gamma=0.8):
        self.rng, self.epsilon, self.gamma = rng, epsilon, gamma
        self.discounted = np.zeros(arms)
        self.public = np.zeros(arms)
        self.t = 0

    def select(self):
        return self.t % 2 if self.t < 4 else int(self.public.argmax())

    def update(self, action, reward):
        self.discounted *= self.gamma
        self.discounted[action] += reward
        self.t += 1
        if not self.t % 4:
            self.public = self.gamma * self.public + self.discounted + self.rng.laplace(0, 1 / self.epsilon, 2)
            self.discounted[:] = 0


class LocalNoise:
    # Every reward is published once, by itself: b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.sums, self.counts = np.zeros(arms), np.zeros(arms)

    def select(self):
        return int(np.argmax((self.sums + 1) / (self.counts + 1)))

    def update(self, action, reward):
        self.sums[action] += reward + self.rng.laplace(0, 1 / self.epsilon)
        self.counts[action] += 1


class LocalClipped:
    # Clipped to [0.2, 0.8] a reward moves by 0.6, so b = 0.6 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.q = np.zeros(arms)

    def select(self):
        return int(self.q.argmax())

    def update(self, action, reward):
        x = np.clip(reward, 0.2, 0.8)
        noisy = x + self.rng.laplace(0, 0.6 / self.epsilon)
        self.q[action] += 0.1 * (noisy - self.q[action])


class ThresholdCounts:
    # Three indicators of one reward are published together: L1 sensitivity 3, b = 3 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.edges = np.array([0.25, 0.5, 0.75])
        self.above = 0.0
        self.t = 0

    def select(self):
        return self.t // 4 % 2

    def update(self, action, reward):
        self.above = self.above + (reward > self.edges) * 1.0
        self.t += 1
        if self.t % 4 == 0:
            quantiles = self.above + self.rng.laplace(0, 3 / self.epsilon, 3)
            self.spread = float(quantiles.max() - quantiles.min())
            self.above = 0.0


class HistogramByDigitize:
    # A reward is in one of four bins: replacing it moves two counts by one, b = 2 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.counts = np.zeros(4)
        self.t = 0

    def select(self):
        return self.t % 2

    def update(self, action, reward):
        self.counts[np.digitize(reward, [0.25, 0.5, 0.75])] += 1
        self.t += 1
        if self.t % 8 == 0:
            self.published = self.counts + self.rng.laplace(0, 2 / self.epsilon, size=4)
            self.counts = np.zeros(4)


class HistogramOfAList:
    # As above with np.histogram: two of four counts move by one, b = 2 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.rewards, self.arm = rng, epsilon, [], 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.rewards.append(reward)
        if len(self.rewards) == 5:
            counts, edges = np.histogram(self.rewards, bins=4, range=(0.0, 1.0))
            noisy = counts + self.rng.laplace(0, 2 / self.epsilon, size=counts.shape)
            self.arm = int(noisy @ edges[1:] > 2.5)
            self.rewards = []


class AppendedBlock:
    # The mean of five rewards is published once: b = 1 / (5 epsilon).
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.block, self.arm = np.array([]), 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.block = np.append(self.block, reward)
        if len(self.block) == 5:
            mean = np.mean(self.block) + self.rng.laplace(0, 1 / (5 * self.epsilon))
            self.arm = 1 - action if mean < 0.5 else action
            self.block = np.array([])


class MeanAndVariance:
    # The mean moves by 1/n, the variance of n numbers in [0, 1] by (n - 1) / n^2; both once, half the budget each.
    def __init__(self, rng, arms=2, epsilon=1.0, n=4):
        self.rng, self.epsilon, self.n, self.seen = rng, epsilon, n, []
        self.mean, self.variance = 0.5, 0.25

    def select(self):
        return int(self.mean - np.sqrt(max(self.variance, 0)) < 0)

    def update(self, action, reward):
        self.seen.append(reward)
        if len(self.seen) == self.n:
            self.mean = np.mean(self.seen) + self.rng.laplace(0, 2 / (self.n * self.epsilon))
            self.variance = np.var(self.seen) + self.rng.laplace(0, 2 * (self.n - 1) / self.n**2 / self.epsilon)
            self.seen.clear()


class SecondMoment:
    # (r, r^2) moves by at most 2 in L1, from (0, 0) to (1, 1): b = 2 / epsilon for both sums.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.t = rng, epsilon, 0
        self.s1 = self.s2 = 0.0
        self.play = 0

    def select(self):
        return self.play

    def update(self, action, reward):
        self.s1 += reward
        self.s2 += reward**2
        self.t += 1
        if self.t % 4 == 0:
            a, b = np.array([self.s1, self.s2]) + self.rng.laplace(0, 2 / self.epsilon, 2)
            self.play = int(b / 4 - (a / 4) ** 2 > 0.1)
            self.s1 = self.s2 = 0.0


class ImportanceWeights:
    # The estimate r / p is published once per round with b = 1 / (p epsilon); p is computed from earlier estimates.
    def __init__(self, rng, arms=2, epsilon=1.0, eta=0.1):
        self.rng, self.arms, self.epsilon, self.eta = rng, arms, epsilon, eta
        self.estimates = np.zeros(arms)

    def probabilities(self):
        w = np.exp(self.eta * (self.estimates - self.estimates.max()))
        return 0.9 * w / w.sum() + 0.1 / self.arms

    def select(self):
        return int(self.rng.choice(self.arms, p=self.probabilities()))

    def update(self, action, reward):
        p = self.probabilities()[action]
        self.estimates[action] += reward / p + self.rng.laplace(0, 1 / (p * self.epsilon))


class PrefixSumsAtOnce:
    # Three prefix sums of a block at once: the first reward is in all three, b = 3 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.block, self.trend = rng, epsilon, [], 0.0

    def select(self):
        return int(self.trend < 0)

    def update(self, action, reward):
        self.block.append(reward)
        if len(self.block) == 3:
            sums = np.cumsum(np.array(self.block)) + self.rng.laplace(0, 3 / self.epsilon, 3)
            self.trend = sums[2] - sums[1] - sums[0]
            self.block = []


class WeightedRecency:
    # The dot product with the public weights (1, 2, 4) / 7 moves by at most 4/7: b = 4 / (7 epsilon).
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.last, self.value = rng, epsilon, [], 0.0

    def select(self):
        return 0 if self.value >= 0.5 else 1

    def update(self, action, reward):
        self.last += [reward]
        if len(self.last) == 3:
            weights = np.array([1, 2, 4]) / 7
            self.value = np.dot(weights, self.last) + self.rng.laplace(0, 4 / (7 * self.epsilon))
            self.last = []


class SumsByHour:
    # A reward is in one cell of the table, which is published once a day and emptied: b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0, hours=2):
        self.rng, self.epsilon, self.hours = rng, epsilon, hours
        self.table = np.zeros((hours, arms))
        self.public = np.zeros((hours, arms))
        self.t = 0

    @property
    def hour(self):
        return self.t % self.hours

    def select(self):
        return int(np.argmax(self.public[self.hour]))

    def update(self, action, reward):
        self.table[self.hour, action] += reward
        self.t += 1
        if self.t % 6 == 0:
            self.public += self.table + self.rng.laplace(0, 1 / self.epsilon, self.table.shape)
            self.table.fill(0.0)


class NoisyLeader:
    # The largest of noisy sums, each reward used once: one sum moves by 1, b = 1 / epsilon (report noisy max).
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.sums = [0.0] * arms
        self.t = self.leader = 0

    def select(self):
        return self.t % 2 if self.t % 6 < 4 else self.leader

    def update(self, action, reward):
        if self.t % 6 < 4:
            self.sums[action] += reward
        self.t += 1
        if self.t % 6 == 4:
            self.leader = np.argmax(np.array(self.sums) + self.rng.laplace(0, 1 / self.epsilon, self.arms))
            self.sums = [0.0] * self.arms


class SoftmaxByGumbel:
    # Gumbel noise of scale b on sums that are used once: one score moves by 1, so the choice costs 1 / b = epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.scores = [0.0] * arms
        self.arm, self.t = 0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.scores[action] += reward
        self.t += 1
        if self.t == math.isqrt(self.t) ** 2:
            self.arm = int(np.argmax(np.stack(self.scores) + self.rng.gumbel(0, 1 / self.epsilon, self.arms)))
            self.scores = [0.0] * self.arms
