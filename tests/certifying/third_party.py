"""Private code as strangers write it, and its broken twins: noise of numpy, of `random`, of OpenDP, of a library."""

# ruff: noqa: NPY002  this is the code of others

import random
import threading
from functools import partial

import numpy as np
import opendp.prelude as dp
from numpy.random import laplace as earlier_alias
from opendp.measurements import make_laplace
from opendp.mod import Measurement

dp.enable_features("contrib")
ATOMS = dp.atom_domain(T=float, nan=False)
NOISY_NUMBER = make_laplace(ATOMS, dp.absolute_distance(T=float), scale=1.0)
NOISY_VECTOR = make_laplace(dp.vector_domain(ATOMS), dp.l1_distance(T=float), scale=2.0)
NOISY_COUNT = (dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()) >> dp.t.then_count()
NOISY_COUNT = NOISY_COUNT >> dp.m.then_laplace(2.0)
INVOKE, BOUND = Measurement.invoke, NOISY_NUMBER.__call__
MODULE_RNG = np.random.default_rng()


class Blocks:
    """Plays the arms in turn, publishes noisy means after every eight rounds and forgets the rewards: 1-DP."""

    def __init__(self, rng, arms=2):
        self.arms, self.round, self.means = arms, 0, np.zeros(arms)
        self.forget()

    def forget(self):
        self.sums, self.pulls = np.zeros(self.arms), np.zeros(self.arms)

    def select(self):
        return self.round % self.arms if self.round < 8 else int(np.argmax(self.means))

    def update(self, action, reward):
        self.round += 1
        self.sums[action] += reward
        self.pulls[action] += 1
        if self.round % 8 == 0:
            self.means = self.publish()

    def publish(self):
        pulls = np.maximum(self.pulls, 1)
        noisy = self.sums / pulls + np.random.laplace(0, 1 / pulls, self.arms)
        self.forget()
        return noisy


class OneByOne(Blocks):
    def publish(self):
        noisy = [s + np.random.laplace(0, 1.0) for s in self.sums]
        self.forget()
        return np.array(noisy) / 4


class ByLocation(Blocks):
    def publish(self):
        noisy = np.random.laplace(self.sums, 1.0)
        self.forget()
        return noisy


class InPlace(Blocks):
    def publish(self):
        self.sums += earlier_alias(scale=1.0, size=self.arms)
        noisy = self.sums.copy()
        self.forget()
        return noisy


class OwnGenerator(Blocks):
    def __init__(self, rng, arms=2):
        super().__init__(rng, arms)
        self.rng, self.state = np.random.default_rng(), np.random.RandomState()

    def publish(self):
        noisy = [self.sums[0] + self.rng.laplace(0, 1.0), self.sums[1] - self.state.laplace(0, 1.0)]
        self.forget()
        return np.array(noisy)


class ModuleGenerator(Blocks):
    def publish(self):
        noisy = self.sums + MODULE_RNG.laplace(0, 1.0, self.arms)
        self.forget()
        return noisy + MODULE_RNG.random(self.arms)


class InAPartial(Blocks):
    draw = staticmethod(partial(np.random.laplace, 0, 1.0))

    def publish(self):
        noisy = self.sums + [self.draw() for _ in self.sums]
        self.forget()
        return noisy


class OneDrawForAll(Blocks):
    """The broken twin: `size` is missing, so that all arms share one draw and their differences have no noise."""

    def publish(self):
        noisy = self.sums + np.random.laplace(0, 1.0)
        self.forget()
        return noisy


class SameDrawAgain(Blocks):
    """The broken twin: the draw of the first block is added to the sums of all blocks."""

    draws = None

    def publish(self):
        if self.draws is None or self.round == 8:
            self.draws = np.random.laplace(0, 1.0, self.arms)
        return self.sums + self.draws


class NeverForgets(Blocks):
    """The broken twin: the rewards of the first block are published with every block, with fresh noise."""

    def forget(self):
        if self.round == 0:
            super().forget()


class RawAtTheEnd(Blocks):
    """The broken twin: after the first block it plays the best arm by its sums."""

    def select(self):
        return super().select() if self.round < 10 else int(np.argmax(self.sums))


class NoiseByData(Blocks):
    """The broken twin: the scale of the noise is read from the rewards."""

    def publish(self):
        noisy = self.sums + np.random.laplace(0, 1.0 + self.sums.max(), self.arms)
        self.forget()
        return noisy


def gauss(data, rng):
    return data.sum() + random.gauss(0, 2.0)


def normal_matrix(data, rng):
    noise = np.random.normal(0, 2.0, (2, 2))
    noise = np.triu(noise) + np.triu(noise, 1).T
    return np.outer(data[:2], data[:2]) + noise


def measured(data, rng):
    return NOISY_NUMBER(float(data.sum()))


def measured_by_alias(data, rng):
    return INVOKE(NOISY_NUMBER, float(data.sum()))


def measured_by_bound_method(data, rng):
    return BOUND(float(data.sum()))


def measured_vector(data, rng):
    return round(max(NOISY_VECTOR(data.tolist())), 3)  # what is done with a release costs nothing


def measured_count(data, rng):
    return NOISY_COUNT([int(x) for x in data if x > 0.5])


def measured_twice(data, rng):
    return measured(data, rng) + NOISY_NUMBER(float(data.sum()))


def scale_by_data(data, rng):
    return make_laplace(ATOMS, dp.absolute_distance(T=float), scale=float(1 + data.max()))(float(data.sum()))


def branches(data, rng):
    released = measured(data, rng)
    return released if data[0] < 0.5 else NOISY_NUMBER(0.0)


def swallows(data, rng):
    """The broken twin: whatever goes wrong is hidden, a divergence too."""
    try:
        return branches(data, rng)
    except Exception:
        return 0.0


def as_many_calls_as_data(data, rng):
    return [NOISY_NUMBER(float(x)) for x in data if x > 0.5]


def as_long_as_data(data, rng):
    return NOISY_VECTOR([float(x) for x in data if x > 0.5])


def adds_raw(data, rng):
    return measured(data, rng) + 1e-3 * data[0]


def fails_on_data(data, rng):
    if data.sum() == 1.0:  # on a neighbour of the stream of zeros
        raise ValueError("too large")
    return measured(data, rng)


def in_a_thread(data, rng):
    found = []
    worker = threading.Thread(target=lambda: found.append(measured(data, rng)))
    worker.start()
    worker.join()
    return found[0] > 1e6
