"""The fuzz of norms, reduced; its oracle against linear programs and all pairs; and charges that are wrong."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from privcheck.accounting import Ledger
from privcheck.certifying import _session as sessions
from privcheck.private_values import Private
from privcheck.private_values import _actions as actions
from privcheck.private_values import _computed_sensitivity as computed_sensitivity
from privcheck.private_values._curves import corners, largest_changes, shapes
from privcheck.private_values._several_data import moved_numbers, of_many_numbers
from tests.benchmark_modules import loaded

SEEDS = range(1, 6)


loaded("written_tables")
releases = loaded("random_releases")
oracle = loaded("exact_norms")
fuzz = loaded("norms_fuzz")

OF_ONE_DATUM = [theme for theme in releases.THEMES if theme != "many"]


def outputs(case):
    """Return the outputs at all corners of each datum, divided by the scales of the noise."""
    scales = np.concatenate([np.full(len(release[3]), release[5]) for release in case.releases])
    return [oracle.outputs(case, d, oracle.corners(case, d)) / scales for d in range(len(case.data))]


@pytest.mark.evidence
@pytest.mark.parametrize("seed", SEEDS)
def test_no_release_is_charged_too_little(seed, evidence):
    rows = fuzz.compare(evidence(40, 1000), seed)
    assert [name for row in rows.values() for name in row.undercharged + row.refused] == []
    assert sum(row.large for row in rows.values()) <= 0.1 * sum(row.cases for row in rows.values())


def test_sums_are_charged_exactly():
    """Without thresholds a norm over a box is at a corner, and the datum has few numbers."""
    norms = [ratio for number in range(150) for ratio in row_of(0, number, "sums").norms]
    assert len(norms) > 50
    assert max(norms) < 1 + 1e-9


def row_of(seed, number, theme):
    """Compare one program, if it is of a theme."""
    case, row = releases.case(seed, number), fuzz.Row()
    if case.theme == theme:
        row.add(number, case, releases.charged(case, fuzz.numbers), oracle.exact(case))
    return row


def test_the_table_names_what_is_undercharged():
    rows = fuzz.compare(12, 0, tool=lambda case, hidden: times(0.98, releases.charged(case, hidden)))
    assert "Undercharged: " in fuzz.page(rows, 0, 1.0)
    assert "Undercharged: " not in fuzz.page(fuzz.compare(12, 0), 0, 1.0)


def times(factor, charged):
    return releases.Charged(factor * charged.loss, charged.sensitivities, charged.values)


def test_a_refusal_is_no_charge():
    rows = fuzz.compare(10, 0, tool=lambda case, hidden: releases.Charged(refused="too large"))
    assert sum(len(row.refused) for row in rows.values()) == 10
    assert "Refused: " in fuzz.page(rows, 0, 1.0)


def test_another_number_than_that_of_the_oracle_is_noticed(monkeypatch):
    real = oracle.number
    monkeypatch.setattr(oracle, "number", lambda what, at: real(what, at) + (what[0] == "digit"))
    with pytest.raises(AssertionError, match="computes other numbers"):
        fuzz.compare(60, 0)


# The oracle.


def affine_pieces(case, place):
    """Return the boxes of a datum's open pieces and points, and its outputs there as affine functions of its numbers.

    No corners and sides: they are found by running the program at points inside.
    """
    datum, cut = case.data[place], [set() for _ in case.data[place].lows]
    for name, where, *parts in case.statements:
        for what in oracle.expressions(name, parts) if where == place and name != "release" else ():
            oracle.breaks(what, cut)
    axes = []
    for low, high, at in zip(datum.lows, datum.highs, cut, strict=True):
        ends = sorted({low, high, *(x for x in at if low < x < high)})
        axes.append([*((x, x) for x in ends), *itertools.pairwise(ends)])
    for box in itertools.product(*axes):
        lows, highs = np.array(box).T
        for arm in range(max(datum.arms, 1)):
            middle = (lows + highs) / 2
            points = np.column_stack([middle, *(middle[:, None] + np.diag((highs - lows) / 4)).T])
            at = oracle.Corners(points, 0 * points, np.full(points.shape[1], float(arm)))
            values = oracle.outputs(case, place, at)
            slopes = (values[1:] - values[0]).T / np.where(highs > lows, (highs - lows) / 4, 1.0)
            yield lows, highs, values[0] - slopes @ middle, slopes


def by_linear_programs(case):
    """Return the largest change in L1: for all signs, the largest less the smallest value over all pieces."""
    scales = np.concatenate([np.full(len(release[3]), release[5]) for release in case.releases])
    pieces = [list(affine_pieces(case, place)) for place in range(len(case.data))]
    found = 0.0
    for signs in itertools.product((1.0, -1.0), repeat=len(scales) - 1):
        weights, moved = np.array([1.0, *signs]) / scales, []
        for of_datum in pieces:
            ends = []
            for lows, highs, const, slopes in of_datum:
                for sense in (1.0, -1.0):
                    at = linprog(sense * weights @ slopes, bounds=list(zip(lows, highs, strict=True)))
                    ends.append(weights @ const + sense * at.fun)
            moved.append(max(ends) - min(ends))
        found = max(found, sum(sorted(moved)[-case.group :]))
    return found


def small(case):
    if case.law != "laplace" or "times" in str(case.statements):
        return False
    programs = 2 ** sum(len(release[3]) for release in case.releases)
    return programs * sum(len(list(affine_pieces(case, place))) for place in range(len(case.data))) <= 160


@pytest.mark.parametrize("theme", OF_ONE_DATUM)
def test_the_oracle_agrees_with_linear_programs(theme):
    cases = [case for case in (releases.case(7, n) for n in range(400)) if case.theme == theme]
    chosen = list(itertools.islice(filter(small, cases), 2))
    assert len(chosen) == 2
    for case in chosen:
        assert oracle.exact(case).loss == pytest.approx(by_linear_programs(case), abs=1e-9)


def test_the_longest_sum_of_changes_agrees_with_all_sums():
    tried = 0
    for case in (releases.case(8, number) for number in range(300) if number % 6 != 5):
        values = [np.unique(found, axis=0) for found in outputs(case)]
        if case.law == "laplace" or case.group == 1 or len(values) == 1 or max(map(len, values)) > 8:
            continue
        changes = [(found[:, None] - found).reshape(-1, found.shape[1]) for found in values]
        largest = 0.0
        for one, two in itertools.combinations(changes, 2):
            pairs = (one[:, None] + two).reshape(-1, one.shape[1])
            for three in changes if case.group == 3 and len(values) > 2 else [np.zeros((1, pairs.shape[1]))]:
                if three is not one and three is not two:
                    largest = max(largest, *(np.linalg.norm(pairs + row, axis=1).max() for row in three))
        assert oracle.exact(case).loss == pytest.approx(largest, abs=1e-9)
        tried += 1
        if tried == 12:
            break
    assert tried == 12


def test_no_two_points_of_a_datum_are_farther_apart_than_the_oracle_says():
    rng = np.random.default_rng(0)
    for case in (releases.case(9, number) for number in range(60) if number % 6 != 5):
        loss = oracle.exact(case).loss
        for place, datum in enumerate(case.data):
            shape = (len(datum.lows), 60)
            low, high = np.array(datum.lows)[:, None], np.array(datum.highs)[:, None]
            points = low + np.round(rng.random(shape) * 16) / 16 * (high - low)
            at = oracle.Corners(points, 0 * points, rng.integers(max(datum.arms, 1), size=60).astype(float))
            scales = np.concatenate([np.full(len(release[3]), release[5]) for release in case.releases])
            values = oracle.outputs(case, place, at) / scales
            order = 1 if case.law == "laplace" else 2
            assert np.linalg.norm(values[:, None] - values, ord=order, axis=2).max() <= loss + 1e-9


def many(seed, count):
    """Return programs with functions of several data."""
    cases = [releases.case(seed, number) for number in range(5, 6 * count, 6)]
    assert all(case.theme == "many" and len(case.data) > 1 for case in cases)
    return cases


def released(case, numbers):
    """Return all that is released of numbers, one row for each set of data, of shape (sets, data, numbers)."""
    total = 0.0
    nodes = [statement[2:] for statement in case.statements if statement[0] == "many"]
    for place in range(len(case.data)):
        at = np.array([row[place] for row in numbers]).T
        total = total + oracle.outputs(case, place, oracle.Corners(at, 0 * at, np.zeros(at.shape[1])))
    for number, (name, parameter, _, items) in enumerate(nodes):
        y = [[scale * row[place][i] + shift for place, i, scale, shift in items] for row in numbers]
        total = total + np.outer(
            [releases.MANY[name](np.array(row), parameter) for row in y], oracle._of_node(case, number)
        )
    return total


def test_no_two_neighbours_with_functions_of_several_data_are_farther_apart_than_is_charged():
    """Neighbours drawn at random, in which up to as many data differ as a group has; the oracle is below the charge."""
    rng, farthest = np.random.default_rng(0), []
    for case in many(3, 25):
        scales = np.concatenate([np.full(len(release[3]), release[5]) for release in case.releases])
        largest = 0.0
        for _ in range(12):
            first = [drawn(rng, datum) for datum in case.data]
            differ = rng.choice(len(case.data), min(case.group, len(case.data)), replace=False)
            second = [drawn(rng, datum) if place in differ else first[place] for place, datum in enumerate(case.data)]
            one, two = released(case, [first, second]) / scales
            largest = max(largest, float(np.linalg.norm(one - two, ord=1 if case.law == "laplace" else 2)))
        charged = releases.charged(case).loss
        assert largest <= charged * (1.0 + 1e-9)
        if charged:
            farthest.append(largest / charged)
    assert max(farthest) > 0.8


def drawn(rng, datum):
    """Return numbers of a datum, often at ends of intervals and thresholds."""
    return [
        float(rng.choice([low, high, *limits, low + (high - low) * rng.random()]))
        for low, high, limits in zip(datum.lows, datum.highs, datum.limits, strict=True)
    ]


def test_the_oracle_of_functions_of_several_data_is_attained_or_above():
    """Of order statistics it is the largest change: no neighbours drawn at random are farther apart."""
    rng = np.random.default_rng(1)
    for case in many(4, 15):
        if any(statement[2] in ("var", "std") for statement in case.statements if statement[0] == "many"):
            continue
        sensitivities = oracle.exact(case).sensitivities
        ends = np.cumsum([0, *(len(release[3]) for release in case.releases)]).tolist()
        for _ in range(30):
            first = [drawn(rng, datum) for datum in case.data]
            place = int(rng.integers(len(case.data)))
            second = [drawn(rng, datum) if place == other else first[other] for other, datum in enumerate(case.data)]
            one, two = released(case, [first, second])
            for exact, (start, stop) in zip(sensitivities, itertools.pairwise(ends), strict=True):
                order = 1 if case.law == "laplace" else 2
                assert np.linalg.norm((one - two)[start:stop], ord=order) <= exact[place] + 1e-9


# Charges that are wrong.


def of_98_percent(monkeypatch):
    """Break: the norm is multiplied by 0.98."""
    real = Private.sensitivities
    monkeypatch.setattr(Private, "sensitivities", lambda self, norm: {d: 0.98 * s for d, s in real(self, norm).items()})


def without_points(monkeypatch):
    """Break: comparisons change at thresholds, but none holds at one as a point alone."""
    monkeypatch.setitem(corners._COMPARE, "==", ())
    monkeypatch.setattr(shapes, "_tight", lambda _, low, high: (low, high))


def clips_end_nowhere(monkeypatch):
    """Break: the ends of clips are no thresholds, so that what is clipped is taken to be affine."""
    real = corners._Cells._divide

    def divide(self, how, places, axis, tests):
        real(self, how, places, axis, [(test, limit) for test, limit in tests if len(tests) == 1])

    monkeypatch.setattr(corners._Cells, "_divide", divide)
    monkeypatch.setattr(shapes, "_tight", lambda _, low, high: (low, high))


def at_common_ends(monkeypatch):
    """Break: two numbers of a datum are taken to be at their lower ends together, and at their upper ends together."""

    def grid(self, axes):
        steps = range(max(map(len, axes)))
        return [np.array([axis[min(step, len(axis) - 1)] for step in steps]) for axis in axes]

    monkeypatch.setattr(corners._Cells, "_grid", grid)
    monkeypatch.setattr(shapes, "_tight", lambda _, low, high: (low, high))


def of_one_part(monkeypatch):
    """Break: of the numbers of a datum only those move that move a release the most."""
    for name in ("l1", "l2"):
        real = largest_changes._NORMS[name]
        monkeypatch.setitem(largest_changes._NORMS, name, lambda moved, real=real: max(real([each]) for each in moved))


def masks_exclude_each_other(monkeypatch):
    """Break: only one of the features of a datum is taken to move at a time."""
    for name in ("l1", "l2"):
        norm = computed_sensitivity.NORMS[name]
        single = computed_sensitivity._Norm(
            lambda scaled, norm=norm: norm.columns(scaled).max(), norm.ball, norm.columns
        )
        monkeypatch.setitem(computed_sensitivity.NORMS, name, single)


def one_datum_of_a_group(monkeypatch):
    """Break: the second datum of a group costs nothing."""
    monkeypatch.setattr(sessions, "Ledger", lambda group, what: Ledger(1, what))


def arms_move_by_one(monkeypatch):
    """Break: the indicator of an arm is taken to move by 1, not by 2, as if only one entry changed."""
    monkeypatch.setattr(actions, "ONE_HOT", replace(actions.ONE_HOT, l1_diameter=1.0, l2_diameter=0.7))


def half_an_interval(monkeypatch):
    """Break: the widest interval of a datum counts half."""
    real = computed_sensitivity._widths
    monkeypatch.setattr(computed_sensitivity, "_widths", lambda table, used: np.minimum(real(table, used), 1.0))


def last_release_alone(monkeypatch):
    """Break: releases of the same data do not add up."""
    real = Ledger.record

    def record(self, *args):
        self.paid = type(self.paid)(self.group_size)
        return real(self, *args)

    monkeypatch.setattr(Ledger, "record", record)


def functions_of_several_data_move_less(monkeypatch):
    """Break: a datum is taken to move functions of several data by 0.9 of what it moves."""
    real = moved_numbers.moved_number

    def less(name, entries, owners, moves, *others):
        return real(name, entries, owners, 0.9 * moves, *others)

    monkeypatch.setattr(of_many_numbers, "moved_number", less)


TWINS = {
    of_98_percent: "sums",
    without_points: "steps",
    clips_end_nowhere: "mixed",
    at_common_ends: "mixed",
    of_one_part: "masks",
    masks_exclude_each_other: "masks",
    one_datum_of_a_group: "sums",
    arms_move_by_one: "arms",
    half_an_interval: "sums",
    last_release_alone: "sums",
    functions_of_several_data_move_less: "many",
}


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.__name__)
def test_a_charge_that_is_too_small_is_noticed(twin, monkeypatch):
    forget()
    twin(monkeypatch)
    found = any(row_of(2, number, TWINS[twin]).undercharged for number in range(200))
    forget()
    assert found


def forget():
    for function in (corners.values_at_corners, largest_changes._largest_change, shapes._shape):
        function.cache_clear()


@pytest.mark.parametrize("theme", sorted(set(TWINS.values())))
def test_the_same_programs_are_charged_enough_otherwise(theme):
    assert not any(row_of(2, number, theme).undercharged for number in range(25))
