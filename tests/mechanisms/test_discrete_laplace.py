"""What is particular to discrete Laplace noise: integers, its probabilities, OpenDP's exact sampler."""

import numpy as np
import pytest
from scipy import stats

from privcheck.errors import PrivcheckError
from privcheck.mechanisms import DiscreteLaplace


def test_numbers_give_ints_and_arrays_keep_their_shape():
    mechanism, rng = DiscreteLaplace(sensitivity=1, epsilon=1.0), np.random.default_rng(0)
    for secure in (False, True):
        assert type(mechanism.release(np.int32(2), rng, secure=secure)) is int
        released = mechanism.release(np.ones((2, 3), int), rng, secure=secure)
        assert released.shape == (2, 3)
        assert released.dtype == np.int64
    assert mechanism.noise(4, rng).shape == (4,)


@pytest.mark.parametrize("scale", [0.05, 0.7, 3.0, 40.0])
def test_the_probabilities_are_scipys(scale):
    mechanism, outputs = DiscreteLaplace.with_scale(scale), np.arange(-30, 40)
    expected = stats.dlaplace.pmf(outputs - 5, 1 / scale)
    np.testing.assert_allclose(mechanism.probability(outputs, 5), expected, rtol=1e-12)
    pairs = np.array([[5, 6], [4, 9]])
    joint = stats.dlaplace.pmf(pairs - [5, 7], 1 / scale).prod(axis=1)
    np.testing.assert_allclose(mechanism.probability(pairs, [5, 7]), joint, rtol=1e-11)


def test_the_pair_of_neighbours_enumerated():
    mechanism, outputs = DiscreteLaplace(sensitivity=2, epsilon=0.8), np.arange(-40, 40)
    ratios = mechanism.log_density(outputs, 2) - mechanism.log_density(outputs, 0)
    assert 0.8 * (1 - 1e-8) < np.abs(ratios).max() <= 0.8


@pytest.mark.parametrize(("value", "other"), [(1, -1), ([1, 1, 1, 1], [0, 0, 0, 0])])
def test_the_wrong_sensitivity_is_caught(value, other):
    """Add/remove (1) for replacing -1 by 1 (2), and the L2 distance (2) for an L1 distance (4): 2 epsilon."""
    distance = int(np.abs(np.subtract(value, other)).sum())
    output = np.full(np.shape(value), 50)
    broken = DiscreteLaplace(sensitivity=distance // 2, epsilon=0.5)
    assert broken.log_ratio(output, value, other) == pytest.approx(1.0, rel=1e-6)
    with pytest.raises(PrivcheckError, match="sensitivity"):
        broken.loss(distance)
    assert DiscreteLaplace(sensitivity=distance, epsilon=0.5).log_ratio(output, value, other) <= 0.5


def test_what_is_no_integer_is_refused():
    with pytest.raises(PrivcheckError, match="an integer of at least 1"):
        DiscreteLaplace(sensitivity=0.5, epsilon=1.0)
    with pytest.raises(PrivcheckError, match="integer"):
        DiscreteLaplace.with_scale(1.0).loss(0.5)
    with pytest.raises(PrivcheckError, match="at most 1e12"):
        DiscreteLaplace(sensitivity=1, epsilon=1e-13)


@pytest.mark.chance(1e-8, "two means of 200,000 within 6 standard errors; squares are skewed, which adds a factor of 2")
def test_the_noise_is_symmetric_and_independent_of_large_values():
    """The variance of discrete Laplace noise is 1 / (2 sinh(1 / (2 b))^2); 2e5 draws, six standard errors."""
    noise = DiscreteLaplace.with_scale(5.0).release_batch(2**51 - 1, np.random.default_rng(0), 200_000) - (2**51 - 1)
    variance = 1 / (2 * np.sinh(0.1) ** 2)
    assert abs(noise.mean()) < 6 * np.sqrt(variance / noise.size)
    assert abs((noise.astype(float) ** 2).mean() - variance) < 6 * np.sqrt(5 * variance**2 / noise.size)


@pytest.mark.chance(1e-9, "one chi-square test", fresh=True)
def test_secure_release_follows_the_law_and_half_the_scale_does_not():
    """OpenDP takes no seed: a correct sampler fails here with probability 1e-9 in each run."""
    law = stats.dlaplace(1 / 2.0)
    expected = np.array([law.cdf(-6), *law.pmf(np.arange(-5, 6)), law.cdf(-6)]) * 4000
    for scale, accepted in ((2.0, True), (1.0, False)):
        draws = DiscreteLaplace.with_scale(scale).release(np.full(4000, 7), None, secure=True) - 7
        counts = np.bincount(np.clip(draws, -6, 6) + 6, minlength=13)
        assert (stats.chisquare(counts, expected).pvalue >= 1e-9) == accepted
