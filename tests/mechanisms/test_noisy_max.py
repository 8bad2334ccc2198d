"""The exact law of the noisy maximum, and what a replaced row costs beyond the scale for monotone counts."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from privcheck import guard, zeros
from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import AboveThreshold, NoisyMax, ScoresAfterWinner, noisy_max
from privcheck.privacy import relation, score_range

FIXED = settings(derandomize=True, deadline=None, database=None, max_examples=60)


def tail(x):
    """P(Z1 - Z2 > x), x >= 0, for independent standard Laplace variables."""
    return (2 + x) * math.exp(-x) / 4


NOISES = {"laplace": stats.laplace, "exponential": stats.expon, "gumbel": stats.gumbel_r}


def quadrature(scores, scale, noise="laplace"):
    """The law by adaptive quadrature of scipy's densities between the sorted scores: an independent route."""
    cuts = sorted({*scores, min(scores) - 45 * scale, max(scores) + 45 * scale})

    def integrand(x, j):
        others = np.delete(scores, j)
        return NOISES[noise].pdf(x, scores[j], scale) * np.prod(NOISES[noise].cdf(x, others, scale))

    def mass(j):
        return math.fsum(
            integrate.quad(integrand, *ends, args=(j,), epsabs=1e-13)[0] for ends in itertools.pairwise(cuts)
        )

    return np.array([mass(j) for j in range(len(scores))])


def row_losses(mechanism, arms):
    """Largest loss over all pairs of single rows in {0, 1}^arms and all outputs."""
    rows = [np.array(row, dtype=float) for row in itertools.product((0, 1), repeat=arms)]
    laws = [mechanism.log_probabilities(row) for row in rows]
    return max(float(np.max(one - two)) for one in laws for two in laws)


@FIXED
@given(gap=st.floats(0.0, 600.0), scale=st.floats(0.1, 10.0), base=st.floats(-50.0, 50.0))
def test_two_scores_follow_the_closed_form(gap, scale, base):
    mechanism = NoisyMax.with_scale(scale)
    scores = np.array([base + gap, base])
    x = (scores[0] - scores[1]) / scale
    np.testing.assert_allclose(mechanism.probabilities(scores)[0], 1 - tail(x), rtol=1e-12)
    assert mechanism.log_probabilities(scores)[1] == pytest.approx(math.log((2 + x) / 4) - x, rel=1e-11, abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "scale"),
    [
        ((0.0, 0.0, 0.0), 1.0),
        ((0.0, 1.0, 1.0), 1.0),
        ((3.0, -1.0, 0.5, 0.5), 2.0),
        ((0.0, 20.0, 19.0), 1.0),
        ((0.1, 0.2, 5.0, -4.0, 0.15), 0.3),
    ],
)
@pytest.mark.parametrize("noise", NOISES)
def test_the_law_agrees_with_adaptive_quadrature(scores, scale, noise):
    law = NoisyMax.with_scale(scale, noise=noise).probabilities(scores)
    np.testing.assert_allclose(law, quadrature(scores, scale, noise), atol=1e-10)
    broken = quadrature(scores, scale * 0.5, noise)
    assert len(set(scores)) == 1 or np.abs(law - broken).max() > 1e-10


@pytest.mark.parametrize("noise", NOISES)
@FIXED
@given(
    scores=st.lists(st.floats(-30, 30), min_size=1, max_size=12), shift=st.floats(-100, 100), scale=st.floats(0.1, 10)
)
def test_the_law_is_a_law_and_depends_on_score_differences_only(noise, scores, shift, scale):
    mechanism, scores = NoisyMax.with_scale(scale, noise=noise), np.array(scores)
    law = mechanism.probabilities(scores)
    assert law.sum() == pytest.approx(1.0, abs=1e-12)
    assert (law > 0).all()
    np.testing.assert_allclose(mechanism.probabilities(scores + shift), law, rtol=1e-9)
    np.testing.assert_allclose(mechanism.probabilities(scores[::-1]), law[::-1], rtol=1e-12)
    assert law.argmax() in np.flatnonzero(scores >= scores.max() - 1e-9)


def test_many_scores_and_wide_gaps():
    equal = NoisyMax.with_scale(1.0).probabilities(np.zeros(300))
    np.testing.assert_allclose(equal, 1 / 300, rtol=1e-12)
    far = NoisyMax.with_scale(1.0).log_probabilities([0.0, 1e9])
    assert far[0] == pytest.approx(math.log((2 + 1e9) / 4) - 1e9, rel=1e-12)
    with pytest.raises(PrivcheckError, match="further apart"):
        NoisyMax.with_scale(1e-300).probabilities([1e300, -1e300])


