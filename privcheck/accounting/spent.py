"""What has been spent of a budget, in its own notion, and which accountant says so."""

from __future__ import annotations

from typing import NamedTuple

from privcheck.accounting.accountants import Accountant, accountant
from privcheck.accounting.accountants.base import SLACK
from privcheck.accounting.by_datum import Datum
from privcheck.accounting.filter import BudgetFilter
from privcheck.accounting.ledger import Ledger
from privcheck.accounting.notions import Approximate, Concentrated, GaussianDP


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

    Examples
    --------
    >>> from privcheck.accounting import Charge
    >>> strict = BudgetFilter(Approximate(1.0, 1e-6))
    >>> ledger = strict.new_ledger()
    >>> _ = ledger.record(1, "gaussian", 5.0, {1: 1.0}, {1: Charge(mu=0.2)}, "bandit.py:7")
    >>> round(spent(strict, ledger).amount, 4), spent(strict, ledger).accountant
    (0.8341, 'gdp')
    """
    if isinstance(by.budget, Concentrated):
        return Spent(ledger.sums.largest("rho"), "zcdp")
    if isinstance(by.budget, GaussianDP):
        return Spent(ledger.sums.largest("mu"), "gdp")
    if not isinstance(by.budget, Approximate):
        return Spent(ledger.epsilon, "pure")
    delta = by.budget.delta
    shares = {name: share * delta for name, share in ({"pure": 0.0} | by.shares).items()}
    ways = {name: (accountant(name), share) for name, share in shares.items()}
    joint = min(_epsilon(way, share, ledger, name) for name, (way, share) in ways.items())
    if joint.amount <= by.budget.epsilon * (1.0 + SLACK) or ledger.group_size > 1:
        return joint
    each = (
        min(_epsilon(way, share, ledger, name, datum) for name, (way, share) in ways.items()) for datum in ledger.paid
    )
    return max(each, default=joint)


def _epsilon(way: Accountant, delta: float, ledger: Ledger, name: str, datum: Datum | None = None) -> Spent:
    kept = way.currency.name
    total = ledger.sums.largest(kept) if datum is None else ledger.sums.amount(datum, kept)
    return Spent(way.epsilon_of(total, delta), name)
