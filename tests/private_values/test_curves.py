"""Features of the same numbers of a datum are charged what they move together, in floats as they are computed."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

from privcheck.private_values import (
    REVEAL,
    Private,
    PrivateSource,
    clip,
    one_hot,
    selected,
    with_rounding,
)
from privcheck.private_values._curves import corners, largest_changes, shapes

NORMS = {
    "l1": lambda apart: np.abs(apart).sum(axis=-1).max(),
    "l2": lambda apart: np.linalg.norm(apart, axis=-1).max(),
    "range": lambda apart: np.ptp(apart, axis=-1).max(),
}
INTERVALS = [
    (0.0, 1.0), (-1.0, 1.0), (-0.3, 0.7), (0.1, 0.9), (1e6, 1e6 + 1.0), (0.0, 1e-3), (0.0, 1e9), (-1e-300, 1e-300)
]  # fmt: skip


class Program:
    """Random functions of a few numbers and an arm, which are computed of ordinary numbers and private ones alike.

    Weights and thresholds are no multiples of powers of two, so that rounding decides where floats cross thresholds.
    """

    def __init__(self, seed):
        self.random = random.Random(seed)
        draw = self.random
        self.ends = [draw.choice(INTERVALS) for _ in range(draw.choice([1, 1, 1, 2, 2, 3]))]
        self.arms = draw.choice([0, 0, 2, 3])
        self.near = [set(ends) for ends in self.ends]
        self.functions = [self.value(draw.choice([0, 1, 2, 2, 3])) for _ in range(draw.randint(1, 4))]
        shape = (draw.randint(1, 4), len(self.functions))
        self.matrix = np.reshape(
            [draw.choice([0.0, 1.0, -1.0, 0.5, 1 / 3, -0.1]) for _ in range(shape[0] * shape[1])], shape
        )

    def inside(self, i):
        low, high = self.ends[i]
        return self.random.choice(
            [low, high, low + (high - low) * self.random.choice([0.5, 0.1, self.random.random()])]
        )

    def affine(self):
        i = self.random.randrange(len(self.ends))
        a = self.random.choice([1.0, 1.0, 2.0, -1.0, 0.3, 1 / 3, -0.7, 3.0])
        b = self.random.choice([0.0, 0.0, 0.1, -1.0, -self.inside(i) * a])
        return i, a, b, lambda x: (x[i] if a == 1.0 else a * x[i]) + b

    def limits(self, count):
        """Return an affine function and limits that it reaches."""
        i, a, b, function = self.affine()
        at = [self.inside(i) for _ in range(count)]
        self.near[i].update(at)
        return function, sorted(a * x + b for x in at)

    def test(self, depth):
        draw = self.random
        kind = draw.random()
        symbol = draw.choice(["__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"])
        if self.arms and kind < 0.15:
            arm = draw.randrange(self.arms)
            return lambda x: x[-1][arm]
        if kind < 0.7 or depth == 0:
            function, (limit,) = self.limits(1)
        else:
            function, limit = self.value(depth - 1), draw.choice([0.0, 0.5, 0.3, -0.2, self.inside(0)])
        return lambda x: getattr(function(x), symbol)(limit) * 1.0

    def value(self, depth):
        draw, kind = self.random, self.random.randrange(10 if depth else 2)
        if kind == 0:
            return self.affine()[-1]
        if kind == 1:
            return self.test(depth)
        one = self.value(depth - 1)
        if kind == 2:
            return lambda x: abs(one(x))
        if kind == 3:
            function, ends = self.limits(2)
            return lambda x: clip(function(x), *ends)
        if kind == 4:
            ends = sorted([draw.uniform(-1.0, 1.0), draw.choice([0.0, 0.5, 1.0])])
            return lambda x: clip(one(x), *ends)
        two, weight = self.value(depth - 1), draw.choice([1.0, -1.0, 0.5, 1 / 3, -0.3])
        if kind == 5:
            return lambda x: one(x) + weight * two(x)
        if kind == 6:
            return lambda x: one(x) * two(x)
        test = self.test(depth - 1)
        if kind == 7:
            return lambda x: test(x) * one(x)
        if kind == 8:
            return lambda x: np.where(test(x) > 0.5, one(x), two(x)) * 1.0
        return lambda x: chosen(test(x), one(x), two(x))

    def private(self, numbers, arm):
        """Return what is released of a datum with these numbers."""
        source = PrivateSource()
        x = [source.scalar(number, *ends, datum=0) for number, ends in zip(numbers, self.ends, strict=True)]
        if self.arms:
            x.append(one_hot(source.action(arm, self.arms, datum=0), self.arms))
        return self.matrix @ np.stack([function(x) + 0.0 * x[0] for function in self.functions])

    def data(self, count):
        """Return numbers and arms: at thresholds, at the floats beside them, and elsewhere."""
        draw, every = random.Random(count), []
        for near, (low, high) in zip(self.near, self.ends, strict=True):
            found = {low + (high - low) * draw.random() for _ in range(6)} | near
            for number in near:
                for end in (-np.inf, np.inf):
                    beside = float(np.nextafter(number, end))
                    found |= {beside, float(np.nextafter(beside, end))}
            every.append([number for number in found if low <= number <= high])
        return [([draw.choice(found) for found in every], draw.randrange(max(self.arms, 1))) for _ in range(count)]


def chosen(test, one, two):
    if type(test) is Private and not test.is_public:
        return selected(test, one, two)
    return one if test > 0.5 else two


def undercharged(seed, count=30):
    """Return the norms in which two data move what is released further than is charged, by computing it of many."""
    program = Program(seed)
    data = program.data(count)
    released = program.private(*data[0])
    if released.is_public:
        return []
    values = np.array([program.private(*datum).reveal(REVEAL) for datum in data])
    apart = values[:, None] - values
    charges = {norm: with_rounding(released, released.sensitivities(norm)).get(0, 0.0) for norm in NORMS}
    return [norm for norm, largest in NORMS.items() if largest(apart) > charges[norm] * (1.0 + 2e-9)]


@pytest.mark.evidence
def test_no_two_data_are_farther_apart_than_is_charged(evidence):
    assert {seed: undercharged(seed) for seed in range(evidence(4, 500)) if undercharged(seed)} == {}


def differing(seed):
    """Return the features whose hidden value is not, bit by bit, that of their expression at the data."""
    program = Program(seed)
    found = []
    for numbers, arm in program.data(2):
        source = program.private(numbers, arm).source
        if source is None:
            continue
        hidden = source.features._hidden
        for feature, curve in source.features.curves.items():
            at = [np.array([of_form(atom, hidden) if type(atom) is tuple else hidden[atom]]) for atom in curve.atoms]
            if corners._values(curve.shape.how, at)[0] != hidden[feature]:
                found.append(feature)
    return found


def of_form(form, hidden):
    """Return a sum of several features, rounded once but for its products."""
    count = (len(form) - 1) // 2
    return math.fsum([form[count], *(w * hidden[j] for j, w in zip(form[:count], form[count + 1 :], strict=True))])


@pytest.mark.evidence
def test_features_are_computed_as_their_expressions_are(evidence):
    assert [differing(seed) for seed in range(evidence(20, 1000)) if differing(seed)] == []


def test_an_expression_that_is_another_one_is_noticed(monkeypatch):
    monkeypatch.setitem(corners._HOLDS, ">", np.greater_equal)
    forget()
    found = [differing(seed) for seed in range(10)]
    forget()
    assert any(found)


def forget():
    for function in (corners.values_at_corners, largest_changes._largest_change, shapes._shape):
        function.cache_clear()


def test_a_threshold_that_is_guessed_and_not_looked_for_is_noticed(monkeypatch):
    """The broken twin takes the float nearest to where a line crosses a threshold for the place where floats do."""

    def guessed(_, low, high, guess):
        below = np.clip(np.where(np.isfinite(guess), guess, low), low, np.nextafter(high, -np.inf))
        return below, np.nextafter(below, np.inf)

    assert not undercharged(8)
    assert not undercharged(43)
    forget()
    monkeypatch.setattr(corners, "_bisected", guessed)
    found = [undercharged(seed) for seed in (8, 43)]
    forget()
    assert all(found)


def nearly_equal(x):
    """Return two features that are equal but for rounding: of (x - 10^6) / 3, and of x / 3 - 10^6 / 3."""
    source = PrivateSource()
    number = source.scalar(x, 1e6, 1e6 + 0.9, datum=0)
    return clip(number / 3.0 - 1e6 / 3.0, 0.0, 0.2999) - clip((number > 1e6) * (number - 1e6) / 3.0, 0.0, 0.2999)


def test_the_rounding_of_features_that_cancel_is_charged(monkeypatch):
    values = np.array([nearly_equal(float(x)).reveal(REVEAL) for x in 1e6 + np.linspace(0.0, 0.9, 100)])

    def charge():
        forget()
        released = nearly_equal(1e6)
        return with_rounding(released, released.sensitivities("l1"))[0]

    apart = np.ptp(values)
    assert 1e-12 < apart <= charge() < 1e-8
    monkeypatch.setattr(largest_changes, "UNNOTICED", np.inf)
    broken = charge()
    forget()
    assert broken < apart


# What is charged exactly.


def number(low=0.0, high=1.0, value=0.6, datum=0, source=None):
    return (source or PrivateSource()).scalar(value, low, high, datum=datum)


def test_features_of_one_number_move_together():
    r = number()
    low = clip(r, 0.0, 0.5)
    assert (2.0 * r - low).sensitivities("l1") == {0: 1.5}
    assert np.stack([r, low, r - low]).sensitivities("l1") == {0: 2.0}
    assert np.stack([r * (r <= 0.5), r * (r > 0.5)]).sensitivities("l1") == {0: 1.5}
    assert np.stack([r * (r <= 0.5), r * (r > 0.5)]).sensitivities("l2") == {0: pytest.approx(np.hypot(0.5, 1.0))}
    assert ((r > 0.5) * (r - 1.0)).sensitivities("l1") == {0: pytest.approx(0.5)}
    assert np.stack([abs(r - 0.5), clip(r, 0.0, 0.5)]).sensitivities("range") == {0: 1.0}
    assert (abs(r - 0.5) - r).sensitivities("l1") == {0: 1.0}


def test_an_indicator_that_never_holds_costs_nothing():
    r = number()
    never = (r > 0.25) * (r < 0.25)
    assert never.sensitivities("l1") == {0: 0.0}
    assert with_rounding(never + 0.0 * r, never.sensitivities("l1")).get(0, 0.0) < 1e-300
    assert ((r >= 0.25) * (r <= 0.25)).sensitivities("l1") == {0: 1.0}


def test_numbers_of_one_datum_move_independently_where_nothing_joins_them():
    source = PrivateSource()
    x, y = number(source=source), number(-1.0, 1.0, 0.5, source=source)
    assert np.stack([x * (y > 0.0), y * (y > 0.0)]).sensitivities("l1") == {0: 2.0}
    assert (x * (y > 0.0) - x).sensitivities("l1") == {0: 1.0}
    assert (x + 2.0 * (y > 0.0) - clip(x, 0.0, 0.5)).sensitivities("l1") == {0: 2.5}
    assert (x * y - y).sensitivities("l1") == {0: 2.0}


def test_the_rounds_of_a_person_move_independently_and_each_together():
    source = PrivateSource()
    rewards = [number(datum="person", source=source) for _ in range(4)]
    both = sum(np.stack([2.0 * r, -clip(r, 0.0, 0.5)]) for r in rewards)
    assert both.sensitivities("l1") == {"person": pytest.approx(4 * 2.5)}
    assert np.sum(both).sensitivities("l1") == {"person": pytest.approx(4 * 1.5)}
    assert np.stack([number(datum=k, source=source) * 2.0 for k in range(3)]).sensitivities("l1") == {
        0: 2.0,
        1: 2.0,
        2: 2.0,
    }


def test_what_a_private_arm_is_given_moves_with_it():
    source = PrivateSource()
    arm, reward = source.action(1, 3, datum=0), source.scalar(0.5, -1.0, 1.0, datum=0)
    added = one_hot(arm, 3) * reward
    assert np.concatenate([added, [reward]]).sensitivities("l1") == {0: 4.0}
    assert (added - reward).sensitivities("l1") == {0: 4.0}
    assert np.cumsum(one_hot(arm, 3)).sensitivities("l1") == {0: 2.0}
    assert np.sum(added).sensitivities("l1") == {0: 2.0}
    assert np.sum(one_hot(arm, 3)).sensitivities("l1") == {0: pytest.approx(0.0, abs=1e-13)}


def test_what_is_known_of_features_outlives_the_numbers_that_they_were_made_of():
    source = PrivateSource()
    r = number(source=source)
    both = np.stack([r * (r <= 0.5), r * (r > 0.5), clip(3.0 * r - 0.2, 0.0, 0.7)])
    before = {norm: both.sensitivities(norm) for norm in NORMS}
    del r
    for _ in range(3):
        source.forget()
    assert {norm: both.sensitivities(norm) for norm in NORMS} == before


def test_more_corners_than_are_computed_are_charged_as_if_all_features_were_independent():
    source = PrivateSource()
    x = [number(source=source) for _ in range(5)]
    bits = [np.prod([1.0 * (one > k / 8) for one in x]) for k in range(1, 8)]
    released = np.stack([*bits, *x])
    assert corners.MOST_CORNERS < 14**5
    assert released.sensitivities("l1") == {0: 12.0}
    few = np.stack([*bits[:2], *x])
    assert few.sensitivities("l1") == {0: 7.0}


def test_all_pairs_of_ends_are_tried():
    """Beside brute force on a grid that has the thresholds and the floats beside them."""
    draw = random.Random(5)
    points = sorted({x + d for x in (0.25, 0.5, 0.75) for d in (-1e-12, 0.0, 1e-12)} | {k / 16 for k in range(17)})
    for _ in range(25):
        limits = [draw.choice([0.25, 0.5, 0.75]) for _ in range(4)]
        weights = np.reshape([draw.choice([1.0, -1.0, 2.0, 0.5]) for _ in range(12)], (3, 4))

        def of(r, limits=limits):
            one, two, three, four = limits
            return [r * 1.0, (r > one) * r, clip(r, two / 2, two), abs(r - three) - (r <= four)]

        values = np.array([[float(part) for part in of(x)] for x in points]) @ weights.T
        apart = np.array([a - b for a, b in itertools.product(values, values)])
        released = weights @ np.stack([part + 0.0 for part in of(number())])
        for norm, largest in NORMS.items():
            assert released.sensitivities(norm)[0] == pytest.approx(largest(apart), abs=1e-9)
