"""Ways in which others add noise to what is private, each with a twin that reveals raw data."""

# ruff: noqa: NPY002  this is the code of others

import math
import os
import random
import secrets
import statistics
from collections import namedtuple

import numpy as np
import pandas as pd
from scipy import stats

Spelling = namedtuple("Spelling", "name correct twin")

SPELLINGS = []


def spelling(twin):
    """Take a correct mechanism and its broken twin."""

    def take(correct):
        SPELLINGS.append(Spelling(correct.__name__, correct, twin))
        return correct

    return take


def raw_beside(data, rng):
    return [float(data.sum()) + float(np.random.laplace(0, 1.0)), float(data[0])]


def raw(data, rng):
    return float(data.sum()) + 0.0 * random.random()


def raw_winner(data, rng):
    float(np.random.laplace())
    return int(data.sum() > 2.5)


@spelling(lambda data, rng: data.sum() + np.random.laplace(0, 1.0 + data[0]))
def plain(data, rng):
    return data.sum() + np.random.laplace(0, 1.0)


@spelling(lambda data, rng: (pd.Series(data) + np.random.laplace(0, 1.0)).tolist())
def series_plus_noise(data, rng):
    return (pd.Series(data) + np.random.laplace(0, 1.0, len(data))).tolist()


@spelling(lambda data, rng: (np.random.laplace(0, 1.0) + pd.Series(data)).tolist())
def noise_plus_series(data, rng):
    return (np.random.laplace(0, 1.0, len(data)) + pd.Series(data)).tolist()


@spelling(raw)
def series_sum(data, rng):
    return pd.Series(data).sum() + np.random.laplace(0, 1.0)


@spelling(lambda data, rng: (pd.DataFrame({"x": data}) + np.random.laplace()).x.tolist())
def frame_plus_noise(data, rng):
    return (pd.DataFrame({"x": data}) + np.random.laplace(0, 1.0, (len(data), 1))).x.tolist()


@spelling(raw_beside)
def frame_column(data, rng):
    frame = pd.DataFrame({"x": data})
    frame["noisy"] = frame.x + np.random.laplace(0, 1.0, len(frame))
    return frame.noisy.to_list()


@spelling(raw_beside)
def new_column_of_noise(data, rng):
    frame = pd.DataFrame({"x": data, "noise": np.random.laplace(0, 1.0, len(data))})
    return (frame.x + frame.noise).to_list()


@spelling(raw_beside)
def float_of_noise(data, rng):
    return float(data.sum()) + float(np.random.laplace(0, 1.0))


@spelling(lambda data, rng: [np.random.laplace(0, 1.0, 2).tolist(), data.tolist()][1])
def noise_to_list(data, rng):
    return [x + z for x, z in zip(data.tolist(), np.random.laplace(0, 1.0, len(data)).tolist(), strict=True)]


@spelling(lambda data, rng: np.random.laplace(0, 1.0, 1).item() and float(data[0]))
def item_of_noise(data, rng):
    return data.sum() + np.random.laplace(0, 1.0, 1).item()


@spelling(lambda data, rng: (np.random.exponential(), float(data.sum()))[1])
def difference_of_exponentials(data, rng):
    return data.sum() + np.random.exponential(1.0) - np.random.exponential(1.0)


@spelling(lambda data, rng: float(data.sum()) * (np.random.choice([-1, 1]) ** 2))
def sign_times_exponential(data, rng):
    return data.sum() + np.random.choice([-1, 1]) * np.random.exponential(1.0)


@spelling(lambda data, rng: float(data.sum()) + 0.0 * np.random.uniform())
def inverse_of_the_law(data, rng):
    u = np.random.uniform(-0.5, 0.5)
    return data.sum() - np.sign(u) * np.log(1 - 2 * abs(u))


@spelling(raw)
def inverse_by_random(data, rng):
    u = random.random() - 0.5
    return float(data.sum()) - math.copysign(1.0, u) * math.log(1 - 2 * abs(u))


@spelling(lambda data, rng: (rng.exponential(), float(data[0]))[1])
def exponentials_of_rng(data, rng):
    return data.sum() + rng.exponential() - rng.exponential()


@spelling(lambda data, rng: (np.random.default_rng(5).exponential(), float(data[0]))[1])
def exponentials_of_a_seed(data, rng):
    own = np.random.default_rng(5)
    return data.sum() + own.exponential() - own.exponential()


@spelling(lambda data, rng: (np.random.RandomState().exponential(), float(data[0]))[1])
def exponentials_of_a_state(data, rng):
    own = np.random.RandomState(7)
    return data.sum() + own.exponential() - own.exponential()


@spelling(lambda data, rng: data + np.random.Generator(np.random.PCG64(3)).laplace())
def generator_by_hand(data, rng):
    own = np.random.Generator(np.random.PCG64(3))
    return data + own.laplace(0, 1.0, len(data))


@spelling(lambda data, rng: (secrets.randbelow(5), float(data[0]))[1])
def from_secrets(data, rng):
    u = (secrets.randbelow(2**53 - 1) + 1) / 2**53 - 0.5
    return float(data.sum()) - math.copysign(1.0, u) * math.log(1 - 2 * abs(u))


