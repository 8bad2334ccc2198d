"""Numbers that several outputs have in common, among others that occur once, have events of their own."""

import numpy as np
import pytest
from scipy import stats

import privcheck

PAIR = [1.0, 0.25], [0.0, 0.25]


def sometimes_raw(share):
    """Return a sum with Laplace noise that is published raw with a small probability: its epsilon is infinite."""

    def target(data, rng, runs):
        return np.where(rng.random(runs) < share, sum(data), sum(data) + rng.laplace(size=runs))

    return target


def clipped(data, rng, runs):
    """Return a noisy sum clipped to [0, 1], which many outputs are: post-processing at epsilon = 1."""
    return np.clip(sum(data) + rng.laplace(size=runs), 0.0, 1.0)


@pytest.mark.chance(1e-9, "fewer than 4 raw outputs of 400 at .1 to learn from, or fewer than 400 of 6,000 to count")
def test_what_is_raw_in_ten_runs_of_a_hundred_is_refuted():
    found = privcheck.audit(sometimes_raw(0.1), epsilon=1.0, streams=PAIR, runs=8000)
    assert stats.binom.cdf(3, 400, 0.1) + stats.binom.cdf(399, 6000, 0.1) < 1e-9
    assert (found.verdict, found.epsilon_lower > 4.0) == ("violation", True)
    assert "repeated numbers" in found.witness.event


@pytest.mark.chance(1e-9, "fewer than 4 raw outputs of 400 at .1 to learn from, or fewer than 400 of 6,000 to count")
def test_a_number_that_only_the_second_stream_repeats_has_its_event():
    def target(data, rng, runs):
        share = 0.1 if sum(data) < 1.0 else 0.0
        return np.where(rng.random(runs) < share, sum(data), sum(data) + rng.laplace(size=runs))

    found = privcheck.audit(target, epsilon=1.0, streams=PAIR, runs=8000)
    assert (found.verdict, found.epsilon_lower > 4.0) == ("violation", True)


@pytest.mark.chance(1e-9, "a true claim is refuted at level 1e-9")
def test_numbers_that_are_clipped_are_no_violation():
    found = privcheck.audit(clipped, epsilon=1.0, streams=PAIR, runs=8000, error=1e-9)
    assert found.verdict == "consistent"
