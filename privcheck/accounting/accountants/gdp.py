"""Composition of Gaussian differential privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from privcheck.accounting._currencies import MU, Currency
from privcheck.accounting._gaussian_profile import epsilon_of
from privcheck.accounting._losses.hockey_stick import gaussian_mu
from privcheck.accounting._notions import Approximate, GaussianDP, Notion
from privcheck.accounting.accountants.base import SLACK, Accountant


@dataclass(frozen=True)
class GDP(Accountant):
    """Add up the squares of mu.

    Guarantee
    ---------
    A mu-GDP release is a post-processing of a Gaussian of mean 0 or mu (Blackwell), and so of a Brownian motion with
    drift 0 or 1 that is watched for a time of mu^2. Adaptively chosen releases watch it for as long as the sum of
    their squares, which what was released determines; if that never exceeds mu^2, everything is a post-processing of
    the motion up to time mu^2, which is mu-GDP. Delta at a given epsilon is exact for a Gaussian (Balle and Wang 2018).

    Source: Smith and Thakurta 2022, the filter for GDP; Koskela, Tobaben and Honkela 2023, for each datum.

    Examples
    --------
    >>> from privcheck.accounting import Charge
    >>> total = Charge(mu=3.0) + Charge(mu=4.0)
    >>> GDP().within(total, GaussianDP(5.0)), round(GDP().epsilon(Charge(mu=1.0), 1e-6), 4)
    (True, 4.8866)
    """

    id: ClassVar[str] = "gdp"
    slack: ClassVar[float] = SLACK / 2.0
    """Half, because mu grows like the root of epsilon where a pure charge is large."""

    @property
    def currency(self) -> Currency:
        """What is added up."""
        return MU

    def epsilon_of(self, amount: float, delta: float) -> float:
        """Return the epsilon of a total at this delta."""
        if amount == 0.0 or delta <= 0.0 or math.isinf(amount):
            return 0.0 if amount == 0.0 else math.inf
        return epsilon_of(amount, delta)

    def limit(self, budget: Notion, share: float) -> float:
        """Return mu, or the largest mu that implies epsilon at this share of delta."""
        if isinstance(budget, GaussianDP):
            return budget.mu
        return _largest(budget.epsilon, share * budget.delta) if isinstance(budget, Approximate) else -1.0


@lru_cache(maxsize=256)
def _largest(epsilon: float, delta: float) -> float:
    return gaussian_mu(epsilon, delta) if delta > 0.0 else 0.0
