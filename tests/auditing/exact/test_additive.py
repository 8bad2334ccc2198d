"""Independent noise on shifted entries: losses and hockey sticks against quadrature, enumeration and 50 digits."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats

from privcheck.accounting import LaplaceShifts, LatticeShifts, pure_delta
from privcheck.auditing._exact import (
    Enclosure,
    exact_delta,
    exact_loss,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_mu,
)
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import BinaryTree, DiscreteLaplace, Gaussian, HybridTree, Laplace, RandomisedResponse

EPSILONS = (0.0, 0.3, 0.9)


def scalar_delta(shift, epsilon):
    """The hockey stick of Laplace noise of scale 1, by quadrature over outputs; epsilon may be negative."""
    below, above = (stats.laplace(place).pdf for place in (0.0, shift))
    points = sorted({0.0, shift, min(max((shift - epsilon) / 2, 0.0), shift)})
    edges = [-60.0, *points, 60.0]
    return sum(
        integrate.quad(lambda x: max(0.0, below(x) - math.exp(epsilon) * above(x)), a, b, epsabs=1e-13)[0]
        for a, b in itertools.pairwise(edges)
    )


@pytest.mark.parametrize("shift", [0.01, 1.0, 4.0])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_one_laplace_entry(shift, epsilon):
    mechanism = Laplace.with_scale(2.0)
    assert exact_loss(mechanism, (1.0, 1.0 + 2.0 * shift)).value == pytest.approx(shift, rel=1e-12)
    found = exact_delta(mechanism, (1.0, 1.0 + 2.0 * shift), epsilon)
    assert found.value == pytest.approx(scalar_delta(shift, epsilon), abs=1e-10)
    assert found.width < 1e-13


def two_entries(one, two, epsilon):
    """Given the first output x the loss left to the second entry is epsilon minus that of x."""

    def rest(l):
        left = epsilon - l
        if left >= two:
            return 0.0
        return -math.expm1((left - two) / 2) if left >= -two else -math.expm1(left)

    middle = integrate.quad(
        lambda x: 0.5 * math.exp(-x) * rest(one - 2 * x), 0.0, one, epsabs=1e-13, limit=200,
        points=[min(max((one - epsilon + sign * two) / 2, 0.0), one) for sign in (-1, 1)],
    )[0]  # fmt: skip
    return 0.5 * rest(one) + 0.5 * math.exp(-one) * rest(-one) + middle


@pytest.mark.parametrize("shifts", [(0.5, 0.5), (1.0, 0.3), (0.01, 2.0)])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_two_laplace_entries(shifts, epsilon):
    found = exact_delta(Laplace.with_scale(1.0), (np.zeros(2), np.array(shifts)), epsilon)
    truth = two_entries(*shifts, epsilon)
    assert found.lower - 1e-12 <= truth <= found.upper + 1e-12
    assert found.width < 1e-4
    assert two_entries(shifts[0], 0.9 * shifts[1], epsilon) not in Enclosure(found.lower, found.upper)


@pytest.mark.chance(1e-6, "a mean of 400,000 within 5 standard errors")
def test_many_laplace_entries_tell_about_as_much_as_gaussian_noise():
    """A thousand draws of the loss of 16 entries: five standard errors."""
    shifts = np.full(16, 0.25)
    draws = np.random.default_rng(0).laplace(size=(400_000, 16))
    losses = (np.abs(draws - shifts) - np.abs(draws)).sum(axis=1)
    gains = np.maximum(-np.expm1(0.5 - losses), 0.0)
    found = LaplaceShifts(shifts).delta(0.5)
    assert abs(gains.mean() - found.value) < 5 * gains.std() / math.sqrt(len(gains)) + found.width
    assert found.width < 1e-3


def test_very_many_entries_are_bounded_by_their_pure_loss():
    found = LaplaceShifts(np.full(100, 0.01)).delta(0.5)
    assert found.lower == 0.0
    assert found.upper == pytest.approx(pure_delta(1.0, 0.5))
    assert LatticeShifts(1e3, np.array([10**6])).delta(0.5).upper == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("loss", [0.1, 1.0, 5.0])
def test_randomised_response_attains_the_bound_of_pure_laws(loss):
    mechanism = RandomisedResponse(categories=2, epsilon=loss)
    for epsilon in (0.0, 0.5 * loss):
        found = exact_delta(mechanism, (0, 1), epsilon).value
        assert found == pytest.approx(pure_delta(1 / mechanism.scale, epsilon), rel=1e-12)
    assert exact_loss(mechanism, (0, 1)).value == pytest.approx(mechanism.pair_loss(0, 1), rel=1e-14)


def enumerated(mechanism, first, second, outputs, epsilon):
    """Loss and delta from the joint probability of every output."""
    outputs = np.array(list(itertools.product(outputs, repeat=len(first))))
    p, q = (mechanism.log_density(outputs, value) for value in (first, second))
    gains = [np.maximum(np.exp(a) - np.exp(epsilon + b), 0.0).sum() for a, b in ((p, q), (q, p))]
    return np.abs(p - q).max(), max(gains)


CASES = {
    "randomised response, K = 4": (RandomisedResponse(categories=4, epsilon=0.7), [0, 1, 2], [3, 1, 0], range(4)),
    "randomised response, K = 2": (RandomisedResponse(categories=2, epsilon=2.0), [0] * 5, [1] * 5, range(2)),
    "discrete Laplace, one entry": (DiscreteLaplace(sensitivity=3, epsilon=1.0), [2], [5], range(-120, 130)),
    "discrete Laplace, two entries": (DiscreteLaplace.with_scale(1.5), [0, 0], [2, -1], range(-60, 61)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_discrete_outputs_are_enumerated(name, epsilon):
    mechanism, first, second, outputs = CASES[name]
    loss, delta = enumerated(mechanism, first, second, outputs, epsilon)
    assert exact_loss(mechanism, (first, second)).value == pytest.approx(loss, rel=1e-12)
    found = exact_delta(mechanism, (first, second), epsilon)
    assert found.value == pytest.approx(delta, abs=1e-13)
    assert found.width < 1e-12
    wrong = enumerated(mechanism, first, [*first[:-1], first[-1] + 1 - 2 * (first[-1] > 0)], outputs, epsilon)
    assert wrong[0] != pytest.approx(loss, rel=1e-3)


@pytest.mark.parametrize("horizon", [1, 4, 7, 8, 13])
def test_a_leaf_of_a_tree_costs_its_nodes(horizon):
    """The nodes that contain the item, one after the other; the output far above all sums attains the loss."""
    for tree in (BinaryTree(horizon=horizon, sensitivity=1.0, epsilon=1.0), HybridTree(sensitivity=1.0, epsilon=1.0)):
        first = np.zeros(horizon)
        losses = []
        for item in range(horizon):
            second = first.copy()
            second[item] = 1.0
            loss = sum(1.0 / node.scale for node in tree.nodes(horizon) if item in node.items)
            found = exact_loss(tree, (first, second))
            assert found.value == pytest.approx(loss, rel=1e-12)
            far = tree.prefixes(np.full((1, horizon), 1e6))[0]
            assert abs(tree.log_ratio(far, first, second)) == pytest.approx(loss, rel=1e-9)
            assert found.upper <= 1.0
            losses.append(loss)
        if isinstance(tree, BinaryTree):
            assert max(losses) == pytest.approx(1.0, rel=1e-8)


def test_a_tree_with_a_level_missed_in_the_budget_exceeds_it():
    tree = BinaryTree.with_scale(3.0, horizon=8)
    second = np.zeros(8)
    second[0] = 1.0
    assert exact_loss(tree, (np.zeros(8), second)).lower > 1.3
    delta = exact_delta(tree, (np.zeros(8), second), 1.0)
    assert 0.0 < delta.lower <= delta.upper < pure_delta(4 / 3, 1.0)


def test_streams_of_vectors_and_arrays():
    tree = BinaryTree.with_scale(2.0, horizon=2)
    assert exact_loss(tree, (np.zeros((2, 3)), np.array([[1.0, 0, -1], [0, 0, 0]]))).value == pytest.approx(2.0)
    assert exact_loss(Laplace.with_scale(2.0), (np.zeros((2, 2)), np.eye(2))).value == pytest.approx(1.0)
    assert exact_loss(Laplace.with_scale(2.0), (0.5, 0.5)).upper == 0.0
    assert exact_delta(Laplace.with_scale(2.0), (0.5, 0.5), 0.0).upper == 0.0


def test_laplace_noise_of_half_the_scale_exceeds_the_claim():
    correct, twin = Laplace(sensitivity=1.0, epsilon=1.0), Laplace.with_scale(0.5)
    assert exact_loss(correct, (0.0, 1.0)).upper <= 1.0 < exact_loss(twin, (0.0, 1.0)).lower


def gaussian_exactly(mu, epsilon):
    with mpmath.workdps(50):
        mu, epsilon = mpmath.mpf(mu), mpmath.mpf(epsilon)
        first, second = mpmath.ncdf(mu / 2 - epsilon / mu), mpmath.ncdf(-mu / 2 - epsilon / mu)
        return first - mpmath.exp(epsilon) * second


@pytest.mark.parametrize("mu", [1e-3, 0.1, 0.92, 3.0, 9.0, 50.0])
@pytest.mark.parametrize("epsilon", [0.0, 1e-4, 0.5, 1.0, 4.0, 30.0, 800.0])
def test_gaussian_noise_in_fifty_digits(mu, epsilon):
    found, truth = gaussian_delta(mu, epsilon), gaussian_exactly(mu, epsilon)
    assert found.lower <= truth <= found.upper
    assert found.width <= 1e-9 * (1e-3 + float(truth))


@pytest.mark.parametrize("shift", [(0.6, -0.8, 0.0), (2.4, 3.2, -3.0)])
def test_gaussian_entries_along_the_line_between_both_vectors(shift):
    """The hockey stick by quadrature of scipy's densities along that line; across it they are the same."""
    pair, distance = (np.ones(3), np.ones(3) + shift), float(np.linalg.norm(shift))
    mechanism, one, two = Gaussian.with_scale(2.0), stats.norm(0.0, 2.0).pdf, stats.norm(distance, 2.0).pdf
    assert exact_loss(mechanism, pair).value == math.inf
    for epsilon in EPSILONS:
        kink = distance / 2 - 4.0 * epsilon / distance
        truth = integrate.quad(lambda x, e=epsilon: one(x) - math.exp(e) * two(x), kink - 40, kink, epsabs=1e-13)[0]
        found = exact_delta(mechanism, pair, epsilon)
        assert found.value == pytest.approx(truth, abs=1e-11)
        assert found.width < 1e-13
    assert exact_loss(mechanism, (pair[0], pair[0])).value == exact_delta(mechanism, pair[:1] * 2, 0.5).value == 0.0


