"""What has been spent of a budget, in its own notion, and which accountant says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from privcheck.accounting._budget_filter import BudgetFilter
from privcheck.accounting._ledger import Ledger
from privcheck.accounting._notions import Approximate, Concentrated, GaussianDP
from privcheck.accounting.accountants.base import Accountant, accountant


class Spent(NamedTuple):
    """The largest loss of any datum, or group of data, and the accountant by which it is the smallest.

    Parameters
    ----------
    amount : epsilon, at the budget's delta if it has one; rho; or mu.
    accountant : name of the accountant.
    """

    amount: float
    accountant: str


def spent(by: BudgetFilter, ledger: Ledger) -> Spent:
    """Return what the releases of a ledger have spent of a filter's budget.

    Under a budget with delta each datum may be accepted by another accountant, each at its own share of delta. The
    result is the largest of the data's smallest epsilons, so it is within the budget whenever the filter accepted all
    releases. It only reports: no decision rests on it.

    Totals are rounded up and compared with a relative slack of at most 1e-9, for which the noise pays in advance
    (`privcheck.mechanisms.base.NOISE_SLACK`). What was accepted is therefore within the budget itself, and the result
    is at most the budget, though the total may be a few units in the last place above it.

    Examples
    --------
    >>> from privcheck.accounting import Charge
    >>> strict = BudgetFilter(Approximate(1.0, 1e-6))
    >>> ledger = strict.new_ledger()
    >>> _ = ledger.record(1, "gaussian", 5.0, {1: 1.0}, {1: Charge(mu=0.2)}, "bandit.py:7")
    >>> round(spent(strict, ledger).amount, 4), spent(strict, ledger).accountant
    (0.8341, 'gdp')
    """
    if not isinstance(by.budget, Approximate):
        way = _only(by)
        return Spent(_shown(ledger.sums.largest(way.currency.name), way, by), way.id)
    budget = by.budget
    ways = {name: accountant(name) for name in {"pure": 0.0} | by.shares}
    joint = min(_epsilon(way, budget, by.shares, ledger, name) for name, way in ways.items())
    if joint.amount <= budget.epsilon or ledger.group_size > 1:
        return joint
    each = (
        min(_epsilon(way, budget, by.shares, ledger, name, datum) for name, way in ways.items())
        for datum in ledger.paid
    )
    return max(each, default=joint)


def shown(by: BudgetFilter, ledger: Ledger) -> Ledger:
    """Return a copy of a ledger to be read, in which no total that the filter accepted is above the budget.

    Only copies say so: were the sums that the filter reads lowered too, releases below the slack would cost nothing.
    The sums of epsilon, rho and mu of a budget with delta are no epsilons at this delta and stay as they are.

    Examples
    --------
    >>> from privcheck.accounting import Charge
    >>> strict, tenth = BudgetFilter(1.0), {1: Charge(0.1)}
    >>> ledger = strict.new_ledger()
    >>> for number in range(10):
    ...     strict.check(ledger, tenth, "bandit.py:7")
    ...     _ = ledger.record(number, "laplace", 10.0, {1: 1.0}, tenth, "bandit.py:7")
    >>> ledger.epsilon > 1.0, shown(strict, ledger).epsilon, spent(strict, ledger).amount
    (True, 1.0, 1.0)
    """
    if isinstance(by.budget, Approximate):
        return ledger.snapshot()
    way = _only(by)
    limit = way.limit(by.budget, 0.0)
    paid = ledger.sums.capped(way.currency.name, limit, limit * (1.0 + way.slack))
    return replace(ledger, releases=list(ledger.releases), paid=paid)


def _only(by: BudgetFilter) -> Accountant:
    """Return the accountant of a budget without delta."""
    return accountant({Concentrated: "zcdp", GaussianDP: "gdp"}.get(type(by.budget), "pure"))


def _shown(total: float, way: Accountant, by: BudgetFilter) -> float:
    limit = way.limit(by.budget, 0.0)
    return min(total, limit) if way.fits(total, limit) else total


def _epsilon(
    way: Accountant, budget: Approximate, shares: Mapping[str, float], ledger: Ledger, name: str, datum: Any = None
) -> Spent:
    kept, share = way.currency.name, shares.get(name, 0.0)
    total = ledger.sums.largest(kept) if datum is None else ledger.sums.amount(datum, kept)
    epsilon = way.epsilon_of(total, share * budget.delta)
    return Spent(min(epsilon, budget.epsilon) if way.fits(total, way.limit(budget, share)) else epsilon, name)
