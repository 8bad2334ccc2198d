"""What is particular to the Laplace mechanism: shapes, densities and OpenDP's exact sampler."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Laplace


def test_numbers_give_floats_and_arrays_keep_their_shape():
    mechanism, rng = Laplace(sensitivity=1.0, epsilon=1.0), np.random.default_rng(0)
    for secure in (False, True):
        assert type(mechanism.release(2, rng, secure=secure)) is float
        assert type(mechanism.release(np.float64(2.0), rng, secure=secure)) is float
        assert mechanism.release(np.ones((2, 3)), rng, secure=secure).shape == (2, 3)
    assert mechanism.release_batch(1.0, rng, 4).shape == (4,)
    assert mechanism.release_batch([1.0, 2.0], rng, 4).shape == (4, 2)


def test_the_input_array_is_left_alone():
    value = np.ones(3)
    Laplace.with_scale(1.0).release(value, np.random.default_rng(0))
    np.testing.assert_array_equal(value, np.ones(3))


@pytest.mark.parametrize("scale", [0.2, 1.0, 7.0])
def test_the_density_is_the_law(scale):
    mechanism, outputs = Laplace.with_scale(scale), np.linspace(-20.0, 20.0, 41)
    np.testing.assert_allclose(mechanism.density(outputs, 1.5), stats.laplace.pdf(outputs, 1.5, scale), rtol=1e-12)
    mass, _ = integrate.quad(mechanism.density, 0.5, 3.0, args=(1.5,), points=[1.5], epsabs=1e-12)
    assert mass == pytest.approx(np.diff(stats.laplace.cdf([0.5, 3.0], 1.5, scale))[0], abs=1e-10)
    pair = mechanism.density([[0.0, 1.0], [2.0, 2.0]], [1.0, 1.5])
    product = stats.laplace.pdf([[0.0, 1.0], [2.0, 2.0]], [1.0, 1.5], scale).prod(axis=1)
    np.testing.assert_allclose(pair, product, rtol=1e-12)


def test_the_log_ratio_is_the_ratio_of_densities():
    mechanism, rng = Laplace.with_scale(0.7), np.random.default_rng(3)
    outputs, value, other = rng.normal(size=(50, 3)), rng.normal(size=3), rng.normal(size=3)
    expected = np.log(mechanism.density(outputs, value) / mechanism.density(outputs, other))
    np.testing.assert_allclose(mechanism.log_ratio(outputs, value, other), expected, rtol=1e-9, atol=1e-12)


def test_an_l1_ball_of_radius_r_has_diameter_2r():
    """+R e1 against -R e1 costs 2 epsilon when the radius is taken for the sensitivity."""
    radius, epsilon = 3.0, 0.5
    naive = Laplace.with_scale(radius / epsilon)
    ratio = naive.log_ratio([9.0, 0.0], [radius, 0.0], [-radius, 0.0])
    assert ratio == pytest.approx(2 * epsilon, rel=1e-12)
    assert Laplace(2 * radius, epsilon).log_ratio([9.0, 0.0], [radius, 0.0], [-radius, 0.0]) <= epsilon


@pytest.mark.parametrize(("declared", "value", "other"), [(1.0, 1.0, -1.0), (1.0, [0.5] * 4, [0.0] * 4)])
def test_the_wrong_sensitivity_is_caught(declared, value, other):
    """Add/remove (1) for replacing -1 by 1 (2), and the L2 distance (1) for an L1 distance (2): 2 epsilon."""
    mechanism = Laplace(sensitivity=declared, epsilon=0.5)
    distance = float(np.abs(np.subtract(value, other)).sum())
    assert mechanism.log_ratio(np.full(np.shape(value), 9.0), value, other) == pytest.approx(1.0, rel=1e-6)
    with pytest.raises(PrivcheckError, match="L1"):
        mechanism.loss(distance)
    assert Laplace(distance, 0.5).log_ratio(np.full(np.shape(value), 9.0), value, other) <= 0.5


def test_the_joint_density_of_a_long_vector_does_not_overflow():
    value = np.zeros(2000)
    assert Laplace.with_scale(1e3).density(value, value) == 0.0
    assert Laplace.with_scale(1e3).log_ratio(value, value, value + 1) == pytest.approx(2.0)


def test_shapes_that_do_not_match_are_refused():
    mechanism = Laplace.with_scale(1.0)
    for output, value in [([1.0, 2.0, 3.0], [1.0, 2.0]), (1.0, [1.0, 2.0]), ([[1.0], [2.0]], [1.0, 2.0])]:
        with pytest.raises(PrivcheckError, match="output"):
            mechanism.density(output, value)
    with pytest.raises(PrivcheckError, match="other"):
        mechanism.log_ratio(1.0, 1.0, [1.0])


@pytest.mark.chance(1e-9, "one Kolmogorov test", fresh=True)
def test_secure_release_follows_the_law_and_half_the_scale_does_not():
    """OpenDP takes no seed: a correct sampler fails here with probability 1e-9 in each run."""
    draws = Laplace.with_scale(2.0).release(np.full(2000, 5.0), None, secure=True)
    assert stats.kstest(draws, stats.laplace(5.0, 2.0).cdf).pvalue >= 1e-9
    broken = Laplace.with_scale(1.0).release(np.full(2000, 5.0), None, secure=True)
    assert stats.kstest(broken, stats.laplace(5.0, 2.0).cdf).pvalue < 1e-9


def test_secure_release_leaves_the_generator_alone():
    rng = np.random.default_rng(0)
    first = Laplace.with_scale(1.0).release(0.0, rng, secure=True)
    assert math.isfinite(first)
    assert first != Laplace.with_scale(1.0).release(0.0, rng, secure=True)
    assert rng.random() == np.random.default_rng(0).random()
