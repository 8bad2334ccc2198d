"""Azize and Basu (NeurIPS 2022): what appendix B says of every mechanism, by linear programmes over small ones."""

from __future__ import annotations

import math
from fractions import Fraction

from privcheck.claims._claim import Reading
from privcheck.claims._declared_claims import claim
from privcheck.claims._mechanisms import Case, Data, EveryMechanism, above_power

GROWTHS = (Fraction(3, 2), Fraction(3), Fraction(8), Fraction(40))
"""e^epsilon: epsilon is 0.41, 1.10, 2.08 and 3.69."""
DELTAS = (Fraction(0), Fraction(1, 100))


def _lemma_2(growth: Fraction, delta: Fraction, p: Fraction) -> Case:
    """Two data in {0, 1, 2}: 0 with probability 1 - p under both laws, else 1 under P_i and 2 under Q_i."""
    factor = above_power(growth, 12 * p)  # e^epsilon', as TV(P_i, Q_i) = p

    def chance(x: Data, other: int) -> Fraction:
        return Fraction(math.prod(1 - p if value == 0 else p if value == other else Fraction(0) for value in x))

    return Case(
        f"e^epsilon = {growth}, delta = {delta}, TV(P_i, Q_i) = {p}, T = 2",
        growth,
        delta,
        2,
        3,
        lambda x: chance(x, 1) - factor * chance(x, 2),
        4 * factor * delta * 2 * p,
    )


@claim(
    "azize-basu-2022/lem2-every",
    "Lemma 2",
    kind="privacy",
    consequence=(
        "See azize-basu-2022/lem2: use the bound for epsilon up to 2.9183. The programmes find no mechanism that "
        "exceeds it where e^epsilon is at most 8, whether delta is 0 or 1/100."
    ),
    tested_on=(
        "T = 2 data with values 0, 1 and 2. Each is 0 with probability 1 - TV under both laws, else 1 under P_i "
        "and 2 under Q_i. The event is given by its probability for each data set. The left side is M_P(E) - "
        "e^epsilon' M_Q(E), with e^epsilon' = (e^epsilon)^(12 TV) rounded up, the right side delta'."
    ),
)
def lemma_2_for_every_mechanism() -> tuple[Reading, ...]:
    """If M is a mechanism satisfying (epsilon, delta)-DP, then for every event E, M_{P_1..P_T}(E) <= e^epsilon'
    M_{Q_1..Q_T}(E) + delta', where epsilon' = 6 epsilon sum_i TV(P_i, Q_i) and delta' = 4 e^epsilon' delta sum_i
    TV(P_i, Q_i).
    """
    statement = "M_P(E) <= e^epsilon' M_Q(E) + delta' for every private mechanism"
    shares = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))
    cases = tuple(_lemma_2(growth, delta, p) for growth in GROWTHS for delta in DELTAS for p in shares)
    return (Reading("as printed", (), EveryMechanism(statement, cases)),)


def _fact_1(growth: Fraction, delta: Fraction, distance: int) -> Case:
    """Three data in {0, 1, 2}; given H = h, each set of h data that differ is equally likely: 1 there, 0 elsewhere."""

    def chance(x: Data, ones: int) -> Fraction:
        return Fraction(1, math.comb(3, ones)) if 2 not in x and sum(x) == ones else Fraction(0)

    return Case(
        f"e^epsilon = {growth}, delta = {delta}, T = 3, h = {distance}",
        growth,
        delta,
        3,
        3,
        lambda x: chance(x, distance) - growth * chance(x, distance - 1),
        delta,
    )


@claim(
    "azize-basu-2022/fact1",
    "Fact 1, in the proof of Lemma 2",
    kind="privacy",
    role="step",
    tested_on=(
        "T = 3 data with values 0, 1 and 2; given H = h each set of h data that differ is equally likely, with the"
        " value 1 there and 0 elsewhere. The left side is m_1(h) - e^epsilon m_1(h - 1), the right side delta."
    ),
)
def fact_1() -> Reading:
    """For j in {0, 1}, m_j(h) <= e^epsilon m_j(h - 1) + delta for h = 1, ..., T - 1, and m_1(0) = m_0(0)."""
    statement = "m_j(h) <= e^epsilon m_j(h - 1) + delta for every private mechanism"
    cases = tuple(_fact_1(growth, delta, h) for growth in GROWTHS for delta in DELTAS for h in (1, 2))
    return Reading("as printed", (), EveryMechanism(statement, cases))
