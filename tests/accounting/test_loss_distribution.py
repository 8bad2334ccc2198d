"""The law of a total loss, against closed forms, exact binomial composition, quadrature and dp-accounting."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate

from privcheck.accounting import DiscreteLaplacePair, GaussianPair, LaplacePair, ResponsePair, epsilon_of
from privcheck.accounting._gaussian_profile import log_delta
from privcheck.accounting._loss_distribution import composed


def exact_response_delta(epsilon: float, times: int, at: float) -> float:
    """Kairouz, Oh and Viswanath 2015, Theorem 3.3: the optimal composition of randomised response, in rationals."""
    keep = Fraction(1.0 / (1.0 + math.exp(-epsilon)))
    factor, total = Fraction(math.exp(at)), Fraction(0)
    for kept in range(times + 1):
        first = keep**kept * (1 - keep) ** (times - kept)
        second = keep ** (times - kept) * (1 - keep) ** kept
        total += math.comb(times, kept) * max(Fraction(0), first - factor * second)
    return float(total)


@pytest.mark.parametrize(("mu", "times"), [(0.25, 20), (1.0, 1), (0.05, 1000), (3.0, 7), (1e-3, 10**6)])
@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-9])
def test_gaussian_noise_has_the_closed_form(mu, times, delta):
    upper, lower = composed([(GaussianPair(mu), times)])
    exact = epsilon_of(mu * math.sqrt(times), delta)
    assert lower.epsilon(delta) <= exact * (1.0 + 1e-10) <= upper.epsilon(delta) * (1.0 + 2e-10)
    assert upper.epsilon(delta) <= exact * 1.0002 + 1e-4
    assert lower.epsilon(delta) >= exact * 0.999 - 1e-3
    at = exact / 2.0
    closed = math.exp(log_delta(at, mu * math.sqrt(times)))
    assert lower.delta(at) <= closed * (1.0 + 1e-9)
    assert closed * (1.0 - 1e-9) <= upper.delta(at) <= closed * 1.001


@pytest.mark.parametrize(("epsilon", "times"), [(0.1, 20), (0.5, 20), (1.0, 3), (0.02, 200), (2.0, 1)])
def test_randomised_response_has_the_optimal_composition(epsilon, times):
    upper, lower = composed([(ResponsePair(epsilon), times)])
    for fraction in (0.0, 0.1, 0.37, 0.6, 0.9):
        at = fraction * epsilon * times
        exact = exact_response_delta(epsilon, times, at)
        assert lower.delta(at) <= exact * (1.0 + 1e-9) + 1e-15
        assert exact * (1.0 - 1e-9) <= upper.delta(at) <= exact * 1.01 + 1e-9


def test_unequal_responses_against_enumeration():
    """All outcomes of seven responses with different epsilons and numbers of categories."""
    rng = np.random.default_rng(3)
    pairs = [ResponsePair(float(rng.uniform(0.05, 1.5)), int(rng.integers(2, 5))) for _ in range(7)]
    losses, masses = np.zeros(1), np.ones(1)
    for pair in pairs:
        losses = np.add.outer(losses, pair.atoms[0]).ravel()
        masses = np.multiply.outer(masses, pair.atoms[1]).ravel()
    upper, lower = composed([(pair, 1) for pair in pairs])
    for at in (0.0, 0.5, 1.5, 3.0):
        exact = float(np.sum(masses * np.maximum(-np.expm1(at - losses), 0.0)))
        assert lower.delta(at) <= exact <= upper.delta(at) <= exact * 1.001 + 1e-10
        assert lower.delta(at) >= exact * 0.99 - 1e-9


@pytest.mark.parametrize(("first", "second"), [(1.0, 1.0), (0.5, 2.0), (0.1, 0.7)])
def test_two_laplace_releases_against_quadrature(first, second):
    """Delta of two numbers: the integral of the positive part of p - exp(at) q, over four quadrants and their edges."""

    def density(x: float, shift: float) -> float:
        return math.exp(-abs(x - shift)) / 2.0

    upper, lower = composed([(LaplacePair(first), 1), (LaplacePair(second), 1)])
    for at in (0.2 * (first + second), 0.7 * (first + second)):

        def inner(x: float, at: float = at) -> float:
            loss = abs(x - first) - abs(x)  # the loss of the first entry; then delta of the second at the rest
            left = at - loss
            if left >= second:
                return 0.0
            delta = -math.expm1(left) if left <= -second else -math.expm1((left - second) / 2.0)
            return density(x, 0.0) * delta

        kinks = sorted({0.0, first, (first - at + second) / 2.0, (first - at - second) / 2.0})
        edges = [-40.0, *[kink for kink in kinks if -40.0 < kink < 40.0], 40.0]
        exact = math.fsum(integrate.quad(inner, a, b, epsabs=1e-13)[0] for a, b in pairwise(edges))
        assert lower.delta(at) <= exact + 1e-9
        assert exact - 1e-9 <= upper.delta(at) <= exact + 1e-6


COMPOSITIONS = [
    [(LaplacePair(0.25), 20)],
    [(LaplacePair(0.1), 100)],
    [(DiscreteLaplacePair(0.5, 2), 24)],
    [(GaussianPair(0.25), 12), (LaplacePair(0.25), 12), (ResponsePair(0.2, 4), 5)],
]


@pytest.mark.parametrize("releases", COMPOSITIONS, ids=str)
def test_mixed_compositions_against_dp_accounting(releases):
    """Both libraries' upper and lower ends hold the exact value, so each lower end is below the other's upper end."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")

    def theirs(pair, pessimistic: bool):
        options = {"pessimistic_estimate": pessimistic, "value_discretization_interval": 1e-3}
        if isinstance(pair, ResponsePair):
            keep = 1.0 / (1.0 + (pair.categories - 1) * math.exp(-pair.epsilon))
            noise = (1.0 - keep) * pair.categories / (pair.categories - 1)
            return pld.from_randomized_response(noise, pair.categories, **options)
        options["use_connect_dots"] = pessimistic
        if isinstance(pair, GaussianPair):
            return pld.from_gaussian_mechanism(1.0 / pair.mu, **options)
        if isinstance(pair, LaplacePair):
            return pld.from_laplace_mechanism(1.0 / pair.epsilon, **options)
        return pld.from_discrete_laplace_mechanism(pair.epsilon / pair.distance, pair.distance, **options)

    def ends(pessimistic: bool):
        total = None
        for pair, count in releases:
            one = theirs(pair, pessimistic).self_compose(count)
            total = one if total is None else total.compose(one)
        return total

    upper, lower = composed(releases)
    for delta in (1e-3, 1e-6):
        high, low = ends(True).get_epsilon_for_delta(delta), ends(False).get_epsilon_for_delta(delta)
        assert low * (1.0 - 1e-9) <= upper.epsilon(delta) <= high + 1e-3  # their rounding is about 1e-15 / delta
        assert lower.epsilon(delta) <= high
        assert lower.epsilon(delta) >= 0.99 * low


