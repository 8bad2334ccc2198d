"""What is particular to randomised response: the table of probabilities, OpenDP's map and sampler."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from privcheck.errors import PrivcheckError
from privcheck.mechanisms import RandomisedResponse

FIXED = settings(derandomize=True, deadline=None, database=None, max_examples=60)


@FIXED
@given(categories=st.integers(2, 30), epsilon=st.floats(0.01, 20.0))
def test_the_table_of_probabilities(categories, epsilon):
    mechanism = RandomisedResponse(categories=categories, epsilon=epsilon)
    table = np.array([mechanism.probabilities(truth) for truth in range(categories)])
    np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-12)
    keep = math.exp(epsilon) / (math.exp(epsilon) + categories - 1)
    np.testing.assert_allclose(np.diag(table), keep, rtol=1e-6)
    losses = np.log(table[:, None, :] / table[None, :, :]).max(axis=2)
    assert losses.max() <= epsilon
    for one in range(categories):
        assert mechanism.pair_loss(0, one) == pytest.approx(losses[0, one], abs=1e-12)
    assert mechanism.loss(0) == 0.0
    assert mechanism.loss(1) == epsilon


@FIXED
@given(categories=st.integers(2, 10), epsilon=st.floats(0.05, 6.0))
def test_the_loss_map_agrees_with_opendp(categories, epsilon):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    keep = float(RandomisedResponse(categories=categories, epsilon=epsilon).probabilities(0)[0])
    charged = dp.m.make_randomized_response(list(range(categories)), keep).map(1)
    assert charged == pytest.approx(epsilon, rel=1e-8)
    assert charged <= epsilon


def test_the_warner_coin_that_keeps_the_truth_with_the_wrong_probability_is_caught():
    """K = 4 with the p of K = 2 is less noisy than declared: p / q = 3 e."""
    binary = RandomisedResponse(categories=2, epsilon=1.0).probabilities(0)[0]
    assert math.log(binary / ((1 - binary) / 3)) == pytest.approx(1.0 + math.log(3), abs=1e-6)
    four = RandomisedResponse(categories=4, epsilon=1.0)
    assert four.probabilities(0)[0] < binary
    assert math.log(four.probabilities(0)[0] / four.probabilities(0)[1]) <= 1.0


def test_an_array_is_one_datum_per_entry():
    mechanism, rng = RandomisedResponse(categories=3, epsilon=2.0), np.random.default_rng(0)
    for secure in (False, True):
        assert type(mechanism.release(np.int8(2), rng, secure=secure)) is int
        assert mechanism.release([[0, 1, 2], [2, 1, 0]], rng, secure=secure).shape == (2, 3)
    assert mechanism.log_ratio([0, 1], [0, 1], [1, 0]) == pytest.approx(4.0, abs=1e-6)
    with pytest.raises(PrivcheckError, match="sensitivity"):
        mechanism.loss(2)
    with pytest.raises(PrivcheckError, match="other"):
        mechanism.log_ratio([0, 1], [0, 1], 1)
    with pytest.raises(PrivcheckError, match="output"):
        mechanism.log_density([0, 3], [0, 1])


def test_epsilon_above_20_is_refused():
    with pytest.raises(PrivcheckError, match="epsilon"):
        RandomisedResponse(categories=2, epsilon=20.5)


@pytest.mark.chance(1e-9, "one chi-square test", fresh=True)
def test_secure_answers_follow_the_law_and_half_the_scale_does_not():
    """OpenDP takes no seed: a correct sampler fails here with probability 1e-9 in each run."""
    truth = np.full(3000, 1)
    expected = RandomisedResponse(categories=3, epsilon=1.0).probabilities(1) * truth.size
    for epsilon, accepted in ((1.0, True), (2.0, False)):
        answers = RandomisedResponse(categories=3, epsilon=epsilon).release(truth, None, secure=True)
        assert (stats.chisquare(np.bincount(answers, minlength=3), expected).pvalue >= 1e-9) == accepted
