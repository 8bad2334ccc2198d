"""Policies that try to get private numbers past the guard; `seen` holds everything that they got hold of.

Two arms, 8 rounds, rewards in [0, 1]. Used like zoo.py.
"""

import bisect
import collections
import contextlib
import copy
import fractions
import functools
import heapq
import io
import itertools
import json
import math
import operator
import pickle
import random
import re
import statistics
import struct
import warnings
from typing import ClassVar

import numpy as np

import privcheck
from privcheck.mechanisms import BinaryTree, DiscreteLaplace, Laplace, NoisyMax, RandomisedResponse


class Spy:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.t, self.arm, self.seen, self.kept = 0, 0, [], []
        self.start()

    def start(self):
        pass

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.kept.append(reward)
        self.spy(reward)

    def attempt(self, read, *values):
        """Keep what a read gives, or all that its error and the errors behind it say."""
        try:
            self.seen.append(_without_addresses(repr(read(*values))))
        except Exception as error:
            while error is not None:
                said = (type(error).__name__, str(error), repr(error.args), repr(vars(error)))
                self.seen.append(_without_addresses(" ".join(said)))
                error = error.__cause__ or error.__context__

    def once(self, sensitivity=1.0, share=1.0):
        return Laplace(sensitivity=sensitivity, epsilon=self.epsilon * share)

    def publish(self, value, mechanism=None):
        self.seen.append((mechanism or self.once()).release(value, self.rng))
        self.arm = int(np.sum(self.seen[-1]) > 0.5)


SCALARS = [
    str, repr, ascii, format, "{}".format, "{!r:>40}".format, "{:.3f}".format, "%s".__mod__, "%d".__mod__, id and type,
    bool, int, float, complex, hash, operator.index, abs, round, math.floor, math.sqrt, math.isclose, bin, chr, bytes,
    iter, len, reversed, sorted, sum, max, list, tuple, set, range, slice, enumerate, callable, vars, memoryview,
    fractions.Fraction, random.Random, io.BytesIO, json.dumps, pickle.dumps, copy.copy, copy.deepcopy, statistics.fmean,
    lambda x: struct.pack("d", x), lambda x: x == x, lambda x: x != 0.5, lambda x: x is x, lambda x: x in [x, 0.5],
    lambda x: sorted([x, 0.5, x * 2.0]), lambda x: max(x, 0.5), lambda x: bisect.bisect([0.5], x),
    lambda x: heapq.nlargest(1, [x, 0.5]), lambda x: collections.Counter([x]), lambda x: {x: 1}, lambda x: [0, 1][x],
    lambda x: [0, 1][x:], lambda x: "ab" * x, lambda x: x and 1, lambda x: not x, lambda x: divmod(x, 0.3),
    lambda x: x // 0.5, lambda x: x % 1, lambda x: x**2, lambda x: 2**x, lambda x: 1 / x, lambda x: x / 0.0,
    lambda x: x / (x - x), lambda x: functools.lru_cache(abs)(x), lambda x: itertools.repeat(1, x), lambda x: x.value,
    lambda x: x._value, lambda x: x.real, lambda x: x.hex(), lambda x: x.is_integer(), lambda x: x.__reduce__(),
    lambda x: json.dumps({"x": x}, default=str), lambda x: next(iter(x)), lambda x: x.item(), lambda x: x.tobytes(),
    lambda x: privcheck.clip(x, 0.3, 0.6), lambda x: privcheck.clip(0.5, x, 1.0), lambda x: privcheck.rounded(x * 3.3),
    lambda x: privcheck.one_hot(x, 2), lambda x: privcheck.zeros(2)[x], lambda x: (x * 1e-320), lambda x: x * math.inf,
    lambda x: (x - x) * 1e300 * 1e300, lambda x: x * x * x, lambda x: x.reveal(None), lambda x: x.data_ids,
    lambda x: _matched(x), lambda x: contextlib.nullcontext(x), lambda x: exec("if x > 0.5: raise KeyError"),
]  # fmt: skip
ARRAYS = [
    np.asarray, np.array, np.isnan, np.sign, np.exp, np.log, np.round, np.argmax, np.argsort, np.unique, np.nonzero,
    np.any, np.linalg.norm, np.histogram, np.median, np.count_nonzero, np.copy, np.zeros_like, np.ones_like, np.fft.fft,
    np.array2string, np.array_repr, np.array_str, np.nditer, np.ndenumerate, np.isfinite, np.packbits, np.trapezoid,
    lambda x: np.array([x, x], dtype=object), lambda x: np.where(x > 0.5, 1, 0), lambda x: np.where([True], x, 0.0),
    lambda x: np.searchsorted([0.5], x), lambda x: np.take([1, 2], x), lambda x: np.zeros(x), lambda x: np.full(2, x),
    lambda x: np.equal(x, 0.5), lambda x: np.maximum(x, 0.5), lambda x: np.add(x, 1.0, out=np.zeros(2)),
    lambda x: np.take(x, [0], out=np.zeros(1)), lambda x: np.take(x, [0], None, np.zeros(1)),
    lambda x: np.sum(x, out=np.zeros(())), lambda x: np.copyto(np.zeros(2), x), lambda x: np.add.at(np.zeros(2), 0, x),
    lambda x: np.put(np.zeros(2), [0, 1], x), lambda x: np.einsum("i,i->", x, x), lambda x: np.fromiter([x], float),
    lambda x: np.repeat([1, 2], x), lambda x: np.arange(x), lambda x: np.random.default_rng(x),
    lambda x: np.random.default_rng(0).binomial(1, x), lambda x: np.random.default_rng(0).choice(2, p=x),
    lambda x: np.vectorize(abs)(x), lambda x: np.frompyfunc(abs, 1, 1)(x), lambda x: np.clip(x, 0.2, 0.4),
    lambda x: np.allclose(x, 0.5), lambda x: x.astype(int), lambda x: np.multiply.reduce(np.atleast_1d(x)),
    lambda x: np.modf(x), lambda x: np.divmod(x, 0.3), lambda x: np.isin(0.5, x), lambda x: np.savetxt(io.BytesIO(), x),
    lambda x: np.save(io.BytesIO(), x), lambda x: np.interp(x, [0, 1], [0, 1]), lambda x: np.ones(2)[x],
    lambda x: np.atleast_1d(x).view(np.int64), lambda x: np.atleast_1d(x)[np.atleast_1d(x)], lambda x: x.view_as(abs),
]  # fmt: skip


