"""Basic composition of pure differential privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from privcheck.accounting._conversion import convert
from privcheck.accounting._currencies import EPSILON, Currency
from privcheck.accounting._notions import Approximate, Notion, Pure
from privcheck.accounting.accountants.base import Accountant


@dataclass(frozen=True)
class PureSum(Accountant):
    """Add up the epsilons. It needs no share of delta.

    Guarantee
    ---------
    Given what was released before, a release of charge e multiplies the likelihood ratio by at most e^epsilon. On
    every execution the product of these factors is at most the exponential of the sum, so that a run on which the sum
    never exceeds epsilon is epsilon-DP, whatever was chosen adaptively.

    Source: Rogers, Roth, Ullman and Vadhan 2016, Theorem 3.6.

    Examples
    --------
    >>> from privcheck.accounting import Charge
    >>> total = Charge(0.1) + Charge(0.2)
    >>> PureSum().within(total, Pure(0.3)), PureSum().epsilon(total, 0.0) == 0.1 + 0.2
    (True, True)
    """

    id: ClassVar[str] = "pure"

    @property
    def currency(self) -> Currency:
        """What is added up."""
        return EPSILON

    def epsilon_of(self, amount: float, delta: float) -> float:
        """Return the epsilon of a total; a delta above 0 makes it smaller (Kairouz, Oh and Viswanath 2015)."""
        if delta == 0.0 or math.isinf(amount):
            return amount
        return float(convert(Pure(amount), Approximate, delta=delta).epsilon)

    def limit(self, budget: Notion, share: float) -> float:  # noqa: ARG002
        """Return epsilon, for a budget that has one."""
        return budget.epsilon if isinstance(budget, Pure | Approximate) else -1.0
