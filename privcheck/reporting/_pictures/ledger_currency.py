"""In which currency the ledger of a certificate is drawn, and what the budget is in it."""

from __future__ import annotations

import math

from privcheck.accounting import Approximate, Concentrated, GaussianDP, accountant
from privcheck.results import Certificate

CURRENCIES = ("epsilon", "mu", "rho")
"""In the order of preference where the budget does not say which."""


def ledger_currency(certificate: Certificate) -> str:
    """Return the currency of the budget, or another one if some total of the ledger is infinite in it.

    >>> from privcheck.results._example_results import GAUSSIAN, GRANTED
    >>> ledger_currency(GRANTED), ledger_currency(GAUSSIAN)
    ('epsilon', 'mu')
    """
    totals = list(certificate.ledger.paid.values())
    own: dict[type, str] = {Concentrated: "zcdp", GaussianDP: "gdp", Approximate: certificate.accountant or "gdp"}
    added = accountant(own.get(type(certificate.budget), "pure")).currency.name
    preferred = added if added in CURRENCIES else "rho"
    found = [preferred, *(name for name in CURRENCIES if name != preferred)]
    return next((name for name in found if all(math.isfinite(getattr(t, name)) for t in totals)), preferred)


def budget_in(certificate: Certificate, currency: str) -> float | None:
    """Return the largest total that fits into the budget, in a currency; None if the budget does not limit it.

    >>> from privcheck.results._example_results import GAUSSIAN, GRANTED
    >>> budget_in(GRANTED, "epsilon"), round(budget_in(GAUSSIAN, "mu"), 6)
    (1.0, 0.236704)
    """
    if certificate.budget is None:
        return None
    name = {"epsilon": "pure", "mu": "gdp", "rho": "zcdp"}[currency]
    limit = accountant(name).limit(certificate.budget, certificate.shares.get(name, 0.0))
    return limit if limit > 0.0 else None
