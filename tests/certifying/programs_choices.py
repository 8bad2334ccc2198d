"""Private bandits that turn a reward into something else: a success, a level, a bit with a coin, a clipped number.

Neighbours differ in one reward in [0, 1]. The comment below each class is its privacy argument; b is a noise scale.
"""

# ruff: noqa: B905, SIM108  as people write it

import math

import numpy as np

import privcheck
from privcheck.mechanisms import RandomisedResponse


class _Blocks:
    """Sums what `value` makes of a reward over blocks of three; the arm changes when the noisy sum is low."""

    scale = 1.0

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.total, self.n, self.arm = 0.0, 0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.total += self.value(reward)
        self.n += 1
        if self.n == 3:
            if self.total + self.rng.laplace(0, self.scale / self.epsilon) < 1.5 * self.scale:
                self.arm = (self.arm + 1) % self.arms
            self.total, self.n = 0.0, 0


class Ternary(_Blocks):
    # An indicator moves by 1, published once in a sum with b = 1 / epsilon.
    def value(self, reward):
        return 1 if reward > 0.5 else 0


class CountedSuccesses:
    # Which arm is public; its count of successes moves by 1 and is published once, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0, threshold=0.7):
        self.rng, self.epsilon, self.threshold = rng, epsilon, threshold
        self.successes, self.pulls, self.rate = [0] * arms, [0] * arms, [1.0] * arms

    def select(self):
        return int(np.argmax(self.rate))

    def update(self, action, reward):
        if reward > self.threshold:
            self.successes[action] += 1
        self.pulls[action] += 1
        if self.pulls[action] == 3:
            self.rate[action] = (self.successes[action] + self.rng.laplace(0, 1 / self.epsilon)) / 3
            self.successes[action] = self.pulls[action] = 0


class AlphaBeta:
    # A reward is a success or a failure: replacing it moves both counts by one, b = 2 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon, self.t = rng, arms, epsilon, 0
        self.alpha_beta = [[0, 0] for _ in range(arms)]
        self.public = np.ones((arms, 2))

    def select(self):
        return int(np.argmax([self.rng.beta(a, b) for a, b in self.public]))

    def update(self, action, reward):
        if reward >= 0.5:
            self.alpha_beta[action][0] += 1
        else:
            self.alpha_beta[action][1] += 1
        self.t += 1
        if self.t % 4 == 0:
            noisy = np.array(self.alpha_beta) + self.rng.laplace(0, 2 / self.epsilon, (self.arms, 2))
            self.public = np.maximum(self.public + noisy, 1.0)
            self.alpha_beta = [[0, 0] for _ in range(self.arms)]


class IntegerOfAComparison(_Blocks):
    # int(r > 1/2) moves by 1, published once in a sum with b = 1 / epsilon.
    def value(self, reward):
        return int(reward > 0.5)


class FloatOfAComparison(_Blocks):
    # float(r >= 1/4) moves by 1, published once in a sum with b = 1 / epsilon.
    def value(self, reward):
        return float(reward >= 0.25)


class ProductWithAComparison(_Blocks):
    # r 1[r > 0.3] moves by at most 1, published once in a sum with b = 1 / epsilon.
    def value(self, reward):
        return reward * (reward > 0.3)


class WhereSuccess(_Blocks):
    # np.where(r > 0.5, 1, -1) moves by 2, so b = 2 / epsilon.
    scale = 2.0

    def value(self, reward):
        return np.where(reward > 0.5, 1.0, -1.0)


class ThreeLevels(_Blocks):
    # A level 0, 1 or 2 moves by at most 2, so b = 2 / epsilon.
    scale = 2.0

    def value(self, reward):
        return 2 if reward > 0.8 else 1 if reward > 0.4 else 0


class RoundedReward(_Blocks):
    # round(r) is 0 or 1, published once in a sum with b = 1 / epsilon.
    def value(self, reward):
        return round(reward)


class Quantised(_Blocks):
    # floor(4 r) / 4 goes from 0 to 1, published once in a sum with b = 1 / epsilon.
    def value(self, reward):
        return math.floor(reward * 4) / 4


class LevelFromATable(_Blocks):
    # A table of utilities from 0 to 1 at the level of a reward, published once in a sum with b = 1 / epsilon.
    table = (0.0, 0.1, 0.4, 0.9, 1.0)

    def value(self, reward):
        return self.table[int(4 * reward)]


class Winsorised(_Blocks):
    # The middle of (0.1, r, 0.9) moves by at most 0.8, so b = 0.8 / epsilon.
    scale = 0.8

    def value(self, reward):
        return sorted((0.1, reward, 0.9))[1]


class Hinge(_Blocks):
    # max(0, r - 1/2) moves by at most 1/2, so b = 1 / (2 epsilon).
    scale = 0.5

    def value(self, reward):
        return max(0.0, reward - 0.5)


class DistanceToATarget(_Blocks):
    # abs(r - 0.6) goes from 0 to 0.6, so b = 0.6 / epsilon.
    scale = 0.6

    def value(self, reward):
        return abs(reward - 0.6)


class LogUtility(_Blocks):
    # log(1 + r) goes from 0 to log 2, so b = log(2) / epsilon.
    scale = math.log(2)

    def value(self, reward):
        return np.log1p(reward)


