"""Composition of zero-concentrated differential privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from privcheck.accounting._conversion import convert
from privcheck.accounting._currencies import RHO, Currency
from privcheck.accounting._notions import Approximate, Concentrated, Notion
from privcheck.accounting.accountants.base import Accountant
from privcheck.accounting.accountants.largest import largest_within


@dataclass(frozen=True)
class ZCDP(Accountant):
    """Add up rho.

    Guarantee
    ---------
    A filter on the sum of the Renyi divergences of one order alpha bounds the divergence of the whole run by its limit
    (Feldman and Zrnic 2021; the proof is at `RDP`). A sum of rhos that never exceeds rho bounds the sum of the
    divergences by rho alpha for every alpha at once, so the run is rho-zCDP. Its delta at a given epsilon follows by
    Proposition 12 of Canonne, Kamath and Steinke 2020.

    Source: Feldman and Zrnic 2021, the Renyi filter; Whitehouse, Ramdas, Rogers and Wu 2023, the filter for zCDP.

    Examples
    --------
    >>> from privcheck.accounting import Charge
    >>> total = Charge(rho=0.05) + Charge(rho=0.05)
    >>> round(ZCDP().epsilon(total, 1e-6), 3), ZCDP().within(total, Approximate(2.0, 1e-6), share=1.0)
    (2.142, False)
    """

    id: ClassVar[str] = "zcdp"

    @property
    def currency(self) -> Currency:
        """What is added up."""
        return RHO

    def epsilon_of(self, amount: float, delta: float) -> float:
        """Return the epsilon of a total at this delta."""
        if amount == 0.0 or delta <= 0.0 or math.isinf(amount):
            return 0.0 if amount == 0.0 else math.inf
        return float(convert(Concentrated(amount), Approximate, delta=delta).epsilon)

    def limit(self, budget: Notion, share: float) -> float:
        """Return rho, or the largest rho that implies epsilon at this share of delta."""
        if isinstance(budget, Concentrated):
            return budget.rho
        return _largest(budget.epsilon, share * budget.delta) if isinstance(budget, Approximate) else -1.0


@lru_cache(maxsize=256)
def _largest(epsilon: float, delta: float) -> float:
    return largest_within(lambda rho: ZCDP().epsilon_of(rho, delta), epsilon)
