"""Sums of outer products that are published with symmetric noise, written in several ways; some are broken."""

from __future__ import annotations

import numpy as np

import privcheck


class Base:
    """Publishes the sum of the outer products of two rounds, and plays by it."""

    def __init__(self, rng, arms=2, features=2, sigma=10.0):
        self.rng, self.features, self.sigma, self.round = rng, features, sigma, 0
        self.sums, self.published = privcheck.zeros((features, features)), np.zeros((features, features))

    def select(self, context):
        return int(np.argmax(context @ self.published[-1]))

    def update(self, context, action, reward):
        self.round += 1
        self.sums += np.outer(context[action], context[action])
        if self.round % 2 == 0:
            noise = self.rng.normal(0.0, self.sigma, (self.features, self.features))
            self.published = self.published + (self.sums + self.mirrored(noise))
            self.sums = privcheck.zeros((self.features, self.features))


class Averaged(Base):
    def mirrored(self, noise):
        return (noise + noise.T) / np.sqrt(2)


class Upper(Base):
    def mirrored(self, noise):
        return np.triu(noise) + np.triu(noise, 1).T


class Assigned(Base):
    def mirrored(self, noise):
        for i in range(self.features):
            for j in range(i):
                noise[i, j] = noise[j, i]
        return noise


class Indexed(Base):
    def mirrored(self, noise):
        lower = np.tril_indices(self.features, -1)
        noise[lower] = noise.T[lower]
        return noise


class WeakDiagonal(Upper):
    """Half of the noise on the diagonal costs twice as much there."""

    def mirrored(self, noise):
        return super().mirrored(noise) - np.diag(np.diag(noise)) / 2.0


class StrongDiagonal(Upper):
    def mirrored(self, noise):
        return super().mirrored(noise) + np.diag(np.diag(noise))


class NotMirrored(Base):
    """Nothing hides the numbers below the diagonal, which are those above it."""

    def mirrored(self, noise):
        return np.triu(noise)


class TwiceBelow(Base):
    """The difference of the two triangles is the noise, and tells the exact number."""

    def mirrored(self, noise):
        return np.triu(noise) + 2.0 * np.triu(noise, 1).T


class MirroredElsewhere(Base):
    """The noise below the diagonal is that of the first entry."""

    def mirrored(self, noise):
        return np.triu(noise) + np.tril(np.full_like(noise, noise[0, 0]), -1)


class OtherSums(Upper):
    """The noise is symmetric, but the sums are not."""

    def update(self, context, action, reward):
        self.sums += np.outer(context[action], context[0])
        super().update(context, action, reward)


class NotAlways(Upper):
    """By a coin the sums are not symmetric any more from round 3 on, and are published so in round 4."""

    def update(self, context, action, reward):
        if self.round == 2 and self.rng.random() < 0.5:
            self.sums += np.outer(context[action], context[0])
        super().update(context, action, reward)