@pytest.mark.parametrize("n", [2, 4, 8, 16, 64, 4096])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 3.0])
def test_published_scale_under_row_replacement_with_two_arms(n, epsilon):
    """(0, n) -> (1, n - 1) costs 2 epsilon + ln((2 + epsilon (n - 2)) / (2 + epsilon n)) > epsilon."""
    published = NoisyMax.with_scale(1 / epsilon)
    loss = published.log_ratio(0, [1.0, n - 1.0], [0.0, float(n)])
    expected = 2 * epsilon + math.log((2 + epsilon * (n - 2)) / (2 + epsilon * n))
    assert loss == pytest.approx(expected, rel=1e-10)
    assert epsilon < loss <= published.loss(score_range("row")) == 2 * epsilon
    repaired = NoisyMax(score_range=score_range("row"), epsilon=epsilon)
    assert repaired.log_ratio(0, [1.0, n - 1.0], [0.0, float(n)]) <= epsilon


@pytest.mark.parametrize(("arms", "n", "loss"), [(2, 2, 1.3068528), (3, 1, 1.4245743), (10, 1, 1.9449670)])
def test_regression_numbers(arms, n, loss):
    """Arm 0 is n behind all others, and the replaced row helps it and hurts them."""
    behind = np.array([0.0] + [float(n)] * (arms - 1))
    after = behind + np.array([1.0] + [-1.0] * (arms - 1))
    assert NoisyMax.with_scale(1.0).log_ratio(0, after, behind) == pytest.approx(loss, abs=2e-7)


@pytest.mark.parametrize(("arms", "behind", "gap"), [(2, 1e7, 1e-6), (3, 15.0, 1e-6), (4, 15.0, 1e-6)])
def test_the_loss_approaches_range_over_scale_from_below(arms, behind, gap):
    """As arm 0 falls behind, the loss of one replaced row tends to 2 epsilon; with two arms slowly, like 4 / n."""
    before = np.array([0.0] + [behind] * (arms - 1))
    after = before + np.array([1.0] + [-1.0] * (arms - 1))
    loss = NoisyMax.with_scale(1.0).log_ratio(0, after, before)
    assert 2 - gap <= loss <= 2 + 1e-9


@pytest.mark.parametrize("arms", [2, 3, 4])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0])
def test_one_row_of_any_corner_keeps_the_declared_epsilon(arms, epsilon):
    repaired = NoisyMax(score_range=score_range("row"), epsilon=epsilon)
    assert 0 < row_losses(repaired, arms) <= repaired.loss(2.0) == epsilon


def test_the_monotone_scale_breaks_the_same_check():
    """Scale 1 / epsilon is right for monotone changes; with three arms a single row already costs more."""
    assert row_losses(NoisyMax.with_scale(1.0), 3) == pytest.approx(1.4245743, abs=1e-7)
    monotone = NoisyMax(score_range=score_range("reward"), epsilon=1.0)
    with pytest.raises(PrivcheckError, match="range of score differences"):
        monotone.loss(score_range("row"))


@FIXED
@given(seed=st.integers(0, 2**32), arms=st.integers(2, 6), direction=st.sampled_from([-1.0, 1.0]))
def test_monotone_changes_cost_half(seed, arms, direction):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=arms) * 3
    other = scores + direction * rng.random(arms)
    mechanism = NoisyMax.with_scale(1.0)
    ratios = mechanism.log_probabilities(scores) - mechanism.log_probabilities(other)
    assert np.abs(ratios).max() <= mechanism.loss(score_range("reward")) + 1e-9


@pytest.mark.chance(1e-6, "one chi-square test")
def test_the_sampler_with_the_monotone_scale_is_caught():
    """Chi-square with 3 degrees of freedom; a correct sampler fails with probability 1e-6 over the choice of seed."""
    scores, draws = [0.0, 1.0, 2.0, 1.0], 20_000
    repaired, monotone = NoisyMax(score_range=2.0, epsilon=1.0), NoisyMax.with_scale(1.0)
    expected = repaired.probabilities(scores) * draws
    for mechanism, accepted in ((repaired, True), (monotone, False)):
        counts = np.bincount(mechanism.release_batch(scores, np.random.default_rng(11), draws), minlength=4)
        assert (stats.chisquare(counts, expected).pvalue >= 1e-6) == accepted


