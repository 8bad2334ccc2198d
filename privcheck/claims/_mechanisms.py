"""Statements about every private mechanism: linear programmes find the worst one, exact rationals confirm it.

An event's probabilities for all data sets are a vector, and privacy is a set of linear inequalities on it. The largest
value of a linear function over private vectors is found in floats; a refutation rests on a vector of rationals that is
private and exceeds the bound, both exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

Data = tuple[int, ...]
"""A data set: one value for each datum."""
Probabilities = dict[Data, Fraction]

DENOMINATOR = 10**9
SHARES = (0, 10**-9, 10**-6, 10**-3)
"""How much of a constant mechanism is mixed in, so that rounded probabilities are private again."""


@dataclass(frozen=True)
class Case:
    """A linear bound on the probabilities of an event: `sum of weight * probability <= bound`.

    Parameters
    ----------
    name : the parameters, in words.
    growth : e^epsilon; rational, so that privacy can be checked exactly.
    delta : of (epsilon, delta)-DP.
    data : number of data.
    values : number of values of a datum; neighbours differ in one datum.
    weight : of each data set.
    bound : what the sum is said not to exceed; where the printed one is irrational, a rational above it.

    """

    name: str
    growth: Fraction
    delta: Fraction
    data: int
    values: int
    weight: Callable[[Data], Fraction]
    bound: Fraction

    @property
    def data_sets(self) -> list[Data]:
        """All data sets."""
        return list(itertools.product(range(self.values), repeat=self.data))

    def total(self, event: Mapping[Data, Fraction]) -> Fraction:
        """Return the left side for an event."""
        return sum((self.weight(x) * event[x] for x in self.data_sets), Fraction(0))

    def private(self, event: Mapping[Data, Fraction]) -> bool:
        """Whether the event and its complement obey (epsilon, delta)-DP, exactly."""
        if set(event) != set(self.data_sets) or not all(0 <= event[x] <= 1 for x in event):
            return False
        both = (dict(event), {x: 1 - event[x] for x in event})
        return all(of[x] <= self.growth * of[y] + self.delta for of in both for x, y in self.neighbours())

    def neighbours(self) -> list[tuple[Data, Data]]:
        """All ordered pairs of data sets that differ in one datum."""
        return [
            (x, (*x[:place], value, *x[place + 1 :]))
            for x in self.data_sets
            for place in range(self.data)
            for value in range(self.values)
            if value != x[place]
        ]


@dataclass(frozen=True)
class EveryMechanism:
    """A statement about the events of every private mechanism, put to the test in some cases.

    Parameters
    ----------
    statement : the bound, in plain letters.
    cases : parameters at which it is tried.

    """

    statement: str
    cases: tuple[Case, ...]

    def __str__(self) -> str:
        return self.statement


@dataclass(frozen=True)
class WorstEvent:
    """The event of a private mechanism that comes closest to a bound, or exceeds it.

    Parameters
    ----------
    case : name of the case.
    event : its probability for each data set, written "0,1"; exact rationals in text.
    left, right : both sides, exact rationals in text.
    exceeds : whether the left side is the larger.

    """

    case: str
    event: dict[str, str]
    left: str
    right: str
    exceeds: bool


def worst_event(case: Case) -> WorstEvent:
    """Return the event that a linear programme finds, with rational probabilities that are private for certain.

    Examples
    --------
    >>> gain = Fraction(-1), Fraction(1)
    >>> found = worst_event(Case("one bit", Fraction(2), Fraction(0), 1, 2, lambda x: gain[x[0]], Fraction(1, 4)))
    >>> found.left, found.exceeds
    ('1/3', True)
    """
    import numpy as np
    from scipy.optimize import linprog

    places = {x: i for i, x in enumerate(case.data_sets)}
    rows, right = [], []
    for x, y in case.neighbours():
        for sign, constant in ((1.0, 0.0), (-1.0, float(case.growth) - 1.0)):
            row = np.zeros(len(places))
            row[places[x]], row[places[y]] = sign, -sign * float(case.growth)
            rows.append(row)
            right.append(float(case.delta) + constant)
    cost = [-float(case.weight(x)) for x in places]
    solved = linprog(cost, np.array(rows), np.array(right), bounds=(0, 1), method="highs")
    found = solved.x if solved.x is not None else np.zeros(len(places))
    event = _private(case, {x: Fraction(float(found[i])) for x, i in places.items()})
    left = case.total(event)
    shown = {",".join(map(str, x)): str(value) for x, value in event.items()}
    return WorstEvent(case.name, shown, str(left), str(case.bound), left > case.bound)


def _private(case: Case, found: Probabilities) -> Probabilities:
    """Return rational probabilities near those found, mixed with a constant until they are private; or 0."""
    short = {x: min(max(value.limit_denominator(1000), Fraction(0)), Fraction(1)) for x, value in found.items()}
    long = {x: min(max(value.limit_denominator(DENOMINATOR), Fraction(0)), Fraction(1)) for x, value in found.items()}
    for rounded in (short, long):
        for share in map(Fraction, SHARES):
            constant = share * sum(rounded.values()) / len(rounded)
            mixed = {x: (1 - share) * value + constant for x, value in rounded.items()}
            close = abs(case.total(mixed) - case.total(found)) <= Fraction(1, 1000) * abs(case.total(found))
            if close and case.private(mixed):
                return mixed
    return dict.fromkeys(found, Fraction(0))


def exceeds_again(says: EveryMechanism, name: str, event: Mapping[str, str]) -> bool:
    """Return whether an event that was recorded is private and exceeds the bound of a case, all of it exactly.

    Errors in the record give False: the case is the one in the code, and only the probabilities are read.
    """
    found = next((case for case in says.cases if case.name == name), None)
    if found is None:
        return False
    try:
        read = {tuple(int(part) for part in of.split(",")): Fraction(str(value)) for of, value in dict(event).items()}
    except (TypeError, ValueError, ZeroDivisionError):
        return False
    return found.private(read) and found.total(read) > found.bound


def above_power(base: Fraction, exponent: Fraction, digits: int = 30) -> Fraction:
    """Return a rational at or above `base ** exponent`, by intervals of many digits; exact for a whole exponent.

    >>> above_power(Fraction(2), Fraction(3)), float(above_power(Fraction(2), Fraction(1, 2)))
    (Fraction(8, 1), 1.4142135623730951)
    """
    if exponent.denominator == 1:
        return base ** int(exponent)
    import mpmath

    with mpmath.workdps(2 * digits):
        value = mpmath.power(
            mpmath.mpf(base.numerator) / base.denominator, mpmath.mpf(exponent.numerator) / exponent.denominator
        )
        above = mpmath.ceil(value * mpmath.mpf(10) ** digits)
        return Fraction(int(above) + 1, 10**digits)
