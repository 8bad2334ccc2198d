"""From counts to the verdict, the bounds and the resolution."""

from __future__ import annotations

import math
from typing import Any

from privcheck.auditing.confirm import Evidence
from privcheck.auditing.limits import log_ratio_interval
from privcheck.auditing.outputs import Outputs
from privcheck.auditing.report import Estimate, Resolution
from privcheck.auditing.search import Screening
from privcheck.auditing.settings import Settings
from privcheck.auditing.streams import StreamPair
from privcheck.auditing.witness import describe


def judge(
    pair: StreamPair, screening: Screening, evidence: Evidence, first: Outputs, second: Outputs, settings: Settings
) -> dict[str, Any]:
    """Return the fields of the report that the counted runs `first` and `second` decide.

    The verdict is decided at level `error` alone, the lower bound at `confidence`; both from the same counts.
    """
    level = settings.level
    lower, winner = evidence.lower(level)
    each = level / len(evidence.counted)
    low, high = log_ratio_interval(winner.more, winner.less, evidence.runs, each)
    ratio = (
        math.log(winner.more / winner.less)
        if winner.more and winner.less
        else math.copysign(math.inf, winner.more - 0.5)
    )
    resolution = _resolution(evidence, settings)
    verdict, notes = None, []
    if settings.epsilon is not None:
        if evidence.lower(settings.error)[0] > settings.epsilon:
            verdict = "violation"
        else:
            verdict = "consistent" if resolution.epsilon >= settings.epsilon else "inconclusive"
        if lower > settings.epsilon and verdict != "violation":
            notes.append(
                f"the lower bound at confidence {settings.confidence:g} is above the claim, but the claim is not "
                f"refuted at level {settings.error:g}: repeat with more runs and another seed"
            )
    return {
        "verdict": verdict,
        "epsilon_lower": max(0.0, lower),
        "epsilon_lower_clopper_pearson": max(0.0, evidence.clopper_pearson_lower(level)),
        "epsilon_estimate": Estimate(ratio, low, high),
        "delta_lower": None if settings.epsilon is None else evidence.delta_lower(settings.epsilon, level),
        "resolution": resolution,
        "witness": describe(pair, winner, first, second, each),
        "screened_pairs": screening.pairs,
        "screening_runs": screening.runs,
        "counted_runs": evidence.runs,
        "notes": notes,
    }


def _resolution(evidence: Evidence, settings: Settings) -> Resolution:
    """Return what the counted runs could have shown at the level of the verdict."""
    largest = evidence.limit(evidence.runs, 0, settings.error)
    if settings.epsilon is None:
        return Resolution(largest, None)
    if largest <= settings.epsilon:
        return Resolution(max(0.0, largest), math.inf)
    few, enough = 0, evidence.runs
    while enough - few > 1:
        middle = (few + enough) // 2
        if evidence.limit(middle, 0, settings.error) > settings.epsilon:
            enough = middle
        else:
            few = middle
    return Resolution(largest, enough / evidence.runs)


def ended_early(screening: Screening, by_clock: bool, settings: Settings) -> dict[str, Any]:
    """Return the same fields for an audit that ended before its runs were done: a fixed number of runs is read once."""
    why = "the time budget ended" if by_clock else "interrupted"
    advice = "give more time or fewer runs" if by_clock else "nothing can be said of runs that were cut short"
    return {
        "verdict": None if settings.epsilon is None else "inconclusive",
        "epsilon_lower": None,
        "epsilon_lower_clopper_pearson": None,
        "epsilon_estimate": None,
        "delta_lower": None,
        "resolution": None,
        "witness": None,
        "screened_pairs": screening.pairs,
        "screening_runs": screening.runs,
        "notes": [f"{why} before the runs that were fixed beforehand, so there is no bound: {advice}"],
    }
