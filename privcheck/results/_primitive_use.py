"""What record and replay measured at the calls of one primitive on one line."""

from __future__ import annotations

from dataclasses import dataclass

SLACK = 1e-9
"""Relative slack of the comparison of measured with declared sensitivity: floats are never exactly 1/n."""


@dataclass(frozen=True)
class PrimitiveUse:
    """The calls of a primitive on one line, over all pairs of neighbouring streams that were replayed.

    Parameters
    ----------
    name : the primitive.
    location : the place of the code that calls it, a file and a line.
    calls : the number of calls of which two inputs were compared.
    metric : how their distance is measured; "" if that is not known.
    declared : the smallest sensitivity that the code states there; None if it states none.
    measured : the largest distance of the two inputs of a call; None if the metric is not known.
    excess : the largest ratio of measured to stated sensitivity; None if none is stated.
    epsilon : the largest epsilon that a single call costs at its measured distance: infinite if its noise does not
        bound it; None if the law is not known.
    """

    name: str
    location: str
    calls: int
    metric: str
    declared: float | None
    measured: float | None
    excess: float | None
    epsilon: float | None

    @property
    def exceeds(self) -> bool:
        """Whether two neighbours are farther apart than the code states."""
        return self.excess is not None and self.excess > 1.0 + SLACK

    @property
    def exceeded_words(self) -> str:
        """What is wrong, in words."""
        return (
            f"{self.location}: the input of {self.name} moves by {self.measured:g} ({self.metric}), "
            f"and the code states a sensitivity of {self.declared:g}"
        )
