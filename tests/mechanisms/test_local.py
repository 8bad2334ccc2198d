"""What is particular to the local randomisers: tables of probabilities, unbiased estimates, twins, secure answers."""

import itertools
import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from privcheck.accounting import mu_of_pure, rho_of_pure
from privcheck.auditing._exact import exact_delta, exact_loss
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import (
    AboveThreshold,
    OneBit,
    RandomisedResponse,
    SubsetSelection,
    Wishart,
    one_bit,
    randomised_response,
    subset_selection,
)

FIXED = settings(derandomize=True, deadline=None, database=None, max_examples=40)


@FIXED
@given(epsilon=st.floats(0.01, 20.0), radius=st.floats(0.1, 10.0), share=st.floats(-1.0, 1.0))
def test_one_bit_is_unbiased_and_private(local, epsilon, radius, share):
    mechanism, value = OneBit(epsilon=epsilon, radius=radius), share * radius
    chances = np.exp([mechanism.log_density(report, value) for report in (1, -1)])
    assert chances.sum() == pytest.approx(1.0, abs=1e-14)
    assert chances[0] == pytest.approx(local.one_bit_chances(mechanism, value), rel=1e-9)
    estimates = mechanism.estimates([1, -1])
    assert chances @ estimates == pytest.approx(value, abs=1e-9 * radius)
    assert estimates[0] == pytest.approx(radius * (math.exp(epsilon) + 1) / math.expm1(epsilon), rel=1e-8)
    assert exact_loss(mechanism, (value, -radius)).value <= exact_loss(mechanism, (radius, -radius)).value
    assert exact_loss(mechanism, (radius, -radius)).upper <= epsilon


def test_one_bit_moves_values_into_the_range():
    mechanism = OneBit(epsilon=1.0, radius=2.0)
    assert mechanism.log_density(1, 1e300) == mechanism.log_density(1, 2.0)
    assert mechanism.log_density(-1, -7.0) == mechanism.log_density(-1, -2.0)


class Unclipped(OneBit):
    """A value beyond the range changes the coin as if the range were wider."""

    def _share(self, exact):
        return (exact / self.radius + 1.0) / 2.0


def test_one_bit_without_the_range_is_caught():
    pair = 2.1, -2.0
    assert exact_loss(OneBit(epsilon=1.0, radius=2.0), pair).upper <= 1.0
    assert exact_loss(Unclipped(epsilon=1.0, radius=2.0), pair).lower > 1.02


