"""Leaky bandits and correct ones whose random numbers come from elsewhere than their Generator.

A line that may be named is marked with the name of its class.
"""

# ruff: noqa: NPY002

import functools
import random
import secrets

import numpy as np
from numpy.random import laplace as from_import
from scipy import stats

MODULE = np.random.default_rng(5)


class Base:
    """Plays the noisy leader in every round; `noise` says where its noise comes from."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.sums, self.t = np.zeros(arms), 0

    def update(self, action, reward):
        self.t += 1
        self.sums[action] += reward

    def noise(self, scale):
        return np.array([self.draw(scale) for _ in range(self.arms)])


class Listed(Base):
    """The same with sums in a list, whose entries keep what they are."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.sums = [0.0] * arms


def inverted(uniform, scale):
    """Return Laplace noise by inversion."""
    return -scale * np.sign(uniform - 0.5) * np.log(1.0 - 2.0 * abs(uniform - 0.5))


# Noise of the global generators


class OfNumpy(Base):
    def select(self):
        return int(np.argmax(self.sums + np.random.laplace(0, 1 / self.epsilon, self.arms)))  # OfNumpy


class FromImport(Base):
    def select(self):
        return int(np.argmax(self.sums + from_import(0, 1 / self.epsilon, self.arms)))  # FromImport


class OfALibrary(Base):
    def select(self):
        noisy = self.sums + self.library(1 / self.epsilon)  # OfALibrary
        return int(np.argmax(noisy))

    def library(self, scale):
        return scale * (np.random.exponential(size=self.arms) - np.random.exponential(size=self.arms))


class InAList(Listed):
    def select(self):
        noisy = [s + np.random.laplace(0, 1 / self.epsilon) for s in self.sums]  # InAList
        return noisy.index(max(noisy))


class Randn(Listed):
    def select(self):
        noisy = [s + 2 * np.random.randn() for s in self.sums]  # Randn
        return noisy.index(max(noisy))


class Gauss(Listed):
    def select(self):
        noisy = [s + random.gauss(0, 1 / self.epsilon) for s in self.sums]  # Gauss
        return noisy.index(max(noisy))


class Gumbel(Base):
    def select(self):
        return int(np.argmax(self.sums + np.random.gumbel(0, 1 / self.epsilon, self.arms)))  # Gumbel


class SeedsGlobally(Base):
    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        np.random.seed(42)  # SeedsGlobally

    def select(self):
        return int(np.argmax(self.sums + np.random.laplace(0, 1 / self.epsilon, self.arms)))


class SeedsFromItsGenerator(Base):
    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        np.random.seed(rng.integers(2**31))

    def select(self):
        return int(np.argmax(self.sums + np.random.laplace(0, 1 / self.epsilon, self.arms)))  # SeedsFromItsGenerator


class RawBesideNoise(Listed):
    """Decides on a raw sum, and draws noise for something else."""

    def select(self):
        if sum(self.sums) > 2.5:  # RawBesideNoise
            return 1
        return int(np.random.laplace(0, 1) > 3)


class ExploresGlobally(Listed):
    def select(self):
        if random.random() < 0.1:
            return random.randrange(self.arms)
        return self.sums.index(min(self.sums))  # ExploresGlobally


class OwnState(Base):
    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.state = np.random.RandomState(7)

    def select(self):
        noise = self.state.laplace(0, 1 / self.epsilon, self.arms)
        return int(np.argmax(self.sums + noise))  # OwnState


# Noise that is not followed: the score is noised, so no line is named


class Unfollowed(Base):
    def select(self):
        return int(np.argmax(self.sums + self.noise(1 / self.epsilon)))


class UnfollowedInAList(Listed):
    def select(self):
        noisy = [s + self.draw(1 / self.epsilon) for s in self.sums]
        return noisy.index(max(noisy))


class Scipy(Unfollowed):
    def draw(self, scale):
        return stats.laplace.rvs(scale=scale)


class ScipyInAList(UnfollowedInAList):
    draw = Scipy.draw


class Inversion(Unfollowed):
    def draw(self, scale):
        return inverted(np.random.uniform(), scale)


class InversionInAList(UnfollowedInAList):
    draw = Inversion.draw


class InversionOfPython(UnfollowedInAList):
    def draw(self, scale):
        return inverted(random.random(), scale)


