"""The plan of an audit: which pairs are screened and how many runs are made, fixed before anything else is played."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from privcheck.auditing import _budget as budget
from privcheck.auditing._confirmation.sequential_audit import stages
from privcheck.auditing._scoring.views_of import views_of
from privcheck.auditing._search.stream_families import spread
from privcheck.targets import RANDOM, Settings, StreamPair, Target

USUAL_STAGES = 3
"""Stages of a sequential audit of a few tens of thousands of runs, each with a search of its own."""


@dataclass(frozen=True)
class Plan:
    """What is played.

    Parameters
    ----------
    pairs : the candidate pairs that are screened.
    candidates : the number of candidate pairs that there are.
    runs : runs per stream of the final pair.
    deadline : `time.monotonic()` at which the audit is cut short.

    """

    pairs: list[StreamPair]
    candidates: int
    runs: int
    deadline: float


def make_plan(settings: Settings, policy: Target, pairs: list[StreamPair], started: float) -> Plan:
    """Return the plan: the numbers that were asked for, or those that a pilot finds to fit into the time budget.

    The clock has no further part in the audit, except that it ends at three times the budget, or at the budget itself
    if the number of runs was given as well.

    Parameters
    ----------
    settings : the settings of the audit.
    policy : the target.
    pairs : all candidate pairs.
    started : `time.monotonic()` when the audit began.

    """
    time_budget, engine = settings.time_budget, policy.runner.engine
    number, runs = min(settings.pairs or len(pairs), len(pairs)), settings.runs
    if runs is None and time_budget is None:
        if engine == "kernel":
            runs = budget.KERNEL_RUNS
        else:
            time_budget = budget.PYTHON_TIME_BUDGET
    if runs is not None:
        deadline = math.inf if time_budget is None else started + time_budget
        return Plan(spread(pairs, number), len(pairs), runs, deadline)
    assert time_budget is not None
    costs = budget.measured_costs(policy.runner, pairs, views_of(policy), settings.seed, time_budget)
    left = budget.PLANNED_SHARE * max(0.0, time_budget - (time.monotonic() - started))

    def course(sizes: list[int], screened: int) -> float:
        random = sum(pair.base == RANDOM for pair in spread(pairs, screened))
        return budget.course_seconds(sizes, screened, costs, settings.jobs, engine, random)

    if settings.pairs is None:
        least = [0] * (USUAL_STAGES if settings.sequential else 1)
        number = budget.pairs_within(left, len(pairs), lambda screened: course(least, screened))
    runs = budget.runs_within(left, lambda runs: course(stages(runs) if settings.sequential else [runs], number))
    return Plan(spread(pairs, number), len(pairs), runs, started + budget.WALL_CAP * time_budget)
