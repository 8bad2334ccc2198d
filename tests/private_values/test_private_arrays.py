"""Private values behave like numpy's arrays: views, assignment, numpy's functions, copies."""

from __future__ import annotations

import copy
import operator
import time

import numpy as np
import pytest

from privcheck.private_values import REVEAL, Private, PrivateSource, zeros


@pytest.fixture
def source():
    return PrivateSource()


@pytest.fixture
def row(source):
    """A row of three rewards of round 3."""
    return source.vector([0.1, 0.5, 0.9], 0.0, 1.0, data=3)


def l1(value):
    return value.sensitivities("l1")


def test_numpy_arrays_and_numbers_on_either_side(row):
    array, value = np.array([1.0, 2.0, 4.0]), np.array([0.1, 0.5, 0.9])
    number = np.float64(2.0)
    pairs = [
        (np.zeros(3) + row, value), (row + array, value + array), (array - row, array - value),
        (array * row, array * value),
        (row / array, value / array), (number * row, 2.0 * value), (number - row, 2.0 - value), (row / 4, value / 4),
        (array @ row, array @ value), (row @ array, value @ array), (np.eye(3)[:2] @ row, value[:2]),
        (np.outer(array, row), np.outer(array, value)), (row[:, None] + np.zeros(2), value[:, None] + np.zeros(2)),
        (np.add(row, 1), value + 1), (np.negative(row), -value), (-row, -value), (+row, value), (True * row, value),
        (operator.add([1.0, 2.0, 3.0], row), np.array([1.0, 2.0, 3.0]) + value),
        (np.multiply.outer(array, row), np.multiply.outer(array, value)),
        (np.add.reduce(row), value.sum()), (np.add.accumulate(row), value.cumsum()),
    ]  # fmt: skip
    for private, expected in pairs:
        assert isinstance(private, Private)
        assert np.array_equal(private.reveal(REVEAL), expected)


def test_numpy_functions_that_pick_add_and_join(row):
    table = np.stack([row, row * 2.0])
    expected = np.stack([np.array([0.1, 0.5, 0.9]), 2.0 * np.array([0.1, 0.5, 0.9])])
    calls = [
        lambda a: np.sum(a), lambda a: np.sum(a, axis=0),
        lambda a: np.sum(a, axis=1, keepdims=True), np.mean, np.cumsum,
        lambda a: np.mean(a, axis=1), lambda a: np.cumsum(a, axis=0),
        lambda a: np.cumsum(a, axis=1), np.ravel, np.transpose,
        lambda a: np.reshape(a, (3, 2)), lambda a: a.T, lambda a: a.T @ a[:, :1] * 0.0,
        lambda a: a.reshape(-1), np.copy,
        lambda a: np.concatenate([a, np.ones((1, 3))]), lambda a: np.vstack([a, a]), lambda a: np.hstack([a, a]),
        lambda a: np.stack([a[0], np.zeros(3), a[1]], axis=1), lambda a: np.tile(a, 2),
        lambda a: np.repeat(a, 2, axis=0),
        lambda a: np.flip(a), lambda a: np.roll(a, 1), lambda a: np.take(a, [0, 2], axis=1), np.diagonal, np.squeeze,
        lambda a: np.dot(a, np.arange(3.0)), lambda a: a.dot(np.eye(3)), lambda a: a[:, [2, 0]], lambda a: a[..., None],
        lambda a: a[a.shape[0] - 1], lambda a: a[np.array([True, False])], lambda a: a.sum(), lambda a: a.mean(axis=0),
        lambda a: a.flatten(), lambda a: np.expand_dims(a, 0), lambda a: np.broadcast_to(a, (2, 2, 3)),
        lambda a: np.clip(a, -1.0, 5.0), lambda a: a.transpose(1, 0), lambda a: np.zeros_like(a) + 1.0,
    ]  # fmt: skip
    for call in calls:
        private, ordinary = call(table), call(expected)
        assert private.shape == ordinary.shape
        np.testing.assert_array_max_ulp(private.reveal(REVEAL), ordinary, 1)
    assert (np.shape(table), np.ndim(table), np.size(table), table.dtype) == ((2, 3), 2, 6, np.float64)
    assert l1(np.concatenate([table, np.ones((1, 3))])) == {3: pytest.approx(9.0)}
    assert np.zeros_like(table).is_public
    assert isinstance(np.zeros_like(table, dtype=int), np.ndarray)


