"""The number of runs of an audit, fixed before any counted run is looked at."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from privcheck.auditing.search.simplest_witness import RUNS_SHARE
from privcheck.auditing.search.successive_halving import screening_cost
from privcheck.targets.runners import Runner

KERNEL_RUNS = 200_000
"""Runs per stream of a kernel where the user says nothing: seconds of work at the default horizon."""

PYTHON_TIME_BUDGET = 60.0
"""Seconds for a target in Python where the user says nothing: as long as a user waits for a first answer."""

SAFETY = 0.6
"""Share of a time budget that the pilot plans to use. It leaves a margin because an audit that runs out of time before
any run is counted has no bound to report, and because half of the time to simplify a witness is not planned for.
"""

PILOT_SECONDS = 0.5
"""Time of the pilot: under 1 % of the default time budget, yet thousands of runs at 10 microseconds per round."""


def screening_budget(runs: int, engine: str) -> int:
    """Return the number of runs, both streams together, to spend on the search for a pair: more where runs are cheap.

    >>> screening_budget(1000, "python"), screening_budget(1000, "kernel")
    (2000, 8000)
    """
    return runs * (2 if engine == "python" else 8)


def seconds_per_run(runner: Runner, table: Any, seed: int) -> float:
    """Return the time of one run, measured on pilot runs that are then discarded."""
    runner.play(table, 1, np.random.SeedSequence(seed, spawn_key=(0, 0)))
    runs, batch = 0, 8
    start = time.perf_counter()
    while time.perf_counter() - start < PILOT_SECONDS:
        runner.play(table, batch, np.random.SeedSequence(seed, spawn_key=(0, 1, runs)))
        runs += batch
        batch = min(2 * batch, runner.chunk_runs)
    return (time.perf_counter() - start) / runs


def runs_within(seconds: float, cost: float, jobs: int, engine: str, pairs: int = 1, *, simplified: bool = True) -> int:
    """Return the runs per stream that fit into a time budget, to two significant digits.

    Parameters
    ----------
    seconds : time budget.
    cost : seconds per run.
    jobs : workers.
    engine : the runner's engine, which determines the share of screening.
    pairs : candidate pairs of streams, each of which is screened with a minimum number of runs.
    simplified : whether to reserve time to simplify the witness of a violation.

    Examples
    --------
    >>> runs_within(60.0, 1e-4, 1, "python"), runs_within(60.0, 1e-4, 1, "python", simplified=False)
    (63000, 90000)
    """
    affordable = _affordable(seconds, cost, jobs)
    least = screening_cost(pairs, 0)
    confirming = 2 + simplified * 0.5 * RUNS_SHARE  # the other half comes from the margin of SAFETY
    per_side = confirming + screening_budget(100, engine) / 100
    raw = affordable / per_side
    if screening_budget(int(raw), engine) < least:
        raw = (affordable - least) / confirming
    if raw < 100:
        return max(20, int(raw))
    digits = 10 ** (int(math.log10(raw)) - 1)
    return int(int(raw / digits + 1e-9) * digits)


def pairs_within(seconds: float, cost: float, jobs: int, pairs: int) -> int:
    """Return how many candidate pairs of streams can be screened in half of a time budget, at least 2.

    >>> pairs_within(60.0, 1e-3, 1, 800), pairs_within(60.0, 1e-4, 1, 800)
    (147, 800)
    """
    affordable = _affordable(seconds, cost, jobs)
    few, many = 2, pairs + 1
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (middle, many) if screening_cost(middle, 0) <= 0.5 * affordable else (few, middle)
    return min(pairs, few)


def _affordable(seconds: float, cost: float, jobs: int) -> float:
    """Return the number of runs that a time budget allows, counting each worker after the first as 0.8 of a worker."""
    return SAFETY * seconds * (1 + 0.8 * (jobs - 1)) / cost
