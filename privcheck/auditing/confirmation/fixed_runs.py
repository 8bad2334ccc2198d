"""An audit whose number of runs is fixed in advance; if it is cut short, bets decide."""

from __future__ import annotations

from dataclasses import replace

from privcheck.auditing import budget
from privcheck.auditing.confirmation.e_process import Bets
from privcheck.auditing.confirmation.evidence import count, divided, learns_from, settle
from privcheck.auditing.confirmation.folds import folds, probe, taken
from privcheck.auditing.scoring.views_of import views_of
from privcheck.auditing.search.simplest_witness import Simplest, simplest_witness
from privcheck.auditing.search.successive_halving import Found, screen, screening_cost
from privcheck.auditing.verdict import cut_short, ended_early, judge, judge_anytime
from privcheck.auditing.witness import describe
from privcheck.progress import progress
from privcheck.results.audit_outcome import Outcome
from privcheck.targets.mechanism import is_measurement
from privcheck.targets.sampling import Request, Sampler, StoppedError
from privcheck.targets.settings import Settings
from privcheck.targets.stream_pair import StreamPair
from privcheck.targets.target import Target


def search_and_confirm(
    sampler: Sampler, pairs: list[StreamPair], runs: int, settings: Settings, policy: Target
) -> Outcome:
    """Screen the pairs, play the most promising one on fresh runs, and return the outcome.

    An audit that is cut short has `stop_after` in its outcome: with this option it ends in the same way.

    Parameters
    ----------
    sampler : plays the runs.
    pairs : the candidates.
    runs : runs per stream of the most promising pair.
    settings : the settings of the audit.
    policy : the target.

    """
    spend = budget.screening_budget(runs, sampler.runner.engine)
    level, delta, views = settings.level, settings.delta, views_of(policy)
    with progress(f"auditing {policy.name}", 2 * runs + screening_cost(len(pairs), spend)) as advance:
        try:
            found = screen(sampler, pairs, spend, runs, level, delta, views, advance, relation=settings.relation)
            wanted = _wanted(sampler, found, runs, settings.stop_after)
        except StoppedError:
            return ended_early(settings)
        try:
            played, stopped = sampler.play(_requests(found, wanted, runs), advance), False
        except StoppedError as error:
            played, stopped = error.whole, True
    if not played:
        return ended_early(settings)
    sides = played[0], played[1]
    chosen = settle(found.pair, sides, runs, level, delta, views, found.training, settings.epsilon, settings.profile)
    if chosen is None or len(sides[0]) == chosen.folds.counting.start:
        return ended_early(settings)
    counted = taken(sides, slice(chosen.folds.counting.start, None))
    stop_after = len(counted[0]) if stopped else settings.stop_after
    if len(sides[0]) < runs:
        bets = Bets([event for event, _ in chosen.events], settings)
        bets.add(counted)
        why = cut_short(len(counted[0]), runs - chosen.folds.counting.start)
        read = bets.read(counted, level)
        return judge_anytime(found.pair, found.screening, read, counted, settings, why, level, stop_after)
    outcome = judge(found.pair, found.screening, count(chosen, counted, level, delta), chosen, counted, settings)
    outcome = replace(outcome, stop_after=stop_after)
    if outcome.verdict != "violation" or stop_after is not None or settings.profile is not None:
        return outcome
    own = settings.streams is not None or is_measurement(policy.mechanism)  # not rows, a metric
    afford = found.screening.runs + 2 * runs
    try:
        named = {event.view.name for event, _ in chosen.events}
        simpler = simplest_witness(sampler, found.pair, runs, settings, policy, own=own, most=afford, read=named)
    except (StoppedError, KeyboardInterrupt):  # the violation does not depend on it
        return replace(outcome, stop_after=len(counted[0]))
    return _with_simplest(outcome, simpler, settings)


def _wanted(sampler: Sampler, found: Found, runs: int, stop_after: int | None) -> int:
    """Return how many of the planned runs per stream are played: those before the counting fold, and `stop_after`."""
    if stop_after is None:
        return runs
    if learns_from(found.training, runs):
        parts = folds(runs, searched=True)
    else:
        first, second = sampler.play(_requests(found, probe(runs).stop, runs), lambda _: None)
        parts = divided((first, second), runs, found.training)
    start: int = parts.counting.start
    return min(runs, start + stop_after)


def _requests(found: Found, wanted: int, runs: int) -> list[Request]:
    return [Request(found.pair, side, wanted, (2, side), planned=runs) for side in (0, 1)]


def _with_simplest(outcome: Outcome, simpler: Simplest | None, settings: Settings) -> Outcome:
    if simpler is None:
        return outcome
    lower, winner = simpler.evidence.lower(settings.level)
    witness = describe(simpler.pair, winner, simpler.sides, settings.level * winner.share)
    return replace(outcome, simplest=witness, simplest_lower=max(0.0, lower))
