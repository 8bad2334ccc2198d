"""Explore-then-commit, elimination and blocks that leak: programs to be fixed."""

import numpy as np


class ExploreThenCommit:
    """Commits to the raw best."""

    def __init__(self, rng, arms=2, epsilon=1.0, rounds_each=8):
        self.rng = rng
        self.epsilon = epsilon
        self.arms = arms
        self.m = rounds_each
        self.sums = np.zeros(arms)
        self.t = 0
        self.best = None

    def select(self):
        if self.t < self.m * self.arms:
            return self.t % self.arms
        if self.best is None:
            self.best = int(np.argmax(self.sums))
        return self.best

    def update(self, action, reward):
        self.t += 1
        if self.best is None:
            self.sums[action] += reward


class CommitTooSure:
    """Noise, but of a scale that is divided by the rounds although sums are compared."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.epsilon = epsilon
        self.arms = arms
        self.per_arm = 6
        self.sums = [0.0] * arms
        self.t = 0
        self.committed = -1

    def select(self):
        if self.committed >= 0:
            return self.committed
        return self.t % self.arms

    def update(self, action, reward):
        if self.committed < 0:
            self.sums[action] += reward
        self.t += 1
        if self.t == self.per_arm * self.arms:
            noisy = [s + self.rng.laplace(0.0, 1.0 / (self.per_arm * self.epsilon)) for s in self.sums]
            self.committed = int(np.argmax(noisy))


class FixedNoise:
    """The scale does not know epsilon."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.arms = arms
        self.sums = np.zeros(arms)
        self.counts = np.zeros(arms)
        self.t = 0
        self.winner = 0

    def select(self):
        return self.t % self.arms if self.t < 20 else self.winner

    def update(self, action, reward):
        self.t += 1
        if self.t > 20:
            return
        self.sums[action] += reward
        self.counts[action] += 1
        if self.t == 20:
            means = self.sums / self.counts
            self.winner = int(np.argmax(means + self.rng.laplace(0, 0.05, size=self.arms)))


class CommitByHorizon:
    """Explores for a share of the horizon, and uses max with a key."""

    def __init__(self, rng, arms, epsilon, horizon):
        self.k = arms
        self.explore = max(1, horizon // (4 * arms))
        self.totals = [0.0] * arms
        self.seen = 0
        self.choice = None

    def select(self):
        return self.seen % self.k if self.choice is None else self.choice

    def update(self, action, reward):
        self.seen += 1
        if self.choice is not None:
            return
        self.totals[action] += reward
        if self.seen == self.explore * self.k:
            self.choice = max(range(self.k), key=lambda a: self.totals[a])


class Elimination:
    """Drops arms whose raw mean is far below the best."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.active = list(range(arms))
        self.sums = dict.fromkeys(range(arms), 0.0)
        self.plays = dict.fromkeys(range(arms), 0)
        self.turn = 0

    def select(self):
        return self.active[self.turn % len(self.active)]

    def update(self, action, reward):
        self.sums[action] += reward
        self.plays[action] += 1
        self.turn += 1
        if self.turn % 8 == 0 and len(self.active) > 1:
            means = {a: self.sums[a] / max(1, self.plays[a]) for a in self.active}
            radius = (2.0 / max(1, self.turn)) ** 0.5
            top = max(means.values())
            self.active = [a for a in self.active if means[a] >= top - 2 * radius]


class NoisyElimination:
    """Every phase releases all rewards so far again."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.epsilon = epsilon
        self.alive = np.ones(arms, dtype=bool)
        self.sums = np.zeros(arms)
        self.pulls = np.zeros(arms)
        self.t = 0

    def select(self):
        candidates = np.flatnonzero(self.alive)
        return int(candidates[self.t % len(candidates)])

    def update(self, action, reward):
        self.t += 1
        self.sums[action] += reward
        self.pulls[action] += 1
        if self.t % 16 == 0:
            n = np.maximum(self.pulls, 1)
            noisy = self.sums / n + self.rng.laplace(0.0, 1.0 / (n * self.epsilon))
            radius = np.sqrt(np.log(self.t + 1) / n)
            best = np.max((noisy - radius)[self.alive])
            self.alive = self.alive & (noisy + radius >= best)


class DoublingMeans:
    """Publishes running means after doubling blocks."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.epsilon = epsilon
        self.total = np.zeros(arms)
        self.count = np.zeros(arms)
        self.public = np.zeros(arms)
        self.t = 0
        self.next_release = 2 * arms

    def select(self):
        if self.t < 2 * len(self.total):
            return self.t % len(self.total)
        if self.rng.random() < 0.1:
            return int(self.rng.integers(len(self.total)))
        return int(np.argmax(self.public))

    def update(self, action, reward):
        self.total[action] += reward
        self.count[action] += 1
        self.t += 1
        if self.t == self.next_release:
            self.public = self.total / self.count + self.rng.laplace(0.0, 1.0 / (self.epsilon * self.count))
            self.next_release *= 2


class UniformNoise:
    """Noise of a bounded law, which shows where a value is."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.epsilon = epsilon
        self.arms = arms
        self.total = 0.0
        self.n = 0
        self.arm = 0
        self.estimates = [1.0] * arms

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.total += reward
        self.n += 1
        if self.n == 10:
            self.estimates[action] = self.total / 10 + self.rng.uniform(-0.1, 0.1) / self.epsilon
            self.total, self.n = 0.0, 0
            self.arm = max(range(self.arms), key=lambda a: self.estimates[a])
            if self.rng.random() < 0.2:
                self.arm = int(self.rng.integers(self.arms))


class Halving:
    """Sorts the arms by their raw means and keeps the better half."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.arms = list(range(arms))
        self.sums = [0.0] * arms
        self.counts = [0] * arms
        self.queue = self.arms * 5

    def select(self):
        if not self.queue:
            self.queue = [self.arms[0]]
        return self.queue[0]

    def update(self, action, reward):
        self.queue.pop(0)
        self.sums[action] += reward
        self.counts[action] += 1
        if not self.queue and len(self.arms) > 1:
            self.arms.sort(key=lambda a: -self.sums[a] / self.counts[a])
            self.arms = self.arms[: (len(self.arms) + 1) // 2]
            self.queue = self.arms * 5


class OneDrawForAll:
    """One draw is added to the sums of all arms at the end of a block, which is then forgotten."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.epsilon = epsilon
        self.sums = np.zeros(arms)
        self.mean = np.full(arms, 0.5)
        self.t = 0
        self.k = arms

    def select(self):
        if (self.t // (4 * self.k)) % 4 == 0:
            return self.t % self.k
        return int(np.argmax(self.mean))

    def update(self, action, reward):
        if (self.t // (4 * self.k)) % 4 == 0:
            self.sums[action] += reward
        self.t += 1
        if self.t % (4 * self.k) == 0 and ((self.t - 1) // (4 * self.k)) % 4 == 0:
            self.mean = (self.sums + self.rng.laplace(0.0, 1.0 / self.epsilon)) / 4
            self.sums = np.zeros(self.k)
