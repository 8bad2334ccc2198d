"""Dominating pairs: laws against densities and enumeration, divergences against quadrature, and what they dominate."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from privcheck.accounting import (
    Charge,
    DiscreteLaplacePair,
    DominatingPair,
    GaussianPair,
    LaplacePair,
    ResponsePair,
)
from privcheck.accounting._dominating_pairs import pair_of_charge

PAIRS = [
    GaussianPair(0.1), GaussianPair(1.0), GaussianPair(2.5), LaplacePair(0.01), LaplacePair(0.5), LaplacePair(6.0),
    ResponsePair(0.5), ResponsePair(3.0, 7), DiscreteLaplacePair(0.5, 1), DiscreteLaplacePair(2.0, 5),
]  # fmt: skip
IDS = [str(pair) for pair in PAIRS]
GAPS = np.array([0.05, 0.5, 1.0, 3.0, 20.0])


def mean(pair: DominatingPair, function) -> float:
    """The mean of a function of the loss under P, by quadrature and by adding up."""
    losses, masses = pair.atoms
    low, high = pair.span
    if low == high:
        return float(np.sum(masses * function(losses)))
    pieces = np.linspace(low, high, 41)
    parts = [
        integrate.quad(lambda loss: float(pair.density(loss)) * float(function(loss)), a, b, epsabs=0, epsrel=1e-11)[0]
        for a, b in pairwise(pieces)
    ]
    return float(np.sum(masses * function(losses))) + math.fsum(parts)


@pytest.mark.parametrize("pair", PAIRS, ids=IDS)
def test_a_law_is_that_of_two_distributions(pair):
    """The masses under P sum to one, and so do those under Q, which are exp(-loss) times as large."""
    assert mean(pair, np.ones_like) == pytest.approx(1.0, abs=1e-10)
    assert mean(pair, lambda loss: np.exp(-np.asarray(loss))) == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize("pair", PAIRS, ids=IDS)
def test_a_law_is_symmetric(pair):
    """Under Q the loss ln(Q / P) has the law that ln(P / Q) has under P: compare means of three functions."""
    for function in (np.tanh, np.square, lambda loss: np.maximum(loss, 0.0)):
        other = mean(pair, lambda loss, of=function: np.exp(-np.asarray(loss)) * of(-np.asarray(loss)))
        assert other == pytest.approx(mean(pair, function), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("pair", PAIRS, ids=IDS)
def test_renyi_divergences_are_those_of_the_law(pair):
    if isinstance(pair, GaussianPair):
        exact = pair.mu**2 / 2.0 * (1.0 + GAPS)
    else:
        exact = np.array([math.log(mean(pair, lambda loss, g=gap: np.exp(g * np.asarray(loss)))) / gap for gap in GAPS])
    found = pair.renyi(GAPS)
    assert found == pytest.approx(exact, rel=1e-8)
    assert (found >= exact * (1.0 - 1e-9)).all()


@pytest.mark.parametrize("epsilon", [1e-4, 1e-2])
def test_small_divergences_keep_their_digits(epsilon):
    """By the series for small epsilon, D = alpha epsilon^2 / 2 for randomised response, up to 1 + O(epsilon)."""
    for pair in (ResponsePair(epsilon), LaplacePair(epsilon), DiscreteLaplacePair(epsilon, 3)):
        assert pair.renyi(GAPS) == pytest.approx(epsilon**2 / 2.0 * (1.0 + GAPS), rel=40.0 * epsilon)


def delta_of(first: np.ndarray, second: np.ndarray, epsilon: float) -> float:
    return float(np.maximum(first - math.exp(epsilon) * second, 0.0).sum())


def mean_above(pair: DominatingPair, epsilon: float) -> float:
    """The smallest delta at epsilon: the mean of (1 - exp(epsilon - loss)) over losses above epsilon."""
    losses, masses = pair.atoms
    atoms = float(np.sum(masses * np.maximum(-np.expm1(epsilon - losses), 0.0)))
    low, high = max(pair.span[0], epsilon), pair.span[1]
    if low >= high:
        return atoms
    return atoms + integrate.quad(lambda x: float(pair.density(x)) * -math.expm1(epsilon - x), low, high)[0]


@pytest.mark.parametrize("shifts", [(1.0, 1.0), (2.0, 0.3), (0.2, 0.1), (3.0, 2.5)])
def test_laplace_noise_on_a_vector_is_dominated_by_that_on_one_number(shifts):
    """Delta of two entries, integrated over the loss of the second, against delta of one at the joint L1 distance."""
    joint = LaplacePair(sum(shifts))
    inner, outer = LaplacePair(shifts[0]), LaplacePair(shifts[1])
    for epsilon in np.linspace(-sum(shifts), sum(shifts), 9):
        (lowest, highest), (low_mass, high_mass) = outer.atoms
        both = low_mass * mean_above(inner, epsilon - lowest) + high_mass * mean_above(inner, epsilon - highest)
        kinks = [epsilon - shifts[0], epsilon + shifts[0]]
        both += integrate.quad(
            lambda m, e=epsilon: float(outer.density(m)) * mean_above(inner, e - m),
            *outer.span, points=[k for k in kinks if abs(k) < shifts[1]] or None, epsabs=1e-9,
        )[0]  # fmt: skip
        assert both <= mean_above(joint, epsilon) + 1e-7
    assert mean_above(joint, 0.0) > both, "the check sees the losses"


@pytest.mark.parametrize(("steps", "scale"), [((1, 1), 1.0), ((3, 2), 2.0), ((5, 1), 0.7)])
def test_discrete_laplace_noise_on_a_vector_is_dominated_by_that_on_one_integer(steps, scale):
    """By enumeration of both entries, whose noise is cut off where it has lost 1e-14 of its mass."""
    reach = int(35 * scale) + 10
    support = np.arange(-reach, reach + 1)
    weights = np.exp(-np.abs(support) / scale) * math.tanh(0.5 / scale)
    shifted = [np.exp(-np.abs(support - step) / scale) * math.tanh(0.5 / scale) for step in steps]
    first, second = np.multiply.outer(weights, weights), np.multiply.outer(*shifted)
    pair = DiscreteLaplacePair(sum(steps) / scale, sum(steps))
    for epsilon in np.linspace(0.0, sum(steps) / scale, 12):
        assert delta_of(first, second, epsilon) <= mean_above(pair, epsilon) + 1e-12
    one = np.exp(-np.abs(support - sum(steps)) / scale) * math.tanh(0.5 / scale)
    assert mean_above(pair, 0.3) == pytest.approx(delta_of(weights, one, 0.3), abs=1e-12)


def test_a_pair_with_less_noise_is_seen_not_to_be_dominated():
    assert mean_above(LaplacePair(1.01), 0.5) > mean_above(LaplacePair(1.0), 0.5)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_randomised_response_dominates_pure_privacy(epsilon):
    """Random pairs of laws on four outcomes whose ratios are within exp(+-epsilon)."""
    rng = np.random.default_rng(7)
    pair = ResponsePair(epsilon)
    for _ in range(200):
        ratios = np.exp(rng.choice([-1.0, 1.0, rng.uniform(-1, 1)], 4) * epsilon / 2.0)
        first = rng.dirichlet(np.ones(4))
        second = first * ratios / np.sum(first * ratios)
        for at in np.linspace(0.0, epsilon, 5):
            assert delta_of(first, second, at) <= mean_above(pair, at) + 1e-14


def test_gaussian_profile_is_the_closed_form():
    for mu, epsilon in ((0.3, 0.1), (1.0, 2.0), (3.0, 9.0)):
        a, b = stats.norm.cdf(-epsilon / mu + mu / 2), stats.norm.cdf(-epsilon / mu - mu / 2)
        assert mean_above(GaussianPair(mu), epsilon) == pytest.approx(a - math.exp(epsilon) * b, rel=1e-7)


def test_the_pair_of_a_charge():
    assert pair_of_charge(Charge(0.5)) == ResponsePair(0.5)
    assert pair_of_charge(Charge(mu=0.5)) == GaussianPair(0.5)
    assert pair_of_charge(Charge(5.0, mu=0.5)) == GaussianPair(0.5)
    assert pair_of_charge(Charge(rho=0.5)) is None
