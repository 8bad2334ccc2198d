"""Budgets: the notion of privacy that the user asks for, from the numbers that were given."""

from __future__ import annotations

from typing import Any

from privcheck.accounting._notions import Approximate, Concentrated, GaussianDP, Notion, Pure
from privcheck.declared import POSITIVE, Real, check
from privcheck.enclosure import as_given
from privcheck.errors import PrivcheckError, words

HINT = "a privacy budget is positive"
DELTA = Real(0.0, 1.0, high_open=True)
ONE_NOTION = "epsilon, epsilon and delta, rho, or mu"


def budget_of(
    epsilon: float | None = None, delta: float | None = None, rho: float | None = None, mu: float | None = None
) -> Notion | None:
    """Return the budget that these numbers describe; None if none was given.

    Parameters
    ----------
    epsilon : > 0: pure differential privacy; approximate with a delta above 0.
    delta : in [0, 1), only with epsilon; 0 is the same as none.
    rho : > 0: zero-concentrated differential privacy.
    mu : > 0: Gaussian differential privacy.

    Raises
    ------
    PrivcheckError : delta without epsilon, two notions at once, or a number outside its domain.

    Examples
    --------
    >>> budget_of(1.0), budget_of(1.0, 1e-6), budget_of(mu=0.5), budget_of()
    (Pure(epsilon=1.0), Approximate(epsilon=1.0, delta=1e-06), GaussianDP(mu=0.5), None)
    """
    given = [name for name, value in (("epsilon", epsilon), ("rho", rho), ("mu", mu)) if value is not None]
    if len(given) > 1:
        raise PrivcheckError("budget", words(" and ".join(given)), ONE_NOTION, "give the budget in one notion")
    delta = 0.0 if delta is None else check("delta", delta, DELTA, "a probability, below one over the number of data")
    if delta and given != ["epsilon"]:
        got = words(f"delta = {delta:g} " + (f"with {given[0]}" if given else "without epsilon"))
        raise PrivcheckError("delta", got, ONE_NOTION, "only epsilon takes a delta")
    if epsilon is not None:
        return checked_budget(Approximate(amount("epsilon", epsilon), delta) if delta else epsilon)
    if rho is not None:
        return Concentrated(amount("rho", rho))
    return None if mu is None else GaussianDP(amount("mu", mu))


def checked_budget(budget: Notion | float) -> Notion:
    """Return a budget, of which a plain number is the epsilon of pure differential privacy.

    >>> checked_budget(0.5), checked_budget(Approximate(0.5, 0.0))
    (Pure(epsilon=0.5), Pure(epsilon=0.5))
    """
    if isinstance(budget, Concentrated):
        return Concentrated(amount("rho", budget.rho))
    if isinstance(budget, GaussianDP):
        return GaussianDP(amount("mu", budget.mu))
    if isinstance(budget, Approximate) and budget.delta:
        return Approximate(amount("epsilon", budget.epsilon), budget.delta)
    return Pure(amount("epsilon", budget.epsilon if isinstance(budget, Pure | Approximate) else budget))


def amount(name: str, value: Any) -> float:
    """Return one number of a budget, or refuse it: NaN would let everything pass."""
    found: float = check(name, value, POSITIVE, HINT)
    return found


def amount_in_words(budget: Notion) -> str:
    """Return the numbers of a budget in words.

    >>> amount_in_words(Approximate(1.0, 1e-6)), amount_in_words(GaussianDP(0.5))
    ('epsilon = 1 at delta = 1e-06', 'mu = 0.5')
    """
    if isinstance(budget, Approximate):
        return f"epsilon = {as_given(budget.epsilon)} at delta = {as_given(budget.delta)}"
    name, value = next(iter(vars(budget).items()))
    return f"{name} = {as_given(value)}"
