"""The base class of the accountants, and their registry."""

from __future__ import annotations

from typing import Any, ClassVar

from privcheck.accounting._charge import Charge
from privcheck.accounting._currencies import Currency
from privcheck.accounting._notions import Approximate, Notion
from privcheck.declared import Declared
from privcheck.errors import PrivcheckError
from privcheck.registry import Registry

SLACK = 1e-9
"""Relative slack of the comparison with the budget, because in floats 0.1 + 0.1 + 0.1 is not 0.3: far above the
rounding of a sum of charges, and covered by the noise scale (`privcheck.mechanisms.base.NOISE_SLACK`). Probabilities
that are set aside have no slack, because no noise pays for it.
"""


class Accountant(Declared):
    """Base of the accountants: one way of adding up the charges of a datum, and of reading the total.

    Every accountant here holds for fully adaptive composition: releases, their number and their charges may depend on
    what was released before, as long as the total stays within a limit that was fixed beforehand.
    """

    id: ClassVar[str]
    slack: ClassVar[float] = SLACK
    """Relative slack of a comparison with a limit, of which the noise scale pays the equal in epsilon."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        ACCOUNTANTS.register(cls.id, cls)

    @property
    def currency(self) -> Currency:
        """What is added up."""
        raise NotImplementedError

    def needs(self, charge: Charge) -> float:
        """Return the number of a charge that is added up; infinity if the charge gives none."""
        return self.currency.of(charge)

    def epsilon_of(self, amount: float, delta: float) -> float:
        """Return the smallest known epsilon of a total amount at this delta, rounded up; infinity if there is none."""
        raise NotImplementedError

    def limit(self, budget: Notion, share: float) -> float:
        """Return the largest amount that a budget allows, given a share of its delta; below 0 if it allows none."""
        raise NotImplementedError

    def epsilon(self, total: Charge, delta: float) -> float:
        """Return the smallest known epsilon of a total at this delta, rounded up.

        What the total sets aside is part of delta: if the rest is (epsilon, d)-DP and a is set aside, the whole is
        (epsilon, a + (1 - a) d)-DP (Bun and Steinke 2016, Lemma 8.8).

        Parameters
        ----------
        total : the total of one datum, from charges that were chosen adaptively.
        delta : in [0, 1).
        """
        left = delta - total.delta
        return self.epsilon_of(self.needs(total), left) if left >= 0.0 else float("inf")

    def within(self, total: Charge, budget: Notion, share: float = 0.0) -> bool:
        """Return whether a total stays within a budget if this accountant may use this share of its delta.

        Several accountants may be asked about one run only if their shares, and what is set aside, add up to at most
        delta: see `privcheck.accounting.BudgetFilter`.
        """
        aside = budget.delta * (1.0 - share) if isinstance(budget, Approximate) else 0.0
        return total.delta <= aside and self.fits(self.needs(total), self.limit(budget, share))

    def fits(self, amount: float, limit: float) -> bool:
        """Return whether an amount is within a limit, up to the slack."""
        return amount <= limit * (1.0 + self.slack)


ACCOUNTANTS: Registry[Accountant] = Registry(
    "accountant", "privcheck.accounting.accountants", hint="such as 'gdp' or 'rdp:8'"
)
"""The accountants by id."""


def accountant(name: str) -> Accountant:
    """Return an accountant by its name: its id, for "rdp" with the order, as in "rdp:8".

    >>> accountant("gdp"), accountant("rdp:8")
    (GDP(), RDP(order=8.0))
    """
    given: Any = name
    if not isinstance(given, str) or given == "pld":
        hint = "such as 'gdp' or 'rdp:8'"
        if given == "pld":
            hint = "privacy-loss distributions account for plans that are fixed beforehand: see `privcheck account`"
        raise PrivcheckError("accountant", given, f"one of {', '.join(ACCOUNTANTS)}", hint)
    kind, colon, order = name.partition(":")
    cls: Any = ACCOUNTANTS[kind]
    if kind != "rdp":
        if colon:
            raise PrivcheckError("accountant", name, kind, "only rdp has an order")
        return cls()  # type: ignore[no-any-return]
    try:
        return cls(float(order))  # type: ignore[no-any-return]
    except ValueError:
        raise PrivcheckError("accountant", name, "rdp with its order, such as 'rdp:8'", "fix it beforehand") from None
