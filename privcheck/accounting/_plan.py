"""Plans: releases that are fixed beforehand, and what they cost together by every accountant."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from privcheck.accounting._charge import NOTHING, UP, Charge
from privcheck.accounting._conversion import convert, delta_at
from privcheck.accounting._currencies import rho_of
from privcheck.accounting._dominating_pairs import DominatingPair, pair_of_charge
from privcheck.accounting._loss_distribution import LossDistribution, composed
from privcheck.accounting._notions import Approximate, Concentrated, GaussianDP, Notion, Pure
from privcheck.accounting._renyi_curve import delta_of_curve, epsilon_of_curve
from privcheck.accounting._repeated import repeated
from privcheck.accounting._why_best import reason_for
from privcheck.arrays import Array
from privcheck.declared import Integer, Real, check
from privcheck.errors import PrivcheckError, words
from privcheck.tables import Result, Row

ACCOUNTANTS = ("pure", "zcdp", "gdp", "rdp", "pld")
"""In the order of tables; of several equal bounds the first wins."""

LARGEST = 1e60
"""Larger totals are as good as none; their squares would not all be floats."""

HOPELESS = 1e6
"""Total rho above which losses are so large that their distribution is not worth computing."""

DELTA = Real(0.0, 1.0, high_open=True)
DELTA_HINT = "a probability far below one over the number of data"


@dataclass(frozen=True)
class PlannedRelease:
    """One release of a plan, made `count` times; `privcheck.mechanisms.planned` makes it from a mechanism.

    Parameters
    ----------
    charge : what one release costs a datum at most.
    count : how often it is made, at least once.
    pairs : dominating pairs that compose to one release, with their numbers; by default one that the charge implies.
    name : what tables call it.

    Raises
    ------
    PrivcheckError : a count that is not an integer of at least 1, or no Charge.

    Examples
    --------
    >>> PlannedRelease(Charge(0.5), 3).pairs
    ((ResponsePair(epsilon=0.5, categories=2), 1),)
    """

    charge: Charge
    count: int = 1
    pairs: tuple[tuple[DominatingPair, int], ...] = ()
    name: str = "release"

    def __post_init__(self) -> None:
        if not isinstance(self.charge, Charge):
            raise PrivcheckError("charge", self.charge, "a Charge", "for example Charge(0.5) or Charge(mu=0.5)")
        count = check("count", self.count, Integer(1, 2**53), "how often the release is made")
        object.__setattr__(self, "count", count)
        given = self.charge.with_pairs()
        if not self.pairs:
            object.__setattr__(self, "pairs", self.charge.pairs)
        object.__setattr__(self, "charge", given)
        implied = None if self.pairs or self._loses_nothing else pair_of_charge(self.charge)
        if implied is not None:
            object.__setattr__(self, "pairs", ((implied, 1),))

    @property
    def has_pairs(self) -> bool:
        """Whether privacy-loss distributions can account for it: a bound on rho alone gives no dominating pair."""
        return bool(self.pairs) or self._loses_nothing

    @property
    def _loses_nothing(self) -> bool:
        """Whether both laws are the same, apart from what is set aside."""
        return 0.0 in (self.charge.epsilon, self.charge.rho, self.charge.mu)

    def renyi(self, gap: Array) -> Array:
        """Return a bound on the Renyi divergence of one release at the orders 1 + gap."""
        with np.errstate(over="ignore", invalid="ignore"):
            curve = rho_of(self.charge) * (1.0 + gap) * UP
            if self.pairs:
                curve = np.fmin(curve, sum(number * pair.renyi(gap) for pair, number in self.pairs))
        return curve


@dataclass(frozen=True)
class Account(Result):
    """What the accountants say about a plan: its epsilon at a delta, or its delta at an epsilon.

    Parameters
    ----------
    epsilon, delta : one is given, and the other is the best of the bounds.
    bounds : the upper bound of each accountant on the latter: infinity where one bounds nothing.
    lower : the lower end of the privacy-loss distribution of the dominating pairs; 0 if there is none.
    best : the accountant with the smallest bound.
    reason : why it is the best, and what there is to know about the others.
    """

    epsilon: float
    delta: float
    bounds: Mapping[str, float]
    lower: float
    best: str
    reason: str = ""

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "account", a row for every accountant."""
        return {
            "account": lambda: [
                {
                    "accountant": name,
                    "epsilon": self.epsilon,
                    "delta": self.delta,
                    "bound": bound,
                    "best": name == self.best,
                }
                for name, bound in self.bounds.items()
            ]
        }


