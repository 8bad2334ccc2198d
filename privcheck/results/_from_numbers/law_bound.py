"""What a bound from two given laws returns."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from privcheck.enclosure import rounded_down
from privcheck.results._from_numbers.bound_from_numbers import PROVIDED, BoundFromNumbers
from privcheck.results._verdicts import check_refutation
from privcheck.results._whole_result import WholeResult


@dataclass(frozen=True)
class LawBound(BoundFromNumbers, WholeResult):
    """Bounds on epsilon from the laws of an output on two neighbouring inputs, up to the error of quadrature.

    Parameters
    ----------
    epsilon_lower : epsilon at `delta` is at least this.
    epsilon_upper : epsilon at `delta` is at most this on these two inputs; None at delta = 0, where quadrature cannot
        exclude events of tiny probability, or if its error is above delta.
    delta : the delta of the bounds and of the claim.
    epsilon : the claim, or None.
    delta_lower, delta_upper : limits for delta at the claimed epsilon; None without a claim.
    verdict : "violation" if `delta_lower` is above `delta` and `epsilon_lower` above `epsilon`, which it is not if the
        claim fails by rounding alone; else "not refuted". None without a claim.
    log_ratio : the largest |ln(p / q)| at a point where both densities are within floating point.
    at : that point, d numbers; empty if the densities are equal.
    """

    epsilon_lower: float
    epsilon_upper: float | None
    delta: float
    epsilon: float | None
    delta_lower: float | None
    delta_upper: float | None
    verdict: str | None
    log_ratio: float
    at: tuple[float, ...] = field(metadata=PROVIDED)

    columns = (
        "epsilon_lower", "epsilon_upper", "delta", "epsilon", "delta_lower", "delta_upper", "verdict", "log_ratio",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_refutation(self.verdict, self.epsilon, self.epsilon_lower, self.delta)

    def __str__(self) -> str:
        """Return the bounds and the verdict in sentences."""
        at = f" at delta = {self.delta:g}" if self.delta else ""
        told = f"By the given laws, epsilon is at least {rounded_down(self.epsilon_lower, 4)}{at}"
        if math.isinf(self.epsilon_lower):
            told = f"By the given laws, epsilon is unbounded{at}"
        if self.verdict is not None:
            refuted = "is refuted" if self.verdict == "violation" else "is not refuted"
            told += f"; the claim epsilon = {self.epsilon:g}{at} {refuted}"
        point = ", ".join(f"{number:.4g}" for number in self.at)
        seen = f" The largest log-ratio seen is {self.log_ratio:.4f}, at ({point})." if self.at else ""
        return f"{told}.{seen} {self.conditions}"

    @property
    def provided(self) -> tuple[str, ...]:
        """What is taken on the user's word, in words that follow "that"."""
        return (
            "the laws are those of the output on the two inputs",
            "these inputs are neighbours",
            "no peak or gap of a density is so narrow that the quadrature missed it",
        )
