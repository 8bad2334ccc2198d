"""Private contextual policies with honest memos: dictionaries, caches of functions, records that can be called.

`score(x)` is a function of an entry of a context: whatever is kept, the answer is the same. A round's reward at its arm
moves the sums by at most 2 in L1, and is published once with Laplace noise of scale 2 / epsilon.
"""

# ruff: noqa: B019, RUF012  that these keep something is what they are for

import collections
import dataclasses
import functools
import math
import threading
import types

import numpy as np

import privcheck


class Contexts:
    """A contextual policy that plays the largest of scores plus published sums."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.b, self.t = rng, arms, 2 / epsilon, 0
        self.sums, self.public = privcheck.zeros(arms), np.zeros(arms)
        self.prepare()

    def prepare(self):
        pass

    def select(self, context):
        return int(np.argmax([self.score(float(abs(row[0]))) for row in context] + self.public))

    def update(self, context, action, reward):
        self.t += 1
        self.sums += privcheck.one_hot(action, self.arms) * reward
        if self.t % 3 == 0:
            self.public = self.public + self.sums + self.rng.laplace(0, self.b, self.arms)
            self.sums = privcheck.zeros(self.arms)


SQUARES = {}
GRID = np.linspace(0.0, 1.0, 33)
CURVE = np.sqrt(GRID)
LOCK = threading.Lock()
LOCAL = threading.local()
RECENT = collections.OrderedDict()
SETTINGS = types.MappingProxyType({"c": 0.5})


def memoised(function):
    memo = {}

    @functools.wraps(function)
    def wrapper(x):
        if x not in memo:
            memo[x] = function(x)
        return memo[x]

    return wrapper


@memoised
def squared(x):
    return x * x


class GlobalMemo(Contexts):
    def score(self, x):
        if x not in SQUARES:
            SQUARES[x] = x * x
        return SQUARES[x]


class DecoratedMemo(Contexts):
    def score(self, x):
        return squared(x)


class LruMethod(Contexts):
    @functools.lru_cache(maxsize=16)
    def score(self, x):
        return x**3


class Interpolated(Contexts):
    def score(self, x):
        return float(np.interp(x, GRID, CURVE))


class RecentlyUsed(Contexts):
    def score(self, x):
        if x in RECENT:
            RECENT.move_to_end(x)
            return RECENT[x]
        RECENT[x] = math.sqrt(x)
        if len(RECENT) > 4:
            RECENT.popitem(last=False)
        return math.sqrt(x)


class UnderALock(Contexts):
    memo = {}

    def score(self, x):
        with LOCK:
            return self.memo.setdefault(x, x / 2)


class PerThread(Contexts):
    def score(self, x):
        memo = LOCAL.__dict__.setdefault("memo", {})
        return memo.setdefault(x, 1 - x)


class OwnMemo(Contexts):
    def prepare(self):
        self.memo = {}

    def score(self, x):
        key = round(x, 3)
        if key not in self.memo:
            self.memo[key] = key / 2
        return self.memo[key]


class Scratch(Contexts):
    def prepare(self):
        self.powers = np.empty(4)

    def score(self, x):
        self.powers[0] = 1.0
        for k in range(1, 4):
            self.powers[k] = self.powers[k - 1] * x
        return float(self.powers.sum())


class LazyWeights(Contexts):
    weights = None

    def score(self, x):
        if self.weights is None:
            self.weights = np.linspace(0.1, 0.4, 4)
        return float(np.polyval(self.weights, x))


@dataclasses.dataclass
class Scorer:
    known: dict = dataclasses.field(default_factory=dict)

    def __call__(self, x):
        return self.known.setdefault(x, math.cos(x))


class CallableRecord(Contexts):
    def prepare(self):
        self.score = Scorer()


class Attempts(Contexts):
    attempts = 0

    def score(self, x):
        type(self).attempts += 1
        return x


class ReadOnlySettings(Contexts):
    def score(self, x):
        return SETTINGS["c"] * x


class LastRow(Contexts):
    last = (0.0, 0.0)

    def score(self, x):
        if x != self.last[0]:
            self.last = (x, math.tanh(x))
        return self.last[1]
