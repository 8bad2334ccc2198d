"""The private divergence of Gaussian arms: other maximisers, other quadrature, monotonicity, its slope."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize
from scipy.special import rel_entr
from scipy.stats import norm

from privcheck.bounds import family
from privcheck.bounds._gaussian_private_divergence import ROUNDING, SLOPE_ROUNDING, gaussian_private_divergence


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("shift", [0.1, 1.0, 3.0])
def test_gaussian_divergence_by_maximising_over_tests(shift, epsilon):
    """`max over 0 <= g <= epsilon of E_P g - ln E_Q e^g` over functions on 120 cells, by a general maximiser."""
    edges = np.linspace(-8, 8 + shift, 121)
    p, q = (np.diff(norm.cdf(edges, mean)) for mean in (0, shift))

    def loss(g):
        tilted = q @ np.exp(g)
        return math.log(tilted) - p @ g, q * np.exp(g) / tilted - p

    start = np.full(120, epsilon / 2)
    found = -minimize(loss, start, jac=True, bounds=[(0, epsilon)] * 120, options={"maxiter": 3000, "ftol": 1e-15}).fun
    value, _ = gaussian_private_divergence(shift, epsilon)
    assert found <= value + 1e-9  # cells lose information
    assert found >= value * 0.99


@settings(derandomize=True, deadline=None, max_examples=60)
@given(shift=st.floats(1e-3, 30), epsilon=st.floats(1e-3, 500))
def test_gaussian_divergence_properties(shift, epsilon):
    value, slope = gaussian_private_divergence(shift, epsilon)
    step = 1e-4 * shift
    near = [gaussian_private_divergence(shift + side * step, epsilon)[0] for side in (-1, 1)]
    assert 0 <= value <= min(shift**2 / 2, epsilon * (norm.cdf(shift / 2) - norm.cdf(-shift / 2))) * (1 + 1e-12)
    assert slope == pytest.approx((near[1] - near[0]) / (2 * step), rel=2e-3, abs=1e-8 / shift)
    assert gaussian_private_divergence(shift, 2 * epsilon)[0] >= value * (1 - 1e-9)


def test_gaussian_divergence_solves_its_own_equation():
    """The level found makes the clipped density integrate to 1: the same root from scipy gives the same value."""
    shift, epsilon = 1.3, 0.4
    points = np.linspace(-12, 14, 400_001)
    p, q = norm.pdf(points), norm.pdf(points, shift)
    width = points[1] - points[0]
    ratio = shift * (shift / 2 - points)
    level = brentq(lambda l: width * q @ np.exp(np.clip(ratio, l, l + epsilon)) - 1, -epsilon, 0)
    r = q * np.exp(np.clip(ratio, level, level + epsilon))
    value = width * np.sum(rel_entr(r, q)) + epsilon * width * np.abs(p - r).sum() / 2
    assert gaussian_private_divergence(shift, epsilon)[0] == pytest.approx(value, rel=1e-7)


@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 5.0, 1000.0])
@pytest.mark.parametrize("shift", [1e-3, 0.4, 2.5, 40.0])
def test_closed_form_agrees_with_the_quadrature_of_the_family(shift, epsilon):
    enclosure = family("gaussian").d_epsilon(0.0, shift, epsilon)
    value, _ = gaussian_private_divergence(shift, epsilon)
    assert enclosure.lower * (1 - 1e-12) <= value <= enclosure.upper * (1 + 1e-12)


def in_high_precision(shift, epsilon):
    """Value and slope in 110 digits, from the level of the clipping, by bisection of its mass balance."""
    with mpmath.workdps(110):
        s, e = mpmath.mpf(shift), mpmath.mpf(epsilon)
        low, high = -e, mpmath.mpf(0)
        for _ in range(300):
            level = (low + high) / 2
            upper, lower = s / 2 - level / s, s / 2 - (level + e) / s
            surplus = mpmath.exp(level) * mpmath.ncdf(s - upper) - mpmath.ncdf(-upper)
            surplus -= mpmath.ncdf(lower) - mpmath.exp(level + e) * mpmath.ncdf(lower - s)
            low, high = (low, level) if surplus > 0 else (level, high)

        def positive_part(t):
            return t * mpmath.ncdf(t) + mpmath.npdf(t)

        value = level + s * (positive_part(upper) - positive_part(lower))
        return value, s * (mpmath.ncdf(upper) - mpmath.ncdf(lower))


@pytest.mark.parametrize("epsilon", [1e-9, 0.02, 1.0, 20.0])
@pytest.mark.parametrize("shift", [1e-9, 0.02, 0.5, 0.5001, 5.0, 30.0])
def test_relative_precision_of_value_and_slope(shift, epsilon):
    found = gaussian_private_divergence(shift, epsilon)
    for number, exact, allowed in zip(
        found, in_high_precision(shift, epsilon), (ROUNDING, SLOPE_ROUNDING), strict=True
    ):
        assert abs(mpmath.mpf(float(number)) / exact - 1) < allowed


def test_no_shift_and_no_privacy():
    assert [part.tolist() for part in gaussian_private_divergence(0.0, 1.0)] == [0.0, 0.0]
    assert [part.tolist() for part in gaussian_private_divergence(3.0, math.inf)] == [4.5, 3.0]


@pytest.mark.parametrize("epsilon", [1e-15, 1e-13, 1e-6, 1.0])
@pytest.mark.parametrize("shift", [1e-12, 1e-9, 1e-4])
def test_a_value_below_the_rounding_stays_above_what_pinsker_gives(shift, epsilon):
    """For a total variation v, at least the smallest `2 (v - x)^2 + epsilon x`, here on a grid of x."""
    v = norm.cdf(shift / 2) - norm.cdf(-shift / 2)
    x = np.linspace(0, v, 10_001)
    least = np.min(2 * (v - x) ** 2 + epsilon * x)
    value, _ = gaussian_private_divergence(shift, epsilon)
    assert 0 < least * (1 - 1e-3) <= value <= min(shift**2 / 2, epsilon * v) * (1 + 1e-3)
