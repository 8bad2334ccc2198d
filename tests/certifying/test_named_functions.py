"""A line that never ran and hands a function that releases to others: they call it once more."""

from __future__ import annotations

import pytest

from privcheck import certify

HEAD = """\
import functools

import numpy as np

from privcheck.mechanisms import Laplace


def apply(function):
    return function(0)


class Policy:
    def __init__(self, rng):
        self.rng, self.arm, self.total, self.last, self.k = rng, 0, 0.0, 0, 1
        self.mechanism = Laplace(sensitivity=1.0, epsilon=1.0)

    def select(self):
        return self.arm

    def score(self, arm):
        return self.mechanism.release(self.total, self.rng)

    def index(self, arm):
        return arm + self.k

    def update(self, action, reward):
        self.total = reward
        n = self.score(0)
        if n > 1e6:
            LINE
        self.total = 0.0
        self.arm = int(n > 0.5)
"""
LINES = [
    "self.last = max(range(2), key=self.score)",
    "print(list(map(self.score, range(2))))",
    "print(np.vectorize(self.score)(range(2)))",
    "print(apply(self.score))",
    "print(functools.partial(self.score, 1)())",
    "print([f(0) for f in [self.score]])",
    "f = self.score; print(f(0))",
    "print((f := self.score)(0))",
    "print(sorted(range(2), key=self.score))",
]
RIGHT = ["self.last = max(range(2), key=self.index)", "print(n)", "self.k = 2"]


def certificate(line, folder):
    file = folder / "policy.py"
    file.write_text(HEAD.replace("LINE", line), encoding="utf-8")
    return certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=6, runs=2)


@pytest.mark.parametrize("line", LINES)
def test_it_is_listed(line, tmp_path):
    found = certificate(line, tmp_path)
    assert (found.leaks, found.refusals, found.granted) == ([], [], False)
    assert [unreached.text for unreached in found.unreached] == [line]


@pytest.mark.parametrize("line", RIGHT)
def test_functions_that_release_nothing_are_not_listed(line, tmp_path):
    found = certificate(line, tmp_path)
    assert (found.unreached, found.granted) == ([], True)