def test_gaussian_anchors():
    """Dong, Roth and Su (2022), Corollary 2.13."""
    assert gaussian_mu(1.0, 0.1) == pytest.approx(0.9209140, abs=5e-8)
    assert gaussian_epsilon(1 / 3.7306, 1e-5).value == pytest.approx(1.0, abs=5e-5)
    for mu, delta in ((0.1, 1e-3), (1.0, 1e-6), (4.0, 0.2)):
        epsilon = gaussian_epsilon(mu, delta).upper
        assert float(gaussian_exactly(mu, epsilon)) == pytest.approx(delta, rel=1e-9)
        assert gaussian_mu(epsilon, delta) == pytest.approx(mu, rel=1e-9)
    assert gaussian_epsilon(0.1, 0.5) == Enclosure(0.0, 0.0)


@pytest.mark.parametrize("mu", [1e-6, 0.5, 8.1, 16.0, 18.255, 60.0])
@pytest.mark.parametrize("delta", [1e-30, 1e-6, 0.5, 0.7, 1.0 - 1e-9, 1.0 - 2.0**-53])
def test_the_ends_of_a_gaussian_epsilon_are_on_their_sides(mu, delta):
    """Close to 1 the digits are those of 1 - delta."""
    found = gaussian_epsilon(mu, delta)
    with mpmath.workdps(80 + int(mu * mu / 4.0)):

        def rest(epsilon):
            start = mpmath.mpf(epsilon) / mu - mpmath.mpf(mu) / 2
            return mpmath.ncdf(start) + mpmath.exp(mpmath.mpf(epsilon)) * mpmath.ncdf(-start - mu)

        assert rest(found.upper) >= 1 - mpmath.mpf(delta)
        assert rest(found.lower) <= 1 - mpmath.mpf(delta) or found.lower == 0.0
    assert found.upper - found.lower <= 1e-9 * found.upper


def test_gaussian_noise_of_the_textbook_is_not_the_exact_one():
    """The classical deviation sqrt(2 ln(1.25 / delta)) / epsilon is larger than needed, and delta smaller."""
    classical = math.sqrt(2 * math.log(1.25 / 1e-5))
    assert gaussian_delta(1 / classical, 1.0).upper < 1e-6


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf, "1", None])
def test_bad_numbers(bad):
    with pytest.raises(PrivcheckError):
        gaussian_delta(1.0, bad)
    with pytest.raises(PrivcheckError):
        gaussian_epsilon(bad, 0.1)
    with pytest.raises(PrivcheckError):
        exact_delta(Laplace.with_scale(1.0), (0.0, 1.0), bad)


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1])
def test_bad_deltas(delta):
    with pytest.raises(PrivcheckError, match="delta"):
        gaussian_mu(1.0, delta)
