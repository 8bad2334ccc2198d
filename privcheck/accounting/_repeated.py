"""The total of equal charges."""

from __future__ import annotations

import math

from privcheck.accounting._charge import NOTHING, UP, Charge

STEP = 2.0**-49
"""How much one addition of charges may round up, relative to the sum."""


def repeated(charge: Charge, count: int, *, one_by_one: bool = False) -> Charge:
    """Return the total of `count` equal charges, rounded up.

    Parameters
    ----------
    charge : of one release.
    count : number of releases.
    one_by_one : whether rho, mu and delta are not to be below what adding the charges one after the other gives, which
        rounds up each time.

    Examples
    --------
    >>> repeated(Charge(0.1), 100).epsilon, round(repeated(Charge(mu=0.25), 16).mu, 9)
    (10.0, 1.0)
    """
    if count == 1 or charge == NOTHING:
        return charge
    up = math.exp(count * STEP) if one_by_one else UP
    mu = charge.mu * math.sqrt(count) * up
    return Charge.total(charge.epsilon * count, charge.rho * count * up, mu, charge.delta * count * up)
