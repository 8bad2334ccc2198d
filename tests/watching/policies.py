"""Policies that are watched, and a leaking twin."""

import numpy as np


class Blocks:
    """One release per block of three rounds, forgotten afterwards."""

    factor = 1.0

    def __init__(self, rng, arms, epsilon):
        self.rng, self.arms, self.scale = rng, arms, 1.0 / epsilon
        self.means, self.block, self.arm = np.zeros(arms), [], 0

    def select(self):
        return self.arm

    def update(self, arm, reward):
        self.block.append(reward)
        if len(self.block) == 3:
            self.means[arm] = self.factor * sum(self.block) + self.rng.laplace(0.0, self.scale)
            self.block = []
            self.arm = int(np.argmax(self.means)) if arm == self.arms - 1 else arm + 1


class Leaking(Blocks):
    """The noise is for a third of what one reward moves."""

    factor = 3.0


class GaussianBlocks(Blocks):
    """The same with normal noise for a claim in rho."""

    def __init__(self, rng, arms, rho):
        super().__init__(rng, arms, 1.0)
        self.scale = 1.0 / np.sqrt(2.0 * rho)

    def update(self, arm, reward):
        self.block.append(reward)
        if len(self.block) == 3:
            self.means[arm] = self.factor * sum(self.block) + self.rng.normal(0.0, self.scale)
            self.block = []
            self.arm = int(np.argmax(self.means)) if arm == self.arms - 1 else arm + 1


class LeakingGaussian(GaussianBlocks):
    """Its noise is for a quarter of what one reward moves: sixteen times rho."""

    factor = 4.0


class Linear:
    """A contextual policy that releases the sum of reward times context after each round, of norm at most 1."""

    factor = 1.0

    def __init__(self, rng, arms, mu):
        self.rng, self.arms, self.scale = rng, arms, 2.0 / mu
        self.theta = np.zeros(2)

    def select(self, context):
        return int(context @ self.theta > 0.0)

    def update(self, context, action, reward):
        self.theta = self.factor * reward * context + self.rng.normal(0.0, self.scale, 2)


class LeakingLinear(Linear):
    """Its noise is for a sixth of that."""

    factor = 6.0
