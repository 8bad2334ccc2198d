"""What is particular to discrete Gaussian noise: its law, its divergences, its mu, and OpenDP's exact sampler."""

import itertools
import math

import numpy as np
import pytest
from scipy import special, stats

from privcheck import rounded
from privcheck.accounting import NOTHING, Approximate, Concentrated, GaussianDP, convert
from privcheck.auditing._exact import exact_delta, exact_loss
from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import DiscreteGaussian
from privcheck.mechanisms.discrete_gaussian_law import LARGEST_TABLE, mu_of_one, of_normal
from privcheck.privacy import relation

SIGMAS = (0.3, 0.7, 1.0, 3.0, 25.0)


def pmf(sigma):
    """Return the integers within 25 sigma and their probabilities, by enumeration."""
    places = np.arange(-math.ceil(25 * sigma) - 9, math.ceil(25 * sigma) + 10)
    weights = np.exp(-np.square(places / sigma) / 2)
    return places, weights / weights.sum()


def exact_mu(sigma, shift):
    """The largest difference of normal quantiles over tests with a threshold, whose errors are vertices of the
    trade-off function; between two vertices it is a chord of a convex function.
    """
    places, law = pmf(sigma)
    lower = np.cumsum(law[places < 0])[-math.ceil(20 * sigma) - 3 :]
    quantiles = special.ndtri_exp(np.log(lower))  # of P(Y <= k), k = ..., -2, -1; the law is symmetric
    both = np.concatenate((quantiles, -quantiles[::-1]))
    return np.max(both[shift:] - both[:-shift])


def test_numbers_give_ints_and_arrays_keep_their_shape():
    mechanism, rng = DiscreteGaussian(sensitivity=1, rho=0.5), np.random.default_rng(0)
    for secure in (False, True):
        assert type(mechanism.release(np.int32(2), rng, secure=secure)) is int
        released = mechanism.release(np.ones((2, 3), int), rng, secure=secure)
        assert released.shape == (2, 3)
        assert released.dtype == np.int64
    assert mechanism.noise(4, rng).shape == (4,)


@pytest.mark.parametrize("sigma", SIGMAS)
def test_the_probabilities_are_those_of_the_enumerated_law(sigma):
    places, law = pmf(sigma)
    mechanism, near = DiscreteGaussian.with_scale(sigma), np.abs(places) <= 10 * sigma + 1
    np.testing.assert_allclose(mechanism.probability(places + 5, 5)[near], law[near], rtol=1e-11)
    pairs = np.array([[5, 6], [5, 8]])
    joint = law[places == 0][0] * law[places == -1][0], law[places == 0][0] * law[places == 1][0]
    np.testing.assert_allclose(mechanism.probability(pairs, [5, 7]), joint, rtol=1e-11)


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("shift", [1, 3])
def test_the_renyi_divergence_is_at_most_rho_times_the_order_and_equal_for_integers(sigma, shift):
    places, _ = pmf(sigma)
    places = np.arange(places[0] - 50 * shift, places[-1] + 50 * shift)
    logs = [-np.square((places - moved) / sigma) / 2 for moved in (0, shift)]
    logs = [log - special.logsumexp(log) for log in logs]
    rho = DiscreteGaussian.with_scale(sigma).charge(shift).rho
    for order in (1.1, 1.5, 2.0, 3.0, 7.5):
        divergence = special.logsumexp(order * logs[0] + (1 - order) * logs[1]) / (order - 1)
        assert divergence <= rho * order * (1 + 1e-9)
        if order in (2.0, 3.0):
            assert divergence == pytest.approx(rho * order, rel=1e-9)


def test_a_vector_costs_the_square_of_its_l2_distance():
    """Entries that move by 1, 2 and 2: distance 3; the divergence of order 2 adds up over independent entries."""
    mechanism = DiscreteGaussian.with_scale(4.0)
    places = np.arange(-200, 201)
    total = 0.0
    for moved in (1, 2, 2):
        logs = [mechanism.log_density(places[:, None], [start]) for start in (0, moved)]
        total += special.logsumexp(2 * logs[0] - logs[1])
    assert total == pytest.approx(2 * mechanism.charge(3.0).rho, rel=1e-9)


@pytest.mark.parametrize("sigma", SIGMAS[1:])
@pytest.mark.parametrize("shift", [1, 2, 5])
def test_mu_is_proved_and_not_that_of_normal_noise(sigma, shift):
    mechanism = DiscreteGaussian.with_scale(sigma)
    needed, mu = exact_mu(sigma, shift), mechanism.charge(shift).mu
    assert shift / sigma < needed <= mu
    assert mu <= needed * (1.01 if sigma > 5.0 else 1.05 if sigma > 2.0 else 2.0)


@pytest.mark.parametrize("sigma", [0.7, 2.0, 6.0])
def test_the_total_variation_exceeds_that_of_normal_noise(sigma):
    """So it is not (s / sigma)-GDP."""
    found = exact_delta(DiscreteGaussian.with_scale(sigma), (0, 1), 0.0)
    normal = math.log(math.erf(1 / (2 * math.sqrt(2) * sigma)))
    assert math.log(found.lower) > normal
    assert (
        found.upper < convert(GaussianDP(DiscreteGaussian.with_scale(sigma).charge(1).mu), Approximate, epsilon=0).delta
    )