def _without_addresses(text):
    return re.sub(r"0x[0-9a-f]+", "", text)


def _matched(x):
    match x:
        case 0.0 | 1.0:
            return "an end"
        case _:
            return "inside"


class ReadsInEveryWay(Spy):
    def spy(self, reward):
        two = privcheck.zeros(2)
        two[0] = reward
        for read in (*SCALARS, *ARRAYS):
            self.attempt(read, reward)
            self.attempt(read, two)


class SortsObjects(Spy):
    """Keeps private values in object arrays, lists, dictionaries and named tuples."""

    def spy(self, reward):
        boxes = np.empty(2, dtype=object)
        boxes[0], boxes[1] = reward, 0.5
        for read in (
            np.sort, np.max, np.argmax, np.sum, np.unique, np.isnan, np.nonzero, np.mean, np.exp,
            lambda a: a.astype(float), lambda a: a > 0.5, lambda a: a == a[::-1], lambda a: a.tolist(),
            lambda a: a @ a, lambda a: a.sum() * 2.0, lambda a: np.array(a, float), lambda a: a.tobytes() and 0,
        ):  # fmt: skip
            self.attempt(read, boxes)
        for box in ([reward], (reward,), {"r": reward}, {1: [reward]}):
            for read in (sorted, np.array, np.sum, max, repr, copy.deepcopy, lambda b: b == type(b)(b), np.mean):
                self.attempt(read, box)


class CarriesItInAnError(Spy):
    def spy(self, reward):
        def fail(x):
            raise ValueError("the reward is", x, f"{x}")

        self.attempt(fail, reward)
        self.attempt(lambda x: {}[x], reward)
        self.attempt(lambda x: [].index(x), reward)
        self.attempt(lambda x: getattr(self, x), reward)
        self.attempt(lambda x: int("1", x), reward)
        self.attempt(self.once().draw, reward, self.rng)
        self.attempt(self.once().log_density, 0.0, reward)
        self.attempt(self.once().release_batch, reward, self.rng, 2)
        self.attempt(NoisyMax.with_scale(1.0).release, reward, self.rng)
        self.attempt(RandomisedResponse(categories=2, epsilon=1.0).release, reward, self.rng)
        self.attempt(DiscreteLaplace(sensitivity=1, epsilon=1.0).release, reward, self.rng)


class WatchesFloats(Spy):
    """Makes numpy raise, and collects warnings: overflow, underflow and invalid would tell how large a reward is."""

    def spy(self, reward):
        tiny, large = reward * 1e-300, reward * 1e308
        for mode in ("raise", "warn", "call"):
            with np.errstate(all=mode, call=self.note), warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                for read in (
                    lambda: tiny * tiny, lambda: large + large, lambda: large * 10.0, lambda: (large + large) - large,
                    lambda: tiny / 1e300, lambda: reward * reward, lambda: privcheck.rounded(large),
                    lambda: privcheck.clip(large, 0.0, 1.0), lambda: tiny * 1e-7, lambda: large @ np.ones(2),
                    lambda: np.outer(large, large), lambda: self.once().release(large + large, self.rng),
                    lambda: self.once(1e308).release(sum(x * 1e308 for x in self.kept), self.rng),
                ):  # fmt: skip
                    self.attempt(read)
            self.seen += [str(warning.message) for warning in heard]

    def note(self, *arguments):
        self.seen.append(arguments)