class InversionOfTheGenerator(Unfollowed):
    def draw(self, scale):
        return inverted(self.rng.random(), scale)


class InversionInAListOfTheGenerator(UnfollowedInAList):
    draw = InversionOfTheGenerator.draw


class StudentNoise(UnfollowedInAList):
    def draw(self, scale):
        return scale * np.random.standard_t(3)


class UnseededState(Unfollowed):
    def draw(self, scale):
        return np.random.RandomState().laplace(0, scale)


class UnseededGenerator(UnfollowedInAList):
    def draw(self, scale):
        return np.random.default_rng().laplace(0, scale)


class UnseededOfPython(UnfollowedInAList):
    def draw(self, scale):
        return random.Random().gauss(0, scale)


class DerivedState(Unfollowed):
    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.state = np.random.RandomState(rng.integers(2**31))

    def draw(self, scale):
        return self.state.laplace(0, scale)


class DerivedGenerator(UnfollowedInAList):
    def draw(self, scale):
        return self.rng.spawn(1)[0].laplace(0, scale)


class Secrets(UnfollowedInAList):
    def draw(self, scale):
        return inverted(secrets.SystemRandom().random(), scale)


class OfTheModule(Unfollowed):
    def draw(self, scale):
        return MODULE.laplace(0, scale)


class Singleton(Unfollowed):
    def draw(self, scale):
        return np.random.mtrand._rand.laplace(0, scale)


class Partial(Unfollowed):
    draw = staticmethod(functools.partial(np.random.laplace, 0))


class DefaultArgument(UnfollowedInAList):
    def draw(self, scale, function=np.random.laplace):
        return function(0, scale)


class FaintSecrets(UnfollowedInAList):
    """Noise that changes no action on most streams."""

    def draw(self, scale):
        return Secrets.draw(self, 1e-3 * scale)


class FaintOfTheModule(Unfollowed):
    def draw(self, scale):
        return MODULE.laplace(0, 1e-3 * scale)


class FaintDerived(DerivedState):
    def draw(self, scale):
        return self.state.laplace(0, 1e-3 * scale)


class FaintInversion(UnfollowedInAList):
    def draw(self, scale):
        return Inversion.draw(self, 1e-3 * scale)


class FaintScipy(Unfollowed):
    def draw(self, scale):
        return Scipy.draw(self, 1e-3 * scale)


class WholeBeforeNoise(Listed):
    """Reads a whole number of the raw sum, and adds noise to that."""

    def select(self):
        noisy = [int(s) + stats.laplace.rvs(scale=1 / self.epsilon) for s in self.sums]
        return noisy.index(max(noisy))


class OpenDP(Listed):
    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        import opendp.prelude as dp

        dp.enable_features("contrib")
        domain, metric = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
        self.measure = dp.m.make_laplace(domain, metric, scale=1 / epsilon)

    def select(self):
        noisy = [self.measure(float(s)) for s in self.sums]
        return noisy.index(max(noisy))


class OpenDPOfWholes(OpenDP):
    def select(self):
        noisy = [self.measure(float(int(s))) for s in self.sums]
        return noisy.index(max(noisy))


# Correct


class Once(Listed):
    """Releases the sums once, after four rounds."""

    best = 0

    def select(self):
        if self.t == 4:
            noisy = [s + self.draw(2 / self.epsilon) for s in self.sums]
            self.best = noisy.index(max(noisy))
        return self.best


class OnceOfNumpy(Once):
    def draw(self, scale):
        return np.random.laplace(0, scale)


class OnceByScipy(Once):
    draw = Scipy.draw


class OnceByInversion(Once):
    draw = Inversion.draw


class OnceBySecrets(Once):
    draw = Secrets.draw


class OnceOfTheModule(Once):
    draw = OfTheModule.draw


class OnceInAnArray(Base):
    best = 0

    def select(self):
        if self.t == 4:
            self.best = int(np.argmax(self.sums + np.random.laplace(0, 2 / self.epsilon, self.arms)))
        return self.best


class Responds(Base):
    """Correct randomised response with a global coin."""

    best = 0

    def select(self):
        return self.best

    def update(self, action, reward):
        self.t += 1
        if self.t == 1:
            bit = int(reward > 0.5)
            self.best = bit if random.random() < np.e / (1 + np.e) else 1 - bit
