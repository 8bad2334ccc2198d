"""Gaussian-GLR-IMED: the likelihood of sums with Gaussian noise, what it becomes without privacy, and its regret."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit

from privcheck import certify
from privcheck.bandits import ALGORITHMS
from privcheck.bandits.gaussian_glr_imed import GaussianGLRIMEDPolicy
from privcheck.bandits.gaussian_likelihood import (
    EXTREME,
    gaussian_divergence_sum,
    gaussian_most_likely_mean,
    hidden_mean,
)
from privcheck.bounds import kl_bernoulli
from privcheck.mechanisms import Gaussian
from privcheck.simulation import simulate

SPEC = ALGORITHMS["gaussian-glr-imed"]
RNG = np.random.default_rng(0)


def random_case(rng):
    k, rho = int(rng.integers(1, 8)), float(rng.choice([1e-4, 1e-3, 0.05, 0.5, 5.0]))
    lengths = rng.integers(1, 300, k).astype(float)
    return lengths * rng.random(k) + rng.normal(0.0, 1.0 / math.sqrt(2.0 * rho), k), lengths, rho


CASES = [random_case(RNG) for _ in range(60)]


def fitted(sums, lengths, rho):
    """Return the minimiser as the kernel finds it: batch by batch."""
    estimate = min(max(sums[0] / lengths[0], 0.0), 1.0)
    for k in range(len(sums)):
        mean = min(max(sums[k] / lengths[k], 0.0), 1.0)
        estimate = gaussian_most_likely_mean(sums, lengths, k + 1, rho, estimate, mean)
    return estimate


def test_hidden_means_against_a_root_finder():
    """From any guess, for any stiffness; where Newton's method goes back and forth too."""
    rng = np.random.default_rng(1)
    for _ in range(3000):
        stiffness = 10.0 ** rng.uniform(-6.0, 8.0)
        share = rng.choice([rng.uniform(-1.0, 2.0), rng.uniform(-0.1, 0.1), 1.0 + rng.uniform(-0.1, 0.1)])
        pull = share * stiffness + rng.uniform(-30.0, 30.0)
        z = hidden_mean(pull, stiffness, rng.uniform(-1.0, 2.0))
        logit = brentq(
            lambda x, s=stiffness, p=pull: x + s * expit(x) - p, pull - stiffness - 1.0, pull + 1.0, xtol=1e-13
        )
        root = float(expit(logit))
        assert abs(z - root) <= 1e-13 + 1e-4 * root * (1.0 - root)


def test_hidden_means_in_ordinary_places_to_the_last_digits():
    rng = np.random.default_rng(2)
    for _ in range(500):
        stiffness, pull = 10.0 ** rng.uniform(-2.0, 4.0), rng.uniform(-5.0, 5.0)
        pull += stiffness * rng.uniform(0.05, 0.95)
        z = hidden_mean(pull, stiffness, rng.random())
        assert math.log(z / (1.0 - z)) + stiffness * z == pytest.approx(pull, rel=1e-11, abs=1e-10)


@pytest.mark.parametrize(("sums", "lengths", "rho"), CASES)
def test_it_is_the_likelihood_maximised_over_the_hidden_means(sums, lengths, rho):
    """Each hidden mean by scipy's bounded search; the estimate no worse than scipy's."""

    def term(total, n, q):
        def cost(z):
            return n * float(kl_bernoulli(z, q)) + rho * (n * z - total) ** 2

        return minimize_scalar(cost, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-12}).fun

    for q in (0.03, 0.5, 0.9):
        value = gaussian_divergence_sum(sums, lengths, len(sums), q, rho)
        brute = math.fsum(term(total, n, q) for total, n in zip(sums, lengths, strict=True))
        assert value == pytest.approx(brute, rel=1e-7, abs=1e-7)

    def whole(q):
        return gaussian_divergence_sum(sums, lengths, len(sums), q, rho)

    found = minimize_scalar(whole, bounds=(EXTREME, 1.0 - EXTREME), method="bounded", options={"xatol": 1e-12})
    assert whole(fitted(sums, lengths, rho)) <= found.fun + 1e-9 * max(1.0, found.fun)


