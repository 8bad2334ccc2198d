"""Intervals enclose, proofs are found and checked by a second arithmetic, and false statements are not proven."""

from __future__ import annotations

import copy
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from privcheck.claims import (
    CLAIMS,
    Relation,
    Variable,
    absolute,
    at_least,
    at_most,
    exp,
    log,
    maximum,
    minimum,
    printed,
    probability,
    sqrt,
    variable,
)
from privcheck.claims._arithmetic import ARRAYS, FLOATS, RATIONALS, SYMBOLS
from privcheck.claims._derivative import derivative
from privcheck.claims._expression import (
    entropy_term,
    evaluate,
)
from privcheck.claims._float_intervals import QUICK
from privcheck.claims._precise_intervals import Intervals, intervals
from privcheck.claims._prove.bisection import prove
from privcheck.claims._prove.check_tree import check_tree

x, y = variable("x"), variable("y")
EXPRESSIONS = {
    "polynomial": (x**3 - 2 * x * y + y**2, lambda x, y: x**3 - 2 * x * y + y**2),
    "quotient": ((x - y) / (1 + x), lambda x, y: (x - y) / (1 + x)),
    "exponential": (exp(-3 * x) * y, lambda x, y: mpmath.exp(-3 * x) * y),
    "logarithm": (log(1 + x * y) - log(2 + y), lambda x, y: mpmath.log(1 + x * y) - mpmath.log(2 + y)),
    "root": (sqrt(x + y) - sqrt(x), lambda x, y: mpmath.sqrt(x + y) - mpmath.sqrt(x)),
    "power": ((1 + x) ** (y - 2), lambda x, y: (1 + x) ** (y - 2)),
    "entropy": (entropy_term(x) + entropy_term(1 - x), lambda x, y: x * mpmath.log(x) + (1 - x) * mpmath.log(1 - x)),
    "corners": (minimum(x, y) * maximum(x, 1 - y) - absolute(x - y), None),
}


def exact(name: str, at: dict[str, Fraction]) -> mpmath.mpf:
    with mpmath.workdps(60):
        values = {key: mpmath.mpf(value.numerator) / value.denominator for key, value in at.items()}
        if EXPRESSIONS[name][1] is None:
            a, b = values["x"], values["y"]
            return min(a, b) * max(a, 1 - b) - abs(a - b)
        return EXPRESSIONS[name][1](**values)


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("arithmetic", [QUICK, intervals(53), intervals(200)], ids=["quick", "53", "200"])
def test_an_interval_has_the_value_at_every_point_of_its_box(name, arithmetic):
    rng = np.random.default_rng(5)
    for _ in range(15):
        ends = {of: sorted(Fraction(int(value), 1000) for value in rng.integers(1, 1000, 2)) for of in "xy"}
        if rng.random() < 0.5:
            ends = {of: [low, low] for of, (low, _) in ends.items()}
        boxed = {
            of: (QUICK.constant(low)[0], QUICK.constant(high)[1])
            if arithmetic is QUICK
            else arithmetic.between(low, high)
            for of, (low, high) in ends.items()
        }
        found = evaluate(EXPRESSIONS[name][0], arithmetic, boxed)
        low, high = found if arithmetic is QUICK else (arithmetic.lower(found), arithmetic.upper(found))
        for share in (Fraction(0), Fraction(1, 3), Fraction(1)):
            value = exact(name, {of: a + share * (b - a) for of, (a, b) in ends.items()})
            assert low <= value <= high


def test_rounding_inwards_would_be_noticed():
    class Inwards(Intervals):
        def _exp(self, x):
            return self.context.mpf(float(self.context.exp(x).mid))

    arithmetic = Inwards(53)
    missed = 0
    for k in range(1, 20):
        at = {"x": Fraction(k, 20), "y": Fraction(1)}
        found = evaluate(EXPRESSIONS["exponential"][0], arithmetic, {of: arithmetic.constant(at[of]) for of in at})
        missed += not (arithmetic.lower(found) <= exact("exponential", at) <= arithmetic.upper(found))
    assert missed > 5


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_all_arithmetics_agree(name):
    at = {"x": Fraction(2, 5), "y": Fraction(3, 4)}
    value = float(exact(name, at))
    node = EXPRESSIONS[name][0]
    floats = {of: float(number) for of, number in at.items()}
    assert evaluate(node, FLOATS, floats) == pytest.approx(value, rel=1e-12)
    assert evaluate(node, ARRAYS, {of: np.full(3, number) for of, number in floats.items()}) == pytest.approx(value)
    symbols = evaluate(node, SYMBOLS, {of: SYMBOLS.constant(number) for of, number in at.items()})
    assert float(symbols) == pytest.approx(value, rel=1e-12)
    if name in ("polynomial", "quotient", "corners"):
        assert float(evaluate(node, RATIONALS, at)) == pytest.approx(value, rel=1e-15)
    else:
        with pytest.raises(ArithmeticError):
            evaluate(node, RATIONALS, at)


