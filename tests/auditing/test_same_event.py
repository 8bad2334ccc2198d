"""An event is a set of outputs: whether a run is in it must not depend on the other runs that it is scored with."""

import numpy as np
import pytest

import privcheck
from privcheck.auditing._scoring.learned import LogisticScore
from privcheck.auditing._scoring.prefix import distinct_rows


def test_rows_further_apart_than_a_byte_are_told_apart():
    """200 apart is no 8-bit difference: 28 and -27 must not become one."""
    rows = np.array([[-100], [-27], [28], [100], [-27]], np.int8)
    kept, kind = distinct_rows(rows)
    assert kept.tolist() == [0, 1, 2, 3]
    assert kind.tolist() == [0, 1, 2, 3, 1]


@pytest.mark.chance(
    2e-7,
    "60 claims of 0.5 where the loss is 0, each refuted at level 1e-6 by at most 1e-9 for each of three events",
)
def test_equal_laws_of_small_whole_numbers_are_not_told_apart():
    """Both inputs have the same law."""

    def same(data, rng, runs):
        return rng.choice(np.array([-100, -27, 28, 100]), p=[0.1, 0.4, 0.4, 0.1], size=(runs, 1))

    options = {"epsilon": 0.5, "runs": 2000, "streams": (np.zeros(1), np.ones(1)), "error": 1e-6}
    assert not any(privcheck.audit(same, **options, seed=seed).verdict == "violation" for seed in range(60))


def test_a_regression_scores_equal_outputs_alike_wherever_they_stand():
    """A matrix product would round some of them differently, and a threshold at their score would part them."""
    rng = np.random.default_rng(0)
    sides = [(rng.integers(0, 3, (4000, 12)), 0.37 * rng.integers(0, 3, (4000, 3))) for _ in range(2)]
    for numbers in (3, 0):
        first, second = ((symbols, values[:, :numbers]) for symbols, values in sides)
        score = LogisticScore(first, second)
        scores = score(first)
        assert len(np.unique(scores)) > 100
        for size in range(1, 60):
            some = rng.choice(4000, size)
            assert (score((first[0][some], first[1][some])) == scores[some]).all()
