"""What rounding can add to a release: bounded in exact arithmetic, and refused where it is too much."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcheck import ReleaseRefusedError
from privcheck.certifying import Session
from privcheck.mechanisms import Laplace
from privcheck.mechanisms.base import COMPARISON_SLACK, NOISE_SLACK
from privcheck.privacy import relation
from privcheck.private_values import REVEAL, PrivateSource
from privcheck.private_values._float_rounding import SHARE, rounding_error

WEIGHTS = st.sampled_from([1.0, -1.0, 0.5, 1 / 3, -0.1, 1e6 / 7, 3.0])
CASES = st.lists(st.tuples(WEIGHTS, st.floats(-4.0, 1000.0)), min_size=1, max_size=30)


def off(terms, const, factor=1.0):
    """Return how far the computed value is from the exact one, as a share of what is allowed on one stream."""
    source, value, exact = PrivateSource(), const, Fraction(const)
    for datum, (weight, x) in enumerate(terms):
        value = value + weight * source.scalar(x, -4.0, 1000.0, datum)
        exact += Fraction(weight) * Fraction(x)
    return abs(Fraction(value.reveal(REVEAL)) - exact) / Fraction(rounding_error(value) * factor / 2.0)


@settings(max_examples=200, deadline=None)
@given(CASES, st.sampled_from([0.0, 0.1, -1e6 / 3, 1e9]))
def test_no_value_is_further_off_than_the_bound(terms, const):
    assert off(terms, const) <= 1


@settings(max_examples=200, deadline=None)
@given(CASES, st.floats(-4.0, 1000.0), st.sampled_from([0.0, 0.1, -1e6 / 3, 1e9, 1e17]))
def test_no_datum_moves_the_computed_value_further_than_sensitivity_and_bound(terms, other, const):
    values = []
    for first in (terms[0][1], other):
        source, value = PrivateSource(), const
        for datum, (weight, x) in enumerate([(terms[0][0], first), *terms[1:]]):
            value = value + weight * source.scalar(x, -4.0, 1000.0, datum)
        values.append(value)
    one, two = (Fraction(value.reveal(REVEAL)) for value in values)
    most = Fraction(values[0].sensitivities("l1")[0]) + Fraction(rounding_error(values[0]))
    assert abs(one - two) <= most


def test_the_bound_is_not_idle():
    """A tenth of the bound is exceeded: by a product of nearly half a unit, and by a sum beside a public number."""
    rng = np.random.default_rng(0)
    assert max(off([(1 / 3, x)], 0.0, 0.1) for x in rng.uniform(990.0, 1000.0, 200)) > 1
    assert max(off([(1.0, x)], 1e9, 0.1) for x in rng.uniform(0.0, 1.0, 200)) > 1


def test_the_surplus_of_the_noise_pays_for_slack_and_rounding():
    assert (1.0 + COMPARISON_SLACK) + SHARE * (1.0 + COMPARISON_SLACK) < 1.0 + NOISE_SLACK


def released(value_of, rewards):
    session = Session(relation("row"), rewards, 1.0, np.random.default_rng(0))
    value = value_of(session.reward(rewards[1], 0))
    with session.active():
        return Laplace(sensitivity=(rewards[1] - rewards[0]) * (1 + 1e-9), epsilon=1.0).release(value, None)


@pytest.mark.parametrize("rewards", [(0.0, 1.0), (1000.0, 1001.0), (-5.0, 5.0), (0.0, 1e-5), (0.0, 1e12)])
def test_ordinary_ranges_are_released(rewards):
    assert np.isfinite(released(lambda reward: reward, rewards))
    assert np.isfinite(released(lambda reward: reward - rewards[0], rewards))


@pytest.mark.parametrize("large", [1e8, -1e12, 1e17, 1e300])
def test_a_reward_beside_a_large_number_is_refused_and_after_taking_it_away_is_not(large):
    with pytest.raises(ReleaseRefusedError, match="rounding them may add"):
        released(lambda reward: reward + large, (0.0, 1.0))
    assert np.isfinite(released(lambda reward: (reward + large) - large, (0.0, 1.0)))
