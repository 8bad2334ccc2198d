"""Calibration: certified by the filter, the least noise, closed forms, and what it refuses."""

from __future__ import annotations

import math

import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from privcheck.accounting import (
    Approximate,
    BudgetExceededError,
    BudgetFilter,
    Concentrated,
    GaussianDP,
    Ledger,
    Plan,
    Pure,
    has_room,
    largest,
)
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import (
    BinaryTree,
    DiscreteLaplace,
    Gaussian,
    HybridTree,
    Laplace,
    Mechanism,
    NoisyMax,
    RandomisedResponse,
    planned,
)
from privcheck.mechanisms.planned import charge_with_pairs

FAMILIES: list[tuple[type[Mechanism], dict]] = [
    (Laplace, {}), (DiscreteLaplace, {}), (BinaryTree, {"horizon": 20}),
    (NoisyMax, {"noise": "gumbel", "score_range": 1.0}), (HybridTree, {}),
    (RandomisedResponse, {"categories": 3}), (Gaussian, {}),
]  # fmt: skip
BUDGETS = [
    ({"epsilon": 0.3}, Pure(0.3)),
    ({"epsilon": 1.0, "delta": 1e-6}, Approximate(1.0, 1e-6)),
    ({"rho": 0.1}, Concentrated(0.1)),
    ({"mu": 0.5}, GaussianDP(0.5)),
]
CASES = [
    pytest.param(cls, options, given, budget, id=f"{cls.id}-{budget}")
    for cls, options in FAMILIES
    for given, budget in BUDGETS
    if not (cls is Gaussian and isinstance(budget, Pure))
]


def accepted(budget: BudgetFilter, mechanism: Mechanism, releases: int) -> int:
    """How many of these releases, on one datum, a filter accepts."""
    ledger = budget.new_ledger()
    for release in range(releases):
        charges = {1: charge_with_pairs(mechanism, 1.0)}
        try:
            budget.check(ledger, charges, "here")
        except BudgetExceededError:
            return release
        ledger.record(1, mechanism.id, mechanism.scale, {1: 1.0}, charges, "here")
    return releases


@pytest.mark.parametrize(("cls", "options", "given", "budget"), CASES)
@pytest.mark.parametrize("releases", [1, 3, 40])
def test_the_filter_accepts_as_many_releases_and_no_more(cls, options, given, budget, releases):
    mechanism = cls.calibrate(**given, releases=releases, **options)
    assert accepted(BudgetFilter(budget), mechanism, releases + 1) == releases


@pytest.mark.parametrize(("cls", "options", "given", "budget"), CASES)
def test_less_noise_would_not_do(cls, options, given, budget):
    mechanism = cls.calibrate(**given, releases=7, **options)
    name = "mu" if cls is Gaussian else "epsilon"
    amount = math.nextafter(getattr(mechanism, name) * (1.0 + 1e-14), math.inf)
    sensitivity = {} if cls is RandomisedResponse else {cls.sensitivity_name: 1.0}
    assert not has_room(BudgetFilter(budget), cls(**{name: amount}, **sensitivity | options).charge(1.0), 7)


def exact_mu(epsilon: float, delta: float) -> float:
    """Balle and Wang 2018, Theorem 8, solved for mu with scipy's normal law."""

    def excess(mu: float) -> float:
        return norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu) - delta

    return brentq(excess, 1e-3, 50.0, xtol=1e-14)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (0.1, 1e-3), (5.0, 1e-9), (1.0, 0.1)])
@pytest.mark.parametrize("releases", [1, 24])
def test_gaussian_noise_has_the_analytic_scale(epsilon, delta, releases):
    mechanism = Gaussian.calibrate(epsilon=epsilon, delta=delta, sensitivity=2.0, releases=releases)
    exact = 2.0 * math.sqrt(releases) / exact_mu(epsilon, delta)
    assert mechanism.scale == pytest.approx(exact, rel=1e-8)
    assert mechanism.scale >= exact * (1.0 - 1e-12)


def test_closed_forms_of_other_notions():
    assert Gaussian.calibrate(rho=0.5, releases=4).scale == pytest.approx(2.0, rel=1e-8)
    assert Gaussian.calibrate(mu=0.5, sensitivity=3.0, releases=4).scale == pytest.approx(12.0, rel=1e-8)
    epsilon = Laplace.calibrate(rho=0.1).epsilon
    assert epsilon * math.tanh(epsilon / 2.0) == pytest.approx(0.1, rel=1e-10)
    epsilon = Laplace.calibrate(mu=0.5, releases=9).epsilon
    assert 2.0 * norm.ppf(math.exp(epsilon) / (1.0 + math.exp(epsilon))) == pytest.approx(0.5 / 3.0, rel=1e-10)


def test_pure_budgets_are_used_exactly():
    assert Laplace.calibrate(epsilon=0.3) == Laplace(sensitivity=1.0, epsilon=0.3)
    assert Laplace.calibrate(epsilon=0.1, sensitivity=5.0, delta=0.0) == Laplace(sensitivity=5.0, epsilon=0.1)
    assert BinaryTree.calibrate(epsilon=1.0, horizon=64).epsilon == 1.0
    assert RandomisedResponse.calibrate(epsilon=50.0, categories=2).epsilon == 20.0, "no mechanism spends more"


def test_delta_helps_pure_mechanisms_only_over_many_releases():
    assert Laplace.calibrate(epsilon=1.0, delta=1e-6).epsilon == 1.0
    assert Laplace.calibrate(epsilon=1.0, delta=1e-6, releases=3).epsilon == pytest.approx(1.0 / 3.0, rel=1e-12)
    mechanism = Laplace.calibrate(epsilon=1.0, delta=1e-6, releases=1000)
    assert mechanism.epsilon > 5.0 / 1000.0
    assert Plan([planned(mechanism, count=1000)]).at_delta(1e-6).epsilon <= 1.0


