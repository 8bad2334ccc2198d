"""The exponential mechanism and permute and flip: exact laws by enumeration, worst changes, and bounded range."""

import itertools
import math

import numpy as np
import pytest
from scipy import special, stats

from privcheck.accounting import NOTHING, Charge, mu_of_bounded_range, mu_of_pure, rho_of_bounded_range, rho_of_pure
from privcheck.mechanisms import ExponentialMechanism, NoisyMax, PermuteAndFlip

SCORES = ([0.0, 0.0], [0.0, 1.0, 2.5, 1.0], [3.0, -1.0, 0.5], [0.0, 40.0, 39.0, 0.0])
ORDERS = (1.0 + 1e-6, 1.5, 2.0, 5.0, 30.0)


def flipped(scores, scale):
    """The law of permute and flip by its definition: every order of the indices, every first acceptance."""
    accept = np.exp((np.array(scores) - max(scores)) / scale)
    law = np.zeros(len(scores))
    for order in itertools.permutations(range(len(scores))):
        left = 1.0
        for index in order:
            law[index] += left * accept[index]
            left *= 1.0 - accept[index]
    return law / math.factorial(len(scores))


@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_the_laws_are_those_of_the_definitions(scores, scale):
    one, two = ExponentialMechanism.with_scale(scale), PermuteAndFlip.with_scale(scale)
    np.testing.assert_allclose(one.probabilities(scores), special.softmax(np.array(scores) / scale), rtol=1e-12)
    np.testing.assert_allclose(two.probabilities(scores), flipped(scores, scale), rtol=1e-12)
    assert two.probabilities(scores) @ scores >= one.probabilities(scores) @ scores - 1e-12


@pytest.mark.chance(1e-9, "one chi-square test; half of the cases have a seed", fresh=True)
@pytest.mark.parametrize("secure", [False, True])
@pytest.mark.parametrize("kind", [ExponentialMechanism, PermuteAndFlip])
def test_releases_follow_the_law_and_half_the_scale_does_not(kind, secure):
    """OpenDP takes no seed: a correct sampler fails here with probability 1e-9 in each run."""
    rng, scores = np.random.default_rng(1), [0.0, 1.0, 2.5, 1.0]
    law = kind.with_scale(1.0).probabilities(scores)
    for scale, accepted in ((1.0, True), (0.5, False)):
        winners = [kind.with_scale(scale).release(scores, rng, secure=secure) for _ in range(700)]
        assert type(winners[0]) is int
        assert (stats.chisquare(np.bincount(winners, minlength=4), law * 700).pvalue >= 1e-9) == accepted


def pairs():
    """Scores and neighbours, with changes on a grid that have a range of at most 1."""
    for base in ([0.0, 0.0], [0.0, 2.0], [0.0, 1.0], [0.5, -0.5], [0.0, 0.0, 0.0], [0.0, 1.0, 4.0]):
        for change in itertools.product((-0.5, -0.25, 0.0, 0.5), repeat=len(base)):
            yield np.array(base), np.array(base) + change


@pytest.mark.parametrize("kind", [ExponentialMechanism, PermuteAndFlip])
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_no_change_of_the_scores_costs_more_than_epsilon(kind, epsilon):
    mechanism = kind(score_range=1.0, epsilon=epsilon)
    worst = max(
        np.abs(mechanism.log_probabilities(one) - mechanism.log_probabilities(two)).max() for one, two in pairs()
    )
    assert 0.8 * epsilon < worst <= epsilon
    half = kind.with_scale(mechanism.scale / 2)
    assert any(
        np.abs(half.log_probabilities(one) - half.log_probabilities(two)).max() > epsilon for one, two in pairs()
    )


def renyi(log_p, log_q, order):
    return special.logsumexp(order * log_p + (1.0 - order) * log_q) / (order - 1.0)


@pytest.mark.parametrize("mechanism", [ExponentialMechanism, lambda **given: NoisyMax(noise="gumbel", **given)])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 12.0])
def test_rho_bounds_the_renyi_divergences_of_all_changes(mechanism, epsilon):
    declared = mechanism(score_range=1.0, epsilon=epsilon)
    rho, worst = declared.charge(1.0).rho, 0.0
    for one, two in pairs():
        logs = [declared.log_probabilities(scores) for scores in (one, two)]
        assert np.ptp(logs[0] - logs[1]) <= epsilon
        for order, (p, q) in itertools.product(ORDERS, itertools.permutations(logs)):
            worst = max(worst, renyi(p, q, order) / order)
    assert worst <= rho * (1.0 + 1e-9)
    assert worst > rho * (0.95 if epsilon <= 1.0 else 0.3)


def test_permute_and_flip_has_neither_the_bounded_range_nor_its_rho():
    declared = PermuteAndFlip(score_range=1.0, epsilon=0.1)
    logs = [declared.log_probabilities(scores) for scores in ([0.0, 0.0], [0.0, -1.0])]
    assert np.ptp(logs[0] - logs[1]) > 0.19
    assert renyi(*logs, 1.0 + 1e-6) > 3.5 * rho_of_bounded_range(0.1)
    assert declared.charge(1.0) == Charge(0.1)


def test_monotone_scores_need_half_the_noise_of_others():
    """One datum raises counts by one each: r = 1. One that is replaced raises a count and lowers another: r = 2."""
    counts, raised, replaced = np.array([3.0, 3.0, 2.0]), np.array([4.0, 3.0, 3.0]), np.array([4.0, 2.0, 2.0])
    mechanism = ExponentialMechanism(score_range=1.0, epsilon=0.5)
    loss = [
        np.abs(mechanism.log_probabilities(counts) - mechanism.log_probabilities(other)).max()
        for other in (raised, replaced)
    ]
    assert loss[0] <= 0.5 < loss[1]


@pytest.mark.parametrize("eta", [0.05, 1.0, 5.0, 15.0])
def test_mu_of_a_bounded_range_is_the_largest_over_two_coins(eta):
    """Every pair of coins whose log-odds differ by eta, against the pair in the middle."""
    x = np.linspace(-eta / 2 - 20.0, eta / 2 + 20.0, 4001)
    heads = [special.log_expit(x + half) for half in (eta / 2, -eta / 2)]
    tails = [special.log_expit(-x - half) for half in (eta / 2, -eta / 2)]
    quantiles = [
        np.where(log_p < math.log(0.5), special.ndtri_exp(log_p), -special.ndtri_exp(log_q))
        for log_p, log_q in zip(heads, tails, strict=True)
    ]
    found = float(np.max(quantiles[0] - quantiles[1]))
    mu = mu_of_bounded_range(eta)
    assert found == pytest.approx(mu, rel=1e-9)
    assert found <= mu < 0.7 * mu_of_pure(eta)


def test_the_range_of_noisy_max_is_bounded_with_gumbel_noise_only():
    for noise, same in (("laplace", True), ("exponential", True), ("gumbel", False)):
        declared = NoisyMax(score_range=2.0, epsilon=1.0, noise=noise)
        assert declared.charge(2.0).epsilon == 1.0
        assert (declared.charge(2.0) == Charge(1.0)) == same
        assert declared.charge(0.0) == NOTHING
    gumbel = NoisyMax(score_range=2.0, epsilon=1.0, noise="gumbel").charge(2.0)
    assert gumbel == ExponentialMechanism(score_range=2.0, epsilon=1.0).charge(2.0)
    assert (gumbel.rho, gumbel.mu) == (rho_of_bounded_range(1.0), mu_of_bounded_range(1.0))
    assert rho_of_bounded_range(30.0) == rho_of_pure(30.0)
