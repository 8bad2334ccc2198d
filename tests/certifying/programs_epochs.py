"""Private bandits with a schedule: doubling epochs, elimination, trees, blocks, restarts, budgets that are split.

Neighbours differ in one reward in [0, 1]. The comment below each class is its privacy argument; b is a noise scale.
"""

import math

import numpy as np

from privcheck.mechanisms import (
    BinaryTree,
    DiscreteLaplace,
    Gaussian,
    HybridTree,
    Laplace,
    NoisyMax,
)


class DoublingEpochs:
    # Epochs are disjoint; the sum of one is released once by the Laplace mechanism.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms = rng, arms
        self.noise = Laplace(sensitivity=1.0, epsilon=epsilon)
        self.mean = [math.inf] * arms
        self.length = [1] * arms
        self.start(0)

    def start(self, arm):
        self.arm, self.sum, self.left = arm, 0.0, self.length[arm]

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.sum += reward
        self.left -= 1
        if self.left == 0:
            self.mean[action] = self.noise.release(self.sum, self.rng) / self.length[action]
            self.length[action] *= 2
            self.start(max(range(self.arms), key=lambda a: self.mean[a]))


class SuccessiveElimination:
    # In each phase every active arm has new rewards; each sum is published once with b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.active = list(range(arms))
        self.phase = 1
        self.begin()

    def begin(self):
        self.schedule = [a for a in self.active for _ in range(self.phase)]
        self.sums = dict.fromkeys(self.active, 0.0)

    def select(self):
        return self.schedule[0]

    def update(self, action, reward):
        self.sums[action] += reward
        self.schedule.pop(0)
        if not self.schedule:
            means = {a: (s + self.rng.laplace(0, 1 / self.epsilon)) / self.phase for a, s in self.sums.items()}
            top = max(means.values())
            self.active = [a for a in self.active if means[a] >= top - 2 / math.sqrt(self.phase)]
            self.phase += 1
            self.begin()


