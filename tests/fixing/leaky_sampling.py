"""Thompson sampling, tests of raw rewards and other idioms that leak: programs to be fixed."""

import random
from dataclasses import dataclass, field

import numpy as np


class BetaThompson:
    """Counts successes and failures by a branch."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.a = np.ones(arms)
        self.b = np.ones(arms)

    def select(self):
        return int(np.argmax(self.rng.beta(self.a, self.b)))

    def update(self, action, reward):
        if reward > 0.5:
            self.a[action] += 1
        else:
            self.b[action] += 1


class FractionalThompson:
    """Beta parameters that grow by the reward."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.arms = arms
        self.epsilon = epsilon
        self.alpha = [1.0] * arms
        self.beta = [1.0] * arms

    def select(self):
        draws = [self.rng.beta(a, b) for a, b in zip(self.alpha, self.beta)]
        return draws.index(max(draws))

    def update(self, action, reward):
        self.alpha[action] += reward
        self.beta[action] += 1 - reward


class NormalThompson:
    """Samples from a normal posterior around the raw mean."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.mu = np.zeros(arms)
        self.n = np.zeros(arms)

    def select(self):
        sd = 1.0 / np.sqrt(self.n + 1)
        return int(np.argmax(self.rng.normal(self.mu, sd)))

    def update(self, action, reward):
        self.n[action] += 1
        self.mu[action] += (reward - self.mu[action]) / (self.n[action] + 1)


class NoisyThompson:
    """Adds Laplace noise to the sums in every round before it samples."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.eps = epsilon
        self.sums = [0.0] * arms
        self.plays = [0] * arms

    def select(self):
        samples = []
        for s, n in zip(self.sums, self.plays):
            noisy = s + self.rng.laplace(0, 1 / self.eps)
            mean = min(1.0, max(0.0, noisy / (n + 1)))
            samples.append(self.rng.normal(mean, 1 / (n + 1) ** 0.5))
        return samples.index(max(samples))

    def update(self, action, reward):
        self.sums[action] += reward
        self.plays[action] += 1


class ClippedSums:
    """Clips with min and max, releases blocks, with a Generator for noise that is new in every call."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.arms = arms
        self.epsilon = epsilon
        self.total = 0.0
        self.n = 0
        self.means = [1.0] * arms
        self.arm = 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.total += min(1.0, max(0.0, reward))
        self.n += 1
        if self.n >= 8:
            noise = np.random.default_rng().laplace(0.0, 1.0 / (self.n * self.epsilon))
            self.means[action] = self.total / self.n + noise
            self.total, self.n = 0.0, 0
            self.arm = self.means.index(max(self.means))
            if self.rng.random() < 0.1:
                self.arm = int(self.rng.integers(self.arms))


class RawTest:
    """Leaves an arm when its raw total of a block is low."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.epsilon = epsilon
        self.arms = arms
        self.current = 0
        self.total = 0.0
        self.length = 0

    def select(self):
        return self.current

    def update(self, action, reward):
        self.total += reward
        self.length += 1
        if self.length == 12:
            if self.total / self.length < 0.5:
                self.current = (self.current + 1) % self.arms
            self.total = 0.0
            self.length = 0


class FlippedRewards:
    """Randomised response with Python's coins and a chance that is too high, on a comparison."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.arms = arms
        self.wins = [0] * arms
        self.plays = [0] * arms
        self.epsilon = epsilon

    def select(self):
        if min(self.plays) == 0:
            return self.plays.index(0)
        if random.random() < 0.1:
            return random.randrange(self.arms)
        rates = [w / n for w, n in zip(self.wins, self.plays)]
        return rates.index(max(rates))

    def update(self, action, reward):
        bit = 1 if reward > 0.5 else 0
        if random.random() < 0.1:
            bit = 1 - bit
        self.wins[action] += bit
        self.plays[action] += 1


@dataclass
class DataclassBandit:
    """Fields instead of a constructor."""

    rng: np.random.Generator
    arms: int = 2
    epsilon: float = 1.0
    totals: list = field(default_factory=list)
    pulls: list = field(default_factory=list)

    def __post_init__(self):
        self.totals = [0.0] * self.arms
        self.pulls = [0] * self.arms

    def select(self):
        if 0 in self.pulls:
            return self.pulls.index(0)
        if self.rng.random() < 0.1:
            return int(self.rng.integers(self.arms))
        means = [t / n for t, n in zip(self.totals, self.pulls)]
        return int(np.argmax(means))

    def update(self, action, reward):
        self.totals[action] += reward
        self.pulls[action] += 1


class _Arm:
    def __init__(self):
        self.total, self.n = 0.0, 0

    def add(self, reward):
        self.total += reward
        self.n += 1

    @property
    def mean(self):
        return self.total / self.n


class ArmObjects:
    """An object for each arm, of another class of the file."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.arms = [_Arm() for _ in range(arms)]
        self.explore = 0.1
        self.epsilon = epsilon

    def select(self):
        for i, arm in enumerate(self.arms):
            if arm.n == 0:
                return i
        if self.rng.random() < self.explore:
            return int(self.rng.integers(len(self.arms)))
        means = [arm.mean for arm in self.arms]
        return means.index(max(means))

    def update(self, action, reward):
        self.arms[action].add(reward)


# fmt: off
# ruff: noqa: E701, E702
class Terse:
    """Several statements in a line, tuple targets, no constructor argument for epsilon."""

    def __init__(self, rng, arms=2):
        self.rng, self.k = rng, arms
        self.t, self.sums, self.n = 0, np.zeros(arms), np.zeros(arms)

    def select(self):
        if self.t < self.k: return self.t
        return int(np.argmax(self.sums / self.n + np.sqrt(np.log(self.t) / self.n)))

    def update(self, a, r):
        self.t += 1; self.sums[a] += r; self.n[a] += 1
