"""The law of a sum of Laplace variables against an integral of its characteristic function, and its quantiles."""

import math

import numpy as np
import pytest
from scipy import integrate

from privcheck.inference import radii
from privcheck.inference._laplace_sums import log_tail


def tail_by_inversion(threshold, count):
    """P(S > x) = 1/2 - (1/pi) integral of sin(t x) / (t (1 + t^2)^count) over t > 0 (Gil-Pelaez)."""

    def integrand(t):
        return (threshold if t == 0.0 else math.sin(t * threshold) / t) * math.exp(-count * math.log1p(t * t))

    return 0.5 - integrate.quad(integrand, 0.0, 400.0, limit=4000)[0] / math.pi


@pytest.mark.parametrize(("count", "threshold"), [(2, 0.5), (2, 3.0), (3, 6.0), (5, 4.0), (20, 15.0), (60, 40.0)])
def test_the_tail_is_that_of_the_characteristic_function(count, threshold):
    assert math.exp(log_tail(threshold, count)) == pytest.approx(tail_by_inversion(threshold, count), abs=1e-7)


def test_one_and_two_variables_have_the_known_laws():
    for x in (0.0, 0.1, 1.0, 30.0, 600.0):
        assert log_tail(x, 1) == pytest.approx(-x - math.log(2.0), rel=1e-13)
        assert log_tail(x, 2) == pytest.approx(math.log((2.0 + x) / 4.0) - x, rel=1e-13)


@pytest.mark.parametrize("probability", [0.5, 1e-3, 1e-9, 1e-15])
def test_radii_are_quantiles_rounded_up(probability):
    found = radii(40, probability)
    assert found[0] == 0.0
    assert found[1] == pytest.approx(-math.log(probability), rel=1e-11)
    assert (np.diff(found) > 0.0).all()
    for count in (1, 2, 7, 40):
        reached = log_tail(found[count], count) + math.log(2.0)
        assert reached <= math.log(probability)
        assert reached == pytest.approx(math.log(probability), abs=1e-9)
        assert log_tail(0.99 * found[count], count) + math.log(2.0) > math.log(probability)


@pytest.mark.chance(1e-8, "a binomial count within 6 standard deviations")
def test_drawn_sums_exceed_their_radius_as_often_as_they_should():
    """A binomial count of 2e5 runs: within 6 standard deviations."""
    draws = np.random.default_rng(0).laplace(size=(200_000, 6))
    exceeded = (np.abs(draws.sum(axis=1)) > radii(6, 0.02)[6]).sum()
    assert abs(exceeded - 4000) < 6 * math.sqrt(4000)
