"""How the runs of a confirmation are divided."""

import numpy as np
import pytest

import privcheck
from privcheck.auditing._confirmation.shares_of_runs import folds


@pytest.mark.parametrize("runs", [20, 101, 9999])
@pytest.mark.parametrize("how", [{}, {"easy": True}, {"searched": True}])
def test_every_run_has_one_use(runs, how):
    used = [run for part in folds(runs, **how) for run in range(runs)[part]]
    assert used == list(range(runs))


def noisy_choice(data, rng, runs):
    return np.argmax(data.sum(axis=0) + rng.laplace(size=(runs, 2)), axis=1)


def test_runs_of_the_search_leave_more_to_count():
    """90 % where the last round of the search was long enough to learn from, 75 % where the pair is given."""
    searched = privcheck.audit(noisy_choice, arms=2, runs=2000, seed=1)
    pair = np.array([[1.0, 0.0]] * 2), np.array([[0.0, 1.0], [1.0, 0.0]])
    given = privcheck.audit(noisy_choice, streams=pair, runs=2000, seed=1)
    assert (searched.counted_runs, given.counted_runs) == (1800, 1500)
