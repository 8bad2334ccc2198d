"""The exact law of a Binomial plus Laplace noise, against sums over all values and against quadrature."""

import math

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp

from privcheck.kernels import SHORT, log_choices, noisy_binomial, short_noisy_binomial, value_weights


def enumerated(total, length, q, epsilon):
    s = np.arange(length + 1)
    choices = gammaln(length + 1) - gammaln(s + 1) - gammaln(length - s + 1)
    return logsumexp(choices + s * math.log(q) + (length - s) * math.log1p(-q) - epsilon * np.abs(total - s))


def computed(total, length, q, epsilon):
    return noisy_binomial(total, float(length), q, epsilon, log_choices(float(length), np.floor(total)))


def test_it_is_the_sum_over_all_values():
    """Where A^l overflows and the tails underflow too; lgamma(3000) costs three digits."""
    rng = np.random.default_rng(0)
    for _ in range(1500):
        length, epsilon = int(rng.choice([1, 2, 5, 30, 300, 3000])), math.exp(rng.uniform(-6, 6))
        q = min(max(math.sin(1.57 * rng.random()) ** 2, 1e-9), 1 - 1e-9)
        total = rng.binomial(length, rng.random()) + rng.laplace(0.0, 1 / epsilon) * rng.choice([1, 10])
        assert computed(total, length, q, epsilon) == pytest.approx(
            enumerated(total, length, q, epsilon), rel=1e-11, abs=1e-10
        )


def test_its_density_integrates_to_one():
    """Gauss and Legendre between integers, where the density is smooth; the tails beyond are e^-40."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    for length, q, epsilon in [(1, 0.3, 1.0), (7, 0.9, 2.0), (20, 0.02, 3.0)]:
        starts = np.arange(-math.ceil(40 / epsilon), length + math.ceil(40 / epsilon))
        totals = (starts[:, None] + 0.5 + 0.5 * nodes).ravel()
        density = [0.5 * epsilon * math.exp(computed(y, length, q, epsilon)) for y in totals.tolist()]
        assert np.tile(0.5 * weights, len(starts)) @ density == pytest.approx(1.0, abs=1e-12)


def test_without_noise_it_is_the_likelihood_of_the_sum():
    assert computed(3.0, 5, 0.4, math.inf) == pytest.approx(3 * math.log(0.4) + 2 * math.log(0.6))
    assert computed(3.0, 5, 0.4, 500.0) == pytest.approx(math.log(10) + 3 * math.log(0.4) + 2 * math.log(0.6))


@pytest.mark.parametrize("total", [-1e300, 1e300, -0.5, 5.0, 5.5])
def test_sums_outside_of_what_rewards_can_be(total):
    assert computed(total, 5, 0.4, 1e-3) == pytest.approx(enumerated(total, 5, 0.4, 1e-3), rel=1e-12)


@pytest.mark.parametrize("epsilon", [1e-3, 1e-6, 1e-9, 1e-12, 1e-14])
@pytest.mark.parametrize("q", [1e-3, 0.1, 0.5, 0.8])
def test_at_a_small_epsilon(q, epsilon):
    """Away from l q all of the Binomial is on one side of Y, so that f is e^(-epsilon Y) A^l or e^(epsilon Y) B^l."""
    mpmath = pytest.importorskip("mpmath")
    length = int(1000 / epsilon)
    for share in (-0.5, 0.0, 0.1 * q, 0.5 * q, 0.5 + 0.5 * q, 1.0, 1.5):
        total = float(int(share * length))
        with mpmath.workdps(60):
            sign = 1 if share < q else -1
            tilted = 1 + mpmath.mpf(q) * mpmath.expm1(-sign * mpmath.mpf(epsilon))
            expected = float(sign * mpmath.mpf(epsilon) * mpmath.mpf(total) + length * mpmath.log(tilted))
        assert computed(total, length, q, epsilon) == pytest.approx(expected, rel=1e-13, abs=1e-11)


def test_the_polynomial_of_a_short_batch_is_the_same():
    rng = np.random.default_rng(1)
    for _ in range(300):
        length, epsilon = int(rng.integers(1, SHORT + 1)), math.exp(rng.uniform(-5, 1))
        q, total = math.sin(1.57 * rng.random()) ** 2, rng.uniform(-5, length + 5)
        short = short_noisy_binomial(*value_weights(total, length, epsilon), q)
        assert short == pytest.approx(enumerated(total, length, q, epsilon), rel=1e-12, abs=1e-12)
