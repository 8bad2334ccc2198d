"""Private bandits that keep rewards in lists, deques, dictionaries, records and tuples, with the standard library.

Neighbours differ in one reward in [0, 1]. The comment below each class is its privacy argument; b is a noise scale.
"""

# ruff: noqa: B905  as people write it

import collections
import functools
import itertools
import math
import operator
import statistics
from collections import Counter, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

Step = namedtuple("Step", ["arm", "reward"])


class ListOfLists:
    # The mean of three rewards is published once and the list is emptied: b = 1 / (3 epsilon).
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.rewards = [[] for _ in range(arms)]
        self.means = [1.0] * arms

    def select(self):
        return self.means.index(max(self.means))

    def update(self, action, reward):
        self.rewards[action].append(reward)
        if len(self.rewards[action]) == 3:
            mean = sum(self.rewards[action]) / len(self.rewards[action])
            self.means[action] = mean + self.rng.laplace(0, 1 / (3 * self.epsilon))
            self.rewards[action] = []


class FullDeque:
    # The window is published once when it is full and then cleared: b = 1 / (4 epsilon) for its mean.
    def __init__(self, rng, arms=2, epsilon=1.0, window=4):
        self.rng, self.epsilon = rng, epsilon
        self.windows = [deque(maxlen=window) for _ in range(arms)]
        self.score = [0.5] * arms
        self.t = 0

    def select(self):
        return self.t % 2 if self.t < 2 else max(range(len(self.score)), key=lambda a: self.score[a])

    def update(self, action, reward):
        self.t += 1
        window = self.windows[action]
        window.append(reward)
        if len(window) == window.maxlen:
            self.score[action] = sum(window) / window.maxlen + self.rng.laplace(0, 1 / (window.maxlen * self.epsilon))
            window.clear()


class WindowOfNoisyRewards:
    # Each reward is noised once (b = 1 / epsilon) before it enters the window; the rest is post-processing.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.recent = {arm: collections.deque([0.5], maxlen=3) for arm in range(arms)}

    def select(self):
        return max(self.recent, key=lambda arm: statistics.fmean(self.recent[arm]))

    def update(self, action, reward):
        self.recent[action].append(float(reward + self.rng.laplace(0, 1 / self.epsilon)))


class TrajectoryOfSteps:
    # Each step is in the sum of its arm, which is published once with b = 1 / epsilon; which arm it was is public.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.steps, self.best = [], None

    def select(self):
        return self.best if self.best is not None and len(self.steps) > 1 else len(self.steps) % self.arms

    def update(self, action, reward):
        self.steps.append(Step(action, reward))
        if len(self.steps) == 4:
            noisy = [
                sum(s.reward for s in self.steps if s.arm == a) + self.rng.laplace(0, 1 / self.epsilon)
                for a in range(self.arms)
            ]
            self.best = noisy.index(max(noisy))
            self.steps = []


@dataclass
class _Arm:
    total: float = 0.0
    pulls: int = 0
    published: list = field(default_factory=lambda: [1.0])

    def pull(self, reward):
        self.total += reward
        self.pulls += 1


class DataclassArms:
    # The total of three pulls is published once with b = 1 / epsilon, and the arm starts anew.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.arms = [_Arm() for _ in range(arms)]

    def select(self):
        return int(np.argmax([np.mean(arm.published) for arm in self.arms]))

    def update(self, action, reward):
        arm = self.arms[action]
        arm.pull(reward)
        if arm.pulls == 3:
            arm.published.append((arm.total + self.rng.laplace(0, 1 / self.epsilon)) / 3)
            arm.total, arm.pulls = 0.0, 0


class NamedDictionaries:
    # Two rewards are summed, published once with b = 1 / epsilon and forgotten.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.stats = {f"arm_{a}": {"sum": 0.0, "n": 0, "mean": 1.0} for a in range(arms)}

    def select(self):
        best = max(self.stats, key=lambda name: self.stats[name]["mean"])
        return int(best.split("_")[1])

    def update(self, action, reward):
        stat = self.stats[f"arm_{action}"]
        stat["sum"] += reward
        stat["n"] += 1
        if stat["n"] % 2 == 0:
            stat["mean"] = (stat["sum"] + self.rng.laplace(0, 1 / self.epsilon)) / 2
            stat["sum"] = 0.0


class DefaultDictionary:
    # Sums per (day, arm): a reward is in one of them, which is popped when it is published, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon, self.t = rng, arms, epsilon, 0
        self.sums = defaultdict(float)
        self.plays = 0

    def select(self):
        return self.plays if self.t % 4 > 1 else self.t % 2

    def update(self, action, reward):
        day = self.t // 4
        self.sums[day, action] += reward
        self.t += 1
        if self.t % 4 == 0:
            noisy = [self.sums.pop((day, a), 0.0) + self.rng.laplace(0, 1 / self.epsilon) for a in range(self.arms)]
            self.plays = int(noisy[1] > noisy[0])


class CounterOfRewards:
    # A Counter of totals, published once with b = 1 / epsilon and cleared.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.totals, self.pulls, self.arm = Counter(), Counter(), 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.totals[action] += reward
        self.pulls[action] += 1
        if sum(self.pulls.values()) == 3:
            value = self.totals[action] + self.rng.laplace(0, 1 / self.epsilon)
            self.arm = action if value > 1.5 else 1 - action
            self.totals.clear()
            self.pulls.clear()


