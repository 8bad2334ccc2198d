"""A bandit on the prefix sums of Gaussian trees.

All prefix sums of an arm come from one tree, so a reward is released once with each of the few blocks that contain it.
Both bounds, on epsilon at delta = 1e-6:

    privcheck audit examples/gaussian_tree_bandit.py:GaussianTreeBandit --epsilon 1 --delta 1e-6 --arms 2 --runs 4000
"""

from privcheck.mechanisms import GaussianTree


class GaussianTreeBandit:
    """Play each arm once, then the arm with the largest private mean; (epsilon, delta)-DP."""

    def __init__(self, rng, arms=2, epsilon=1.0, delta=1e-6, horizon=16):
        tree = GaussianTree.calibrate(epsilon=epsilon, delta=delta, sensitivity=1.0, horizon=horizon)
        self.trees = [tree.start(rng) for _ in range(arms)]
        self.sums, self.pulls = [0.0] * arms, [0] * arms

    def select(self):
        """Return the arm with the largest private mean."""
        if 0 in self.pulls:
            return self.pulls.index(0)
        means = [total / count for total, count in zip(self.sums, self.pulls, strict=True)]
        return means.index(max(means))

    def update(self, action, reward):
        """Add the reward to the tree of its arm."""
        self.pulls[action] += 1
        self.sums[action] = self.trees[action].add(reward)
