"""Policies that are told a reward one round late: a private one, and two broken twins."""

from __future__ import annotations

from privcheck.mechanisms import Laplace


class Noisy:
    """Private: moves on by a noisy first reward, which it gets in round 2."""

    spends = 1.0

    def __init__(self, rng, epsilon=1.0):
        self.rng, self.next, self.told, self.chosen = rng, 0, 0, 0
        self.noise = Laplace(sensitivity=1.0, epsilon=self.spends * epsilon)

    def select(self):
        assert self.told == self.chosen, "the reward of the round before has to come first"
        self.chosen += 1
        return self.next

    def update(self, action, reward):
        self.told += 1
        if self.told == 1:
            self.next = self.moved(reward)

    def moved(self, reward):
        return int(self.noise.release(reward, self.rng) > 0.5)


class Raw(Noisy):
    """Broken twin: moves on by the reward itself."""

    def moved(self, reward):
        return int(reward > 0.5)


class Overspends(Noisy):
    """Broken twin: a third of the noise."""

    spends = 3.0
