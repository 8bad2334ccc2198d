"""Functions of data that refuse some of the data, or all, in the time that an audit is given."""

from __future__ import annotations

import time

import numpy as np
import pytest

import privcheck
from privcheck.errors import PolicyError

A_RUN, BUDGET = 2e-3, 1.0
MOST_RUNS = int(4.0 * BUDGET / A_RUN)
"""Runs that can be played before an audit ends, at three times its budget, and some; all candidates take 20,000."""


@pytest.mark.chance(1e-7, "one verdict on a true claim at this error")
def test_a_function_that_takes_no_structured_data_is_audited_on_random_ones():
    """As a classifier, which refuses data with one class, does of most structured data."""

    def sum_of_distinct(data, rng):
        assert len(set(data)) == len(data)
        return float(sum(data) + rng.laplace())

    report = privcheck.audit(sum_of_distinct, epsilon=1.0, runs=1000, error=1e-7)
    assert report.verdict == "consistent"
    assert report.search.pairs > 10


def test_a_broken_function_that_takes_no_structured_data_is_refuted():
    def exact_sum_of_distinct(data, rng):
        assert len(set(data)) == len(data)
        return float(sum(data) + rng.laplace(0.0, 1e-3))

    assert privcheck.audit(exact_sum_of_distinct, epsilon=1.0, runs=1000).verdict == "violation"


@pytest.fixture
def runs():
    return []


def test_coins_of_its_own_are_refused_before_every_candidate_is_tried(runs):
    own = np.random.default_rng(1)

    def unseeded(data, rng):
        runs.append(1)
        return float(sum(data) + own.laplace())

    with pytest.raises(PolicyError, match="different outputs"):
        privcheck.audit(unseeded, epsilon=1.0, runs=100)
    assert len(runs) < 500


def test_candidates_are_tried_within_the_time_budget(runs):
    """An error of `encode` is one of the target: data on which it is raised are left out."""

    def slow(data, rng):
        time.sleep(A_RUN)
        runs.append(1)
        return data[0], float(sum(data) + rng.laplace())

    def released(output):
        assert output[0] < 1.0 or len(runs) < 2
        return output[1]

    report = privcheck.audit(slow, epsilon=1.0, encode=released, runs=100, time_budget=BUDGET)
    assert len(runs) < MOST_RUNS
    assert any("not tried within the time budget" in note for note in report.notes)


def test_a_mask_that_tells_is_not_lost():
    """Its output was read as a plain array, and the mask, which is the datum, was not."""

    def masked(data, rng, runs):
        return np.ma.array(rng.laplace(size=runs), mask=np.full(runs, data[0] > 0.5))

    with pytest.raises(privcheck.PrivcheckError, match="output: got a masked array"):
        privcheck.audit(masked, epsilon=1.0, streams=([0.0], [1.0]), runs=400)