def test_a_datum_costs_what_is_declared_or_its_share_of_it():
    declared = DiscreteGaussian(sensitivity=2.0, rho=0.5)
    whole, part, given = declared.charge(2.0), declared.charge(1.0), DiscreteGaussian.with_scale(declared.scale)
    assert whole.rho == 0.5
    assert part.rho == pytest.approx(0.125, rel=1e-8)
    assert (whole.mu / 2, part.mu) == pytest.approx((given.charge(1.0).mu,) * 2, rel=1e-8)
    assert part.mu >= given.charge(1.0).mu
    assert part.rho >= given.charge(1.0).rho


def test_a_tiny_sigma_has_no_mu():
    charge = DiscreteGaussian.with_scale(0.15).charge(1)
    assert (charge.epsilon, charge.mu) == (math.inf, math.inf)
    assert charge.rho == pytest.approx(1 / (2 * 0.15**2))
    assert [mu_of_one(sigma) * sigma < 1.0001 for sigma in (50.0, 100.0, 1e12)] == [False, True, True]
    assert DiscreteGaussian.with_scale(0.15).charge(0) == NOTHING


@pytest.mark.parametrize(("sigma", "size"), [(0.5, 1), (2.0, 3), (40.0, 7)])
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 2.0])
def test_the_exact_delta_by_enumeration(sigma, size, epsilon):
    places, law = pmf(sigma)
    wide = np.zeros((2, places.size + size))
    wide[0, : places.size], wide[1, size:] = law, law
    mechanism = DiscreteGaussian.with_scale(sigma)
    found = exact_delta(mechanism, ([4, 0], [4, size]), epsilon)
    for one, two in itertools.permutations(wide):
        assert found.value == pytest.approx(np.maximum(one - math.exp(epsilon) * two, 0).sum(), rel=1e-9, abs=1e-200)
    assert found.width <= 1e-11 * found.value + 1e-299
    assert found.upper <= convert(Concentrated(mechanism.charge(size).rho), Approximate, epsilon=epsilon).delta
    assert exact_loss(mechanism, (0, size)).value == math.inf
    assert exact_loss(mechanism, (3, 3)).value == exact_delta(mechanism, (3, 3), epsilon).value == 0.0
    assert exact_loss(mechanism, ([0, 0], [1, 1])) is None


@pytest.mark.parametrize(("sigma", "size"), [(1.0, 1), (2.0, 3), (5.0, 2)])
def test_the_deltas_are_those_of_dp_accounting(sigma, size):
    losses = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    law = losses.from_discrete_gaussian_mechanism(sigma, sensitivity=size)
    mechanism = DiscreteGaussian.with_scale(sigma)
    mu = mechanism.charge(size).mu
    for epsilon in (0.0, 0.5, 2.0):
        found, theirs = exact_delta(mechanism, (0, size), epsilon), law.get_delta_for_epsilon(epsilon)
        assert found.value == pytest.approx(theirs, rel=2e-3)
        assert found.lower <= theirs
        assert theirs <= convert(GaussianDP(mu), Approximate, epsilon=epsilon).delta


@pytest.mark.parametrize("sigma", [0.3, 2.0, 300.0, LARGEST_TABLE * 1.001])
def test_quantiles_of_normal_draws_have_the_law(sigma):
    """The probability of each integer is that of the normal draws that are mapped to it: no sampling."""
    places, law = pmf(sigma)
    edges = (places[:-1] + 0.5) / sigma
    edges = edges[np.abs(edges) < 8.0]
    low, high = edges - 2.0 / sigma, edges + 2.0 / sigma
    for _ in range(60):  # bisection for where the result jumps
        middle = (low + high) / 2
        above = of_normal(middle, sigma) > np.rint(edges * sigma - 0.5)
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    mapped = np.diff(special.ndtr(high))
    inner = law[(places > edges[0] * sigma) & (places < edges[-1] * sigma)]
    assert np.abs(mapped - inner).sum() < 1e-12


def test_what_is_no_integer_is_refused():
    with pytest.raises(PrivcheckError, match="at least 1"):
        DiscreteGaussian(sensitivity=0.5, rho=1.0)
    with pytest.raises(PrivcheckError, match="at most 1e12"):
        DiscreteGaussian(sensitivity=1, rho=1e-30)
    with pytest.raises(PrivcheckError, match="integer"):
        DiscreteGaussian.with_scale(1.0).release(0.5, np.random.default_rng(0))


def test_a_session_charges_the_root_of_a_sum_of_squares():
    """One reward in {0, 1} moves three counts by one each: the distance is the root of 3, and not 1."""
    session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0))
    session.round = 1
    reward = rounded(session.reward(1.0, 0))
    with session.active():
        released = DiscreteGaussian.with_scale(2.0).release(np.stack([reward, reward, reward]), None)
    assert released.dtype == np.int64
    charged = session.ledger.releases[0]
    assert charged.sensitivities[1] == pytest.approx(math.sqrt(3), rel=1e-12)
    assert charged.charges[1].rho == pytest.approx(3 / 8, rel=1e-12)


@pytest.mark.chance(1e-9, "one chi-square test", fresh=True)
def test_secure_release_follows_the_law_and_half_the_scale_does_not():
    """OpenDP takes no seed: a correct sampler fails here with probability 1e-9 in each run."""
    places, law = pmf(2.0)
    inner = np.abs(places) <= 5
    expected = np.array([law[places < -5].sum(), *law[inner], law[places > 5].sum()]) * 4000
    for scale, accepted in ((2.0, True), (1.0, False)):
        draws = DiscreteGaussian.with_scale(scale).release(np.full(4000, 7), None, secure=True) - 7
        counts = np.bincount(np.clip(draws, -6, 6) + 6, minlength=13)
        assert (stats.chisquare(counts, expected).pvalue >= 1e-9) == accepted
