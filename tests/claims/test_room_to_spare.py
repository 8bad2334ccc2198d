"""By which factor a printed theorem is loose where it is tested: both ends, so that an error beyond it is seen."""

from __future__ import annotations

import dataclasses
import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog, minimize_scalar
from scipy.special import logsumexp
from scipy.stats import beta, binom

import privcheck
from privcheck.claims import CLAIMS, Order, Reading, expression, variable
from privcheck.claims._arithmetic import FLOATS
from privcheck.claims._expression import evaluate
from privcheck.claims._orders import divergence

# ---- Azize and Basu 2022, Theorem 7


def enough_for(regret, gap, epsilon, horizon, alpha=3.1):
    """Return what suffices in place of 16 for a regret, from the printed bound."""
    return (regret - 3 * alpha / (alpha - 3)) * min(gap, epsilon) / (alpha * math.log(horizon))


@pytest.mark.chance(1e-12, "half of 21 runs whose pulls differ, each with less than 1 %")
@pytest.mark.parametrize(
    ("epsilon", "horizon", "pulls", "enough"), [(0.4, 10**7, 2048, 5.81), (0.1, 10**6, 4096, 3.61)]
)
def test_theorem_7_has_the_factor_to_spare_that_is_stated(epsilon, horizon, pulls, enough):
    """Nearly all runs have the same pulls of arm 2; 2 % less than `enough` in place of 16 would be too small."""
    gap, alpha = 0.4, 3.1
    found = privcheck.simulate("adap-ucb(alpha=3.1)", (0.7, 0.3), horizon=horizon, epsilon=epsilon, runs=21, seed=7)
    regret = float(np.median(found.to_arrays()["regret"][0, :, -1]))
    assert regret == pytest.approx(pulls * gap)
    assert enough_for(regret, gap, epsilon, horizon) == pytest.approx(enough, rel=2e-3)
    for factor, holds in ((1.02, True), (0.98, False)):
        moved = enough * factor * alpha * math.log(horizon) / min(gap, epsilon) + 3 * alpha / (alpha - 3)
        assert (regret <= moved) is holds


def test_such_instances_need_no_more_than_8_in_theorem_7():
    """An arm is played until sqrt(a L/(2 n)) + a L/(eps n) < Delta; its block n is up to twice that, its pulls 2 n."""
    worst = max(0.5 * min(1, ratio) * (1 + math.sqrt(1 + 8 / ratio)) ** 2 for ratio in np.geomspace(1e-4, 1e4, 2001))
    assert worst == pytest.approx(8, rel=1e-4)


def test_the_first_three_rounds_are_far_below_theorem_7():
    says = CLAIMS["azize-basu-2022/thm7-round"].readings[0].says
    least = min(
        evaluate(says.right, FLOATS, at) / evaluate(says.left, FLOATS, at)
        for gap, alpha, epsilon in product((0.1, 0.5, 1.0), (3.3, 3.6, 3.8, 4.2), (1e-3, 0.1, 1.0, 1.5, 3.0, 10.0))
        for at in ({"Delta": gap, "alpha": alpha, "epsilon": epsilon},)
    )
    assert 60 < least < 64


# ---- Azize and Basu 2022, Theorem 5


def test_theorem_5_has_a_factor_15_to_spare_with_privacy_and_none_without():
    says = CLAIMS["azize-basu-2022/thm5-orthonormal"].readings[0].says
    at = {"Delta": 1e-4, "epsilon": 1e-9}
    assert evaluate(says.right, FLOATS, at) / evaluate(says.left, FLOATS, at) == pytest.approx(
        6 * math.sqrt(2 * math.pi), rel=1e-6
    )
    at = {"Delta": 0.5, "epsilon": 1.0}
    assert evaluate(says.right, FLOATS, at) == evaluate(says.left, FLOATS, at) == 0.125


# ---- Hu et al., Theorem 12 and (56)


