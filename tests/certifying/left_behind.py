"""Policies that leave something behind for the next policy of the process: data, released numbers, public things."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import ClassVar
from weakref import WeakSet

from privcheck.mechanisms import Laplace

SEEN: dict[int, object] = {}
NOISY: list[object] = []
PUBLIC: dict[int, float] = {}


class Noisy:
    """Releases each reward with noise and plays by it; classes derived from it leave something behind."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.scale, self.t, self.arm = rng, 1.0 / epsilon, 0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.play(reward, reward + self.rng.laplace(0.0, self.scale))

    def play(self, reward, noisy):
        self.arm = int(noisy > 0.5)


class Warm(Noisy):
    """A new policy goes on from the last sum of rewards of the policy before it."""

    warm = 0.0

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.total = type(self).warm

    def update(self, action, reward):
        self.total += reward
        self.t += 1
        if self.t % 4 == 0:
            self.keep(self.total + self.rng.laplace(0.0, self.scale))
            self.total = 0.0

    def keep(self, noisy):
        self.arm = int(noisy > 2)
        type(self).warm = self.total


class WarmNoisy(Warm):
    def keep(self, noisy):
        self.arm = int(noisy > 2)
        type(self).warm = noisy


class WarmReleased(Warm):
    def keep(self, noisy):
        type(self).warm = float(noisy)
        self.arm = int(self.warm > 2)


class OfClass(Noisy):
    seen: ClassVar[dict[int, object]] = {}

    def play(self, reward, noisy):
        old = self.seen.get(self.t, 0.0)
        self.seen[self.t] = reward
        self.arm = int(noisy + old > 0.5)


class OfModule(Noisy):
    def play(self, reward, noisy):
        old = SEEN.get(self.t, 0.0)
        SEEN[self.t] = reward
        self.arm = int(noisy + old > 0.5)


def remembered(t, reward, seen={}):  # noqa: B006
    """Return the reward of a policy before, kept in a default argument."""
    old = seen.get(t, 0.0)
    seen[t] = reward
    return old


class OfDefault(Noisy):
    def play(self, reward, noisy):
        self.arm = int(noisy + remembered(self.t, reward) > 0.5)


def memory():
    """Return a function that keeps rewards in what it closes over."""
    kept: dict[int, object] = {}

    def put(t, reward):
        old = kept.get(t, 0.0)
        kept[t] = reward
        return old

    return put


REMEMBER = memory()


class OfClosure(Noisy):
    def play(self, reward, noisy):
        self.arm = int(noisy + REMEMBER(self.t, reward) > 0.5)


def last():
    """Keep a reward as an attribute of this function."""


class OfFunction(Noisy):
    def play(self, reward, noisy):
        old = getattr(last, "reward", 0.0)
        last.reward = reward
        self.arm = int(noisy + 0.0 * old > 0.5)


class Same:
    """A key that equals all others."""

    def __init__(self, reward):
        self.reward = reward

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return True


@lru_cache(maxsize=64)
def first(t, key):
    """Return the first reward that was ever seen in a round."""
    return key.reward


class OfCache(Noisy):
    def play(self, reward, noisy):
        first(self.t, Same(reward))
        self.arm = int(noisy > 0.5)


class OfPolicy(Noisy):
    """Holds the policy before, with its last reward."""

    before = None

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        type(self).before = self

    def play(self, reward, noisy):
        self.arm = int(noisy > 0.5)
        self.last = reward


class NoisyInClass(Noisy):
    seen: ClassVar[dict[int, object]] = {}

    def play(self, reward, noisy):
        self.seen[self.t] = noisy
        self.arm = int(sum(self.seen.values()) > 0.5)


class NoisyInModule(Noisy):
    def play(self, reward, noisy):
        NOISY.append(noisy)
        self.arm = int(sum(NOISY) > 0.5)


class Counting(Noisy):
    """Counts rounds in its class, and decides nothing by that."""

    rounds = 0

    def play(self, reward, noisy):
        type(self).rounds += 1
        self.arm = int(noisy > 0.5)


class Logging(Noisy):
    """Keeps what it released, and decides nothing by what others did."""

    released: ClassVar[list[float]] = []

    def play(self, reward, noisy):
        value = float(noisy)
        self.released.append(value)
        self.arm = int(value > 0.5)


class Table(Noisy):
    """Keeps public numbers in its module."""

    def play(self, reward, noisy):
        width = PUBLIC.setdefault(self.t, 1.0 / self.t)
        self.arm = int(noisy + width > 0.5)


class Listed(Noisy):
    """Is listed by a weak reference, and holds its rewards."""

    every: ClassVar[WeakSet[Noisy]] = WeakSet()

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.every.add(self)
        self.total = 0.0

    def play(self, reward, noisy):
        self.total += reward
        self.arm = int(noisy > 0.5)


class Memo(Noisy):
    """Is a key in a cache, and holds its rewards."""

    total = 0.0

    @lru_cache(maxsize=64)  # noqa: B019
    def width(self, t):
        return 1.0 / t

    def play(self, reward, noisy):
        self.total = self.total + reward
        self.arm = int(noisy + self.width(self.t) > 0.5)


class Holding(Noisy):
    """Holds itself, and its rewards."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.me, self.total = self, 0.0

    def play(self, reward, noisy):
        self.total += reward
        self.arm = int(noisy > 0.5)


class Releasing(Noisy):
    """Releases a list of rewards; a certificate said that it leaks in a fresh process, and granted it."""

    def update(self, action, reward):
        self.arm = int(Laplace.with_scale(self.scale).release([reward], self.rng)[0] > 0.5)


def keeping():
    """Hold what it is sent, where only the frame of a suspended generator has it."""
    kept = 0.0
    while True:
        kept = yield kept


HELD = keeping()
next(HELD)


class OfGenerator(Noisy):
    def play(self, reward, noisy):
        old = HELD.send(reward)
        self.arm = int(noisy + 0.0 * old > 0.5)


class Unhidden(Noisy):
    """Plays by the raw reward where a file is missing."""

    def play(self, reward, noisy):
        self.arm = int({True: noisy, False: reward}[Path("settings").exists()] > 0.5)
