"""A step is suspected only where what it makes comes into the output in the same way on both neighbours."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.auditing._steps import find_steps
from privcheck.auditing._steps.find_steps import MIXED
from privcheck.auditing._steps.shown_alike import mixes
from privcheck.targets import Outputs

FILE = Path(__file__).parent / "mixed_targets.py"
_spec = importlib.util.spec_from_file_location("mixed_targets", FILE)
targets = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(targets)

PAIR = (np.array([0.1, 0.2, 0.3, 0.4, 0.45]), np.array([0.9, 0.2, 0.3, 0.4, 0.45]))
BY_NAME = {"ids": lambda target: getattr(target, "__name__", "")}


def steps(target, **options):
    return privcheck.steps(target, **{"epsilon": 1.0, "streams": PAIR, "runs": 1000} | options)


@pytest.mark.parametrize("target", targets.RIGHT, **BY_NAME)
@pytest.mark.chance(1e-7, "the level of the suspicion: one audit of a call within its claim")
def test_what_data_take_back_is_not_suspected(target):
    found = steps(target, error=1e-7)
    assert found.suspicion is None
    assert found.outcome == targets.RIGHT[target]
    assert (found.undecided == MIXED) is (found.outcome == "undecided")


@pytest.mark.parametrize("target", targets.RIGHT, **BY_NAME)
def test_a_look_that_takes_no_part_of_the_output_is_seen(target, monkeypatch):
    """Broken twin: all of these are suspected by the step alone."""
    monkeypatch.setattr(find_steps, "is_mixed", lambda *_: False)
    assert steps(target).suspicion is not None


@pytest.mark.parametrize("target", targets.FAULTY, **BY_NAME)
def test_what_is_at_fault_is_still_suspected(target):
    found = steps(target)
    assert found.suspicion is not None
    assert found.best.function == targets.FAULTY[target]


@pytest.mark.parametrize(
    "target", [targets.beside_the_data, targets.steps_that_write_over, targets.counts_of_fixed_groups]
)
def test_a_look_that_finds_everything_mixed_is_seen(target, monkeypatch):
    monkeypatch.setattr(find_steps, "is_mixed", lambda *_: True)
    found = steps(target)
    assert (found.suspicion, found.undecided) == (None, MIXED)


def shown(*rows):
    return [Outputs.of_numbers(np.array([row])) for row in rows]


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        (shown([0.0, 1.0], [1.0, 1.0], [0.0, 1.0]), shown([0.0, 2.0], [1.0, 2.0], [0.0, 2.0]), False),
        (shown([0.0], [1.0], [0.0]), shown([0.0], [2.0], [0.0]), True),
        (shown([0.0], [1.0], [0.0]), shown([1e-12], [1.0], [1e-12]), False),
        (shown([1e9], [1e9 + 1.0], [1e9]), shown([1e9 + 1.0], [1e9 + 2.0], [1e9 + 1.0]), True),
        (shown([3.0], [3.0], [3.0]), shown([0.0], [2.0], [0.0]), True),
        (shown([3.0], [3.0], [3.0]), shown([4.0], [4.0], [4.0]), False),
        (shown([0.0], [1.0], [0.5]), shown([0.0], [2.0], [0.0]), False),
        (shown([0.0], [1.0], [0.0]), shown([0.0], [2.0], [0.5]), False),
        (shown([0.0, 0.0], [1.0, 0.0], [0.0, 0.0]), shown([0.0], [1.0], [0.0]), False),
        (shown([0.0, 0.0], [0.0, 1.0], [0.0, 0.0]), shown([0.0], [1.0], [0.0]), True),
    ],
    ids=[
        "a part",
        "another function",
        "rounded",
        "among large numbers",
        "on one",
        "written over",
        "unlike coins",
        "there",
        "fewer",
        "another place",
    ],
)
def test_parts_of_outputs_decide(one, two, expected):
    assert mixes(one, two) is expected


def test_the_medians_are_within_their_claims():
    """By their densities on a grid finer than the data, and a search over neighbours."""

    def log_density(data, epsilon):
        ends, weights = targets.intervals(data, epsilon)
        grid = (np.arange(2000) + 0.5) / 2000
        k = np.clip(np.searchsorted(ends, grid, side="left") - 1, 0, len(data))
        return np.log(weights[k] / weights.sum() / np.diff(ends)[k])

    def loss(one, two, epsilon):
        return np.abs(log_density(one, epsilon) - log_density(two, epsilon)).max()

    rng = np.random.default_rng(0)
    pairs = [PAIR]
    for _ in range(300):
        data = rng.choice(np.arange(0.0, 1.01, 0.05), 5)
        pairs.append((data, np.append(rng.choice([0.0, 1.0]), data[1:])))
    assert max(loss(*pair, 1.0) for pair in pairs) <= 1.0
    assert loss(*PAIR, 12.0) > 3.0


def test_the_number_of_an_interval_tells_more_than_a_number_in_it():
    one, two = (targets.intervals(data, 1.0)[1] for data in PAIR)
    assert np.abs(np.log(one / one.sum()) - np.log(two / two.sum())).max() > math.log(3.5)
