"""An audit whose number of runs is fixed in advance; if it is cut short, bets decide."""

from __future__ import annotations

from dataclasses import replace

from privcheck.auditing._confirmation.e_process import Bets
from privcheck.auditing._confirmation.evidence import Chosen, evidence_of, settle
from privcheck.auditing._confirmation.fresh_runs import FreshRuns
from privcheck.auditing._confirmation.shares_of_runs import screening_budget
from privcheck.auditing._confirmation.tally import Tally
from privcheck.auditing._scoring.views_of import views_of
from privcheck.auditing._search.simplest_witness import Simplest, simplest_witness
from privcheck.auditing._search.successive_halving import Found, screen, screening_cost
from privcheck.auditing._verdict import cut_short, ended_early, judge, judge_anytime
from privcheck.auditing._witness import describe
from privcheck.errors import PolicyError
from privcheck.feedback import kind
from privcheck.progress import progress
from privcheck.results import Outcome
from privcheck.scheduling import digest
from privcheck.targets import Claim, Game, Sampler, Settings, Sides, StoppedError, StreamPair, Target, is_measurement


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
    claim, game = settings.claim, settings.game
    spend = screening_budget(runs, sampler.runner.engine)
    level, delta, views = claim.level, claim.delta, views_of(policy)
    with progress(f"auditing {policy.name}", 2 * runs + screening_cost(len(pairs), spend)) as advance:
        try:
            found = screen(sampler, pairs, spend, runs, level, delta, views, advance, relation=game.relation)
            fresh = FreshRuns(sampler, found.pair, runs, advance)
            sides = fresh.before_counting(found.training)
        except StoppedError:
            return ended_early(claim)
        hidden = kind(game.feedback).hidden(found.pair.rounds)
        about = level, delta, views, found.training, claim.epsilon, claim.profile, hidden, claim.error
        chosen = settle(found.pair, sides, runs, *about)
        assert chosen is not None, "all runs before the counting fold are there"
        depends = None if sampler.executor.store is None else _decided_by(sides, runs, claim, found.training)
        tally, cut = fresh.counted(chosen, settings.effort.stop_after, depends)
    if tally is None:
        return ended_early(claim)
    try:
        outcome = _judged(found, chosen, tally, claim, game, runs, tally.runs if cut else settings.effort.stop_after)
    except KeyboardInterrupt:  # what the runs have shown is not lost
        outcome = _judged(found, chosen, tally, claim, game, runs, tally.runs)
    if outcome.verdict != "violation" or outcome.stop_after is not None or claim.profile is not None:
        return outcome
    own = settings.effort.streams is not None or is_measurement(policy.mechanism)  # not rows, a metric
    afford = found.screening.runs + 2 * runs
    try:
        named = {event.view.name for event, _ in chosen.events}
        simpler = simplest_witness(sampler, found.pair, runs, claim, game, policy, own=own, most=afford, read=named)
    except (StoppedError, KeyboardInterrupt):  # the violation does not depend on it
        return replace(outcome, stop_after=tally.runs)
    except PolicyError:  # on simpler streams the target raises an error: the one at hand stands
        return outcome
    return _with_simplest(outcome, simpler, claim)


def _judged(
    found: Found, chosen: Chosen, tally: Tally, claim: Claim, game: Game, runs: int, stop_after: int | None
) -> Outcome:
    """Return the outcome of the counted runs, by bets if there are fewer than planned."""
    counting = runs - chosen.folds.counting.start
    if tally.runs < counting:
        read = Bets.on(chosen, claim, tally).read(tally, claim.level)
        why = cut_short(tally.runs, counting)
        return judge_anytime(found.pair, found.screening, read, tally, claim, why, claim.level, stop_after)
    evidence = evidence_of(chosen, tally, claim.level, claim.delta)
    return replace(judge(found.pair, found.screening, evidence, chosen, tally, claim, game), stop_after=stop_after)


def _decided_by(sides: Sides, runs: int, claim: Claim, training: Sides | None) -> str:
    """Return a digest of all that decides which events are counted, beside what is played."""
    looked_at = [(side.symbols, side.numbers, side.ratios, side.names) for side in (*sides, *(training or ()))]
    return digest((looked_at, runs, claim.level, claim.delta, claim.epsilon, claim.profile))


def _with_simplest(outcome: Outcome, simpler: Simplest | None, claim: Claim) -> Outcome:
    if simpler is None:
        return outcome
    lower, winner = simpler.evidence.lower(claim.level)
    witness = describe(simpler.pair, winner, simpler.tally, claim.level * winner.share)
    return replace(outcome, simplest=witness, simplest_lower=max(0.0, lower))
