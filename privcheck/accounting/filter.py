"""The budget filter: refuses, before its noise is drawn, any release that would take a datum over the budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from privcheck.accounting.charge import NOTHING, Charge
from privcheck.accounting.ledger import Datum, Ledger, datum_in_words, largest_epsilon
from privcheck.declared import POSITIVE, check
from privcheck.errors import PrivcheckError, words

SLACK = 1e-9
"""Relative slack of the comparison with the budget, because in floats 0.1 + 0.1 + 0.1 is not 0.3: far above the
rounding of a sum of charges, and covered by the noise scale (`privcheck.mechanisms.base.NOISE_SLACK`).
"""


class ReleaseRefusedError(PrivcheckError):
    """A release was refused before its noise was drawn, because it cannot be charged."""


class BudgetExceededError(ReleaseRefusedError):
    """A release was refused because it would have taken a datum over the budget; nothing was drawn or spent."""


@dataclass(frozen=True)
class BudgetFilter:
    """A pure-DP privacy filter with a fixed budget per datum.

    Guarantee
    ---------
    Whatever the policy does, and however its releases depend on earlier ones, the total charge of any datum (of any
    `group_size` data together) is at most `epsilon`: a release that would exceed it is refused, on the basis of
    computed sensitivities and earlier charges, which do not depend on the data. For pure epsilon-DP with adaptively
    chosen budgets, a filter may simply add up the charges.

    Source
    ------
    Rogers, Roth, Ullman and Vadhan 2016, Theorem 3.6 (basic composition as a privacy filter).

    Examples
    --------
    >>> ledger = Ledger()
    >>> BudgetFilter(1.0).check(ledger, {1: Charge(0.7)}, "bandit.py:7")
    >>> BudgetFilter(1.0).left(ledger)
    1.0
    """

    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", check("epsilon", self.epsilon, POSITIVE, "a privacy budget is positive"))

    def check(self, ledger: Ledger, charges: Mapping[Datum, Charge], location: str) -> None:
        """Raise `BudgetExceededError` when `charges` on top of the ledger would exceed the budget."""
        limit = self.epsilon * (1.0 + SLACK)
        after = {datum: ledger.paid.get(datum, NOTHING) + charge for datum, charge in charges.items()}
        if not after:
            return
        if ledger.group_size > 1:
            total = largest_epsilon({**ledger.paid, **after}, ledger.group_size)
        else:
            total = max(charge.epsilon for charge in after.values())
        if total > limit:
            datum = max(after, key=lambda touched: after[touched].epsilon)
            got = words(f"a release at {location} that takes {datum_in_words(datum, ledger.what)} to {total:.6g}")
            hint = f"{ledger.paid.get(datum, NOTHING)} was charged before: release less often or with more noise"
            raise BudgetExceededError("budget", got, f"at most epsilon = {self.epsilon:g} per datum", hint)

    def left(self, ledger: Ledger) -> float:
        """Return the budget minus the ledger's largest total, and at least 0."""
        return max(0.0, self.epsilon - ledger.epsilon)
