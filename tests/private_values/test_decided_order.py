"""Comparisons of private numbers that hold or fail for all data are ordinary; all others are leaks."""

import itertools
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privcheck.private_values import LeakError, PrivateSource

COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq}
NUMBERS = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0])
PARTS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
ENDS = list(itertools.product((0.0, 0.25, 1.0), (0.0, 0.6, 1.0)))
"""What two rewards may be: their ends, between which sums of them are largest and smallest, and more."""


def number(parts, one, two):
    return parts[0] + parts[1] * one + parts[2] * two


@given(st.sampled_from(list(COMPARISONS)), PARTS, PARTS)
def test_a_comparison_is_ordinary_only_if_all_data_agree(symbol, left, right):
    compare, source = COMPARISONS[symbol], PrivateSource()
    rewards = source.scalar(0.3, 0.0, 1.0, 0), source.scalar(0.9, 0.0, 1.0, 1)
    truth = {bool(compare(number(left, *data), number(right, *data))) for data in ENDS}
    try:
        found = compare(number(left, *rewards), number(right, *rewards))
    except LeakError:
        return
    if isinstance(found, bool):
        assert truth == {found}
    else:
        assert len(found.data_ids) == 1, "an indicator of one datum stays private"


@given(st.lists(PARTS, min_size=2, max_size=4), st.sampled_from([np.argmax, np.argmin]))
def test_an_index_is_ordinary_only_if_all_data_agree(rows, function):
    source = PrivateSource()
    rewards = source.scalar(0.3, 0.0, 1.0, 0), source.scalar(0.9, 0.0, 1.0, 1)
    values = np.stack([source_number(source, row, rewards) for row in rows])
    truth = {int(function([number(row, *data) for row in rows])) for data in ENDS}
    try:
        found = int(function(values))
    except LeakError:
        return
    assert truth == {found}


def source_number(source, row, rewards):
    """Return a number as private, also one in which no reward is."""
    return number(row, *rewards) + 0.0 * source.scalar(0.5, 0.0, 1.0, 2)


REWARD = {"r": lambda source: source.scalar(0.7, 0.0, 1.0, 0), "q": lambda source: source.scalar(0.2, 0.0, 1.0, 1)}


def evaluated(code):
    source = PrivateSource()
    return eval(code, {"np": np, **{name: make(source) for name, make in REWARD.items()}})


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("r < r + 2", True), ("r + 2 == q", False), ("q + 2 > r", True), ("r != r + 0.5", True),
        ("int(np.argmax(np.stack([r, r + 2, q])))", 1), ("int(np.argmin(np.stack([r, q, q - 1.5])))", 2),
        ("int(np.argmax(np.stack([r + 0.5, r])))", 0), ("r // 2", 0.0), ("(r + 1) // -4", -1.0),
        ("r // np.inf", 0.0), ("(r + q + 1) // 4", 0.0), ("r == None", False),
        ("r != 'x'", True), ("r in (None, 'x')", False), ("r != r", False), ("q <= q", True),
        ("bool((np.stack([r, q]) < np.stack([r + 2, q + 3])).all())", True),
    ],
)  # fmt: skip
def test_what_all_data_have_in_common_is_ordinary(code, expected):
    assert evaluated(code) == expected


def test_infinite_and_missing_indices_decide_an_index():
    source = PrivateSource()
    for filler, sign, expected in ((np.inf, 1, 1), (1.0, 1, 0), (-np.inf, -1, 1), (np.nan, 1, 1), (np.nan, -1, 1)):
        values = np.stack([sign * source.scalar(0.7, 0.0, 1.0, 0), filler + 0.0 * source.scalar(0.7, 0.0, 1.0, 1)])
        values = values if filler != 1.0 else values[::-1]
        assert int(np.argmax(values) if sign > 0 else np.argmin(values)) == expected


@pytest.mark.parametrize(
    "code",
    [
        "r < q", "r + 0.5 > 2 * r", "r + q > r", "r + 1e-17 > r", "1e12 * r + 1e-3 > 1e12 * r", "r // 0.5", "r // q",
        "r // -np.inf", "(r + 0.5) // 0.5", "r in (None, 'x', 1.0)",
        "np.argmax(np.stack([r, q]))", "np.argmax(np.stack([0.0 * q, r]))", "np.argmin(np.stack([r, 1.0 - r]))",
        "r + 1 > q", "np.argmax(np.stack([q, r, q + 1]))",
    ],
)  # fmt: skip
def test_what_depends_on_data_or_on_rounding_is_a_leak(code):
    with pytest.raises(LeakError):
        evaluated(code)


def test_infinite_numbers_are_compared_without_a_warning():
    reward = PrivateSource().scalar(0.7, 0.0, 1.0, 0)
    infinite = np.inf + 0.0 * reward
    with np.errstate(all="raise"):
        assert (np.stack([infinite, reward]) > np.inf).tolist() == [False, False]
        assert (np.stack([infinite, reward]) >= np.stack([reward - 3.0, reward - 2.0])).tolist() == [True, True]
        assert int(np.argmax(np.stack([reward, infinite, infinite]))) == 1


def test_rounding_down_is_that_of_python():
    """1 / 0.1 is 10, and 1 // 0.1 is 9."""
    source = PrivateSource()
    with pytest.raises(LeakError):
        source.scalar(1.02, 1.0, 1.05, 0) // 0.1
    assert source.scalar(1.02, 1.01, 1.05, 1) // 0.1 == 10.0
