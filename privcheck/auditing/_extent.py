"""The extent of an audit: which pairs are screened and how many runs are made, fixed before anything else is played."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

from privcheck.auditing import _costs as costs
from privcheck.auditing._confirmation.sequential_audit import stages
from privcheck.auditing._harness.checked_runs import runs_of_check
from privcheck.auditing._scoring.views_of import views_of
from privcheck.auditing._search.stream_families import spread
from privcheck.auditing._time_needed import TimeNeeded, time_needed
from privcheck.targets import DEFAULT_RUNS, DEFAULT_TIME_BUDGET, RANDOM, Effort, StreamPair, Target

USUAL_STAGES = 3
"""Stages of a sequential audit of a few tens of thousands of runs, each with a search of its own."""


@dataclass(frozen=True)
class Extent:
    """How much is played.

    Parameters
    ----------
    pairs : the candidate pairs that are screened.
    candidates : the number of candidate pairs that there are.
    runs : runs per stream of the final pair.
    deadline : `time.monotonic()` at which the audit is cut short.
    measured : what the target costs, by the pilot; None where runs were given.
    needed : the time that audits of it need; None where runs were given.

    """

    pairs: list[StreamPair]
    candidates: int
    runs: int
    deadline: float
    measured: costs.Costs | None = None
    needed: TimeNeeded | None = None


def make_extent(effort: Effort, jobs: int, policy: Target, pairs: list[StreamPair], started: float) -> Extent:
    """Return the extent: the numbers that were asked for, or those that a pilot finds to fit into the time costs.

    The clock has no further part in the audit, except that it ends at three times the budget, or at the budget itself
    if the number of runs was given as well.

    Parameters
    ----------
    effort : what was asked for.
    jobs : the number of workers.
    policy : the target.
    pairs : all candidate pairs.
    started : `time.monotonic()` when the audit began.

    """
    time_budget, engine = effort.time_budget, policy.runner.engine
    number, runs = min(effort.pairs or len(pairs), len(pairs)), effort.runs
    if runs is None and time_budget is None:
        if engine == "kernel":
            runs = DEFAULT_RUNS
        else:
            time_budget = DEFAULT_TIME_BUDGET
    if runs is not None:
        deadline = math.inf if time_budget is None else started + time_budget
        return Extent(spread(pairs, number), len(pairs), runs, deadline)
    assert time_budget is not None
    measured = costs.measured_costs(policy.runner, pairs, views_of(policy), effort.seed, time_budget)
    return _fitted(effort, time_budget, jobs, policy, pairs, started, measured)


def fitted_again(
    extent: Extent, run: float, effort: Effort, jobs: int, policy: Target, pairs: list[StreamPair], started: float
) -> Extent:
    """Return the extent by what a run has taken in the check of the target: those of the pilot were its first ones, in
    which programs are still being compiled.

    Parameters
    ----------
    extent : that of the pilot.
    run : seconds of a run in the check.
    effort, jobs, policy, pairs, started : as for `make_extent`.
    """
    assert extent.measured is not None
    assert extent.needed is not None
    measured = replace(extent.measured, run=run)
    return _fitted(effort, extent.needed.budget, jobs, policy, pairs, started, measured)


def _fitted(
    effort: Effort,
    time_budget: float,
    jobs: int,
    policy: Target,
    pairs: list[StreamPair],
    started: float,
    measured: costs.Costs,
) -> Extent:
    """Return the extent that fits into what is left of the time budget."""
    engine, passed = policy.runner.engine, time.monotonic() - started
    left = costs.PLANNED_SHARE * max(0.0, time_budget - passed)
    number = min(effort.pairs or len(pairs), len(pairs))

    def course(sizes: list[int], screened: int) -> float:
        random = sum(pair.base == RANDOM for pair in spread(pairs, screened))
        return costs.course_seconds(sizes, screened, measured, jobs, engine, random)

    if effort.pairs is None:
        least = [0] * (USUAL_STAGES if effort.sequential else 1)
        number = costs.pairs_within(left, len(pairs), lambda screened: course(least, screened))
    runs = costs.runs_within(left, lambda runs: course(stages(runs) if effort.sequential else [runs], number))
    fewest = number if effort.pairs else min(number, costs.FEWEST_PAIRS)
    needed = time_needed(
        measured.run,
        passed,
        time_budget,
        lambda runs: runs_of_check(policy.runner, runs),
        lambda runs, screened: course([runs], screened),
        (fewest, number, number if effort.pairs else len(pairs)),
        (costs.FEWEST_RUNS, runs),
        costs.PLANNED_SHARE,
    )
    deadline = started + costs.WALL_CAP * time_budget
    return Extent(spread(pairs, number), len(pairs), runs, deadline, measured, needed)
