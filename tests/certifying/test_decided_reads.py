"""Reads of raw data that were the same for all data in every run that was seen, and are not between these."""

import pytest

import privcheck
from tests.certifying.translated_programs import loaded

POLICY = """\
import math

import numpy as np


class Policy:
    def __init__(self, rng, arms=2):
        self.rng, self.arm, self.t, self.sum, self.noisy = rng, 0, 0, 0.0, np.zeros(arms)

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.noisy[action] += float(reward + self.rng.laplace(0.0, 1.0))
        {}
"""
BETWEEN = {
    "a comparison": "self.arm = 1 if self.noisy[0] + 1e-4 * reward > 0.5 else 0",
    "of a sum": "self.sum += reward; self.arm = int(self.noisy[0] + 1e-5 * self.sum > 0.5)",
    "the other way round": "self.arm = int(1e-4 * reward < self.noisy[action] if action == 0 else 0)",
    "an index": "self.arm = int(np.argmax(self.noisy + np.array([1e-4 * reward, 0.0])))",
    "a smallest entry": "self.arm = int(np.argmin([1e-4 * reward, float(self.noisy[0])]))",
    "rounding down": "self.arm = math.floor(self.noisy[0] + 1e-4 * reward) % 2",
    "an integer": "self.arm = int(self.noisy[0] + 1e-4 * reward) % 2",
    "//": "self.arm = int((self.noisy[0] + 1e-4 * reward) // 2.0) % 2",
    "an absolute value": "self.arm = int(abs(self.noisy[0] + 1e-4 * reward) > 0.5)",
    "after a read of a constant": ("for x in (reward, self.noisy[0] + 1e-4 * reward): self.arm = int(x > 0.5)"),
    "an entry of many": "v = np.full(80, 0.7); v[70] = self.noisy[0] + 1e-4 * reward; self.arm = int((v > 0.5)[70])",
    "bins": "self.arm = int(np.digitize(self.noisy[0] + 1e-4 * reward, [0.5]))",
    "the larger number": "n = float(self.noisy[0]); self.arm = int(max(n, 1e-4 * reward) == n)",
    "the smaller number": "n = float(self.noisy[0]); self.arm = int(np.minimum(n, 1e-4 * reward) == n)",
    "an excess": "self.arm = int(bool(max(self.noisy[0] + 1e-4 * reward - 0.5, 0.0)))",
    "sorted numbers": "n = float(self.noisy[0]); self.arm = int(sorted([n, 1e-4 * reward])[0] == n)",
    "numbers sorted by numpy": "n = float(self.noisy[0]); self.arm = int(np.sort([n, 1e-4 * reward])[0] == n)",
    "a median": "n = float(self.noisy[0]); self.arm = int(np.median([n, 1e-4 * reward, 10.0]) == n)",
    "a clip at a released number": ("n = float(self.noisy[0]); self.arm = int(np.clip(1e-4 * reward, n, None) == n)"),
    "a clip of a released number": "self.arm = int(np.clip(self.noisy[0] + 1e-4 * reward, 0.5, None) == 0.5)",
    "rounded noise": "self.arm = int(round(1000.0 * self.noisy[0]) + 1e-4 * reward >= 500.0)",
    "ties of rounded noise": (
        "self.arm = int(max((round(1000.0 * self.noisy[0]), 1e-4 * reward, 0), (0, 0.5e-4, 1))[2])"
    ),
    "ties of decimals": (
        "self.arm = max((round(float(self.noisy[a]), 3), 1e-4 * reward if a else 0.5e-4, a) for a in (0, 1))[2]"
    ),
    "ties of sorted keys": (
        "self.arm = sorted([0, 1], key=lambda a: (round(1000.0 * self.noisy[a]), (1e-4 * reward, 0.5e-4)[a]))[0]"
    ),
}
RIGHT = {
    "of what was released": "self.arm = int(self.noisy[0] > 0.5) if self.t > 1 else int(np.argmax(self.noisy))",
    "a count": "self.arm = int(reward > 2 * self.t); self.arm = int(2 * self.t + 3 > reward)",
    "numbers of the code": "self.arm = max(int(reward > limit) for limit in (1.5, 2.5)) + int(reward < -0.5)",
    "bounds that hold": (
        "assert -1e3 - 0.5 < self.noisy[action] + reward < 1e3 + 0.5 and math.isfinite(self.noisy[action] + reward)"
    ),
    "an infinite index": "self.arm = int(np.argmax([reward, np.inf])); self.arm = int(np.argmax([np.inf, reward]))",
    "other numbers in each round": "self.arm = int(reward + 2.3 > 1.7 * self.t) if self.t != 2 else 0",
    "multiples of a count": "self.arm = int(4 * self.t + reward > 9.5)",
    "a limit that is released": (
        "n = float(self.noisy[action])\n"
        "        self.noisy[1 - action] += float(np.clip(reward, 0.0, n) + self.rng.laplace(0.0, 1.0))"
    ),
    "tuples without ties": "self.arm = max((round(1000.0 * self.noisy[a]), a, reward) for a in (0, 1))[1]",
    "keys without ties": "self.arm = max((0, 1), key=lambda a: (float(self.noisy[a]), reward))",
    "an indicator that is released": (
        "self.sum += reward > self.noisy[0] / 4; n = float(self.sum + self.rng.laplace(0.0, 1.0)); self.sum = 0.0"
    ),
}


def certified(line, folder, epsilon):
    return privcheck.certify(loaded(POLICY.format(line), folder), epsilon=epsilon, arms=2, horizon=8, runs=8)


@pytest.mark.parametrize("name", BETWEEN)
def test_what_depends_on_data_for_other_released_numbers_is_named(name, tmp_path):
    found = certified(BETWEEN[name], tmp_path, 1.0)
    line = 1 + POLICY[: POLICY.index("{}")].count("\n")
    assert (found.granted, found.complete) == (False, False)
    named = any(f":{line} reads unreleased data beside numbers that differ" in note for note in found.notes)
    assert named or [leak.line for leak in found.leaks] == [line], "unlikely noise may lie between, too"


@pytest.mark.parametrize("name", RIGHT)
def test_what_does_not_is_granted(name, tmp_path):
    found = certified(RIGHT[name], tmp_path, 2.0)
    assert found.granted, str(found)
