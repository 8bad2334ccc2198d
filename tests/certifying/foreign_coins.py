"""Policies whose coins do not come from the Generator that they are given, and twins that data steer."""

from __future__ import annotations

import os
import random
import secrets
import time
import uuid
from itertools import count

import numpy as np

from privcheck.mechanisms import Laplace

OWN = np.random.default_rng()
SYSTEM = random.SystemRandom()
SEEDS = np.random.SeedSequence(5)
CALLS = count()
SEEN: list[float] = []


class Right:
    """Draws its noise from the Generator, and explores with a coin."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.estimates = rng, [0.0] * arms

    def coin(self):
        return False

    def select(self):
        return 1 if self.coin() else int(self.estimates[1] > self.estimates[0])

    def update(self, action, reward):
        self.estimates[action] += float(reward + self.rng.laplace(0.0, 1.0))


class Secrets(Right):
    def coin(self):
        return secrets.randbelow(2) == 0


class System(Right):
    def coin(self):
        return SYSTEM.random() < 0.5


class Urandom(Right):
    def coin(self):
        return os.urandom(1)[0] < 128


class Uuid(Right):
    def coin(self):
        return uuid.uuid4().int % 2 == 0


class Clock(Right):
    def coin(self):
        return time.perf_counter_ns() // 100 % 2 == 0


class Module(Right):
    def coin(self):
        return OWN.random() < 0.5


class Turns(Right):
    """Every second policy explores first: a count that no run puts back."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.first = next(CALLS) % 2

    def select(self):
        return self.first if self.estimates == [0.0, 0.0] else super().select()


class Address(Right):
    def coin(self):
        return id(object()) // 16 % 7 == 0


class Rare(Right):
    def coin(self):
        return secrets.randbelow(300) == 0


class Told(Right):
    """Plays by the last reward if that is an ordinary number: the guard sees nothing of it, replays do."""

    raw = 0.0

    def select(self):
        return 1 if self.raw > 0.5 else super().select()

    def update(self, action, reward):
        super().update(action, reward)
        if "Private" not in (text := repr(reward)):
            self.raw = float(text)


class Global(Right):
    """Does so through a list of its module."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        SEEN.clear()

    def select(self):
        return 1 if SEEN and SEEN[-1] > 0.5 else super().select()

    def update(self, action, reward):
        super().update(action, reward)
        if "Private" not in (text := repr(reward)):
            SEEN.append(float(text))


class SecretsTold(Told, Secrets): ...


class SystemTold(Told, System): ...


class UrandomTold(Told, Urandom): ...


class UuidTold(Told, Uuid): ...


class ClockTold(Told, Clock): ...


class ModuleTold(Told, Module): ...


class TurnsTold(Told, Turns): ...


class Noise(Right):
    """Draws its noise from the system: to the guard the sums are raw."""

    def update(self, action, reward):
        self.estimates[action] += reward + SYSTEM.expovariate(1.0) - SYSTEM.expovariate(1.0)


class Twister(random.Random): ...


class Derived(Right):
    """Draws its noise from a generator of Python that it seeds anew, of a class of its own."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.twister = Twister(int(rng.integers(2**60)))

    def update(self, action, reward):
        self.estimates[action] += reward + self.twister.expovariate(1.0) - self.twister.expovariate(1.0)


class Counted(Right):
    """Counts policies in the class, which decides its first arm."""

    made = 0

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        Counted.made += 1
        self.first = Counted.made % 2

    def select(self):
        return self.first if self.estimates == [0.0, 0.0] else super().select()


class CountedReleases(Counted):
    """Releases through a mechanism."""

    def update(self, action, reward):
        self.estimates[action] += float(Laplace(sensitivity=1.0, epsilon=1.0).release(reward, self.rng))


class Spawned(Right):
    """Explores with a Generator from a source of seeds that its module holds."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.explore = np.random.default_rng(SEEDS.spawn(1)[0])

    def coin(self):
        return self.explore.random() < 0.5