class DrawsParametersFromData(Spy):
    """Sensitivities, scales, horizons, budgets, shapes and numbers of releases that depend on rewards."""

    def spy(self, reward):
        for make in (
            lambda x: Laplace(sensitivity=x, epsilon=1.0), lambda x: Laplace(sensitivity=1.0, epsilon=x),
            Laplace.with_scale, lambda x: BinaryTree(horizon=x, sensitivity=1.0, epsilon=1.0),
            lambda x: BinaryTree.with_scale(1.0, horizon=x), lambda x: NoisyMax.with_scale(1.0, noise=x),
            lambda x: RandomisedResponse(categories=x, epsilon=1.0), lambda x: DiscreteLaplace.with_scale(x),
            lambda x: self.once().loss(x), lambda x: Laplace.with_scale(x + 1.0).release(1.0, self.rng),
            lambda x: [self.publish(1.0) for _ in range(x)], lambda x: self.publish(np.zeros(x)),
            lambda x: self.once().release([x, x][: int(x > 0.5)], self.rng), lambda x: self.once().noise(x, self.rng),
            lambda x: self.once().release(1.0, x), lambda x: self.once().release(x, self.rng, secure=x),
        ):  # fmt: skip
            self.attempt(make, reward)


class ReleasesUntilSatisfied(Spy):
    def spy(self, reward):
        self.attempt(lambda: self.loop(reward))

    def loop(self, reward):
        while reward > 0.5:
            self.publish(1.0)


class SharesItsCoins(Spy):
    """Passes its generator around, and looks at its state: how many coins a release took is public."""

    def spy(self, reward):
        before = self.rng.bit_generator.state["state"]["state"]
        self.publish(reward)
        copied = copy.deepcopy(self.rng)
        self.seen += [copied.random(), self.rng.bit_generator.state["state"]["state"] == before, self.rng.random()]


class CatchesRefusals(Spy):
    """Overspends, and takes the refusals as they come."""

    def spy(self, reward):
        self.attempt(self.publish, sum(self.kept))
        self.attempt(self.publish, reward * 2.0)
        self.attempt(self.publish, reward + 1e9)


# Charged as often as they are released


class KeepsForALaterEpoch(Spy):
    """Puts a reward aside, releases it with its epoch, and again four rounds later."""

    def spy(self, reward):
        if self.t == 2:
            self.publish(self.kept[0] + self.kept[1])
        if self.t == 6:
            self.once().release(self.kept[0] + self.kept[4], self.rng)  # here: KeepsForALaterEpoch


class PicksByReleases(Spy):
    """What it releases next depends on what it has released, but each reward is released once."""

    def spy(self, reward):
        while len(self.kept) > 1:
            self.publish(self.kept.pop(self.arm))


class PicksAgain(Spy):
    """What it has released decides whether the first reward is released again."""

    def spy(self, reward):
        self.seen.append(self.once().release(self.kept[self.arm * (self.t - 1)], self.rng))  # here: PicksAgain


class ReleasesACopy(Spy):
    def spy(self, reward):
        if self.t == 1:
            self.publish(reward)
            self.once().release(copy.deepcopy([reward])[0], self.rng)  # here: ReleasesACopy


class HidesItInAProduct(Spy):
    """The square, the rounded and the clipped reward are the same datum."""

    def spy(self, reward):
        if self.t == 1:
            self.publish(reward * reward, self.once(share=0.5))
            self.publish(privcheck.rounded(reward), DiscreteLaplace(sensitivity=1, epsilon=self.epsilon / 2))
            half = privcheck.clip(reward, 0.0, 0.5)
            self.once(0.5, share=0.5).release(half, self.rng)  # here: HidesItInAProduct


class AddsAndSubtractsMuch(Spy):
    """Large public numbers, added and taken away, would amplify a reward by rounding."""

    def spy(self, reward):
        self.publish((reward / 5.0 + 7.9 + 1e17) - 1e17 - 7.9, self.once(0.2))


class ReleasesBesideMuch(Spy):
    def spy(self, reward):
        self.seen.append(self.once().release(reward + 1e9, self.rng))  # here: ReleasesBesideMuch


class SharedByAllRuns(Spy):
    """Keeps private values in a class attribute, where the next run, with a budget of its own, finds them."""

    everything: ClassVar = []

    def spy(self, reward):
        self.everything.append(reward)
        if self.t == 1:
            self.once().release(self.everything[0], self.rng)  # here: SharedByAllRuns
