"""What is false is not proven, and what is true or says nothing at a point is not refuted: one test for each way."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from privcheck.claims import (
    CLAIMS,
    Claim,
    Effort,
    Variable,
    absolute,
    at_least,
    at_most,
    choose,
    counterexample,
    equal,
    examine,
    exp,
    integer,
    log,
    printed,
    sqrt,
)
from privcheck.claims._precise_intervals import Intervals, PointIntervals, _as_float
from privcheck.claims._prove.bisection import prove
from privcheck.errors import PrivcheckError
from privcheck.reporting import evidence_sentences

UNIT = Variable("x", 0, 1, low_open=True)
X, N, K = UNIT.symbol, integer("n", 0).symbol, integer("k", 0).symbol


def status(*variables, says, assumes=(), effort=None):
    reading = printed(*variables, says=says, assumes=assumes)
    return examine(Claim("me/one", "draft", "says", "inequality", (reading,)), effort or Effort()).status


@pytest.mark.parametrize("digits", [30, 100, 200])
def test_a_statement_that_is_false_next_to_an_end_alone_is_not_proven(digits):
    """Halvings towards 0 soon take less of the box than floats notice beside 1."""
    says = at_least(X, Fraction(1, 10**digits))
    proof = prove(printed(UNIT, says=says), 1500)
    assert proof.left_open
    assert proof.share < 1.0
    assert status(UNIT, says=says) == "verified-on-region"


def test_a_point_at_which_a_condition_is_undecided_counts():
    """The logarithm of 125 to base 5 is 3, of which intervals cannot tell and floats say that it is more."""
    n = integer("n", 1, 130, region=(1, 130))
    condition = at_most(log(n.symbol) / log(5), 3)
    assert math.log(125) / math.log(5) > 3.0
    assert status(n, says=at_most(n.symbol, 124), assumes=(condition,)) != "proven"
    assert status(n, says=at_most(n.symbol, 125), assumes=(condition,)) == "proven"


def test_numbers_below_those_of_floats_have_a_sign():
    n = integer("n", 1000, 1005, region=(1000, 1005))
    smaller = at_most(exp(-n.symbol), exp(-2 * n.symbol))
    assert status(n, says=smaller) == "not-refuted"
    large = Variable("x", 1, 2000)
    below = at_most(exp(-X), exp(-2 * X))
    reading = printed(large, says=at_most(X, 100), assumes=(below,))
    with pytest.raises(PrivcheckError, match="is not known to hold there"):
        counterexample(reading, {"x": 1500})
    assert status(large, says=at_most(X, 100), assumes=(below,)) != "refuted"


def test_a_product_of_small_floats_is_not_zero():
    """Near the face x = 0 the slope of the gap is -yz, which floats take for 0."""
    x, y, z = (Variable(name, low, 2e-200) for name, low in (("x", 0), ("y", 1e-200), ("z", 1e-200)))
    says = at_least(-(x.symbol * y.symbol * z.symbol), 0)
    assert prove(printed(x, y, z, says=says), 100).share < 1.0


@pytest.mark.parametrize("value", [Fraction(1, 10**400), Fraction(1, 3), Fraction(10**400), Fraction(0)])
@pytest.mark.parametrize("sign", [1, -1])
def test_bounds_are_rounded_outwards_beyond_floats(value, sign):
    end = Intervals(100).constant(sign * value)._mpi_[0]
    low, high = _as_float(end, "f"), _as_float(end, "c")
    assert low <= sign * value <= high


def test_rules_for_binomial_coefficients_hold_where_they_do():
    """Pascal's rule fails at n = k = 0, where computer algebra has another convention."""
    n, k = integer("n", 0, 10), integer("k", 0, 10)
    says = equal(choose(N, K), choose(N - 1, K - 1) + choose(N - 1, K))
    assert counterexample(printed(n, k, says=says), {"n": 0, "k": 0}) is not None
    assert status(n, k, says=says) == "refuted"
    assert status(n, k, says=equal(choose(N, K) + choose(N, K), 2 * choose(N, K))) == "proven"


def test_a_binomial_coefficient_of_what_is_no_integer_has_no_value():
    x = Variable("x", 1, 3)
    says = equal(choose(X, 1), X)
    assert status(x, says=says) == "not-refuted"
    with pytest.raises(PrivcheckError, match="is not defined"):
        counterexample(printed(x, says=says), {"x": "3/2"})


@pytest.mark.parametrize(
    "left", [exp(log(X)), sqrt(X) ** 2, absolute(log(X)), (X ** Fraction(1, 2)) ** 2, exp(1 / (X + 4))]
)
def test_nothing_is_refuted_where_a_side_has_no_value(left):
    reading = printed(Variable("x", -5, 5), says=equal(left, X - 1000))
    with pytest.raises(PrivcheckError, match="is not defined"):
        counterexample(reading, {"x": -4})
    assert counterexample(reading, {"x": 4}) is not None


def test_points_have_values_where_a_branch_that_is_not_taken_has_none():
    from privcheck.claims._expression import evaluate, where_negative

    arithmetic = PointIntervals(100)
    found = evaluate(where_negative(X, 0, log(X)), arithmetic, {"x": arithmetic.constant(Fraction(-1))})
    assert arithmetic.lower(found) == arithmetic.upper(found) == 0.0
    assert evaluate(where_negative(log(X), 0, 1), arithmetic, {"x": arithmetic.constant(Fraction(-1))}) is None


def test_ends_are_the_decimals_that_are_printed():
    """0.3 as a float is below 0.3, so that a proof from 0.3 on seemed to leave some of the domain out."""
    assert status(Variable("x", 0.3, 0.7), says=at_most(X, 1)) == "proven"


@pytest.mark.parametrize(
    ("name", "degrees"),
    [("claim17-above", "half"), ("claim17-below", "half"), ("claim18", "half"), ("claim19", "k/2")],
)
def test_a_law_that_is_entered_for_few_degrees_of_freedom_says_nothing_of_more(name, degrees):
    """The statements are true for all of them; the law of the last one entered is not that of the next."""
    reading = CLAIMS[f"shariff-sheffet-2018/{name}"].readings[-1]
    assert counterexample(reading, {degrees: 6, "alpha": Fraction(1, 3)}) is None
    with pytest.raises(PrivcheckError, match="not defined"):
        counterexample(reading, {degrees: 100, "alpha": Fraction(1, 3)})


def test_a_search_says_where_it_looked_for_integers():
    n, m, x = integer("n", 1, region=(1, 8)), integer("m", 1, 8, region=(1, 8)), Variable("x", 0, 1)
    says = at_least(n.symbol * m.symbol, x.symbol)
    found = examine(Claim("me/one", "draft", "says", "inequality", (printed(n, m, x, says=says, provable=False),)))
    assert found.readings[0].evidence["integers"] == {"n": [1.0, 8.0]}, "no more of m is printed"
    assert "points with n from 1 to 8; closest" in evidence_sentences(found)[0]
