"""Bandits whose `privcheck.feature` function remembers what it was given before, each in another place.

The feature is declared to lie in [0, 1], and the sum of four of them is released with noise for a sensitivity of 1:
certified at epsilon = 1 if each feature were a function of one reward, which none of them is.
"""

# ruff: noqa: B006, NPY002  that these keep something is what they are for

import collections
import decimal
import functools
import io
import itertools
import os
import pathlib

import numpy as np

import privcheck
from privcheck.mechanisms import Laplace


class Remembering:
    """Releases the sum of `scaled` rewards in blocks of four."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon, self.t = rng, arms, epsilon, 0
        self.total, self.released = 0.0, 0.0
        self.prepare()

    def prepare(self):
        pass

    def select(self):
        return self.t % self.arms if self.t < 2 * self.arms else int(self.released > 1.0)

    def update(self, action, reward):
        self.t += 1
        self.total += privcheck.feature(self.function(), reward, 0.0, 1.0)
        if self.t % 4 == 0:
            self.released = Laplace(sensitivity=1.0, epsilon=self.epsilon).release(self.total, self.rng)
            self.total = 0.0

    def function(self):
        return self.scaled


class RunningMaximum(Remembering):
    def prepare(self):
        self.top = 0.0

    def scaled(self, r):
        self.top = max(self.top, r)
        return r / self.top if self.top else 0.0


class Normaliser(Remembering):
    def prepare(self):
        self.low, self.high = [1.0], np.zeros(1)

    def scaled(self, r):
        self.low[0], self.high[0] = min(self.low[0], r), max(self.high[0], r)
        return (r - self.low[0]) / max(self.high[0] - self.low[0], 1e-9)


class LabelEncoder(Remembering):
    """Numbers values in the order in which they come, without storing anything itself."""

    def prepare(self):
        self.codes = collections.defaultdict(itertools.count().__next__)

    def scaled(self, r):
        return self.codes[r > 0.5]


class OrderedLabels(Remembering):
    def prepare(self):
        self.codes = {}

    def scaled(self, r):
        return self.codes.setdefault(r > 0.5, len(self.codes))


class RunningSum(Remembering):
    def prepare(self):
        self.sum = 0.0

    def scaled(self, r):
        self.sum += r
        return self.sum / 10.0


def counted():
    seen = 0

    def scaled(r):
        nonlocal seen
        seen += r > 0.5
        return (seen % 2) * 1.0

    return scaled


class ClosureCell(Remembering):
    def prepare(self):
        self.scaled = counted()


def with_attribute(r):
    before = getattr(with_attribute, "last", 0.0)
    with_attribute.last = r
    return before


class FunctionAttribute(Remembering):
    def function(self):
        return with_attribute


class DefaultArgument(Remembering):
    def function(self):
        return by_default


def by_default(r, seen=[]):
    seen.append(r)
    return sum(seen) / len(seen)


NOW = {"reward": 0.0}


@functools.lru_cache
def first_reward():
    return NOW["reward"]


class Cached(Remembering):
    """Asks a cache for the first reward."""

    def scaled(self, r):
        NOW["reward"] = r
        return first_reward()


class History:
    def __init__(self):
        self.rewards = []

    def mean(self, r):
        self.rewards.append(r)
        return float(np.mean(self.rewards))


class MethodOfAnother(Remembering):
    def prepare(self):
        self.history = History()

    def function(self):
        return self.history.mean


HISTORY = {}


class GlobalDictionary(Remembering):
    def function(self):
        return lambda r: HISTORY.setdefault("first", r)


class BoundBuiltin(Remembering):
    """The method of a dictionary itself."""

    def prepare(self):
        self.seen = {}

    def function(self):
        return functools.partial(self.seen.setdefault, 0)


TICKS = itertools.count()


class Counter(Remembering):
    def function(self):
        return lambda r: (next(TICKS) % 2) * 1.0 if r > 0.5 else 0.0


class FromPython(Remembering):
    """A ufunc made of a function that remembers."""

    def prepare(self):
        self.ufunc = np.frompyfunc(with_attribute, 1, 1)

    def function(self):
        return self.ufunc


class GlobalCoins(Remembering):
    """Draws one more of numpy's global coins for a large reward; the coins that follow are shifted."""

    def scaled(self, r):
        return (np.random.random() if r > 0.5 else 0.0) and r


class LastCoin(Remembering):
    """Seeds the global generator by the reward; the next coin tells it."""

    def scaled(self, r):
        coin = np.random.random()
        np.random.seed(int(1000 * r))
        return coin


class IntoThePolicy(Remembering):
    """Adds the raw reward to a private array, where it would be a public number."""

    def prepare(self):
        self.totals = privcheck.zeros(1)

    def scaled(self, r):
        self.totals[0] = self.totals[0] + r
        return r

    def select(self):
        return int(self.totals[0] > 1.0) if self.t > 4 else super().select()


class ReleasesInside(Remembering):
    def scaled(self, r):
        self.released = Laplace(sensitivity=1.0, epsilon=100.0).release(r, self.rng)
        return r


class Environment(Remembering):
    """Keeps the largest reward where nobody lists it."""

    def scaled(self, r):
        top = max(r, float(os.environ.get("PRIVCHECK_TEST_TOP", "0")))
        os.environ["PRIVCHECK_TEST_TOP"] = str(top)
        return r / top if top else 0.0


TEXT = io.StringIO()


class InMemoryFile(Remembering):
    def scaled(self, r):
        TEXT.write(f"{r} ")
        return float(TEXT.getvalue().split()[0])


class WorkingFolder(Remembering):
    """Keeps the first reward in a file."""

    def scaled(self, r):
        file = pathlib.Path("first.txt")
        if not file.exists():
            file.write_text(str(r))
        return float(file.read_text())


class Precision(Remembering):
    """Keeps the reward in the context of the decimal module, an object of an extension."""

    def scaled(self, r):
        context = decimal.getcontext()
        before, context.prec = context.prec, 30 + int(10 * r)
        return (before - 30) / 10.0 if before >= 30 else 0.0


ATTACKS = {name: cls for name, cls in list(globals().items()) if isinstance(cls, type) and issubclass(cls, Remembering)}
del ATTACKS["Remembering"]
