"""Numbers that depend on one datum by comparisons alone: their sensitivity is the largest change that there is."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from privcheck.private_values import Private, PrivateSource, selected
from privcheck.private_values._curves import corners, largest_changes, shapes

LIMITS = (0.2, 0.35, 0.5, 0.8)
POINTS = sorted({x + d for x in LIMITS for d in (-1e-9, 0.0, 1e-9)} | {0.0, 0.1, 0.3, 0.4, 0.6, 0.9, 1.0})
NORMS = {
    "l1": lambda changes: np.abs(changes).sum(axis=1).max(),
    "l2": lambda changes: np.linalg.norm(changes, axis=1).max(),
    "range": lambda changes: np.ptp(changes, axis=1).max(),
}


class Steps:
    """Draws functions of a number that compare it with thresholds, of ordinary numbers and of private ones alike."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def test(self, depth):
        limit, symbol = (
            self.random.choice(LIMITS),
            self.random.choice(["__lt__", "__le__", "__gt__", "__ge__", "__eq__"]),
        )
        if depth == 0 or self.random.random() < 0.5:
            return lambda x: getattr(x, symbol)(limit) * 1.0
        one, two = self.value(depth - 1), self.value(depth - 1)
        return lambda x: (one(x) + two(x) > limit) * 1.0

    def value(self, depth):
        kind = self.random.randrange(6) if depth else 0
        if kind == 0:
            return self.test(depth)
        one, two = self.value(depth - 1), self.value(depth - 1)
        condition, weight = self.test(depth - 1), self.random.choice([0.5, -1.0, 2.0])
        if kind == 1:
            return lambda x: 1.0 - one(x)
        if kind == 2:
            return lambda x: one(x) * two(x)
        if kind == 3:
            return lambda x: chosen(condition(x), one(x), weight * two(x))
        if kind == 4:
            return lambda x: np.where(condition(x) > 0.5, one(x), two(x)) * 1.0
        return lambda x: np.clip(one(x) + weight * two(x), -0.25, 0.75)


def chosen(condition, one, two):
    if type(condition) is Private and not condition.is_public:
        return selected(condition, one, two)
    return one if condition > 0.5 else two


def case(seed):
    """Return functions that are steps, and coefficients that make an array of them."""
    steps, rng = Steps(seed), np.random.default_rng(seed)
    functions = [steps.value(int(rng.integers(3))) for _ in range(rng.integers(2, 6))]
    matrix = rng.choice([-1.0, 0.0, 0.5, 1.0], (int(rng.integers(1, 5)), len(functions)))
    return functions, matrix


def private(functions, matrix):
    reward = PrivateSource().scalar(0.6, 0.0, 1.0, datum=0)
    return matrix @ np.stack([function(reward) + 0.0 * reward for function in functions])


def changes(functions, matrix):
    """Return all changes of the array, by running the functions on every piece of the range."""
    values = np.array([[float(function(x)) for function in functions] for x in POINTS]) @ matrix.T
    return np.array([a - b for a, b in itertools.product(values, values)])


def several_steps(array):
    return len({*array.terms.tidy().features.tolist()}) > 1


@pytest.mark.evidence
def test_the_sensitivity_is_the_largest_change(evidence):
    exact, seeds = 0, evidence(50, 1000)
    for seed in range(seeds):
        array, moved = private(*case(seed)), changes(*case(seed))
        for norm, largest in ((norm, NORMS[norm](moved)) for norm in NORMS):
            bound = array.sensitivities(norm).get(0, 0.0)
            assert bound >= largest - 1e-12, (seed, norm)
            if several_steps(array):
                assert bound == pytest.approx(largest, abs=1e-12), (seed, norm)
                exact += largest > 0.0
    assert exact > 1.5 * seeds


def test_the_points_of_the_thresholds_are_pieces(monkeypatch):
    """The broken twin has the open intervals alone, and charges too little where a number is compared by ==."""
    monkeypatch.setitem(corners._COMPARE, "==", ())
    forget()
    found = [
        private(*case(seed)).sensitivities("l1").get(0, 0.0) < NORMS["l1"](changes(*case(seed))) - 1e-9
        for seed in range(25)
    ]
    forget()
    assert any(found)


def forget():
    for function in (corners.values_at_corners, largest_changes._largest_change, shapes._shape):
        function.cache_clear()


