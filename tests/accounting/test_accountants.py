"""Accountants against closed forms, enumeration, 50-digit sums and dp-accounting."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from privcheck.accounting import NOTHING, Approximate, Charge, Concentrated, GaussianDP, Pure, accountant
from privcheck.accounting._currencies import DELTA, EPSILON, MU, RHO
from privcheck.accounting.accountants import ACCOUNTANTS
from privcheck.accounting.accountants.base import SLACK

GDP, ZCDP, PURE = accountant("gdp"), accountant("zcdp"), accountant("pure")
NAMES = ["pure", "zcdp", "gdp", "rdp:1.5", "rdp:8", "rdp:200"]


def gaussian(mu):
    return Charge(rho=mu * mu / 2.0, mu=mu)


def times(count, charge):
    return sum([charge] * count, NOTHING)


def added(by, charges):
    """Return what an accountant makes of charges, as a ledger adds them up."""
    total = 0.0
    for charge in charges:
        total = float(by.currency.add(total, by.needs(charge)))
    return total


def test_the_accountants_that_there_are():
    assert {"gdp", "pure", "rdp", "zcdp"} <= set(ACCOUNTANTS)
    assert accountant("rdp:8") == accountant("rdp:8.0") != accountant("rdp:9")
    assert accountant("rdp:8").currency.name == "rdp:8"
    assert accountant("rdp:8.0000001").currency.name != "rdp:8", "two orders never share a sum"


def test_known_epsilons():
    """20-fold Gaussian noise of scale 4; 20 and 100 pure releases of epsilon 0.1."""
    assert GDP.epsilon(times(20, gaussian(0.25)), 1e-6) == pytest.approx(5.550859868, abs=1e-8)
    tenth = times(20, Charge(0.1))
    assert PURE.epsilon(tenth, 0.0) == pytest.approx(2.0, rel=1e-12)
    assert PURE.epsilon(tenth, 1e-6) < ZCDP.epsilon(tenth, 1e-6) < 2.45
    assert PURE.epsilon(times(100, Charge(0.1)), 0.0) == pytest.approx(10.0, rel=1e-12)
    assert accountant("rdp:6").epsilon_of(added(accountant("rdp:6"), [Charge(0.1)] * 100), 1e-6) < 5.09


def test_renyi_accounting_agrees_with_dp_accounting():
    """At each order: for Gaussian noise and randomised response; Laplace noise is charged like the latter."""
    rdp = pytest.importorskip("dp_accounting.rdp")
    dp = pytest.importorskip("dp_accounting")
    for order in (2.0, 4.0, 8.0, 32.0):
        by = accountant(f"rdp:{order}")
        keeps = 2.0 / (1.0 + math.exp(0.1))  # the probability of a uniform answer among two
        one = dp.NeighboringRelation.REPLACE_ONE
        for charge, event, rel in (
            (gaussian(0.25), dp.GaussianDpEvent(4.0), 1e-9),
            (Charge(0.1), dp.RandomizedResponseDpEvent(keeps, 2), 1e-8),
            (Charge(0.1), dp.LaplaceDpEvent(10.0), 0.03),
        ):
            relation = one if "Response" in type(event).__name__ else dp.NeighboringRelation.ADD_OR_REMOVE_ONE
            theirs = rdp.RdpAccountant([order], relation).compose(dp.SelfComposedDpEvent(event, 100)).get_epsilon(1e-6)
            ours = by.epsilon_of(added(by, [charge] * 100), 1e-6)
            assert theirs * (1.0 - 1e-9) <= ours <= theirs * (1.0 + rel)


@settings(max_examples=40)
@given(st.floats(1e-9, 30.0), st.floats(1.01, 100.0))
def test_the_divergence_of_a_pure_charge_is_that_of_randomised_response(epsilon, order):
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(60):
        e, a = mpmath.mpf(epsilon), mpmath.mpf(order)
        p = 1 / (1 + mpmath.exp(-e))
        exact = mpmath.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1)
        found = accountant("rdp:2").__class__(order).needs(Charge(epsilon))
        assert exact <= found * (1 + mpmath.mpf(1e-15))
        assert found <= min(epsilon, float(exact) * (1.0 + 1e-8) + (0.0 if order * epsilon < 300.0 else 0.75))


@pytest.mark.parametrize("charge", [Charge(0.3), gaussian(0.7), Charge(0.3, mu=0.2), Charge(rho=0.1), Charge(mu=0.3)])
def test_an_order_takes_the_best_that_a_charge_bounds(charge):
    for order in (1.5, 8.0, 100.0):
        found = accountant(f"rdp:{order}").needs(charge)
        assert found <= order * min(charge.rho, charge.mu**2 / 2.0) * (1.0 + 1e-9)
        assert found <= charge.epsilon * (1.0 + 1e-9)


def test_gaussian_privacy_counts_as_concentrated():
    assert ZCDP.needs(Charge(mu=0.3)) == pytest.approx(0.045, rel=1e-12)
    assert ZCDP.needs(Charge(mu=0.3)) >= 0.3 * 0.3 / 2.0


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=15)
@given(values=st.lists(st.floats(1e-6, 2.0), min_size=1, max_size=60))
def test_sums_are_never_below_the_exact_sums(name, values):
    """In rational arithmetic; epsilons are sums of floats as they were, for whose rounding the noise pays."""
    charges = [Charge(value) if name == "pure" else gaussian(value) for value in values]
    by = accountant(name)
    amounts = [Fraction(by.needs(charge)) for charge in charges]
    found = Fraction(added(by, charges))
    if name == "gdp":
        amounts, found = [amount**2 for amount in amounts], found**2
    exact = sum(amounts)
    assert found >= exact * (1 - Fraction(1, 10**13) * (name == "pure"))
    assert found <= exact * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize("currency", [RHO, MU, DELTA])
def test_arrays_add_up_as_floats_do(currency):
    one, two = np.array([0.0, 0.1, 0.3, 5.0, 1e-30, math.inf]), 0.7
    assert currency.add(one, two).tolist() == [float(currency.add(total, two)) for total in one.tolist()]
    assert EPSILON.add(0.1, 0.2) == 0.1 + 0.2
    if currency is not MU:
        assert [currency.add(0.25, 0.5), currency.add(0.05, 0.05)] == [0.75, 0.1], "exact sums are not rounded up"


@pytest.mark.parametrize("name", NAMES[1:])
@pytest.mark.parametrize("share", [1.0, 0.25])
@pytest.mark.parametrize("budget", [Approximate(1.0, 1e-6), Approximate(0.01, 1e-2), Approximate(8.0, 1e-12)])
def test_a_limit_is_the_largest_amount_that_keeps_the_budget(name, share, budget):
    by = accountant(name)
    limit, delta = by.limit(budget, share), share * budget.delta
    if limit <= 0.0:
        assert by.epsilon_of(1e-12, delta) > budget.epsilon
        return
    assert by.epsilon_of(limit, delta) <= budget.epsilon * (1.0 + 1e-10)
    assert by.epsilon_of(limit * (1.0 + 1e-7), delta) > budget.epsilon


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (0.1, 1e-3), (5.0, 0.1)])
def test_the_gaussian_limit_against_scipy(epsilon, delta):
    mu = GDP.limit(Approximate(epsilon, delta), 1.0)
    exact = norm.cdf(-epsilon / mu + mu / 2.0) - math.exp(epsilon) * norm.cdf(-epsilon / mu - mu / 2.0)
    assert delta * (1.0 - 1e-7) < exact <= delta * (1.0 + 1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_costs_nothing_and_no_bound_costs_everything(name):
    by = accountant(name)
    assert by.epsilon(NOTHING, 0.0) == by.epsilon(NOTHING, 1e-6) == 0.0
    assert by.epsilon(Charge.total(math.inf), 1e-6) == math.inf
    if name != "pure":
        assert by.epsilon(Charge(0.5), 0.0) == math.inf


@pytest.mark.parametrize(
    ("name", "budget", "fitting"),
    [
        ("pure", Pure(1.0), Charge(1.0)),
        ("pure", Approximate(1.0, 1e-6), Charge(1.0)),
        ("zcdp", Concentrated(0.5), Charge(rho=0.5)),
        ("gdp", GaussianDP(0.5), Charge(mu=0.5)),
    ],
)
def test_a_total_that_just_fits(name, budget, fitting):
    by = accountant(name)
    number = by.needs(fitting)
    assert by.within(fitting, budget)
    for excess, fits in ((0.4 * SLACK, True), (1.1 * SLACK, False)):
        amount = number * (1.0 + excess)
        total = Charge.total(amount, amount, amount if name == "gdp" else math.inf)
        assert by.within(total, budget) == fits
    for other in {Pure(1.0), Concentrated(0.5), GaussianDP(0.5)} - {budget}:
        assert (by.limit(other, 0.0) > 0.0) == (name == "pure" and other == Pure(1.0))


@pytest.mark.parametrize("name", ["pure", "zcdp", "gdp", "rdp:8"])
def test_what_is_set_aside_is_part_of_delta(name):
    by = accountant(name)
    plain, aside = Charge(0.1), Charge(0.1, delta=4e-7)
    assert by.epsilon(aside, 1e-6) == pytest.approx(by.epsilon(plain, 6e-7), rel=1e-12)
    assert by.epsilon(aside, 3e-7) == math.inf
    budget = Approximate(50.0, 1e-6)
    assert [by.within(aside, budget, share) for share in (0.5, 0.7)] == [True, False]
    assert not by.within(aside, Pure(50.0))


def test_no_accountant_is_below_the_distribution_of_the_loss():
    """Ten Gaussian and ten Laplace releases: dp-accounting's optimistic end is below the exact epsilon."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    how = {"value_discretization_interval": 1e-3, "pessimistic_estimate": False, "use_connect_dots": False}
    noise = pld.from_gaussian_mechanism(4.0, **how).self_compose(10)
    noise = noise.compose(pld.from_laplace_mechanism(5.0, **how).self_compose(10))
    charges = [gaussian(0.25), Charge(0.2)] * 10
    for delta in (1e-3, 1e-6, 1e-9):
        exact = noise.get_epsilon_for_delta(delta)
        found = {name: accountant(name) for name in NAMES[1:]}
        epsilons = {name: by.epsilon_of(added(by, charges), delta) for name, by in found.items()}
        assert min(epsilons.values()) >= exact
        assert epsilons["gdp"] <= 1.25 * exact, "Laplace noise is charged a quarter more than it is in the limit"


def test_zcdp_agrees_with_opendp():
    """Its map for Gaussian noise, turned into approximate privacy; it rounds up more than we do."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    for scale, delta in ((1.0, 1e-6), (4.0, 1e-9), (20.0, 1e-2)):
        noise = dp.m.make_gaussian(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=scale)
        theirs = dp.c.make_zCDP_to_approxDP(noise).map(1.0).epsilon(delta)
        ours = ZCDP.epsilon(gaussian(1.0 / scale), delta)
        assert ours == pytest.approx(theirs, rel=1e-6)
        assert GDP.epsilon(gaussian(1.0 / scale), delta) < ours
