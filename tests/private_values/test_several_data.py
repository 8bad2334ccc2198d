"""Functions of several data: what one datum can move is searched for by brute force, and never more than is charged."""

from __future__ import annotations

import itertools
import math
import statistics

import numpy as np
import pytest

import privcheck
from privcheck.private_values import REVEAL, LeakError, Private, PrivateSource

FUNCTIONS = {
    "var": np.var, "std": np.std, "max": np.max, "min": np.min, "median": np.median,
    "var of a sample": lambda y: np.var(y, ddof=1), "std of a sample": lambda y: np.std(y, ddof=1),
    "quantile": lambda y: np.quantile(y, 0.3), "percentile": lambda y: np.percentile(y, 90),
    "third": lambda y: np.sort(y)[2], "method": lambda y: y.std(), "range": np.ptp,
    "absolute": lambda y: np.abs(np.sum(y) - 1.2), "clipped": lambda y: np.clip(y.sum(), 0.75, 1.75),
    "positive": lambda y: np.maximum(y.sum() - 1.0, 0.0), "nested": lambda y: np.abs(np.median(y) - 0.3),
}  # fmt: skip
"""Of three entries at least."""


def largest_moves(function, lows, highs, made, rng, tries):
    """Return, by datum, the largest change that a search finds: `made` gives the entries for numbers of the data.

    All data are at ends of their intervals, in the middle or anywhere, and one of them is replaced.
    """
    points = [np.array([low, high, (low + high) / 2]) for low, high in zip(lows, highs, strict=True)]
    found = np.zeros(lows.size)
    grid = itertools.product(*(each[: 3 if lows.size < 5 else 2] for each in points))
    starts = [np.array(each) for each in grid] + [rng.uniform(lows, highs) for _ in range(tries)]
    for data in starts:
        before = function(made(data))
        for d in range(lows.size):
            for other in (*points[d], rng.uniform(lows[d], highs[d])):
                changed = data.copy()
                changed[d] = other
                found[d] = max(found[d], abs(float(function(made(changed))) - float(before)))
    return found


def charged(function, lows, highs, made, data):
    """Return the hidden result for some data, and the sensitivity of each datum."""
    source = PrivateSource()
    each = [source.scalar(x, low, high, d) for d, (x, low, high) in enumerate(zip(data, lows, highs, strict=True))]
    found = function(made(each))
    moves = found.sensitivities("l1")
    return found.reveal(REVEAL), np.array([moves.get(d, 0.0) for d in range(len(each))])


def stacked(data):
    return np.stack([*data])


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "nested"])
def test_in_one_interval_the_charge_is_the_largest_move(name, size):
    """The search has the vertices, where these functions move most."""
    rng = np.random.default_rng(0)
    lows, highs = np.full(size, -0.25), np.full(size, 1.25)
    data = rng.uniform(lows, highs)
    value, moves = charged(FUNCTIONS[name], lows, highs, stacked, data)
    assert value == pytest.approx(float(FUNCTIONS[name](data)), rel=1e-12, abs=1e-12)
    found = largest_moves(FUNCTIONS[name], lows, highs, stacked, rng, 50)
    assert (found <= moves * (1 + 1e-12)).all()
    assert found == pytest.approx(moves, rel=1e-9)


def mixed(weights, shift):
    """Return entries of which some share data, with coefficients of both signs, and a public part."""

    def made(data):
        return np.stack([sum(float(w) * x for w, x in zip(row, data, strict=True)) + shift for row in weights])

    return made


