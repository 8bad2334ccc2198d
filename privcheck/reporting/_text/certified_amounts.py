"""The budget, the upper bound and the largest loss of a certificate, in the notion of its budget."""

from __future__ import annotations

import math

from privcheck.accounting import Approximate, Concentrated, GaussianDP, Pure
from privcheck.reporting._text.numbers import NONE, at_delta, at_most, budget_text, percent, small
from privcheck.results import Certificate


def budget_words(certificate: Certificate) -> str:
    """Return the budget: a number for pure DP, otherwise with the names of its numbers.

    >>> from privcheck.results._example_results import GAUSSIAN, GRANTED
    >>> budget_words(GRANTED), budget_words(GAUSSIAN)
    ('1', 'epsilon = 1, delta = 1e-06')
    """
    budget = certificate.budget
    return small(budget.epsilon, 6) if isinstance(budget, Pure) else budget_text(budget)


def bounded_number(certificate: Certificate) -> str:
    """Return the name of the number that the budget bounds.

    >>> from privcheck.results._example_results import GRANTED
    >>> bounded_number(GRANTED)
    'epsilon'
    """
    names: dict[type, str] = {Concentrated: "rho", GaussianDP: "mu"}
    return names.get(type(certificate.budget), "epsilon")


def upper_words(certificate: Certificate) -> str:
    """Return the certified upper bound in a clause.

    >>> from privcheck.results._example_results import GAUSSIAN, GRANTED
    >>> upper_words(GRANTED), upper_words(GAUSSIAN)
    ('epsilon is at most 1.000', 'epsilon is at most 1.000 at delta = 1e-06')
    """
    upper = certificate.upper
    if isinstance(upper, Concentrated):
        return f"rho is at most {at_most(upper.rho)}"
    if isinstance(upper, GaussianDP):
        return f"mu is at most {at_most(upper.mu)}"
    return f"epsilon is at most {at_most(certificate.epsilon_upper)}{at_delta(certificate.delta)}"


def upper_row(certificate: Certificate) -> str:
    """Return the certified upper bound in each notion in which there is one, that of the budget first.

    >>> from privcheck.results._example_results import GAUSSIAN, GRANTED
    >>> upper_row(GRANTED), upper_row(GAUSSIAN)
    ('1.000', 'epsilon 1.000 at delta = 1e-06')
    """
    match certificate.upper:
        case None:
            return "none"
        case Pure(epsilon):
            return at_most(epsilon)
        case Approximate(epsilon, delta):
            return f"epsilon {at_most(epsilon)}{at_delta(delta)}"
        case Concentrated(rho):
            return f"rho {at_most(rho)}"
        case GaussianDP(mu):
            return f"mu {at_most(mu)}, and so rho {at_most(certificate.rho_upper)}"


def ledger_amount(certificate: Certificate) -> str:
    """Return the largest loss of any datum over the explored executions, in the notion of the budget.

    >>> from privcheck.results._example_results import GAUSSIAN, GRANTED
    >>> ledger_amount(GRANTED), ledger_amount(GAUSSIAN)
    ('1', 'epsilon = 0.924 at delta = 1e-06')
    """
    budget = certificate.budget
    if isinstance(budget, Concentrated):
        return f"rho = {_number(certificate.ledger_rho)}"
    if isinstance(budget, GaussianDP):
        return f"mu = {_number(certificate.ledger_mu)}"
    if isinstance(budget, Approximate):
        return f"epsilon = {_number(certificate.ledger_epsilon)}{at_delta(certificate.delta)}"
    if math.isinf(certificate.ledger_epsilon) and certificate.ledger_mu is not None:
        return f"mu = {_number(certificate.ledger_mu)}, with no bound on epsilon"
    return small(certificate.ledger_epsilon, 6)


def shares_words(certificate: Certificate) -> str:
    """Return the share of delta of each accountant.

    >>> from privcheck.results._example_results import GAUSSIAN
    >>> shares_words(GAUSSIAN)
    'gdp 100 %'
    """
    return ", ".join(f"{name} {percent(share)}" for name, share in certificate.shares.items()) or NONE


def accountant_words(certificate: Certificate) -> str:
    """Return which accountant comes closest to the budget or shows that the largest loss fits into it, and its share.

    >>> from privcheck.results._example_results import GAUSSIAN
    >>> accountant_words(GAUSSIAN)
    'gdp, with 100 % of delta'
    """
    winner = certificate.accountant
    if winner is None:
        return f"{NONE}; shares of delta: {shares_words(certificate)}"
    others = {name: share for name, share in certificate.shares.items() if name != winner and share}
    rest = "; " + ", ".join(f"{name} has {percent(share)}" for name, share in others.items()) if others else ""
    return f"{winner}, with {percent(certificate.shares.get(winner, 0.0))} of delta{rest}"


def _number(value: float | None) -> str:
    return NONE if value is None else small(value, 6)
