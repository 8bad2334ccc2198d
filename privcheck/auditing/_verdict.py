"""The verdict, the bounds and the resolution that follow from the counts."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist

from privcheck.auditing._confirmation.e_process import Anytime
from privcheck.auditing._confirmation.evidence import Chosen, CountedEvent, Evidence
from privcheck.auditing._confirmation.tally import Tally
from privcheck.auditing._events.event import Counts
from privcheck.auditing._resolution import largest_shown, resolution_of
from privcheck.auditing._search.observed import exceptions_in
from privcheck.auditing._search.successive_halving import Screening
from privcheck.auditing._witness import describe
from privcheck.feedback import kind
from privcheck.inference import two_tails_interval
from privcheck.results import Estimate, Outcome, Resolution, Search, Witness
from privcheck.targets import Claim, Game, StreamPair

LEAST_SHARE = 0.01
"""Least share of the runs on the confirmed pair that some event has, and lacks, where a claim is called consistent."""

MOST_UNREAD = 0.5
"""Most runs, as a share, that may put out a text of their own where a claim is called consistent."""

LONGER = "a longer time budget screens all of them"
NO_LIMIT = "without a limit on their number, all of them are screened"
"""What screens all candidates: where the time was short, and where their number was given."""

TIMES = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten"}


def judge(
    pair: StreamPair, screening: Screening, evidence: Evidence, chosen: Chosen, tally: Tally, claim: Claim, game: Game
) -> Outcome:
    """Return the outcome of the counted runs.

    The verdict depends on the level `error` alone, the lower bound on `confidence`; both use the same counts.
    """
    level = claim.level
    lower, winner = evidence.lower(level)
    resolution = resolution_of(evidence, claim)
    verdict: str | None = None
    notes: tuple[str, ...] = ()
    if claim.epsilon is not None:
        if evidence.lower(claim.error)[0] > claim.epsilon:
            verdict = "violation"
        else:
            verdict, notes = unrefuted(lower, resolution, screening, tally.common, claim, game, unread=chosen.unread)
    if claim.profile is not None:
        return _judged_by_profile(pair, screening, evidence, chosen, tally, claim, game)
    return Outcome(
        verdict=verdict,
        epsilon_lower=max(0.0, lower),
        epsilon_lower_clopper_pearson=max(0.0, evidence.clopper_pearson_lower(winner, level)),
        epsilon_estimate=_estimate(winner.counts, level * winner.share),
        delta_lower=None if claim.epsilon is None else evidence.delta_lower(claim.epsilon, level),
        p_value=None if claim.epsilon is None else evidence.p_value(claim.epsilon, claim.error),
        tradeoff=evidence.tradeoff,
        resolution=resolution,
        witness=describe(pair, winner, tally, level * winner.share),
        screened_pairs=screening.pairs,
        screening_runs=screening.runs,
        refused_pairs=len(screening.errors),
        counted_runs=evidence.runs,
        notes=notes + raised(tally.names) + screening.left_out,
    )


def _judged_by_profile(
    pair: StreamPair, screening: Screening, evidence: Evidence, chosen: Chosen, tally: Tally, claim: Claim, game: Game
) -> Outcome:
    """Return the outcome for a claim in mu, in rho or as a trade-off curve.

    One event and one epsilon were chosen for it beforehand; the claim is refuted if it allows less delta there than the
    exact test shows. The witness is that event. The bound on epsilon comes from the other events, as without a claim.
    """
    profile, level = claim.profile, claim.level
    assert profile is not None
    assert chosen.for_claim is not None
    assert evidence.for_claim is not None
    claimed = profile.claimed_at(evidence.at_epsilon)
    lower = evidence.claim_lower(profile, level)
    resolution = Resolution(largest_shown(profile, claimed, evidence, claim), None)
    event = CountedEvent(chosen.for_claim[0], 1.0, evidence.for_claim, tally.sequences[-1])
    verdict: str = "violation"
    notes: tuple[str, ...] = ()
    if evidence.claim_lower(profile, claim.error) <= claimed:
        verdict, notes = unrefuted(
            lower, resolution, screening, tally.common, claim, game, claimed, unread=chosen.unread
        )
    epsilon, _ = evidence.lower(level)
    return Outcome(
        verdict=verdict,
        epsilon_lower=max(0.0, epsilon),
        claim_lower=lower,
        claim_epsilon=evidence.at_epsilon,
        p_value=evidence.claim_p_value(profile, claim.error),
        tradeoff=evidence.tradeoff,
        resolution=resolution,
        witness=describe(pair, event, tally, level),
        screened_pairs=screening.pairs,
        screening_runs=screening.runs,
        refused_pairs=len(screening.errors),
        counted_runs=evidence.runs,
        notes=notes + raised(tally.names) + screening.left_out,
    )


def judge_anytime(
    pair: StreamPair,
    screening: Screening,
    anytime: Anytime,
    tally: Tally,
    claim: Claim,
    why: str,
    level: float,
    stop_after: int | None,
) -> Outcome:
    """Return the outcome of runs that stopped early or are sequential, from bets that may be read at any time.

    `level` is that of the witness's intervals: the level of the audit, or the share of it that the last events of a
    stage have; `stop_after` is the number of counted runs after which they stopped, None if they ended by themselves.
    """
    winner = anytime.winner
    verdict = anytime.verdict(claim) if claim.profile is None else "inconclusive"
    notes: tuple[str, ...] = (why,) if why else ()
    if verdict == "inconclusive":
        notes += almost(anytime.lower, claim, claim.epsilon)
    return Outcome(
        verdict=verdict,
        epsilon_lower=anytime.lower,
        e_value=anytime.e_value,
        p_value=None if anytime.e_value is None else min(1.0, 1.0 / anytime.e_value),
        witness=describe(pair, winner, tally, level * winner.share, anytime=True),
        screened_pairs=screening.pairs,
        screening_runs=screening.runs,
        refused_pairs=len(screening.errors),
        counted_runs=anytime.pairs,
        stop_after=stop_after,
        notes=notes + raised(tally.names) + screening.left_out,
    )


def unrefuted(
    lower: float,
    resolution: Resolution,
    screening: Screening,
    common: float,
    claim: Claim,
    game: Game,
    claimed: float | None = None,
    *,
    unread: float = 0.0,
) -> tuple[str, tuple[str, ...]]:
    """Return the verdict on a claim that was not refuted, and the notes that say what "consistent" lacks.

    Parameters
    ----------
    lower : the lower bound at the requested confidence.
    resolution : what the runs could have shown.
    screening : the extent of the search.
    common : the share of the counted runs that put out the most common output.
    claim : the claim and the levels.
    game : what was played.
    claimed : the amount that is claimed, if it is not epsilon.
    unread : the share of the runs looked at that put out a text of their own.

    """
    claimed = claim.epsilon if claimed is None else claimed
    notes = almost(lower, claim, claimed)
    constant = screening.constant_within if kind(game.feedback).contextual else screening.constant
    if common > 1.0 - LEAST_SHARE and not constant:
        notes += (
            f"{100 * common:.4g} % of the runs on the confirmed pair put out the same, and no event has between "
            f"{100 * LEAST_SHARE:g} % and {100 * (1 - LEAST_SHARE):g} % of them, so there was next to nothing to "
            "compare: lengthen the horizon, or give streams= on which outputs vary",
        )
    if unread > MOST_UNREAD:
        notes += (
            f"{100 * unread:.4g} % of the runs that were looked at put out a text, keys, a nesting or an integer "
            "beyond 2^62 that no other one did. These are compared as wholes, so that what they tell was not seen: put "
            "out floats in a fixed order, or give encode=",
        )
    enough = resolution.epsilon >= (claimed or 0.0)
    return "consistent" if enough and not notes else "inconclusive", notes


EVIDENCE = "evidence of a violation"
"""How the note begins on a lower bound that is above the claim."""


def almost(lower: float, claim: Claim, claimed: float | None) -> tuple[str, ...]:
    """Return the note on a lower bound that is above the claim, although the claim is not refuted at level `error`."""
    if claimed is None or lower <= claimed:
        return ()
    quantile = NormalDist().inv_cdf
    factor = max(2, math.ceil((quantile(claim.error) / quantile(claim.level)) ** 2)) if claim.level < 0.5 else 2
    times = "twice" if factor == 2 else f"{TIMES.get(factor, factor)} times"
    return (
        f"{EVIDENCE} at {100 * claim.confidence:.15g} %, not yet at {claim.error:g}: {times} the runs would decide",
    )


def conclude(outcome: Outcome, search: Search, failing: tuple[str, ...] = (), remedy: str = LONGER) -> Outcome:
    """Return the outcome with notes on what the search left out; "consistent" becomes "inconclusive" if it is much.

    Nothing left out lessens a violation.

    Parameters
    ----------
    outcome : what the counts decided.
    search : how much of the candidates was looked at.
    failing : what is said of candidates that raise errors, which no longer audit would screen.
    remedy : what screens all candidates.
    """
    notes = outcome.notes + failing
    if outcome.counted_runs and outcome.verdict != "violation" and (search.screened < search.pairs or search.missing):
        few = f"{search.screened:,} of {search.pairs:,} candidate pairs of streams were screened"
        if search.missing:
            few += f", none of {len(search.missing)} of their families"
        needed = "" if search.complete else '; "consistent" needs every family and nine in ten of the pairs'
        how = "" if failing else f": {remedy}"
        notes += (f"{few}{needed}{how}",)
    lacking = outcome.verdict == "consistent" and not search.complete
    verdict = "inconclusive" if lacking else outcome.verdict
    if verdict == "inconclusive" and outcome.witness is not None and _is_certain(outcome.witness):
        notes += (NOTHING_DIFFERED,)
    return replace(outcome, notes=notes, verdict=verdict)


NOTHING_DIFFERED = (
    "the best event holds in every run on both streams, so that nothing told them apart, and more time alone may not "
    "help: if the target releases in batches, build it with a smaller batch; `privcheck certify` bounds the loss from "
    "above"
)


def _is_certain(witness: Witness) -> bool:
    """Return whether an event was seen in all runs on both streams."""
    return witness.probability_first.value == witness.probability_second.value == 1.0


def raised(names: dict[int, str]) -> tuple[str, ...]:
    """Return the note on runs that raised exceptions: whoever looks for the leak begins there."""
    if not (kinds := exceptions_in(names)):
        return ()
    seen = "both class and text, with its numbers" if ": " in kinds else "the class of an exception, never its text"
    return (f"some runs raised {kinds}: an observer sees {seen}",)


def _estimate(counts: Counts, level: float) -> Estimate:
    """Return the log-ratio of hits to misses, with two-sided limits of the test that the lower bound comes from."""
    ratio = math.log(counts.hits / counts.misses) if counts.hits and counts.misses else math.inf
    if not counts.hits:
        ratio = -math.inf
    return Estimate(ratio, *two_tails_interval(*counts, level))


def ended_early(claim: Claim) -> Outcome:
    """Return the outcome of an audit that ended before any run was counted, wherever it was: it is that of none."""
    return Outcome(
        verdict="inconclusive" if claim.given else None,
        screened_pairs=0,
        screening_runs=0,
        stop_after=0,
        notes=(f"cut short before any run was counted, {NO_BOUND}: allow more time or fewer runs",),
    )


ANYTIME = "the lower bound is the one that is valid at any time"
NO_BOUND = "so there is no lower bound"
"""What the notes on an audit that ended early say of its bound."""


def cut_short(counted: int, planned: int) -> str:
    """Return a note on an audit that was ended by the clock, by the user, or by `stop_after`.

    >>> cut_short(1200, 6000)
    'cut short after 1,200 of 6,000 counted runs per stream: the lower bound is the one that is valid at any time'
    """
    return f"cut short after {counted:,} of {planned:,} counted runs per stream: {ANYTIME}"
