"""Broken twins, one for each idiom: the noise, and the sensitivity. The line at fault is marked.

Neighbours differ in one reward in [0, 1]. What `publish` returns is shown, and is not epsilon-DP (epsilon = 1).
"""

import math

import numpy as np
from programs_broken_base import Broken

import privcheck
from privcheck.mechanisms import Laplace, NoisyMax, RandomisedResponse


class HalfTheNoise(Broken):
    def publish(self):
        return self.total + self.rng.laplace(0, 0.5 / self.epsilon)  # fault


class NoiseOfTheMean(Broken):
    def publish(self):
        return self.total + self.rng.laplace(0, 1 / (3 * self.epsilon))  # fault


class NoiseOfOneMoment(Broken):
    def keep(self, action, reward):
        self.total += np.stack([reward, reward**2])

    def publish(self):
        mean, second = self.total + self.rng.laplace(0, 1 / self.epsilon, 2)  # fault
        return mean + second


class OneDrawForTwoSums(Broken):
    def keep(self, action, reward):
        self.total = self.total + np.eye(2)[action] * reward

    def publish(self):
        first, second = self.total + self.rng.laplace(0, 1 / self.epsilon)  # fault
        return first - second


class DrawKeptFromTheStart(Broken):
    def publish(self):
        if self.n == 3:
            self.z = self.rng.laplace(0, 1 / self.epsilon)
        return float(self.total + self.z)  # fault


class NoisePublishedToo(Broken):
    def publish(self):
        z = self.rng.laplace(0, 1 / self.epsilon)
        self.published.append(float(z))
        return float(self.total + z)  # fault


class UniformNoise(Broken):
    def publish(self):
        return self.total + self.rng.uniform(-3 / self.epsilon, 3 / self.epsilon)  # fault


class OneSidedNoise(Broken):
    def publish(self):
        return self.total + abs(self.rng.laplace(0, 1 / self.epsilon))  # fault


class TruncatedNoise(Broken):
    def publish(self):
        return self.total + np.clip(self.rng.laplace(0, 1 / self.epsilon), -1, 1)  # fault


class NormalNoise(Broken):
    def publish(self):
        return self.total + self.rng.normal(0, 1 / self.epsilon)  # fault


class SeededNoise(Broken):
    def publish(self):
        return self.total + np.random.default_rng(self.n).laplace(0, 1 / self.epsilon)  # fault


class VanishingNoise(Broken):
    def publish(self):
        return self.total + self.rng.laplace(0, 1 / self.epsilon) / self.n  # fault


class NoiseWhenLow(Broken):
    def publish(self):
        if self.total < 1.0:  # fault
            return self.total + self.rng.laplace(0, 1 / self.epsilon)
        return 3.0


class OneGeometricDraw(Broken):
    def keep(self, action, reward):
        self.total += (reward > 0.5) * 1

    def publish(self):
        return self.total + self.rng.geometric(1 - math.exp(-self.epsilon))  # fault


class GumbelReadAsANumber(Broken):
    def publish(self):
        return float(self.total + self.rng.gumbel(0, 1 / self.epsilon))  # fault


class ExponentialNoise(Broken):
    def publish(self):
        return self.total + self.rng.exponential(1 / self.epsilon)  # fault


class NoisyMaxWithTheRangeOfOne(Broken):
    def keep(self, action, reward):
        self.total += np.stack([reward, 1 - reward])

    def publish(self):
        return int(NoisyMax(score_range=1.0, epsilon=self.epsilon).release(self.total, self.rng))  # fault


class WinnerAndItsScore(Broken):
    def keep(self, action, reward):
        self.total = self.total + np.eye(2)[action] * reward

    def publish(self):
        scores = self.total + self.rng.gumbel(0, 1 / self.epsilon, 2)
        return float(scores[np.argmax(scores)])  # fault


class NoiseBeforeASubtraction(Broken):
    def publish(self):
        z = self.rng.laplace(0, 1 / self.epsilon)
        return float(self.total + z - 0.9 * z)  # fault


class DoubledRewards(Broken):
    def keep(self, action, reward):
        self.total += 2 * reward

    def publish(self):
        return self.total / 2 + self.rng.laplace(0, 1 / self.epsilon) / 2  # fault


class GrowingWeights(Broken):
    def keep(self, action, reward):
        self.total += 1.1**self.n * reward

    def publish(self):
        return self.total + self.rng.laplace(0, 1 / self.epsilon)  # fault


class ImportanceWithoutScale(Broken):
    def keep(self, action, reward):
        p = 0.9 if action == self.arm else 0.1
        self.total += reward / p

    def publish(self):
        return self.total + self.rng.laplace(0, 1 / self.epsilon)  # fault


class LevelsOfTwo(Broken):
    def keep(self, action, reward):
        self.total += (reward > 0.4) * 1 + (reward > 0.8) * 1

    def publish(self):
        return self.total + self.rng.laplace(0, 1 / self.epsilon)  # fault


class PrefixSums(Broken):
    def keep(self, action, reward):
        self.total = [*(self.total or []), reward]

    def publish(self):
        return max(np.cumsum(np.stack(self.total)) + self.rng.laplace(0, 1 / self.epsilon, 3))  # fault


class AmplifyingDecay(Broken):
    def keep(self, action, reward):
        self.total = 1.25 * self.total + reward

    def publish(self):
        return self.total + self.rng.laplace(0, 1 / self.epsilon)  # fault


class TooSmallADeclaration(Broken):
    def publish(self):
        return Laplace(sensitivity=0.5, epsilon=self.epsilon).release(self.total, self.rng)  # fault


class ClippedTooWide(Broken):
    def keep(self, action, reward):
        self.total += np.clip(reward, 0.0, 0.9)

    def publish(self):
        return self.total + self.rng.laplace(0, 0.5 / self.epsilon)  # fault


class RespondsTooTruly(Broken):
    length = 1

    def keep(self, action, reward):
        self.total = (reward > 0.5) * 1

    def publish(self):
        coin = self.rng.random() < 0.9
        return 2.0 * int(np.where(coin, self.total, 1 - self.total))  # fault


class OneCoinForTwoAnswers(Broken):
    length = 2

    def keep(self, action, reward):
        self.total = [*(self.total or []), (reward > 0.5) * 1]

    def publish(self):
        coin = self.rng.random() < math.exp(self.epsilon) / (1 + math.exp(self.epsilon))
        return float(sum(int(np.where(coin, bit, 1 - bit)) for bit in self.total))  # fault


class AnswersTwice(Broken):
    length = 1

    def keep(self, action, reward):
        self.total = privcheck.rounded(reward)

    def publish(self):
        answer = RandomisedResponse(categories=2, epsilon=self.epsilon)
        return 1.0 + answer.release(self.total, self.rng) + answer.release(self.total, self.rng)  # fault


class ShortTree(Broken):
    length = 1

    def keep(self, action, reward):
        nodes = self.__dict__.setdefault("nodes", [0.0] * 4)
        i = (self.n & -self.n).bit_length() - 1
        nodes[i] = sum(nodes[:i]) + reward
        nodes[:i] = [0.0] * i
        self.total = nodes[i]

    def publish(self):
        return float(self.total + self.rng.laplace(0, 2 / self.epsilon))  # fault
