"""Policies whose rewards come two rounds late: a private one, and broken twins."""

from __future__ import annotations

from privcheck.mechanisms import Laplace


class Noisy:
    """Private: moves by each reward, released once, when it arrives."""

    delay = 2
    spends = 1.0

    def __init__(self, rng, epsilon=1.0):
        self.rng, self.next = rng, 0
        self.noise = Laplace(sensitivity=1.0, epsilon=self.spends * epsilon)

    def select(self):
        return self.next

    def update(self, t, reward):
        self.next = self.moved(reward)

    def moved(self, reward):
        return int(self.noise.release(reward, self.rng) > 0.5)


class Raw(Noisy):
    """Broken twin: moves by the reward itself."""

    def moved(self, reward):
        return int(reward > 0.5)


class Overspends(Noisy):
    """Broken twin: a quarter of the noise."""

    spends = 4.0


class ReleasesAgain(Noisy):
    """Broken twin: while later rewards are awaited, it releases each one again with fresh noise."""

    def __init__(self, rng, epsilon=1.0):
        super().__init__(rng, epsilon)
        self.kept = 0.0

    def moved(self, reward):
        self.kept = self.kept + reward
        return int(self.noise.release(self.kept, self.rng) > 0.5)
