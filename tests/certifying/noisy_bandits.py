"""Bandits as people write them, with noise from numpy's Generator: eight that are private, twelve with the usual bugs.

Each bug is at the line marked with the name of its class.
"""

import math

import numpy as np

import privcheck


class Doubling:
    """Plays blocks of doubling length; at the end of each it publishes the mean of that block alone."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.means, self.arm, self.block, self.t = np.full(arms, np.inf), 0, 1, 0
        self.total, self.pulls = 0.0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.total += reward
        self.pulls += 1
        if self.pulls == self.block:
            self.publish()
            self.arm = int(np.argmax(self.means))
            self.block = 1 if np.isinf(self.means[self.arm]) else self.t
            self.total, self.pulls = 0.0, 0

    def publish(self):
        self.means[self.arm] = self.total / self.pulls + self.rng.laplace(0.0, 1.0 / (self.pulls * self.epsilon))


class LazyList(Doubling):
    """Keeps noisy sums in a list and divides by a noisy count of its own."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.means = [math.inf] * arms

    def publish(self):
        noisy = self.rng.laplace(self.total, scale=1.0 / self.epsilon)
        self.means[self.arm] = min(max(noisy / self.pulls, 0.0), 1.0)


class Tree:
    """The binary mechanism, by hand: nodes of dyadic blocks, each with noise of scale 5 / epsilon."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.t, self.arm, self.scale = rng, 0, 0, 5 / epsilon
        self.nodes, self.noisy = [0.0] * 5, [0.0] * 5

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        level = (self.t & -self.t).bit_length() - 1
        self.nodes[level] = sum(self.nodes[:level]) + reward
        for lower in range(level):
            self.nodes[lower] = self.noisy[lower] = 0.0
        self.noisy[level] = self.node(level)
        self.arm = int(sum(self.noisy) > self.t / 2)

    def node(self, level):
        return self.nodes[level] + self.rng.laplace(0.0, self.scale)


class Randomised:
    """Explores by coins, and adds noise that it draws until it is positive to a value that it has released."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon, self.arm = rng, arms, epsilon, 0

    def select(self):
        return int(self.rng.integers(self.arms)) if self.rng.random() < 0.1 else self.arm

    def update(self, action, reward):
        noisy = float(reward + self.rng.laplace(0.0, 1.0 / self.epsilon))
        bonus = self.rng.normal(0.0, 0.1)
        while bonus < 0.0:
            bonus = self.rng.normal(0.0, 0.1)
        self.arm = int(noisy + bonus > 0.5)


