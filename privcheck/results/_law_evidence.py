"""What a law that was given for the outputs of a target says of an audit."""

from __future__ import annotations

from dataclasses import dataclass

from privcheck.inference import LawFit, clopper_pearson
from privcheck.results._from_numbers.law_bound import LawBound


@dataclass(frozen=True)
class LawEvent:
    """The outputs whose log-ratio by the law is above the claim, and how many runs on both inputs had one.

    Parameters
    ----------
    likelier : the input on which they are likelier by the law, "first" or "second".
    by_law : their probabilities by the law, on the first and on the second input.
    counted : how many runs on each had one.
    runs : on each input.
    error : of each of the two intervals, the probability that it misses.
    epsilon_lower : the lower limit on epsilon that these counts give by themselves, with their share of the level.
    p_value : of the claim, from these counts alone.
    """

    likelier: str
    by_law: tuple[float, float]
    counted: tuple[int, int]
    runs: int
    error: float
    epsilon_lower: float
    p_value: float

    @property
    def intervals(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Clopper-Pearson intervals for both probabilities; a law with one outside of its interval is rejected."""
        first, second = (clopper_pearson(count, self.runs, 0.5 * self.error) for count in self.counted)
        return first, second


@dataclass(frozen=True)
class LawEvidence:
    """Bounds from a given law on the pair on which it has the largest loss that was found, and runs to test it there.

    Parameters
    ----------
    bound : bounds on epsilon and delta by the law. They are bounds for the target if the law is that of its outputs.
    streams : the pair in words.
    fit : the worse fit of runs on one of the two inputs to its law.
    side : that input, "first" or "second".
    p_value : of the law, from the fits of both inputs and the counts of `events` together.
    runs : runs on each input with which `fit` was made.
    follows : whether `p_value` is above the `error` of the audit. Runs of the law fail this with at most that
        probability, up to the error of quadrature; runs that pass it need not have the law.
    decides : whether the verdict "violation" rests on the law alone, as in reports written before schema_version 3; no
        verdict does since.
    events : for a claim that the law refutes, the events that it proposes; counts of them, which need no law, may
        refute the claim. None in reports written before there was such a field.
    """

    bound: LawBound
    streams: str
    fit: LawFit
    side: str
    p_value: float
    runs: int
    follows: bool
    decides: bool = False
    events: tuple[LawEvent, ...] = ()
