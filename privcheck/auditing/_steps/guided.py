"""An audit of slow code: its noisy step is looked for first, and names the pair on which whole runs are spent.

A step that is told apart better than the claim says nothing of the target: `privcheck/auditing/_steps/find_steps.py`.
It chooses a pair, by runs of its own, and whole runs alone make a violation.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace

from privcheck.auditing._costs import PLANNED_SHARE, seconds_per_run
from privcheck.auditing._plan import Plan
from privcheck.auditing._search.stream_families import spread
from privcheck.auditing._steps.find_steps import PROVIDED, can_be_looked_at, own_seed, suspected
from privcheck.auditing._steps.played_alone import best_alone
from privcheck.auditing._steps.search_steps import MOST_PAIRS, search_steps
from privcheck.errors import PrivcheckError
from privcheck.progress import progress
from privcheck.results import Outcome, Suspicion
from privcheck.targets import DEFAULT_TIME_BUDGET, StreamPair

SLOW = 1e-3
"""Seconds of a run from which a target is slow: the default time budget pays for some ten thousand runs a stream, which
a search of all pairs would use up.
"""

PILOT = 0.1
"""Seconds in which a run is timed."""

SHARE = 0.2
"""Share of a time budget for the look at steps, and for playing them alone, each."""


def guided(plan: Plan, started: float) -> tuple[Plan, float]:
    """Return the plan, or that of the pair of a step alone, of slow code with a step that speaks against the claim.

    Steps are looked for if the number of runs is left to a time budget: an audit with a given number of runs and pairs
    is repeated exactly, and takes no time for anything else.

    Parameters
    ----------
    plan : of the audit.
    started : `time.monotonic()` when the audit began.

    Returns
    -------
    The plan, and the time when the audit would have begun if other programs had not taken any of the look.
    """
    if not _is_open(plan):
        return plan, started
    begun, computed = time.monotonic(), time.process_time()
    try:
        found = _looked_for(plan)
    except PrivcheckError:
        found = None  # the audit itself says what is wrong with the target
    other_programs = time.monotonic() - begun - (time.process_time() - computed)
    started += max(0.0, other_programs)
    if found is None:
        return plan, started
    pair, suspicion = found
    settings = plan.settings.changed(streams=(pair.first, pair.second))
    return replace(plan, settings=settings, candidates=[pair], step=suspicion), started


def _looked_for(plan: Plan) -> tuple[StreamPair, Suspicion] | None:
    """Return the pair of the step that speaks against the claim; None if the target is fast, or has none."""
    runner, effort, claim = plan.policy.runner, plan.settings.effort, plan.settings.claim
    seed, budget = own_seed(effort.seed), effort.time_budget or DEFAULT_TIME_BUDGET
    cost = seconds_per_run(runner, plan.candidates, seed, PILOT)
    if cost < SLOW:
        return None
    number = max(2, min(MOST_PAIRS, int(SHARE * budget / (3.0 * cost))))
    with progress(f"looking for steps of {plan.policy.name}", number + 100) as advance:
        found = search_steps(runner, spread(plan.candidates, number), seed, math.inf, advance)
        whole = max(20, int(PLANNED_SHARE * (1.0 - 2.0 * SHARE) * budget / (2.0 * cost)))
        alone, _ = best_alone(found, claim, seed, SHARE * budget, advance, whole_runs=whole)
    suspicion = None if alone is None else suspected(found, alone, claim)
    return None if alone is None or suspicion is None else (alone.step.pair, suspicion)


def _is_open(plan: Plan) -> bool:
    """Tell whether there are pairs to choose from, runs to be spent, and a claim in epsilon."""
    effort, by = plan.settings.effort, plan.settings.execution
    fixed = effort.runs is not None or effort.stop_after is not None or effort.pairs is not None
    elsewhere = by.scheduler is not None or by.store is not None or by.guarded
    several = len(plan.candidates) > 1 and plan.adversary is None and plan.law is None
    return (
        several
        and not fixed
        and not elsewhere
        and plan.settings.claim.epsilon is not None
        and (can_be_looked_at(plan.policy.runner))
    )


def judged_by_step(outcome: Outcome, plan: Plan) -> Outcome:
    """Return the outcome of whole runs on a step's pair: without a violation, what the step shows is a suspicion."""
    if plan.step is None:
        return outcome
    chosen = f"the pair of streams was found by a step: {plan.step.sentence}"
    if outcome.verdict == "violation":
        return replace(outcome, notes=(*outcome.notes, f"{chosen}; whole runs were counted on that pair"))
    notes = (*outcome.notes, chosen, f"what the step shows holds provided that {'; '.join(PROVIDED)}")
    return replace(outcome, verdict="inconclusive", suspicion=plan.step, notes=notes)
