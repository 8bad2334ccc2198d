"""The budget filter: refuses, before its noise is drawn, any release that would take a datum over the budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from typing import Any

from privcheck.accounting._budget import amount_in_words, checked_budget
from privcheck.accounting._by_datum import ByDatum, Datum
from privcheck.accounting._charge import Charge, check_is_charge
from privcheck.accounting._currencies import DELTA, EPSILON, Currency
from privcheck.accounting._ledger import Ledger, datum_in_words
from privcheck.accounting._notions import Approximate, Concentrated, GaussianDP, Notion, Pure
from privcheck.accounting._totals import Totals
from privcheck.accounting.accountants.base import Accountant, accountant
from privcheck.declared import UNIT_INTERVAL, check
from privcheck.errors import PrivcheckError, words


class ReleaseRefusedError(PrivcheckError):
    """A release was refused before its noise was drawn, because it cannot be charged."""

    __module__ = "privcheck"  # as it is imported, and so in tracebacks


class BudgetExceededError(ReleaseRefusedError):
    """A release was refused because it would have taken a datum over the budget; nothing was drawn or spent.

    `datum` is the one whose total would be the largest; `before` and `total` are what it was charged and would be
    charged, in the unit of the budget: epsilon, rho or mu, or delta where too much would be set aside.

    A guard with `per_user` and `window` also refuses rewards of a person who has no budget left. `renews` is the moment
    at which that person's budget begins anew, in UTC; None for a budget for ever, and for a refused release.
    """

    __module__ = "privcheck"
    datum: Datum | None = None
    before = total = math.nan
    renews: datetime | None = None

    def advised(self, hint: str) -> BudgetExceededError:
        """Return this error with another hint, or itself if that is empty."""
        if not hint:
            return self
        found = BudgetExceededError(self.parameter, self.value, self.expected, hint)
        found.datum, found.before, found.total, found.renews = self.datum, self.before, self.total, self.renews
        return found


@dataclass(frozen=True)
class BudgetFilter:
    """A privacy filter with a fixed budget per datum, in any notion of privacy.

    Parameters
    ----------
    budget : `Pure`, `Approximate`, `Concentrated` or `GaussianDP`; a number is the epsilon of `Pure`.
    accountants : for `Approximate`, the shares of delta of the accountants, by name ("gdp", "zcdp", "rdp:ALPHA"), fixed
        before the run; by default all of it is for "gdp". "pure" always takes part, at no share. What is left over may
        be set aside by charges.

    Guarantee
    ---------
    Whatever the policy does, and however its releases depend on earlier ones, the run is as private as the budget says,
    for neighbours that differ in one datum (in `group_size` data of the ledger): a release is refused, on the basis of
    computed sensitivities and earlier charges, which do not depend on the data, unless afterwards an accountant finds
    the total of every datum within the budget at its own share of delta. A pure budget is kept by the sum of epsilons,
    a Gaussian one by that of mu^2, and a concentrated one by that of rho.

    *Several accountants cost the sum of their shares.* Fix one datum, and divide the executions by the first accountant
    that accepts its final total. Totals only grow, so along such an execution this accountant alone would have taken
    the same decisions, on either stream; and the run that it filters alone is (epsilon, its share)-DP. The parts add
    up to delta = the sum of the shares. The best accountant at full delta, chosen along the way or afterwards, would
    not do: see `docs/evidence/why-certificates-hold.md`.

    *Events that are set aside.* On every execution the probabilities set aside sum to at most a = delta (1 - sum of
    shares). So the run has the law (1 - a) Q + a R, where Q draws each release on the condition that its event is kept.
    The above holds for Q, hence P(S) <= a + (1 - a) (e^epsilon Q'(S) + sum of shares) <= e^epsilon P'(S) + delta. The
    limit is one for all accountants: if each had its own, their excesses would add up.

    Raises
    ------
    PrivcheckError : a budget that is not positive and finite, unknown accountants, shares whose sum exceeds 1, or
        shares for a budget without delta.

    Source
    ------
    Rogers, Roth, Ullman and Vadhan 2016, Theorem 3.6; Feldman and Zrnic 2021; Smith and Thakurta 2022; Koskela, Tobaben
    and Honkela 2023 (filters for each datum); Bun and Steinke 2016, Lemma 8.8 (events that are set aside).

    Examples
    --------
    >>> ledger = Ledger()
    >>> BudgetFilter(1.0).check(ledger, {1: Charge(0.7)}, "bandit.py:7")
    >>> BudgetFilter(1.0).left(ledger)
    1.0
    >>> BudgetFilter(Approximate(1.0, 1e-6), {"gdp": 0.5}).shares, BudgetFilter(Approximate(1.0, 1e-6)).shares
    ({'gdp': 0.5}, {'gdp': 1.0})
    """

    budget: Notion
    accountants: Mapping[str, float] | None = None

    def __init__(self, budget: Notion | float, accountants: Mapping[str, float] | None = None) -> None:
        object.__setattr__(self, "budget", checked_budget(budget))
        given: Any = accountants
        if given is not None and not isinstance(given, Mapping):
            hint = "as in {'gdp': 0.5, 'zcdp': 0.5}"
            raise PrivcheckError("accountants", given, "shares of delta by accountant", hint)
        object.__setattr__(self, "accountants", None if accountants is None else dict(accountants))
        self._check_shares()
        _ = self._accountants  # the limits are fixed before the run

    @property
    def shares(self) -> dict[str, float]:
        """The shares of delta by accountant; empty for a budget without delta."""
        if not isinstance(self.budget, Approximate):
            return {}
        return {"gdp": 1.0} if self.accountants is None else dict(self.accountants)

    @cached_property
    def _accountants(self) -> tuple[tuple[Accountant, float, float], ...]:
        """The accountants that take part, each with its part of delta and its limit."""
        if isinstance(self.budget, Approximate):
            parts = {"pure": 0.0} | self.shares
            found = [(accountant(name), share) for name, share in parts.items()]
            return tuple((by, share * self.budget.delta, by.limit(self.budget, share)) for by, share in found)
        only = accountant({Concentrated: "zcdp", GaussianDP: "gdp"}.get(type(self.budget), "pure"))
        return ((only, 0.0, only.limit(self.budget, 0.0)),)

    @cached_property
    def set_aside(self) -> float:
        """The largest sum of the probabilities that charges of one datum may set aside, rounded down."""
        if not isinstance(self.budget, Approximate):
            return 0.0
        left = Fraction(self.budget.delta) * (1 - sum(map(Fraction, self.shares.values())))
        found = float(left)
        return math.nextafter(found, 0.0) if Fraction(found) > left else found

    @cached_property
    def currencies(self) -> tuple[Currency, ...]:
        """What a ledger has to add up for this filter; epsilon always."""
        used = {EPSILON.name: EPSILON} | {by.currency.name: by.currency for by, _, _ in self._accountants}
        return (*used.values(), DELTA) if self.set_aside else tuple(used.values())

    def new_ledger(self, group_size: int = 1, what: str = "reward") -> Ledger:
        """Return an empty ledger that adds up what this filter needs."""
        return Ledger(group_size=group_size, what=what, paid=Totals(group_size, self.currencies))

    def check(
        self, ledger: Ledger, charges: Mapping[Datum, Charge], location: str, round_number: int | None = None
    ) -> None:
        """Raise `BudgetExceededError` when `charges` on top of the ledger would exceed the budget.

        Charges that no budget of this notion could pay raise `ReleaseRefusedError`. The number of the round is for the
        error alone: it says if the same line has charged the same datum in this round.
        """
        owed = ByDatum.of(charges)
        self._check_kind(owed, location)
        if owed and not self.fits(ledger, owed):
            raise self._exceeded(ledger, owed, location, round_number)

    def fits(self, ledger: Ledger, charges: Mapping[Datum, Charge]) -> bool:
        """Return whether these charges on top of the ledger are within the budget."""
        owed = ByDatum.of(charges)
        if self._accepts(self._of(ledger).largest_with(owed)):
            return True
        if ledger.group_size > 1 or len(self._accountants) == 1:
            return False
        return all(self._accepts(totals) for _, totals in self._of(ledger).each_with(owed))

    def left(self, ledger: Ledger) -> float:
        """Return what is left of the budget's epsilon, rho or mu for the datum with the largest total, and at least 0.

        For mu it is the largest that still fits; under group privacy one that does. For epsilon with a delta it is
        epsilon minus what has been spent at this delta; more may fit, because Gaussian releases add up to less than
        their epsilons do.
        """
        totals = self._of(ledger)
        if isinstance(self.budget, GaussianDP):
            budget, paid = self.budget.mu, totals.largest("mu")
            if ledger.group_size > 1 or paid >= budget:
                return max(0.0, budget - paid)
            return math.sqrt(budget - paid) * math.sqrt(budget + paid)
        if isinstance(self.budget, Concentrated):
            return max(0.0, self.budget.rho - totals.largest("rho"))
        spent = min(by.epsilon_of(totals.largest(by.currency.name), delta) for by, delta, _ in self._accountants)
        return max(0.0, self.budget.epsilon - spent)

    def _accepts(self, totals: Mapping[str, float]) -> bool:
        if totals.get("delta", 0.0) > self.set_aside:
            return False
        return any(by.fits(totals[by.currency.name], limit) for by, _, limit in self._accountants)

    def _of(self, ledger: Ledger) -> Totals:
        """Return the totals of a ledger that adds up what this filter needs."""
        if ledger.sums.currencies is self.currencies:
            return ledger.sums
        missing = [currency.name for currency in self.currencies if not ledger.sums.keeps(currency.name)]
        if missing:
            got = words(f"a ledger that does not add up {', '.join(missing)}")
            raise PrivcheckError("ledger", got, "one that does", "make it with `BudgetFilter.new_ledger`")
        return ledger.sums

    def _check_shares(self) -> None:
        """Refuse accountants that do not exist, and shares that add up to more than delta."""
        if self.accountants is None:
            return
        if not isinstance(self.budget, Approximate):
            expected = "none for a budget without delta"
            raise PrivcheckError("accountants", self.accountants, expected, "shares divide the delta of a budget")
        known: set[Accountant] = set()
        for name, share in self.accountants.items():
            by = accountant(name)
            if by in known:
                raise PrivcheckError("accountants", self.accountants, f"one share of {by.currency.name}", "add them up")
            known.add(by)
            check(f"share of {name}", share, UNIT_INTERVAL, "a share of delta")
            if by.id == "pure" and share:
                raise PrivcheckError("share of pure", share, "0", "the sum of epsilons needs no delta")
        if sum(map(Fraction, self.accountants.values())) > 1:
            found = f"{math.fsum(self.accountants.values()):.15g}"
            total = words(f"shares that add up to {'just above 1' if found == '1' else found}")
            raise PrivcheckError("accountants", total, "at most 1", "several accountants share delta between them")

    def _check_kind(self, owed: ByDatum[Charge], location: str) -> None:
        """Refuse charges that no amount of budget could pay."""
        for charge in owed.different:
            check_is_charge(charge)
            if charge.delta > 0.0 and self.set_aside == 0.0:
                got = words(f"a release at {location} that sets aside delta = {charge.delta:g}")
                hint = "give a budget with delta"
                if isinstance(self.budget, Approximate):
                    hint = "give the accountants less than all of delta, such as accountants={'gdp': 0.5}"
                raise ReleaseRefusedError("budget", got, f"none under the budget {amount_in_words(self.budget)}", hint)
            if all(math.isinf(by.needs(charge)) for by, _, _ in self._accountants):
                names = " or ".join(dict.fromkeys(by.currency.name for by, _, _ in self._accountants))
                got = words(f"a release at {location} without a bound on {names}")
                expected = f"one with a bound, for the budget {amount_in_words(self.budget)}"
                raise ReleaseRefusedError("budget", got, expected, NO_BOUND)

    def _exceeded(
        self, ledger: Ledger, owed: ByDatum[Charge], location: str, round_number: int | None
    ) -> BudgetExceededError:
        """Return the error that names the datum whose total would be the largest."""
        totals = self._of(ledger)
        joint = totals.largest_with(owed)
        parts = [(by, by.currency.name, delta) for by, delta, _ in self._accountants]
        epsilon, name = min((by.epsilon_of(joint[name], delta), name) for by, name, delta in parts)
        limit, most = amount_in_words(self.budget), next(iter(vars(self.budget).values()))
        shown = f"{name} = {_beyond(joint[name], most)}"
        if isinstance(self.budget, Approximate):
            shown = f"epsilon = {_beyond(epsilon, most)}"
        if isinstance(self.budget, Pure):
            shown = _beyond(joint[name], most)
        if joint.get("delta", 0.0) > self.set_aside:
            over = _beyond(joint["delta"], self.set_aside)
            name, shown, limit = "delta", f"delta = {over} set aside", f"{self.set_aside:g}"
        datum = max(totals.each_with(owed), key=lambda touched: touched[1][name])[0]
        who, before = datum_in_words(datum, ledger.what), totals.amount(datum, name) if datum in totals else 0.0
        each = "datum"
        if ledger.group_size > 1:  # others of the group may have paid all that was charged before
            who, before = f"{ledger.group_size} data together, with {who},", totals.largest(name)
            each = f"{ledger.group_size} data"
        got = words(f"a release at {location} that takes {who} to {shown}")
        paid = f"{before:.6g}" if isinstance(self.budget, Pure) else f"{name} = {before:.6g}"
        hint = f"{paid} was charged before: release less often or with more noise"
        if ledger.of_line(datum, location, round_number):
            hint = f"{paid} was charged before, {SAME_LINE}"
        elif before == 0.0:
            hint = "nothing was charged before this release, which is too much by itself: use more noise"
        exceeded = BudgetExceededError("budget", got, f"at most {limit} per {each}", hint)
        exceeded.datum, exceeded.before, exceeded.total = datum, before, joint[name]
        return exceeded


def _beyond(total: float, limit: float) -> str:
    """Return a total as text, with as many digits as it takes to see that it is above a limit.

    >>> _beyond(2.0, 1.0), _beyond(1.000000005, 1.0), _beyond(1.0, 1.0)
    ('2', '1.000000005', '1.0')
    """
    texts = (f"{total:.{digits}g}" for digits in (6, 10, 14))
    return next((text for text in texts if float(text) > float(f"{limit:g}")), repr(total))


SAME_LINE = (
    "also by the same line in the same round, and each release is charged in full: release a value once, and sums of "
    "several arms together, as one array made with privcheck.zeros"
)
NO_BOUND = "use another mechanism, such as Laplace noise for a pure budget, or give a budget in the notion of this one"
