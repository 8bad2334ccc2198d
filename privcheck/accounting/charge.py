"""The charge: an upper bound on the privacy loss of one datum in one release."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from privcheck.declared import Real, check
from privcheck.errors import PrivcheckError

HINT = "see `loss` of the mechanism"


@dataclass(frozen=True, slots=True)
class Charge:
    """An upper bound on the privacy loss of one datum in one release.

    P(output on one stream) <= exp(epsilon) P(output on the other), for two streams that differ only in this datum.

    Parameters
    ----------
    epsilon : >= 0, finite: the pure-DP loss.

    Guarantee
    ---------
    Charges of the same datum add up, even when later releases depend on earlier ones (basic composition). Charges are
    not ordered: the filter decides whether a total fits into a budget.

    Raises
    ------
    PrivcheckError : epsilon is negative, NaN, infinite or not a number.

    Source: Rogers, Roth, Ullman and Vadhan 2016, Theorem 3.6.

    Examples
    --------
    >>> Charge(0.5) + Charge(0.25)
    Charge(epsilon=0.75)
    >>> str(sum([Charge(0.1), Charge(0.2)], NOTHING))
    '0.3'
    """

    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", check("loss", self.epsilon, Real(0.0), HINT))

    @classmethod
    def total(cls, epsilon: float) -> Charge:
        """Return a total of charges without checking it: it may have overflowed to infinity.

        >>> Charge(1e308) + Charge(1e308) == Charge.total(math.inf)
        True
        """
        total = object.__new__(cls)
        object.__setattr__(total, "epsilon", epsilon)
        return total

    def __add__(self, other: Charge) -> Charge:
        if not isinstance(other, Charge):
            return NotImplemented
        return Charge.total(self.epsilon + other.epsilon)

    def __str__(self) -> str:
        return f"{self.epsilon:.6g}"


NOTHING = Charge(0.0)
"""The charge of a release that a datum does not enter."""


def check_charges(charges: Iterable[Charge]) -> None:
    """Refuse what a ledger cannot add up: objects that are not charges, and totals that have overflowed.

    >>> check_charges([Charge(0.5), NOTHING])
    """
    for charge in charges:
        if not isinstance(charge, Charge):
            raise PrivcheckError("charge", charge, "a Charge", "return Charge(epsilon) from the mechanism's `charge`")
        if not 0.0 <= charge.epsilon < math.inf:
            raise PrivcheckError("loss", charge.epsilon, Real(0.0).text, HINT)