def least_regret(arms, gap, epsilon, horizon):
    """No private algorithm has less on average over the K hypotheses.

    Against the law with means 1/2 everywhere, playing j after t samples of P_j is at most (1 + gap (e^epsilon - 1))^t
    times as likely, and the probabilities of playing 1, ..., K add up to 1.
    """
    growth = 1 + gap * math.expm1(epsilon)
    return gap * sum(1 - min(1.0, growth**t / arms) for t in range(horizon))


def test_the_constant_of_theorem_12_is_known_to_2_percent():
    """What the proof gives, 0.0098 ln(K)/epsilon, is a factor 8.8 too small; a uniform choice has less than 8.94."""
    arms, gap, epsilon = 8, 0.2, 5e-4
    horizon = math.ceil(math.log(arms) / (10 * epsilon * gap))
    scale = math.log(arms) / epsilon
    least, uniform = least_regret(arms, gap, epsilon, horizon) / scale, gap * horizon * (1 - 1 / arms) / scale
    assert 0.0861 < least < uniform < 0.0876
    assert least / 0.0098 == pytest.approx(8.79, abs=0.01)
    assert uniform < 1.02 * least


def least_error(arms, gap, epsilon):
    """The least mean probability of error of a private selector from one sample, by a linear programme."""
    data = list(product((0, 1), repeat=arms))
    place = {(x, j): i for i, (x, j) in enumerate(product(data, range(arms)))}
    rows = []
    for x, y in product(data, data):
        for j in range(arms):
            if x != y:
                row = np.zeros(len(place))
                row[place[x, j]], row[place[y, j]] = 1, -math.exp(epsilon)
                rows.append(row)
    one = np.zeros((len(data), len(place)))
    gain = np.zeros(len(place))
    for i, x in enumerate(data):
        for j in range(arms):
            one[i, place[x, j]] = 1
            mean = 0.5 + gap if x[j] else 0.5 - gap
            gain[place[x, j]] = mean * 0.5 ** (arms - 1) / arms
    found = linprog(-gain, np.array(rows), np.zeros(len(rows)), one, np.ones(len(data)), bounds=(0, 1), method="highs")
    return 1 + found.fun


@pytest.mark.parametrize(("gap", "epsilon"), [(0.2, 0.1), (0.2, 0.5), (0.0952, 1.1456), (0.2, 2.0)])
def test_the_bound_behind_it_holds_for_every_private_selector(gap, epsilon):
    """The least error of all selectors for K = 4 lies above the sharp bound, and that above the printed (56)."""
    arms = 4
    least = least_error(arms, gap, epsilon)
    sharp = 1 - (1 + gap * math.expm1(epsilon)) / arms
    printed = 0.45 * min(1, (arms - 1) * math.exp(-10 * epsilon * gap))
    assert least >= sharp - 1e-9
    assert least >= 1.6 * printed
    assert epsilon > 0.4 or least < 1.02 * sharp


def test_the_selector_has_a_factor_1_64_above_equation_56():
    says = CLAIMS["hu-2021/eq56-selector"].readings[0].says

    def ratio(epsilon, gap):
        at = {"K": 4.0, "Delta_min": gap, "epsilon": epsilon}
        return evaluate(says.left, FLOATS, at) / evaluate(says.right, FLOATS, at)

    # the least value lies where (K - 1)/e^(10 epsilon Delta) is 1
    found = minimize_scalar(lambda gap: ratio(math.log(3) / (10 * gap), gap), bounds=(0.02, 0.24), method="bounded")
    assert found.fun == pytest.approx(1.6443, rel=1e-3)
    elsewhere = [ratio(epsilon, gap) for epsilon in np.geomspace(0.01, 30, 40) for gap in np.linspace(0.01, 0.249, 20)]
    assert min(elsewhere) > 1.644


# ---- Hu et al., Lemma 7, second case, and the dominance of Beta laws


