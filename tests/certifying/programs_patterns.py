"""Private learners with decorators, operators and callables, and with other kinds of feedback than bandit feedback.

Neighbours differ in one reward in [0, 1] unless a comment says otherwise; b is a noise scale.
"""

# ruff: noqa: B905, RUF012  as people write it

import contextlib
import functools
import itertools
import math

import numpy as np

import privcheck
from privcheck.mechanisms import ExponentialMechanism, Laplace, NoisyMax, PermuteAndFlip


def every(n):
    """Call a method after each n-th call of the decorated one."""

    def decorate(method):
        @functools.wraps(method)
        def wrapper(self, action, reward):
            method(self, action, reward)
            self.calls += 1
            if self.calls % n == 0:
                self.publish()

        return wrapper

    return decorate


class Decorated:
    # The decorator publishes the sum of three once, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.calls, self.total, self.arm = rng, epsilon, 0, 0.0, 0

    def select(self):
        return self.arm

    @every(3)
    def update(self, action, reward):
        self.total += reward

    def publish(self):
        self.arm, self.total = int(self.total + self.rng.laplace(0, 1 / self.epsilon) < 1.5), 0.0


class ContextManager:
    # Leaving the block of two publishes its sum once, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.batch, self.arm = rng, epsilon, [], 0

    @contextlib.contextmanager
    def collecting(self):
        yield self.batch
        if len(self.batch) == 2:
            self.arm = int(sum(self.batch) + self.rng.laplace(0, 1 / self.epsilon) < 1)
            self.batch = []

    def select(self):
        return self.arm

    def update(self, action, reward):
        with self.collecting() as batch:
            batch.append(reward)


class NoisyTotal:
    """A running total with += and a call that publishes it."""

    def __init__(self, rng, b):
        self.rng, self.b, self.total, self.n = rng, b, 0.0, 0

    def __iadd__(self, reward):
        self.total += reward
        self.n += 1
        return self

    def __len__(self):
        return self.n

    def __call__(self):
        noisy = self.total + self.rng.laplace(0, self.b)
        self.total, self.n = 0.0, 0
        return noisy


class Operators:
    # Each total is published by its call once with b = 1 / epsilon, and starts anew.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.totals = [NoisyTotal(rng, 1 / epsilon) for _ in range(arms)]
        self.means = [1.0] * arms

    def select(self):
        return max(enumerate(self.means), key=lambda pair: pair[1])[0]

    def update(self, action, reward):
        self.totals[action] += reward
        if len(self.totals[action]) == 2:
            self.means[action] = self.totals[action]() / 2


class DispatchTable:
    # Lambdas by phase; the sum of two is published once, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.noise = functools.partial(rng.laplace, 0, 1 / epsilon)
        self.t, self.total, self.arm = 0, 0.0, 0
        self.phases = {0: self.collect, 1: self.collect, 2: lambda reward: self.publish()}

    def collect(self, reward):
        self.total += reward

    def publish(self):
        self.arm, self.total = int(self.total + self.noise() < 1), 0.0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.phases[self.t % 3](reward)
        self.t += 1


class CyclesArms:
    # itertools.cycle gives the order; the sums of a cycle of four are published once, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.order = itertools.cycle(range(arms))
        self.sums, self.n, self.ahead = [0.0] * arms, 0, None

    def select(self):
        return next(self.order) if self.n < 4 else self.ahead

    def update(self, action, reward):
        if self.n < 4:
            self.sums[action] += reward
        self.n += 1
        if self.n == 4:
            self.ahead = int(np.argmax([s + self.rng.laplace(0, 1 / self.epsilon) for s in self.sums]))
        elif self.n == 6:
            self.sums, self.n = [0.0] * self.arms, 0


class ChecksItsInput:
    # The check of the range is passed by every reward in [0, 1]; each is published once, b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.q = rng, epsilon, [0.0] * arms

    def select(self):
        return self.q.index(max(self.q))

    def update(self, action, reward):
        if not 0.0 <= reward <= 1.0:
            raise ValueError("rewards are in [0, 1]")
        if action not in range(len(self.q)):
            raise IndexError(action)
        self.q[action] += 0.2 * (reward + self.rng.laplace(0, 1 / self.epsilon) - self.q[action])


class MeansOfWhatThereIs:
    # The mean of the pulls of a block of four; an arm without pulls divides by zero, which counts alone decide.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.t = rng, epsilon, 0
        self.sums, self.counts, self.means = [0.0] * arms, [0] * arms, [0.5] * arms

    def select(self):
        return self.means.index(max(self.means))

    def update(self, action, reward):
        self.sums[action] += reward
        self.counts[action] += 1
        self.t += 1
        if self.t % 4 == 0:
            for a, n in enumerate(self.counts):
                try:
                    self.means[a] = self.sums[a] / n + self.rng.laplace(0, 1 / (n * self.epsilon))
                except ZeroDivisionError:
                    self.means[a] = 0.5
            self.sums, self.counts = [0.0] * len(self.sums), [0] * len(self.counts)


class FollowTheNoisyLeader:
    # Full information: one entry of the row changes; blocks of two rows, one score moves by 1.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.t, self.leader = rng, arms, 0, 0
        self.mechanism = NoisyMax(score_range=1.0, epsilon=epsilon)
        self.scores = np.zeros(arms)

    def select(self):
        return self.leader

    def update(self, action, rewards):
        self.scores = self.scores + rewards
        self.t += 1
        if self.t % 2 == 0:
            self.leader = int(self.mechanism.release(self.scores, self.rng))
            self.scores = np.zeros(self.arms)


