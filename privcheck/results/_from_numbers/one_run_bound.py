"""What an audit of a single run returns."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from privcheck.enclosure import p_value_text, rounded_down
from privcheck.results._from_numbers.bound_from_numbers import PROVIDED, BoundFromNumbers
from privcheck.results._verdicts import check_counts, check_levels, check_refutation
from privcheck.results._whole_result import WholeResult


@dataclass(frozen=True)
class OneRunBound(BoundFromNumbers, WholeResult):
    """Lower bounds from one run in which every canary was included by a coin of its own.

    Parameters
    ----------
    epsilon_lower : epsilon at `delta` is at least this, with probability `confidence` over the coins and the run.
    delta : the delta of the bound and of the claim.
    confidence : of each of the two bounds.
    mu_lower : lower bound on mu, for a canary's trade-off function of the Gaussian family; None for `steinke`.
    epsilon_if_gaussian : epsilon at `delta` of the Gaussian trade-off function with `mu_lower`: no bound for other
        families. None if delta is 0, or without `mu_lower`.
    epsilon : the claim, or None.
    verdict : "violation" if the claim is refuted at level `error`, else "not refuted"; None without a claim.
    error : a true claim is refuted with at most this probability.
    method : "f-dp" or "steinke".
    canaries : how many there were.
    guesses, correct : of those numbers of guesses that were tried, the one with the best bound, and how many of its
        guesses were right.
    tried : numbers of guesses, (included, not included), among which a share of the level was divided evenly: the whole
        of it if the numbers were given.
    independent : whether scores were said to be independent of each other, given the coins; only `mu_lower` uses this.
    learned : whether `epsilon_lower` is from guesses by thresholds that were learned on some of the canaries.
    coins : "fair" if the coins were said to be; None otherwise, and in results written before there was such a field,
        where bounds hold for fair coins alone.
    inclusion : the probability with which each canary was said to be included.
    included : how many were; None in results written before there was such a field, as the next one.
    coins_p_value : two-sided p-value of that number for independent coins of this probability.
    even : whether `epsilon_lower` is from as many guesses of one kind as of the other, and so holds for every
        probability of the coins. Otherwise half of the level was spent on an interval for it, and so for `mu_lower`.
    guesses_given : whether the number of guesses was given: that it was fixed without the coins is then taken on the
        user's word.
    """

    epsilon_lower: float
    delta: float
    confidence: float
    mu_lower: float | None
    epsilon_if_gaussian: float | None
    epsilon: float | None
    verdict: str | None
    error: float
    method: str
    canaries: int
    guesses: int
    correct: int
    tried: tuple[tuple[int, int], ...] = field(repr=False)
    independent: bool = False
    learned: bool = False
    coins: str | None = None
    inclusion: float = 0.5
    included: int | None = None
    coins_p_value: float | None = None
    even: bool = False
    guesses_given: bool = field(default=False, metadata=PROVIDED)

    columns = (
        "epsilon_lower", "delta", "confidence", "mu_lower", "epsilon_if_gaussian", "epsilon", "verdict",
        "error", "method", "canaries", "guesses", "correct",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_levels(confidence=self.confidence, error=self.error)
        lower = self.epsilon_lower if self.error <= 1.0 - self.confidence else math.inf
        check_refutation(self.verdict, self.epsilon, lower, self.delta)
        check_counts(correct=self.correct, guesses=self.guesses, canaries=self.canaries)
        check_counts(included=self.included or 0, canaries=self.canaries)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"

    def __str__(self) -> str:
        """Return the bounds in sentences."""
        sure = f"({100 * self.confidence:.15g} % confidence)"
        at = f" at delta = {self.delta:g}" if self.delta else ""
        told = [f"epsilon is at least {rounded_down(self.epsilon_lower)}{at} {sure}"]
        if self.verdict is not None:
            refuted = "is refuted" if self.verdict == "violation" else "is not refuted"
            told.append(f"the claim epsilon = {self.epsilon:g}{at} {refuted} at level {self.error:g}")
        told.append(f"{self.correct} of {self.guesses} guesses were right, on {self.canaries} canaries")
        if self.mu_lower is not None:
            epsilon = self.epsilon_if_gaussian
            means = "" if epsilon is None else f", which means epsilon {rounded_down(epsilon)}"
            told.append(f"if the trade-off is Gaussian, mu is at least {rounded_down(self.mu_lower)}{means}")
        sentence = "; ".join(told)
        return f"{sentence[:1].upper()}{sentence[1:]}. {self.conditions}"

    @property
    def provided(self) -> tuple[str, ...]:
        """What is taken on the user's word, in words that follow "that"."""
        if self.included is None or self.coins_p_value is None:
            found = ["each canary was included by its own fair coin"]
        else:
            number = f"{self.included} of {self.canaries} were, p-value {p_value_text(self.coins_p_value, 2)}"
            kind = "fair coins" if self.inclusion == 0.5 else f"coins of probability {self.inclusion:g}"
            found = [
                "each canary was included by a coin of its own, before the run and all with one probability "
                f"({number} for {kind})"
            ]
        found.append("no score was computed from the coins")
        found.append("no canary was left out after its score was seen")
        if self.guesses_given:
            found.append("the number of guesses was fixed without looking at the coins")
        if self.independent:
            found.append(
                "each canary affects no other's score and no noise is shared: given the coins, scores are independent "
                "of each other"
            )
        return tuple(found)
