"""Plans, against published numbers, closed forms, the registered accountants and dp-accounting."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcheck.accounting import (
    Charge,
    DiscreteLaplacePair,
    GaussianPair,
    LaplacePair,
    Plan,
    PlannedRelease,
    ResponsePair,
    accountant,
    epsilon_of,
)
from privcheck.accounting._plan import ACCOUNTANTS
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import (
    BinaryTree,
    DiscreteLaplace,
    Gaussian,
    HybridTree,
    Laplace,
    NoisyMax,
    RandomisedResponse,
    planned,
)


def plan(mechanism, count, sensitivity=None) -> Plan:
    return Plan([planned(mechanism, sensitivity, count)])


def test_twenty_gaussian_releases():
    account = plan(Gaussian.with_scale(4.0), 20).at_delta(1e-6)
    assert account.epsilon == pytest.approx(5.550859868, abs=1e-9)
    assert account.bounds["gdp"] >= epsilon_of(math.sqrt(20.0) / 4.0, 1e-6)
    assert account.bounds["pure"] == math.inf
    assert account.best == "gdp"


def test_twenty_laplace_releases():
    account = plan(Laplace.with_scale(4.0), 20).at_delta(1e-6)
    assert (account.best, round(account.epsilon, 3)) == ("pld", 4.671)


def test_a_hundred_laplace_releases():
    bounds = plan(Laplace.with_scale(10.0), 100).at_delta(1e-6).bounds
    found = {name: round(bounds[name], 2) for name in ("pure", "rdp", "pld")}
    assert found == {"pure": 10.0, "rdp": 4.98, "pld": 4.69}


def test_the_sum_wins_over_zcdp_where_delta_does_not_pay():
    """Twenty releases at 0.1: with rho = epsilon^2 / 2 and rho + 2 sqrt(rho ln(1 / delta)), zCDP gives 2.45."""
    account = plan(Laplace.with_scale(10.0), 20).at_delta(1e-6)
    rho = 20 * 0.1**2 / 2
    assert round(rho + 2.0 * math.sqrt(rho * math.log(1e6)), 2) == 2.45
    assert account.bounds["pure"] == pytest.approx(2.0, abs=2e-6)
    assert account.bounds["pure"] < account.bounds["zcdp"] < 2.45
    assert Plan([PlannedRelease(Charge(0.1), 2)]).at_delta(1e-6).best in ("pure", "pld", "rdp")


PLANS = {
    "gaussian": plan(Gaussian.with_scale(3.0), 10),
    "laplace": plan(Laplace.with_scale(2.0), 30),
    "discrete": plan(DiscreteLaplace.with_scale(6.0), 30, 3),
    "response": plan(RandomisedResponse(4, 0.3), 12),
    "tree": plan(BinaryTree(sensitivity=1.0, epsilon=3.0, horizon=64), 2),
    "hybrid": plan(HybridTree(sensitivity=1.0, epsilon=1.0), 4),
    "maximum": plan(NoisyMax(score_range=2.0, epsilon=0.2), 40),
    "mixed": Plan([planned(Gaussian.with_scale(3.0), count=4), planned(Laplace.with_scale(5.0), count=9)]),
    "aside": Plan([PlannedRelease(Charge(0.4, delta=1e-8), 12), planned(Gaussian.with_scale(4.0))]),
}


@pytest.mark.parametrize("name", PLANS)
def test_no_accountant_is_below_the_lower_end(name):
    for delta in (1e-2, 1e-6):
        account = PLANS[name].at_delta(delta)
        assert account.lower > 0.0
        assert min(account.bounds.values()) == account.bounds[account.best] == account.epsilon >= account.lower
    at = PLANS[name].at_epsilon(account.epsilon)
    assert at.lower <= at.delta == min(at.bounds.values()) <= 1e-6 * (1.0 + 1e-6)


@pytest.mark.parametrize("name", PLANS)
def test_accountants_are_those_of_the_filters(name):
    total = PLANS[name].total
    for by in ("pure", "zcdp", "gdp"):
        assert PLANS[name].at_delta(1e-5).bounds[by] == pytest.approx(accountant(by).epsilon(total, 1e-5), rel=1e-12)


@pytest.mark.parametrize("name", sorted(set(PLANS) - {"aside"}))
def test_orders_of_renyi_privacy_are_at_least_as_good_as_one_fixed_order(name):
    bound = PLANS[name].at_delta(1e-5).bounds["rdp"]
    for order in (2.0, 5.0, 20.0):
        by = accountant(f"rdp:{order:g}")
        amount = sum(by.needs(release.charge) * release.count for release in PLANS[name].releases)
        assert bound <= by.epsilon_of(amount, 1e-5) * (1.0 + 1e-9)


@pytest.mark.parametrize("name", ["gaussian", "laplace", "response"])
def test_renyi_privacy_against_dp_accounting(name):
    dp = pytest.importorskip("dp_accounting")
    rdp = pytest.importorskip("dp_accounting.rdp")
    keep = 1.0 / (1.0 + 3.0 * math.exp(-0.3))
    event, count = {
        "gaussian": (dp.GaussianDpEvent(3.0), 10),
        "laplace": (dp.LaplaceDpEvent(2.0), 30),
        "response": (dp.RandomizedResponseDpEvent((1.0 - keep) * 4.0 / 3.0, 4), 12),
    }[name]
    relation = dp.NeighboringRelation.REPLACE_ONE if name == "response" else dp.NeighboringRelation.ADD_OR_REMOVE_ONE
    theirs = rdp.RdpAccountant(neighboring_relation=relation)
    for _ in range(count):  # dp-accounting's other accountant ignores counts of randomised response
        theirs.compose(event)
    for delta in (1e-3, 1e-6):
        assert PLANS[name].at_delta(delta).bounds["rdp"] == pytest.approx(theirs.get_epsilon(delta), rel=0.01)


@settings(max_examples=15)
@given(st.floats(0.01, 3.0), st.integers(1, 400), st.floats(1e-9, 0.1))
def test_bounds_of_pure_charges(epsilon, count, delta):
    account = Plan([PlannedRelease(Charge(epsilon), count)]).at_delta(delta)
    assert account.lower <= account.epsilon <= epsilon * count
    assert list(account.bounds) == list(ACCOUNTANTS)


def test_trees_are_accounted_for_by_their_nodes():
    """A tree costs less than one Laplace release of the same epsilon, because its nodes add up as privacy losses do."""
    tree = plan(BinaryTree(sensitivity=1.0, epsilon=7.0, horizon=64), 1)
    assert tree.releases[0].pairs == ((LaplacePair(1.0), 7),)
    assert tree.at_delta(1e-3).epsilon < plan(Laplace(sensitivity=1.0, epsilon=7.0), 1).at_delta(1e-3).epsilon
    hybrid = plan(HybridTree(sensitivity=1.0, epsilon=2.0, total_share=0.25), 1)
    assert hybrid.releases[0].pairs == ((LaplacePair(0.5), 1), (LaplacePair(1.5), 1))


def test_mechanisms_have_their_own_pairs():
    assert planned(Gaussian.with_scale(4.0), 2.0).pairs == ((GaussianPair(0.5), 1),)
    assert planned(DiscreteLaplace.with_scale(4.0), 2).pairs == ((DiscreteLaplacePair(0.5, 2), 1),)
    assert planned(RandomisedResponse(3, 0.5)).pairs == ((ResponsePair(0.5, 3), 1),)
    assert planned(NoisyMax.with_scale(4.0), 2.0).pairs == ((ResponsePair(0.5, 2), 1),)
    assert planned(Laplace.with_scale(4.0), 0.0).pairs == ()


def test_the_sensitivity_is_the_declared_one_unless_another_is_given():
    assert planned(Laplace(sensitivity=3.0, epsilon=0.5)).charge == Charge(0.5)
    assert planned(DiscreteLaplace(sensitivity=3, epsilon=0.5)).pairs == ((DiscreteLaplacePair(0.5, 3), 1),)
    assert planned(Laplace.with_scale(2.0)).charge == Charge(0.5)
    assert planned(Laplace.with_scale(2.0), 3.0).charge == Charge(1.5)


def test_a_derived_class_is_known_only_by_its_charge():
    class Doubled(Laplace):
        def charge(self, sensitivity):
            return Charge(2.0 * super().charge(sensitivity).epsilon)

    assert planned(Doubled.with_scale(4.0)).pairs == ((ResponsePair(0.5), 1),)


def test_what_is_set_aside_is_taken_from_delta():
    aside = Plan([PlannedRelease(Charge(0.1, delta=1e-7), 5)])
    assert aside.at_delta(4e-7).epsilon == math.inf
    assert aside.at_delta(1e-6).epsilon >= Plan([PlannedRelease(Charge(0.1), 5)]).at_delta(5e-7).epsilon - 1e-9
    assert aside.at_epsilon(0.5).delta == pytest.approx(5e-7, rel=1e-9)


def test_a_bound_on_rho_alone_has_no_privacy_loss_distribution():
    account = Plan([PlannedRelease(Charge(rho=0.1)), planned(Laplace.with_scale(4.0))]).at_delta(1e-6)
    assert account.bounds["pld"] == account.bounds["gdp"] == account.bounds["pure"] == math.inf
    assert (account.best, account.lower) in {("zcdp", 0.0), ("rdp", 0.0)}


def test_without_delta_only_the_sum_is_left():
    account = plan(Laplace.with_scale(4.0), 20).at_delta(0.0)
    assert (account.best, account.epsilon) == ("pure", 5.0)
    assert plan(Gaussian.with_scale(4.0), 20).at_delta(0.0).epsilon == math.inf


@pytest.mark.parametrize("amount", [1e-300, 1e-12, 800.0, 1e12, 1e200, 1e308])
@pytest.mark.parametrize("count", [1, 10**12])
def test_amounts_of_any_size_are_accounted_for(amount, count):
    releases = [PlannedRelease(Charge(amount), count), PlannedRelease(Charge(amount), 1, ((LaplacePair(amount), 1),))]
    if amount < 1e150:
        releases.append(PlannedRelease(Charge(mu=amount), count))
    for release in releases:
        for account in (Plan([release]).at_delta(1e-6), Plan([release]).at_epsilon(1.0)):
            assert not any(math.isnan(bound) or bound < 0.0 for bound in account.bounds.values())
            assert account.lower <= min(account.bounds.values()) * (1.0 + 1e-9)


def test_nothing_costs_nothing():
    account = plan(Laplace.with_scale(4.0), 20, 0.0).at_delta(1e-6)
    assert account.epsilon == 0.0


def test_the_first_releases():
    both = Plan([planned(Laplace.with_scale(4.0), count=20), planned(Gaussian.with_scale(4.0), count=5)])
    assert [release.count for release in both.first(20).releases] == [20]
    assert [release.count for release in both.first(22).releases] == [20, 2]
    assert both.first(25) == both
    with pytest.raises(PrivcheckError, match="count: got 26"):
        both.first(26)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Plan([]), "releases: got no release"),
        (lambda: Plan([Charge(0.5)]), "releases: got"),
        (lambda: PlannedRelease(0.5), "charge: got 0.5"),
        (lambda: PlannedRelease(Charge(0.5), 0), "count: got 0"),
        (lambda: PlannedRelease(Charge(0.5), 1.5), "count: got 1.5"),
        (lambda: planned("laplace"), "mechanism: got 'laplace'"),
        (lambda: planned(Laplace.with_scale(1.0), math.nan), "sensitivity: got nan"),
        (lambda: planned(Laplace.with_scale(1.0), -1.0), "sensitivity: got -1.0"),
        (lambda: PLANS["laplace"].at_delta(1.0), "delta: got 1.0"),
        (lambda: PLANS["laplace"].at_delta(-0.1), "delta: got -0.1"),
        (lambda: PLANS["laplace"].at_delta(math.nan), "delta: got nan"),
        (lambda: PLANS["laplace"].at_epsilon(-1.0), "epsilon: got -1.0"),
        (lambda: PLANS["laplace"].at_epsilon(math.inf), "epsilon: got inf"),
    ],
)
def test_bad_input_is_one_line(make, message):
    with pytest.raises(PrivcheckError) as refused:
        make()
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("given", "delta", "best", "words"),
    [
        (plan(Gaussian.with_scale(3.0), 10), 1e-9, "gdp", "closed form for Gaussian noise"),
        (plan(Laplace.with_scale(200.0), 100_000), 1e-12, "pld", "smallest bound; at most 0.0"),
        (plan(Laplace.with_scale(4.0), 20), 0.0, "pure", "because delta is 0; of the others it is the smallest"),
        (plan(Gaussian.with_scale(4.0), 20), 0.0, "pure", "because delta is 0"),
        (Plan([PlannedRelease(Charge(rho=0.1), name="mine")]), 1e-6, "zcdp", "because mine bounds rho alone; of the"),
        (Plan([PlannedRelease(Charge(2e6))]), 1e-6, "pure", "because the total rho is above 1e+06"),
        (Plan([PlannedRelease(Charge(1e-8), 10**14)]), 1e-6, "zcdp", "one mechanism is released too often"),
        (Plan([PlannedRelease(Charge(0.4, delta=1e-5))]), 1e-6, "pure", "the releases set aside all of delta"),
        (
            plan(NoisyMax(score_range=2.0, epsilon=0.2, noise="gumbel"), 400),
            1e-6,
            "zcdp",
            "charges say more here than dominating pairs",
        ),
    ],
)
def test_why_an_accountant_is_the_best(given, delta, best, words):
    account = given.at_delta(delta)
    assert words in account.reason
    if account.epsilon < math.inf:
        assert account.best == best
        assert account.lower <= account.epsilon or "dominating pairs" in account.reason


@pytest.mark.parametrize("count", [100, 1000, 10_000, 100_000])
@pytest.mark.parametrize("mechanism", [Laplace, DiscreteLaplace, RandomisedResponse])
def test_losses_do_not_drop_out_of_ordinary_plans(mechanism, count):
    """Plans of a total rho of one, which only Renyi divergences could bound at these deltas, 3 to 5 % above."""
    size = math.sqrt(2.0 / count)
    release = RandomisedResponse(2, size) if mechanism is RandomisedResponse else mechanism.with_scale(1.0 / size)
    for delta in (1e-8, 1e-10, 1e-12):
        account = plan(release, count).at_delta(delta)
        assert account.best == "pld"
        assert account.epsilon <= account.lower * (1.0 + 1e-4)
        assert account.bounds["rdp"] > account.epsilon * 1.02
        assert plan(release, count).at_epsilon(account.epsilon).delta == pytest.approx(delta, rel=1e-6)


@pytest.mark.parametrize(
    ("epsilons", "epsilon", "delta"),
    [
        (((4.243830385802888, 2), (4.68625951639348, 8)), 45.97773690270763, 1e-300),
        (((7.820386391584825, 1), (5.872586243576127, 1)), 13.69, 1e-200),
        (((1e-200, 1), (1e-300, 3)), 0.0, 1e-6),
    ],
)
def test_next_to_the_largest_loss_two_responses_have_both_ends(epsilons, epsilon, delta):
    """The tilted laws have all of their weight on one loss there, and their grid no length of its own."""
    plan = Plan([PlannedRelease(Charge(amount), count) for amount, count in epsilons])
    losses = {Fraction(0): Fraction(1)}
    for amount, count in epsilons:
        likely = Fraction(1 / (1 + math.exp(-amount)))
        for _ in range(count):
            moved: dict[Fraction, Fraction] = {}
            for loss, chance in losses.items():
                for sign, share in ((1, likely), (-1, 1 - likely)):
                    to = loss + sign * Fraction(amount)
                    moved[to] = moved.get(to, Fraction(0)) + chance * share
            losses = moved
    exact = sum(
        float(chance) * -math.expm1(epsilon - float(loss)) for loss, chance in losses.items() if float(loss) > epsilon
    )
    found = plan.at_epsilon(epsilon)
    assert found.lower <= exact * (1.0 + 1e-9) <= found.bounds["pld"] * (1.0 + 2e-9)
    assert found.bounds["pld"] <= exact * 1.01 + 1e-20  # the tilt has a largest value
    assert plan.at_delta(delta).lower <= plan.at_delta(delta).epsilon <= plan.total.epsilon


@pytest.mark.parametrize("charge", [Charge(0.0, delta=1e-3), Charge(mu=0.0), Charge(mu=0.0, delta=1e-3)])
def test_a_release_that_loses_nothing_is_no_pair(charge):
    for others in ([], [PlannedRelease(Charge(0.5))], [PlannedRelease(Charge(mu=0.5))]):
        plan, alone = Plan([PlannedRelease(charge), *others]), Plan(others) if others else None
        expected = alone.at_epsilon(0.25).delta + charge.delta if alone else charge.delta
        assert plan.at_epsilon(0.25).delta == pytest.approx(expected, rel=1e-9)


@given(st.lists(st.tuples(st.floats(1e-6, 10.0), st.integers(1, 1000)), min_size=1, max_size=4))
def test_the_sum_of_the_epsilons_is_rounded_up(releases):
    plan = Plan([PlannedRelease(Charge(amount), count) for amount, count in releases])
    exact = sum(Fraction(amount) * count for amount, count in releases)
    assert exact <= Fraction(plan.total.epsilon) <= exact * (1 + Fraction(1, 2**52))
    assert plan.at_delta(0.0).epsilon == plan.total.epsilon


@pytest.mark.parametrize("charge", [Charge(mu=1e-5), Charge(1e-3), Charge(1e-3, mu=1e-5)])
@pytest.mark.parametrize("count", [1, 100])
def test_a_delta_below_every_float_is_not_0(charge, count):
    """It would be pure privacy, which Gaussian noise has not."""
    plan = Plan([PlannedRelease(Charge(mu=1e-5)), PlannedRelease(charge, count)])
    found = plan.at_epsilon(0.5)
    assert all(bound > 0.0 for name, bound in found.bounds.items() if name != "pure")
    assert 0.0 < found.delta < 1e-300
