"""Bandits whose privacy comes from coins, a winner's value or lists, as people write them."""

import math

import numpy as np


class Response:
    """Local privacy: the bit of each reward by randomised response."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.p = rng, arms, math.exp(epsilon) / (1.0 + math.exp(epsilon))
        self.means, self.pulls = np.zeros(arms), np.zeros(arms)

    def select(self):
        if self.rng.random() < 0.1:
            return int(self.rng.integers(self.arms))
        return int(np.argmax(self.means))

    def update(self, action, reward):
        self.pulls[action] += 1
        self.means[action] += (self.answer(reward) - self.means[action]) / self.pulls[action]

    def answer(self, reward):
        bit = (reward > 0.5) * 1
        return np.where(self.rng.random() < self.p, bit, 1 - bit)


class Chance(Response):
    """A coin whose chance is affine in the reward."""

    def answer(self, reward):
        return self.rng.random() < (1 - self.p) + (2 * self.p - 1) * reward


class Forced(Response):
    """Half of the answers are those of another coin: epsilon = ln 3."""

    def answer(self, reward):
        return np.where(self.rng.random() < 0.5, reward > 0.5, self.rng.random() < 0.5)


class Twice(Response):
    """Bug: answers twice."""

    def answer(self, reward):
        return super().answer(reward) + super().answer(reward)


class Winner:
    """Full information: the winner of blocks of four rounds, and its noisy sum."""

    def __init__(self, rng, arms=4, epsilon=1.0):
        self.rng, self.arms, self.epsilon, self.rewards, self.arm = rng, arms, epsilon, [], 0

    def select(self):
        return self.arm

    def update(self, action, rewards):
        self.rewards.append(rewards)
        if len(self.rewards) == 4:
            noisy = sum(self.rewards) + self.rng.laplace(0, (self.arms + 2) / self.epsilon, self.arms)
            best = int(noisy.argmax())
            self.arm = best if noisy[best] > 2.0 else 0
            self.rewards = []


class Lists:
    """Keeps the rewards of each arm in a list."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.scale, self.arm = rng, arms, 1 / epsilon, 0
        self.rewards = [[] for _ in range(arms)]

    def select(self):
        return self.arm

    def update(self, action, reward):
        if not isinstance(reward, (int, float)):
            raise TypeError(f"a number, not {reward!r}")
        self.rewards[action].append(reward)
        if len(self.rewards[action]) == 4:
            sums = np.array([np.sum(own) for own in self.rewards]) + self.rng.laplace(0, self.scale, size=[self.arms])
            self.arm = int(np.argmax(sums))
            self.rewards = [[] for _ in range(self.arms)]
