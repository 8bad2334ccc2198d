"""Private policies with honest caches: memos of public things, tables of logarithms, arrays that are built when needed.

`bonus(n)` is a function of a public count: whatever is kept, the answer is the same. A reward is published once with
Laplace noise of scale 1 / epsilon.
"""

# ruff: noqa: B006, B019, RUF012  that these keep something is what they are for

import array
import bisect
import collections
import fractions
import functools
import itertools
import math
import operator

import numpy as np


class Counts:
    """A bandit that plays the largest of published sums plus a bonus for its pulls."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.t = rng, epsilon, 0
        self.sums, self.public, self.pulls = [0.0] * arms, [0.0] * arms, [1] * arms
        self.prepare()

    def prepare(self):
        pass

    def select(self):
        index = [s / n + self.bonus(n) for s, n in zip(self.public, self.pulls, strict=True)]
        return index.index(max(index))

    def update(self, action, reward):
        self.sums[action] += reward
        self.pulls[action] += 1
        self.t += 1
        if self.t % 3 == 0:
            self.public = [p + s + self.rng.laplace(0, 1 / self.epsilon) for p, s in zip(self.public, self.sums)]  # noqa: B905
            self.sums = [0.0] * len(self.sums)


LOGARITHMS = [0.0, *(math.log(n) for n in range(1, 64))]
TABLE = None


@functools.lru_cache
def cached_bonus(n):
    return math.sqrt(2 * math.log(1 + n) / n)


@functools.cache
def harmonic(n):
    return 1.0 if n == 1 else harmonic(n - 1) + 1 / n


@functools.lru_cache(maxsize=2)
def small_cache(n):
    return 1 / math.sqrt(n)


class LogTable(Counts):
    def bonus(self, n):
        return math.sqrt(LOGARITHMS[n + 1] / n)


class LruFunction(Counts):
    def bonus(self, n):
        return cached_bonus(n)


class RecursiveCache(Counts):
    def bonus(self, n):
        return harmonic(n) / n


class SmallCache(Counts):
    def bonus(self, n):
        return small_cache(n)


class MemoOnSelf(Counts):
    def prepare(self):
        self.memo = {}

    def bonus(self, n):
        if n not in self.memo:
            self.memo[n] = math.sqrt(math.log(n + 1) / n)
        return self.memo[n]


class MemoByGet(Counts):
    def prepare(self):
        self.memo = {}

    def bonus(self, n):
        value = self.memo.get(n)
        if value is None:
            value = self.memo[n] = n**-0.5
        return value


class MemoBySetDefault(Counts):
    def prepare(self):
        self.memo = {}

    def bonus(self, n):
        return self.memo.setdefault(n, n**-0.5)


class MemoByKeyError(Counts):
    memo = {}

    def bonus(self, n):
        try:
            return self.memo[n]
        except KeyError:
            return self.memo.setdefault(n, 1 / n)


class MemoInTheSignature(Counts):
    def bonus(self, n, memo={1: 1.0}):
        if n not in memo:
            memo[n] = 1 / n
        return memo[n]


class MissingKey(Counts):
    class Table(dict):
        def __missing__(self, n):
            self[n] = 2.0**-n
            return self[n]

    def prepare(self):
        self.table = self.Table()

    def bonus(self, n):
        return self.table[n]


class GrowingList(Counts):
    def prepare(self):
        self.logs = [0.0]

    def bonus(self, n):
        while len(self.logs) <= n:
            self.logs.append(math.log(len(self.logs) + 1))
        return math.sqrt(self.logs[n] / n)


class GrowingArray(Counts):
    def prepare(self):
        self.roots = np.ones(1)

    def bonus(self, n):
        if n >= len(self.roots):
            self.roots = 1 / np.sqrt(np.arange(1, 2 * n + 2))
        return float(self.roots[n])


class LazyAttribute(Counts):
    _bonuses = None

    @property
    def bonuses(self):
        if self._bonuses is None:
            self._bonuses = np.array([1 / (n + 1) for n in range(32)])
        return self._bonuses

    def bonus(self, n):
        return self.bonuses[n]


class CachedProperty(Counts):
    @functools.cached_property
    def widths(self):
        return np.sqrt(np.log(np.arange(1, 40)))

    def bonus(self, n):
        return self.widths[n] / n


class LazyGlobal(Counts):
    def bonus(self, n):
        global TABLE
        if TABLE is None:
            TABLE = [1 / (1 + k) for k in range(64)]
        return TABLE[n]


class CachedMethod(Counts):
    @functools.lru_cache
    def bonus(self, n):
        return math.exp(-n)


class CachedStaticMethod(Counts):
    @staticmethod
    @functools.cache
    def bonus(n):
        return math.log1p(1 / n)


class ClosureInConstructor(Counts):
    def prepare(self):
        table = [1.0]

        def bonus(n):
            while len(table) <= n:
                table.append(table[-1] / 2)
            return table[n]

        self.bonus = bonus


class PartialOfTable(Counts):
    def prepare(self):
        self.bonus = functools.partial(operator.getitem, tuple(1 / (n + 1) for n in range(40)))


class Counter(Counts):
    def prepare(self):
        self.calls = collections.Counter()

    def bonus(self, n):
        self.calls["bonus"] += 1
        return 1 / n


class TotalOfCounts(Counts):
    last = (None, None)

    def bonus(self, n):
        key = tuple(self.pulls)
        if self.last[0] != key:
            self.last = key, math.log(sum(key))
        return math.sqrt(self.last[1] / n)


class BestIndexUntilNews(Counts):
    def prepare(self):
        self.best = None

    def select(self):
        if self.best is None or self.t % 3 == 0:
            self.best = super().select()
        return self.best

    def bonus(self, n):
        return 1 / n


class ProbabilitiesUntilNews(Counts):
    def prepare(self):
        self.p, self.p_of = None, None

    def select(self):
        if self.p_of is not self.public:
            w = np.exp(np.minimum(self.public, 5.0))
            self.p, self.p_of = w / w.sum(), self.public
        return int(self.rng.choice(len(self.p), p=self.p))


class ExactFractions(Counts):
    def prepare(self):
        self.sums_of_inverses = {0: fractions.Fraction(0)}

    def bonus(self, n):
        for k in range(1, n + 1):
            if k not in self.sums_of_inverses:
                self.sums_of_inverses[k] = self.sums_of_inverses[k - 1] + fractions.Fraction(1, k)
        return float(self.sums_of_inverses[n]) / n


class CompactArray(Counts):
    def prepare(self):
        self.logs = array.array("d", [0.0])

    def bonus(self, n):
        self.logs.extend(math.log(k + 1) for k in range(len(self.logs), n + 1))
        return self.logs[n] / n


class Epochs(Counts):
    def prepare(self):
        self.ends = list(itertools.accumulate([1, 2, 4, 8, 16]))

    def bonus(self, n):
        return 1.0 / (1 + bisect.bisect_left(self.ends, n))