@FIXED
@given(categories=st.integers(2, 9), epsilon=st.floats(0.01, 20.0), data=st.data())
def test_subset_selection_is_unbiased_and_private(local, categories, epsilon, data):
    size = data.draw(st.integers(1, categories // 2))
    mechanism = SubsetSelection(categories=categories, epsilon=epsilon, size=size)
    laws = [local.subset_law(mechanism, truth) for truth in range(categories)]
    sets = local.rows(mechanism, laws[0])
    for truth in (0, categories - 1):
        expected = np.array(list(laws[truth].values()))
        law = np.exp(mechanism.log_density(sets, truth))
        np.testing.assert_allclose(law, expected, rtol=1e-9)
        mean = sum(p * mechanism.frequencies(row) for p, row in zip(law, sets, strict=True))
        np.testing.assert_allclose(mean, np.eye(categories)[truth], atol=1e-9 * np.exp(epsilon / 2) / epsilon)
    one, two = (np.array(list(laws[truth].values())) for truth in (0, 1))
    assert exact_loss(mechanism, (0, 1)).upper <= epsilon
    for budget in (0.0, epsilon / 2):
        truth = np.maximum(one - math.exp(budget) * two, 0.0).sum()
        assert exact_delta(mechanism, (0, 1), budget).value == pytest.approx(truth, abs=1e-10)


@pytest.mark.parametrize(("categories", "epsilon"), list(itertools.product((2, 3, 8, 20), (0.1, 1.0, 2.5, 6.0))))
def test_the_best_size_is_the_best_of_all(categories, epsilon):
    best = SubsetSelection.best(categories=categories, epsilon=epsilon)
    sizes = range(1, categories // 2 + 1)
    errors = [SubsetSelection(categories=categories, epsilon=epsilon, size=size).squared_error for size in sizes]
    assert best.squared_error == min(errors)
    assert best.size == 1 or best.squared_error < errors[0]


@pytest.mark.chance(1e-8, "a mean of 4000 bounded errors within 6 standard errors")
def test_the_squared_error_is_that_of_estimates():
    mechanism, rng = SubsetSelection.best(categories=8, epsilon=1.0), np.random.default_rng(0)
    answers = mechanism.release_batch(3, rng, 4000)
    errors = np.square([mechanism.frequencies(row) - np.eye(8)[3] for row in answers]).sum(axis=1)
    assert errors.mean() == pytest.approx(
        mechanism.squared_error, rel=6 * errors.std() / errors.mean() / math.sqrt(4000)
    )


class TooOften(SubsetSelection):
    """Keeps the true category with the probability of two categories, e^epsilon / (1 + e^epsilon)."""

    inclusion = property(lambda self: 1 / (1 + math.exp(-1 / self.scale)))


def test_a_set_that_holds_the_truth_too_often_is_caught():
    """The odds of holding it are 3 times too large, with 2 of 8 categories."""
    private, wrong = (kind(categories=8, epsilon=1.0, size=2) for kind in (SubsetSelection, TooOften))
    assert exact_loss(private, (0, 1)).upper <= wrong.loss(1) == 1.0
    assert exact_loss(wrong, (0, 1)).value == pytest.approx(1.0 + math.log(3.0), rel=1e-8)


def test_with_one_category_it_is_randomised_response():
    subset = SubsetSelection(categories=5, epsilon=1.3, size=1)
    expected = RandomisedResponse(categories=5, epsilon=1.3).probabilities(2)
    np.testing.assert_allclose(np.exp(subset.log_density(np.eye(5, dtype=int), 2)), expected)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_binary_randomised_response_attains_what_epsilon_implies_and_more_categories_do_not(epsilon):
    """rho: the largest Renyi divergence over its order. mu: Phi^-1 of both errors of the most powerful test."""
    orders = 1.0 + np.geomspace(1e-6, 1e3, 2000)
    rhos, mus = [], []
    for categories in (2, 5):
        p, q = np.sort(RandomisedResponse(categories=categories, epsilon=epsilon).probabilities(0))[[-1, 0]]
        rest = max(0.0, 1 - p - q)
        logs = [orders * math.log(a) + (1 - orders) * math.log(b) for a, b in ((p, q), (q, p))]
        moments = np.logaddexp(*logs)
        moments = np.logaddexp(moments, math.log(rest)) if categories > 2 else moments
        rhos.append((moments / (orders - 1) / orders).max())
        mus.append(stats.norm.isf(q) - stats.norm.ppf(q) if categories == 2 else 0.0)
    assert rhos[0] == pytest.approx(rho_of_pure(epsilon), rel=1e-4)
    assert mus[0] == pytest.approx(mu_of_pure(epsilon), rel=1e-6)
    assert rhos[1] < rhos[0]


@pytest.mark.chance(2e-9, "two chi-square tests", fresh=True)
def test_secure_answers_follow_the_law_and_half_the_scale_does_not(local):
    """OpenDP takes no seed: a correct sampler fails here with probability 1e-9 in each run."""
    one_bit, subset = OneBit(epsilon=1.0, radius=2.0), SubsetSelection(categories=5, epsilon=1.0, size=2)
    for factor, accepted in ((1.0, True), (2.5, False)):
        twin, values = OneBit(epsilon=factor, radius=2.0), np.tile(local.ONE_BIT_VALUE, (700, 1))
        assert (local.one_bit_p_value(one_bit, twin.draw(values, None, secure=True)) >= 1e-9) == accepted
        twin, values = SubsetSelection(categories=5, epsilon=factor, size=2), np.tile(local.SUBSET_VALUE, (700, 1))
        assert (local.subset_p_value(subset, twin.draw(values, None, secure=True)) >= 1e-9) == accepted


def test_bad_sizes_and_outputs_are_refused():
    for size in (0, 3, 1.5):
        with pytest.raises(PrivcheckError, match="size"):
            SubsetSelection(categories=5, epsilon=1.0, size=size)
    subset, one_bit = SubsetSelection(categories=5, epsilon=1.0, size=2), OneBit(epsilon=1.0, radius=1.0)
    for bad in ([1, 1, 1, 0, 0], [2, 0, 0, 0, 0], [1, 1], "1", [[1], [1, 2]], 1):
        with pytest.raises(PrivcheckError, match="output"):
            subset.log_density(bad, 1)
    for bad in (0, 2, 0.5, "1", [1, 1], [[1], [1, 2]]):
        with pytest.raises(PrivcheckError, match="output"):
            one_bit.log_density(bad, [0.0, 0.5, 1.0])
    for mechanism in (subset, one_bit):
        with pytest.raises(PrivcheckError, match="sensitivity"):
            mechanism.charge(2)


def test_calibration_finds_the_budget_of_one_report_and_wishart_noise_names_its_own():
    assert OneBit.calibrate(epsilon=1.0, releases=4, radius=2.0).epsilon == pytest.approx(0.25, rel=1e-8)
    subset = SubsetSelection.calibrate(epsilon=1.0, categories=5, size=2)
    assert subset.epsilon == pytest.approx(1.0, rel=1e-8)
    assert AboveThreshold.calibrate(epsilon=1.0, score_range=2.0, answers=3).loss(2.0) == pytest.approx(1.0, rel=1e-8)
    with pytest.raises(PrivcheckError, match="mechanism"):
        Wishart.calibrate(epsilon=1.0, delta=1e-6)


def test_the_coin_of_a_secure_answer_is_exact_for_many_categories(monkeypatch):
    """The rounding of 1 - p alone would be 5e-11 of p, which is far more than the slack pays for at a small epsilon."""
    mechanism = SubsetSelection(categories=10**6, epsilon=1e-3, size=1)
    heads, tosses = mechanism.inclusion.as_integer_ratio()
    odds = heads * (mechanism.categories - 1) / (tosses - heads)
    assert 1e-3 * (1 - 1e-8) < math.log(odds) < 1e-3

    class Tossed:
        def randrange(self, count):
            assert count == tosses
            return self.place

        def sample(self, others, count):
            return others[:count]

    monkeypatch.setattr(subset_selection, "SystemRandom", Tossed)
    for Tossed.place, kept in ((heads - 1, 1), (heads, 0)):
        assert mechanism.draw(3, None, secure=True)[3] == kept


@pytest.mark.parametrize("epsilon", [1.0, 1e-6, 3e-7, 1e-8, 1e-9, 1e-10, 1e-12])
@pytest.mark.parametrize("categories", [2, 3, 7])
def test_the_rounding_of_chances_is_paid_for_at_any_epsilon(epsilon, categories, monkeypatch):
    """The exact loss of the chance that each sampler is given, a float, is no larger than the charge."""
    chances, exactly = [], lambda answer: lambda *_: answer

    def randomised(_, keep):
        chances.append((keep, 1, categories - 1))
        return exactly(0)

    def binary(prob):
        chances.append((prob, 1, 1))
        return exactly(True)

    parts = SimpleNamespace(
        m=SimpleNamespace(make_randomized_response=randomised, make_randomized_response_bool=binary)
    )
    for module in (one_bit, randomised_response):
        monkeypatch.setattr(module, "opendp_parts", lambda: parts)
    response, report = RandomisedResponse(categories=categories, epsilon=epsilon), OneBit(epsilon=epsilon, radius=1.0)
    subset = SubsetSelection(categories=categories, epsilon=epsilon, size=categories // 2)
    response.draw(0, None, secure=True)
    report.draw(0.5, None, secure=True)
    chances.append((subset.inclusion, subset.size, categories - subset.size))
    for mechanism, (chance, own, others) in zip((response, report, subset), chances, strict=True):
        odds = Fraction(chance) * others / ((1 - Fraction(chance)) * own)
        charged = mechanism.charge(1).epsilon
        assert math.log1p(float(odds - 1)) <= charged
        assert charged == epsilon or (epsilon < 1e-6 and charged <= epsilon + 2.0**-48)
