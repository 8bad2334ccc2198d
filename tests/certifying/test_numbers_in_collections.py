"""Rewards that code keeps in a deque or a dictionary, or hands over one after another: as those in a list."""

import pytest

import privcheck
from tests.certifying.translated_programs import loaded

POLICY = """\
import functools
import math
import statistics
from collections import deque

import numpy as np


class Mine(list):
    pass


class Policy:
    def __init__(self, rng, arms=2):
        self.rng, self.arm, self.t, self.window, self.named, self.best = rng, 0, 0, deque(maxlen=4), {{}}, 0.0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.window.append(reward)
        self.named[self.t % 4] = reward
        self.best = np.maximum(self.best, reward) if self.t % 4 != 1 else reward
        if self.t % 4 == 0:
            w = self.window
            self.arm = int({} + self.rng.laplace(0.0, {}) > 0.7)
"""
RANGE = (
    "max(w)", "min(w)", "sorted(w)[1]", "sorted(w, reverse=True)[1]", "max(w, default=0)", "max(iter(w))",
    "max(x for x in w)", "max(reversed(w))", "max(map(float, w))", "max(self.named.values())",
    "functools.reduce(max, w)", "np.max(w)", "np.amax(w)", "np.sort(w)[2]", "max(Mine(w))", "self.best",
    "np.minimum(w[0], w[1])", "math.fsum(w)",
)  # fmt: skip
MOVES = dict.fromkeys(RANGE, 1.0) | {
    "np.median(w)": 0.5, "statistics.median(w)": 0.5, "statistics.median(x for x in w)": 0.5, "max(0.5, *w)": 0.5,
    "np.quantile(w, 0.25)": 0.75, "statistics.fmean(w)": 0.25, "statistics.mean(w)": 0.25,
    "math.fsum(x / 4 for x in w)": 0.25,
}  # fmt: skip
"""How far one of four rewards in [0, 1] moves each at most."""


def certified(code, scale, folder):
    return privcheck.certify(loaded(POLICY.format(code, scale), folder), epsilon=1.0, arms=2, horizon=12, runs=6)


@pytest.mark.parametrize("code", MOVES)
def test_it_is_charged_as_of_a_list(code, tmp_path):
    found = certified(code, MOVES[code], tmp_path)
    assert found.granted, str(found)
    assert found.ledger_epsilon == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize(
    "code", ["max(w)", "sorted(w, reverse=True)[1]", "functools.reduce(max, w)", "statistics.fmean(w)"]
)
def test_with_too_little_noise_it_is_refused(code, tmp_path):
    found = certified(code, 0.9 * MOVES[code], tmp_path)
    assert (found.granted, bool(found.refusals), found.leaks) == (False, True, [])


@pytest.mark.parametrize("code", ["max(w) > 0.5", "sorted(w)[0] * (w[0] > w[1])", "max(w, key=abs) > 0.5"])
def test_what_is_read_without_noise_is_a_leak(code, tmp_path):
    assert certified(code, 1.0, tmp_path).leaks
