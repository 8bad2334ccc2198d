"""Greedy bandits, windows and weights that leak: programs to be fixed."""

import math
import random
from collections import deque

import numpy as np


class NoisyGreedy:
    """Report-noisy-max in every round on all rewards."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.arms = arms
        self.epsilon = epsilon
        self.totals = np.zeros(arms)
        self.pulls = np.zeros(arms)

    def select(self):
        if self.pulls.min() == 0:
            return int(self.pulls.argmin())
        scores = self.totals / self.pulls
        return int(np.argmax(scores + self.rng.gumbel(0, 2 / self.epsilon, size=self.arms)))

    def update(self, action, reward):
        self.totals[action] += reward
        self.pulls[action] += 1


class ExploringGreedy:
    """Explores with Python's coins and exploits the raw means."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.arms = arms
        self.means = [0.0] * arms
        self.counts = [0] * arms

    def select(self):
        if random.random() < 0.1:
            return random.randrange(self.arms)
        return self.means.index(max(self.means))

    def update(self, arm, reward):
        self.counts[arm] += 1
        n = self.counts[arm]
        self.means[arm] = self.means[arm] + (reward - self.means[arm]) / n


class ConstantStep:
    """Exponential averages with a constant step."""

    def __init__(self, rng, arms=2, epsilon=1.0, alpha=0.1):
        self.rng = rng
        self.epsilon = epsilon
        self.alpha = alpha
        self.values = np.full(arms, 0.5)

    def select(self):
        if self.rng.random() < 0.1:
            return int(self.rng.integers(len(self.values)))
        return int(self.values.argmax())

    def update(self, action, reward):
        self.values[action] = (1 - self.alpha) * self.values[action] + self.alpha * reward


class Window:
    """The mean of the latest rewards of each arm."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.epsilon = epsilon
        self.recent = [deque(maxlen=20) for _ in range(arms)]

    def select(self):
        for arm, rewards in enumerate(self.recent):
            if not rewards:
                return arm
        means = [sum(rewards) / len(rewards) for rewards in self.recent]
        noisy = [m + self.rng.laplace(0, 1 / (self.epsilon * len(w))) for m, w in zip(means, self.recent)]
        if self.rng.random() < 0.05:
            return int(self.rng.integers(len(noisy)))
        return noisy.index(max(noisy))

    def update(self, action, reward):
        self.recent[action].append(reward)


class Discounted:
    """Discounted sums and counts with a bonus."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.gamma = 0.98
        self.rng = rng
        self.sums = np.zeros(arms)
        self.weights = np.zeros(arms)

    def select(self):
        if np.any(self.weights < 1e-3):
            return int(np.argmin(self.weights))
        bonus = np.sqrt(np.log(1 + self.weights.sum()) / self.weights)
        return int(np.argmax(self.sums / self.weights + bonus))

    def update(self, action, reward):
        self.sums *= self.gamma
        self.weights *= self.gamma
        self.sums[action] += reward
        self.weights[action] += 1.0


class Softmax:
    """Boltzmann exploration on raw means with math.exp."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.sums = [0.0] * arms
        self.plays = [0] * arms
        self.temperature = 0.1

    def select(self):
        means = [s / n if n else 0.5 for s, n in zip(self.sums, self.plays)]
        weights = [math.exp(m / self.temperature) for m in means]
        total = sum(weights)
        return int(self.rng.choice(len(weights), p=[w / total for w in weights]))

    def update(self, action, reward):
        self.sums[action] += reward
        self.plays[action] += 1


class GradientBandit:
    """Preferences by stochastic gradient ascent with a baseline."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.h = np.zeros(arms)
        self.baseline = 0.0
        self.t = 0

    def _policy(self):
        e = np.exp(self.h - self.h.max())
        return e / e.sum()

    def select(self):
        return int(self.rng.choice(self.arms, p=self._policy()))

    def update(self, action, reward):
        self.t += 1
        p = self._policy()
        self.baseline += (reward - self.baseline) / self.t
        for a in range(self.arms):
            if a == action:
                self.h[a] += 0.3 * (reward - self.baseline) * (1 - p[a])
            else:
                self.h[a] -= 0.3 * (reward - self.baseline) * p[a]


class Exp3:
    """Exponential weights with importance-weighted rewards."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.k = arms
        self.gamma = 0.15
        self.log_weights = [0.0] * arms
        self.p = [1.0 / arms] * arms

    def select(self):
        top = max(self.log_weights)
        w = [math.exp(v - top) for v in self.log_weights]
        self.p = [(1 - self.gamma) * x / sum(w) + self.gamma / self.k for x in w]
        return int(self.rng.choice(self.k, p=self.p))

    def update(self, action, reward):
        self.log_weights[action] += self.gamma * (reward / self.p[action]) / self.k


class Histories:
    """All rewards in lists, averaged when they are needed."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.epsilon = epsilon
        self.history = [[] for _ in range(arms)]

    def select(self):
        for arm, rewards in enumerate(self.history):
            if len(rewards) == 0:
                return arm
        if self.rng.uniform() < 0.1:
            return int(self.rng.integers(0, len(self.history)))
        averages = [np.mean(rewards) for rewards in self.history]
        return int(np.argmax(averages))

    def update(self, action, reward):
        self.history[action].append(float(reward))


class BestSoFar:
    """Stays with an arm as long as it pays."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.arms = arms
        self.epsilon = epsilon
        self.arm = 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        if reward < 0.5:
            self.arm = (action + 1) % self.arms
