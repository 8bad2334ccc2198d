"""Policies that keep something outside of themselves which tells nothing: caches, tables, counters of calls.

Each has `score(x)`, a pure function of one number that is computed with the help of what is kept. `Chooses` asks it in
a contextual `select`, `Scales` gives it to `privcheck.feature`.
"""

# ruff: noqa: B006, B019, RUF012, UP033  that these keep something is what they are for

import array
import bisect
import collections
import contextvars
import dataclasses
import enum
import functools
import logging
import math
import operator
import re
import threading
import types
import weakref

import numpy as np

import privcheck
from privcheck.mechanisms import Laplace

LOG = logging.getLogger(__name__)


class Chooses:
    """A contextual policy that plays the larger score of the first entries of the rows, from round 8 on by the sums."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.t = rng, epsilon, 0
        self.sums, self.theta = privcheck.zeros(2), np.zeros(2)
        self.prepare()

    def prepare(self):
        pass

    def select(self, context):
        scores = [self.score(float(abs(row[0]))) + float(row @ self.theta) for row in context]
        return int(np.argmax(scores))

    def update(self, context, action, reward):
        self.t += 1
        self.sums += reward * context[action]
        if self.t % 4 == 0:
            noise = Laplace(sensitivity=2.0 * np.sqrt(2.0), epsilon=self.epsilon)
            self.theta = self.theta + noise.release(self.sums, self.rng)
            self.sums = privcheck.zeros(2)


class Scales:
    """A bandit that releases sums of four scores of rewards, which lie in [0, 1]."""

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
        self.total += privcheck.feature(self.score, reward, 0.0, 1.0)
        if self.t % 4 == 0:
            self.released = Laplace(sensitivity=1.0, epsilon=self.epsilon).release(self.total, self.rng)
            self.total = 0.0


def square(x):
    return min(1.0, x * x)


SQUARES = {}


class Dictionary:
    def score(self, x):
        if x not in SQUARES:
            SQUARES[x] = square(x)
        return SQUARES[x]


@functools.lru_cache(maxsize=None)
def cached_square(x):
    return square(x)


class LruCache:
    def score(self, x):
        return cached_square(x)


class BoundedCache:
    @staticmethod
    @functools.lru_cache(maxsize=2)
    def _square(x):
        return square(x)

    def score(self, x):
        return self._square(x)


class CachedMethod:
    @functools.lru_cache(maxsize=8)
    def _square(self, x):
        return square(x)

    def score(self, x):
        return self._square(x)


TABLE = np.linspace(0.0, 1.0, 101) ** 2
TABLE.flags.writeable = False


class Precomputed:
    def score(self, x):
        return float(TABLE[int(100 * min(x, 1.0))])


LAZY = []


class LazyTable:
    def score(self, x):
        if not LAZY:
            LAZY.extend(square(place / 100) for place in range(101))
        return LAZY[int(100 * min(x, 1.0))]


BUILT = None


class LazyGlobal:
    def score(self, x):
        global BUILT
        if BUILT is None:
            BUILT = np.linspace(0.0, 1.0, 101)
        return float(BUILT[int(100 * min(x, 1.0))])


CALLS = collections.Counter()


class CountsCalls:
    def score(self, x):
        CALLS["score"] += 1
        return square(x)


class CountsOnTheClass:
    calls = 0

    def score(self, x):
        type(self).calls += 1
        return square(x)


class Logs:
    def score(self, x):
        LOG.debug("asked")
        return square(x)


class ClassTable:
    table = tuple(square(place / 10) for place in range(11))

    def score(self, x):
        return self.table[int(10 * min(x, 1.0))]


class CachedProperty:
    @functools.cached_property
    def table(self):
        return [square(place / 10) for place in range(11)]

    def score(self, x):
        return self.table[int(10 * min(x, 1.0))]


class FunctionAttribute:
    def score(self, x):
        return remembered(x)


def remembered(x):
    known = remembered.__dict__.setdefault("known", {})
    if x not in known:
        known[x] = square(x)
    return known[x]


class MemoInADefault:
    def score(self, x, known={}):
        return known.setdefault(x, square(x))


def memoised(function):
    known = {}

    @functools.wraps(function)
    def asked(x):
        if x not in known:
            known[x] = function(x)
        return known[x]

    return asked


class Decorated:
    _square = staticmethod(memoised(square))

    def score(self, x):
        return self._square(x)


RECENT = collections.OrderedDict()


class LeastRecentlyUsed:
    def score(self, x):
        if x in RECENT:
            RECENT.move_to_end(x)
        else:
            RECENT[x] = square(x)
            while len(RECENT) > 2:
                RECENT.popitem(last=False)
        return RECENT[x]


SCRATCH = np.zeros(3)


class ScratchArray:
    def score(self, x):
        SCRATCH[:] = (x, x * x, 1.0)
        return float(min(SCRATCH[1], SCRATCH[2]))


BUFFER = array.array("d", [0.0, 0.0])


class ScratchBuffer:
    def score(self, x):
        BUFFER[0] = x
        BUFFER[1] = BUFFER[0] * x
        return min(1.0, BUFFER[1])


class Edges:
    edges = [0.1, 0.2, 0.5]

    def score(self, x):
        return bisect.bisect(self.edges, x) / 3


LOCAL = threading.local()


class ThreadLocalCache:
    def score(self, x):
        known = LOCAL.__dict__.setdefault("known", {})
        return known.setdefault(x, square(x))


SETTINGS = contextvars.ContextVar("SETTINGS", default=2.0)


class Setting:
    def score(self, x):
        return min(1.0, x ** SETTINGS.get())


class Key:
    pass


KEY = Key()
KNOWN_BY_KEY = weakref.WeakKeyDictionary()


class WeakCache:
    def score(self, x):
        return KNOWN_BY_KEY.setdefault(KEY, {}).setdefault(x, square(x))


@dataclasses.dataclass
class Settings:
    power: float = 2.0
    known: dict = dataclasses.field(default_factory=dict)


SETTING = Settings()


class DataClass:
    def score(self, x):
        return SETTING.known.setdefault(x, min(1.0, x**SETTING.power))


class Shape(enum.Enum):
    FLAT = 0.5
    STEEP = 2.0


class Enumeration:
    def score(self, x):
        return min(1.0, x**Shape.STEEP.value)


class Partial:
    def prepare(self):
        self.power = functools.partial(math.pow, 0.5)

    def score(self, x):
        return self.power(x)


PATTERN = re.compile(r"\d+")


class RegularExpression:
    def score(self, x):
        return len(PATTERN.findall(f"{x:.2f}")) / 4


@functools.singledispatch
def general(x):
    return 0.0


@general.register
def _(x: float):
    return square(x)


class SingleDispatch:
    def score(self, x):
        return general(x)


NAMES = types.MappingProxyType({"power": 2.0})


class ReadOnlyView:
    def score(self, x):
        return min(1.0, x ** NAMES["power"])


FIRST = operator.itemgetter(0)


class Getter:
    def score(self, x):
        return min(1.0, FIRST((x, 0.0)))


class LastAsked:
    """Keeps what was asked last, and computes it anew if it is another."""

    last = (None, 0.0)

    def score(self, x):
        if self.last[0] != x:
            type(self).last = (x, square(x))
        return self.last[1]


LOCK = threading.Lock()


class Locked:
    def score(self, x):
        with LOCK:
            return SQUARES.setdefault(x, square(x))


class Held:
    def __init__(self):
        self.known = {}

    def square(self, x):
        return self.known.setdefault(x, square(x))


class HeldObject:
    def prepare(self):
        self.held = Held()

    def score(self, x):
        return self.held.square(x)


class Plain:
    score = staticmethod(lambda x: min(1.0, x * x))


KINDS = [
    Dictionary, LruCache, BoundedCache, CachedMethod, Precomputed, LazyTable, LazyGlobal, CountsCalls, CountsOnTheClass,
    Logs, ClassTable, CachedProperty, FunctionAttribute, MemoInADefault, Decorated, LeastRecentlyUsed, ScratchArray,
    ScratchBuffer, Edges, ThreadLocalCache, Setting, WeakCache, DataClass, Enumeration, Partial, RegularExpression,
    SingleDispatch, ReadOnlyView, Getter, LastAsked, Locked, HeldObject, Plain,
]  # fmt: skip
CHOOSING = {kind.__name__: type(f"{kind.__name__}Chooses", (kind, Chooses), {}) for kind in KINDS}
SCALING = {kind.__name__: type(f"{kind.__name__}Scales", (kind, Scales), {}) for kind in KINDS}
