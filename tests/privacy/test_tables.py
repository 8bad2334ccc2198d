"""Reward tables: broadcasting of streams, and what is refused."""

import numpy as np
import pytest

from privcheck.errors import PrivcheckError
from privcheck.privacy import as_table, check_rewards, check_rewards_range


def test_a_stream_is_broadcast_over_arms():
    table = as_table([0.0, 1.0, 0.5], 2)
    assert table.dtype == np.float64
    np.testing.assert_array_equal(table, [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]])


def test_a_table_is_copied():
    values = np.array([[0, 1], [1, 0]])
    table = as_table(values, 2)
    table[0, 0] = 9.0
    assert values[0, 0] == 0
    np.testing.assert_array_equal(as_table(values), values)
    own = np.zeros((2, 2))
    as_table(own)[0, 0] = 9.0
    assert own[0, 0] == 0.0


@pytest.mark.parametrize(
    ("values", "arms", "message"),
    [
        ([[1.0], [1.0, 2.0]], 2, "ragged rows"),
        ([[1.0, 2.0, 3.0]], 2, r"shape \(1, 3\), expected a table of shape \(T, 2\) or a stream of length T"),
        ([1.0, 2.0], None, r"shape \(2,\), expected a table of shape \(T, K\);"),
        (1.0, 2, r"shape \(\)"),
        ([[[1.0]]], 1, r"shape \(1, 1, 1\)"),
        ([], 2, r"shape \(0,\)"),
        (np.zeros((0, 2)), 2, r"shape \(0, 2\)"),
        (np.zeros((2, 0)), None, r"shape \(2, 0\)"),
        ([0.0, np.nan], 2, "nan in round 2, arm 0, expected finite"),
        ([[0.0, 1.0], [0.0, -np.inf]], 2, "-inf in round 2, arm 1"),
        (["a", "b"], 2, "entries of type <U1"),
        ([None, 1.0], 2, "entries of type object"),
        ([True, False], 2, "entries of type bool"),
        ([1j], 2, "entries of type complex128"),
        ([0.0], 0, "arms"),
        ([0.0], 1.5, "arms"),
        ([0.0], "2", "arms"),
    ],
)
def test_bad_tables_are_refused(values, arms, message):
    with pytest.raises(PrivcheckError, match=message) as error:
        as_table(values, arms)
    assert error.value.expected


def test_rewards_outside_the_range_are_named():
    table = np.full((3, 2), 0.5)
    table[0], table[1] = 0.0, 1.0
    check_rewards_range(table)
    table[2, 1] = np.nextafter(1.0, 2.0)
    with pytest.raises(PrivcheckError, match=r"round 3, arm 1, expected rewards in \[0, 1\]"):
        check_rewards_range(table)
    table[2, 1] = -0.25
    with pytest.raises(PrivcheckError, match=r"-0\.25 in round 3, arm 1"):
        check_rewards_range(table)
    check_rewards_range(table, (-0.25, 1.0))


@pytest.mark.parametrize(
    "bad", [None, 1.0, (0.0,), (0, 1, 2), (1.0, 1.0), (1.0, 0.0), (0.0, np.nan), (-np.inf, 0.0), "01"]
)
def test_bad_ranges_are_refused(bad):
    with pytest.raises(PrivcheckError, match="rewards range"):
        check_rewards(bad)
    with pytest.raises(PrivcheckError, match="rewards range"):
        check_rewards_range(np.zeros((1, 1)), bad)
