"""Linear bandits: Theorems 4 and 5 of Azize & Basu 2022, the mistake in the latter, and its replacement."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from privcheck.bounds import THEOREMS, Instance, LinearInstance
from privcheck.bounds._gaussian_private_divergence import gaussian_private_divergence
from privcheck.bounds.azize_basu_2022.linear_bandits import exploration
from privcheck.bounds.azize_basu_2022.linear_program import cheapest_exploration

THETA = (1.0, 0.0)


def bound(name, instance):
    return THEOREMS[f"azize-basu-2022/{name}"].evaluate(instance)


def huber(x, epsilon):
    """`inf_z (x - z)^2/2 + epsilon |z|/sqrt(2 pi)` on a grid of z, the definition that the closed form replaces."""
    x = np.abs(np.asarray(x, float))
    z = np.linspace(0, 1, 2001) * x[..., None]
    return np.min((x[..., None] - z) ** 2 / 2 + epsilon * z / math.sqrt(2 * math.pi), axis=-1)


def by_grid(arms, gaps, epsilon, points=801):
    """Replacement of Theorem 5 for d = 2 and 3, by a linear programme over a grid of alternatives."""
    best, rows = arms[np.argmin(gaps)], []
    basis = np.linalg.svd(best[None, :])[2][1:]
    for arm, gap in zip(arms, gaps, strict=True):
        along = basis @ arm
        if gap > 0 and np.linalg.norm(along) > 1e-12:
            nearest = along * gap / (along @ along)
            free = np.linalg.svd(along[None, :])[2][1:]
            spread = np.sinh(np.linspace(-6, 6, points)) / 20 if len(free) else [0.0]
            rows += [(nearest + (step * free[0] if len(free) else 0)) @ basis for step in spread]
    cost = huber(np.array(rows) @ arms[gaps > 0].T, epsilon)
    return linprog(gaps[gaps > 0], A_ub=-cost, b_ub=-np.ones(len(cost))).fun


# ---- Theorem 4


def corners(d):
    return tuple(itertools.product((-1.0, 1.0), repeat=d))


@pytest.mark.parametrize("d", [1, 2, 4])
def test_theorem_4_numbers(d):
    instance = LinearInstance(corners(d), (0.1,) * d, epsilon=1e-6, horizon=100)
    assert bound("thm4", instance).value == pytest.approx(6.196880e-4 * d * 1e6, rel=1e-6)
    assert bound("thm4-tight", instance).value == pytest.approx(0.3713526 * d * 1e6, rel=1e-6)
    free = LinearInstance(corners(d), (0.1,) * d, epsilon=10.0, horizon=10_000)
    assert bound("thm4", free).value == pytest.approx(0.01691691 * d * 100, rel=1e-6)
    assert bound("thm4-tight", free).value == pytest.approx(d * 100 / 4)


def test_theorem_4_tight_from_its_proof_with_the_best_size():
    """Flipping the sign of |theta_i| = s: the regrets in coordinate i add up to `2 s T (1 - sqrt(information/2))`."""
    epsilon, horizon, d = 0.01, 50, 3
    sizes = np.exp(np.linspace(-12, 6, 200_001))
    for budget, information in (
        (epsilon, epsilon * horizon * sizes * math.sqrt(2 / math.pi)),  # TV of N(-s, 1) and N(s, 1): at most this
        (1e3, 2 * horizon * sizes**2),
    ):
        best = d * horizon * np.max(sizes * (1 - np.sqrt(information / 2)))
        instance = LinearInstance(corners(d), (0.1,) * d, epsilon=budget, horizon=horizon)
        assert bound("thm4-tight", instance).value == pytest.approx(best, rel=1e-6)
        assert bound("thm4-tight", instance).value > 8 * bound("thm4", instance).value


# ---- Theorem 5 as printed, and why it is kept to orthogonal arms


@settings(derandomize=True, deadline=None, max_examples=50)
@given(gaps=st.lists(st.floats(0.05, 3), min_size=1, max_size=4), epsilon=st.floats(0.01, 10), scale=st.floats(0.2, 3))
def test_theorem_5_orthogonal_arms(gaps, epsilon, scale):
    """`H` is diagonal: `|a|^2` in the inverse of H is 1/alpha(a), and rho is 2 whatever the lengths."""
    d = len(gaps) + 1
    instance = LinearInstance(scale * np.eye(d), np.append(4.0, 4.0 - np.array(gaps)) / scale, epsilon=epsilon)
    gaps = np.array(instance.gaps[1:])
    pulls = 1 / np.minimum(gaps**2 / 2, 6 * epsilon * gaps)
    widths = np.diag(np.linalg.inv(np.diag(np.append(1e12, pulls)) * scale**2)) * scale**2
    assert widths[1:] == pytest.approx(np.minimum(gaps**2 / 2, 6 * epsilon * gaps))
    assert bound("thm5", instance).constant == pytest.approx(pulls @ gaps)
    assert bound("thm5-replacement", instance).constant >= bound("thm5", instance).constant * (1 - 1e-9)


def test_fact_2_fails():
    """`sum_j |a_j^T G^-1 (a - a*)| N_j` is 2.4925 for pulls (100, 1, 1), above the rho of 2 that the proof allows."""
    arms, pulls = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([100.0, 1.0, 1.0])
    gram = (arms.T * pulls) @ arms
    difference = arms[1] - arms[0]
    rho_of_pulls = np.sum(pulls * np.abs(arms @ np.linalg.solve(gram, difference)))
    rho = np.sum(np.abs(arms @ difference) / np.sum(arms**2, axis=1))
    assert (rho_of_pulls, rho) == (pytest.approx(2.4925373), pytest.approx(2.0))


def slanted(x):
    """Arms e1, e2 and (1 - g, x) with g(1 - g) = x^2, and epsilon = x^2/10: where the printed theorem fails."""
    g = (1 - math.sqrt(1 - 4 * x * x)) / 2
    return LinearInstance(((1, 0), (0, 1), (1 - g, x)), THETA, epsilon=x * x / 10)


@pytest.mark.parametrize("x", [0.1, 0.01, 0.001])
def test_theorem_5_exceeds_what_is_attained_and_its_replacement_does_not(x):
    """The printed private part exceeds 1/(3.1 x epsilon); AdaP-UCB attains 198.4/epsilon on the Bernoulli version."""
    instance = slanted(x)
    printed = bound("thm5", instance).constant * instance.epsilon
    assert printed == pytest.approx({0.1: 2.997, 0.01: 33.0, 0.001: 333}[x], rel=2e-3)
    assert (printed > 198.4) == (x == 0.001)
    for name in ("thm5-replacement", "thm5-tight"):
        assert bound(name, instance).constant * instance.epsilon < 3
    assert exploration(instance).gap < 1e-9
    assert THEOREMS["azize-basu-2022/thm5"].provenance == "unproven"


@settings(derandomize=True, deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), epsilon=st.floats(0.01, 5))
def test_theorem_5_as_printed_in_the_plane(seed, epsilon):
    """With free pulls of the best arm only the parts p_a of the arms across it count: `sum alpha p^2 >= p_a^2/width_a`.

    So the cheapest arm per p^2 takes all pulls. The limit is compared with a Gram matrix with many pulls of the best.
    """
    rng = np.random.default_rng(seed)
    arms, theta = rng.normal(size=(5, 2)), rng.normal(size=2)
    instance = LinearInstance(arms, theta, epsilon=epsilon)
    gaps, best = np.array(instance.gaps), arms[instance.best]
    others = np.flatnonzero(gaps)
    across = arms @ np.array([-best[1], best[0]]) / np.linalg.norm(best)
    rho = np.array([sum(abs(b @ (a - best)) / (b @ b) for b in arms) for a in arms])
    widths = np.minimum(gaps**2 / 2, 3 * epsilon * rho * gaps)
    needed = np.max(across[others] ** 2 / widths[others])
    cheapest = others[np.argmin(gaps[others] / across[others] ** 2)]
    assert bound("thm5", instance).constant == pytest.approx(needed * gaps[cheapest] / across[cheapest] ** 2, rel=1e-6)
    pulls = np.where(np.arange(5) == cheapest, needed / across[cheapest] ** 2, 0.0)
    pulls[instance.best] = 1e7 * pulls.max()
    inverse = np.linalg.inv((arms.T * pulls) @ arms)
    norms = np.array([a @ inverse @ a for a in arms])[others]
    assert np.max(norms / widths[others]) == pytest.approx(1, abs=0.05)


# ---- the replacement


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 1e9])
@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_replacement_against_a_grid_of_alternatives(d, epsilon, seed):
    rng = np.random.default_rng(seed)
    arms = rng.normal(size=(6, d))
    means = arms @ rng.normal(size=d)
    gaps = means.max() - means
    found = cheapest_exploration(arms, gaps, epsilon)
    grid = by_grid(arms, gaps, min(epsilon, 1e6))
    assert found.gap < 1e-6
    assert grid <= found.upper * (1 + 1e-6)
    assert grid >= found.value * (1 - (1e-5 if d == 2 else 5e-3))


@pytest.mark.parametrize("epsilon", [0.1, math.inf])
def test_certificates_hold(epsilon):
    """Weights on the alternatives that no arm objects to, found anew; pulls that random alternatives do not defeat."""
    rng = np.random.default_rng(5)
    arms = rng.normal(size=(8, 4))
    theta = rng.normal(size=4)
    gaps = (arms @ theta).max() - arms @ theta
    found = cheapest_exploration(arms, gaps, epsilon)
    threshold = epsilon / math.sqrt(2 * math.pi)

    def cost(shifts):
        inner = np.minimum(np.abs(shifts), threshold)
        return inner * (np.abs(shifts) - inner / 2)

    others, best = gaps > 0, arms[np.argmin(gaps)]
    dual = linprog(
        -np.ones(len(found.alternatives)), A_ub=cost(found.alternatives @ arms[others].T).T, b_ub=gaps[others]
    )
    assert -dual.fun == pytest.approx(found.value, rel=1e-6)
    assert found.alternatives @ best == pytest.approx(0, abs=1e-9)
    assert found.pulls @ gaps == pytest.approx(found.upper)
    for _ in range(3000):
        alternative = rng.normal(size=4) * rng.choice([0.1, 1.0, 10.0])
        alternative -= best * (alternative @ best) / (best @ best)
        arm = rng.choice(np.flatnonzero(others))
        if alternative @ arms[arm] > 0:
            alternative *= gaps[arm] / (alternative @ arms[arm])
            assert found.pulls @ cost(arms @ alternative) >= 1 - 1e-9


def test_a_dropped_alternative_lowers_the_bound():
    """The certificate's check notices: without the alternatives of one arm the grid's optimum is above the rest's."""
    arms, gaps = np.eye(3), np.array([0.0, 0.5, 0.25])
    whole = cheapest_exploration(arms, gaps, 1.0).value
    assert cheapest_exploration(arms[:2], gaps[:2], 1.0).value < 0.9 * by_grid(arms, gaps, 1.0)
    assert whole == pytest.approx(by_grid(arms, gaps, 1.0), rel=1e-6)