class Hedge:
    # Full information: the row is published once, one entry changes, b = 1 / epsilon; weights are post-processing.
    def __init__(self, rng, arms=2, epsilon=1.0, eta=0.3):
        self.rng, self.arms, self.epsilon, self.eta = rng, arms, epsilon, eta
        self.log_weights = np.zeros(arms)

    def select(self):
        w = np.exp(self.log_weights - self.log_weights.max())
        return int(self.rng.choice(self.arms, p=w / w.sum()))

    def update(self, action, rewards):
        self.log_weights += self.eta * (rewards + self.rng.laplace(0, 1 / self.epsilon, self.arms))


class HedgeInPlace:
    # As above, with += into an array of zeros, published every two rounds.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.gains, self.public, self.t = np.zeros(arms), np.zeros(arms), 0

    def select(self):
        return int(self.public.argmax())

    def update(self, action, rewards):
        self.gains += rewards
        self.t += 1
        if self.t % 2 == 0:
            self.public += self.gains + self.rng.laplace(0, 1 / self.epsilon, self.arms)
            self.gains = np.zeros(self.arms)


class BatchLearner:
    # Batches of two: the sum moves by 1 and is published once, b = 1 / epsilon.
    batch = 2

    def __init__(self, rng, epsilon=1.0):
        self.rng, self.epsilon, self.arm = rng, epsilon, 0

    def act(self, n):
        return [self.arm] * n

    def learn(self, actions, rewards):
        self.arm = int(np.mean(rewards) + self.rng.laplace(0, 1 / (len(actions) * self.epsilon)) < 0.5)


class BatchesPerArm:
    # Batches of four, half for each arm: a reward is in one sum, b = 1 / epsilon.
    batch = [4]

    def __init__(self, rng, epsilon=1.0):
        self.rng, self.epsilon, self.share = rng, epsilon, 2

    def act(self, n):
        return [0] * self.share + [1] * (n - self.share)

    def learn(self, actions, rewards):
        sums = {a: sum(r for x, r in zip(actions, rewards) if x == a) for a in set(actions)}
        noisy = {a: s + self.rng.laplace(0, 1 / self.epsilon) for a, s in sums.items()}
        self.share = 3 if noisy.get(0, 0) > noisy.get(1, 0) else 1


class ClustersOfContexts:
    # Joint privacy of a round's context and reward: the sums of arms, one_hot(a) r, move by at most 2 in L1.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.noise = rng, arms, Laplace(sensitivity=2.0, epsilon=epsilon)
        self.sums, self.published, self.t = privcheck.zeros(arms), np.zeros(arms), 0

    def select(self, context):
        return int(np.argmax(context @ np.array([1.0, 0.5]) + self.published))

    def update(self, context, action, reward):
        self.t += 1
        self.sums += privcheck.one_hot(action, self.arms) * reward
        if self.t % 4 == 0:
            self.published = self.published + self.noise.release(self.sums, self.rng) / 4
            self.sums = privcheck.zeros(self.arms)


class PerArmContextualSums:
    # The same as people write it: the reward is added at the index of the arm, which is private here.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.sums, self.theta, self.t = np.zeros(arms), np.zeros(arms), 0

    def select(self, context):
        return int(np.argmax(context.sum(axis=1) + self.theta))

    def update(self, context, action, reward):
        self.sums[action] += reward
        self.t += 1
        if self.t % 4 == 0:
            self.theta = self.sums + self.rng.laplace(0, 2 / self.epsilon, self.sums.shape)
            self.sums = np.zeros(len(self.sums))


class LinearTarget:
    # r x, |x| at most 1, moves by at most 2 in L2 and 2 sqrt(2) in L1: the noise of a block has that scale / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.b, self.t = rng, 2 * math.sqrt(2) / epsilon, 0
        self.target, self.theta = privcheck.zeros(2), np.zeros(2)

    def select(self, context):
        return int(np.argmax(context @ self.theta))

    def update(self, context, action, reward):
        self.t += 1
        self.target += reward * context[action]
        if self.t % 4 == 0:
            self.theta = self.theta + self.target + self.rng.laplace(0, self.b, 2)
            self.target = privcheck.zeros(2)


class TwoVisits:
    # A person gives two rewards: both change, and both may be in the sum of a block: it moves by 2, b = 2 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.total, self.t, self.arm = rng, epsilon, 0.0, 0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.total += reward
        self.t += 1
        if self.t % 4 == 0:
            self.arm = int(self.total + self.rng.laplace(0, 2 / self.epsilon) < 2)
            self.total = 0.0


class ExponentialChoice:
    # The exponential mechanism with score range 1 on the sums of disjoint blocks.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.t, self.arm = rng, arms, 0, 0
        self.mechanism = ExponentialMechanism(score_range=1.0, epsilon=epsilon)
        self.scores = [0.0] * arms

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.scores[action] += reward
        self.t += 1
        if self.t % 3 == 0:
            self.arm = self.mechanism.release(np.array(self.scores), self.rng)
            self.scores = [0.0] * self.arms


class PermutedChoice:
    # Permute and flip with score range 1 on the sums of disjoint blocks.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.t, self.arm = rng, arms, 0, 0
        self.flip = PermuteAndFlip(score_range=1.0, epsilon=epsilon)
        self.scores = [0.0] * arms

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.scores[action] += reward
        self.t += 1
        if self.t in (2, 4, 8, 16):
            self.arm = self.flip.release(np.stack(self.scores), self.rng)
            self.scores = [0.0] * self.arms
