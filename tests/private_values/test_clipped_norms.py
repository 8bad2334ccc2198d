"""Clipping to a norm: the values, and sensitivities that no pair of vectors exceeds."""

import math

import numpy as np
import pytest

from privcheck import clip_norm
from privcheck.errors import PrivcheckError
from privcheck.private_values import REVEAL, PrivateSource


def row(source, context, reward, low=-1.0, datum=1):
    vector = source.vector(context, -1.0, 1.0, data=datum, l2_norm=1.0)
    return np.hstack([vector, source.scalar(reward, low, 1.0, datum=datum)])


@pytest.mark.parametrize("norm", [0.3, 1.0, math.sqrt(2.0), 5.0])
def test_private_and_ordinary_vectors_are_clipped_alike(norm):
    rng = np.random.default_rng(0)
    for _ in range(20):
        context = rng.standard_normal(3)
        context /= max(np.linalg.norm(context), 1.0)
        reward = rng.uniform(-1.0, 1.0)
        private = clip_norm(row(PrivateSource(), context, reward), norm).reveal(REVEAL)
        ordinary = clip_norm(np.append(context, reward), norm)
        assert np.array_equal(private, ordinary)
        assert np.linalg.norm(ordinary) <= norm
        expected = np.append(context, reward) * min(1.0, norm / np.linalg.norm(np.append(context, reward)))
        assert np.allclose(ordinary, expected, rtol=1e-14)


@pytest.mark.parametrize(("norm", "low"), [(1.0, -1.0), (math.sqrt(2.0), -1.0), (math.sqrt(2.0), 0.0)])
def test_no_pair_moves_further_than_the_sensitivity_and_some_pair_as_far(norm, low):
    clipped = clip_norm(row(PrivateSource(), [0.6, 0.0, 0.8], 1.0, low), norm)
    moved, gram = clipped.sensitivities("l2")[1], np.outer(clipped, clipped).sensitivities("frobenius")[1]
    assert moved <= 2.0 * norm * (1 + 1e-12)
    assert gram <= math.sqrt(2.0) * norm**2 * (1 + 1e-12)
    rng, furthest, widest = np.random.default_rng(1), 0.0, 0.0
    for _ in range(2000):
        one, two = (_random(rng, low) for _ in range(2))
        if rng.random() < 0.5:  # opposite rewards of one action, or opposite actions
            two = np.append(one[:3], one[3] if rng.random() < 0.5 else low) * (1.0 if rng.random() < 0.5 else -1.0)
            two[3] = max(two[3], low)
        one, two = clip_norm(one, norm), clip_norm(two, norm)
        furthest = max(furthest, float(np.linalg.norm(one - two)))
        widest = max(widest, float(np.linalg.norm(np.outer(one, one) - np.outer(two, two))))
    assert furthest <= moved * (1 + 1e-12)
    assert 0.8 * gram < widest <= gram * (1 + 1e-12)


def _random(rng, low):
    context = rng.standard_normal(3)
    context *= rng.choice([1.0, rng.random()]) / np.linalg.norm(context)
    return np.append(context, rng.choice([1.0, low, rng.uniform(low, 1.0)]))


def test_without_the_bound_the_outer_product_could_move_further():
    """Why shipped policies clip a row that already is within the bound: its parts are bounded one by one."""
    plain = row(PrivateSource(), [0.6, 0.0, 0.8], 1.0)
    assert np.outer(plain, plain).sensitivities("frobenius")[1] > 3.0
    clipped = clip_norm(plain, math.sqrt(2.0))
    assert np.outer(clipped, clipped).sensitivities("frobenius")[1] == pytest.approx(2.0 * math.sqrt(2.0), rel=1e-12)


def test_a_clipped_vector_is_one_feature_for_equal_calls():
    """Clipping twice gives the same entries, whose difference is public and 0."""
    source = PrivateSource()
    vector = row(source, [0.6, 0.0, 0.8], 1.0)
    assert (clip_norm(vector, 1.0) - clip_norm(vector, 1.0)).sensitivities("l2") == {}
    assert (clip_norm(vector, 1.0) - vector).sensitivities("l2")[1] > 2.0, "they count as independent"


def test_vectors_of_several_data_are_refused():
    source = PrivateSource()
    both = row(source, [0.6, 0.0, 0.8], 1.0, datum=1) + row(source, [0.6, 0.0, 0.8], 1.0, datum=2)
    with pytest.raises(PrivcheckError, match="entries of one datum"):
        clip_norm(both, 1.0)


@pytest.mark.parametrize("bad", [[math.nan, 1.0], [math.inf], [], [[1.0, 2.0]], "ab", None, 3.0])
def test_other_vectors_are_refused(bad):
    with pytest.raises(PrivcheckError) as caught:
        clip_norm(bad, 1.0)
    assert caught.value.parameter == "vector"


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, "1", None])
def test_other_norms_are_refused(bad):
    for vector in ([1.0], row(PrivateSource(), [0.6, 0.0, 0.8], 1.0)):
        with pytest.raises(PrivcheckError) as caught:
            clip_norm(vector, bad)
        assert caught.value.parameter == "norm"
