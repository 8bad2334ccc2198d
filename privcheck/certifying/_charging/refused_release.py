"""What to do about a release that the budget does not allow: how much noise is enough, or why it is charged again."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import numpy as np

from privcheck.accounting import (
    BudgetExceededError,
    BudgetFilter,
    ByDatum,
    Concentrated,
    GaussianDP,
    Ledger,
    Pure,
    amount_in_words,
)
from privcheck.certifying._charging.one_release import charges_of
from privcheck.enclosure import digits_up
from privcheck.mechanisms import Gaussian, Laplace, Mechanism
from privcheck.private_values import Private, Terms, is_machinery

OURS = str(Path(__file__).parents[2])


@dataclass
class ReleasesOfRound:
    """Who called the code of each release of the latest round, and what was released, by number in the ledger."""

    round: int = 0
    made: dict[int, tuple[tuple[str, ...], Terms]] = field(default_factory=dict)

    def keep(self, number: int, now: int, value: Private) -> None:
        """Remember a release that was made."""
        if now != self.round:
            self.round, self.made = now, {}
        self.made[number] = own_calls(), value.terms

    def why_again(self, ledger: Ledger, refused: BudgetExceededError, location: str, now: int, value: Private) -> str:
        """Return why a line charges a datum twice in a round, and what to do; empty if it does not, or is not known."""
        assert refused.datum is not None
        same = ledger.of_line(refused.datum, location, now)
        if not same or same[0].number not in self.made:
            return ""
        before, terms = self.made[same[0].number]
        calls = own_calls()
        paid = refused.hint.partition(",")[0]
        callers = [pair for pair in zip(before, calls, strict=False) if pair[0] != pair[1]]
        if before[:1] == calls[:1] == (location,) and callers:
            first, second = callers[0]
            return f"{paid}, by the same line in the same round: called from {first}, and now from {second}; {ONCE}"
        if _same(terms, value.terms):
            return f"{paid}, by the same line in the same round, for the same value: {ONCE}"
        return f"{paid}, {IN_A_LOOP}" if ledger.what != "reward" else ""


def own_calls() -> tuple[str, ...]:
    """Return the file and line of each call in the policy's code, innermost first, up to privcheck's call of it."""
    found, frame = list[tuple[str, int]](), sys._getframe(1)
    place: FrameType | None = frame
    while place is not None:
        file = place.f_code.co_filename
        if not is_machinery(file):
            found.append((file, place.f_lineno))
        elif found and file.startswith(OURS):
            break  # what called the guard is the same for all releases of a round, and may be a deep service
        place = place.f_back
    return tuple(f"{Path(file).name}:{line}" for file, line in found)


def _same(one: Terms, other: Terms) -> bool:
    """Return whether two values move with the data in the same way."""
    first, second = one.tidy(), other.tidy()
    return np.array_equal(first.features, second.features) and np.allclose(first.weights, second.weights)


def enough_noise(
    mechanism: Mechanism,
    value: Private,
    sensitivities: ByDatum[float],
    by: BudgetFilter,
    ledger: Ledger,
    refused: BudgetExceededError,
) -> str:
    """Return which noise would do for a first release, rounded up; empty if it cannot be told.

    Only Laplace noise under a budget of epsilon, and Gaussian noise under rho or mu, cost what a scale says exactly.
    """
    budget = by.budget
    if type(mechanism) is Laplace and isinstance(budget, Pure):
        factor = refused.total / budget.epsilon
    elif type(mechanism) is Gaussian and isinstance(budget, GaussianDP):
        factor = refused.total / budget.mu
    elif type(mechanism) is Gaussian and isinstance(budget, Concentrated):
        factor = math.sqrt(refused.total / budget.rho)
    else:
        return ""
    factor, scale = float(digits_up(factor)), float(digits_up(mechanism.scale * factor))
    if not by.fits(ledger, charges_of(type(mechanism).with_scale(scale), sensitivities)):
        return ""
    limit = f"is enough for {amount_in_words(budget)}"
    if value.size > 1:
        return f"noise of {factor:.6g} times its scale {limit}"
    name = "scale" if type(mechanism) is Laplace else "standard deviation"
    moved = f"one datum moves this value by {max(sensitivities.different):.6g}"
    return f"{moved} and the {name} is {mechanism.scale:.6g}; a {name} of {scale:.6g} {limit}"


def unclipped(value: Private, rewards: tuple[float, float]) -> str:
    """Return what to do where a value holds rewards as they come, in a range wider than 1; empty if it does not."""
    low, high = rewards
    if high - low <= 1.0 or value.source is None:
        return ""
    features = value.source.features
    raw = any((features.low[j], features.high[j]) == rewards for j in value.terms.tidy().features.tolist() if j >= 0)
    return CLIP if raw else ""


def too_much(enough: str, clip: str) -> str:
    """Return what to do about a release that is too much by itself.

    >>> too_much("", "")
    'nothing was charged before this release, which is too much by itself: use more noise'
    """
    return f"{TOO_MUCH}: {enough or 'use more noise'}{clip}"


TOO_MUCH = "nothing was charged before this release, which is too much by itself"
CLIP = "; or clip rewards before their use, as in privcheck.clip(reward, 0, 1) or min(1, max(0, reward))"
TOGETHER = (
    "was charged before, and this release what it adds to what one change of the datum moves in all of them: release "
    "less often or with more noise"
)
ONCE = "each release is charged in full, so make one"
IN_A_LOOP = (
    "also by the same line in the same round, and each release is charged in full: to release a sum for each arm, keep "
    "the sums of all arms in one array, made with privcheck.zeros, and release it once"
)
