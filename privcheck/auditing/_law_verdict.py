"""What a given law may do to a verdict: it proposes events, whose counts need no law, or casts suspicion, no more.

A law that is wrong by a tenth, or right up to a mass of 1e-4 that no test of some thousand runs sees, may have a loss
far above that of the outputs. So the event "log-ratio by the law above the claim" is fixed before any run, in both
directions, and all runs on the law's pair count it. These counts have half of the level, the events of the search the
other half.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from privcheck.arrays import Integers
from privcheck.auditing._exact.law_event import LikelierOutputs
from privcheck.auditing._verdict import ANYTIME, EVIDENCE, NO_BOUND
from privcheck.auditing._witness import event_on_two_inputs
from privcheck.enclosure import p_value_text, rounded_down
from privcheck.inference import (
    NUISANCE_SHARE,
    clopper_pearson_lower,
    epsilon_lower,
    p_value,
    two_tails_interval,
    two_tails_lower,
    two_tails_p_value,
)
from privcheck.results import Estimate, LawEvent, LawEvidence, Outcome, Suspicion
from privcheck.targets import Claim, StreamPair

SHARE = 0.5
"""Share of both levels, `error` and 1 - `confidence`, for the events of a law that refutes the claim."""


def searching(claim: Claim, evidence: LawEvidence | None) -> Claim:
    """Return the claim with what the events of the law leave of its levels, for the search and its own events."""
    if evidence is None or not evidence.events:
        return claim
    rest = 1.0 - SHARE
    return replace(claim, confidence=1.0 - rest * claim.level, error=rest * claim.error)


def share_of(events: int) -> float:
    """Return the share of the levels of each of so many events."""
    return SHARE / events


@dataclass(frozen=True)
class Counts:
    """How many runs on the likelier and on the other input were in an event, of so many on each."""

    more: int
    less: int
    runs: int
    delta: float

    def lower(self, level: float) -> float:
        """Return the lower limit on epsilon."""
        if self.delta > 0.0:
            return epsilon_lower(self.more, self.less, self.runs, self.delta, level)
        return max(0.0, two_tails_lower(self.more, self.less, 0, 0, level))

    def p_value(self, epsilon: float, level: float) -> float:
        """Return the p-value of a claim that is tested at a level."""
        if self.delta > 0.0:
            return p_value(self.more, self.less, self.runs, epsilon, self.delta, NUISANCE_SHARE * level)
        return two_tails_p_value(self.more, self.less, 0, 0, epsilon)


def counts_of(event: LawEvent, delta: float) -> Counts:
    """Return the counts of an event as a test takes them."""
    first, second = event.counted
    more, less = (first, second) if event.likelier == "first" else (second, first)
    return Counts(more, less, event.runs, delta)


def law_events(
    proposed: tuple[LikelierOutputs, LikelierOutputs], counted: Integers, runs: int, claim: Claim
) -> tuple[tuple[LawEvent, ...], float]:
    """Return the events of a law with their counts, and a p-value of the law from these counts.

    Parameters
    ----------
    proposed : the outputs that are likelier on the first and on the second input.
    counted : runs in each, by event and input.
    runs : on each input.
    claim : the claim and the levels.
    """
    assert claim.epsilon is not None
    found, chances = [], []
    share, tests = share_of(len(proposed)), 2 * len(proposed)
    for place, (event, likelier) in enumerate(zip(proposed, ("first", "second"), strict=True)):
        (own, other), off = event.probabilities()
        by_law = (own, other) if likelier == "first" else (other, own)
        count = int(counted[place, 0]), int(counted[place, 1])
        chances += [_chance(k, runs, p, off) for k, p in zip(count, by_law, strict=True)]
        more, less = count if likelier == "first" else count[::-1]
        counts = Counts(more, less, runs, claim.delta)
        lower = counts.lower(claim.level * share)
        tested = counts.p_value(claim.epsilon, claim.error * share)
        found.append(LawEvent(likelier, by_law, count, runs, 0.5 * claim.error / tests, lower, tested))
    return tuple(found), min(1.0, tests * min(chances))


def _chance(count: int, runs: int, probability: float, off: float) -> float:
    """Return the two-sided p-value of a probability that is known up to an error."""
    from scipy.stats import binom

    low, high = max(0.0, probability - off), min(1.0, probability + off)
    nearest = float(np.clip(count / runs, low, high))
    law = binom(runs, nearest)
    return min(1.0, 2.0 * float(min(law.cdf(count), law.sf(count - 1))))


def judged_by_law(outcome: Outcome, evidence: LawEvidence, pair: StreamPair, claim: Claim) -> Outcome:
    """Return the outcome of the search, with what the counts of the law's events add, and what the law itself says.

    Counts alone refute the claim. If they do not, but the law does, and runs follow it, that is a suspicion. If runs do
    not follow the law, a claim that is not refuted is not called consistent: its target is another one than was said.
    """
    outcome = _with_counts(outcome, evidence, pair, claim)
    if not evidence.follows:
        verdict = "inconclusive" if outcome.verdict == "consistent" else outcome.verdict
        return replace(outcome, verdict=verdict, notes=(*outcome.notes, _rejected(evidence)))
    if outcome.verdict == "violation" or evidence.bound.verdict != "violation":
        return outcome
    shown = max((event.epsilon_lower for event in evidence.events), default=0.0)
    runs = max((event.runs for event in evidence.events), default=evidence.runs)
    sentence = (
        f"by the given law epsilon is at least {rounded_down(evidence.bound.epsilon_lower)} on {evidence.streams}; "
        f"{runs:,} runs on each input do not contradict the law, which is no evidence for it, and counts of the "
        f"outputs that it names show {rounded_down(shown)}: repeat the audit with more runs"
    )
    suspicion = Suspicion("law", evidence.bound.epsilon_lower, evidence.streams, sentence)
    return replace(outcome, verdict="inconclusive", suspicion=suspicion, notes=(*outcome.notes, sentence))


def _with_counts(outcome: Outcome, evidence: LawEvidence, pair: StreamPair, claim: Claim) -> Outcome:
    if not evidence.events:
        return outcome
    share = share_of(len(evidence.events))
    by_search = 1.0 if outcome.p_value is None else outcome.p_value / (1.0 - SHARE)
    together = min(1.0, by_search, *(event.p_value / share for event in evidence.events))
    best = max(evidence.events, key=lambda event: event.epsilon_lower)
    refuted = any(
        counts_of(event, claim.delta).lower(claim.error * share) > (claim.epsilon or 0.0) for event in evidence.events
    )
    if refuted:  # what the search's own events lack decides nothing
        notes = tuple(note for note in outcome.notes if not note.startswith(EVIDENCE))
        outcome = replace(outcome, verdict="violation", notes=notes)
    outcome = replace(outcome, p_value=together)
    if best.epsilon_lower <= (outcome.epsilon_lower or 0.0):
        return outcome
    counted = f"the lower bound is that of {best.runs:,} runs on each input, which were counted by the given law"
    notes = tuple(note.replace(ANYTIME, counted).replace(NO_BOUND, f"and {counted}") for note in outcome.notes)
    counts, level = counts_of(best, claim.delta), claim.level * share
    ratio = float(np.log(counts.more) - np.log(counts.less)) if counts.less else np.inf
    words = f"outputs with a log-ratio above {claim.epsilon:g} by the given law"
    return replace(
        outcome,
        epsilon_lower=best.epsilon_lower,
        notes=notes,
        epsilon_lower_clopper_pearson=max(
            0.0, clopper_pearson_lower(counts.more, counts.less, counts.runs, level, claim.delta)
        ),
        epsilon_estimate=Estimate(ratio, *two_tails_interval(counts.more, counts.less, 0, 0, level)),
        witness=event_on_two_inputs(pair, words, best.counted, best.runs, level),
        simplest=None,
        simplest_lower=None,
    )


def _rejected(evidence: LawEvidence) -> str:
    where = f"on {evidence.streams}, {evidence.side} input" if evidence.streams else f"on the {evidence.side} input"
    told = (
        f"the outputs do not follow the given law: p-value {p_value_text(evidence.p_value, 2)} "
        f"from {evidence.runs:,} runs {where} ({evidence.fit.test})"
    )
    for event in evidence.events:
        for side, chance, interval in zip(("first", "second"), event.by_law, event.intervals, strict=True):
            if not interval[0] <= chance <= interval[1]:
                told += (
                    f"; by the law, outputs that are likelier on the {event.likelier} input have probability "
                    f"{chance:.4g} on the {side} one, and {event.runs:,} runs say {interval[0]:.4g} to "
                    f"{interval[1]:.4g}"
                )
    return f"{told}; either the law is wrong, or the sampler"