@pytest.mark.parametrize("seed", range(12))
def test_no_move_is_larger_than_the_charge(seed):
    """Intervals that differ, and entries of one datum, of several, and with data in common."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(3, 6))
    lows = rng.normal(size=size).round(1) * rng.integers(0, 2)
    highs = lows + rng.choice([0.1, 0.5, 1.0, 2.0], size)
    weights = np.eye(size)
    if seed % 2:
        weights = np.where(rng.random((size, size)) < 0.4, rng.choice([-1.0, 0.5, 1.0], (size, size)), 0.0)
        weights[range(size), range(size)] = 1.0
    made = mixed(weights, float(rng.integers(-1, 2)))
    for name, function in FUNCTIONS.items():
        data = rng.uniform(lows, highs)
        value, moves = charged(function, lows, highs, made, data)
        assert value == pytest.approx(float(function(made(data))), rel=1e-12, abs=1e-12), name
        found = largest_moves(function, lows, highs, made, rng, 10)
        assert (found <= moves * (1 + 1e-12) + 1e-14).all(), name


def test_the_search_sees_a_charge_that_is_too_small_by_a_fiftieth():
    for name in FUNCTIONS.keys() - {"nested"}:
        rng, size, function = np.random.default_rng(1), 4, FUNCTIONS[name]
        lows, highs = np.full(size, -0.25), np.full(size, 1.25)
        _, moves = charged(function, lows, highs, stacked, np.full(size, 0.5))
        assert (largest_moves(function, lows, highs, stacked, rng, 20) > 0.98 * moves).all(), name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_several_data_together_move_it_by_no_more_than_the_sum(name):
    rng, size, function = np.random.default_rng(2), 4, FUNCTIONS[name]
    _, moves = charged(function, np.zeros(size), np.ones(size), stacked, np.full(size, 0.5))
    corners = [np.array(bits, float) for bits in itertools.product((0, 1), repeat=size)]
    corners += [rng.random(size) for _ in range(10)]
    for one, two in itertools.combinations(corners, 2):
        both = abs(float(function(one)) - float(function(two)))
        assert both <= moves[one != two].sum() * (1 + 1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_its_features_have_one_coefficient_whatever_linear_operations_do(name):
    """One datum may change the hidden numbers of all others, so a different coefficient would be a channel."""
    source, rng = PrivateSource(), np.random.default_rng(3)
    entries = np.stack([source.scalar(x, 0.0, 1.0, d) for d, x in enumerate(rng.random(5))])
    one = FUNCTIONS[name](entries)
    features = set(one.terms.features.tolist())
    held = np.zeros(3) + one
    total = 0.1 * one + entries[0]
    for step in range(200):
        total = total + float(rng.normal()) * one - 0.3 * entries[step % 5]
        held[step % 3] = held[step % 3] * 0.9 + (total if step % 2 else -one / 3)
    values = [total, held, (0.1 * one + 0.2 * one) - 0.3 * one, np.cumsum(held), held @ np.ones(3), held[::-1] * 0.7]
    assert {name for value in values for name in value.terms.features.tolist()} >= features
    for value in values:
        tidy = value.terms.tidy()
        for row in range(max(value.size, 1)):
            chosen = [
                w for r, f, w in zip(tidy.rows, tidy.features, tidy.weights, strict=True) if r == row and f in features
            ]
            assert len(set(chosen)) <= 1
            assert len(chosen) in (0, len(features))


@pytest.mark.parametrize("shift", [0.0, 1e3, -1e6, 1e9])
@pytest.mark.parametrize("name", ["var", "std", "median", "max", "quantile", "std of a sample"])
def test_rounding_is_within_the_charge(name, shift):
    """Far from 0 a variance is computed with an error that matters: two neighbours are computed as the guard does."""
    rng, size, function = np.random.default_rng(4), 6, FUNCTIONS[name]
    lows, highs = np.full(size, shift), np.full(size, shift + 1e-3)
    for _ in range(20):
        data = np.where(rng.random(size) < 0.7, rng.choice([lows, highs], axis=0), rng.uniform(lows, highs))
        changed = data.copy()
        changed[0] = np.clip(lows[0] + highs[0] - data[0], lows[0], highs[0])
        (one, moves), (two, _) = (charged(function, lows, highs, stacked, each) for each in (data, changed))
        assert abs(one - two) <= moves[0]


@pytest.mark.parametrize(
    "read",
    [
        lambda y: np.std(y) / np.mean(y),
        lambda y: np.var(y) * np.median(y),
        lambda y: np.sqrt(np.var(y)),
        lambda y: np.median(y) * (y[0] > 0.5),
        lambda y: np.sum(y[y > 0.5]),
        lambda y: np.var(y, dtype=np.float32),
        lambda y: np.median(y, overwrite_input=True),
        lambda y: np.quantile(y, 0.3, method="nearest"),
        lambda y: np.quantile(y, [0.3, 0.5]),
        lambda y: np.quantile(y, y[0]),
        lambda y: np.max(y, initial=3.0),
        lambda y: np.max(y, where=[True, False, True, True]),
        lambda y: np.var(y, ddof=4),
        lambda y: np.max(y > 0.5),
        lambda y: np.argmax(y),
        lambda y: np.median(y) > 0.5,
        lambda y: int(np.median(y)),
    ],
)
def test_what_stays_a_leak(read):
    source = PrivateSource()
    y = np.stack([source.scalar(x, 0.0, 1.0, d) for d, x in enumerate([0.2, 0.9, 0.4, 0.7])])
    with pytest.raises((LeakError, privcheck.PrivcheckError, TypeError, ValueError, IndexError)):
        read(y)


def test_axes_and_lists():
    source = PrivateSource()
    y = np.stack([source.scalar(x, 0.0, 1.0, d) for d, x in enumerate([0.2, 0.9, 0.4, 0.7])])
    assert np.max(y, 0).reveal(REVEAL) == np.max(y, axis=-1).reveal(REVEAL) == y.max().reveal(REVEAL) == 0.9
    assert np.median(y.reshape(2, 2)).reveal(REVEAL) == pytest.approx(0.55)
    with pytest.raises(LeakError):
        np.max(y.reshape(2, 2), axis=0)
    assert [one.reveal(REVEAL) for one in np.sort(y)] == [0.2, 0.4, 0.7, 0.9]


def test_public_numbers_are_computed_by_numpy():
    y = Private.public([3.0, 1.0, 2.0])
    assert (y.max(), np.median(y), y.std(), np.quantile(y, 0.5)) == (3.0, 2.0, statistics.pstdev([3, 1, 2]), 2.0)


def test_a_datum_in_several_entries_is_charged_the_range():
    source = PrivateSource()
    one, two = (source.scalar(x, 0.0, 1.0, d) for d, x in enumerate([0.2, 0.9]))
    moves = np.var(np.stack([one, 1.0 - one, two])).sensitivities("l1")
    assert moves[0] == pytest.approx(1 / 4)  # Popoviciu
    assert moves[1] == pytest.approx(2 / 9)
    assert np.var(np.stack([one, -one])).sensitivities("l1")[0] == pytest.approx(1.0)  # ((-1) - 1)^2 / 4


def test_a_huge_variance_is_refused_on_public_ground():
    source = PrivateSource()
    y = np.stack([source.scalar(x, -1e200, 1e200, d) for d, x in enumerate([0.0, 1.0])])
    with pytest.raises(LeakError):
        np.var(y)


def test_equal_numbers_are_one_number():
    source = PrivateSource()
    y = np.stack([source.scalar(x, 0.0, 1.0, d) for d, x in enumerate([0.2, 0.9, 0.4])])
    assert (np.median(y) - np.median(y)).is_public
    assert not (np.median(y) - np.max(y)).is_public
    assert math.isclose((np.median(y) + np.median(y)).sensitivities("l1")[1], 2.0)


@pytest.mark.parametrize("norm", ["l1", "l2", "range"])
@pytest.mark.parametrize("seed", range(6))
def test_arrays_of_sums_and_functions_move_by_no_more_than_the_charge(seed, norm):
    """Random linear functions of several functions and of the data, as arrays that are written into and moved."""
    rng, size = np.random.default_rng([seed, 7]), 4
    lows, highs = np.zeros(size), rng.choice([0.5, 1.0, 2.0], size)
    chosen = [FUNCTIONS[name] for name in rng.choice(sorted(FUNCTIONS), 3)]
    matrix, weights = rng.normal(size=(3, 7)).round(1), rng.normal(size=(3, 3)).round(1)
    picked = rng.permutation(7)

    def released(data):
        y = np.stack([*data])
        parts = np.zeros(7) + 0.0 * y[0] if isinstance(data, list) else np.zeros(7)
        for place, function in enumerate(chosen):
            parts[place] = function(y)
        parts[3:7] = y
        parts[0] += 0.5 * parts[1] - y[2]
        return weights @ (matrix @ parts[picked])

    source = PrivateSource()
    each = [source.scalar(0.25, low, high, d) for d, (low, high) in enumerate(zip(lows, highs, strict=True))]
    moves = released(each).sensitivities(norm)
    measured = {"l1": lambda c: np.abs(c).sum(), "l2": np.linalg.norm, "range": np.ptp}[norm]
    corners = [np.where(bits, highs, lows) for bits in itertools.product((False, True), repeat=size)]
    for data in [*corners, *rng.uniform(lows, highs, (30, size))]:
        for d in range(size):
            for other in (lows[d], highs[d], rng.uniform(lows[d], highs[d])):
                changed = data.copy()
                changed[d] = other
                assert measured(released(changed) - released(data)) <= moves[d] * (1 + 1e-12)


@pytest.mark.parametrize(("of_two", "of_all"), [(np.maximum, np.max), (np.minimum, np.min), (np.fmax, np.max)])
def test_the_larger_one_of_two_numbers_is_charged_as_that_of_a_list(of_two, of_all):
    lows, highs, data = np.array([-0.5, 0.0, 0.2]), np.array([0.3, 1.0, 1.5]), np.array([0.1, 0.7, 0.4])
    for made in (lambda y: [y[0], y[1]], lambda y: [y[0] + y[2], y[2]], lambda y: [2.0 * y[0], y[1] - y[2]]):
        two = charged(lambda y: of_two(*y), lows, highs, made, data)
        every = charged(lambda y: of_all(np.stack(y)), lows, highs, made, data)
        assert two[0] == every[0] == pytest.approx(of_two(*made(data)), rel=1e-13)  # its rounding is charged
        assert two[1] == pytest.approx(every[1], rel=1e-12)
        moved = largest_moves(lambda y: of_two(*y), lows, highs, made, np.random.default_rng(4), 200)
        assert (moved <= two[1] + 1e-12).all()