class Leader:
    """Full information: follows the perturbed leader of blocks of four rounds."""

    def __init__(self, rng, arms=4, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.sums, self.arm, self.t = privcheck.zeros(arms), 0, 0

    def select(self):
        return self.arm

    def update(self, action, rewards):
        self.t += 1
        self.sums += rewards
        if self.t % 4 == 0:
            self.arm = self.leader()
            self.sums = privcheck.zeros(self.arms)

    def leader(self):
        return int(np.argmax(self.sums + self.rng.gumbel(0.0, 2.0 / self.epsilon, self.arms)))


class Linear:
    """Contextual: a noisy sum of features in blocks of four rounds, with a public matrix."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.scale, self.theta = rng, 2.0 * math.sqrt(3.0) / epsilon, np.zeros(3)
        self.b, self.t = privcheck.zeros(3), 0

    def select(self, context):
        return int(np.argmax(context @ self.theta))

    def update(self, context, action, reward):
        self.t += 1
        self.b += reward * context[action]
        if self.t % 4 == 0:
            self.theta = np.linalg.solve(np.eye(3) + 0.5, self.noised())
            self.b = privcheck.zeros(3)

    def noised(self):
        return np.array(self.b + self.rng.laplace(0.0, self.scale, 3))


class LinearInverse(Linear):
    """Keeps the product of a matrix and what it has not read yet."""

    def noised(self):
        return np.linalg.inv(np.eye(3) + 0.5) @ (self.b + self.rng.laplace(0.0, self.scale, 3))

    def update(self, context, action, reward):
        self.t += 1
        self.b = self.b + reward * context[action]
        if self.t % 4 == 0:
            self.theta = self.noised()
            self.b = privcheck.zeros(3)


class Exponentials(Doubling):
    """The noise is the difference of two exponential draws."""

    def publish(self):
        noise = self.rng.exponential(1.0 / self.epsilon) - self.rng.exponential(1.0 / self.epsilon)
        self.means[self.arm] = (self.total + noise) / self.pulls


# Bugs


class AllTheData(Doubling):
    """Publishes the mean of all past rewards again."""

    def update(self, action, reward):
        self.t += 1
        self.total += reward
        if self.t in (1, 2, 4, 8):
            self.means[0] = (self.total + self.rng.laplace(0.0, 1.0 / self.epsilon)) / self.t  # AllTheData
            self.arm = int(self.means[0] > 0.5)


class WrongScale(Doubling):
    def publish(self):
        noise = self.rng.laplace(0.0, 0.5 / (self.pulls * self.epsilon))
        self.means[self.arm] = self.total / self.pulls + noise  # WrongScale


class ScaledDown(Doubling):
    """Divides the noise once more than the sum."""

    def publish(self):
        noise = self.rng.laplace(0.0, 1.0 / self.epsilon) / 2.0
        self.means[self.arm] = (self.total + noise) / self.pulls  # ScaledDown


class OneNoise(Doubling):
    """Draws the noise once, in the constructor."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.noise = rng.laplace(0.0, 1.0 / epsilon)

    def publish(self):
        self.means[self.arm] = (self.total + self.noise) / self.pulls  # OneNoise


class RawStop(Doubling):
    """Ends a block when the raw sum is large."""

    def update(self, action, reward):
        super().update(action, reward)
        if self.total > 1.5:  # RawStop
            self.arm = 1


class RawArgmax(Leader):
    def leader(self):
        return int(np.argmax(self.sums))  # RawArgmax


class SharedNoise(Leader):
    """One draw for all entries."""

    def leader(self):
        return int(np.argmax(self.sums + self.rng.laplace(0.0, 4.0 / self.epsilon)))  # SharedNoise


class Argmin(Leader):
    """Gumbel noise is one-sided: for an argmin it has to be subtracted."""

    def leader(self):
        return int(np.argmin(self.sums + self.rng.gumbel(0.0, 2.0 / self.epsilon, self.arms)))  # Argmin


class NoiseReadFirst(Randomised):
    """Rejects noise that is too large: what is left is another law."""

    def update(self, action, reward):
        noise = self.rng.laplace(0.0, 1.0 / self.epsilon)
        while abs(noise) > 3.0:
            noise = self.rng.laplace(0.0, 1.0 / self.epsilon)
        self.arm = int(reward + noise > 0.5)  # NoiseReadFirst


class FixedSeed(Randomised):
    def update(self, action, reward):
        self.arm = int(reward + np.random.default_rng(7).laplace(0.0, 1.0 / self.epsilon) > 0.5)  # FixedSeed


class WinnerAndValue(Leader):
    """Publishes the winner, and its noisy sum for nothing."""

    def leader(self):
        noisy = self.sums + self.rng.laplace(0.0, 2.0 / self.epsilon, self.arms)
        best = int(np.argmax(noisy))
        self.best_sum = float(noisy[best])  # WinnerAndValue
        return best


class UnnoisedGram(Linear):
    """Adds noise to the sum of features, and none to their Gram matrix."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.gram = privcheck.zeros((3, 3))

    def update(self, context, action, reward):
        self.gram += np.outer(context[action], context[action])
        super().update(context, action, reward)

    def noised(self):
        return np.linalg.inv(np.eye(3) + self.gram) @ np.array(super().noised())  # UnnoisedGram
