"""Epsilon in whole units, so that what a ledger on disk adds up is exact."""

from __future__ import annotations

import math

from privcheck.accounting._charge import Charge

UNITS = 2**50
"""Units of an epsilon of 1. A million equal shares of 1.0, each rounded up, exceed it by less than the slack of 1e-9
for which the noise pays in advance; units of 1e-12 would refuse the last of 3,000. Sums below 8 are exact floats too,
and those below 8,192 fit into 63 bits.
"""

LARGEST = 8192
"""The epsilon below which a ledger on disk keeps totals."""


def units_of(epsilon: float) -> int:
    """Return an epsilon in units, rounded up.

    >>> units_of(1.0) == UNITS, units_of(1e-300)
    (True, 1)
    """
    return math.ceil(math.ldexp(epsilon, 50)) if epsilon < 2.0**900 else int(epsilon) * UNITS


def in_units(charge: Charge) -> Charge:
    """Return a charge whose epsilon is a whole number of units, which is at least what it was.

    >>> in_units(Charge(0.1)).epsilon - 0.1 < 2.0**-50, in_units(Charge(0.25)) == Charge(0.25)
    (True, True)
    """
    if math.isinf(charge.epsilon):
        return charge
    epsilon = math.ldexp(units_of(charge.epsilon), -50)
    if epsilon < charge.epsilon:  # beyond 53 bits a float has no units
        epsilon = math.nextafter(epsilon, math.inf)
    rounded = Charge.total(epsilon, charge.rho, charge.mu, charge.delta)
    return rounded.with_pairs(charge.pairs)