def test_a_histogram_moves_by_two_and_numbers_beside_it_by_their_own():
    source = PrivateSource()
    reward, other = source.scalar(0.6, 0.0, 1.0, datum=0), source.scalar(0.1, 0.0, 1.0, datum=0)
    bins = np.stack(
        [reward < 0.25, (reward >= 0.25) * (reward < 0.5), (reward >= 0.5) * (reward < 0.75), reward >= 0.75]
    )
    assert bins.sensitivities("l1") == {0: 2.0}
    assert bins.sensitivities("l2") == {0: pytest.approx(np.sqrt(2.0))}
    assert (bins + reward).sensitivities("l1") == {0: 4.0}  # from 0 to 1: by 0, 1, 1 and 2
    assert np.concatenate([bins, [reward]]).sensitivities("l1") == {0: 2.0 + 1.0}
    both = np.stack([reward > 0.5, reward > 0.7, other > 0.5, other > 0.7])
    assert both.sensitivities("l1") == {0: 4.0}
    assert np.stack([1.0 * (x > 0.5) - (x > 0.7) for x in (reward, other)]).sensitivities("l1") == {0: 2.0}


def test_steps_of_different_data_are_not_one_curve():
    source = PrivateSource()
    first, second = (source.scalar(0.6, 0.0, 1.0, datum=datum) for datum in range(2))
    bits = np.stack([first > 0.5, first <= 0.5, second > 0.5])
    assert bits.sensitivities("l1") == {0: 2.0, 1: 1.0}
    assert bits[:1].sensitivities("l1") == {0: 1.0}


def test_a_number_that_is_compared_after_arithmetic_has_its_thresholds_where_floats_cross_them():
    """3 r > 2.1 is not r > 0.7 for all floats, because 3 r is rounded: their difference moves by 1."""
    reward = PrivateSource().scalar(0.6, 0.0, 1.0, datum=0)
    low, high, double = (reward > 0.3) * 1.0, (2.0 * reward > 1.0) * 1.0, (2.0 * reward > 1.4) * 1.0
    assert (high - double).sensitivities("l1") == {0: 1.0}
    assert (low - high).sensitivities("l1") == {0: 1.0}
    assert (low - high + double).sensitivities("l1") == {0: 1.0}
    assert (double - (reward > 0.7)).sensitivities("l1") == {0: pytest.approx(0.0, abs=1e-13)}
    numbers = [x for x in (0.1, 0.3, 0.6, 0.7, 0.9) if (3.0 * x > 3.0 * 0.7) != (x > 0.7)]
    near = [x for x in 0.7 + np.arange(-4, 5) * 2.0**-53 if (3.0 * x > 2.1) != (x > 0.7)]
    assert len(numbers) == 0 < len(near)
    assert ((3.0 * reward > 2.1) - 1.0 * (reward > 0.7)).sensitivities("l1") == {0: 1.0}


def test_steps_are_known_after_what_they_were_made_of_is_forgotten():
    """A long run forgets features to which nobody refers any more; what is left costs the same."""
    source = PrivateSource()
    reward = source.scalar(0.6, 0.0, 1.0, datum=0)
    bins = np.stack([selected(reward < x, 1.0, selected(reward < 2 * x, 0.5, 0.0)) for x in (0.2, 0.3, 0.45)])
    before = {norm: bins.sensitivities(norm) for norm in NORMS}
    del reward
    for _ in range(3):
        source.forget()
    assert {norm: bins.sensitivities(norm) for norm in NORMS} == before
    assert before["l1"] == {0: 3.0}


def test_expressions_that_grow_without_end_are_no_steps():
    source = PrivateSource()
    value = (source.scalar(0.6, 0.0, 1.0, datum=0) > 0.5) * 1.0
    for _ in range(60):
        value = 0.5 * value * value + 0.25 * value
    assert value.sensitivities("l1")[0] <= 1.0
    assert max(curve.shape.size for curve in source.features.curves.values()) <= 200 + 1


def test_a_curve_of_many_pieces_has_the_bound_of_the_box():
    reward = PrivateSource().scalar(0.6, 0.0, 1.0, datum=0)
    few, many = (sum((reward > k / n) * (-1.0) ** k for k in range(1, n)) for n in (20, 200))
    assert few.sensitivities("l1")[0] == 1.0
    assert many.sensitivities("l1")[0] == 199.0