def test_ties_go_to_the_lowest_index():
    """Noise far below the resolution of the scores leaves them tied."""
    tiny, rng = NoisyMax.with_scale(1e-30), np.random.default_rng(0)
    assert tiny.release([1.0, 2.0, 2.0], rng) == 1
    assert set(tiny.release_batch([1.0, 2.0, 2.0], rng, 100).tolist()) == {1}


def test_releases_are_indices():
    mechanism, rng = NoisyMax(score_range=2.0, epsilon=1.0), np.random.default_rng(0)
    assert type(mechanism.release([0.0, 1.0], rng)) is int
    assert mechanism.release([4.0], rng) == 0
    assert type(mechanism.release([0.0, 1.0], None, secure=True)) is int
    for bad in (2, -1, 0.5):
        with pytest.raises(PrivcheckError, match="output"):
            mechanism.log_ratio(bad, [0.0, 1.0], [1.0, 0.0])
    with pytest.raises(PrivcheckError, match="2 scores"):
        mechanism.log_ratio(0, [0.0, 1.0], [1.0, 0.0, 0.0])


def permute_and_flip(scores, scale):
    """The law by definition: visit the scores in random order, take score j with probability exp((u_j - max) / b)."""
    law, accept = np.zeros(len(scores)), np.exp((np.array(scores) - max(scores)) / scale)
    orders = list(itertools.permutations(range(len(scores))))
    for order in orders:
        left = 1.0 / len(orders)
        for j in order:
            law[j] += left * accept[j]
            left *= 1.0 - accept[j]
    return law


@FIXED
@given(scores=st.lists(st.floats(-20, 20), min_size=1, max_size=5), scale=st.floats(0.3, 10))
def test_exponential_noise_is_permute_and_flip(scores, scale):
    law = NoisyMax.with_scale(scale, noise="exponential").probabilities(scores)
    np.testing.assert_allclose(law, permute_and_flip(scores, scale), rtol=1e-9)


@FIXED
@given(scores=st.lists(st.floats(-20, 20), min_size=1, max_size=6), scale=st.floats(0.3, 10))
def test_gumbel_noise_is_the_exponential_mechanism(scores, scale):
    law = NoisyMax.with_scale(scale, noise="gumbel").probabilities(scores)
    np.testing.assert_allclose(law, special.softmax(np.array(scores) / scale), rtol=1e-9)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0])
def test_one_row_keeps_the_declared_epsilon_and_the_monotone_scale_does_not(noise, epsilon):
    """Nine scores ahead of the first by 20 / epsilon fall by 1 and it rises by 1: the range is 2, not 1."""
    before = np.array([0.0] + [20.0 / epsilon] * 9)
    after = before + np.array([1.0] + [-1.0] * 9)
    repaired = NoisyMax(score_range=score_range("row"), epsilon=epsilon, noise=noise)
    assert 0.99 * epsilon < repaired.log_ratio(0, after, before) <= epsilon
    add_or_remove = NoisyMax(score_range=1.0, epsilon=epsilon, noise=noise)
    assert add_or_remove.log_ratio(0, after, before) > 1.9 * epsilon
    with pytest.raises(PrivcheckError, match="range of score differences"):
        add_or_remove.loss(score_range("row"))


def test_exponential_noise_attains_its_loss():
    mechanism = NoisyMax.with_scale(1.5, noise="exponential")
    assert mechanism.log_ratio(0, [1.0, 1.0, 0.5], [0.0, 2.0, 1.5]) == pytest.approx(mechanism.loss(2.0), rel=1e-12)