class SquareRoot(_Blocks):
    # math.sqrt(r) goes from 0 to 1, published once in a sum with b = 1 / epsilon.
    def value(self, reward):
        return math.sqrt(reward)


class Loss(_Blocks):
    # The loss 1 - r moves by 1, published once in a sum with b = 1 / epsilon.
    def value(self, reward):
        return 1 - reward


class Cubed(_Blocks):
    # A feature in [0, 1], published once in a sum with b = 1 / epsilon.
    def value(self, reward):
        return privcheck.feature(lambda x: x**3, reward, 0.0, 1.0)


class WarnerByWhere:
    # Randomised response: the bit with probability p = e / (1 + e), e = exp(epsilon), once per reward.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.p = rng, math.exp(epsilon) / (1 + math.exp(epsilon))
        self.ones, self.pulls = [0] * arms, [0] * arms

    def select(self):
        return int(np.argmax([(s + 1) / (n + 1) for s, n in zip(self.ones, self.pulls)]))

    def update(self, action, reward):
        bit = (reward > 0.5) * 1
        answer = np.where(self.rng.random() < self.p, bit, 1 - bit)
        self.ones[action] += int(answer)
        self.pulls[action] += 1


class WarnerByBranches:
    # The same as people write it, with if and else.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.p = rng, math.exp(epsilon) / (1 + math.exp(epsilon))
        self.score = [0.0] * arms

    def select(self):
        return int(np.argmax(self.score))

    def update(self, action, reward):
        bit = 1 if reward > 0.5 else 0
        if self.rng.random() < self.p:
            report = bit
        else:
            report = 1 - bit
        self.score[action] += report - 0.5


class WarnerByMechanism:
    # One randomised response of epsilon per reward.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.mechanism = rng, RandomisedResponse(categories=2, epsilon=epsilon)
        self.answers = [[] for _ in range(arms)]

    def select(self):
        return min(range(len(self.answers)), key=lambda a: self.answers[a].count(0))

    def update(self, action, reward):
        self.answers[action].append(self.mechanism.release(privcheck.rounded(reward), self.rng))


class BernoulliOfAReward:
    # A coin of chance in [low, 1 - low], high / low = exp(epsilon), once per reward (rng.binomial with n = 1).
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.low = rng, 1 / (1 + math.exp(epsilon))
        self.votes = [0] * arms

    def select(self):
        return self.votes.index(max(self.votes))

    def update(self, action, reward):
        chance = self.low + (1 - 2 * self.low) * reward
        self.votes[action] += 2 * self.rng.binomial(1, chance) - 1


class UniformBelowAReward:
    # The same coin by a uniform number: P(1) / P'(1) and P(0) / P'(0) are at most exp(epsilon).
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.low = rng, 1 / (1 + math.exp(epsilon))
        self.votes = [0] * arms

    def select(self):
        return self.votes.index(max(self.votes))

    def update(self, action, reward):
        if self.rng.random() < self.low + (1 - 2 * self.low) * reward:
            self.votes[action] += 1
        else:
            self.votes[action] -= 1


class CountsWithGeometricNoise:
    # Counts of successes move by 1; two-sided geometric noise with p = 1 - exp(-epsilon), once per block.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.p, self.count, self.t, self.arm = rng, 1 - math.exp(-epsilon), 0, 0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.count += (reward > 0.5) * 1
        self.t += 1
        if self.t % 3 == 0:
            noisy = self.count + self.rng.geometric(self.p) - self.rng.geometric(self.p)
            self.arm = int(noisy < 2)
            self.count = 0


class TanhOfAReward(_Blocks):
    # tanh(r) goes from 0 to tanh(1), so b = tanh(1) / epsilon.
    scale = math.tanh(1.0)

    def value(self, reward):
        return np.tanh(reward)


class StandardDeviation:
    # The deviation of three numbers moves by at most sqrt(2) / 3 (0, 0 and 0 or 1), once per block.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.block, self.arm = rng, epsilon, [], 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.block.append(reward)
        if len(self.block) == 3:
            noisy = np.std(self.block) + self.rng.laplace(0, math.sqrt(2) / 3 / self.epsilon)
            self.arm = int(noisy > 0.3)
            self.block = []


class Welford:
    # n times the variance of n = 3 numbers moves by at most (n - 1) / n = 2/3, once per block.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.arm = rng, epsilon, 0
        self.n, self.mean, self.m2 = 0, 0.0, 0.0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.n += 1
        delta = reward - self.mean
        self.mean += delta / self.n
        self.m2 += delta * (reward - self.mean)
        if self.n == 3:
            self.arm = int(self.m2 + self.rng.laplace(0, 2 / 3 / self.epsilon) > 0.3)
            self.n, self.mean, self.m2 = 0, 0.0, 0.0


class DiscountedDot:
    # Weights 0.9^2, 0.9, 1 on the last three rewards, published once: the largest is 1, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0, gamma=0.9):
        self.rng, self.epsilon, self.gamma, self.past, self.arm = rng, epsilon, gamma, [], 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.past.append(reward)
        if len(self.past) == 3:
            weights = self.gamma ** np.arange(len(self.past))[::-1]
            self.arm = int(np.sum(weights * np.array(self.past)) + self.rng.laplace(0, 1 / self.epsilon) < 1.3)
            self.past = []
