"""A collection that is longer than the rounds that ran: what a policy does at its end was not seen, and is named."""

from __future__ import annotations

import textwrap

import pytest

from privcheck import certify
from privcheck.certifying._certify import LATER

TEXT = """
import itertools
from collections import Counter, defaultdict, deque

import numpy as np

TABLE = np.zeros(64)


class Policy:
    MASK = [1.0] * 64

    def __init__(self, rng, arms=2):
        self.rng, self.t, self.arm, self.history = rng, 0, 0, []
        {init}

    def select(self):
        return self.arm

    def update(self, action, reward):
        t, rng = self.t, self.rng
        self.t += 1
        {line}
        self.arm = int(noisy > 0.5)
"""
DRAWS = "rng.laplace(0, 1, 64)"
NAMED = [
    ("self.z = iter(DRAWS)", "noisy = reward + next(self.z, 0.0)"),
    ("self.z = dict(enumerate(DRAWS))", "noisy = reward + self.z.get(t, 0.0)"),
    ("self.z = DRAWS", "noisy = reward + self.z[t : t + 1].sum()"),
    ("self.z = [1.0] * 64", "noisy = reward + sum(self.z[t : t + 1]) * rng.laplace(0, 1)"),
    ("self.z = [0] * 64", "noisy = reward + rng.laplace(0, 1) * (t < len(self.z))"),
    ("self.z = dict.fromkeys(range(100), 1.0)", "noisy = reward + rng.laplace(0, self.z.get(t, 0.1))"),
    ("self.z = np.zeros(168)", "h = t % len(self.z); self.z[h] += reward; noisy = self.z[h] + rng.laplace(0, 1)"),
    ("self.z = np.zeros(168)", "h = t % self.z.shape[0]; self.z[h] += reward; noisy = self.z[h] + rng.laplace(0, 1)"),
    ("self.z = itertools.cycle(range(168))", "h = next(self.z); noisy = h + reward + rng.laplace(0, 1)"),
    ("self.z = deque(np.zeros(168))", "self.z.rotate(-1); self.z[0] += reward; noisy = self.z[0] + rng.laplace(0, 1)"),
    ("self.z = DRAWS", "noisy = reward + self.z[t % len(self.z)]"),
    ("self.z = itertools.cycle(DRAWS)", "noisy = reward + next(self.z)"),
    ("self.z = deque(DRAWS)", "self.z.rotate(1); noisy = reward + self.z[0]"),
    ("self.z = DRAWS", "noisy = reward + np.take(self.z, t, mode='wrap')"),
    ("self.z = {'pool': DRAWS}", "noisy = reward + self.z['pool'][t : t + 1].sum()"),
    ("", "z = DRAWS; noisy = reward + z[t : t + 1].sum()"),
    ("", "noisy = reward + DRAWS[t : t + 1].sum()"),
    ("", "noisy = reward + rng.laplace(0, 1) * (t < TABLE.size)"),
    ("", "noisy = reward + rng.laplace(0, 1) * (t < len(Policy.MASK))"),
    ("", "noisy = reward + rng.laplace(0, 1) * sum(itertools.islice(self.MASK, t, t + 1))"),
    ("self.z = defaultdict(float, {i: 1.0 for i in range(64)})", "noisy = reward + rng.laplace(0, 1) * self.z[t]"),
    ("self.z = Counter(range(64))", "noisy = reward + rng.laplace(0, 1) * self.z[t]"),
    ("self.z = (x for x in DRAWS)", "noisy = reward + next(self.z, 0.0)"),
    ("self.z = itertools.chain(DRAWS, itertools.repeat(0.0))", "noisy = reward + next(self.z)"),
    ("self.z = None", "self.z = list(DRAWS) if t == 0 else self.z; noisy = reward + sum(self.z[t : t + 1])"),
    ("self.z = DRAWS", "noisy = reward + self.z[t - 1]"),
    ("self.z = DRAWS", "noisy = reward + self.z[-t]"),
    ("self.z = [1.0] * 60 + [0.1] * 20", "noisy = reward + rng.laplace(0, self.z[t])"),
    ("self.z = np.repeat([1.0, 0.1], [60, 20])", "noisy = reward + rng.laplace(0, self.z[t])"),
    ("self.z = iter([1.0] * 60 + [0.1] * 20)", "noisy = reward + rng.laplace(0, next(self.z))"),
]
"""Beyond the end, each adds no noise, or again what it added before; the last ones add less before it."""
SILENT = [
    ("self.z = DRAWS", "noisy = reward + self.z[t]"),
    ("self.z = list(DRAWS)", "noisy = reward + self.z.pop()"),
    ("self.z = iter(DRAWS)", "noisy = reward + next(self.z)"),
    ("self.z = np.ones(100) / 100", "noisy = reward + rng.laplace(0, 1) * self.z.sum()"),
    ("self.z = {'scale': 1.0, 'seeds': list(range(100))}", "noisy = reward + rng.laplace(0, self.z['scale'])"),
    ("self.z = [1.0] * 80", "noisy = reward + rng.laplace(0, self.z[t])"),
    ("self.z = np.zeros(100)", "self.z[self.arm] += 1; noisy = reward + rng.laplace(0, 1)"),
    ("self.z = np.zeros((1000, 2))", "noisy = reward + rng.laplace(0, 1) + self.z[t, 0]"),
    ("", "self.history += [t, t, t]; noisy = reward + rng.laplace(0, 1) + len(self.history)"),
    ("self.z = []", "self.z = self.z or list(DRAWS); noisy = reward + self.z.pop()"),
    ("self.z = np.zeros(64)", "noisy = reward + rng.laplace(0, 1) + np.ones(64) @ self.z"),
]
"""Right twins: they stop with an error at the end, or depend on no end."""


