"""The verdict, the bounds and the resolution that follow from the counts."""

from __future__ import annotations

import math

from privcheck.auditing.confirmation.e_process import Anytime
from privcheck.auditing.confirmation.evidence import Evidence
from privcheck.auditing.events.event import Counts
from privcheck.auditing.search.successive_halving import Screening
from privcheck.auditing.witness import describe
from privcheck.inference.limits import log_ratio_interval
from privcheck.results.audit_outcome import Outcome
from privcheck.results.audit_report import Estimate, Resolution
from privcheck.targets.outputs import Sides
from privcheck.targets.settings import Settings
from privcheck.targets.stream_pair import StreamPair


def judge(pair: StreamPair, screening: Screening, evidence: Evidence, sides: Sides, settings: Settings) -> Outcome:
    """Return the outcome of the counted runs.

    The verdict depends on the level `error` alone, the lower bound on `confidence`; both use the same counts.
    """
    level = settings.level
    lower, winner = evidence.lower(level)
    resolution = _resolution(evidence, settings)
    verdict: str | None = None
    notes: tuple[str, ...] = ()
    if settings.epsilon is not None:
        if evidence.lower(settings.error)[0] > settings.epsilon:
            verdict = "violation"
        else:
            verdict = "consistent" if resolution.epsilon >= settings.epsilon else "inconclusive"
        if lower > settings.epsilon and verdict != "violation":
            notes = (
                f"the lower bound at confidence {settings.confidence:g} is above the claim, but the claim is not "
                f"refuted at level {settings.error:g}: repeat with more runs and another seed",
            )
    return Outcome(
        verdict=verdict,
        epsilon_lower=max(0.0, lower),
        epsilon_lower_clopper_pearson=max(0.0, evidence.clopper_pearson_lower(level)),
        epsilon_estimate=_estimate(winner.counts, evidence.runs, level * winner.share),
        delta_lower=None if settings.epsilon is None else evidence.delta_lower(settings.epsilon, level),
        tradeoff=evidence.tradeoff,
        resolution=resolution,
        witness=describe(pair, winner, sides, level * winner.share),
        screened_pairs=screening.pairs,
        screening_runs=screening.runs,
        counted_runs=evidence.runs,
        notes=notes,
    )


def judge_anytime(
    pair: StreamPair,
    screening: Screening,
    anytime: Anytime,
    sides: Sides,
    settings: Settings,
    why: str,
    level: float,
) -> Outcome:
    """Return the outcome of runs that stopped early or are sequential, from bets that may be read at any time.

    `level` is the level at which the evidence was read: that of the audit, or a stage's share of it.
    """
    winner = anytime.winner
    return Outcome(
        verdict=anytime.verdict(settings),
        epsilon_lower=anytime.lower,
        e_value=anytime.e_value,
        witness=describe(pair, winner, sides, level * winner.share, anytime=True),
        screened_pairs=screening.pairs,
        screening_runs=screening.runs,
        counted_runs=anytime.pairs,
        notes=(why,) if why else (),
    )


def _estimate(counts: Counts, runs: int, level: float) -> Estimate:
    """Return the log-ratio of hits to misses with a two-sided interval; with two tails, each has half of the level."""
    ratio = math.log(counts.hits / counts.misses) if counts.hits and counts.misses else math.inf
    if not counts.hits:
        ratio = -math.inf
    if not counts.mirrored_more and not counts.mirrored_less:
        return Estimate(ratio, *log_ratio_interval(counts.more, counts.less, runs, level))
    tails = ((counts.more, counts.less), (counts.mirrored_more, counts.mirrored_less))
    limits = [log_ratio_interval(k, l, runs, level / 2.0) for k, l in tails]
    return Estimate(ratio, min(low for low, _ in limits), max(high for _, high in limits))


def _resolution(evidence: Evidence, settings: Settings) -> Resolution:
    """Return the largest lower bound that the counted runs could have shown at the level of the verdict."""
    level = settings.error * max(c.share for c in evidence.counted)
    largest = evidence.limit(Counts(evidence.runs, 0), level)
    if settings.epsilon is None:
        return Resolution(largest, None)
    if largest <= settings.epsilon:
        return Resolution(max(0.0, largest), math.inf)
    few, enough = 0, evidence.runs
    while enough - few > 1:
        middle = (few + enough) // 2
        if evidence.limit(Counts(middle, 0), level) > settings.epsilon:
            enough = middle
        else:
            few = middle
    return Resolution(largest, enough / evidence.runs)


def ended_early(screening: Screening, why: str, settings: Settings) -> Outcome:
    """Return the outcome of an audit that ended before any run was counted."""
    return Outcome(
        verdict=None if settings.epsilon is None else "inconclusive",
        screened_pairs=screening.pairs,
        screening_runs=screening.runs,
        notes=(f"{why} before any run was counted, so there is no lower bound: allow more time or fewer runs",),
    )
