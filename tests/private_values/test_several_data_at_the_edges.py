"""Functions of several data where floats are at their limits, or numpy does something else than for one axis."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from privcheck.private_values import REVEAL, LeakError, Private, PrivateSource


def released(function, lows, highs, data):
    """Return the hidden result for some data, and the sensitivity of each datum."""
    source = PrivateSource()
    columns = (np.asarray(column, float).tolist() for column in (data, lows, highs))
    found = function(np.stack([source.scalar(*each, d) for d, each in enumerate(zip(*columns, strict=True))]))
    moves = found.sensitivities("l1")
    return found.reveal(REVEAL), np.array([moves.get(d, 0.0) for d in range(len(data))])


def test_sort_without_an_axis_sorts_rows_so_a_matrix_is_refused():
    source = PrivateSource()
    y = np.stack([source.scalar(x, 0.0, 1.0, d) for d, x in enumerate([0.9, 0.2, 0.7, 0.4])])
    with pytest.raises(LeakError):
        np.sort(y.reshape(2, 2))
    for found in (np.sort(y), np.sort(y, 0), np.sort(y, axis=-1), np.sort(y.reshape(2, 2), axis=None)):
        assert [one.reveal(REVEAL) for one in found] == [0.2, 0.4, 0.7, 0.9]


@pytest.mark.parametrize("scale", [1e3, 1e9])
@pytest.mark.parametrize("q", [0.1, 0.3, 0.7, 0.9])
def test_a_quantile_near_0_of_large_numbers_is_rounded_as_they_are(q, scale):
    """It is y + q (z - y) with q (z - y) near -y: rounding of the size of y may double what one datum moves."""
    rng, lows = np.random.default_rng(0), np.array([-q * scale, (1 - q) * scale])
    unit = np.spacing(np.abs(lows))
    for places in (1, 2, 3, 5):
        for _ in range(100):
            data = lows + unit * rng.integers(0, places + 1, 2)
            changed, d = data.copy(), int(rng.integers(2))
            changed[d] = lows[d] + unit[d] * rng.integers(0, places + 1)
            (one, moves), (two, _) = (
                released(lambda y: np.quantile(y, q), lows, lows + places * unit, each) for each in (data, changed)
            )
            assert abs(one - two) <= moves[d]


@pytest.mark.parametrize("width", [1e-135, 1e-145, 1e-158, 1e-160, 1e-161, 1e-300])
@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("function", [np.var, np.std])
def test_squares_that_underflow_are_refused_or_within_the_charge(function, ddof, width):
    rng = np.random.default_rng(1)
    for _ in range(100):
        size = int(rng.integers(2, 6))
        data = np.where(rng.random(size) < 0.5, rng.choice([0.0, width], size), rng.uniform(0.0, width, size))
        changed = data.copy()
        changed[0] = rng.choice([0.0, width])
        ends = np.zeros(size), np.full(size, width)
        if width < 1e-140:
            with pytest.raises(LeakError):
                released(lambda y: function(y, ddof=ddof), *ends, data)
            continue
        (one, moves), (two, _) = (released(lambda y: function(y, ddof=ddof), *ends, each) for each in (data, changed))
        assert abs(one - two) <= moves[0] * (1 + 1e-12)


FAR = 2.0**50
"""Floats are 1/8 apart below it, and 1/4 above."""


@pytest.mark.parametrize(
    "function",
    [
        np.abs,
        lambda y: np.clip(y, FAR - 200.0, FAR + 100.0),
        lambda y: np.max(np.stack([y, y - 1.0])),
        lambda y: np.quantile(np.stack([y, y - 1.0]), 0.75),
        lambda y: np.std(np.stack([y, 0.0 * y])),
    ],
)
@pytest.mark.parametrize("beyond", [0.25, 1.0, 10.0])
def test_an_interval_that_rounding_has_made_too_small_bounds_the_value_too(function, beyond):
    """Adding 0.12 a thousand times to the lower end gains what it loses at the upper one, where floats lie further
    apart: the interval is shorter than what the first datum moves.
    """
    lows, highs = np.full(1001, 0.12), np.full(1001, 0.1201)
    lows[0], highs[0] = 0.0, 125.0 + beyond
    least = highs.copy()
    least[0] = 0.0
    one, moves = released(lambda y: function(np.sum(y) + (FAR - 125.0)), lows, highs, highs)
    two, _ = released(lambda y: function(np.sum(y) + (FAR - 125.0)), lows, highs, least)
    assert abs(one - two) <= moves[0]


ORDERS = {
    "max": np.max, "min": np.min, "median": np.median, "second": lambda y: np.sort(y)[1],
    "quantile": lambda y: np.quantile(y, 0.3), "clip": lambda y: np.clip(y, 0.5, 1.5).sum(),
}  # fmt: skip


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("more", [np.inf, -np.inf, 1e308, -1e308])
def test_infinite_and_huge_public_numbers_are_ordered_as_numpy_does(more, name):
    """As in `max([-math.inf, *rewards])`: what depends on data stays private, and what does not is numpy's number."""
    source = PrivateSource()
    data = [0.25, 1.0, 0.75, more]
    y = Private.of([*(source.scalar(x, 0.0, 2.0, d) for d, x in enumerate(data[:3])), more])
    try:
        found = ORDERS[name](y)
    except LeakError:
        assert (name, more) == ("quantile", -np.inf)  # interpolated between it and a datum
        return
    assert found.reveal(REVEAL) == pytest.approx(float(ORDERS[name](np.array(data))), rel=1e-12)
    least, most = (float(ORDERS[name](np.array([end, end, end, more]))) for end in (0.0, 2.0))
    assert found.is_public == (least == most)


@pytest.mark.parametrize("name", [name for name in ORDERS if name != "clip"])
def test_nan_is_refused(name):
    """Python's `max` and `sorted` compare with it, so what they return is private."""
    source = PrivateSource()
    with pytest.raises(LeakError):
        ORDERS[name](Private.of([*(source.scalar(x, 0.0, 1.0, d) for d, x in enumerate([0.2, 0.9])), np.nan]))


def test_a_function_of_many_data_takes_time_in_proportion_to_them(monkeypatch):
    """What it is a function of is digested once, not once for each datum."""
    taken, digest = [], hashlib.sha256
    monkeypatch.setattr(hashlib, "sha256", lambda data: taken.append(len(data)) or digest(data))
    source = PrivateSource()
    np.var(source.vector(np.full(500, 0.5), 0.0, 1.0, data=list(range(500))))
    assert len(taken) == 1
