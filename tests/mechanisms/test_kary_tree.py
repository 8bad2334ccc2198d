"""The k-ary tree: its nodes and levels by enumeration, the choice of the degree, and the errors of its prefix sums."""

import math

import numpy as np
import pytest

from privcheck.accounting import Plan
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import BinaryTree, KaryTree, Laplace, planned
from privcheck.mechanisms.kary_tree import best_degree, digit_sums
from privcheck.mechanisms.prefix_tree import digits, most_covered

TABLE = {64: (9, 7.55, 17.2), 1024: (11, 15.6, 34.8), 16384: (26, 25.6, 56.1)}
"""Horizon: degree, and root mean square errors of the k-ary and of the binary tree at epsilon 1."""


def rms(tree):
    return math.sqrt(tree.variances(tree.horizon).mean())


@pytest.mark.parametrize("horizon", TABLE)
def test_the_errors_of_the_prefix_sums_are_those_of_the_table(horizon):
    degree, error, binary = TABLE[horizon]
    tree = KaryTree(horizon=horizon, sensitivity=1.0, epsilon=1.0)
    assert tree.degree == degree
    assert rms(tree) == pytest.approx(error, abs=0.05)
    assert rms(tree) == pytest.approx(math.sqrt(2 * digit_sums(horizon, degree) / horizon) * tree.scale, rel=1e-12)
    assert rms(BinaryTree(horizon=horizon, sensitivity=1.0, epsilon=1.0)) == pytest.approx(binary, abs=0.05)


@pytest.mark.chance(
    1e-6,
    "a studentised mean of 1000 squared errors within 6 standard errors: 2e-9, and at most 500 times that for skewness",
)
@pytest.mark.parametrize("horizon", [64, 1024])
def test_the_errors_of_drawn_prefix_sums_agree_with_the_formula(horizon):
    """Within 6 standard errors over runs, whose mean squared errors are independent."""
    tree = KaryTree(horizon=horizon, sensitivity=1.0, epsilon=1.0)
    items = np.random.default_rng(1).random(horizon)
    noise = tree.release_batch(items, np.random.default_rng(2), 1000) - np.cumsum(items)
    by_run = (noise**2).mean(axis=1)
    assert abs(by_run.mean() - rms(tree) ** 2) < 6 * by_run.std() / math.sqrt(1000)
    assert abs(by_run.mean() - 0.8 * rms(tree) ** 2) > 6 * by_run.std() / math.sqrt(1000)


@pytest.mark.parametrize("degree", [2, 3, 4, 7, 10])
@pytest.mark.parametrize("horizon", [*range(1, 30), 63, 64, 65, 80, 81, 82, 99, 100, 101, 343])
def test_the_levels_are_those_that_enumeration_counts(horizon, degree):
    tree = KaryTree(horizon=horizon, sensitivity=1.0, epsilon=1.0, degree=degree)
    nodes = tree.nodes(horizon)
    assert max(sum(i in node.items for node in nodes) for i in range(horizon)) == tree.statistics_per_datum
    assert most_covered(tree.starts(horizon), np.arange(1, horizon + 1)) == tree.statistics_per_datum
    assert all(node.stop == step for step, node in enumerate(nodes, 1)), "a node is released with its last item"


def test_base_two_is_the_binary_tree():
    items = np.random.default_rng(0).random((100, 2))
    kary = KaryTree(horizon=100, sensitivity=1.0, epsilon=1.0, degree=2)
    binary = BinaryTree(horizon=100, sensitivity=1.0, epsilon=1.0)
    one, two = (tree.release(items, np.random.default_rng(3)) for tree in (kary, binary))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("cost", [1, 2])
def test_the_degree_is_the_best_of_all(cost):
    for horizon in [*range(1, 200), 511, 1000]:

        def variance(degree, horizon=horizon):
            total = sum(t // degree**v % degree for t in range(1, horizon + 1) for v in range(10))
            assert total == digit_sums(horizon, degree) or horizon >= 2**10
            return digits(horizon, degree) ** cost * digit_sums(horizon, degree)

        every = range(2, horizon + 2)
        best = min(digits(horizon, degree) ** cost * digit_sums(horizon, degree) for degree in every)
        assert variance(best_degree(horizon, cost)) == best


def test_a_released_last_part_would_cost_a_level_more():
    """A broken twin also releases the last of the k parts: the last item then enters five nodes, here one."""
    tree = KaryTree(horizon=81, sensitivity=1.0, epsilon=1.0, degree=3)
    starts, stops = tree.starts(81), np.arange(1, 82)
    assert most_covered(starts, stops) == 5
    sizes = [3**v for v in range(5)]
    every = [(t - size, t) for size in sizes for t in range(size, 82, size)]
    depth = [sum(a <= 80 < b for a, b in every), sum(a <= 80 < b for a, b in zip(starts, stops, strict=True))]
    assert depth == [5, 1]


def test_a_plan_takes_the_tree_for_its_nodes():
    tree = KaryTree(horizon=100, sensitivity=1.0, epsilon=0.3, degree=5)
    plans = [planned(tree, count=30), planned(Laplace.with_scale(10.0), count=90)]
    found = [Plan([release]).at_delta(1e-6).epsilon for release in plans]
    assert found[0] == pytest.approx(found[1], rel=1e-6)
    assert found[0] < 5.0 < 9.0 == 30 * tree.loss(1.0)


def test_too_few_levels_are_caught():
    class Forgetful(KaryTree):
        @property
        def statistics_per_datum(self):
            return super().statistics_per_datum - 1

    for cls, factor in ((KaryTree, 1.0), (Forgetful, 1.5)):
        tree = cls(horizon=100, sensitivity=1.0, epsilon=1.0, degree=10)
        stream, other = np.zeros(100), np.eye(100)[0]
        far = tree.prefixes(np.full((1, 100), 1e6))[0]
        assert tree.log_ratio(far, other, stream) == pytest.approx(factor, rel=1e-6)


@pytest.mark.parametrize("degree", [1, -1, 2.5, True, 2**27])
def test_a_degree_of_one_is_refused(degree):
    with pytest.raises(PrivcheckError, match=r"degree: got .*0 takes the degree"):
        KaryTree(horizon=8, sensitivity=1.0, epsilon=1.0, degree=degree)


def test_a_stream_beyond_the_horizon_is_refused():
    stream = KaryTree(horizon=2, sensitivity=1.0, epsilon=1.0).start(np.random.default_rng(0))
    assert [stream.add(1.0) is not None for _ in range(2)] == [True, True]
    with pytest.raises(PrivcheckError, match="at most the horizon 2"):
        stream.add(1.0)