def test_published_numbers():
    assert composed([(LaplacePair(0.25), 20)])[0].epsilon(1e-6) == pytest.approx(4.671, abs=5e-4)
    assert composed([(LaplacePair(0.1), 100)])[0].epsilon(1e-6) == pytest.approx(4.69, abs=5e-3)


@pytest.mark.parametrize("releases", COMPOSITIONS, ids=str)
def test_epsilon_and_delta_are_inverse(releases):
    """Each question has its own tilt; the common grid of several pairs depends on it."""
    upper, lower = composed(releases)
    near = 1e-6 if len(releases) == 1 else 1e-3
    for delta in (0.3, 1e-2, 1e-6):
        assert upper.delta(upper.epsilon(delta)) == pytest.approx(delta, rel=near)
        assert lower.delta(lower.epsilon(delta)) == pytest.approx(delta, rel=near)
        assert lower.epsilon(delta) < upper.epsilon(delta)
    assert lower.delta(1.0) < upper.delta(1.0)


def test_ends_of_the_range():
    upper, lower = composed([(LaplacePair(0.5), 2)])
    assert upper.epsilon(0.9) == lower.epsilon(0.9) == 0.0
    assert lower.epsilon(0.0) < 1.0 < upper.epsilon(0.0) < 1.0 + 1e-8
    assert upper.delta(1.1) == lower.delta(1.1) == 0.0
    assert composed([(GaussianPair(0.5), 2)])[0].epsilon(0.0) == math.inf


def test_a_composition_of_24_releases_takes_less_than_two_transforms_of_a_million_numbers():
    """Processor time of both in turn, medians of nine: 0.8 transforms, which are some 25 ms."""
    releases = [(GaussianPair(0.25), 12), (LaplacePair(0.25), 12)]
    numbers = np.random.default_rng(0).random(2**20)

    def seconds(run: Callable[[], object]) -> float:
        start = time.process_time()
        run()
        return time.process_time() - start

    pairs = [
        (seconds(lambda: composed(releases)[0].epsilon(1e-6)), seconds(lambda: np.fft.rfft(numbers))) for _ in range(9)
    ]
    composition, transform = map(statistics.median, zip(*pairs, strict=True))
    assert composition < 2.0 * transform


def test_many_releases_are_fast_and_still_bounded():
    start = time.process_time()
    upper, _ = composed([(LaplacePair(1e-4), 10**6)])
    found = upper.epsilon(1e-6)
    assert time.process_time() - start < 5.0
    assert 0.38 < found < 0.41, "a million small losses are nearly those of Gaussian noise with mu = 0.1"