class SequentialHalving:
    # As above; the better half by published sums stays, and rewards are never used again.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.alive = rng, epsilon, np.arange(arms)
        self.pulls, self.total = 0, [0.0] * arms

    def select(self):
        return int(self.alive[self.pulls % len(self.alive)])

    def update(self, action, reward):
        self.total[action] = self.total[action] + reward
        self.pulls += 1
        if self.pulls == 4:
            noisy = np.array([self.total[a] + self.rng.laplace(0, 1 / self.epsilon) for a in self.alive])
            keep = max(1, len(self.alive) // 2)
            self.alive = self.alive[np.argsort(-noisy)[:keep]]
            self.pulls, self.total = 0, [0.0] * len(self.total)


class TreeOfVectors:
    # The binary mechanism on vectors e_a r of L1 sensitivity 1: epsilon for all prefix sums.
    def __init__(self, rng, arms=2, epsilon=1.0, horizon=8):
        self.rng, self.arms = rng, arms
        self.stream = BinaryTree(horizon=horizon, sensitivity=1.0, epsilon=epsilon).start(rng)
        self.sums, self.counts = np.zeros(arms), np.zeros(arms)

    def select(self):
        if not self.counts.all():
            return int(self.counts.argmin())
        t = self.counts.sum()
        return int(np.argmax(self.sums / self.counts + np.sqrt(2 * np.log(t) / self.counts)))

    def update(self, action, reward):
        self.counts[action] += 1
        self.sums = self.stream.add(np.eye(self.arms)[action] * reward)


class HandMadeTree:
    # Binary counter of Chan, Shi and Song: a reward is in at most 4 of the 8 partial sums, each with b = 4 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0, horizon=8):
        self.rng = rng
        self.levels = int(math.log2(horizon)) + 1
        self.scale = self.levels / epsilon
        self.alpha = [0.0] * self.levels
        self.noisy_alpha = [0.0] * self.levels
        self.t, self.total = 0, 0.0

    def select(self):
        return int(self.total < self.t / 2)

    def update(self, action, reward):
        self.t += 1
        bits = [int(b) for b in reversed(format(self.t, "b"))]
        i = bits.index(1)
        self.alpha[i] = sum(self.alpha[:i]) + reward
        for j in range(i):
            self.alpha[j] = self.noisy_alpha[j] = 0.0
        self.noisy_alpha[i] = self.alpha[i] + self.rng.laplace(0, self.scale)
        self.total = sum(self.noisy_alpha[j] for j, bit in enumerate(bits) if bit)


class HybridCounter:
    # The hybrid mechanism: epsilon for all prefix sums.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.counter = HybridTree(sensitivity=1.0, epsilon=epsilon).start(rng)
        self.n, self.mean = 0, 1.0

    def select(self):
        return 0 if self.mean > 0.5 else 1

    def update(self, action, reward):
        self.n += 1
        self.mean = self.counter.add(reward) / self.n


class TwoScales:
    # A reward is in one block of two and in one of four; each sum has b = 2 / epsilon, so half the budget each.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.b, self.t = rng, 2 / epsilon, 0
        self.short = self.long = 0.0
        self.fast = self.slow = 1.0

    def select(self):
        return int(self.fast + self.slow < 1)

    def update(self, action, reward):
        self.t += 1
        self.short += reward
        self.long += reward
        if self.t % 2 == 0:
            self.fast, self.short = (self.short + self.rng.laplace(0, self.b)) / 2, 0.0
        if self.t % 4 == 0:
            self.slow, self.long = (self.long + self.rng.laplace(0, self.b)) / 4, 0.0


class ExploreThenCommit:
    # Explores six rounds; both sums are published once (b = 1 / epsilon), later rewards are not used.
    def __init__(self, rng, arms=2, epsilon=1.0, explore=6):
        self.rng, self.arms, self.epsilon, self.explore = rng, arms, epsilon, explore
        self.sums = [0.0 for _ in range(arms)]
        self.t, self.committed = 0, None

    def select(self):
        if self.committed is None:
            return self.t % self.arms
        return self.committed

    def update(self, action, reward):
        self.t += 1
        if self.t > self.explore:
            return
        self.sums[action] += reward
        if self.t == self.explore:
            noisy = [s + self.rng.laplace(scale=1 / self.epsilon) for s in self.sums]
            self.committed = noisy.index(max(noisy))


class EpsilonGreedy:
    # Explores by a public coin, exploits published means; a reward is in one of them, b = 1 / epsilon for its sum.
    def __init__(self, rng, arms=2, epsilon=1.0, explore=0.2):
        self.rng, self.arms, self.epsilon, self.explore = rng, arms, epsilon, explore
        self.q, self.sums, self.n = [0.5] * arms, [0.0] * arms, [0] * arms

    def select(self):
        if self.rng.random() < self.explore:
            return int(self.rng.integers(self.arms))
        return self.q.index(max(self.q))

    def update(self, action, reward):
        self.sums[action] += reward
        self.n[action] += 1
        if self.n[action] == 2:
            self.q[action] = (self.sums[action] + self.rng.laplace(0, 1 / self.epsilon)) / 2
            self.sums[action], self.n[action] = 0.0, 0


class NoisyMaxOfEpochs:
    # One of the scores moves by 1; epochs are disjoint: report noisy max with score range 1.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms = rng, arms
        self.choose = NoisyMax(score_range=1.0, epsilon=epsilon, noise="exponential")
        self.scores, self.t, self.arm = [0.0] * arms, 0, 0

    def select(self):
        return self.t % self.arms if self.t % 4 < 2 else self.arm

    def update(self, action, reward):
        self.scores[action] += reward
        self.t += 1
        if self.t % 4 == 2:
            self.arm = int(self.choose.release(np.stack(self.scores), self.rng))
            self.scores = [0.0] * self.arms


class DiscreteCounts:
    # A count of successes is an integer that moves by 1; discrete Laplace noise, once per block.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.noise = rng, DiscreteLaplace(sensitivity=1, epsilon=epsilon)
        self.successes, self.t, self.arm = 0, 0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.successes += (reward > 0.5) * 1
        self.t += 1
        if self.t % 4 == 0:
            self.arm = int(self.noise.release(self.successes, self.rng) < 2)
            self.successes = 0


class SplitBudget:
    # Half the budget for the winner (range 1), half for the total (b = 2 / epsilon); blocks are disjoint.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.winner = NoisyMax(score_range=1.0, epsilon=epsilon / 2)
        self.sums, self.t, self.arm, self.level = [0.0] * arms, 0, 0, 0.0

    def select(self):
        return self.arm if self.level >= 0 else self.t % self.arms

    def update(self, action, reward):
        self.sums[action] += reward
        self.t += 1
        if self.t % 4 == 0:
            self.arm = int(self.winner.release(np.stack(self.sums), self.rng))
            self.level = sum(self.sums) / 4 + self.rng.laplace(0, 2 / (4 * self.epsilon))
            self.sums = [0.0] * self.arms


class CountsItsBudget:
    # The running total is published at most four times, with a quarter of the budget each; the first rewards pay all.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.left, self.share = rng, epsilon, epsilon / 4
        self.total, self.t, self.mean = 0.0, 0, 1.0

    def select(self):
        return int(self.mean < 0.5)

    def update(self, action, reward):
        self.total += reward
        self.t += 1
        if self.t % 2 == 0 and self.left >= self.share - 1e-12:
            self.left -= self.share
            self.mean = (self.total + self.rng.laplace(0, 1 / self.share)) / self.t


class RestartsOnChange:
    # Restarts when published block means drift apart; a reward is in one block, b = 1 / (2 epsilon) for its mean.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.restart()

    def restart(self):
        self.means, self.pair, self.arm = [], [], 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.pair.append(reward)
        if len(self.pair) < 2:
            return
        self.means.append(sum(self.pair) / 2 + self.rng.laplace(0, 1 / (2 * self.epsilon)))
        self.pair = []
        self.arm = 1 - self.arm
        if max(self.means) - min(self.means) > 1.0:
            self.restart()


class PowersOfTwo:
    # Published at rounds 1, 2, 4, 8, each time only what came since: b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.t = rng, epsilon, 0
        self.fresh, self.published = 0.0, 0.0

    def select(self):
        return int(2 * self.published < self.t)

    def update(self, action, reward):
        self.t += 1
        self.fresh += reward
        if self.t & (self.t - 1) == 0:
            self.published += self.fresh + self.rng.laplace(0, 1 / self.epsilon)
            self.fresh = 0.0


class GaussianBlocks:
    # A block's sum moves by 1, published once with deviation 1 / sqrt(2 rho).
    def __init__(self, rng, arms=2, rho=0.5):
        self.rng, self.sigma = rng, 1 / math.sqrt(2 * rho)
        self.total, self.n, self.arm = 0.0, 0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.total += reward
        self.n += 1
        if self.n % 4 == 0:
            self.arm = int(self.total + self.rng.normal(0, self.sigma) < 2)
            self.total = 0.0


class GaussianVector:
    # Standard normal noise times 1 / sqrt(2 rho) on the vector of sums, which moves by 1 in L2, once per block.
    def __init__(self, rng, arms=2, rho=0.5):
        self.rng, self.arms, self.sigma = rng, arms, (2 * rho) ** -0.5
        self.state, self.t, self.arm = 0.0, 0, 0

    def select(self):
        return self.t % 2 if self.t % 4 < 2 else self.arm

    def update(self, action, reward):
        self.state = self.state + reward * np.eye(self.arms)[action]
        self.t += 1
        if self.t % 4 == 2:
            self.arm = int(np.argmax(self.state + self.sigma * self.rng.standard_normal(self.arms)))
            self.state = 0.0


class GaussianRunningSum:
    # Published four times, rho / 4 each: the first rewards pay rho.
    def __init__(self, rng, arms=2, rho=0.5):
        self.rng, self.total, self.t, self.value = rng, 0.0, 0, 0.0
        self.mechanism = Gaussian(sensitivity=1.0, mu=math.sqrt(2 * rho / 4))

    def select(self):
        return int(self.value < self.t / 2)

    def update(self, action, reward):
        self.t += 1
        self.total += reward
        if self.t <= 8 and self.t % 2 == 0:
            self.value = self.mechanism.release(self.total, self.rng)


class GaussianThompson:
    # Posterior draws from published sums (deviation 1 / sqrt(2 rho), each reward once) are post-processing.
    def __init__(self, rng, arms=2, rho=0.5):
        self.rng, self.sigma, self.t = rng, 1 / np.sqrt(2 * rho), 0
        self.mean, self.weight, self.new = np.zeros(arms), np.ones(arms), [0.0] * arms

    def select(self):
        return int(np.argmax(self.rng.normal(self.mean, 1 / np.sqrt(self.weight))))

    def update(self, action, reward):
        self.new[action] += reward
        self.weight[action] += 1
        self.t += 1
        if self.t % 3 == 0:
            for a, total in enumerate(self.new):
                self.mean[a] += (total + self.rng.normal(scale=self.sigma)) / self.weight[a]
            self.new = [0.0] * len(self.new)
