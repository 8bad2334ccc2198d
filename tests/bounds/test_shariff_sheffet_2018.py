"""Contextual linear bandits: the paper's numbers, sampled noise inside its bounds, a run that refutes Theorem 6."""

import dataclasses
import math

import mpmath
import numpy as np
import pytest
from scipy.optimize import brentq, linprog
from scipy.stats import norm, wishart

from privcheck.auditing._exact import gaussian_mu
from privcheck.bounds import THEOREMS, ContextualInstance, Instance
from privcheck.bounds.shariff_sheffet_2018.linucb_regret import bracket
from privcheck.bounds.shariff_sheffet_2018.regulariser import (
    Regulariser,
    gaussian_noise,
    regulariser,
    wishart_freedom,
    wishart_shift,
)

PAPER = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8, gap=0.1)
WISHART = dataclasses.replace(PAPER, noise="wishart")
UNSHIFTED = dataclasses.replace(PAPER, noise="wishart-unshifted")


def bound(name, instance):
    return THEOREMS[f"shariff-sheffet-2018/{name}"].evaluate(instance)


def test_regression_numbers():
    assert PAPER.levels == 27
    assert gaussian_noise(PAPER) == pytest.approx(153.34384, abs=5e-6)
    assert wishart_freedom(PAPER) == 139115
    assert wishart_shift(PAPER) == pytest.approx(7258941.3, abs=0.05)
    assert bound("prop11-rho-min", PAPER).value == pytest.approx(91545.473, abs=5e-4)
    assert bound("prop11", PAPER).value == pytest.approx(274636, abs=0.5)
    assert bound("prop9", WISHART).value == pytest.approx(338008, abs=0.5)
    assert bound("prop9-rho-min", UNSHIFTED).value == pytest.approx(7.428e6, rel=1e-4)


@pytest.mark.chance(0.0, "no random numbers")
def test_the_printed_gaussian_noise_is_many_times_what_the_budget_needs():
    """One user moves the whole tree by sqrt(m) Ltilde^2 / sigma standard deviations; the trade-off curve from scipy."""

    def delta(mu):
        return norm.cdf(mu / 2 - 1 / mu) - math.e * norm.cdf(-mu / 2 - 1 / mu)

    mu = brentq(lambda mu: delta(mu) - 0.1, 0.1, 3, xtol=1e-13)
    exact = math.sqrt(PAPER.levels) * 2.0 / mu
    assert mu == pytest.approx(gaussian_mu(1.0, 0.1), rel=1e-9) == pytest.approx(0.9209140, abs=5e-8)
    assert exact == pytest.approx(11.28477, abs=5e-6)
    assert gaussian_noise(PAPER) / exact == pytest.approx(13.588561, abs=1e-4)
    assert math.sqrt(PAPER.levels) * 2.0 / gaussian_noise(PAPER) == pytest.approx(1 / (4 * math.log(40)), rel=1e-12)


@pytest.mark.parametrize("changes", [{}, {"dimension": 3, "action_norm": 0.5, "reward_bound": 2.0, "epsilon": 0.3}])
def test_everything_again_with_many_digits(changes):
    """mpmath from the printed formulas, term by term; the two ends of every bound agree to 1e-12."""
    mpmath.mp.dps = 40
    i = dataclasses.replace(PAPER, **changes)
    d, n, alpha, delta, eps = (mpmath.mpf(v) for v in (i.dimension, i.horizon, i.alpha, i.delta, i.epsilon))
    row = mpmath.mpf(i.action_norm) ** 2 + mpmath.mpf(i.reward_bound) ** 2
    m = 1 + mpmath.ceil(mpmath.log(n, 2))
    upsilon = (
        mpmath.sqrt(32) * m * row * mpmath.log(4 / delta) * (4 * mpmath.sqrt(d) + 2 * mpmath.log(2 * n / alpha)) / eps
    )
    gamma = 4 * mpmath.sqrt(m) * row * mpmath.log(4 / delta) / eps * mpmath.sqrt(m / upsilon)
    gamma *= mpmath.sqrt(d) + mpmath.sqrt(2 * mpmath.log(2 * n / alpha))
    found = regulariser(i, printed=True)
    for ours, theirs in zip(dataclasses.astuple(found), (upsilon, 3 * upsilon, gamma), strict=True):
        assert ours == pytest.approx(float(theirs), rel=1e-12)
    k = d + 1 + mpmath.ceil(224 * m / eps**2 * mpmath.log(8 * m / delta) * mpmath.log(2 / delta))
    q, s = mpmath.sqrt(m * k), mpmath.sqrt(d) + mpmath.sqrt(2 * mpmath.log(8 * n / alpha))
    g = mpmath.sqrt(d) + mpmath.sqrt(2 * mpmath.log(2 * n / alpha))
    wide = regulariser(dataclasses.replace(i, noise="wishart-unshifted"), printed=True)
    narrow = regulariser(dataclasses.replace(i, noise="wishart"), printed=True)
    shift = row * (q - s) ** 2 - 4 * row * q * s
    expected = [row * (q - s) ** 2, row * (q + s) ** 2, mpmath.sqrt(row) * g]
    expected += [expected[0] - shift, expected[1] - shift, mpmath.sqrt(row) * mpmath.sqrt(q * g)]
    for ours, theirs in zip(dataclasses.astuple(wide) + dataclasses.astuple(narrow), expected, strict=True):
        assert ours == pytest.approx(float(theirs), rel=1e-12)


