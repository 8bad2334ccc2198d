"""An audit whose number of runs is fixed in advance; if it is cut short, bets decide."""

from __future__ import annotations

from dataclasses import replace

from privcheck.auditing import budget
from privcheck.auditing.confirmation.e_process import Bets
from privcheck.auditing.confirmation.evidence import count, settle
from privcheck.auditing.confirmation.folds import taken
from privcheck.auditing.scoring.views_of import views_of
from privcheck.auditing.search.simplest_witness import Simplest, simplest_witness
from privcheck.auditing.search.successive_halving import Screening, screen, screening_cost
from privcheck.auditing.verdict import ended_early, judge, judge_anytime
from privcheck.auditing.witness import describe
from privcheck.progress import progress
from privcheck.results.audit_outcome import Outcome
from privcheck.targets.mechanism import is_measurement
from privcheck.targets.outputs import Outputs, alike
from privcheck.targets.sampling import Request, Sampler, StoppedError
from privcheck.targets.settings import Settings
from privcheck.targets.stream_pair import StreamPair
from privcheck.targets.target import Target


def search_and_confirm(
    sampler: Sampler, pairs: list[StreamPair], runs: int, settings: Settings, policy: Target
) -> Outcome:
    """Screen the pairs, play the most promising one on fresh runs, and return the outcome.

    Parameters
    ----------
    sampler : plays the runs.
    pairs : the candidates.
    runs : runs per stream of the most promising pair.
    settings : the settings of the audit.
    policy : the target.

    """
    spend = budget.screening_budget(runs, sampler.runner.engine)
    level, delta, why = settings.level, settings.delta, ""
    with progress(f"auditing {policy.name}", 2 * runs + screening_cost(len(pairs), spend)) as advance:
        try:
            found = screen(sampler, pairs, spend, runs, level, delta, views_of(policy), advance)
        except StoppedError as stopped:
            return ended_early(Screening(1, 0), stopped.why, settings)
        try:
            played = sampler.play([Request(found.pair, side, runs, (2, side)) for side in (0, 1)], advance)
        except StoppedError as stopped:
            played = [Outputs.joined(part) for part in stopped.parts if part]
            why = stopped.why
    if len(played) < 2:
        return ended_early(found.screening, why, settings)
    one, two = alike(played)
    sides = one, two
    chosen = settle(found.pair, sides, runs, level, delta, views_of(policy), found.training, settings.epsilon)
    last = min(len(sides[0]), len(sides[1]))
    if chosen is None or last == chosen.folds.counting.start:
        return ended_early(found.screening, why, settings)
    counted = taken(sides, slice(chosen.folds.counting.start, last))
    if not why:
        outcome = judge(found.pair, found.screening, count(chosen, counted, level, delta), counted, settings)
        if outcome.verdict != "violation":
            return outcome
        own = len(pairs) == 1 or is_measurement(policy.mechanism)  # not rows, a metric
        return _with_simplest(outcome, simplest_witness(sampler, found.pair, runs, settings, policy, own=own), settings)
    bets = Bets(chosen, settings)
    bets.add(counted)
    why += " before all planned runs were played: the lower bound is the one that is valid at any time"
    return judge_anytime(found.pair, found.screening, bets.read(counted, level), counted, settings, why, level)


def _with_simplest(outcome: Outcome, simpler: Simplest | None, settings: Settings) -> Outcome:
    if simpler is None:
        return outcome
    lower, winner = simpler.evidence.lower(settings.level)
    witness = describe(simpler.pair, winner, simpler.sides, settings.level * winner.share)
    return replace(outcome, simplest=witness, simplest_lower=max(0.0, lower))
