"""Correct policies and mechanisms, each with a broken twin."""

from privcheck.mechanisms import Laplace


def noisy_sum(data, rng, runs):
    """The sum of rewards in [0, 1] with Laplace noise of scale 1: 1-DP, exactly."""
    return data.sum() + rng.laplace(0.0, 1.0, runs)


def noisy_sum_broken(data, rng, runs):
    """A quarter of the noise: 4-DP."""
    return data.sum() + rng.laplace(0.0, 0.25, runs)


class Follower:
    """Answers the last reward by randomised response, epsilon = 1 for each reward, in one round only."""

    odds = 2.718281828459045

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arm = rng, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        honest = self.rng.random() < self.odds / (1 + self.odds)
        self.arm = int((reward > 0.5) == honest)


class FollowerBroken(Follower):
    """Odds of e^4: 4-DP."""

    odds = 54.598150033144236


class Publisher:
    """Publishes every reward once, with noise for epsilon = 1."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.noise = rng, Laplace(sensitivity=1.0, epsilon=epsilon)
        self.published = [0.0] * arms
        self.rounds = 0

    def select(self):
        return self.rounds if self.rounds < len(self.published) else self.published.index(max(self.published))

    def update(self, action, reward):
        self.rounds += 1
        self.published[action] = self.noise.release(self.kept(action, reward), self.rng)

    def kept(self, action, reward):
        return reward


class PublisherOfSums(Publisher):
    """Publishes running sums: the first reward is paid for in every round."""

    total = 0.0

    def kept(self, action, reward):
        self.total = self.total + reward
        return self.total


class Peeker(Publisher):
    """Publishes, and then looks at the reward itself."""

    def update(self, action, reward):
        super().update(action, reward)
        self.published[action] = 2.0 if reward > 0.5 else self.published[action]