def test_propositions_and_theorems_put_together():
    noise = regulariser(PAPER)
    x = math.log(noise.rho_max / noise.rho_min + 5e7 / (5 * noise.rho_min))
    y = math.log(1 + 5e7 / (5 * noise.rho_min))
    radius = math.sqrt(2 * math.log(2 / 2e-8) + 5 * x) + math.sqrt(noise.rho_max) + noise.gamma
    inner = 2 * math.log(2 / 2e-8) + 5 * x + (math.sqrt(noise.rho_max) + noise.gamma) * math.sqrt(5 * y)
    assert bound("prop4", PAPER).value == pytest.approx(radius)
    assert bound("thm5", PAPER).value == pytest.approx(math.sqrt(8 * 5e7) * inner)
    assert bound("thm6", PAPER).value == bound("thm6-squared", PAPER).value == pytest.approx(80 * inner**2)
    large = dataclasses.replace(PAPER, mean_bound=3.0)
    assert bound("thm5", large).value == pytest.approx(3 * bound("thm5", PAPER).value)
    assert bound("thm6-squared", large).value == pytest.approx(9 * bound("thm6-squared", PAPER).value)


@pytest.mark.parametrize("name", ["cor10", "cor12"])
def test_orders_have_no_number(name):
    row = bound(name, WISHART if name == "cor10" else PAPER)
    assert row.applies
    assert row.value is None


# ---- the noise that is really drawn


@pytest.mark.chance(2e-6, "400 draws, each outside with probability 5e-9 at most")
def test_sampled_gaussian_noise_stays_within_its_bounds():
    """400 draws of m summed nodes: each fails with probability below alpha/(2n) = 5e-9, all together below 2e-6."""
    instance = ContextualInstance(dimension=4, horizon=2**10, epsilon=1.0, delta=0.1, alpha=1e-5)
    rng, found, m = np.random.default_rng(1), regulariser(instance), instance.levels
    raw = rng.normal(0, gaussian_noise(instance) * math.sqrt(m), (400, 5, 5))
    noise = (raw + raw.transpose(0, 2, 1)) / math.sqrt(2)
    matrices = noise[:, :4, :4] + 2 * found.rho_min * np.eye(4)
    sizes = np.linalg.eigvalsh(matrices)
    vectors = noise[:, :4, 4]
    norms = np.sqrt(np.einsum("ni,nij,nj->n", vectors, np.linalg.inv(matrices), vectors))
    assert found.rho_min <= sizes.min()
    assert sizes.max() <= found.rho_max
    assert norms.max() <= found.gamma
    assert sizes.max() > 2 * found.rho_min, "the shift alone: the draws are not all 0"


@pytest.mark.chance(1e-6, "200 draws, each outside with probability 5e-9 at most")
@pytest.mark.parametrize("noise", ["wishart", "wishart-unshifted"])
def test_sampled_wishart_noise_stays_within_its_bounds_when_padded_and_only_then(noise):
    """200 draws, each failing with probability below alpha/(2n) = 5e-9; with fewer nodes the bounds break at once."""
    instance = ContextualInstance(dimension=3, horizon=2**10, epsilon=1.0, delta=0.1, alpha=1e-5, noise=noise)
    found, k, m = regulariser(instance), wishart_freedom(instance), instance.levels
    shift = wishart_shift(instance) * np.eye(3) if noise == "wishart" else 0.0

    def draw(nodes):
        drawn = wishart(df=nodes * k, scale=instance.row_norm_squared * np.eye(4)).rvs(200, random_state=2)
        matrices = drawn[:, :3, :3] - shift
        vectors = drawn[:, :3, 3]
        return np.linalg.eigvalsh(matrices), np.einsum("ni,nij,nj->n", vectors, np.linalg.inv(matrices), vectors)

    sizes, squares = draw(m)
    assert found.rho_min <= sizes.min()
    assert sizes.max() <= found.rho_max
    assert np.sqrt(squares.max()) <= found.gamma
    fewer, _ = draw(m - 1)
    assert fewer.max() < found.rho_min
    assert (fewer.min() < 0) == (noise == "wishart")


@pytest.mark.parametrize(("delta", "private", "loud"), [(0.5, 139.0, 140.0), (0.25, 232.0, 232.2)])
def test_the_gaussian_calibration_fails_for_huge_epsilon(delta, private, loud):
    """Exact trade-off of a Gaussian mechanism, solved for the delta that it really has."""

    def reached(epsilon):
        mu = epsilon / (4 * math.log(4 / delta))
        return norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon + norm.logcdf(-mu / 2 - epsilon / mu))

    for epsilon in (private, loud):
        instance = dataclasses.replace(PAPER, epsilon=epsilon, delta=delta)
        assert bound("prop11", instance).applies == (reached(epsilon) <= delta) == (epsilon == private)


