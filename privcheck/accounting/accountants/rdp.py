"""Composition of Renyi differential privacy at one order that is fixed beforehand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from privcheck.accounting._charge import Charge
from privcheck.accounting._currencies import Currency, add_up, rho_of
from privcheck.accounting._dominating_pairs import DominatingPair
from privcheck.accounting._gaussian_profile import ROUNDING
from privcheck.accounting._notions import Approximate, Notion
from privcheck.accounting.accountants.base import Accountant
from privcheck.declared import Real, parameter

FAR = 300.0
"""Exponents beyond which epsilon itself bounds the divergence well enough."""


@dataclass(frozen=True)
class RDP(Accountant):
    """Add up the Renyi divergences of one order.

    Parameters
    ----------
    order : alpha > 1, fixed before the run. Each order is an accountant of its own, with its own share of delta.

    Guarantee
    ---------
    A charge bounds the divergence of order alpha by rho alpha, by mu^2 alpha / 2, and by what randomised response
    with the same epsilon has, of which every epsilon-DP release is a post-processing. If it names dominating pairs, the
    sum of their divergences bounds it too: a pair dominates if its hockey-stick divergences are at least those of the
    release, and a Renyi divergence increases with them; the pairs are symmetric, so both directions are bounded.
    If the sum of the bounds never exceeds r, D_alpha of the whole run is at most r, whatever was chosen adaptively:
    from the last release backwards, given the history, E_q[(p / q)^alpha] of all that is still to come is at most
    exp((alpha - 1) (r - the sum so far)), because the next release multiplies it by at most exp((alpha - 1) its bound).
    Delta at a given epsilon then follows by Proposition 12 of Canonne, Kamath and Steinke 2020. The best of several
    orders may not be chosen after the run.

    Source: Feldman and Zrnic 2021, the Renyi filter; Mironov 2017, on randomised response and on Laplace noise; Bun and
    Steinke 2016, Proposition 3.3; Zhu, Dong and Wang 2022, on dominating pairs.

    Examples
    --------
    >>> from privcheck.accounting._dominating_pairs import LaplacePair
    >>> laplace = Charge(0.5).with_pairs(((LaplacePair(0.5), 1),))
    >>> RDP(8.0).needs(laplace) < RDP(8.0).needs(Charge(0.5))
    True
    >>> RDP(8.0).needs(Charge(0.5)) < 8.0 * Charge(0.5).rho, RDP(8.0).needs(Charge(50.0)) <= 50.0
    (True, True)
    """

    order: float = parameter(
        Real(1.0, 1e6, low_open=True), typical=(1.5, 64.0), doc="alpha: the order", hint="as in 'rdp:8'"
    )

    id: ClassVar[str] = "rdp"

    @property
    def currency(self) -> Currency:
        """What is added up."""
        return Currency(f"rdp:{self.order!r}".removesuffix(".0"), self.needs, add_up)

    def needs(self, charge: Charge) -> float:
        """Return the smallest bound on the divergence that the charge gives, rounded up."""
        bounds = rho_of(charge) * self.order * (1.0 + ROUNDING), _of_pure(charge.epsilon, self.order)
        return min(*bounds, _of_pairs(charge.pairs, self.order)) if charge.pairs else min(bounds)

    def epsilon_of(self, amount: float, delta: float) -> float:
        """Return the epsilon of a total at this delta."""
        if amount == 0.0 or delta <= 0.0 or math.isinf(amount):
            return 0.0 if amount == 0.0 else math.inf
        return max(0.0, amount + self._added(delta))

    def limit(self, budget: Notion, share: float) -> float:
        """Return the largest divergence that implies epsilon at this share of delta."""
        delta = share * budget.delta if isinstance(budget, Approximate) else 0.0
        return budget.epsilon - self._added(delta) if isinstance(budget, Approximate) and delta > 0.0 else -1.0

    def _added(self, delta: float) -> float:
        """Return epsilon minus the divergence, rounded up."""
        parts = math.log1p(-1.0 / self.order), -(math.log(delta) + math.log(self.order)) / (self.order - 1.0)
        return sum(parts) + ROUNDING * sum(map(abs, parts))


@lru_cache(maxsize=4096)
def _of_pairs(pairs: tuple[tuple[DominatingPair, int], ...], order: float) -> float:
    """Return the sum of the divergences of dominating pairs, rounded up; infinity where it is no float."""
    gap = np.array([math.nextafter(order - 1.0, math.inf)])  # divergences do not decrease with the order
    with np.errstate(all="ignore"):
        total = sum(number * float(pair.renyi(gap)[0]) for pair, number in pairs) * (1.0 + ROUNDING)
    return total if total >= 0.0 else math.inf


def _of_pure(epsilon: float, order: float) -> float:
    r"""Return the divergence of randomised response, or epsilon where it is large.

    It is ln(cosh((alpha - 1/2) epsilon) / cosh(epsilon / 2)) / (alpha - 1), and the difference of the two hyperbolic
    cosines is 2 sinh(alpha epsilon / 2) sinh((alpha - 1) epsilon / 2), which has no cancellation.
    """
    if order * epsilon > FAR:
        return epsilon
    excess = 2.0 * math.sinh(order * epsilon / 2.0) * math.sinh((order - 1.0) * epsilon / 2.0)
    return min(epsilon, math.log1p(excess / math.cosh(epsilon / 2.0)) / (order - 1.0) * (1.0 + ROUNDING))
