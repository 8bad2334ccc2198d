"""Structured and discrete inputs, shrunk by hypothesis: arm sets, horizons, one action, delta above 1, p = 0."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from privcheck.claims import CLAIMS, Reading, Variable
from privcheck.claims._confirmation import refuted_at

QUIET = settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=500,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)


def values(of: Variable) -> st.SearchStrategy[Fraction]:
    """Integers, and rationals with small denominators, that are in the domain."""
    low, high = of.searched
    if of.integer:
        return st.integers(int(low), int(min(high, low + 200))).map(Fraction)
    ends = {"min_value": Fraction(str(low)), "max_value": Fraction(str(min(high, 60.0)))}
    return st.fractions(**ends, max_denominator=20).filter(of.has)


def smallest(reading: Reading) -> dict[str, Fraction]:
    """The simplest counterexample that hypothesis finds."""
    points = st.fixed_dictionaries({of.name: values(of) for of in reading.variables})
    return find(points, lambda point: refuted_at(reading, point) is not None, settings=QUIET)


SHRUNK = {
    ("hu-2021/fact17b", 0): lambda at: at["n"] == 1,
    ("hu-2021/thm8", 0): lambda at: at["epoch"] == 1 and at["ahead"] == 0,
    ("hu-2021/eq24", 0): lambda at: at["p"] == 0,
    ("hu-2021/thm9-tuning", 0): lambda at: at["size"] == 1,
    ("azize-basu-2022/thm2-regime", 0): lambda at: at["K"] == 2 and at["T"] == 1,
    ("azize-basu-2022/thm4-markov", 0): lambda at: at["T"] <= 3 and at["wrong"] < at["T"],
    ("azize-basu-2022/thm5-bilinear", 0): lambda at: at["x"].denominator <= 3 and at["y"] == 1,
    ("azize-basu-2022/eq33c", 0): lambda at: at["Delta"] == 1 and at["epsilon"] == 1,
    ("azize-basu-2022/eq10", 0): lambda at: at["p"] == at["delta"] == at["epsilon"] == 1,
    ("azize-basu-2022/lem4b", 1): lambda at: at["delta"] <= Fraction(2, 3),
}


@pytest.mark.parametrize("key", SHRUNK, ids=str)
def test_a_second_search_finds_each_and_shrinks_it(key):
    point = smallest(CLAIMS[key[0]].readings[key[1]])
    assert SHRUNK[key](point), point


@pytest.mark.parametrize(
    "key",
    [("hu-2021/thm9-tuning", 1), ("hu-2021/eq24", 1), ("azize-basu-2022/lem4a", 0), ("hu-2021/fact17a", 0)],
    ids=str,
)
def test_it_finds_nothing_where_nothing_fails(key):
    """Brackets with several actions, the other index, delta above 1 in Lemma 4, and the other tail."""
    reading = CLAIMS[key[0]].readings[key[1]]
    points = st.fixed_dictionaries({of.name: values(of) for of in reading.variables})
    with pytest.raises(NoSuchExample):
        find(points, lambda at: refuted_at(reading, at) is not None, settings=settings(QUIET, max_examples=60))


COORDINATE = st.integers(-3, 3).map(Fraction)
SQUARES = st.tuples(COORDINATE, COORDINATE, st.integers(1, 3)).map(
    lambda of: [(of[0], of[1]), (-of[2] * of[1], of[2] * of[0])]
)
ARM_SETS = st.lists(st.tuples(COORDINATE, COORDINATE), min_size=2, max_size=4, unique=True)


def fact_2_fails(arms, orthogonal=False) -> bool:
    """Fact 2's inequality for one arm, by exact linear algebra: |a_j' G^-1 (a - a*)| <= |alpha_j|/N_j, equal pulls.

    The first arm is the best. Zero arms are left out, as in the paper; arms have to span the plane.
    """
    if orthogonal and any(a[0] * b[0] + a[1] * b[1] for i, a in enumerate(arms) for b in arms[:i]):
        return False
    gram = [[sum(a[i] * a[j] for a in arms) for j in (0, 1)] for i in (0, 1)]
    determinant = gram[0][0] * gram[1][1] - gram[0][1] * gram[1][0]
    if not determinant:
        return False
    change = [arms[1][i] - arms[0][i] for i in (0, 1)]
    seen = [
        (gram[1][1] * change[0] - gram[0][1] * change[1]) / determinant,
        (gram[0][0] * change[1] - gram[1][0] * change[0]) / determinant,
    ]
    return any(
        abs(a[0] * seen[0] + a[1] * seen[1]) > abs(a[0] * change[0] + a[1] * change[1]) / (a[0] ** 2 + a[1] ** 2)
        for a in arms
        if any(a)
    )


def test_the_smallest_arm_set_for_which_fact_2_fails():
    """Two arms at an angle of 45 degrees, up to order and signs; no orthogonal set is found."""
    arms = find(ARM_SETS, fact_2_fails, settings=QUIET)
    assert len(arms) == 2
    assert sorted(sorted(map(abs, arm)) for arm in arms) == [[0, 1], [1, 1]]
    with pytest.raises(NoSuchExample):
        find(SQUARES, lambda arms: fact_2_fails(arms, orthogonal=True), settings=settings(QUIET, max_examples=100))


def test_horizons_that_are_too_short_for_the_printed_choice():
    """Theorem 7's choice of l needs 2^l < T: the shortest horizon at which gamma is negative for alpha = 4."""
    (reading,) = CLAIMS["azize-basu-2022/thm7-choice"].readings
    at = {"Delta": Fraction(1), "epsilon": Fraction(2), "alpha": Fraction(4)}
    horizons = st.integers(2, 10**5).map(Fraction)
    found = find(horizons, lambda T: refuted_at(reading, at | {"T": T}) is not None, settings=QUIET)
    block = 2 ** math.ceil(math.log2(16 * math.log(found) / 2))
    assert block < found
    assert refuted_at(reading, at | {"T": found - 1}) is None
