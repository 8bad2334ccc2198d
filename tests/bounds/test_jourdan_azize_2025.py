"""Private best-arm identification: reference values, brute force over alternatives, limits, certificates."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.special import rel_entr
from scipy.stats import norm

from privcheck.bounds import (
    THEOREMS,
    Instance,
    PrivcheckError,
    characteristic_time,
    characteristic_time_tv,
    crossing_epsilon,
    free_privacy_epsilon,
    low_privacy_epsilon,
)
from privcheck.bounds._gaussian_private_divergence import gaussian_private_divergence
from privcheck.bounds.jourdan_azize_2025 import characteristic_time as module
from privcheck.bounds.jourdan_azize_2025.stopping_time import information_of_risk
from privcheck.bounds.jourdan_azize_2025.transport import BernoulliTransport

FIRST, SECOND = (0.95, 0.9, 0.9, 0.9, 0.5), (0.75, 0.7, 0.7, 0.7, 0.7)
MEANS = st.lists(st.integers(1, 99), min_size=2, max_size=6, unique=True).map(lambda m: [x / 100 for x in m])


def bernoulli_cost(p, u, epsilon):
    """`inf_z kl(z, u) + epsilon |p - z|` on a grid of z that contains p."""
    z = np.append(np.linspace(1e-6, 1 - 1e-6, 4001), p)[:, None]
    kl = rel_entr(z, u) + rel_entr(1 - z, 1 - u)
    return np.min(kl + epsilon * np.abs(p - z), axis=0)


def gaussian_cost(p, u, epsilon):
    """`max_l E_P g - ln E_Q e^g`, g being the log-ratio less l clipped to [0, epsilon], by sums on a grid."""
    points = np.linspace(-9, 9, 1201)
    found = []
    for shift in np.abs(u - p):
        first, second = norm.pdf(points), norm.pdf(points, shift)
        first, second = first / first.sum(), second / second.sum()
        levels = np.linspace(-epsilon, 0, 301)[:, None]
        clipped = np.clip(shift * (shift / 2 - points) - levels, 0, epsilon)
        found.append(np.max(clipped @ first - np.log(np.exp(clipped) @ second)))
    return np.array(found)


def cheapest_by_programme(cost, means, epsilon, beta=None, points=301):
    """Characteristic time over finitely many common means, by a linear programme: never above the exact one."""
    means = np.array(means, float)
    best = int(means.argmax())
    rows = []
    for arm in range(len(means)):
        if arm != best:
            u = np.linspace(means[arm], means[best], points)
            row = np.zeros((points, len(means)))
            row[:, best], row[:, arm] = cost(means[best], u, epsilon), cost(means[arm], u, epsilon)
            rows.append(row)
    costs = np.vstack(rows)
    bounds = [(0, None)] * (len(means) + 1)
    equal = np.append(np.ones(len(means)), 0)[None, :]
    right = [1.0]
    if beta is not None:
        equal, right = np.vstack((equal, np.eye(1, len(means) + 1, best))), [1.0, beta]
    slack = np.column_stack((-costs, np.ones(len(costs))))
    solved = linprog(-np.eye(1, len(means) + 1, len(means))[0], slack, np.zeros(len(costs)), equal, right, bounds)
    return -1 / solved.fun


@pytest.mark.parametrize(
    ("means", "epsilon", "beta", "expected", "digits"),
    [
        (FIRST, 0.001, None, 82317, 1.0),
        (FIRST, 0.001, 0.5, 124520, 1.0),
        (FIRST, 0.1, None, 931.2, 0.06),
        (FIRST, 0.1, 0.5, 1329.6, 0.06),
        (FIRST, 1, None, 396.7, 0.06),
        (FIRST, 1, 0.5, 416.1, 0.06),
        (FIRST, 125, None, 395.5, 0.06),
        (FIRST, 125, 0.5, 414.4, 0.06),
        (SECOND, 0.1, None, 1620, 0.5),
        (SECOND, 0.1, 0.5, 2106, 0.5),
        (SECOND, 125, None, 1424.8, 0.06),
        (SECOND, 125, 0.5, 1574.9, 0.06),
    ],
)
def test_reference_values(means, epsilon, beta, expected, digits):
    time = characteristic_time("bernoulli", means, epsilon, beta=beta)
    assert time.value == pytest.approx(expected, abs=digits)
    assert 0 < time.gap < 1e-11


def test_the_share_of_the_best_arm():
    assert characteristic_time("bernoulli", FIRST, 0.001).allocation[0] == pytest.approx(0.243, abs=5e-4)
    assert characteristic_time("bernoulli", FIRST, 0.1, beta=0.3).allocation[0] == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize(("family", "cost"), [("bernoulli", bernoulli_cost), ("gaussian", gaussian_cost)])
@pytest.mark.parametrize("beta", [None, 0.5, 0.2])
@pytest.mark.parametrize("epsilon", [0.1, 2.0])
def test_against_a_linear_programme_over_alternatives(family, cost, beta, epsilon):
    means = (0.8, 0.5, 0.3) if family == "bernoulli" else (2.0, 1.2, 0.0)
    points = 301 if family == "bernoulli" else 81
    time = characteristic_time(family, means, epsilon, beta=beta)
    by_programme = cheapest_by_programme(cost, means, epsilon, beta, points)
    assert by_programme <= time.upper * (1 + 1e-5)
    assert by_programme >= time.value * (1 - 3e-3)


def test_the_programme_notices_costs_in_the_wrong_order():
    """The private divergence is not symmetric; with its arguments exchanged the check above fails."""
    exchanged = cheapest_by_programme(lambda p, u, e: np.array([bernoulli_cost(v, p, e)[0] for v in u]), FIRST, 1.0)
    assert abs(exchanged / characteristic_time("bernoulli", FIRST, 1.0).value - 1) > 0.02


@settings(derandomize=True, deadline=None, max_examples=12)
@given(means=MEANS, epsilon=st.floats(1e-3, 20), family=st.sampled_from(["bernoulli", "gaussian"]))
def test_the_allocation_attains_the_time_and_others_do_not(means, epsilon, family):
    time = characteristic_time(family, means, epsilon)
    assert sum(time.allocation) == pytest.approx(1)
    assert 0 < time.gap < 1e-10
    best = int(np.argmax(means))
    cost = bernoulli_cost if family == "bernoulli" else lambda p, u, e: gaussian_private_divergence(np.abs(u - p), e)[0]

    def separation(shares):
        return min(
            np.min(shares[best] * cost(means[best], u, epsilon) + shares[arm] * cost(means[arm], u, epsilon))
            for arm in range(len(means))
            if arm != best
            for u in [np.linspace(means[arm], means[best], 101)]
        )

    assert separation(time.allocation) >= (1 - 1e-6) / time.upper
    rng = np.random.default_rng(0)
    for shares in rng.dirichlet(np.ones(len(means)), size=5):
        assert separation(shares) <= 1.02 / time.value  # the grid of u is coarse


@settings(derandomize=True, deadline=None, max_examples=8)
@given(means=MEANS, epsilon=st.floats(1e-3, 20), family=st.sampled_from(["bernoulli", "gaussian"]))
def test_order_of_the_times(means, epsilon, family):
    free = characteristic_time(family, means, epsilon).value
    half = characteristic_time(family, means, epsilon, beta=0.5).value
    slack = 1 + 1e-9
    assert free <= half * slack
    assert half <= 2 * free * slack
    assert characteristic_time(family, means, 2 * epsilon).value <= free * slack
    assert characteristic_time(family, means, None).value <= free * slack
    assert characteristic_time_tv(family, means) / epsilon <= free * slack
    assert characteristic_time(family, means[::-1], epsilon).value == pytest.approx(free, rel=1e-9)
    assert characteristic_time(family, [*means, min(means)], epsilon).value >= free / slack


@pytest.mark.parametrize("family", ["bernoulli", "gaussian"])
@pytest.mark.parametrize("beta", [None, 0.5, 0.15])
def test_both_limits(family, beta):
    means = (0.8, 0.5, 0.3, 0.3)
    small = 1e-6 * characteristic_time(family, means, 1e-6, beta=beta).value
    assert small == pytest.approx(characteristic_time_tv(family, means, beta=beta), rel=1e-4)
    plain = characteristic_time(family, means, None, beta=beta).value
    assert characteristic_time(family, means, 500.0, beta=beta).value == pytest.approx(plain, rel=1e-9)


def test_total_variation_by_the_programme():
    tv = cheapest_by_programme(lambda p, u, e: np.abs(p - u), (0.8, 0.5, 0.3), 0, points=3)
    assert characteristic_time_tv("bernoulli", (0.8, 0.5, 0.3)) == pytest.approx(tv, rel=1e-9)
    half = cheapest_by_programme(lambda p, u, e: np.abs(p - u), (0.8, 0.5, 0.3), 0, 0.2, points=3)
    assert characteristic_time_tv("bernoulli", (0.8, 0.5, 0.3), beta=0.2) == pytest.approx(half, rel=1e-9)


@pytest.mark.parametrize("gap", [1e-6, 0.1, 2.0])
def test_two_gaussian_arms_in_closed_form(gap):
    """By symmetry the shares are 1/2 and the common mean is the middle: `T = 8/gap^2`."""
    time = characteristic_time("gaussian", (gap, 0.0), None)
    assert time.value < 8 / gap**2 < time.upper
    assert time.gap < 1e-11
    assert time.allocation == pytest.approx((0.5, 0.5), abs=1e-5)


@pytest.mark.parametrize("epsilon", [None, 1.0])
def test_an_arm_that_never_pays(epsilon):
    """Without privacy no alternative has mean 0; the share, and for each share the common mean, by search."""
    u = np.linspace(1e-4, 0.5 - 1e-4, 4001)
    plain = lambda p: rel_entr(p, u) + rel_entr(1 - p, 1 - u)  # noqa: E731
    down, up = (plain(p) if epsilon is None else bernoulli_cost(p, u, epsilon) for p in (0.5, 0.0))
    best = max(np.min(share * down + (1 - share) * up) for share in np.linspace(0.1, 0.9, 1601))
    time = characteristic_time("bernoulli", (0.5, 0.0), epsilon)
    assert time.value == pytest.approx(1 / best, rel=1e-4)
    assert 0 < time.gap < 1e-11


def test_two_bernoulli_arms_by_a_search_over_the_share():
    u = np.linspace(0.3, 0.6, 1001)
    down, up = bernoulli_cost(0.6, u, 0.3), bernoulli_cost(0.3, u, 0.3)
    best = max(np.min(share * down + (1 - share) * up) for share in np.linspace(0.3, 0.7, 401))
    assert characteristic_time("bernoulli", (0.6, 0.3), 0.3).value == pytest.approx(1 / best, rel=1e-3)


@pytest.mark.parametrize("family", ["bernoulli", "gaussian"])
@pytest.mark.parametrize("beta", [None, 0.5])
def test_a_thousand_arms_are_certified(family, beta):
    means = np.append(np.random.default_rng(0).uniform(0.1, 0.8, 999), 0.85)
    time = characteristic_time(family, means, 0.5, beta=beta)
    assert 0 < time.gap < 1e-11
    assert len(time.allocation) == 1000


@pytest.mark.parametrize("beta", [None, 0.5])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 1e3, None])
@pytest.mark.parametrize(
    "means", [(1.0, 0.5), (1.0, 0.0), (0.5, 0.0), (0.5, 0.0, 1e-12), (1 - 1e-12, 0.3), (0.5, 0.5 - 1e-7)]
)
def test_edges(means, epsilon, beta):
    time = characteristic_time("bernoulli", means, epsilon, beta=beta)
    assert math.isfinite(time.value)
    assert 0 < time.gap < 1e-10


def test_a_cost_that_is_too_large_breaks_the_certificate(monkeypatch):
    """Costs a tenth too large make the time too short, which the programme over alternatives then contradicts."""
    by_programme = cheapest_by_programme(bernoulli_cost, (0.8, 0.5, 0.3), 1.0)
    original = BernoulliTransport.tangents
    monkeypatch.setattr(
        BernoulliTransport, "tangents", lambda *arguments: tuple(1.1 * part for part in original(*arguments))
    )
    monkeypatch.setattr(module, "_characteristic_time", module._characteristic_time.__wrapped__)  # nothing is kept
    assert by_programme > 1.05 * characteristic_time("bernoulli", (0.8, 0.5, 0.3), 1.0).upper


def test_a_demand_that_is_too_small_widens_the_certificate(monkeypatch):
    """The allocation is checked against every alternative, however it was found."""
    original = module._demand

    def broken(*arguments):
        demand = original(*arguments)
        return dataclasses.replace(demand, others=demand.others / 1.1)

    exact = characteristic_time("bernoulli", (0.8, 0.5, 0.3), 1.0)
    monkeypatch.setattr(module, "_demand", broken)
    monkeypatch.setattr(module, "_characteristic_time", module._characteristic_time.__wrapped__)
    time = characteristic_time("bernoulli", (0.8, 0.5, 0.3), 1.0)
    assert time.upper > exact.value * (1 + 1e-3)
    assert time.gap > 1e-3


@pytest.mark.parametrize("means", [FIRST, SECOND, (0.6, 0.3), (0.99, 0.5, 0.01)])
def test_privacy_is_free_from_exactly_this_epsilon(means):
    free, plain = free_privacy_epsilon(means), characteristic_time("bernoulli", means, None)
    assert characteristic_time("bernoulli", means, 1.0001 * free).value == pytest.approx(plain.value, rel=1e-11)
    assert characteristic_time("bernoulli", means, 0.95 * free).value > plain.upper * (1 + 1e-7)
    assert free <= low_privacy_epsilon(means)


def test_printed_thresholds():
    assert low_privacy_epsilon(FIRST) == pytest.approx(2.94, abs=0.005)
    assert low_privacy_epsilon((0.95, 0.9)) == pytest.approx(0.75, abs=0.005)
    assert low_privacy_epsilon(SECOND) == pytest.approx(0.25, abs=0.005)
    assert low_privacy_epsilon((0.5, 0.0)) == math.inf


def test_the_limits_cross_where_they_are_equal():
    epsilon = crossing_epsilon("gaussian", (1.0, 0.0))
    assert characteristic_time_tv("gaussian", (1.0, 0.0)) / epsilon == pytest.approx(8.0)


# ---- the bound on the stopping time


def bound(name, **changes):
    fields = {"family": "bernoulli", "means": SECOND, "epsilon": 0.1, "risk": 0.01} | changes
    return THEOREMS[f"jourdan-azize-2025/{name}"].evaluate(Instance(**fields)).value


def test_information_of_risk():
    for risk in (1e-9, 0.01, 0.3):
        assert information_of_risk(risk) == pytest.approx(rel_entr(risk, 1 - risk) + rel_entr(1 - risk, risk))
        assert information_of_risk(risk) >= math.log(1 / (2.4 * risk))


def test_the_stopping_time_and_its_limits():
    information = rel_entr(0.01, 0.99) + rel_entr(0.99, 0.01)
    assert bound("thm2") == pytest.approx(1620.3496467 * information, rel=1e-9)
    assert bound("thm2-kl") == pytest.approx(1424.7467959 * information, rel=1e-9)
    assert bound("thm2-tv") == pytest.approx(1000 * information, rel=1e-9)
    assert bound("thm2") > max(bound("thm2-kl"), bound("thm2-tv"))


def test_a_variance_rescales_gaussian_arms():
    wide = bound("thm2", family="gaussian", means=(2.0, 0.0), variance=4.0)
    assert wide == pytest.approx(bound("thm2", family="gaussian", means=(1.0, 0.0)), rel=1e-9)


BAD = [
    {"family": "poisson"},
    {"means": [0.5]},
    {"means": [[0.5, 0.4]]},
    {"means": [0.5, 0.5, 0.1]},
    {"means": [1.5, 0.5]},
    {"means": [math.nan, 0.5]},
    {"epsilon": 0.0},
    {"epsilon": math.inf},
    {"beta": 0.0},
    {"beta": 1.0},
]


@pytest.mark.parametrize("change", BAD)
def test_bad_input(change):
    arguments = {"family": "bernoulli", "means": [0.5, 0.4], "epsilon": 1.0, "beta": None} | change
    beta = arguments.pop("beta")
    with pytest.raises(PrivcheckError) as caught:
        characteristic_time(*arguments.values(), beta=beta)
    assert caught.value.parameter == next(iter(change))


def test_no_pair_of_theorems_disagrees():
    names = ("thm2", "thm2-kl", "thm2-tv")
    for epsilon, name in itertools.product((0.01, 0.3, 5.0), names):
        assert bound(name, epsilon=epsilon) <= bound("thm2", epsilon=epsilon) * (1 + 1e-9)


def test_an_instance_stands_for_its_family_means_and_budget():
    instance = Instance("bernoulli", (0.95, 0.9, 0.5), epsilon=0.3, risk=0.01)
    assert characteristic_time(instance) == characteristic_time("bernoulli", [0.95, 0.9, 0.5], 0.3)
    without = dataclasses.replace(instance, epsilon=math.inf)
    assert characteristic_time(without) == characteristic_time("bernoulli", instance.means, None)
    shown = characteristic_time(instance)._repr_html_()
    assert f"{characteristic_time(instance).allocation[1]:.4g}" in shown


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        ((Instance("bernoulli", (0.9, 0.5), epsilon=1.0), [0.9, 0.5]), "means"),
        ((Instance("gaussian", (0.9, 0.5), epsilon=1.0, variance=4.0),), "variance"),
        ((Instance("poisson", (0.9, 0.5), epsilon=1.0),), "family"),
        (("bernoulli",), "means"),
        (("bernoulli", [0.9, 0.5]), "epsilon"),
    ],
)
def test_what_is_missing_or_too_much_is_named(arguments, parameter):
    with pytest.raises(PrivcheckError) as caught:
        characteristic_time(*arguments)
    assert caught.value.parameter == parameter