@dataclass(frozen=True)
class Plan:
    """Releases whose mechanisms, parameters and number are fixed before the first of them.

    Parameters
    ----------
    releases : `PlannedRelease` objects; their order does not matter, except for `first`.

    Guarantee
    ---------
    Notion: (epsilon, delta)-differential privacy of all releases together, for a datum that enters every one of them.
    The data that a release is computed from may depend on earlier releases; mechanisms, parameters, sensitivities and
    their number may not.
    Each accountant's bound holds for the whole plan at the full delta. All of them therefore hold at once, and so does
    the smallest. **This is not so for a budget filter**: there the run itself depends on what the accountants say, and
    going on while any of them accepts costs the sum of their deltas (`BudgetFilter`). Nor do privacy-loss distributions
    account for parameters that are chosen on the way.

    | accountant | what it adds up | how it becomes epsilon at delta |
    | --- | --- | --- |
    | pure | epsilon | Kairouz, Oh and Viswanath 2015: hardly smaller |
    | zcdp | rho | the best order of Canonne, Kamath and Steinke 2020, Proposition 12 |
    | gdp | mu^2 | Balle and Wang 2018, Theorem 8: exact for Gaussian noise |
    | rdp | the Renyi divergence of every order: exact for Laplace, Gaussian, randomised response | as zcdp |
    | pld | the privacy losses of dominating pairs | exact for Gaussian noise alone, else rounded up; `lower` down |

    Probabilities that charges set aside are added, and taken from delta for every accountant.

    Raises
    ------
    PrivcheckError : there is no release, or something is not a `PlannedRelease`.

    Source: Rogers, Roth, Ullman and Vadhan 2016; Bun and Steinke 2016; Mironov 2017; Dong, Roth and Su 2022; Koskela,
    Jalko and Honkela 2020; Zhu, Dong and Wang 2022.

    Examples
    --------
    >>> plan = Plan([PlannedRelease(Charge(0.1), 20)])
    >>> account = plan.at_delta(1e-6)
    >>> {name: round(bound, 2) for name, bound in account.bounds.items()}
    {'pure': 2.0, 'zcdp': 2.14, 'gdp': 2.56, 'rdp': 1.86, 'pld': 1.79}
    >>> account.best, round(account.epsilon, 2), round(account.lower, 2)
    ('pld', 1.79, 1.79)
    >>> plan.at_epsilon(1.0).delta < 0.005
    True
    """

    releases: tuple[PlannedRelease, ...]

    def __init__(self, releases: Iterable[PlannedRelease]) -> None:
        given: Any = releases
        kept = tuple(given) if isinstance(given, Iterable) else (given,)
        if not kept or not isinstance(given, Iterable) or not all(isinstance(one, PlannedRelease) for one in kept):
            wrong = [one for one in kept if not isinstance(one, PlannedRelease)]
            got = wrong[0] if wrong else given if kept else words("no release")
            raise PrivcheckError("releases", got, "at least one PlannedRelease", "see privcheck.mechanisms.planned")
        object.__setattr__(self, "releases", kept)

    @property
    def count(self) -> int:
        """The number of releases."""
        return sum(release.count for release in self.releases)

    @property
    def provided(self) -> str:
        """What all bounds take on the user's word."""
        moved = "one datum moves no value by more than the sensitivity of its release, 1 unless it is given"
        return f"provided that each release costs a datum no more than its charge, and that {moved}"

    @cached_property
    def total(self) -> Charge:
        """The sum of the charges of all releases, rounded up."""
        total = sum((repeated(release.charge, release.count) for release in self.releases), NOTHING)
        return Charge.total(self._epsilon, total.rho, total.mu, total.delta)

    @property
    def _epsilon(self) -> float:
        """The sum of the epsilons, rounded up."""
        each = [(release.charge.epsilon, release.count) for release in self.releases]
        if any(math.isinf(epsilon) for epsilon, _ in each):
            return math.inf
        exact = sum((Fraction(epsilon) * count for epsilon, count in each), Fraction(0))
        if exact > sys.float_info.max:
            return math.inf
        found = float(exact)
        return found if found >= exact else math.nextafter(found, math.inf)

    def first(self, count: int) -> Plan:
        """Return the plan of the first `count` releases.

        >>> first = Plan([PlannedRelease(Charge(0.1), 20), PlannedRelease(Charge(0.2), 20)]).first(25)
        >>> 3.0 <= first.total.epsilon < 3.0 + 1e-15  # rounded up
        True
        """
        left = check("count", count, Integer(1, self.count), "a plan has no more releases than that")
        kept = []
        for release in self.releases:
            number = min(left, release.count)
            if number:
                kept.append(PlannedRelease(release.charge, number, release.pairs, release.name))
            left -= number
        return Plan(kept)

    def at_delta(self, delta: float) -> Account:
        """Return the epsilon of the plan at a delta in [0, 1) by every accountant."""
        delta = check("delta", delta, DELTA, DELTA_HINT)
        share = delta - self.total.delta
        bounds = dict.fromkeys(ACCOUNTANTS, math.inf)
        lower = 0.0
        for name, guarantee in self._guarantees.items():
            if share > 0.0 or (share == 0.0 and isinstance(guarantee, Pure)):
                bounds[name] = convert(guarantee, Approximate, delta=share).epsilon
        if share > 0.0 and self._has_renyi:
            bounds["rdp"] = epsilon_of_curve(self._renyi, share)
        if share > 0.0 and self._losses is not None:
            upper, below = self._losses
            bounds["pld"], lower = min(upper.epsilon(share), bounds["pure"]), below.epsilon(share)
        best = min(bounds, key=lambda name: bounds[name])
        reason = reason_for(best, bounds, lower, math.inf, self._without_losses or self._without_delta(delta))
        return Account(bounds[best], delta, bounds, lower, best, reason)

    def at_epsilon(self, epsilon: float) -> Account:
        """Return the delta of the plan at an epsilon >= 0 by every accountant: at most 1, which bounds nothing."""
        epsilon = check("epsilon", epsilon, Real(0.0), "in nats")
        bounds = dict.fromkeys(ACCOUNTANTS, 1.0)
        lower = 0.0
        for name, guarantee in self._guarantees.items():
            bounds[name] = delta_at(guarantee, epsilon)
        if self._has_renyi:
            bounds["rdp"] = delta_of_curve(self._renyi, epsilon)
        if self._losses is not None:
            upper, below = self._losses
            bounds["pld"], lower = upper.delta(epsilon), below.delta(epsilon)
        bounds = {name: min(1.0, (bound + self.total.delta) * UP) for name, bound in bounds.items()}
        best = min(bounds, key=lambda name: bounds[name])
        aside = self.total.delta if bounds["pld"] > lower else 0.0
        reason = reason_for(best, bounds, min(1.0, lower + aside), 1.0, self._without_losses)
        return Account(epsilon, bounds[best], bounds, lower, best, reason)

    @cached_property
    def _guarantees(self) -> dict[str, Notion]:
        """The guarantees that follow from the total, by accountant."""
        total, rho = self.total, rho_of(self.total)
        found: list[tuple[str, float, type[Notion]]] = [("pure", total.epsilon, Pure)]
        found += [("zcdp", rho, Concentrated), ("gdp", total.mu, GaussianDP)]
        return {name: kind(amount) for name, amount, kind in found if amount < LARGEST}

    @property
    def _has_renyi(self) -> bool:
        return all(release.pairs or release.charge.rho < math.inf for release in self.releases)

    def _renyi(self, gap: Array) -> Array:
        total: Array = sum((release.count * release.renyi(gap) for release in self.releases), np.zeros_like(gap)) * UP
        return total

    @cached_property
    def _losses(self) -> tuple[LossDistribution, LossDistribution] | None:
        """Both ends of the law of the total loss; None if there is none, or nothing is lost."""
        return None if self._without_losses else self._ends

    @cached_property
    def _ends(self) -> tuple[LossDistribution, LossDistribution] | None:
        pairs = [(pair, number * release.count) for release in self.releases for pair, number in release.pairs]
        return composed(pairs) if pairs else None

    @cached_property
    def _without_losses(self) -> str:
        """Why there is no privacy-loss distribution; empty if there is one, or nothing is lost."""
        without = [release.name for release in self.releases if not release.has_pairs]
        if without:
            return f"{without[0]} bounds rho alone"
        if rho_of(self.total) > HOPELESS:
            return f"the total rho is above {HOPELESS:g}"
        return "" if self._ends is None or self._ends[0].known else "one mechanism is released too often"

    def _without_delta(self, delta: float) -> str:
        """Why a delta leaves nothing for privacy-loss distributions; empty if it leaves something."""
        if delta == 0.0:
            return "delta is 0"
        return "" if delta > self.total.delta else "the releases set aside all of delta"
