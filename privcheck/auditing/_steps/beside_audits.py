"""The noisy step of slow code, looked for after the whole runs of an audit that refute nothing: a suspicion, no more.

The look has a fixed share of the time, of what an audit leaves for the witness of a violation. It chooses no pair and
takes no run of the audit, so it can neither make a violation nor hide one.
"""

from __future__ import annotations

import time
from dataclasses import replace

from privcheck.auditing._costs import seconds_per_run
from privcheck.auditing._plan import Plan
from privcheck.auditing._search.stream_families import spread
from privcheck.auditing._steps.find_steps import best_tried, is_looked_into, own_seed
from privcheck.auditing._steps.other_coins import runs_for
from privcheck.auditing._steps.reported_steps import PROVIDED
from privcheck.auditing._steps.search_steps import FIRST, search_steps
from privcheck.auditing._steps.shown_alike import RUNS
from privcheck.auditing._steps.stand_ins import generators_seen
from privcheck.auditing._steps.time_of_a_look import LookTime
from privcheck.progress import progress
from privcheck.results import Outcome, Suspicion
from privcheck.targets import DEFAULT_TIME_BUDGET

SLOW = 1e-3
"""Seconds of a run from which code is slow: the default time budget pays for some ten thousand runs a stream."""

SHARE = 0.15
"""Share of the time budget after which the look ends, whatever it has found; with the time budget itself at the latest.
"""

SHARE_OF_PAIRS = 0.5
"""Share of that for runs on pairs; the rest is for playing calls alone, and for runs with other coins."""

PILOT_SHARE = 0.01
"""Share of the time budget in which a run is timed."""

FEWEST_PAIRS, MOST_PAIRS, RUNS_OF_A_PAIR = 2, 40, 4
"""Pairs that are looked at, at least and at most, and runs of the whole target on each."""


def suspected_step(plan: Plan, outcome: Outcome, started: float) -> Suspicion | None:
    """Return what a step of slow code shows against the claim; None if nothing does, or nothing was looked for.

    Steps are looked for if the numbers of runs and pairs are left to a time budget: an audit with given numbers takes
    no time for anything else, and is repeated exactly.

    Parameters
    ----------
    plan : of the audit.
    outcome : of its whole runs.
    started : `time.monotonic()` when the audit began.
    """
    ended = outcome.verdict == "violation" or outcome.stop_after is not None or not outcome.counted_runs
    if ended or not _is_open(plan):
        return None
    try:
        return _suspected(plan, started)
    except Exception:  # of the target, or of copies of what it holds: whole runs stand by themselves
        return None
    except KeyboardInterrupt:  # what the whole runs have shown is not lost
        return None


def _suspected(plan: Plan, started: float) -> Suspicion | None:
    runner, effort, claim = plan.policy.runner, plan.settings.effort, plan.settings.claim
    budget, seed, now = effort.time_budget or DEFAULT_TIME_BUDGET, own_seed(effort.seed), time.monotonic()
    deadline = min(now + SHARE * budget, started + budget)
    if deadline - now < 2.0 * PILOT_SHARE * budget:
        return None
    cost = seconds_per_run(runner, plan.candidates, seed, PILOT_SHARE * budget)
    fewest = 2 * FIRST + RUNS_OF_A_PAIR * FEWEST_PAIRS + 2 * (runs_for(claim) + 1) + RUNS
    left = deadline - time.monotonic()
    if cost < SLOW or fewest * cost > left:
        return None
    number = max(FEWEST_PAIRS, min(MOST_PAIRS, int(SHARE_OF_PAIRS * left / (RUNS_OF_A_PAIR * cost))))
    with generators_seen(), progress(f"looking for steps of {plan.policy.name}", number + 100) as advance:
        pairs = spread(plan.candidates, number)
        until = LookTime(left, deadline)
        found = search_steps(runner, pairs, seed, until.part(SHARE_OF_PAIRS), advance)
        return best_tried(found, plan, seed, None, until, advance)[2]


def _is_open(plan: Plan) -> bool:
    """Tell whether the look has a time budget, a claim in epsilon, and calls that can be recorded."""
    effort, by = plan.settings.effort, plan.settings.execution
    is_fixed = effort.runs is not None or effort.stop_after is not None or effort.pairs is not None
    is_elsewhere = by.scheduler is not None or by.store is not None or by.guarded
    has_events = plan.adversary is not None or plan.law is not None or plan.settings.claim.epsilon is None
    return not (is_fixed or is_elsewhere or has_events) and is_looked_into(plan.policy.runner)


def with_step(outcome: Outcome, step: Suspicion | None) -> Outcome:
    """Return the outcome of whole runs with what a step shows: without a violation, that is a suspicion."""
    if step is None or outcome.verdict == "violation":
        return outcome
    said = (step.sentence, f"what the step shows holds provided that {'; '.join(PROVIDED)}")
    return replace(outcome, verdict="inconclusive", suspicion=step, notes=(*outcome.notes, *said))
