"""The charge: upper bounds on the privacy loss of one datum in one release, in several currencies at once."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from privcheck.accounting._implied import mu_of_pure, rho_of_pure
from privcheck.declared import Real, check
from privcheck.enclosure import digits_up
from privcheck.errors import PrivcheckError, words

HINT = "see `loss` of the mechanism"
AMOUNT, PROBABILITY = Real(0.0), Real(0.0, 1.0, high_open=True)

UP = 1.0 + 2.0**-50
"""Factor that covers the rounding of the root of a sum of two squares, and of a product of two floats."""


def sum_up(one: float, two: float) -> float:
    """Return the sum of two numbers of at least 0, exactly if it is a float and otherwise rounded up.

    Source: Knuth 1997, The Art of Computer Programming 2, Section 4.2.2, Theorem B (the error of a sum is a float).

    >>> sum_up(0.25, 0.5), sum_up(1.0, 1e-30)
    (0.75, 1.0000000000000002)
    """
    total = one + two
    if math.isinf(total):
        return total
    of_two = total - one
    error = (one - (total - of_two)) + (two - of_two)
    return math.nextafter(total, math.inf) if error > 0.0 else total


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Charge:
    """Upper bounds on the privacy loss of one datum in one release, which hold all at once; infinity is no bound.

    For two streams that differ only in this datum, and once an event of probability `delta` is set aside on each, the
    release is epsilon-DP, rho-zCDP and mu-GDP.

    Parameters
    ----------
    epsilon : >= 0: the pure-DP loss; omitted if the mechanism bounds only the others, and infinite then.
    rho : >= 0: the zCDP loss; by default what epsilon implies.
    mu : >= 0: the Gaussian-DP loss; by default what epsilon implies.
    delta : in [0, 1): the probability that is set aside.
    pairs : dominating pairs that compose to the release, with their numbers; none unless `with_pairs` says so. Sums of
        charges have none.

    Guarantee
    ---------
    Charges of the same datum add up, even when later releases depend on earlier ones: epsilon, rho, the square of mu
    and delta are added. Epsilons are added as floats here, and rounded up in a ledger; the other sums are rounded up in
    both. Charges are not ordered: the filter decides whether a total fits into a budget.

    Raises
    ------
    PrivcheckError : a bound is negative, NaN, infinite or not a number, or there is none.

    Source: Rogers, Roth, Ullman and Vadhan 2016, Theorem 3.6; Feldman and Zrnic 2021; Smith and Thakurta 2022; Bun and
    Steinke 2016, Definition 8.1, for the event that is set aside.

    Examples
    --------
    >>> (Charge(0.5) + Charge(0.25)).epsilon
    0.75
    >>> str(sum([Charge(0.1), Charge(0.2)], NOTHING))
    '0.3'
    >>> str(Charge(mu=0.5))
    'mu = 0.5'
    >>> total = Charge(rho=0.5, mu=1.0) + Charge(rho=0.5, mu=1.0)
    >>> total.epsilon, round(total.rho, 9), round(total.mu, 9)
    (inf, 1.0, 1.414213562)
    """

    epsilon: float
    rho: float
    mu: float
    delta: float
    pairs: tuple[tuple[Any, int], ...]

    def __init__(
        self,
        epsilon: float | None = None,
        *,
        rho: float | None = None,
        mu: float | None = None,
        delta: float = 0.0,
    ) -> None:
        pure = math.inf
        if epsilon is None and rho is None and mu is None:
            raise PrivcheckError("charge", words("nothing"), "epsilon, rho or mu", "for example Charge(0.5)")
        if epsilon is not None:
            pure = check("loss", epsilon, AMOUNT, HINT)
        rho = rho_of_pure(pure) if rho is None else check("rho", rho, AMOUNT, HINT)
        mu = mu_of_pure(pure) if mu is None else check("mu", mu, AMOUNT, HINT)
        self._keep(pure, rho, mu, 0.0 if delta == 0.0 else check("delta", delta, PROBABILITY, HINT))

    @classmethod
    def total(cls, epsilon: float, rho: float | None = None, mu: float | None = None, delta: float = 0.0) -> Charge:
        """Return a total of charges without checking it: it may have overflowed to infinity.

        >>> (Charge(1e308) + Charge(1e308)).epsilon == Charge.total(math.inf).epsilon
        True
        """
        total = object.__new__(cls)
        rho = rho_of_pure(epsilon) if rho is None else rho
        total._keep(epsilon, rho, mu_of_pure(epsilon) if mu is None else mu, delta)
        return total

    def _keep(self, *bounds: float) -> None:
        for name, bound in zip(("epsilon", "rho", "mu", "delta"), bounds, strict=True):
            object.__setattr__(self, name, bound)
        object.__setattr__(self, "pairs", ())

    def with_pairs(self, pairs: tuple[tuple[Any, int], ...] = ()) -> Charge:
        """Return the charge with dominating pairs of the release, or without.

        They bound its Renyi divergences, often by less than the four numbers do: see
        `privcheck.accounting._dominating_pairs`.

        >>> from privcheck.accounting._dominating_pairs import LaplacePair
        >>> charge = Charge(0.5).with_pairs(((LaplacePair(0.5), 1),))
        >>> charge.epsilon, charge == Charge(0.5), charge.with_pairs() == Charge(0.5)
        (0.5, False, True)
        """
        if pairs == self.pairs:
            return self
        kept = Charge.total(self.epsilon, self.rho, self.mu, self.delta)
        object.__setattr__(kept, "pairs", pairs)
        return kept

    def __add__(self, other: Charge) -> Charge:
        if not isinstance(other, Charge):
            return NotImplemented
        if other == NOTHING or self == NOTHING:
            return self if other == NOTHING else other
        rho, mu = sum_up(self.rho, other.rho), math.nextafter(math.hypot(self.mu, other.mu) * UP, math.inf)
        return Charge.total(self.epsilon + other.epsilon, rho, mu, sum_up(self.delta, other.delta))

    def beside_epsilon(self) -> dict[str, float]:
        """Return the numbers that epsilon does not imply.

        >>> Charge(0.5).beside_epsilon(), Charge(rho=0.5).beside_epsilon()
        ({}, {'rho': 0.5})
        """
        implied = {"rho": rho_of_pure(self.epsilon), "mu": mu_of_pure(self.epsilon), "delta": 0.0}
        return {name: getattr(self, name) for name, value in implied.items() if getattr(self, name) != value}

    def __str__(self) -> str:
        if math.isfinite(self.epsilon) or not math.isfinite(min(self.mu, self.rho)):
            return digits_up(self.epsilon)
        return f"mu = {digits_up(self.mu)}" if math.isfinite(self.mu) else f"rho = {digits_up(self.rho)}"

    def __repr__(self) -> str:
        shown = {} if math.isinf(self.epsilon) else {"epsilon": self.epsilon}
        shown |= self.beside_epsilon()
        return f"Charge({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


NOTHING = Charge(0.0)
"""The charge of a release that a datum does not enter."""


def check_charges(charges: Iterable[Charge]) -> None:
    """Refuse what a ledger cannot add up: objects that are not charges, and totals that have overflowed.

    >>> check_charges([Charge(0.5), NOTHING])
    """
    for charge in charges:
        check_is_charge(charge)
        bounds = charge.epsilon, charge.rho, charge.mu
        if not (all(bound >= 0.0 for bound in bounds) and min(bounds) < math.inf):
            raise PrivcheckError("loss", charge.epsilon, AMOUNT.text, HINT)
        if not 0.0 <= charge.delta < 1.0:
            raise PrivcheckError("delta", charge.delta, PROBABILITY.text, HINT)


def check_is_charge(charge: object) -> None:
    """Refuse an object that is not a charge, such as an epsilon as a plain number.

    >>> check_is_charge(Charge(0.5))
    """
    if not isinstance(charge, Charge):
        raise PrivcheckError("charge", charge, "a Charge", "return Charge(epsilon) from the mechanism's `charge`")
