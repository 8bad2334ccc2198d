"""What a law that was given for the outputs of a target says of an audit."""

from __future__ import annotations

from dataclasses import dataclass

from privcheck.inference import LawFit
from privcheck.results._law_bound import LawBound


@dataclass(frozen=True)
class LawEvidence:
    """Bounds from a given law on the pair on which it has the largest loss that was found, and runs to test it there.

    Parameters
    ----------
    bound : bounds on epsilon and delta by the law. They are bounds for the target if the law is that of its outputs.
    streams : the pair in words.
    fit : the worse fit of runs on one of the two inputs to its law.
    side : that input, "first" or "second".
    p_value : of the law, from both inputs together: the smaller of two p-values, doubled.
    runs : runs on each input.
    follows : whether `p_value` is above the `error` of the audit. Runs of the law fail this with at most that
        probability, up to the error of quadrature; runs that pass it need not have the law.
    decides : whether the verdict "violation" rests on the law, because the runs alone do not refute the claim.
    """

    bound: LawBound
    streams: str
    fit: LawFit
    side: str
    p_value: float
    runs: int
    follows: bool
    decides: bool = False
