"""Statements about integers, checked at every point of a region in exact rationals."""

from __future__ import annotations

import itertools
from fractions import Fraction

from privcheck.claims._claim import Reading, Relation
from privcheck.claims._confirmation import fails, holds

MOST_POINTS = 2000


def enumerated(reading: Reading) -> int:
    """Return at how many points a relation was confirmed, if these are all of its region; 0 otherwise.

    A point counts unless a printed condition fails there for certain.

    >>> from privcheck.claims._claim import at_most, printed
    >>> from privcheck.claims._variables import integer
    >>> n = integer("n", 0, region=(0, 9))
    >>> enumerated(printed(n, says=at_most(n.symbol, 2**n.symbol)))
    10
    """
    says = reading.says
    if not isinstance(says, Relation) or not all(of.integer and of.region for of in reading.variables):
        return 0
    ranges = [range(int(of.proved[0]), int(of.proved[1]) + 1) for of in reading.variables]
    points = [
        dict(zip([of.name for of in reading.variables], map(Fraction, values), strict=True))
        for values in itertools.islice(itertools.product(*ranges), MOST_POINTS + 1)
    ]
    inside = [point for point in points if not any(fails(condition, point) for condition in reading.assumes)]
    return len(inside) if len(points) <= MOST_POINTS and all(holds(says, point) for point in inside) else 0
