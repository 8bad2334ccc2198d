"""The zoo in reverse: policies that leak in ways seen in real code, each beside its corrected twin.

The tests use this file as a user's file ("zoo.py:Name"). A comment `here: Name` marks the line that has to be named
when the policy Name is accused. All run for 16 rounds on two arms and claim epsilon.
"""

import math

import numpy as np

import privcheck
from privcheck.mechanisms import BinaryTree, Laplace, NoisyMax


class Animal:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.arm, self.t, self.total, self.noisy = 0, 0, 0.0, 0.0
        self.sums, self.means = [0.0] * arms, [0.0] * arms

    def select(self):
        return self.arm

    def once(self, sensitivity=1.0, share=1.0):
        return Laplace(sensitivity=sensitivity, epsilon=self.epsilon * share)


# The same data with new noise


class RenoisedEachRound(Animal):
    """Draws new noise for an old sum in every round."""

    def update(self, action, reward):
        self.t += 1
        if self.t <= 4:
            self.total += reward
        if self.t >= 4:
            self.noisy = self.once().release(self.total, self.rng)  # here: RenoisedEachRound
            self.arm = int(self.noisy > 2.0)


class NoisedOnce(Animal):
    def update(self, action, reward):
        self.t += 1
        if self.t <= 4:
            self.total += reward
        if self.t == 4:
            self.noisy = self.once().release(self.total, self.rng)
        self.arm = int(self.noisy > 2.0)


class RunningMeanAgain(Animal):
    """Releases the mean of all rewards so far at the end of every block."""

    def update(self, action, reward):
        self.t += 1
        self.total += reward
        if self.t % 4 == 0:
            noisy = self.once(1.0 / self.t).release(self.total / self.t, self.rng)  # here: RunningMeanAgain
            self.arm = int(noisy > 0.5)


class ForgettingMean(Animal):
    def update(self, action, reward):
        self.t += 1
        self.total += reward
        if self.t % 4 == 0:
            self.arm = int(self.once(0.25).release(self.total / 4, self.rng) > 0.5)
            self.total = 0.0


class RunningMeanByTree(Animal):
    """The other correction: all prefix sums from one tree."""

    def __init__(self, rng, arms=2, epsilon=1.0, horizon=16):
        super().__init__(rng, arms, epsilon)
        self.stream = BinaryTree(horizon=horizon, sensitivity=1.0, epsilon=epsilon).start(rng)

    def update(self, action, reward):
        self.t += 1
        self.arm = int(self.stream.add(reward) / self.t > 0.5)


# Raw data in decisions


class IncrementsBetweenReleases(Animal):
    """Corrects the last release by what came since."""

    def update(self, action, reward):
        self.t += 1
        self.total += reward
        if self.t % 4 == 0:
            self.noisy += self.once().release(self.total, self.rng)
            self.total = 0.0
        self.arm = int(self.estimate() > self.t / 2)  # here: IncrementsBetweenReleases

    def estimate(self):
        return self.noisy + self.total


class WaitsForTheRelease(IncrementsBetweenReleases):
    def estimate(self):
        return self.noisy


class EliminatesOnRawSums(Animal):
    """Releases, but drops the arm that is behind on the raw sums."""

    def update(self, action, reward):
        self.t += 1
        self.sums[action] += reward
        self.arm = self.t % 2 if self.t < 8 else self.arm
        if self.t == 8:
            self.means = [self.once(0.25).release(total / 4, self.rng) for total in self.sums]
            self.arm = self.best()

    def best(self):
        return 0 if self.sums[0] >= self.sums[1] else 1  # here: EliminatesOnRawSums


class EliminatesOnReleases(EliminatesOnRawSums):
    def best(self):
        return 0 if self.means[0] >= self.means[1] else 1


class TiesByRawTotals(EliminatesOnRawSums):
    """Compares released means in steps of 10, and breaks ties by the raw totals."""

    def best(self):
        return max(range(2), key=lambda a: (round(self.means[a], -1), self.sums[a]))  # here: TiesByRawTotals


class TiesByNumber(EliminatesOnRawSums):
    def best(self):
        return max(range(2), key=lambda a: (round(self.means[a], -1), -a))


class BlocksByRewards(Animal):
    """Ends a block when enough rewards have come in."""

    def update(self, action, reward):
        self.t += 1
        self.total += reward
        if self.total >= 2.0:  # here: BlocksByRewards
            self.arm = int(self.once().release(self.total, self.rng) > 2.0)
            self.total = 0.0