def test_slices_are_views_and_fancy_indices_are_copies(row):
    sums, twin = zeros((2, 3)), np.zeros((2, 3))
    for array, reward in ((sums, row), (twin, np.array([0.1, 0.5, 0.9]))):
        first = array[0]
        first += reward
        array.T[1] += 1.0
        array[1, 1:] = reward[:2] * 2.0
        array.ravel()[3] = -1.0
        copied = array[[0]]
        copied += 100.0
        for line in array:
            line *= 0.5
    assert np.array_equal(sums.reveal(REVEAL), twin)
    assert l1(sums) == {3: pytest.approx(0.5 * (3.0 + 4.0))}
    assert sums[1, 0].is_public


def test_assignment_replaces_what_was_there(source, row):
    values = zeros(3)
    values[:] = row
    values[1] = source.scalar(0.5, 0.0, 1.0, datum=8)
    assert l1(values) == {3: 2.0, 8: 1.0}
    values[[0, 2]] = 0.0
    assert l1(values) == {8: 1.0}
    values[[1, 1]] = [source.scalar(0.5, 0.0, 1.0, datum=9), 2.0]
    assert values.data == frozenset()
    assert values.reveal(REVEAL).tolist() == [0.0, 2.0, 0.0]
    values[1:] = values[:-1]
    values.fill(row[0])
    assert l1(values) == {3: 3.0}
    with pytest.raises(ValueError, match="broadcast"):
        values[:2] = row
    with pytest.raises(ValueError, match="broadcast"):
        values += np.zeros((2, 3))
    assert l1(values) == {3: 3.0}


def test_numbers_do_not_change_in_place(source):
    total = source.scalar(0.5, 0.0, 1.0, datum=0)
    before = total
    total += source.scalar(0.25, 0.0, 1.0, datum=1)
    assert (before.data, total.data) == ({0}, {0, 1})
    twice = before + total
    other = before + source.scalar(0.25, 0.0, 1.0, datum=2)
    assert (l1(twice), l1(other)) == ({0: 2.0, 1: 1.0}, {0: 1.0, 2: 1.0})


def test_terms_that_share_a_buffer_do_not_mix(source):
    rewards = [source.scalar(0.5, 0.0, 1.0, datum=t) for t in range(300)]
    total = sum(rewards[:100])
    branches = [total + rewards[t] for t in range(100, 300)]
    for t, branch in zip(range(100, 300), branches, strict=True):
        assert branch.data == {*range(100), t}
    assert total.data == set(range(100))


def test_doubling_many_times_stays_small(source):
    total = source.scalar(0.5, 0.0, 1.0, datum=0)
    for _ in range(60):
        total = total + total
    assert l1(total) == {0: 2.0**60}


def test_deep_copies_share_features_but_not_entries(source):
    sums = zeros(2)
    sums[0] += source.scalar(0.5, 0.0, 1.0, datum=0)
    policy = {"sums": sums, "again": sums, "source": source}
    twin = copy.deepcopy(policy)
    twin["sums"][0] += source.scalar(0.5, 0.0, 1.0, datum=1)
    assert (sums.data, twin["sums"].data) == ({0}, {0, 1})
    assert twin["again"] is twin["sums"]
    assert twin["source"] is source
    assert (twin["sums"] - sums).data == {1}
    assert copy.copy(sums).data == {0}


def test_a_thousand_additions_are_quick(source):
    rewards = [source.scalar(0.5, 0.0, 1.0, datum=t) for t in range(1000)]
    best = np.inf
    for _ in range(3):
        start, total = time.perf_counter(), 0.0
        for reward in rewards:
            total += reward
        assert l1(total / 1000.0) == dict.fromkeys(range(1000), 1.0 / 1000.0)
        best = min(best, time.perf_counter() - start)
    assert best < 0.3


@pytest.mark.parametrize(("bins", "place"), [([2.0, 3.0], 0), ([-2.0, -1.0], 2), ([], 0)])
def test_a_bin_that_is_the_same_for_all_data_is_an_ordinary_index(bins, place):
    source = PrivateSource()
    for reward in (source.scalar(0.3, 0.0, 1.0, datum=0), source.vector([0.3, 0.9], 0.0, 1.0, data=0)):
        found = np.digitize(reward, bins)
        assert np.array_equal(found, np.searchsorted(bins, reward, side="right"))
        np.testing.assert_array_equal(zeros(3)[found], np.zeros(reward.shape))
        assert np.asarray(found).dtype == np.int64
        assert (np.asarray(found) == place).all()
