"""The second step of an audit: play the target, search for a pair, and count runs on it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from privcheck.auditing._confirmation.fixed_runs import search_and_confirm
from privcheck.auditing._confirmation.sequential_audit import search_and_bet
from privcheck.auditing._costs import WALL_CAP
from privcheck.auditing._extent import Extent, fitted_again, make_extent
from privcheck.auditing._harness.checked_runs import check_runs
from privcheck.auditing._harness.earlier_inputs import refuse_earlier_inputs
from privcheck.auditing._law_verdict import searching
from privcheck.auditing._plan import Plan
from privcheck.auditing._search.left_out import without_failing
from privcheck.auditing._search.stream_families import spread
from privcheck.auditing._verdict import ended_early
from privcheck.results import LawEvidence, Outcome
from privcheck.scheduling import Executor, digest, executor
from privcheck.targets import (
    Claim,
    Effort,
    Sampler,
    ServiceRunner,
    StoppedError,
    StreamPair,
    Target,
    closing,
    played_by,
)


@dataclass(frozen=True)
class Played:
    """What was played, and what its counts are.

    Parameters
    ----------
    candidates : the pairs of the plan; that which a given law tells apart best comes first.
    extent : how many of them were screened, with how many runs.
    outcome : what the search and the counted runs decided.
    hints : what the check of the target found that may explain a violation.
    by_law : what a given law says of the first candidate.
    released : whether a run of that check put out numbers.
    left_out : the pairs of the plan on which the target raises an error, which are no candidates.
    failing : the note on them.
    """

    candidates: list[StreamPair]
    extent: Extent
    outcome: Outcome
    hints: tuple[str, ...] = ()
    by_law: LawEvidence | None = None
    released: bool = True
    left_out: tuple[StreamPair, ...] = ()
    failing: tuple[str, ...] = ()

    @property
    def every(self) -> list[StreamPair]:
        """All pairs that a complete search would have screened."""
        return [*self.candidates, *self.left_out]


def played(plan: Plan, started: float) -> Played:
    """Play what is planned; an audit that stops after 0 counted runs plays nothing but a pilot.

    Candidates on which the target raises an error are left out, and the others are played from the beginning.

    Parameters
    ----------
    plan : what is to be played.
    started : `time.monotonic()` when the audit began.

    Raises
    ------
    PolicyError : a target that fails on all candidates, or on the pair that was given, or whose runs are not
        independent.
    KeyboardInterrupt : an interrupt before the search; a later one ends it, with what is known by then.
    """
    every, by, runner = plan.candidates, plan.settings.execution, plan.policy.runner
    with closing(runner), executor(by.jobs, by.scheduler, by.store) as workers:
        found, failing = without_failing(
            every, plan.settings.effort, runner, lambda pairs: _played(plan, pairs, started, workers)
        )
    kept = set(map(id, found.candidates))
    return replace(found, left_out=tuple(pair for pair in every if id(pair) not in kept), failing=failing)


def _played(plan: Plan, candidates: list[StreamPair], started: float, workers: Executor) -> Played:
    settings, policy = plan.settings, plan.policy
    claim, effort = settings.claim, settings.effort
    if plan.law is not None:
        candidates = plan.law.best_first(candidates, claim.delta, effort, policy.runner)
    extent = _kept_extent(effort, policy, candidates, started, workers)
    nothing = Played(candidates, extent, ended_early(claim))
    if effort.stop_after == 0:
        return nothing
    if extent.needed is not None and extent.needed.too_long:
        return _with_time(nothing)
    sampler = Sampler(policy.runner, effort.seed, workers, extent.deadline)
    try:
        checked = check_runs(policy.runner, candidates, effort.seed, extent.runs, extent.deadline)
        if extent.measured is not None and isinstance(policy.runner, ServiceRunner) and not policy.runner.reproducible:
            extent = fitted_again(extent, checked.seconds, effort, workers.jobs, policy, candidates, started)
        by_law = None if plan.law is None else plan.law.evidence(candidates[0], sampler, extent.runs, claim)
    except StoppedError:
        return _with_time(nothing)
    outcome = _counted(plan, searching(claim, by_law), extent, workers)
    if outcome.verdict in ("violation", "consistent") or (by_law is not None and by_law.bound.verdict == "violation"):
        checked.again()
    outcome = replace(outcome, notes=(*outcome.notes, *workers.notes))
    seen = replace(nothing, hints=checked.hints, released=checked.released)
    found = replace(seen, extent=extent, outcome=outcome, by_law=by_law)
    return found if outcome.counted_runs or time.monotonic() < extent.deadline else _with_time(found)


def _with_time(found: Played) -> Played:
    """Return an audit that counted no run with the time that it needs, or why it ended, where that is known."""
    needed = found.extent.needed
    if needed is None:
        return found
    note = needed.nothing_counted if needed.too_long else needed.ended_by_the_clock(WALL_CAP)
    return replace(found, outcome=replace(found.outcome, notes=(note,)))


def _kept_extent(
    effort: Effort, policy: Target, candidates: list[StreamPair], started: float, workers: Executor
) -> Extent:
    """Return the extent; one that a pilot finds is that of the time when the store was begun."""
    extent = make_extent(effort, workers.jobs, policy, candidates, started)
    if workers.store is None or effort.runs is not None:
        return extent
    asked = (effort.time_budget, effort.pairs, effort.sequential, effort.seed)
    key = digest(("plan", played_by(policy.runner), [(pair.first, pair.second) for pair in candidates], asked))
    number, runs = workers.store.settled(key, lambda: (len(extent.pairs), extent.runs))
    return replace(extent, pairs=spread(candidates, int(number)), runs=int(runs))


def _counted(plan: Plan, claim: Claim, extent: Extent, workers: Executor) -> Outcome:
    """Search and count, with what is left of the levels; what an interrupt leaves without any counted run is an audit
    that ended early.

    Raises
    ------
    PolicyError : without seeds, outputs that follow the inputs of earlier runs.
    """
    settings, policy = replace(plan.settings, claim=claim), plan.policy
    sampler = Sampler(policy.runner, settings.effort.seed, workers, extent.deadline)
    search = search_and_bet if settings.effort.sequential else search_and_confirm
    try:
        outcome = search(sampler, extent.pairs, extent.runs, settings, policy)
    except KeyboardInterrupt:
        return ended_early(claim)
    refuse_earlier_inputs(sampler.course)
    return outcome
