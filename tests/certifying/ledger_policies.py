"""Policies for tests of ledgers, and a guard whose ledger lies in a folder."""

from __future__ import annotations

import os
import secrets
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np

import privcheck
from privcheck.mechanisms import Laplace, NoisyMax

ROOT = Path(privcheck.__file__).parents[1]


class Blocks:
    """Releases the rewards two by two, and plays the arm that the last sum says, at times a coin."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        self.rng, self.arms, self.mechanism = rng, arms, Laplace(sensitivity=1.0, epsilon=epsilon)
        self.block, self.count, self.best = 0.0, 0, 0

    def select(self):
        return int(self.rng.integers(self.arms)) if self.rng.random() < 0.3 else self.best

    def update(self, action, reward):
        self.block += reward
        self.count += 1
        if self.count % 2 == 0:
            self.best = int(self.mechanism.release(self.block, self.rng) > 1.0)
            self.block = 0.0


class PlainBlocks(Blocks):
    """The same without coins."""

    def select(self):
        return self.best


class FewCoins(Blocks):
    """Plays a coin in one round of sixteen, so that many rounds are played in little time."""

    asked = 0

    def select(self):
        self.asked += 1
        return int(self.rng.integers(self.arms)) if self.asked % 16 == 0 else self.best


class NoisyLeader(Blocks):
    """The noise is numpy's: a noisy sum, a noisy maximum, and an answer of one bit."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        self.sums = privcheck.zeros(arms)

    def update(self, action, reward):
        self.sums[action] += reward
        self.count += 1
        if self.count % 3 == 0:
            self.best = int(np.argmax(self.sums + self.rng.laplace(0.0, 8.0, self.arms)))
            self.sums = privcheck.zeros(self.arms)
        elif self.count % 3 == 1:
            self.best = int(float(reward + self.rng.laplace(0.0, 8.0)) > 0.5)
        else:
            self.best = int(self.rng.random() < 0.4 + 0.1 * reward)


class Cautious(Blocks):
    """Releases each reward with so much noise that it fits into every budget."""

    def update(self, action, reward):
        self.best = int(float(reward + self.rng.laplace(0.0, 100.0)) > 0.5)


class Mechanisms(Blocks):
    """A noisy maximum, a noisy bit and a public draw, all by mechanisms."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        self.sums = privcheck.zeros(arms)
        self.first = Laplace(sensitivity=1.0, epsilon=1.0).release(0.0, rng)

    def update(self, action, reward):
        self.sums[action] += reward
        self.count += 1
        if self.count % 2 == 0:
            self.best = int(NoisyMax.with_scale(8.0).release(self.sums, self.rng))
            self.sums = privcheck.zeros(self.arms)
            public = Laplace(sensitivity=1.0, epsilon=1.0).release(self.first, self.rng)
            self.best = (self.best + int(public > 0.0)) % self.arms


class Fails(Blocks):
    """Raises an exception in its third update."""

    def update(self, action, reward):
        super().update(action, reward)
        if self.count == 3:
            raise ValueError("no such arm")


class Overspends(Blocks):
    """Releases the sum of all rewards, each time with half of the budget: the third release does not fit."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon / 2.0)

    def update(self, action, reward):
        self.count += 1
        self.block += reward
        self.best = int(self.mechanism.release(self.block, self.rng) > 1.0)


class ReadsTheSystem(Blocks):
    """Plays by coins of the system, which no journal has."""

    def select(self):
        return secrets.randbelow(2)


def guard(folder, policy=Blocks, **options):
    """Return a guard with a ledger in a folder."""
    given = {"epsilon": 0.5, "arms": 2, "scope": "news", "head": Path(folder, "heads.db")} | options
    return privcheck.guard(policy, **{"ledger": Path(folder, "budget.db")} | given)


def close(guarded):
    """Close the files of a guard, as the end of its process does."""
    guarded._engine.journal.close()


def rows(folder, query, name="budget.db"):
    """Return what plain SQL finds in a ledger."""
    connection = sqlite3.connect(Path(folder, name))
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def python(program, *arguments, **options):
    """Start a program in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{Path(__file__).parent}"}
    command = [sys.executable, "-P", "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, env=environment, text=True, **options)
