"""A bandit as people write them, with a privacy leak that is easy to miss.

The bandit plays in doubling blocks. At the end of each block it publishes the running mean of every arm with Laplace
noise; during the next block it plays the arm with the largest published mean. The noise is right for one release: the
mean of n rewards in [0, 1] has sensitivity 1/n, so Laplace noise of scale 1/(n epsilon) makes one release epsilon-DP.
But every later running mean still contains the first reward: every reward is released again at the end of every block,
and each release costs epsilon.

    privcheck audit examples/running_mean_bandit.py:RunningMeanBandit --epsilon 1 --arms 2 --horizon 20
"""


class RunningMeanBandit:
    """Play the arm with the largest noisy running mean, in doubling blocks; claims epsilon-DP."""

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
        return self.rounds if self.rounds < len(self.pulls) else self.arm

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
            noise = self.rng.laplace(0.0, 1.0 / (n * self.epsilon))
            self.published[arm] = self.sums[arm] / n + noise
        self.arm = self.published.index(max(self.published))
