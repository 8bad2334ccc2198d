"""What speaks against a claim without refuting it: a given law, or a step of the target, taken by itself."""

from __future__ import annotations

from dataclasses import dataclass

KINDS = ("step", "law")


@dataclass(frozen=True)
class Suspicion:
    """A loss above the claim that no counts of runs have shown: the verdict stays "inconclusive".

    Parameters
    ----------
    kind : "law": by the law that was given for the outputs; "step": by a step of the target alone.
    epsilon : the loss there, at least.
    place : where: the pair of streams, or the step.
    sentence : what it rests on, in words.
    """

    kind: str
    epsilon: float
    place: str
    sentence: str

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind is {self.kind!r}")