def named(tmp_path, init, line):
    text = TEXT.replace("{init}", init or "pass").replace("{line}", line).replace("DRAWS", DRAWS)
    file = tmp_path / "long.py"
    file.write_text(text, encoding="utf-8")
    certificate = certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=6, runs=1)
    assert certificate.granted
    return certificate.rests_on.get(LATER, []), text.splitlines()


@pytest.mark.parametrize(("init", "line"), NAMED)
def test_the_end_of_a_longer_collection_is_named(tmp_path, init, line):
    said, lines = named(tmp_path, init, line)
    places = {lines[int(one.split()[1]) - 1].strip() for one in said}
    assert line.replace("DRAWS", DRAWS) in places
    assert any(" reads " in one and "(raise --horizon to " in one for one in said)


@pytest.mark.parametrize(("init", "line"), SILENT)
def test_a_collection_that_ends_with_an_error_is_not_named(tmp_path, init, line):
    assert named(tmp_path, init, line)[0] == []


def test_objects_of_the_target_are_not_asked_how_they_are_written(tmp_path):
    """Their text may hold a reward, or be made by code that fails; numbers of long lists are compared, not these."""
    text = """
    class Arm:
        def __init__(self):
            self.total = 0.0
        def __repr__(self):
            return f"{self.total:.2f}"
    class Policy:
        def __init__(self, rng, arms=2):
            self.rng, self.arm, self.groups = rng, 0, [[Arm(), Arm()]] * 30
        def select(self):
            return self.arm
        def update(self, action, reward):
            arm = self.groups[0][action]
            arm.total += reward
            noisy, arm.total = arm.total + self.rng.laplace(0, 1), 0.0
            self.arm = int(noisy > 0.5)
    """
    file = tmp_path / "written.py"
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    certificate = certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=6, runs=1)
    assert certificate.granted
    assert not any("repr()" in kind for kind in certificate.rests_on)


def test_a_list_that_holds_itself_is_looked_at(tmp_path):
    init = "self.z = [1.0] * 70; self.z.append([self.z, [self.z]])"
    said, _ = named(tmp_path, init, "noisy = reward + rng.laplace(0, self.z[t])")
    assert any(" reads self.z, of 71 values" in one for one in said)
