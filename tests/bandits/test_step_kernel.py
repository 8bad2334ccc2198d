"""An algorithm written as `select` and `update` is its reference, draw for draw, and its kernel is cached."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from privcheck.arrays import Array
from privcheck.kernels import Generator, inlined, step_kernel
from privcheck.kernels._cache import fingerprint

KEPT = [("sum", np.float64), ("pulls", np.int64)]


@inlined
def select(arms: Any, parameters: Array, coins: Generator, t: int, last: int) -> int:
    """Explore an arm at random with probability parameters[0], else play the best noisy mean."""
    if coins.random() < parameters[0]:
        return int(coins.random() * len(arms))
    best = 0
    for a in range(1, len(arms)):
        if arms[a].sum / arms[a].pulls > arms[best].sum / arms[best].pulls:
            best = a
    return best


@inlined
def update(arm: Any, parameters: Array, coins: Generator, noise: Generator, reward: float) -> None:
    arm.sum += reward + noise.laplace(0.0, 1.0)
    arm.pulls += 1


@inlined
def forgetful_update(arm: Any, parameters: Array, coins: Generator, noise: Generator, reward: float) -> None:
    arm.sum = reward + noise.laplace(0.0, 1.0)
    arm.pulls += 1


class EpsilonGreedy:
    """The reference."""

    def __init__(self, arms: int, explore: float, coins: Generator, noise: Generator) -> None:
        self.explore, self.coins, self.noise = explore, coins, noise
        self.sums, self.pulls = [0.0] * arms, [0] * arms

    def select(self) -> int:
        if 0 in self.pulls:
            return self.pulls.index(0)
        if self.coins.random() < self.explore:
            return int(self.coins.random() * len(self.pulls))
        means = [total / n for total, n in zip(self.sums, self.pulls, strict=True)]
        return means.index(max(means))

    def update(self, action: int, reward: float) -> None:
        self.sums[action] += reward + float(self.noise.laplace(0.0, 1.0))
        self.pulls[action] += 1


def kernel_actions(kernel: Any, table: np.ndarray) -> list[list[int]]:
    runs, (horizon, arms) = 3, table.shape
    actions = np.full((runs, horizon), -1, np.int8)
    streams = [np.random.default_rng(i) for i in range(3)]
    kernel(
        np.array([0.3]), table, np.full(arms, 0.5), *streams, horizon, runs, actions, np.zeros(0, np.int64),
        np.zeros((0, 0)),
    )  # fmt: skip
    return actions.tolist()


def reference_actions(table: np.ndarray) -> list[list[int]]:
    coins, noise = np.random.default_rng(1), np.random.default_rng(2)
    played = []
    for _ in range(3):
        policy = EpsilonGreedy(table.shape[1], 0.3, coins, noise)
        played.append([])
        for row in table:
            action = policy.select()
            policy.update(action, float(row[action]))
            played[-1].append(action)
    return played


def test_a_new_algorithm_agrees_with_its_reference_draw_for_draw():
    table = np.random.default_rng(3).random((200, 4))
    expected = reference_actions(table)
    assert kernel_actions(step_kernel(KEPT, select, update), table) == expected
    assert kernel_actions(step_kernel(KEPT, select, forgetful_update), table) != expected, "the broken twin"


def test_the_first_rounds_may_be_the_algorithms_own():
    table = np.random.default_rng(3).random((4, 4))
    kernel = step_kernel(KEPT, select, update, each_arm_first=False)
    runs = {tuple(actions) for actions in kernel_actions(kernel, table)}
    assert runs != {(0, 1, 2, 3)}
    assert {tuple(actions) for actions in kernel_actions(step_kernel(KEPT, select, update), table)} == {(0, 1, 2, 3)}


@pytest.mark.parametrize(
    ("kept", "chosen", "updated", "each_arm_first"),
    [
        ([*KEPT, ("more", np.float64)], select, update, True),
        (KEPT, update, update, True),
        (KEPT, select, forgetful_update, True),
        (KEPT, select, update, False),
    ],
)
def test_the_cache_tells_kernels_of_different_parts_apart(kept, chosen, updated, each_arm_first):
    base = fingerprint(step_kernel(KEPT, select, update).py_func)
    assert base == fingerprint(step_kernel(list(KEPT), select, update).py_func)
    assert base != fingerprint(step_kernel(kept, chosen, updated, each_arm_first=each_arm_first).py_func)


def test_another_process_finds_the_kernel_in_the_cache():
    code = """
import numpy as np
from privcheck.bandits.imed import imed_kernel
from privcheck.bandits.ucb import ucb_kernel
streams = [np.random.default_rng(i) for i in range(3)]
for kernel in (ucb_kernel, imed_kernel):
    kernel(np.zeros(0), np.zeros((5, 2)), np.full(2, 0.5), *streams, 5, 1, np.zeros((1, 5), np.int8),
           np.zeros(0, np.int64), np.zeros((0, 0)))
    print(sum(kernel.stats.cache_hits.values()), sum(kernel.stats.cache_misses.values()))
"""
    command = [sys.executable, "-P", "-c", code]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert runs[1].splitlines() == ["1 0", "1 0"]
