"""Between which ends functions of several data lie, whatever the data are: what brute force finds, and hardly more."""

import itertools

import numpy as np
import pytest

from privcheck.private_values import REVEAL, PrivateSource
from privcheck.private_values._entries import Entries
from tests.private_values.test_several_data import FUNCTIONS

ATTAINED = ("max", "min", "median", "third", "clipped", "absolute", "positive", "percentile", "quantile")
"""Functions of which the ends are found at ends of the data."""


def ends(value):
    return tuple(float(end[0]) for end in Entries.of(value).interval)


@pytest.mark.parametrize("factor", [1.0, -0.4])
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "nested"])
def test_the_ends_hold_all_values_and_are_attained(name, factor):
    rng, function = np.random.default_rng(3), FUNCTIONS[name]
    for size in (3, 4):
        lows = rng.uniform(-1.0, 0.5, size)
        highs = lows + rng.uniform(0.2, 2.0, size)
        source = PrivateSource()
        data = [source.scalar(0.5 * (a + b), a, b, d) for d, (a, b) in enumerate(zip(lows, highs, strict=True))]
        found = 0.3 + factor * function(np.stack(data)) + 0.1 * data[0]
        points = [*itertools.product(*np.stack([lows, highs], axis=1)), *rng.uniform(lows, highs, (200, size))]
        values = [0.3 + factor * float(function(np.array(point))) + 0.1 * point[0] for point in points]
        low, high = ends(found)
        assert low <= min(values) <= max(values) <= high
        alone = ends(factor * function(np.stack(data)))
        exact = [factor * float(function(np.array(point))) for point in points]
        assert alone[0] <= min(exact) <= max(exact) <= alone[1]
        if name in ATTAINED and name not in ("absolute", "positive"):
            assert alone == pytest.approx((min(exact), max(exact)), abs=1e-9)


def test_the_ends_hold_for_data_that_came_later_and_where_some_were_forgotten():
    source = PrivateSource()
    data = [source.scalar(0.5, 0.0, 1.0, d) for d in range(4)]
    one = np.clip(np.sum(np.stack(data[:3])), 0.5, 2.0)
    two = one - 2.0 * np.max(np.stack(data[2:])) + one
    assert ends(one) == pytest.approx((0.5, 2.0), abs=1e-9)
    assert ends(two) == pytest.approx((-1.0, 4.0), abs=1e-9), "the numbers are taken to move independently"
    assert ends(two - 2.0 * one) == pytest.approx((-2.0, 0.0), abs=1e-9)
    assert float(one.reveal(REVEAL)) == 1.5
