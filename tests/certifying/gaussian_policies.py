"""Policies that release with Gaussian noise, for certificates in several currencies."""

from __future__ import annotations

from privcheck.mechanisms import Gaussian, Laplace


class Batches:
    """Releases the sum of every four rewards once; plays arm 1 if it is above 2."""

    scale = 4.25

    def __init__(self, rng):
        self.rng, self.noise = rng, Gaussian.with_scale(self.scale)
        self.total, self.rounds, self.released = 0.0, 0, 0.0

    def select(self):
        return int(self.released > 2.0)

    def update(self, action, reward):
        self.total, self.rounds = self.total + reward, self.rounds + 1
        if self.rounds % 4 == 0:
            self.released = self.noise.release(self.total, self.rng)
            self.total = 0.0


class TooLittleNoise(Batches):
    """The broken twin: a fifteenth of the noise that epsilon = 1 at delta = 1e-6 needs."""

    scale = 0.28


class Windows(Batches):
    """Releases the sum of the last four rewards after every second round, so that each is released twice."""

    scale = 6.0

    def __init__(self, rng):
        super().__init__(rng)
        self.pairs = [0.0, 0.0]

    def update(self, action, reward):
        self.pairs[1], self.rounds = self.pairs[1] + reward, self.rounds + 1
        if self.rounds % 2 == 0:
            self.released = self.noise.release(self.pairs[0] + self.pairs[1], self.rng)
            self.pairs = [self.pairs[1], 0.0]


class Named(Batches):
    """Is told its budget, in whatever notion."""

    def __init__(self, rng, epsilon=None, delta=None, rho=None, mu=None):
        super().__init__(rng)
        self.told = {"epsilon": epsilon, "delta": delta, "rho": rho, "mu": mu}


class Coins(Batches):
    """Releases every reward with Laplace noise and, in batches, with Gaussian noise."""

    def __init__(self, rng):
        super().__init__(rng)
        self.each = Laplace(sensitivity=1.0, epsilon=0.125)

    def update(self, action, reward):
        super().update(action, reward)
        self.released += self.each.release(reward, self.rng)
