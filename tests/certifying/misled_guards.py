"""Policies whose releases cost more than a guard charges that is told a tenth of every sensitivity."""

from __future__ import annotations

from privcheck.mechanisms import Gaussian, Laplace


class OneRelease:
    """Releases the first reward once and plays arm 1 from then on if it is above one half."""

    noise = Gaussian.with_scale(0.3)

    def __init__(self, rng):
        self.rng, self.arm, self.told = rng, 0, False

    def select(self):
        return self.arm

    def update(self, action, reward):
        if not self.told:
            self.arm, self.told = int(self.noise.release(reward, self.rng) > 0.5), True


class WithLaplace(OneRelease):
    """For pure budgets."""

    noise = Laplace.with_scale(0.3)


class TooLittleForDelta(OneRelease):
    """A tenth of its sensitivity fits epsilon = 1 at delta = 1e-6."""

    noise = Gaussian.with_scale(0.5)


class EnoughNoise(OneRelease):
    """The correct one: within mu = 0.5, and so within rho = 0.125."""

    noise = Gaussian.with_scale(2.1)


class EnoughForDelta(OneRelease):
    """The correct one: within epsilon = 1 at delta = 1e-6."""

    noise = Gaussian.with_scale(4.5)


class EnoughLaplace(OneRelease):
    """The correct one: within epsilon = 1."""

    noise = Laplace.with_scale(1.01)
