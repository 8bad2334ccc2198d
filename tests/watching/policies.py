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
