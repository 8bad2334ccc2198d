"""The rate under local privacy: the best report, against random reports and those that shipped mechanisms make."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from privcheck.bounds import THEOREMS, Instance, evaluate, kl_bernoulli
from privcheck.bounds.chen_2020.lower import local_information
from privcheck.bounds.local_privacy.rates import report_divergence


def divergence(channel, mean, other):
    """KL of the reports that a channel (rows: reports of 0 and 1) makes on two means."""
    first, second = ((1.0 - m) * channel[0] + m * channel[1] for m in (mean, other))
    return float(np.sum(first * np.log(first / second)))


def random_channel(rng, epsilon, reports):
    """A channel whose rows differ by a factor of at most exp(epsilon): mixtures of random row pairs at the limits."""
    ratios = np.exp(rng.choice([-1.0, 1.0, rng.uniform(-1.0, 1.0)], reports) * epsilon)
    zero = rng.dirichlet(np.ones(reports))
    low, high = ratios <= 1.0, ratios > 1.0
    if not (low.any() and high.any()):
        return None
    share = float(np.sum(zero[low] * (1.0 - ratios[low])) / np.sum(zero[high] * (ratios[high] - 1.0)))
    if share > 1.0:
        ratios[low] = 1.0 - (1.0 - ratios[low]) / share
    else:
        ratios[high] = 1.0 + (ratios[high] - 1.0) * share
    return np.array([zero, zero * ratios])


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_no_private_report_tells_two_means_apart_better(epsilon):
    rng = np.random.default_rng(5)
    keep = 1.0 / (1.0 + math.exp(-epsilon))
    response = np.array([[keep, 1.0 - keep], [1.0 - keep, keep]])
    closest = 0.0
    for _ in range(500):
        mean, other = rng.uniform(0.01, 0.99, 2)
        best = report_divergence(mean, other, epsilon)
        assert divergence(response, mean, other) == pytest.approx(best, rel=1e-9, abs=1e-14)
        channel = random_channel(rng, epsilon, int(rng.integers(2, 6)))
        if channel is None:
            continue
        assert channel.sum(axis=1) == pytest.approx(np.ones(2))
        assert np.abs(np.log(channel[0] / channel[1])).max() <= epsilon * (1.0 + 1e-9)
        found = divergence(channel, mean, other)
        assert found <= best * (1.0 + 1e-9) + 1e-15
        closest = max(closest, found / best)
    assert closest > 0.8, "some reports come near"
    assert divergence(np.array([[0.9 * keep, 1.0 - 0.9 * keep], [1.0 - keep, keep]]), 0.2, 0.9) > 0.0
    cheat = 1.0 / (1.0 + math.exp(-1.1 * epsilon))
    assert divergence(np.array([[cheat, 1.0 - cheat], [1.0 - cheat, cheat]]), 0.2, 0.9) > report_divergence(
        0.2, 0.9, epsilon
    )


def test_every_private_report_is_a_response_processed_further():
    """The kernels of the proof: (k p - (1 - k) q) / (2 k - 1) is a law if p and q differ by at most exp(epsilon)."""
    rng = np.random.default_rng(6)
    for _ in range(200):
        epsilon = float(rng.uniform(0.1, 3.0))
        channel = random_channel(rng, epsilon, 4)
        if channel is None:
            continue
        keep = 1.0 / (1.0 + math.exp(-epsilon))
        kernel = np.array([[keep, keep - 1.0], [keep - 1.0, keep]]) @ channel / (2.0 * keep - 1.0)
        assert (kernel >= -1e-12).all()
        assert kernel.sum(axis=1) == pytest.approx(np.ones(2))
        assert np.array([[keep, 1.0 - keep], [1.0 - keep, keep]]) @ kernel == pytest.approx(channel)


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 4.0])
def test_both_ends_are_equal_for_bernoulli_rewards(epsilon):
    found = evaluate(Instance("bernoulli", (0.8, 0.5, 0.5, 0.1), epsilon=epsilon))
    lower, upper = found.of("local-privacy/rate"), found.of("local-privacy/rate-attained")
    assert lower.constant == upper.constant
    assert lower.quantity == upper.quantity
    assert lower.constant > found.of("azize-basu-2022/thm3-tight").constant, "a local policy is a private one"


@pytest.mark.parametrize("epsilon", [1e-9, 1.0, 18.7, 100.0, 700.0])
@pytest.mark.parametrize(("mean", "other"), [(0.0, 1e-9), (1e-12, 1e-9), (1.0 - 1e-9, 1.0 - 1e-12), (0.0, 1.0 - 1e-12)])
def test_means_close_to_0_and_1_keep_their_digits(mean, other, epsilon):
    with mpmath.workdps(400):
        shrink = mpmath.tanh(mpmath.mpf(epsilon) / 2)
        p, q = ((1 - shrink) / 2 + mpmath.mpf(m) * shrink for m in (mean, other))
        exact = (p * mpmath.log(p / q) if p else 0) + (1 - p) * mpmath.log((1 - p) / (1 - q))
        assert report_divergence(mean, other, epsilon) == pytest.approx(float(exact), rel=1e-13)


def test_limits():
    free = Instance("bernoulli", (0.75, 0.5, 0.1), epsilon=math.inf)
    lai_robbins = sum(gap / kl_bernoulli(0.75 - gap, 0.75) for gap in (0.25, 0.65))
    assert THEOREMS["local-privacy/rate"].evaluate(free).constant == pytest.approx(lai_robbins, rel=1e-12)
    for epsilon in (1e-4, 1e-6):  # kl of two means near 1/2 is twice the square of their distance
        found = THEOREMS["local-privacy/rate"].evaluate(Instance("bernoulli", (0.75, 0.5), epsilon=epsilon)).constant
        assert found == pytest.approx(0.25 / (2.0 * (0.25 * epsilon / 2.0) ** 2), rel=1e-6)


def test_conditions():
    rate, attained = THEOREMS["local-privacy/rate"], THEOREMS["local-privacy/rate-attained"]
    assert not rate.evaluate(Instance("bernoulli", (0.75, 0.5), epsilon=1.0, delta=1e-6)).applies
    assert not rate.evaluate(Instance("bernoulli", (1.0, 0.5), epsilon=1.0)).applies
    assert not attained.evaluate(Instance("gaussian", (0.75, 0.5), epsilon=1.0)).applies
    bounded = Instance("bounded", support=(0, 0.5, 1), weights=((0.1, 0.3, 0.6), (0.1, 0.7, 0.2)), epsilon=1.0)
    assert attained.evaluate(bounded).constant == pytest.approx(0.2 / report_divergence(0.55, 0.75, 1.0))
    assert not rate.evaluate(bounded).applies


def test_theorems_5_and_6_of_chen_et_al_lose_a_factor_of_more_than_a_hundred():
    """Their denominator at a total variation v is 64 (e^epsilon - 1)^2 v^2; the exact one is below .009 of it."""
    largest = 0.0
    for variation in np.linspace(0.001, 0.349, 30).tolist():
        for epsilon in np.geomspace(1e-3, 20.0, 40).tolist():
            exact = report_divergence(0.5 - variation, 0.5, epsilon)
            assert exact == pytest.approx(local_information(variation, epsilon), rel=1e-6)
            largest = max(largest, exact / (64.0 * math.expm1(epsilon) ** 2 * variation**2))
    assert 0.0078 < largest < 0.009
