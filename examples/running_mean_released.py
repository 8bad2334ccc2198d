"""The running-mean bandit, with its noise drawn by a mechanism.

The ledger now sees that every reward is released again and again, and the filter refuses the second release.

    privcheck certify examples/running_mean_released.py:RunningMeanReleased --epsilon 1 --arms 2 --horizon 20
"""

from privcheck.mechanisms import Laplace


class RunningMeanReleased:
    """Play the arm with the largest noisy running mean, in doubling blocks; claims epsilon-DP, and is refused."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.epsilon = epsilon
        self.sums = [0.0] * arms
        self.pulls = [0] * arms
        self.published = [0.0] * arms
        self.rounds = 0
        self.block_end = arms
        self.arm = 0

    def select(self):
        """Return each arm once, then the arm with the largest published mean."""
        return self.rounds if self.rounds < len(self.published) else self.arm

    def update(self, action, reward):
        """Add the reward; at the end of a block, publish all running means again."""
        self.sums[action] += reward
        self.pulls[action] += 1
        self.rounds += 1
        if self.rounds == self.block_end:
            self.publish()
            self.block_end *= 2

    def publish(self):
        """Release the mean of all past rewards of each arm, with fresh noise, and choose the arm with the largest."""
        for arm, n in enumerate(self.pulls):
            if n > 0:
                release = Laplace(sensitivity=1 / n, epsilon=self.epsilon)
                self.published[arm] = release.release(self.sums[arm] / n, self.rng)
        self.arm = self.published.index(max(self.published))
