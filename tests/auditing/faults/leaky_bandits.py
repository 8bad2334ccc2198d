"""Bandits with a fault at the line marked with the name of its class, beside readings that do no harm."""

import numpy as np


class Base:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.t, self.arm, self.total, self.wins, self.done = 0, 0, 0.0, 0, False
        self.sums, self.seen = np.zeros(arms), []

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.learn(action, reward)


class OrdinaryArray(Base):
    """Numpy's arrays, as most code has them."""

    def select(self):
        return int(np.argmax(self.sums + self.rng.laplace(0, 1 / self.epsilon, self.arms)))  # OrdinaryArray

    def learn(self, action, reward):
        self.sums[action] += reward


class Explores(OrdinaryArray):
    """Raw scores behind exploration."""

    def select(self):
        if self.rng.random() < 0.1:
            return int(self.rng.integers(self.arms))
        return int(np.argmax(self.sums))  # Explores


class ReadsTwice(Base):
    """Counts wins, which get noise before they are used, and stops on a raw sum."""

    def learn(self, action, reward):
        if reward > 0.5:
            self.wins += 1
        self.total += reward
        if self.t == 4:
            self.arm = int(self.wins + self.rng.laplace(0, 1 / self.epsilon) > 2)
        self.done = self.done or self.total > 3.5  # ReadsTwice
        if self.done:
            self.arm = 1 - self.arm


class Remembers(Base):
    """A raw argument of max, after rewards were written into a list as floats of another name."""

    def learn(self, action, reward):
        self.seen.append(reward)
        self.arm = int(max(self.seen[-2:]) > 0.5)  # Remembers


class OwnGenerator(Base):
    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.noise = np.random.default_rng(3)

    def learn(self, action, reward):
        noisy = reward + self.noise.laplace(0, 0.2)
        self.arm = int(noisy > 0.5)  # OwnGenerator


class CountsWins(Base):
    """The choice by one reward does no harm, and the noise that is too small is added to what has become of it."""

    def learn(self, action, reward):
        if reward > 0.5:
            self.wins += 1
        if self.t == 4:
            self.arm = int(self.wins + self.rng.laplace(0, 0.3 / self.epsilon) > 2)  # CountsWins


class ListOfArrays(Base):
    """A binary tree whose nodes are kept in arrays of a list; each has the noise of the whole budget."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.nodes = [np.zeros(5) for _ in range(arms)]
        self.noisy = [np.zeros(5) for _ in range(arms)]
        self.pulls = np.zeros(arms, int)

    def learn(self, action, reward):
        self.pulls[action] += 1
        count = int(self.pulls[action])
        level, carried = (count & -count).bit_length() - 1, reward
        for below in range(level):
            carried = carried + self.nodes[action][below]
            self.nodes[action][below] = self.noisy[action][below] = 0.0
        self.nodes[action][level] = carried
        self.noisy[action][level] = carried + self.rng.laplace(0, 1 / self.epsilon)  # ListOfArrays
        self.arm = int(np.argmax([noisy.sum() for noisy in self.noisy]))


# Nothing can be named


class LooksUpWins(Base):
    """The reading does no harm, and the noise that is too small is added to what has become of it."""

    def learn(self, action, reward):
        self.wins += {0.0: 0, 1.0: 1}[float(reward)]
        if self.t == 4:
            self.arm = int(self.wins + self.rng.laplace(0, 0.3 / self.epsilon) > 2)


class Responds(Base):
    """Correct randomised response: the raw bit is read, and a coin hides it."""

    def learn(self, action, reward):
        if self.t == 1:
            bit = int(reward > 0.5)
            self.arm = bit if self.rng.random() < np.e / (1 + np.e) else 1 - bit


class Exponential(Base):
    """The exponential mechanism by `choice`."""

    def learn(self, action, reward):
        self.seen.append((action, reward))
        if self.t == 4:
            sums = np.array([sum(r for a, r in self.seen if a == arm) for arm in range(self.arms)])
            weights = np.exp(0.5 * sums)
            self.arm = int(self.rng.choice(self.arms, p=weights / weights.sum()))


class GumbelWinner(Base):
    """Reads the noisy score of the winner, whose noise is no Laplace noise and was spent on the choice."""

    def learn(self, action, reward):
        self.sums = self.sums + np.eye(self.arms)[action] * reward
        scores = self.sums + self.rng.gumbel(0, 2 / self.epsilon, self.arms)
        best = np.argmax(scores)
        self.arm = int(scores[best] > self.t / 2)  # GumbelWinner


class Rounds(Base):
    """A function of the raw total, and no comparison."""

    def learn(self, action, reward):
        self.total += reward
        self.arm = round(self.total) % self.arms  # Rounds


class LinearMemory(Base):
    """Keeps the context that it was shown, for a later choice."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.last = np.zeros(3)

    def select(self, context):
        arm = int(np.argmax(context @ self.last))
        self.last = context[0]  # LinearMemory
        return arm

    def update(self, context, action, reward):
        self.t += 1


class OwnTree(Base):
    """The prefixes of a binary tree, each summed up from the raw total and the noise of its nodes."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.noise = [0.0] * 5

    def learn(self, action, reward):
        self.total += reward
        level = (self.t & -self.t).bit_length() - 1
        self.noise[:level] = [0.0] * level
        self.noise[level] = self.rng.laplace(0, 5 / self.epsilon)
        self.arm = int(self.total + sum(self.noise) > self.t / 2)


class RejectsNoise(Base):
    """Draws until the noise is positive: with masking noise the loop ends, with a limit on the noise it would not."""

    def learn(self, action, reward):
        noise = self.rng.laplace(0, 1 / self.epsilon)
        while not 0 < noise < 1e3:
            noise = self.rng.laplace(0, 1 / self.epsilon)
        self.arm = int(noise > 0.5)


class Fails(Base):
    def learn(self, action, reward):
        if type(reward) is not float:
            raise RuntimeError("not a float")
        self.arm = int(reward > 0.5)