@pytest.mark.parametrize(("epsilon", "applies"), [(25.3, True), (25.5, False)])
def test_wishart_needs_a_node_budget_below_one(epsilon, applies):
    assert bound("prop9", dataclasses.replace(WISHART, epsilon=epsilon)).applies == applies


# ---- Theorem 6


def test_ten_rounds_refute_the_printed_theorem_6():
    """LinUCB with next to no noise, arms -1 and 1, theta = 100: first the wrong arm, at a regret of 200."""
    instance = ContextualInstance(
        1, 10, 1.0, 0.1, alpha=0.1, parameter_norm=100.0, mean_bound=100.0, sigma=0.01, gap=200.0
    )
    ridge = Regulariser(1e-4, 1e-4, 0.0)
    inner = bracket(instance, ridge)
    gram, moment, regret, rng = 1e-4, 0.0, 0.0, np.random.default_rng(0)
    for _ in range(10):
        estimate = moment / gram
        action = -1.0 if estimate <= 0 else 1.0  # equal bonuses; the first tie goes to -1
        regret += 100 - 100 * action
        gram, moment = gram + 1, moment + action * (100 * action + 0.01 * rng.normal())
    assert regret == 200.0
    assert 8 * 100 / 200 * inner**2 == pytest.approx(50.9, abs=0.05)
    assert 8 * 100**2 / 200 * inner**2 > regret
    assert 100 * math.sqrt(80) * inner == pytest.approx(3191, abs=1)
    printed, squared = (bound(name, dataclasses.replace(PAPER, mean_bound=100.0)) for name in ("thm6", "thm6-squared"))
    assert printed.value == pytest.approx(squared.value / 100)
    assert (printed.provenance, squared.provenance) == ("unproven", "derived")


# ---- lower bounds


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.0), (0.5, 0.1), (0.6931, 0.2499)])
def test_claim_13_by_a_linear_programme(epsilon, delta):
    """Least regret in a round when P(arm 1 | context) may differ between two contexts by (epsilon, delta) only."""
    # p, q: probability of arm 1, which is best in the first context and worst in the second; regret 2 (1 - p) or 2 q
    rows = []
    for a, b in (((1, 0), (0, 1)), ((0, 1), (1, 0))):
        first, second = np.array(a), np.array(b)
        rows.append((first - math.exp(epsilon) * second, delta))
        rows.append((-first + math.exp(epsilon) * second, delta + math.exp(epsilon) - 1))
    solved = linprog([-1, 1], [row for row, _ in rows], [right for _, right in rows], bounds=[(0, 1)] * 2)
    least = (2 + 2 * solved.fun) / 2
    instance = ContextualInstance(1, 1000, epsilon, delta, alpha=0.1)
    assert bound("claim13", instance).value == 250.0 <= 1000 * least


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.9])
def test_claim_14_and_corollary_15(epsilon):
    two_points = Instance("two-point", (0.2, 0.0, -0.3), epsilon=epsilon)
    bits = Instance("bernoulli", (0.6, 0.5, 0.35), epsilon=epsilon)
    assert bound("claim14", two_points).constant == pytest.approx(1 / (100 * epsilon * 0.2))
    assert bound("claim14", bits).constant == pytest.approx(bound("claim14", two_points).constant)
    assert bound("cor15", two_points).constant == pytest.approx(2 / (200 * epsilon))
    assert bound("cor15", bits).constant == pytest.approx(bound("cor15", two_points).constant / 2)
    for instance in (two_points, bits):
        better = THEOREMS["azize-basu-2022/thm3-tight"].evaluate(instance)
        assert better.quantity == bound("cor15", instance).quantity
        assert bound("cor15", instance).constant < better.constant


@pytest.mark.parametrize("name", ["claim14", "cor15", "thm5"])
def test_printed_forms_have_the_printed_conditions_and_proven_ones_more(name):
    printed = THEOREMS[f"shariff-sheffet-2018/{name}"]
    proven = THEOREMS[f"shariff-sheffet-2018/{name}-{'corrected' if name == 'thm5' else 'proven'}"]
    assert set(printed.conditions) < set(proven.conditions)
    assert (printed.provenance, proven.provenance) == ("unproven", "derived")
    assert printed.quantity == proven.quantity


def test_claim_14_leaves_room_for_its_proof():
    """Fewer pulls than `t = ln n/(100 epsilon Delta)` cannot make n^(1/4) of a difference: `t ln(1 + D(e^x - 1))`."""
    for epsilon in (0.1, 1.0, 2.918):
        for gap in np.geomspace(1e-4, 1, 50):
            assert math.log1p(gap * math.expm1(epsilon)) / (100 * epsilon * gap) < 0.25
