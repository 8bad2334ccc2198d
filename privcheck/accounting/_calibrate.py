"""Calibration: the largest charge of which a budget has room for so many."""

from __future__ import annotations

import math
from collections.abc import Callable

from privcheck.accounting._budget_filter import BudgetFilter
from privcheck.accounting._charge import Charge
from privcheck.accounting._notions import Approximate, Concentrated, GaussianDP
from privcheck.accounting._repeated import STEP, repeated
from privcheck.accounting.accountants.base import Accountant, accountant

SUMMED = ("epsilon", "rho", "mu")
"""The currencies in which the total of equal charges is that of `repeated`."""


def has_room(budget: BudgetFilter, charge: Charge, releases: int) -> bool:
    """Return whether a filter accepts so many equal charges of one datum, without using the slack of its comparison.

    Guarantee
    ---------
    If so, `BudgetFilter.check` accepts them one after the other: the totals here are not below those of a ledger, up to
    the rounding of sums of epsilon, which the slack covers for up to 1e6 releases.

    Examples
    --------
    >>> has_room(BudgetFilter(1.0), Charge(0.25), 4), has_room(BudgetFilter(1.0), Charge(0.25), 5)
    (True, False)
    """
    total = repeated(charge, releases, one_by_one=True)
    if total.delta > budget.set_aside:
        return False
    for by, share in taking_part(budget):
        amount = by.needs(total)
        if by.currency.name not in SUMMED:
            amount = by.needs(charge) * releases * math.exp(releases * STEP)
        if amount <= by.limit(budget.budget, share):
            return True
    return False


def taking_part(budget: BudgetFilter) -> list[tuple[Accountant, float]]:
    """Return the accountants of a filter with their shares of delta.

    >>> [(by.id, share) for by, share in taking_part(BudgetFilter(Approximate(1.0, 1e-6)))]
    [('pure', 0.0), ('gdp', 1.0)]
    """
    if isinstance(budget.budget, Approximate):
        return [(accountant(name), share) for name, share in ({"pure": 0.0} | budget.shares).items()]
    if isinstance(budget.budget, Concentrated | GaussianDP):
        return [(accountant("zcdp" if isinstance(budget.budget, Concentrated) else "gdp"), 0.0)]
    return [(accountant("pure"), 0.0)]


def largest(fits: Callable[[float], bool]) -> float:
    """Return the largest float that fits, if whatever is smaller fits too; 0 if there is none above 1e-150.

    Only numbers that fit are returned, whatever the function does.

    >>> largest(lambda amount: amount <= 0.3), largest(lambda amount: False)
    (0.3, 0.0)
    """
    low, high = 0.0, 1.0
    while high < 1e150 and fits(high):
        low, high = high, 2.0 * high
    while low == 0.0 and high > 1e-150:
        half = high / 2.0
        low, high = (half, high) if fits(half) else (0.0, half)
    while low < (middle := (low + high) / 2.0) < high:
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