@pytest.mark.parametrize("name", [name for name in EXPRESSIONS if name != "corners"])
@pytest.mark.parametrize("of", ["x", "y"])
def test_derivatives_against_differences(name, of):
    slope = derivative(EXPRESSIONS[name][0], of)
    at = {"x": Fraction(2, 5), "y": Fraction(3, 4)}
    step = Fraction(1, 10**12)
    with mpmath.workdps(60):
        difference = exact(name, at | {of: at[of] + step}) - exact(name, at | {of: at[of] - step})
        expected = float(difference / (2 * mpmath.mpf(10) ** -12))
    assert evaluate(slope, FLOATS, {key: float(value) for key, value in at.items()}) == pytest.approx(
        expected, abs=1e-9
    )


def test_corners_have_no_derivative():
    assert derivative(EXPRESSIONS["corners"][0], "x") is None


PROVEN = ["hu-2021/thm9-exp", "hu-2021/eq52", "hu-2021/lem20-e", "azize-basu-2022/eq33b", "azize-basu-2022/thm11-last"]


@pytest.mark.parametrize("name", PROVEN)
def test_a_proof_is_confirmed_by_another_arithmetic(name):
    reading = CLAIMS[name].readings[0]
    proof = prove(reading, 400)
    assert proof.share == 1.0
    assert check_tree(reading, proof.tree) == 1.0


def test_a_forged_tree_proves_nothing():
    reading = CLAIMS["hu-2021/thm9-exp"].readings[0]
    says = reading.says
    assert isinstance(says, Relation)
    p = probability("x")
    false = printed(p, says=at_most(says.left, says.right - 0.01 * p.symbol * (1 - p.symbol) - "1/1000"))
    proof = prove(reading, 100)
    assert check_tree(false, proof.tree) < 1.0
    tree = copy.deepcopy(proof.tree)
    tree["at"] = "7"
    with pytest.raises(ValueError, match="outside of its range"):
        check_tree(reading, tree)
    assert check_tree(reading, {}) == 0.0


@pytest.mark.parametrize("c", ["0.65", "0.7"])
def test_a_false_statement_is_never_proven(c):
    p = probability("x")
    assert prove(printed(p, says=at_most(exp(-p.symbol), 1 - p.symbol * c)), 300).share < 1.0


def test_a_condition_excludes_boxes_only_where_it_fails_everywhere():
    p = Variable("x", 0, 1)
    inside = printed(p, says=at_least(p.symbol, "1/2"), assumes=(at_least(p.symbol, "5/8"),))
    assert prove(inside, 200).share > 0.9
    outside = printed(p, says=at_least(p.symbol, "3/4"), assumes=(at_least(p.symbol, "5/8"),))
    assert prove(outside, 200).share < 1.0


MIXED = {(True, True): x * y, (True, False): x * (1 - y), (False, True): (1 - x) * y, (False, False): (1 - x) * (1 - y)}


@pytest.mark.parametrize("corner", MIXED)
@pytest.mark.parametrize("factor", [Fraction(9, 10), Fraction(11, 10)])
def test_where_two_faces_meet_the_mixed_derivative_decides(corner, factor):
    """Neither face alone proves a corner of log(1 + uv) <= uv, as the derivative by u is of the order of v there."""
    product = MIXED[corner]
    reading = printed(probability("x"), probability("y"), says=at_most(log(1 + factor * product), product + 0))
    proof = prove(reading, 400)
    assert (proof.share == 1.0) == (factor < 1)
    assert check_tree(reading, proof.tree) == pytest.approx(proof.share, abs=1e-12)
    assert not proof.left_open or factor > 1