@pytest.mark.parametrize(("sums", "lengths", "rho"), CASES[:20])
def test_reference_and_kernel_have_one_likelihood(sums, lengths, rho):
    policy = SPEC(arms=2, rho=rho).build(np.random.default_rng(0))
    for total, n in zip(sums, lengths, strict=True):
        policy.take_in(0, int(n), float(total))
    assert policy.estimates[0] == pytest.approx(fitted(sums, lengths, policy.drawn), rel=1e-9, abs=1e-11)
    for q in (0.0, 0.2, 0.8):
        value = gaussian_divergence_sum(sums, lengths, len(sums), q, policy.drawn)
        assert policy.deviance(0, q) == pytest.approx(value, rel=1e-9, abs=1e-9)


def test_without_noise_it_is_the_mean_and_the_divergence_of_all_rewards():
    lengths, means = np.array([4.0, 10.0, 7.0]), np.array([0.2, 0.5, 0.9])
    estimate = fitted(means * lengths, lengths, 1e10)
    mean = np.average(means, weights=lengths)
    assert estimate == pytest.approx(mean, rel=1e-7)
    ratio = gaussian_divergence_sum(means * lengths, lengths, 3, 0.8, 1e8)
    ratio -= gaussian_divergence_sum(means * lengths, lengths, 3, mean, 1e8)
    assert ratio == pytest.approx(21.0 * kl_bernoulli(mean, 0.8), rel=1e-5)


def test_without_privacy_and_batches_it_is_imed(play):
    """At ratio 1.05 batches have one reward up to 20 pulls; continuous rewards do not tie."""
    spec = SPEC(arms=3, rho=1e16, ratio=1.05)
    seen = set()
    for seed in range(20):
        table = np.random.default_rng(seed).uniform(0.05, 0.95, (20, 3)) * [1.0, 0.9, 0.8]
        expected = play.reference(ALGORITHMS["imed"](arms=3), table, None)
        assert play.reference(spec, table, np.random.default_rng(0)) == expected
        assert play.kernel(spec, table, np.random.default_rng(0))[0].tolist() == expected
        seen.add(tuple(expected))
    assert len(seen) > 10


class TwiceReleased(GaussianGLRIMEDPolicy):
    """A broken twin: each sum is released twice, and the mean of both is used."""

    def publish(self, batch_sum):
        return 0.5 * (super().publish(batch_sum) + super().publish(batch_sum))


class HalfTheVariance(GaussianGLRIMEDPolicy):
    """A broken twin: noise of the variance 1 / (4 rho)."""

    def publish(self, batch_sum):
        return Gaussian.with_scale(self.mechanism.scale / math.sqrt(2.0)).release(batch_sum, self.noise)


@pytest.mark.parametrize("twin", [TwiceReleased, HalfTheVariance])
def test_broken_twins_are_refused(twin):
    def build(cls):
        return lambda rng: cls(2, SPEC(arms=2, rho=0.5).mechanism, 1.5, rng, None, first=1, second=4)

    honest, broken = (certify(build(cls), rho=0.5, arms=2, horizon=14, runs=4) for cls in (GaussianGLRIMEDPolicy, twin))
    assert (honest.granted, honest.rho_upper, honest.ledger_rho) == (True, 0.5, pytest.approx(0.5, rel=1e-8))
    assert not broken.granted
    assert broken.refusals


@pytest.mark.evidence
@pytest.mark.chance(1e-6, "means and quantiles of thousands of runs, several standard errors from the limits")
@pytest.mark.parametrize(("place", "least", "most"), [("c2", 515.0, 560.0), ("c1", 640.0, 720.0)])
def test_its_regret_at_the_strength_of_laplace_noise(place, least, most, evidence):
    """T = 1e7, rho = epsilon tanh(epsilon / 2) at epsilon = .1, the zCDP of epsilon-DP (Bun and Steinke 2016).

    Means of 4,000 runs: 536.3 +- 1.6 on C2 and 677.2 +- 3.8 on C1; dp-glr-imed has 720 and 946. A regret beyond ten
    medians, in less than one run of 1,000, is cut off.
    """
    rho = 0.1 * math.tanh(0.05)
    spec = SPEC(arms=5, rho=rho)
    found = simulate(spec, place, horizon=1e7, runs=evidence(400, 4000), seed=7, checkpoints=1)
    regret = found.results[0].regret[:, -1]
    regret = np.minimum(regret, 10.0 * np.median(regret))
    assert least < regret.mean() < most
    assert np.quantile(regret, 0.95) < 1.4 * np.median(regret)
