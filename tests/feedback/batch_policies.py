"""Policies that choose the arms of four rounds at once: a private one, and broken twins."""

from __future__ import annotations

from privcheck.mechanisms import Laplace


class Noisy:
    """Private: moves by a noisy sum of a batch's rewards; each batch is released once, so each round pays once."""

    batch = 4
    sensitivity = 1.0

    def __init__(self, rng, epsilon=1.0):
        self.rng, self.next = rng, 0
        self.noise = Laplace(sensitivity=self.sensitivity, epsilon=epsilon)

    def act(self, n):
        return [self.next] * n

    def learn(self, actions, rewards):
        self.next = self.moved(rewards.sum(), len(actions))

    def moved(self, total, n):
        return int(self.noise.release(total, self.rng) > n / 2)


class Raw(Noisy):
    """Broken twin: moves by the sum itself."""

    def moved(self, total, n):
        return int(total > n / 2)


class TakesTheSumForAMean(Noisy):
    """Broken twin: noise for a mean of four rewards, on their sum."""

    sensitivity = 0.25


class ReadsLater(Noisy):
    """Broken twin: reads a raw reward in a line that no short run reaches."""

    def learn(self, actions, rewards):
        super().learn(actions, rewards)
        self.batches = getattr(self, "batches", 0) + 1
        if self.batches > 1000:
            self.next = int(rewards[0] > 0.5)
