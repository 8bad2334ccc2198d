"""What a bound from two samples of outputs returns."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from privcheck.enclosure import rounded_down
from privcheck.inference import TradeoffRegion
from privcheck.results._audit_report import Estimate
from privcheck.results._from_numbers.bound_from_numbers import PROVIDED, BoundFromNumbers
from privcheck.results._verdicts import check_counts, check_levels, check_refutation
from privcheck.results._whole_result import WholeResult


@dataclass(frozen=True)
class SampleBound(BoundFromNumbers, WholeResult):
    """A lower bound from outputs of independent runs on two neighbouring inputs.

    Parameters
    ----------
    epsilon_lower : epsilon at `delta` is at least this, with probability `confidence`.
    delta : the delta of the bound and of the claim.
    confidence : of each bound.
    epsilon : the claim, or None.
    delta_lower : delta at the claimed epsilon is at least this, with probability `confidence`; None without a claim.
    verdict : "violation" if the claim is refuted at level `error`, else "not refuted"; None without a claim.
    error : a true claim is refuted with at most this probability.
    runs, counted_runs : outputs of each input, and how many of them were counted; the others served to choose events.
    event : the event that tells the inputs apart best, in words.
    likelier : "first" or "second": the input on which the event is likelier.
    probability_first, probability_second : of the event on each input, with joint confidence limits.
    tradeoff : limits for all thresholds of the event's score, at the same confidence.
    """

    epsilon_lower: float
    delta: float
    confidence: float
    epsilon: float | None
    delta_lower: float | None
    verdict: str | None
    error: float
    runs: int
    counted_runs: int
    event: str
    likelier: str
    probability_first: Estimate
    probability_second: Estimate
    tradeoff: TradeoffRegion = field(repr=False, metadata=PROVIDED)

    columns = (
        "epsilon_lower", "delta", "confidence", "epsilon", "delta_lower", "verdict", "error",
        "runs", "counted_runs", "event",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_levels(confidence=self.confidence, error=self.error)
        lower = self.epsilon_lower if self.error <= 1.0 - self.confidence else math.inf
        check_refutation(self.verdict, self.epsilon, lower, self.delta)
        check_counts(counted_runs=self.counted_runs, runs=self.runs)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"

    def __str__(self) -> str:
        """Return the bound, the event and the verdict in sentences."""
        at = f" at delta = {self.delta:g}" if self.delta else ""
        told = f"Epsilon is at least {rounded_down(self.epsilon_lower)}{at} ({100 * self.confidence:.15g} % confidence)"
        if self.verdict is not None:
            refuted = "is refuted" if self.verdict == "violation" else "is not refuted"
            told += f"; the claim epsilon = {self.epsilon:g}{at} {refuted} at level {self.error:g}"
        event = f"The event: {self.event}, in {self.counted_runs:,} outputs of each input"
        return f"{told}. {event}. {self.conditions}"

    @property
    def provided(self) -> tuple[str, ...]:
        """What is taken on the user's word, in words that follow "that"."""
        return (
            "each output is that of a run of its own, independent of all others, and none was left out or repeated",
            "both samples come from the same code and were recorded alike: rounded, clipped and stored in one way",
            "the two inputs are neighbours and were chosen before these runs",
        )
