"""What the JSON of a simulation says about one policy."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SummaryRow:
    """The final pseudo-regret of one policy: the fields of `PolicyResult.summary`."""

    policy: str
    mean: float
    se: float | None
    median: float
    q05: float
    q95: float
    q99: float
    runs: int
    horizon: int
    engine: str
    seconds: float