@spelling(lambda data, rng: (random.SystemRandom().random(), float(data[0]))[1])
def from_the_system(data, rng):
    own = random.SystemRandom()
    return float(data.sum()) + own.expovariate(1.0) - own.expovariate(1.0)


@spelling(lambda data, rng: (os.urandom(8), float(data[0]))[1])
def from_urandom(data, rng):
    u = (int.from_bytes(os.urandom(8), "big") + 1) / (2**64 + 2) - 0.5
    return float(data.sum()) - math.copysign(1.0, u) * math.log(1 - 2 * abs(u))


@spelling(lambda data, rng: (stats.laplace.rvs(), float(data[0]))[1])
def scipy_noise(data, rng):
    return data.sum() + stats.laplace.rvs(scale=1.0)


@spelling(lambda data, rng: (stats.laplace(scale=1.0).rvs(random_state=1), float(data[0]))[1])
def scipy_frozen(data, rng):
    return data + stats.laplace(scale=1.0).rvs(size=len(data))


@spelling(raw_winner)
def gumbel_argmax(data, rng):
    scores = np.array([data.sum(), len(data) - data.sum()])
    return int(np.argmax(scores / 4 + np.random.gumbel(size=2)))


@spelling(lambda data, rng: int(data[0] > 0.5) if rng.random() < 2.0 else 0)
def randomised_response(data, rng):
    return int(data[0] > 0.5) if rng.random() < 0.7 else int(data[0] <= 0.5)


@spelling(lambda data, rng: [math.floor(np.random.laplace()), data[0]][1])
def floor_of_noise(data, rng):
    return round(data.sum()) + math.floor(np.random.laplace(0, 2.0))


@spelling(lambda data, rng: data.sum() if np.isfinite(np.random.laplace()) else 0.0)
def checked_noise(data, rng):
    noise = np.random.laplace(0, 1.0)
    if not np.isfinite(noise):
        raise ValueError("noise")
    return data.sum() + noise


@spelling(lambda data, rng: [f"{np.random.laplace()}", float(data[0])][1])
def logged_noise(data, rng):
    noise = np.random.laplace(0, 1.0)
    assert f"noise {noise:.3f}"
    return data.sum() + noise


@spelling(raw_beside)
def sum_of_noises(data, rng):
    return data.sum() + sum(np.random.laplace(0, 1.0, 3))


@spelling(lambda data, rng: (random.choice([1, 2]), statistics.fmean(data))[1])
def counted_coins(data, rng):
    flips = sum(random.choice([0, 1]) for _ in range(400))
    return round(data.sum()) + flips - 200


@spelling(lambda data, rng: (np.random.geometric(0.3), float(data.sum()))[1])
def two_geometrics(data, rng):
    p = 1 - math.exp(-1.0)
    return round(data.sum()) + np.random.geometric(p) - np.random.geometric(p)


@spelling(lambda data, rng: (np.vectorize(lambda x: np.random.laplace())(data).sum(), float(data.sum()))[1])
def vectorised_noise(data, rng):
    return np.vectorize(lambda x: x + float(np.random.laplace(0, 1.0)))(data)


class Bandit:
    """Explores, and otherwise plays the arm with the best noisy mean of the last four rounds: 1-DP."""

    def __init__(self, rng, arms=2):
        self.rng, self.arms, self.rounds = rng, arms, 0
        self.sums, self.means = np.zeros(arms), np.zeros(arms)

    def select(self):
        if self.rng.random() < 0.2:
            return int(self.rng.integers(self.arms))
        return int(np.argmax(self.scores()))

    def scores(self):
        return self.means

    def update(self, action, reward):
        self.rounds += 1
        self.sums[action] += reward
        if self.rounds % 4 == 0:
            self.means = self.published()
            self.sums = np.zeros(self.arms)

    def published(self):
        return self.sums + np.random.laplace(0, 1.0, self.arms)


class FloatsOfNoise(Bandit):
    def published(self):
        return np.array([total + float(np.random.laplace(0, 1.0)) for total in self.sums])


class Exponentials(Bandit):
    def published(self):
        return self.sums + np.random.exponential(size=self.arms) - np.random.exponential(size=self.arms)


class Drawn(Bandit):
    """Draws the arm of the next rounds by the exponential mechanism."""

    def published(self):
        chance = 1 / (1 + math.exp((self.sums[0] - self.sums[1]) / 2))
        return np.eye(2)[int(random.random() < chance)]


class RawInBetween(Bandit):
    def scores(self):
        return self.sums if self.rounds % 4 == 3 else self.means


class FloatsAndRaw(FloatsOfNoise):
    scores = RawInBetween.scores


class OneExponential(Bandit):
    def published(self):
        return self.sums + np.random.exponential() - np.random.exponential()


class OneDraw(Bandit):
    def published(self):
        return self.sums + np.random.laplace(0, 1.0)


CORRECT_BANDITS = (Bandit, FloatsOfNoise, Exponentials, Drawn)
BROKEN_BANDITS = (RawInBetween, FloatsAndRaw, OneExponential, OneDraw)