class StatisticsMean:
    # statistics.mean of four rewards is published once: b = 1 / (4 epsilon).
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.batch, self.arm = rng, epsilon, [], 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.batch.append(reward)
        if len(self.batch) == 4:
            self.arm = int(statistics.mean(self.batch) + self.rng.laplace(0, 1 / (4 * self.epsilon)) < 0.5)
            self.batch.clear()


class ExactSum:
    # math.fsum of four rewards is published once: b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.batch, self.arm = rng, epsilon, [], 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.batch.append(reward)
        if len(self.batch) >= 4:
            self.arm = int(math.fsum(self.batch) + self.rng.laplace(0, 1 / self.epsilon) < 2)
            self.batch = []


class ConvertedRewards:
    # float() of a reward is the reward; the sum of four is published once with b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.total, self.n, self.arm = 0.0, 0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.total += float(reward)
        self.n += 1
        if self.n == 4:
            self.arm = int(self.total + self.rng.laplace(0, 1 / self.epsilon) < 2)
            self.total, self.n = 0.0, 0


class ClampedOutside:
    # max(0, min(1, r)) is r; every reward is published once with b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.sums, self.counts = [0.0] * arms, [1] * arms

    def select(self):
        ratios = [s / n for s, n in zip(self.sums, self.counts)]
        return ratios.index(max(ratios))

    def update(self, action, reward):
        r = max(0.0, min(1.0, reward))
        self.sums[action] += r + self.rng.laplace(0.0, 1.0 / self.epsilon)
        self.counts[action] += 1


class ClampedInside:
    # min(0.9, max(0.1, r)) moves by at most 0.8; the sum of two is published once, b = 0.8 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.pair, self.arm = [], 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.pair.append(min(0.9, max(0.1, reward)))
        if len(self.pair) == 2:
            self.arm = int(sum(self.pair) + self.rng.laplace(0, 0.8 / self.epsilon) < 1)
            self.pair = []


class TupleOfSums:
    # A tuple made anew each round; both sums are published once a block with b = 1 / epsilon, a reward is in one.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.state, self.t, self.order = (0.0,) * arms, 0, tuple(range(arms))

    def select(self):
        return self.order[self.t % 3 // 2]

    def update(self, action, reward):
        self.state = tuple(s + reward if a == action else s for a, s in enumerate(self.state))
        self.t += 1
        if self.t % 3 == 0:
            noisy = tuple(s + self.rng.laplace(0, 1 / self.epsilon) for s in self.state)
            self.order = tuple(sorted(range(self.arms), key=noisy.__getitem__, reverse=True))
            self.state = (0.0,) * self.arms


class Accumulated:
    # itertools.accumulate: the last of its sums is published once, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.block, self.arm = rng, epsilon, [], 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.block.append(reward)
        if len(self.block) == 3:
            *_, total = itertools.accumulate(self.block)
            self.arm = int(total + self.rng.laplace(0, 1 / self.epsilon) < 1.5)
            del self.block[:]


class Reduced:
    # functools.reduce folds S = S / 2 + r: the largest weight is 1, published once, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.block, self.arm = rng, epsilon, (), 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.block += (reward,)
        if len(self.block) == 3:
            recent = functools.reduce(lambda s, r: operator.add(s / 2, r), self.block, 0.0)
            self.arm = int(recent + self.rng.laplace(0, 1 / self.epsilon) < 0.9)
            self.block = ()


class Pending(NamedTuple):
    due: int
    arm: int
    reward: float


class DelayedCredit:
    # Rewards wait two rounds in a queue, then enter one sum, which is published once with b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.t = rng, epsilon, 0
        self.queue = deque()
        self.credit, self.arm = 0.0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.queue.append(Pending(self.t + 2, action, reward))
        while self.queue and self.queue[0].due <= self.t:
            self.credit += self.queue.popleft().reward
        self.t += 1
        if self.t % 4 == 0:
            self.arm = int(self.credit + self.rng.laplace(0, 1 / self.epsilon) < 1)
            self.credit = 0.0


class MedianOfBlock:
    # The median of three moves by at most 1, when the others are 0 and 1; published once, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.block, self.arm = rng, epsilon, [], 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.block.append(reward)
        if len(self.block) == 3:
            self.arm = int(np.median(self.block) + self.rng.laplace(0, 1 / self.epsilon) < 0.5)
            self.block = []


class BestOfBlock:
    # The largest of three moves by at most 1; published once, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.block, self.arm = rng, epsilon, [], 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.block.append(reward)
        if len(self.block) == 3:
            self.arm = int(max(self.block) + self.rng.laplace(0, 1 / self.epsilon) < 0.5)
            self.block = []


class TrimmedMean:
    # Of four sorted rewards the middle two are averaged: replacing one moves it by at most 1/2, b = 1 / (2 epsilon).
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.block, self.arm = rng, epsilon, [], 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.block.append(reward)
        if len(self.block) == 4:
            middle = sorted(self.block)[1:-1]
            self.arm = int(sum(middle) / 2 + self.rng.laplace(0, 1 / (2 * self.epsilon)) < 0.5)
            self.block = []
