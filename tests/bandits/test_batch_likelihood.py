"""The profile likelihood of several noisy batches against brute force, scipy and the theory floor."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from privcheck.bandits.batch_likelihood import divergence_sum, kl, most_likely_mean, nearest_plausible
from privcheck.bounds import d_epsilon, kl_bernoulli

RNG = np.random.default_rng(0)
CASES = [
    (RNG.choice([0.0, 1.0, 0.25, *RNG.random(4)], k), RNG.integers(1, 200, k).astype(float), epsilon)
    for k, epsilon in itertools.product([1, 2, 3, 8], [0.02, 0.5, 1.0, 6.0])
    for _ in range(4)
]


def fitted(means, lengths, epsilon):
    """Return the minimiser as the kernel finds it: batch by batch."""
    estimate = means[0]
    for k in range(len(means)):
        estimate = most_likely_mean(means, lengths, k + 1, epsilon, estimate, means[k])
    return estimate


@pytest.mark.parametrize(("means", "lengths", "epsilon"), CASES)
def test_against_the_theory_floor_and_scipy(means, lengths, epsilon):
    def total(q):
        return float(lengths @ d_epsilon(means, q, epsilon))

    for q in (0.0, 1e-9, 0.3, 0.77, 1.0):
        value = divergence_sum(means, lengths, len(means), q, epsilon)
        assert value == pytest.approx(total(q), rel=1e-12, abs=1e-12 * lengths.sum())
    estimate = fitted(means, lengths, epsilon)
    least = divergence_sum(means, lengths, len(means), estimate, epsilon)
    found = minimize_scalar(total, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-12})
    assert least <= min(found.fun, total(0.0), total(1.0)) + 1e-11 * lengths.sum()
    assert least == pytest.approx(total(estimate), rel=1e-12, abs=1e-12 * lengths.sum())


@pytest.mark.parametrize("q", [1e-6, 0.01, 0.3, 0.5, 0.9, 0.999])
def test_the_divergence_of_near_laws_keeps_its_digits(q):
    """It is of the order of the square of the gap; the difference of two logarithms has only that of rounding."""
    for gap in (0.5, 0.2, 0.11, 0.09, 1e-2, 1e-4, 1e-7, 1e-10):
        for p in (q * (1.0 - gap), q * (1.0 + gap), q - gap * (1.0 - q), q + gap * (1.0 - q)):
            if 0.0 <= p <= 1.0:
                assert kl(p, q) == pytest.approx(kl_bernoulli(p, q), rel=1e-13, abs=0.0)
    assert kl(q, q) == 0.0
    assert (kl(0.0, 0.0), kl(1.0, 1.0)) == (0.0, 0.0)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_it_is_the_likelihood_maximised_over_the_hidden_means(epsilon):
    """Three batches, all hidden means on a grid of step 1/2000: the minimum is attained, and from above."""
    means, lengths = np.array([0.1, 0.9, 0.6]), np.array([3.0, 5.0, 40.0])
    grid = np.linspace(0.0, 1.0, 2001)
    for q in (0.2, 0.55, 0.8):
        brute = sum(
            n * (kl_bernoulli(grid, q) + epsilon * np.abs(m - grid)).min() for m, n in zip(means, lengths, strict=True)
        )
        value = divergence_sum(means, lengths, 3, q, epsilon)
        assert value <= brute + 1e-12
        assert value == pytest.approx(brute, abs=48 * 2e-6)


def test_the_estimate_is_the_average_of_the_winsorised_means():
    means, lengths, epsilon = np.array([0.0, 0.7, 0.75, 1.0]), np.array([10.0, 20.0, 30.0, 5.0]), 0.5
    estimate = fitted(means, lengths, epsilon)
    low, high = nearest_plausible(estimate, epsilon)
    logits = [math.log(p / (1.0 - p)) for p in (low, estimate, high)]
    assert logits[1] - logits[0] == pytest.approx(epsilon)
    assert logits[2] - logits[1] == pytest.approx(epsilon)
    assert estimate == pytest.approx(np.average(np.clip(means, low, high), weights=lengths), rel=1e-12)
    assert estimate > np.average(means, weights=lengths) + 0.03, "the absurd batch counts for less"


def test_without_noise_it_is_the_mean_and_the_divergence_of_all_rewards():
    means, lengths = np.array([0.2, 0.5, 0.9]), np.array([4.0, 10.0, 7.0])
    mean = np.average(means, weights=lengths)
    estimate = fitted(means, lengths, 50.0)
    assert estimate == pytest.approx(mean, rel=1e-12)
    ratio = divergence_sum(means, lengths, 3, 0.8, 50.0) - divergence_sum(means, lengths, 3, estimate, 50.0)
    assert ratio == pytest.approx(21.0 * kl_bernoulli(mean, 0.8), rel=1e-12)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_batches_clipped_to_an_end_stay_there(value):
    assert fitted(np.full(3, value), np.array([1.0, 2.0, 3.0]), 0.7) == value
    assert divergence_sum(np.full(3, value), np.ones(3), 3, value, 0.7) == 0.0
