"""Coins whose chances are functions of several data, or of several bits of one, that stay between public limits."""

import math

import pytest

import privcheck
from tests.certifying.translated_programs import loaded

POLICY = """\
import numpy as np

import privcheck


class Policy:
    def __init__(self, rng, arms=2):
        self.rng, self.arm, self.rewards = rng, 0, []

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.rewards.append(reward)
        if len(self.rewards) == 2:
            rs, s = self.rewards, sum(self.rewards)
            self.arm = int(self.rng.random() < {})
            self.rewards = []
"""
PRIVATE = {
    "np.clip(0.2 + 0.5 * s, 0.1, 0.9)": math.log(0.6 / 0.1),
    "privcheck.clip(0.2 + 0.5 * s, 0.05, 0.95)": math.log(0.55 / 0.05),
    "min(0.9, max(0.1, 0.5 * s))": math.log(0.6 / 0.1),
    "np.clip(s / 8, 0.1, 0.9)": math.log(0.225 / 0.1),
    "0.25 + 0.5 * max(rs)": math.log(3.0),
    "0.75 - 0.5 * min(rs)": math.log(3.0),
    "0.25 + 0.5 * np.median(rs)": math.log(0.5 / 0.25),
    "0.25 + 0.5 * abs(rs[0] - rs[1])": math.log(3.0),
    "0.95 - 0.5 * np.clip(s, 0.2, 1.2)": math.log(0.65 / 0.15),
}
"""Chances of two rewards in [0, 1], with the largest loss: one reward replaced, the other one anything."""
LEAKING = (
    "np.clip(0.5 * s, 0.0, 0.9)", "0.05 + 0.5 * np.clip(s, 0.2, 2.0)", "max(rs)", "0.5 * s", "1.0 - abs(rs[0] - rs[1])",
    "0.25 + 0.5 * max(rs) + 0.5 * min(rs)", "0.5 * max(rs) - 0.5 * min(rs) + 0.1",
)  # fmt: skip
BITS = {
    "0.25 + 0.5 * (u + v - 2 * u * v)": math.log(3.0),
    "0.25 + 0.5 * (u + v - u * v)": math.log(3.0),
    "0.1 + 0.4 * (u + v)": math.log(9.0),
}
LEAKING_BITS = ("u + v - 2 * u * v", "0.25 + 0.5 * (u + v)", "0.6 * (u + v - u * v) + 0.5")


def certified(code, folder, chance, epsilon):
    return privcheck.certify(loaded(code.format(chance), folder), epsilon=epsilon, arms=2, horizon=8, runs=8)


def largest_loss(chance):
    """Return the largest loss on a grid, by another way than intervals: plain numbers in the same expression."""
    import numpy as np

    grid = np.linspace(0.0, 1.0, 41)
    found = np.array(
        [[eval(chance, {"np": np, "privcheck": privcheck}, {"rs": [a, b], "s": a + b}) for b in grid] for a in grid]
    )
    ratios = [np.log(p.max(axis=axis) / p.min(axis=axis)).max() for p in (found, 1.0 - found) for axis in (0, 1)]
    return max(ratios)


@pytest.mark.parametrize("chance", PRIVATE)
def test_a_chance_of_several_data_is_charged_its_largest_loss(chance, tmp_path):
    found = certified(POLICY, tmp_path, chance, 3.0)
    assert found.granted, str(found)
    assert found.ledger_epsilon == pytest.approx(PRIVATE[chance], rel=1e-6)
    assert largest_loss(chance) <= found.ledger_epsilon * (1.0 + 1e-9)


@pytest.mark.parametrize("chance", LEAKING)
def test_a_chance_that_may_be_0_or_1_is_a_leak(chance, tmp_path):
    found = certified(POLICY, tmp_path, chance, 3.0)
    assert [leak.line for leak in found.leaks] == [17], str(found)


OF_BITS = """\
class Policy:
    def __init__(self, rng, arms=2):
        self.rng, self.arm = rng, 0

    def select(self):
        return self.arm

    def update(self, action, rewards):
        u, v = (rewards[0] > 0.5) * 1.0, (rewards[1] > 0.5) * 1.0
        self.arm = int(self.rng.random() < {})
"""


def of_bits(chance, folder):
    policy = loaded(OF_BITS.format(chance), folder)
    return privcheck.certify(policy, epsilon=3.0, arms=2, horizon=4, runs=8, feedback="full")


@pytest.mark.parametrize("chance", BITS)
def test_a_chance_of_bits_of_one_datum_has_the_ends_that_these_take_together(chance, tmp_path):
    found = of_bits(chance, tmp_path)
    assert found.granted, str(found)
    assert found.ledger_epsilon == pytest.approx(BITS[chance], rel=1e-6)


@pytest.mark.parametrize("chance", LEAKING_BITS)
def test_one_that_they_take_to_0_or_1_is_a_leak(chance, tmp_path):
    assert of_bits(chance, tmp_path).leaks
