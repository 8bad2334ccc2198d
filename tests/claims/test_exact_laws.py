"""Normal and chi-square laws, the Gaussian mechanism and composition: sharp controls, and other programs' numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from privcheck.claims import (
    Effort,
    Expression,
    Reading,
    Variable,
    at_most,
    exp,
    expression,
    printed,
    probability,
    variable,
)
from privcheck.claims._arithmetic import FLOATS
from privcheck.claims._exact_laws import chi_square_above, composed_delta, gaussian_delta
from privcheck.claims._examine import examine_reading
from privcheck.claims._expression import (
    evaluate,
    normal_below,
)
from privcheck.claims._precise_intervals import bits_of, intervals


def values(side, point):
    return evaluate(side, FLOATS, point)


def _chi_square(c: Expression) -> Reading:
    x = Variable("x", 0, 40)
    return printed(x, says=at_most(chi_square_above(2, x.symbol), exp(-c * x.symbol / 2)), provable=False)


def _normal(c: Expression) -> Reading:
    x = Variable("x", 0, 30)
    return printed(x, says=at_most(normal_below(-x.symbol), exp(-c * x.symbol**2 / 2) / 2), provable=False)


def _gaussian(c: Expression) -> Reading:
    mu = Variable("mu", 0, 10, low_open=True)
    left = c * gaussian_delta(expression(0), mu.symbol)
    return printed(mu, says=at_most(left, "0.39894228040144" * mu.symbol), provable=False)  # 1/sqrt(2 pi), rounded up


def _composition(c: Expression) -> Reading:
    budget, delta = Variable("epsilon", 0, 5, low_open=True), probability("delta", open_ends=True)
    left = composed_delta(expression(1), budget.symbol, delta.symbol, budget.symbol / c)
    return printed(budget, delta, says=at_most(left, delta.symbol), provable=False)


SHARP = {
    "chi-square law": _chi_square,
    "normal law": _normal,
    "two normal laws": _gaussian,
    "composition": _composition,
}
"""Name of each, and the reading with its sharp constant times c."""


@pytest.mark.parametrize("name", SHARP)
def test_a_sharp_statement_is_not_refuted(name, evidence):
    found = examine_reading(SHARP[name](expression(1)), Effort(evidence(400, 30_000), 0))
    assert found.status == "not-refuted", found


@pytest.mark.parametrize("name", SHARP)
def test_its_constant_moved_by_two_per_cent_is_refuted(name):
    found = examine_reading(SHARP[name](expression("51/50")), Effort(points=3000, boxes=0))
    assert found.status == "refuted", found


def test_the_exact_laws_against_scipy():
    for degrees in (2, 4, 10, 120):
        for x in (0.3, 5.0, 110.0):
            assert values(chi_square_above(degrees, expression(x)), {}) == pytest.approx(stats.chi2.sf(x, degrees))
    e, m = variable("e"), variable("m")
    for epsilon, mu in ((0.2, 0.1), (1.0, 1.0), (3.0, 5.0)):
        found = values(gaussian_delta(e, m), {"e": epsilon, "m": mu})
        t = np.linspace(-15, 25, 400_001)
        excess = stats.norm.pdf(t - mu) - math.exp(epsilon) * stats.norm.pdf(t)
        assert found == pytest.approx(np.trapezoid(np.maximum(excess, 0), t), abs=1e-7)
    found = values(composed_delta(m, e / 2, e / 100, e), {"e": 1.0, "m": 5.0})
    truth = 1 / (1 + math.exp(-0.5))
    pairs = [
        (truth ** (5 - lies) * (1 - truth) ** lies, (1 - truth) ** (5 - lies) * truth**lies)
        for lies in (sum(answers) for answers in np.ndindex(2, 2, 2, 2, 2))
    ]
    told_apart = sum(max(0.0, first - math.e * second) for first, second in pairs)
    assert found == pytest.approx(1 - 0.99**5 * (1 - told_apart))


def test_the_normal_law_in_intervals():
    """Enclosures against mpmath with 500 digits: always on both sides, and narrow enough."""
    import mpmath

    with mpmath.workdps(500):
        for digits, width in ((50, 1e-16), (100, 1e-34)):
            arithmetic = intervals(bits_of(digits))
            for x in ("-45", "-13", "-12", "-5", "-1/10", "0", "1/3", "5", "25/2", "39"):
                found = arithmetic.apply("normal_below", [arithmetic.constant(Fraction(x))])
                low, high = (mpmath.mpf(end) for end in found._mpi_)
                exact = mpmath.ncdf(mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator)
                assert low <= exact <= high
                assert high - low <= width * exact
    wide = arithmetic.apply("normal_below", [arithmetic.between(Fraction(-1), Fraction(2))])
    assert arithmetic.lower(wide) == pytest.approx(stats.norm.cdf(-1))
    assert arithmetic.upper(wide) == pytest.approx(stats.norm.cdf(2))
