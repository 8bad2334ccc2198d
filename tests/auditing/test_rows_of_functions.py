"""How many rows the data of a function have, which of them may differ, and which numbers they hold."""

from __future__ import annotations

import numpy as np
import pytest

from privcheck import PrivcheckError, audit


def total(data, rng):
    """The sum of all numbers with Laplace noise of scale 1."""
    return float(np.sum(data)) + rng.laplace(0.0, 1.0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"neighbours": "report", "horizon": 3}, "horizon: got 3, expected 1, or none, for neighbours='report'"),
        ({"neighbours": "group:5", "horizon": 4}, "horizon: got 4, expected at least 5 for neighbours='group:5'"),
    ],
)
def test_rows_in_which_no_two_inputs_are_such_neighbours_are_refused(options, said):
    with pytest.raises(PrivcheckError) as caught:
        audit(total, epsilon=1.0, runs=20, **options)
    assert str(caught.value).startswith(said)


def test_a_policy_is_not_audited_on_fewer_rounds_than_neighbours_differ_in():
    with pytest.raises(PrivcheckError, match="expected at least 9 for neighbours='group:9'"):
        audit("adap-ucb", epsilon=1.0, neighbours="group:9", horizon=6, runs=20)


@pytest.mark.chance(1e-9, "true claims, each tested at this level")
def test_by_default_there_are_as_many_rows_as_may_differ():
    report = audit(total, epsilon=5.0, neighbours="group:5", runs=400, error=5e-10)
    assert report.horizon == 5
    alone = audit(total, epsilon=3.0, neighbours="report", arms=3, runs=400, error=5e-10)
    assert alone.horizon == 1
    assert any("data like those that were tried: reports, each 3 numbers from 0 to 1" in note for note in alone.notes)


@pytest.mark.chance(1e-9, "a true claim, tested at this level")
def test_data_beyond_the_declared_range_are_named():
    """The claim is true of numbers in [0, 1]: a change of 3 shows three times as much."""
    first, second = np.array([3.0, 0.0]), np.zeros(2)
    beyond = audit(total, epsilon=1.0, streams=(first, second), runs=4000)
    assert beyond.verdict == "violation"
    (said,) = [said for said in beyond.provided if "leave the range [0, 1] of the values" in said]
    assert said.endswith("(rewards=(LOW, HIGH) is the range)")
    for given, rewards in ((first, (0.0, 3.0)), (np.array([1.0, 0.0]), (0.0, 1.0))):
        within = audit(total, epsilon=3.0, streams=(given, second), rewards=rewards, runs=400, error=5e-10)
        assert not any("leave the range" in said for said in within.provided)