@pytest.mark.parametrize("accountants", [{"gdp": 1.0}, {"zcdp": 1.0}, {"gdp": 0.5, "zcdp": 0.5}, {"rdp:20": 1.0}, {}])
def test_shares_are_those_of_the_filter(accountants):
    budget = BudgetFilter(Approximate(1.0, 1e-6), accountants)
    mechanism = Laplace.calibrate(epsilon=1.0, delta=1e-6, releases=200, accountants=accountants)
    assert accepted(budget, mechanism, 201) == 200


def test_many_releases():
    mechanism = Gaussian.calibrate(epsilon=1.0, delta=1e-6, releases=10**6)
    assert mechanism.scale == pytest.approx(1000.0 / exact_mu(1.0, 1e-6), rel=1e-8)


def test_the_published_gaussian_tree_has_13_6_times_the_noise_that_its_guarantee_needs():
    """Shariff and Sheffet 2018, Section 4.2, at epsilon = 1 and delta = 0.1, as in their experiments; n = 5e7.

    A row enters m = 1 + ceil(log2 n) nodes, and moves each by L^2 = 1 in units of the noise per entry. Published: noise
    4 sqrt(m) L^2 ln(4 / delta) / epsilon. The factor does not depend on m or L.
    """
    m = 1 + math.ceil(math.log2(5e7))
    published = 4.0 * math.sqrt(m) * math.log(4.0 / 0.1) / 1.0
    calibrated = Gaussian.calibrate(epsilon=1.0, delta=0.1, sensitivity=1.0, releases=m)
    assert m == 27
    assert published / calibrated.scale == pytest.approx(13.6, abs=0.05)


REFUSED = [
    (Laplace, {}, "budget: got nothing, expected epsilon, epsilon and delta, rho, or mu"),
    (Laplace, {"epsilon": 1.0, "mu": 1.0}, "budget: got epsilon and mu"),
    (Laplace, {"delta": 1e-6}, "delta"),
    (Laplace, {"rho": 1.0, "delta": 1e-6}, "delta"),
    (Laplace, {"epsilon": math.nan}, "epsilon: got nan"),
    (Laplace, {"epsilon": math.inf}, "epsilon: got inf"),
    (Laplace, {"epsilon": -1.0}, "epsilon: got -1.0"),
    (Laplace, {"epsilon": 0.0}, "epsilon: got 0.0"),
    (Laplace, {"epsilon": 1.0, "delta": 1.0}, "delta: got 1.0"),
    (Laplace, {"epsilon": "1"}, "epsilon: got '1'"),
    *[
        (Gaussian, {"mu": 1.0, "sensitivity": bad}, "sensitivity: got ")
        for bad in (0.0, -1.0, math.nan, math.inf, "1", None, True)
    ],
    *[(Gaussian, {"mu": 1.0, "releases": bad}, "releases: got ") for bad in (0, -1, 1.5, math.nan, math.inf, "2")],
    (Gaussian, {"epsilon": 1.0}, "budget: got epsilon = 1 for gaussian"),
    (Gaussian, {"epsilon": 1.0, "delta": 1e-6, "accountants": {"gdp": 2.0}}, "share of gdp"),
    (Gaussian, {"epsilon": 1.0, "delta": 1e-6, "accountants": {"nothing": 1.0}}, "accountant"),
    (Gaussian, {"epsilon": 1.0, "delta": 1e-6, "accountants": {}}, "budget: got epsilon = 1 at delta = 1e-06"),
    (Laplace, {"epsilon": 1.0, "given_scale": 2.0}, "given_scale: got 2.0"),
    (Laplace, {"epsilon": 1.0, "horizon": 2}, "horizon: got 2, expected no further parameters"),
    (BinaryTree, {"epsilon": 1.0}, "horizon: got nothing"),
    (BinaryTree, {"epsilon": 1.0, "horizon": 0}, "horizon: got 0"),
    (RandomisedResponse, {"epsilon": 1.0, "categories": 2, "sensitivity": 2.0}, "sensitivity: got 2.0"),
]  # fmt: skip


@pytest.mark.parametrize(("cls", "options", "message"), REFUSED)
def test_bad_input_is_one_line(cls, options, message):
    with pytest.raises(PrivcheckError) as refused:
        cls.calibrate(**options)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_scales_are_positive_and_finite(bad):
    for cls in (Laplace, Gaussian, NoisyMax):
        with pytest.raises(PrivcheckError, match="scale: got"):
            cls.with_scale(bad)


def test_the_search_returns_only_what_fits():
    asked: list[float] = []

    def fits(amount: float) -> bool:
        asked.append(amount)
        return amount < math.pi

    assert largest(fits) == math.nextafter(math.pi, 0.0)
    assert largest(lambda amount: amount < 1e-20) == math.nextafter(1e-20, 0.0)
    assert largest(lambda amount: False) == 0.0
    assert len(asked) < 100


def test_a_ledger_without_a_filter_adds_up_the_same():
    """The total of forty equal charges in a ledger is not above that of the calibration."""
    mechanism = Gaussian.calibrate(mu=1.0, releases=40)
    ledger: Ledger = BudgetFilter(GaussianDP(1.0)).new_ledger()
    for _ in range(40):
        ledger.record(1, "gaussian", mechanism.scale, {1: 1.0}, {1: mechanism.charge(1.0)}, "here")
    assert ledger.paid[1].mu <= 1.0
