"""Before a certificate is granted one run goes on beyond its rounds: what code begins to do late is seen there."""

from __future__ import annotations

import pytest

from privcheck import certify
from privcheck.certifying._certify import LATER

TEXT = """
import itertools
from collections import namedtuple
from datetime import date, timedelta

import numpy as np

Settings = namedtuple("Settings", "warm")
DAY = timedelta(days=1)


class Policy:
    PLAN = "LG" * 10

    def __init__(self, rng, arms=2):
        self.rng, self.t, self.arm = rng, 0, 0
        {init}

    def select(self):
        return self.arm

    def update(self, action, reward):
        t, rng = self.t, self.rng
        self.t += 1
        {line}
        self.arm = int(noisy > 0.5)
"""
LEAKS = {
    "two periods": ("", "noisy = reward + rng.laplace(0, 1) * (1 - (t % 7 == 6) * (t % 5 == 4))"),
    "functions": ("self.made = [lambda x: x + rng.laplace(0, 1)] * 12 + [float] * 9", "noisy = self.made[t](reward)"),
    "settings": ("self.settings = Settings(20)", "noisy = reward + rng.laplace(0, 1) * (t < self.settings.warm)"),
    "sum": ("self.phases = [5, 7, 6, 2]", "noisy = reward + rng.laplace(0, 1) * (t < sum(self.phases))"),
    "text": ("", "noisy = reward + rng.laplace(0, 1) * len(self.PLAN[t : t + 1])"),
    "date": (
        "self.day = date(2024, 1, 1); self.until = date(2024, 1, 20)",
        "self.day += DAY; noisy = reward + rng.laplace(0, 1) * (self.day < self.until)",
    ),
    "product": (
        "self.plan = itertools.product(range(4), range(5))",
        "noisy = reward + rng.laplace(0, 1) * (next(self.plan, None) is not None)",
    ),
}
"""From some round after the eighth and before the sixtieth on, rewards are read without noise."""
REFUSED = {
    "two cycles": (
        "self.table = [[0.0] * 3 for _ in range(4)]",
        "self.table[t % 4][t % 3] += reward; noisy = self.table[t % 4][t % 3] + rng.laplace(0, 1)",
    ),
    "schedule": ("self.scales = [1.0] * 20 + [0.1] * 20", "noisy = reward + rng.laplace(0, self.scales[t])"),
}
"""Later releases take a reward beyond the budget: the guard refuses them."""
RIGHT = {
    "each reward once": ("", "noisy = reward + rng.laplace(0, 1)"),
    "a pool that ends": ("self.z = rng.laplace(0, 1, 20)", "noisy = reward + self.z[t]"),
    "one scale": ("self.scales = [1.0] * 40", "noisy = reward + rng.laplace(0, self.scales[t])"),
    "two cycles of released numbers": (
        "self.table = [[0.0] * 3 for _ in range(4)]",
        "noisy = reward + rng.laplace(0, 1); self.table[t % 4][t % 3] += noisy",
    ),
}


def certified(tmp_path, init, line, horizon=8):
    file = tmp_path / "later.py"
    file.write_text(TEXT.replace("{init}", init or "pass").replace("{line}", line), encoding="utf-8")
    return certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=horizon, runs=1)


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_of_a_later_round_is_one(tmp_path, name):
    found = certified(tmp_path, *LEAKS[name])
    assert (found.granted, found.complete) == (False, False)
    assert found.leaks


@pytest.mark.parametrize("name", REFUSED)
def test_a_release_that_is_refused_later_is_named(tmp_path, name):
    found = certified(tmp_path, *REFUSED[name])
    assert found.granted
    (said,) = [said for said in found.rests_on[LATER] if said.startswith("a run that goes on ends in round ")]
    assert "budget: got a release at later.py:" in said
    number = int(said.partition(" in round ")[2].partition(":")[0])
    longer = certified(tmp_path, *REFUSED[name], horizon=number)
    assert longer.refusals
    assert not longer.granted


@pytest.mark.parametrize("name", RIGHT)
def test_right_twins_are_granted_and_nothing_is_said(tmp_path, name):
    found = certified(tmp_path, *RIGHT[name])
    assert found.granted
    assert found.rests_on.get(LATER, []) == []


def test_a_policy_that_is_told_its_horizon_is_not_played_beyond_it(tmp_path):
    text = TEXT.replace("arms=2)", "arms=2, horizon=8)").replace("{init}", "self.horizon = horizon")
    file = tmp_path / "told.py"
    file.write_text(text.replace("{line}", "noisy = reward + rng.laplace(0, 1) * (t < self.horizon)"), encoding="utf-8")
    found = certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=8, runs=1)
    assert found.granted