def ratio_of_lemma_7(mean, difference, count):
    """The mean of the ratio over the printed bracket, in logarithms."""
    k, y = np.arange(count + 1), mean - difference
    below = binom.logcdf(k, count + 1, y)
    below = np.where(np.isfinite(below), below, binom.logpmf(k, count + 1, y))
    left = math.exp(logsumexp(binom.logpmf(k, count, mean) + binom.logsf(k, count + 1, y) - below))
    n = count * difference**2
    bracket = math.exp(-n / 2) + math.exp(-2 * n) / ((count + 1) * difference**2) + 1 / math.expm1(min(n / 4, 600))
    return left / bracket


def test_the_second_case_of_lemma_7_has_a_factor_18_to_spare():
    found = [
        ratio_of_lemma_7(mean, share * mean, max(1, factor) * math.ceil(8 / (share * mean)))
        for mean in (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)
        for share in (0.01, 0.02, 0.05, 0.1, 0.3, 0.7, 0.95)
        for factor in (1, 2, 8)
    ]
    assert 0.050 < max(found) < 0.0545


def test_beta_laws_are_ordered_for_parameters_that_are_no_whole_numbers():
    rng = np.random.default_rng(1)
    n, high, low, y = 1 + 30 * rng.random(2000), rng.random(2000), rng.random(2000), rng.random(2000)
    high, low = np.maximum(high, low) * n, np.minimum(high, low) * n
    above = [beta.sf(y, alpha + 1, n - alpha + 1) for alpha in (high, low)]
    assert (above[0] >= above[1] - 1e-12).all()
    assert (above[0] < above[1] * 1.02).any()


# ---- Azize and Basu 2022: what can be attained in the regime of low privacy


def test_privacy_costs_something_where_the_lower_bounds_meet():
    """Means 0.5 and 0.9, epsilon = 1: the exact rate under pure privacy, by another route than the claim's."""
    p, q, epsilon = 0.5, 0.9, 1.0

    def divergence_of(z, other):
        return z * math.log(z / other) + (1 - z) * math.log((1 - z) / (1 - other))

    plain = divergence_of(p, q)
    assert epsilon > plain / (6 * (q - p))
    best = minimize_scalar(lambda z: divergence_of(z, q) + epsilon * (z - p), bounds=(p, q), method="bounded").fun
    assert best < epsilon * (q - p) < plain
    assert 1 / best > 1.4 / plain
    assert best == pytest.approx(0.3413, abs=1e-3)


# ---- Orders: a power that is 2 % larger is seen


def moved_order(name, which, by):
    """Return the order of a claim with another power of one variable on its left side."""
    reading: Reading = CLAIMS[name].readings[0]
    says = reading.says
    assert isinstance(says, Order)
    return dataclasses.replace(says, left=says.left * expression(which) ** by)


@pytest.mark.parametrize(
    ("name", "power"),
    [
        *(("chen-2020/thm9-above", of) for of in ("m", "K", "1/epsilon", "1/Delta")),
        *(("chen-2020/thm9-one-arm", of) for of in ("m", "log_T", "1/epsilon", "1/Delta")),
        *(("hu-2021/thm12-horizon", of) for of in ("lnK", "1/epsilon", "1/Delta_min")),
        *(("azize-basu-2022/near-optimal", of) for of in ("1/d", "1/epsilon")),
    ],
)
def test_a_power_that_is_2_percent_larger_is_seen(name, power):
    of = variable(power.removeprefix("1/"))
    assert divergence(CLAIMS[name].readings[0].says) is None
    assert divergence(moved_order(name, 1 / of if power.startswith("1/") else of, "1/50")) is not None


def test_the_power_of_the_logarithm_is_not_seen_beside_theorem_8():
    """Up to a factor ln T; that is said on the claim, and thm9-one-arm sees it."""
    assert divergence(moved_order("chen-2020/thm9-above", variable("log_T"), "99/100")) is None
    assert divergence(moved_order("chen-2020/thm9-above", variable("log_T"), "51/25")) is not None
