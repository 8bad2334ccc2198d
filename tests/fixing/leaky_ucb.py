"""Bandits of the UCB family that leak, in many styles: programs to be fixed."""

import math

import numpy as np


class PlainUcb:
    """No noise at all, Python lists."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.arms = arms
        self.epsilon = epsilon
        self.sums = [0.0] * arms
        self.plays = [0] * arms

    def select(self):
        for arm in range(self.arms):
            if self.plays[arm] == 0:
                return arm
        total = sum(self.plays)
        indices = []
        for arm in range(self.arms):
            mean = self.sums[arm] / self.plays[arm]
            indices.append(mean + math.sqrt(2 * math.log(total) / self.plays[arm]))
        return indices.index(max(indices))

    def update(self, action, reward):
        self.sums[action] += reward
        self.plays[action] += 1


class NoisyEveryRound:
    """Fresh noise for the mean of every arm in every round."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.totals = np.zeros(arms)
        self.counts = np.zeros(arms, dtype=int)

    def select(self):
        if (self.counts == 0).any():
            return int(np.argmin(self.counts))
        means = self.totals / self.counts
        noisy = means + self.rng.laplace(0.0, 1.0 / (self.epsilon * self.counts))
        bonus = np.sqrt(2 * np.log(self.counts.sum()) / self.counts)
        return int(np.argmax(noisy + bonus))

    def update(self, arm, r):
        self.totals[arm] += r
        self.counts[arm] += 1


class SharedDraw:
    """One draw for all arms."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.eps = epsilon
        self.k = arms
        self.s = np.zeros(arms)
        self.n = np.zeros(arms)
        self.t = 0

    def select(self):
        if self.t < self.k:
            return self.t
        noise = self.rng.laplace(0.0, 1.0 / self.eps)
        estimate = (self.s + noise) / self.n
        return int(np.argmax(estimate + np.sqrt(np.log(self.t) / self.n)))

    def update(self, action, reward):
        self.t += 1
        self.s[action] += reward
        self.n[action] += 1


class SeededNoise:
    """Noise from a Generator with a fixed seed."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.coins = rng
        self.noise = np.random.default_rng(12345)
        self.epsilon = epsilon
        self.sum = [0.0 for _ in range(arms)]
        self.num = [0 for _ in range(arms)]

    def _index(self, a):
        if self.num[a] == 0:
            return float("inf")
        t = sum(self.num)
        noisy = self.sum[a] + self.noise.laplace(scale=1.0 / self.epsilon)
        return noisy / self.num[a] + (2.0 * math.log(t) / self.num[a]) ** 0.5

    def select(self):
        return max(range(len(self.num)), key=self._index)

    def update(self, action, reward):
        self.sum[action] = self.sum[action] + reward
        self.num[action] = self.num[action] + 1


class GlobalNoise:
    """Noise from numpy's global generator, at doubling counts, over and over for the same rewards."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.epsilon = epsilon
        self.sums = np.zeros(arms)
        self.n = np.zeros(arms)
        self.means = np.full(arms, np.inf)

    def select(self):
        width = np.sqrt(1.5 * np.log(self.n.sum() + 1) / np.maximum(self.n, 1))
        return int(np.argmax(self.means + width))

    def update(self, action, reward):
        self.sums[action] += reward
        self.n[action] += 1
        count = int(self.n[action])
        if count & (count - 1) == 0:
            noise = np.random.laplace(0, 1 / (self.epsilon * count))  # noqa: NPY002
            self.means[action] = self.sums[action] / count + noise


class NormalNoise:
    """Gaussian noise where pure epsilon is claimed."""

    def __init__(self, rng, arms, epsilon):
        self.rng = rng
        self.arms = arms
        self.sigma = 1.0 / epsilon
        self.block_sum = [0.0] * arms
        self.block_len = [0] * arms
        self.value = [1.0] * arms
        self.pulls = [0] * arms

    def select(self):
        t = 1 + sum(self.pulls)
        best, arm = -1.0, 0
        for a in range(self.arms):
            score = self.value[a] + math.sqrt(math.log(t) / (1 + self.pulls[a]))
            if score > best:
                best, arm = score, a
        return arm

    def update(self, action, reward):
        self.pulls[action] += 1
        self.block_sum[action] += reward
        self.block_len[action] += 1
        if self.block_len[action] == 5:
            noisy = self.block_sum[action] + self.rng.normal(0, self.sigma)
            self.value[action] = noisy / 5
            self.block_sum[action] = 0.0
            self.block_len[action] = 0


class IncrementalMean:
    """Running means by the incremental formula, in an array."""

    def __init__(self, rng, arms=2, epsilon=1.0, c=2.0):
        self.rng = rng
        self.epsilon = epsilon
        self.c = c
        self.q = np.zeros(arms)
        self.n = np.zeros(arms)

    def select(self):
        untried = np.flatnonzero(self.n == 0)
        if len(untried):
            return int(untried[0])
        return int(np.argmax(self.q + self.c * np.sqrt(np.log(self.n.sum()) / self.n)))

    def update(self, action, reward):
        self.n[action] += 1
        self.q[action] += (reward - self.q[action]) / self.n[action]


class TunedUcb:
    """Means and variances, both raw."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.arms = rng, epsilon, arms
        self.sums = [0.0] * arms
        self.squares = [0.0] * arms
        self.plays = [0] * arms

    def select(self):
        if 0 in self.plays:
            return self.plays.index(0)
        t = sum(self.plays)
        scores = []
        for s, q, n in zip(self.sums, self.squares, self.plays):
            mean = s / n
            variance = q / n - mean * mean + math.sqrt(2 * math.log(t) / n)
            scores.append(mean + math.sqrt(math.log(t) / n * min(0.25, max(0.0, variance))))
        return int(np.argmax(scores))

    def update(self, action, reward):
        self.plays[action] += 1
        self.sums[action] += reward
        self.squares[action] += reward * reward


class DictOfArms:
    """A dictionary for each arm."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.epsilon = epsilon
        self.stats = {a: {"sum": 0.0, "count": 0} for a in range(arms)}

    def select(self):
        for a, s in self.stats.items():
            if not s["count"]:
                return a
        total = sum(s["count"] for s in self.stats.values())

        def ucb(a):
            s = self.stats[a]
            return s["sum"] / s["count"] + math.sqrt(2 * math.log(total) / s["count"])

        return max(self.stats, key=ucb)

    def update(self, action, reward):
        self.stats[action]["sum"] += reward
        self.stats[action]["count"] += 1


class TooLittleNoise:
    """The noise of a sum where a mean is released with the scale of many rewards, then forgotten."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.epsilon = epsilon
        self.arms = arms
        self.sums = [0.0] * arms
        self.length = 4
        self.released = [0.5] * arms
        self.rounds = 0

    def select(self):
        if self.rounds < 4 * self.arms:
            return self.rounds // 4
        bonus = math.sqrt(math.log(self.rounds + 1) / (self.rounds + 1))
        return max(range(self.arms), key=lambda a: self.released[a] + bonus * (a % 2))

    def update(self, action, reward):
        self.sums[action] += reward
        self.rounds += 1
        if self.rounds % self.length == 0:
            draw = self.rng.laplace(0, 1 / (self.epsilon * self.length**2))
            self.released[action] = self.sums[action] / self.length + draw
            self.sums = [0.0] * self.arms
