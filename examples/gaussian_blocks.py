"""A bandit that publishes with Gaussian noise.

Every reward is published twice. Gaussian noise bounds no epsilon without a delta, so the budget has one.

    privcheck certify examples/gaussian_blocks.py:GaussianBlocks --epsilon 1 --delta 1e-6 --arms 2 --horizon 20
"""

import numpy as np

import privcheck
from privcheck.mechanisms import Gaussian


class GaussianBlocks:
    """Play the arm with the larger noisy sum over the last two blocks of four rounds; (epsilon, delta)-DP.

    A block is published when it ends and, together with the next one, when that ends: twice. One round moves the sums
    by at most 1, in the entry of the arm that was played. The squares of the two mu add up.
    """

    def __init__(self, rng, arms=2, epsilon=1.0, delta=1e-6):
        self.rng, self.arms, self.rounds, self.arm = rng, arms, 0, 0
        self.noise = Gaussian.calibrate(epsilon=epsilon, delta=delta, sensitivity=1.0, releases=2)
        self.before, self.block = privcheck.zeros(arms), privcheck.zeros(arms)

    def select(self):
        """Return each arm once, then the arm with the largest published sum."""
        return self.rounds if self.rounds < self.arms else self.arm

    def update(self, action, reward):
        """Add the reward; at the end of a block, publish the sums of this block and the one before."""
        self.block[action] += reward
        self.rounds += 1
        if self.rounds % 4 == 0:
            self.arm = int(np.argmax(self.noise.release(self.before + self.block, self.rng)))
            self.before, self.block = self.block, privcheck.zeros(self.arms)
