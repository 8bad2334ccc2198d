"""The Renyi filter takes the exact curve of a mechanism where one is known, and of that mechanism only."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import integrate, stats

from privcheck import BudgetExceededError, Certificate, certify, guard
from privcheck.accounting import Approximate, BudgetFilter, Charge, Plan, accountant
from privcheck.mechanisms import DiscreteLaplace, Gaussian, KaryTree, Laplace, NoisyMax, RandomisedResponse
from privcheck.mechanisms.planned import charge_with_pairs, planned

ORDERS = (1.0000001, 1.5, 2.0, 6.0, 33.0, 400.0)


def laplace_divergence(distance: float, order: float) -> float:
    """The Renyi divergence of two Laplace laws by quadrature of p (p / q)^(order - 1), scaled by its largest value."""
    one, two = stats.laplace(distance), stats.laplace(0.0)
    far = (order - 1.0) * distance

    def integrand(x: float) -> float:
        return math.exp(order * one.logpdf(x) - (order - 1.0) * two.logpdf(x) - far)

    parts = [integrate.quad(integrand, *ends, epsabs=0.0, epsrel=1e-12)[0] for ends in ((0, distance), (distance, 60))]
    below = integrate.quad(integrand, -60, 0, epsabs=0.0, epsrel=1e-12)[0]
    return (math.log(sum(parts) + below) + far) / (order - 1.0)


@pytest.mark.parametrize("order", ORDERS[1:])
@pytest.mark.parametrize("distance", [0.01, 0.5, 4.0])
def test_laplace_noise_needs_its_own_divergence(order, distance):
    by, charge = accountant(f"rdp:{order}"), charge_with_pairs(Laplace.with_scale(1.0), distance)
    exact = laplace_divergence(distance, order)
    assert exact * (1.0 - 1e-9) <= by.needs(charge) <= exact * (1.0 + 1e-6)
    assert by.needs(charge) < by.needs(Charge(distance))  # what randomised response has


def test_discrete_laplace_noise_needs_its_own_divergence():
    law = stats.dlaplace(0.5)
    places = np.arange(-1000, 1001)
    p, q = law.logpmf(places - 3), law.logpmf(places)
    for order in ORDERS[1:5]:
        exact = float(np.log(np.exp(order * p - (order - 1.0) * q).sum()) / (order - 1.0))
        needed = accountant(f"rdp:{order}").needs(charge_with_pairs(DiscreteLaplace.with_scale(2.0), 3.0))
        assert exact * (1.0 - 1e-9) <= needed <= exact * (1.0 + 1e-6)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "mechanism",
    [
        Laplace.with_scale(0.5),
        Gaussian.with_scale(3.0),
        RandomisedResponse(epsilon=0.7, categories=5),
        KaryTree.with_scale(5.0, horizon=20, degree=3),
        NoisyMax.with_scale(2.0),
    ],
    ids=lambda mechanism: mechanism.id,
)
def test_a_curve_never_needs_more_than_the_charge_alone(mechanism, order):
    by, charge = accountant(f"rdp:{order}"), charge_with_pairs(mechanism, 1.0)
    assert 0.0 < by.needs(charge) <= by.needs(charge.with_pairs())
    assert math.isfinite(by.needs(charge))


def test_a_derived_class_has_no_curve():
    """The broken twin: a class with the same charge that answers by randomised response would need more."""

    @dataclass(frozen=True)
    class Coin(Laplace):
        pass

    assert charge_with_pairs(Coin.with_scale(1.0), 1.0) == Charge(1.0)


def test_a_hundred_releases_cost_less_than_those_of_randomised_response():
    """100 releases at epsilon = 0.1, delta = 1e-6: 5.08 before; the loss distribution's lower end is a floor."""
    by, charge = accountant("rdp:6.4"), charge_with_pairs(Laplace.with_scale(10.0), 1.0)
    found = by.epsilon_of(by.needs(charge) * 100, 1e-6)
    assert Plan([planned(Laplace.with_scale(10.0), 1.0, 100)]).at_delta(1e-6).lower < found < 4.99
    assert by.epsilon_of(by.needs(charge.with_pairs()) * 100, 1e-6) > 5.07


class Releasing:
    """A policy that releases its first reward in every round."""

    def __init__(self, rng):
        self.rng, self.round, self.first = rng, 0, 0.0
        self.noise = Laplace.calibrate(epsilon=1.0, delta=1e-6, releases=30, accountants=SHARES)

    def select(self):
        return self.round % 2

    def update(self, action, reward):
        self.round += 1
        if self.round == 1:
            self.first = reward
        self.noise.release(self.first, self.rng)


SHARES = {"rdp:24": 1.0}


def test_calibration_and_filter_agree_on_the_curve():
    """As many releases as were calibrated for pass, and the next is refused; without the curve fewer would."""
    options = {"epsilon": 1.0, "delta": 1e-6, "accountants": SHARES}
    policy = guard(Releasing(np.random.default_rng(0)), noise="float", rng=np.random.default_rng(1), **options)
    for _ in range(30):
        policy.update(policy.select(), 1.0)
    assert 1.0 - 1e-9 < policy.spent <= 1.0
    with pytest.raises(BudgetExceededError):
        policy.update(policy.select(), 1.0)
    strict = BudgetFilter(Approximate(1.0, 1e-6), SHARES)
    ledger, plain = strict.new_ledger(), {1: Charge(Releasing(None).noise.epsilon)}
    while strict.fits(ledger, plain) and len(ledger.releases) < 30:
        ledger.record(1, "any", 1.0, {1: 1.0}, plain, "a.py:1")
    assert len(ledger.releases) < 30


def test_a_certificate_with_curves_is_read_back():
    certificate = certify(Releasing, epsilon=1.0, delta=1e-6, accountants=SHARES, arms=2, horizon=30, runs=2)
    assert certificate.accountant == "rdp:24"
    assert Certificate.from_json(certificate.to_json()).ledger == certificate.ledger
