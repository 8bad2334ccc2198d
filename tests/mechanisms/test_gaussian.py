"""What is particular to Gaussian noise: shapes, density, divergences, the L2 norm, OpenDP's exact sampler."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from privcheck.accounting import NOTHING, Approximate, Charge, Concentrated, GaussianDP, convert
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import BinaryTree, Gaussian, Laplace
from privcheck.mechanisms.currency import EPSILON, MU, RHO


def test_numbers_give_floats_and_arrays_keep_their_shape():
    mechanism, rng, value = Gaussian(sensitivity=1.0, mu=1.0), np.random.default_rng(0), np.ones((2, 3))
    for secure in (False, True):
        assert type(mechanism.release(np.float64(2.0), rng, secure=secure)) is float
        assert mechanism.release(value, rng, secure=secure).shape == (2, 3)
    assert mechanism.release_batch([1.0, 2.0], rng, 4).shape == (4, 2)
    np.testing.assert_array_equal(value, np.ones((2, 3)))


@pytest.mark.parametrize("scale", [0.2, 1.0, 7.0])
def test_the_density_is_scipys(scale):
    mechanism, outputs = Gaussian.with_scale(scale), np.linspace(-20.0, 20.0, 41)
    np.testing.assert_allclose(mechanism.log_density(outputs, 1.5), stats.norm.logpdf(outputs, 1.5, scale), rtol=1e-12)
    pairs = outputs[:40].reshape(20, 2)
    joint = stats.norm.logpdf(pairs, [1.0, 1.5], scale).sum(axis=1)
    np.testing.assert_allclose(mechanism.log_density(pairs, [1.0, 1.5]), joint, rtol=1e-12)
    ratios = joint - stats.norm.logpdf(pairs, [0.5, 3.0], scale).sum(axis=1)
    np.testing.assert_allclose(mechanism.log_ratio(pairs, [1.0, 1.5], [0.5, 3.0]), ratios, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("order", [1.5, 2.0, 8.0])
def test_the_renyi_divergence_by_quadrature_is_rho_times_the_order(order):
    law, other, rho = stats.norm(0.0, 2.0), stats.norm(1.6, 2.0), Gaussian.with_scale(2.0).charge(1.6).rho
    peak = 1.6 * (1 - order)
    power = lambda x: math.exp(order * law.logpdf(x) + (1 - order) * other.logpdf(x))  # noqa: E731
    moment = integrate.quad(power, peak - 30, peak + 30, points=[peak], epsabs=0, epsrel=1e-12)[0]
    assert math.log(moment) / (order - 1) == pytest.approx(rho * order, rel=1e-10)
    half = Gaussian.with_scale(4.0).charge(1.6).rho
    assert math.log(moment) / (order - 1) > 3.9 * half * order


def test_a_datum_costs_what_is_declared_or_its_share_of_it():
    mechanism = Gaussian(sensitivity=2.0, mu=0.7)
    assert mechanism.charge(0.0) == NOTHING
    assert mechanism.charge(2.0) == Charge(mu=0.7, rho=math.nextafter(0.7**2 / 2, 1))
    assert (mechanism.charge(1.0).mu, mechanism.charge(1.0).rho) == pytest.approx((0.35, 0.35**2 / 2), rel=1e-8)
    assert mechanism.charge(1.0).mu > 0.35 > mechanism.charge(1.0).mu / (1 + 2e-9)
    assert mechanism.loss(1.0) == math.inf
    with pytest.raises(PrivcheckError, match="L2"):
        mechanism.charge(2.1)
    with pytest.raises(PrivcheckError, match="rho: got inf"):
        Gaussian.with_scale(1e-300).charge(1.0)


def test_what_is_charged_is_what_is_converted():
    charge = Gaussian.with_scale(4.0).charge(math.sqrt(20))
    assert convert(GaussianDP(charge.mu), Approximate, delta=1e-6).epsilon == pytest.approx(5.550859868, abs=1e-9)
    assert convert(GaussianDP(charge.mu), Concentrated).rho == pytest.approx(charge.rho, rel=1e-10)


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_the_deltas_are_those_of_dp_accounting(scale):
    losses = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    law = losses.from_gaussian_mechanism(scale)
    for epsilon in (0.0, 0.5, 2.0):
        charged = convert(GaussianDP(Gaussian.with_scale(scale).charge(1.0).mu), Approximate, epsilon=epsilon).delta
        assert charged == pytest.approx(law.get_delta_for_epsilon(epsilon), rel=1e-3)


def test_the_l1_distance_is_not_needed_and_the_largest_entry_is_not_enough():
    """Four entries of 0.5 are at L2 distance 1, at L1 distance 2 and at distance 0.5 in the largest entry."""
    value = np.full(4, 0.5)
    for declared, enough in ((1.0, True), (0.5, False)):
        mechanism = Gaussian(sensitivity=declared, mu=1.0)
        mu = math.sqrt(2 * np.mean(mechanism.log_ratio(value, value, np.zeros(4))))  # the mean loss is mu^2 / 2
        assert (mu <= 1.0) == enough


@given(st.sampled_from([EPSILON, MU, RHO]), st.floats(1e-150, 1e100))
def test_budgets_and_ratios_determine_each_other(currency, loss):
    assert currency.of_ratio(currency.to_ratio(loss)) == pytest.approx(loss, rel=1e-14)
    assert getattr(currency.charge(loss), currency.name) == loss


def test_squares_add_up_over_the_statistics_of_a_datum():
    class Tree(BinaryTree):
        currency = MU
        mu = 1.0

    tree = Tree(horizon=8, sensitivity=1.0, epsilon=1.0)
    assert tree.statistics_per_datum == 4
    assert tree.scale == pytest.approx(2.0, rel=1e-8)
    assert tree.charge(1.0).mu == 1.0


def test_half_a_square_is_rounded_up():
    for ratio in (0.1, 1 / 3, 1e-200, 5e-324):
        assert RHO.of_ratio(ratio) >= MU.charge(ratio).rho > ratio * ratio / 2


@pytest.mark.chance(1e-9, "one Kolmogorov test", fresh=True)
def test_secure_release_follows_the_law_and_half_the_scale_does_not():
    """OpenDP takes no seed: a correct sampler fails here with probability 1e-9 in each run."""
    for scale, accepted in ((2.0, True), (1.0, False)):
        draws = Gaussian.with_scale(scale).release(np.full(2000, 5.0), None, secure=True)
        assert (stats.kstest(draws, stats.norm(5.0, 2.0).cdf).pvalue >= 1e-9) == accepted
    for scale in (1e-300, 1e150):
        assert math.isfinite(Gaussian.with_scale(scale).release(1.0, None, secure=True))


def test_less_noise_than_laplace_for_many_entries_at_the_same_guarantee():
    """Of 400 entries that all move by 1, at the same epsilon with delta 1e-6 and without."""
    guarantee = convert(GaussianDP(1.0), Approximate, delta=1e-6)
    pure = Laplace(sensitivity=400.0, epsilon=guarantee.epsilon)
    assert Gaussian(sensitivity=20.0, mu=1.0).scale < math.sqrt(2) * pure.scale / 5
