"""What is particular to staircase noise: its density, its mean size, the loss of small moves, exact noise."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from privcheck.accounting import pure_delta
from privcheck.auditing._exact import exact_delta, exact_loss
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Laplace, Staircase
from privcheck.mechanisms import staircase as module


def edges(mechanism, reach):
    """The edges of the stairs, on both sides of 0, up to `reach` widths."""
    first = 1 / (1 + math.exp(mechanism.epsilon / 2))
    right = (np.arange(reach) + first) * mechanism.width
    return np.concatenate((-right[::-1], right))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 5.0, 10.0])
def test_the_density_integrates_to_one_and_the_mean_size_is_the_papers(epsilon):
    mechanism = Staircase(sensitivity=2.0, epsilon=epsilon)
    ends = np.unique(np.concatenate((edges(mechanism, math.ceil(40 / epsilon) + 2), [0.0])))
    middles, widths = (ends[1:] + ends[:-1]) / 2, np.diff(ends)
    masses = np.exp(mechanism.log_density(middles, 0.0)) * widths
    assert masses.sum() == pytest.approx(1.0, abs=1e-12)
    size = float(masses @ np.abs(middles))
    assert size == pytest.approx(2 * math.exp(epsilon / 2) / math.expm1(epsilon), rel=4e-9 * (2 + epsilon))
    assert size < Laplace(2.0, epsilon).scale
    assert mechanism.log_density(0.0, 0.0) > math.log(1 / (2 * Laplace(2.0, epsilon).scale)) or epsilon < 1.3


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_no_other_end_of_the_first_stair_has_a_smaller_mean(epsilon):
    """The mean over staircases that are epsilon-DP, by their definition."""

    def mean(first):
        places = np.concatenate(([0.0], np.arange(200) + first))
        weights = np.exp(-epsilon * np.arange(200))
        return float(weights @ np.diff(places**2) / 2 / (weights @ np.diff(places)))

    chosen = mean(Staircase(sensitivity=1.0, epsilon=epsilon).first)
    assert all(chosen <= mean(first) for first in np.linspace(0.001, 0.999, 999))


def test_a_move_of_any_size_costs_epsilon():
    """Not s_i / s of it, as for Laplace noise: an edge may lie between the values."""
    mechanism = Staircase(sensitivity=1.0, epsilon=2.0)
    output = 5.0 + mechanism.width * mechanism.first
    assert mechanism.log_ratio(output - 5e-4, 5.0, 5.0 - 1e-3) == mechanism.drop == pytest.approx(2.0, rel=1e-8)
    assert mechanism.loss(1e-3) == mechanism.loss(1.0 + 1e-10) == 2.0
    with pytest.raises(PrivcheckError, match=r"declare sensitivity=1\.1"):
        mechanism.loss(1.1)


def test_two_entries_that_move_half_as_far_cost_twice_epsilon():
    """So independent noise on the entries of an array would not be private at the L1 sensitivity."""
    mechanism = Staircase(sensitivity=1.0, epsilon=2.0)
    edge = mechanism.width * mechanism.first
    both = 2 * mechanism.log_ratio(edge - 0.25, 0.0, -0.5)
    assert both == pytest.approx(4.0, rel=1e-7)
    with pytest.raises(PrivcheckError, match="one number"):
        mechanism.release([0.0, 0.0], np.random.default_rng(0))


@pytest.mark.parametrize("distance", [0.3, 1.0, 1.7])
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 1.9])
def test_the_exact_loss_by_quadrature(distance, epsilon):
    mechanism = Staircase(sensitivity=1.0, epsilon=2.0)
    assert exact_loss(mechanism, (1.0, 1.0 + distance)).value == pytest.approx(2.0 * math.ceil(distance), rel=1e-8)
    found = exact_delta(mechanism, (1.0, 1.0 + distance), epsilon)
    ends = np.unique(np.concatenate((edges(mechanism, 20), edges(mechanism, 20) + distance)))
    positive = lambda z: max(  # noqa: E731
        0.0, math.exp(mechanism.log_density(z, 0.0)) - math.exp(epsilon + mechanism.log_density(z, distance))
    )
    truth = sum(integrate.fixed_quad(np.vectorize(positive), a, b, n=3)[0] for a, b in itertools.pairwise(ends))
    assert found.value == pytest.approx(truth, abs=1e-12)
    assert found.width < 1e-12
    assert found.lower <= pure_delta(2.0 * math.ceil(distance), epsilon)
    assert exact_loss(mechanism, (1.0, 1.0)).value == exact_delta(mechanism, (1.0, 1.0), epsilon).value == 0.0


@pytest.mark.chance(3e-9, "a Kolmogorov test of sizes and two binomial tests of signs", fresh=True)
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_secure_release_follows_the_law_and_a_wider_one_does_not(epsilon):
    """OpenDP takes no seed: a correct sampler fails here with probability 1e-9 in each run."""
    mechanism = Staircase(sensitivity=1.0, epsilon=epsilon)
    places = np.concatenate(([0.0], (np.arange(math.ceil(40 / epsilon)) + mechanism.first) * mechanism.width))
    masses = 2 * np.exp(mechanism.log_density((places[1:] + places[:-1]) / 2, 0.0)) * np.diff(places)
    cdf = np.concatenate(([0.0], np.cumsum(masses)))
    for sensitivity, accepted in ((1.0, True), (1.5, False)):
        drawn = Staircase(sensitivity=sensitivity, epsilon=epsilon)
        noise = np.array([drawn.release(3.0, None, secure=True) for _ in range(2000)]) - 3.0
        sizes = stats.kstest(np.abs(noise), lambda size: np.interp(size, places, cdf)).pvalue
        assert (sizes >= 1e-9) == accepted
        assert stats.binomtest(int((noise > 0).sum()), noise.size).pvalue >= 1e-9


@pytest.mark.chance(1e-9, "one chi-square test", fresh=True)
def test_exact_noise_on_a_lattice_of_few_points_by_enumeration(monkeypatch):
    """With four points in a stair. OpenDP takes no seed: a correct sampler fails here with probability 1e-9."""
    monkeypatch.setattr(module, "STEPS", 4)
    mechanism = Staircase(sensitivity=4.0, epsilon=1.0)
    edge = math.ceil(mechanism.first * 4) + 1
    draws = np.array([mechanism.release(0.0, None, secure=True) for _ in range(4000)])
    points = np.rint(draws).astype(int)
    np.testing.assert_allclose(draws, points, rtol=1e-8)
    places = np.arange(-60, 61)
    levels = (np.abs(places) + 4 - edge) // 4
    law = np.exp(-levels.astype(float))
    assert np.abs(levels[4:] - levels[:-4]).max() == 1
    inner = np.abs(places) <= 8
    law /= law.sum()
    expected = np.array([*law[inner], law[~inner].sum()]) * draws.size
    counts = np.array([*(np.count_nonzero(points == place) for place in places[inner]), 0])
    counts[-1] = draws.size - counts.sum()
    assert stats.chisquare(counts, expected).pvalue >= 1e-9
    flat = np.array([*np.exp(-np.abs(places[inner]) / 4), 1e-9])
    assert stats.chisquare(counts[:-1], flat[:-1] / flat[:-1].sum() * counts[:-1].sum()).pvalue < 1e-9


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 20.0])
def test_exact_noise_at_the_ends_of_the_range(epsilon):
    assert math.isfinite(Staircase(sensitivity=1.0, epsilon=epsilon).release(0.5, None, secure=True))


def test_degenerate_parameters_are_refused():
    for given in ({"sensitivity": 1e-310, "epsilon": 1.0}, {"sensitivity": 1e299, "epsilon": 1e-3}):
        with pytest.raises(PrivcheckError, match="noise scale"):
            Staircase(**given)
    with pytest.raises(PrivcheckError, match="epsilon"):
        Staircase(sensitivity=1.0, epsilon=21.0)