def test_orthonormal_arms_are_an_unstructured_bandit():
    instance = LinearInstance(np.eye(3), (2.0, 1.5, 0.0), epsilon=0.5)
    divergence, _ = gaussian_private_divergence(np.array([0.5, 2.0]), 0.5)
    assert bound("thm5-replacement", instance).constant == pytest.approx(
        sum([0.5, 2.0] / huber([0.5, 2.0], 0.5)), rel=1e-6
    )
    assert bound("thm5-tight", instance).constant == pytest.approx(sum([0.5, 2.0] / divergence), rel=1e-9)
    plain = Instance("gaussian", (2.0, 1.5, 0.0), epsilon=0.5)
    assert bound("thm5-tight", instance).constant == pytest.approx(bound("thm3-tight", plain).constant, rel=1e-9)


@settings(derandomize=True, deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), epsilon=st.floats(0.01, 5))
def test_replacement_properties(seed, epsilon):
    rng = np.random.default_rng(seed)
    arms, theta = rng.normal(size=(5, 2)), rng.normal(size=2)
    instance = LinearInstance(arms, theta, epsilon=epsilon)
    value = bound("thm5-replacement", instance).constant
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    assert bound("thm5-tight", instance).constant >= value
    assert bound("thm5-replacement", LinearInstance(arms @ turn.T, turn @ theta, epsilon=epsilon)).constant == (
        pytest.approx(value, rel=1e-6)
    )
    assert bound("thm5-replacement", LinearInstance(arms, theta, epsilon=2 * epsilon)).constant <= value * (1 + 1e-7)
    mixed = LinearInstance(np.vstack((arms, [[0.0, 0.0]])), theta, epsilon=epsilon)
    if mixed.best < 5:
        assert bound("thm5-replacement", mixed).constant == pytest.approx(value, rel=1e-6)


def test_arms_parallel_to_the_best_cost_nothing_and_rank_may_be_short():
    line = LinearInstance(((1, 1), (0.5, 0.5), (0, 0)), (1.0, 0.0), epsilon=1.0)
    assert bound("thm5-replacement", line).constant == 0.0
    assert bound("thm5-tight", line).constant == 0.0
    flat = LinearInstance(((1, 0, 0), (0, 1, 0), (0.5, 0.5, 0)), (1.0, 0.25, 7.0), epsilon=1.0)
    plane = LinearInstance(((1, 0), (0, 1), (0.5, 0.5)), (1.0, 0.25), epsilon=1.0)
    assert bound("thm5-replacement", flat).constant == pytest.approx(
        bound("thm5-replacement", plane).constant, rel=1e-9
    )
