"""Sums compared with the ends that they reach: what holds for all data is ordinary, the rest is a leak."""

import itertools
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privcheck.private_values import LeakError, PrivateSource

SUMS = {
    "sum": sum,
    "numpy's sum": np.sum,
    "backwards": lambda values: sum(values[::-1]),
    "mean": lambda values: sum(values) / len(values),
    "numpy's mean": np.mean,
    "weighted": lambda values: sum(0.1 * (place + 1) * value for place, value in enumerate(values)),
    "tenths": lambda values: 0.1 * sum(values),
    "halves of the rest": lambda values: (len(values) - sum(values)) / 2,
    "one less": lambda values: 1 - values[0],
    "hundredfold": lambda values: 100 * values[0] - 30,
    "with a number": lambda values: sum(values, 3),
    "negative": lambda values: -sum(values),
    "alternating": lambda values: sum((-1) ** place * value for place, value in enumerate(values)),
    "doubled": lambda values: 2 * values[0] + 3 * sum(values[1:]),
    "largest": lambda values: np.max(np.stack(values)),
    "smallest of sums": lambda values: np.min(np.cumsum(np.stack(values))),
    "median": lambda values: np.median(np.stack(values)),
    "quantile": lambda values: np.quantile(np.stack(values), 0.3),
    "variance": lambda values: np.var(np.stack(values)),
    "deviation": lambda values: np.std(np.stack(values)),
    "range": lambda values: np.ptp(np.stack(values)),
    "absolute": lambda values: abs(sum(values)),
    "distance": lambda values: abs(sum(values) - 1.0),
    "clipped": lambda values: np.clip(np.sum(values), 0.0, 3.0),
    "largest and another": lambda values: np.max(np.stack(values)) + values[0],
    "largest with a number": lambda values: np.max(np.stack([0.5, *values])),
    "two largest": lambda values: np.max(np.stack(values)) + np.max(np.stack(values[1:])),
    "negative median": lambda values: -np.median(np.stack(values)),
}
COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge)
RANGES = [(0.0, 1.0), (-1.0, 1.0), (0.0, 3.0), (0.0, 0.7)]


def wrapped(values, ends):
    source = PrivateSource()
    return [source.scalar(value, *ends, datum) for datum, value in enumerate(values)]


@given(
    st.sampled_from(list(SUMS)), st.sampled_from(COMPARISONS), st.integers(2, 60), st.sampled_from(RANGES), st.data()
)
def test_what_is_decided_is_what_the_code_computes_for_all_data_in_floats(name, compare, count, ends, data):
    total, (low, high) = SUMS[name], ends
    extremes = [low, high, np.nextafter(high, low), (low + high) / 2]
    limits = {float(total([choice] * count)) for choice in ends} | {0.0, 1.0, -1.0, 3.0, float(count)}
    limit = data.draw(st.sampled_from(sorted(limits)))
    try:
        found = compare(total(wrapped([0.5 * (low + high)] * count, ends)), limit)
    except LeakError:
        return
    if not isinstance(found, (bool, np.bool_)):
        assert len(found.data_ids) == 1  # an indicator of one datum stays private
        return
    for _ in range(5):
        values = data.draw(st.lists(st.sampled_from(extremes) | st.floats(low, high), min_size=count, max_size=count))
        assert compare(total(values), limit) == found
    assert all(compare(total([end] * count), limit) == found for end in ends)


ORDINARY = {
    "a sum of numbers that are not negative": (lambda values: sum(values) >= 0, True),
    "nor below": (lambda values: sum(values) < 0.0, False),
    "at most as many as there are": (lambda values: sum(values) <= len(values), True),
    "a mean within the range": (lambda values: 0.0 <= sum(values) / len(values) <= 1.0, True),
    "a mean of numpy's": (lambda values: np.mean(values) > 1, False),
    "a loss": (lambda values: 1 - values[0] < 0, False),
    "percent": (lambda values: 100 * values[0] <= 100, True),
    "half of a reward": (lambda values: values[0] / 2 <= 0.5, True),
    "half of a sum": (lambda values: sum(values) / 2 <= len(values) / 2, True),
    "a variance": (lambda values: np.var(np.stack(values)) >= 0, True),
    "a single variance": (lambda values: np.var(np.stack(values[:1])) > 0, False),
    "a deviation": (lambda values: np.std(np.stack(values)) < 0, False),
    "the largest variance": (lambda values: np.var(np.stack(values)) <= 0.25, True),
    "all at most 1": (lambda values: np.max(np.stack(values)) <= 1, True),
    "none below 0": (lambda values: np.min(np.stack(values)) < 0, False),
    "a median in the range": (lambda values: 0 <= np.median(np.stack(values)) <= 1, True),
    "the largest sum": (lambda values: np.max(np.cumsum(np.stack(values))) <= len(values), True),
    "a range": (lambda values: 0 <= np.ptp(np.stack(values)) <= 1, True),
    "a size": (lambda values: abs(sum(values)) >= 0, True),
    "within limits": (lambda values: 0 <= np.clip(np.sum(values), 0, 1.5) <= 1.5, True),
    "weights that are no integers": (lambda values: 0.3 * values[0] + 0.1 * values[1] >= 0, True),
}
DECIDED_BY_DATA = {
    "whether all are 1": lambda values: sum(values) >= len(values),
    "whether one is not 0": lambda values: sum(values) > 0,
    "whether all are 0": lambda values: sum(values) <= 0,
    "whether the mean is 1": lambda values: sum(values) / len(values) >= 1.0,
    "whether a difference is negative": lambda values: values[0] - values[1] >= 0,
    "whether one is 1": lambda values: np.max(np.stack(values)) < 1,
    "whether all but one are 0": lambda values: np.max(np.stack(values)) + np.max(np.stack(values[1:])) <= 1,
    "whether they differ": lambda values: np.var(np.stack(values)) > 0,
    "whether the size is more than 0": lambda values: abs(sum(values)) > 0,
    "whether the limit is reached": lambda values: np.clip(np.sum(values), 0, 1.5) < 1.5,
    "whether the range is 1": lambda values: np.ptp(np.stack(values)) >= 1,
    "whether it equals its end": lambda values: sum(values) == len(values),
}


@pytest.mark.parametrize("count", [2, 3, 7, 10, 49])
@pytest.mark.parametrize("name", ORDINARY)
def test_what_no_data_change_is_an_ordinary_bool(name, count):
    compare, expected = ORDINARY[name]
    assert compare(wrapped([0.7] * count, (0.0, 1.0))) is expected


@pytest.mark.parametrize("count", [2, 3, 7, 10, 49])
@pytest.mark.parametrize("name", DECIDED_BY_DATA)
def test_what_the_largest_data_decide_is_a_leak(name, count):
    truth = {bool(DECIDED_BY_DATA[name](values)) for values in itertools.product((0.0, 1.0), repeat=2)}
    assert truth == {True, False}
    with pytest.raises(LeakError):
        DECIDED_BY_DATA[name](wrapped([0.7] * count, (0.0, 1.0)))
