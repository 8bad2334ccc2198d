"""Targets that keep their claims, and that a careless order of runs or a careless search would call violated."""

from __future__ import annotations

import math
import secrets
import sys
from pathlib import Path

import numpy as np
import pytest

import privcheck

COUNTER = [0]

UNREAD = """
import json, secrets, sys
ARMS = {"left": 0, "middle": 1, "right": 2}
ORDER = [ARMS[word] for word in set(ARMS)]  # differs from process to process
for line in sys.stdin:
    likely = secrets.randbelow(10) < 8
    shown = {"action": ORDER[0 if likely else 1 + secrets.randbelow(2)]}
    print(json.dumps(shown if json.loads(line)["op"] == "select" else {"ok": True}), flush=True)
"""


def count_with_noise(data, rng):
    """A sum with two-sided geometric noise: 1-DP where one entry changes by at most 1, and for nothing else."""
    p = 1.0 - math.exp(-1.0)
    return int(np.sum(data) + rng.geometric(p) - rng.geometric(p))


def one_entry_by_one(rng):
    first = rng.integers(100, size=6)
    second = first.copy()
    second[rng.integers(6)] += 1
    return first, second


def drifting(data):
    """A sum with Laplace noise of scale 1 whose level rises with time, by a ten thousandth from run to run."""
    COUNTER[0] += 1
    u = (secrets.randbits(53) + 0.5) / 2.0**53 - 0.5
    return float(np.sum(data)) - math.copysign(math.log(1.0 - 2.0 * abs(u)), u) + 1e-4 * COUNTER[0]


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_the_search_makes_no_pair_that_the_users_function_would_not_draw() -> None:
    """The lower bound of a refuted claim would be far above 1."""
    report = privcheck.audit(count_with_noise, streams=one_entry_by_one, epsilon=1.0, runs=1000, error=1e-6, seed=0)
    assert report.verdict != "violation"
    assert np.abs(report.witness.first - report.witness.second).sum() == 1.0


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error", fresh=True)
def test_a_law_that_drifts_is_no_difference_between_the_streams() -> None:
    """Runs are independent, and each run keeps the claim 1."""
    COUNTER[0] = 0
    streams = np.zeros(1), np.ones(1)
    report = privcheck.audit(drifting, streams=streams, epsilon=1.3, runs=8000, error=1e-6, randomness="independent")
    assert report.verdict != "violation"


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_integers_and_floats_are_no_difference_between_the_inputs() -> None:
    """Randomised response with loss ln 3, between 0 and 0.5."""

    def response(data, rng):
        return data if rng.random() < 0.75 else 0.5 - data

    report = privcheck.audit(response, streams=(0, 0.5), neighbours="report", epsilon=1.2, runs=1000, error=1e-6)
    assert report.verdict != "violation"


@pytest.mark.chance(
    1e-8,
    "a claim of 0.5 where the loss is 0, refuted at level 1e-6 by at most 1e-9 for each of three events",
    fresh=True,
)
def test_what_is_random_in_a_process_is_no_difference_between_the_streams(tmp_path: Path) -> None:
    """With two workers, two processes play a policy that reads no reward; the claim 0.5 is far above its loss of 0."""
    program = tmp_path / "unread.py"
    program.write_text(UNREAD)
    target = privcheck.from_command([sys.executable, str(program)])
    streams = np.zeros(3), np.array([1.0, 0.0, 0.0])
    report = privcheck.audit(target, arms=3, streams=streams, epsilon=0.5, runs=1000, error=1e-6, jobs=2)
    assert report.verdict != "violation"
