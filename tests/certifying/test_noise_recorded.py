"""Noise that is added to what the guard does not follow: no leak unless a replay of the code as it is differs."""

import math
import statistics

import numpy as np
import pytest
import scipy.stats

from privcheck import certify

pytestmark = pytest.mark.timeout(120)


class Collects:
    """Releases something of its first four rewards; `statistic` says what."""

    SCALE = 1.0

    def __init__(self, rng, epsilon=1.0):
        self.rng, self.rewards, self.arm = rng, [], 0

    def select(self):
        return self.arm if len(self.rewards) > 4 else len(self.rewards) % 2

    def update(self, action, reward):
        self.rewards.append(reward)
        if len(self.rewards) == 4:
            self.arm = int(self.released() > 0.5)

    def released(self):
        value = self.statistic(self.rewards)
        return value + self.rng.laplace(0.0, self.SCALE)


class Trimmed(Collects):
    def statistic(self, rewards):
        return scipy.stats.trim_mean(rewards, 0.3)


class TrimmedOnItsLine(Collects):
    def released(self):
        return scipy.stats.trim_mean(self.rewards, 0.3) + self.rng.laplace(0.0, 1.0)


class LowMedian(Collects):
    def statistic(self, rewards):
        return statistics.median_low(rewards)


class Partitioned(Collects):
    def statistic(self, rewards):
        return np.partition(rewards, 1)[1]


class LargestByKey(Collects):
    def statistic(self, rewards):
        return max(rewards, key=lambda reward: 2.0 * reward)


class Product(Collects):
    def statistic(self, rewards):
        return rewards[0] * rewards[1]


class SinglePrecision(Collects):
    def __init__(self, rng, epsilon=1.0):
        super().__init__(rng, epsilon)
        self.sums = np.zeros(2, dtype=np.float32)

    def statistic(self, rewards):
        self.sums[0] += rewards[0]
        return self.sums[0]


class CountedByALibrary(Collects):
    def statistic(self, rewards):
        return np.bincount([0, 1, 0, 1], weights=rewards, minlength=2)[0]


class Hypotenuse(Collects):
    def statistic(self, rewards):
        return math.hypot(rewards[0], 0.5)


class CountedWithoutNoise(CountedByALibrary):
    def released(self):
        return self.statistic(self.rewards)


LOG = np.zeros(4, dtype=np.float32)


class WritesElsewhere(Collects):
    """Writes a reward into an array of its module."""

    def statistic(self, rewards):
        LOG[0] = rewards[0]
        return rewards[0]


class WithACount(Trimmed):
    """Releases a mean that the guard counts before what it does not follow."""

    SCALE = 2.0

    def update(self, action, reward):
        super().update(action, reward)
        if len(self.rewards) == 2:
            self.mean = sum(self.rewards) / 2 + self.rng.laplace(0.0, 1.0)
            self.rewards.append(0.5) if self.mean > 0.5 else None


class RawBeside(Trimmed):
    """Also plays the arm of the larger reward."""

    def update(self, action, reward):
        super().update(action, reward)
        if len(self.rewards) == 6:
            self.arm = int(scipy.stats.trim_mean(self.rewards, 0.3) > 0.5)


class TooLittleNoise(Trimmed):
    SCALE = 0.05


class NoNoise(Trimmed):
    def released(self):
        return self.statistic(self.rewards)


class NoiseOfSomethingElse(Trimmed):
    def released(self):
        self.other = self.rng.laplace(0.0, 1.0) > 0.0
        return self.statistic(self.rewards)


class Compares(Collects):
    """Spells out a comparison of raw rewards before the noise is drawn."""

    def statistic(self, rewards):
        return 1.0 if rewards[0] < rewards[1] else 0.0


RIGHT = [
    Trimmed,
    TrimmedOnItsLine,
    LowMedian,
    Partitioned,
    LargestByKey,
    Product,
    SinglePrecision,
    CountedByALibrary,
    Hypotenuse,
]
WRONG = [
    RawBeside,
    TooLittleNoise,
    NoNoise,
    NoiseOfSomethingElse,
    Compares,
    WritesElsewhere,
    CountedWithoutNoise,
]


@pytest.mark.parametrize("policy", RIGHT)
def test_noise_on_what_is_not_followed_is_inconclusive_if_replays_find_nothing(policy):
    certificate = certify(policy, epsilon=1.0, arms=2, horizon=8)
    assert (certificate.granted, certificate.epsilon_upper, certificate.is_inconclusive) == (False, None, True)
    assert not certificate.has_findings
    assert certificate.uncounted == ["numpy"]
    (note,) = [note for note in certificate.notes if "did not count" in note]
    assert "nothing was found in" in note


def test_a_release_that_was_counted_before_changes_nothing():
    certificate = certify(WithACount, epsilon=2.0, arms=2, horizon=8)
    assert not certificate.granted
    assert certificate.is_inconclusive


@pytest.mark.parametrize("policy", WRONG)
def test_what_gets_past_the_noise_is_still_found(policy):
    certificate = certify(policy, epsilon=1.0, arms=2, horizon=8)
    assert (certificate.granted, certificate.epsilon_upper, certificate.is_inconclusive) == (False, None, False)
    assert certificate.has_findings
    assert certificate.leaks