class BlocksByReleases(Animal):
    """A block length that depends on the last release is fine."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.left = 2

    def update(self, action, reward):
        self.left -= 1
        self.total += reward
        if self.left == 0:
            self.noisy = self.once().release(self.total, self.rng)
            self.arm, self.left, self.total = int(self.noisy > 1.0), 2 if self.noisy > 1.0 else 3, 0.0


# Wrong sensitivity


class NoiseOfTheMean(Animal):
    """Adds the noise of a mean to a sum."""

    declared = 0.25

    def update(self, action, reward):
        self.t += 1
        self.total += reward
        if self.t % 4 == 0:
            self.noisy = self.once(self.declared).release(self.total, self.rng)  # here: NoiseOfTheMean
            self.arm, self.total = int(self.noisy > 2.0), 0.0


class NoiseOfTheSum(NoiseOfTheMean):
    declared = 1.0


class OneRewardTwoArms(Animal):
    """Feeds each reward to two statistics, and spends the whole budget on each."""

    share = 1.0

    def update(self, action, reward):
        self.t += 1
        self.sums = [self.sums[0] + reward, self.sums[1] + (1.0 - reward)]
        if self.t % 4 == 0:
            self.means = [self.once(share=self.share).release(s, self.rng) for s in self.sums]  # here: OneRewardTwoArms
            self.arm, self.sums = int(np.argmax(self.means)), [0.0, 0.0]


class OneRewardHalfTheBudget(OneRewardTwoArms):
    share = 0.5


class Unclipped(Animal):
    """Assumes rewards in [0, 1], whatever the range is."""

    def update(self, action, reward):
        noisy = self.once().release(reward, self.rng)  # here: Unclipped
        self.arm = int(noisy > 0.5)


class Clipped(Animal):
    def update(self, action, reward):
        noisy = self.once().release(privcheck.clip(reward, 0.0, 1.0), self.rng)
        self.arm = int(noisy > 0.5)


class OwnNoise(Animal):
    """Draws the noise from a Generator of its own making: nobody can charge it."""

    def update(self, action, reward):
        self.t += 1
        noisy = reward + np.random.default_rng(self.t).laplace(0.0, 1.0 / self.epsilon)
        self.arm = int(noisy > 0.5)  # here: OwnNoise


# Nothing to accuse


class RoundsAfterRelease(Animal):
    def update(self, action, reward):
        noisy = min(max(self.once().release(reward, self.rng), 0.0), 1.0)
        self.arm = round(noisy)


class FollowsASchedule(Animal):
    """Plays by the clock; what it releases steers nothing."""

    def update(self, action, reward):
        self.t += 1
        self.noisy = self.once().release(reward, self.rng)
        self.arm = int(self.t % 3 == 0)


class ThompsonAfterRelease(Animal):
    """Draws from a posterior of released sums with its own coins."""

    def update(self, action, reward):
        self.means[action] += self.once().release(reward, self.rng)
        self.t += 1
        draws = [self.rng.normal(mean / self.t, 1.0 / math.sqrt(self.t)) for mean in self.means]
        self.arm = int(np.argmax(draws))


class ReusesAReleaseOften(Animal):
    def update(self, action, reward):
        self.t += 1
        if self.t == 1:
            self.noisy = self.once().release(reward, self.rng)
        self.arm = int(sum(self.noisy**2 > k / 10 for k in range(20)) > self.t)


class ArgmaxOfReleasedVector(Animal):
    """Releases a vector of sums, of which one datum enters one entry."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.sums = privcheck.zeros(arms)

    def update(self, action, reward):
        self.t += 1
        self.sums[action] += reward
        self.arm = self.t % 2
        if self.t % 4 == 0:
            self.arm = int(np.argmax(self.once().release(self.sums, self.rng)))
            self.sums = privcheck.zeros(self.arms)


class NoisyMaxOfBlocks(Animal):
    """Releases only the best arm of each block; under bandit feedback one reward moves one sum."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.sums = privcheck.zeros(arms)

    def update(self, action, reward):
        self.t += 1
        self.sums[action] += reward
        self.arm = self.t % 2
        if self.t % 4 == 0:
            self.arm = NoisyMax(score_range=1.0, epsilon=self.epsilon).release(self.sums, self.rng)
            self.sums = privcheck.zeros(self.arms)