@pytest.mark.chance(1e-9, "one chi-square test", fresh=True)
@pytest.mark.parametrize("noise", NOISES)
def test_secure_release_follows_the_law_and_half_the_scale_does_not(noise):
    """OpenDP takes no seed: a correct sampler fails here with probability 1e-9 in each run."""
    scores, draws = [0.0, 1.0, 2.5, 1.0], 3000
    mechanism = NoisyMax.with_scale(1.0, noise=noise)
    expected = mechanism.probabilities(scores) * draws
    for sampler, accepted in ((mechanism, True), (NoisyMax.with_scale(0.5, noise=noise), False)):
        counts = np.bincount([sampler.release(scores, None, secure=True) for _ in range(draws)], minlength=4)
        assert (stats.chisquare(counts, expected).pvalue >= 1e-9) == accepted


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 0.75, 1.0, 3e200])
def test_secure_laplace_noise_is_added_to_rounded_scores_exactly(scale, monkeypatch):
    """A step is at most 2^-53 of the scale; scores that floats cannot add to one another are compared exactly."""
    scales = []

    def no_noise(lattice_scale):
        scales.append(lattice_scale)
        return lambda zeros: [0] * len(zeros)

    monkeypatch.setattr(noisy_max, "integer_laplace", no_noise)
    mechanism = NoisyMax.with_scale(scale)
    assert mechanism.release([1e300, -1e300, 1e300 * (1 + 2.0**-52)], None, secure=True) == 2
    assert mechanism.release([0.0, scale * 2.0**-52, scale * 2.0**-52], None, secure=True) == 1
    assert mechanism.release([0.0, scale * 2.0**-56], None, secure=True) == 0
    assert all(2.0**53 <= lattice_scale <= 2.0**54 * (1 + 2.0**-31) for lattice_scale in scales)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 1.0, 50.0])
def test_rounding_to_the_lattice_costs_nothing(epsilon):
    """The exact loss bound on integers, (r / g + 2) / (lattice scale), is at most epsilon."""
    mechanism = NoisyMax.with_scale(2.0 / epsilon)
    step = Fraction(2) ** (math.frexp(mechanism.scale)[1] - 54)
    lattice_scale = Fraction(float(Fraction(mechanism.scale) / step) * (1.0 + 2.0**-32))
    assert (Fraction(2) / step + 2) / lattice_scale <= Fraction(mechanism.loss(2.0))
    assert (Fraction(2) / step + 2) / (Fraction(mechanism.scale) / step) > Fraction(2) / Fraction(mechanism.scale)


@pytest.mark.parametrize("epsilon", [1e-6, 3e-8, 1e-8, 1e-10])
@pytest.mark.parametrize("answers", [0, 1, 100])
def test_a_guard_charges_the_rounding_to_the_lattice(epsilon, answers):
    """Of noisy maxima, and of answers to queries: (r / g + 2) steps are lost at the scale of each noise on the lattice.

    Many equal scores lose all of it, however little they differ: the largest noise of the others is positive then.
    """
    mechanism = (
        AboveThreshold.with_scale(1.0 / epsilon, answers=answers) if answers else NoisyMax.with_scale(1 / epsilon)
    )
    scales = [mechanism.threshold_scale, *[mechanism.query_scale] * answers] if answers else [mechanism.scale]
    step = Fraction(2) ** (math.frexp(scales[-1])[1] - 54)
    on_lattice = [Fraction(float(Fraction(scale) / step) * (1.0 + 2.0**-32)) for scale in scales]
    loss = float(sum((1 / step + 2) / scale for scale in on_lattice))
    session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0), round=1)
    scores = zeros(2)
    scores[1] += session.reward(0.5, 0)
    with session.active():
        mechanism.release(scores, None)
    paid = session.ledger.totals[1]
    assert loss <= paid * (1.0 + 2e-9)
    assert (
        paid - epsilon <= 2.1 * max(loss - epsilon, 0.0) + 1e-8 * epsilon
    )  # of a step from 2^-54 to 2^-53 of the scale


def test_a_guard_does_not_release_scores_whose_winner_it_has_not_released():
    """Scores of (1, 0) and of (0, 0), each given that the second wins, differ by more than the charge of 1."""
    scores = ScoresAfterWinner.with_scale(1.0, winner=1)
    second_wins = [tail(1.0), tail(0.0)]
    loss = -abs(1.0 - 1.0) + abs(1.0 - 0.0) - math.log(second_wins[0] / second_wins[1])
    assert loss > 1.5 > scores.loss(1.0) == 1.0

    class Scores:
        def __init__(self, rng):
            self.rng = rng

        def select(self):
            return 0

        def update(self, action, reward):
            sums = zeros(2)
            sums[0] += reward
            scores.release(sums, self.rng)

    guarded = guard(Scores, epsilon=10.0, arms=2, noise="float")
    with pytest.raises(PrivcheckError, match="winner that may not have been released"):
        guarded.update(guarded.select(), 1.0)
    assert guarded.spent == 0.0
