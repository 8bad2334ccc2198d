"""A bandit as people write them, with a privacy leak that is easy to miss.

It plays in doubling blocks. At the end of each block it publishes every arm's running mean with Laplace noise, and
plays the arm whose published mean is largest during the next block. The noise is right for one release: n rewards in
[0, 1] have a mean of sensitivity 1/n, and Laplace noise of scale 1/(n epsilon) makes one release epsilon-DP. But the
running mean still holds the first reward, and so does the next one: every reward is released again at the end of every
block, and each release costs epsilon.

    privcheck audit examples/running_mean_bandit.py:RunningMeanBandit --epsilon 1 --arms 2 --horizon 20
"""


class RunningMeanBandit:
    """Follow the noisy running mean, in doubling blocks; claims epsilon-DP."""

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
        """Play every arm once, then the leader of the last published means."""
        return self.rounds if self.rounds < len(self.pulls) else self.arm

    def update(self, action, reward):
        """Add the reward; at the end of a block publish all running means again."""
        self.sums[action] += reward
        self.pulls[action] += 1
        self.rounds += 1
        if self.rounds == self.block_end:
            self.publish()
            self.block_end *= 2

    def publish(self):
        """Release the mean of all rewards so far of each arm, with fresh noise, and pick the largest."""
        for arm, n in enumerate(self.pulls):
            noise = self.rng.laplace(0.0, 1.0 / (n * self.epsilon))
            self.published[arm] = self.sums[arm] / n + noise
        self.arm = self.published.index(max(self.published))
