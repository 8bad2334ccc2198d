"""The statements are quoted rightly: two independent entries agree at random points, for every refuted claim."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from privcheck.claims import CLAIMS, ORDER_REFUTED, REFUTED, Order, Reading, Relation, expression, findings_from_json
from privcheck.claims._arithmetic import FLOATS
from privcheck.claims._expression import evaluate
from privcheck.claims._search.starting_points import candidates
from tests.modules import beside

second = beside(__file__, "second_entries")
_spec = importlib.util.spec_from_file_location("instances", Path(__file__).parent / "second_entries_of_instances.py")
instances = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(instances)
second.SIDES |= instances.SIDES
second.ORDERS |= instances.ORDERS

RUN = Path(second.__file__).parents[2] / "privcheck" / "claims" / "claims.json"
COVERED = ("hu-2021", "azize-basu-2022")
"""Papers whose refuted claims have second entries; add a paper when its are written."""
POINTS, LEAST = 25, 8


def points(reading: Reading) -> Iterator[dict[str, float]]:
    """Points of the printed domain at which the printed conditions hold."""
    names = [of.name for of in reading.variables]
    drawn = candidates(reading, 40 * POINTS, np.random.default_rng(4))
    order = np.random.default_rng(5).permutation(40 * POINTS)
    for index in order if names else [0]:
        point = {name: float(drawn[name][index]) for name in names}
        inside = all(of.has(Fraction(str(point[of.name]))) for of in reading.variables)
        slack = [(evaluate(of.gap, FLOATS, point), of.sense) for of in reading.assumes]
        if inside and all(gap > 0 or (gap == 0 and sense != "<") for gap, sense in slack):
            yield point


def compared(key: tuple[str, int], entry) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Both sides of the first and of the second entry, where floats can tell them."""
    reading = CLAIMS[key[0]].readings[key[1]]
    says = reading.says
    assert isinstance(says, Relation)
    found = 0
    for point in points(reading):
        try:
            theirs = entry(**point)
        except (ValueError, OverflowError, ZeroDivisionError):
            continue
        ours = tuple(evaluate(side, FLOATS, point) for side in (says.left, says.right))
        # a logarithm of 0 is minus infinity in a relation that compares it; NaN is a float that overflowed
        if any(map(math.isnan, (*ours, *theirs))) or math.isinf(max(*ours, *theirs)):
            continue
        found += 1
        yield ours, theirs
        if found == POINTS:
            break
    assert found >= (LEAST if reading.variables else 1), f"only {found} points of {key}"


def disagreement_of_sides(key: tuple[str, int], entry) -> int:
    wrong = 0
    for ours, theirs in compared(key, entry):
        scale = max(map(abs, (*ours, *theirs)))
        wrong += any(
            abs(x - y) > 1e-8 * max(abs(x), abs(y)) + 1e-12 * scale + 1e-14 for x, y in zip(ours, theirs, strict=True)
        )
    return wrong


def disagreement_of_truth(key: tuple[str, int], sense: str, entry) -> int:
    """Points at which one entry holds clearly and the other fails clearly."""
    first = CLAIMS[key[0]].readings[key[1]].says.sense
    wrong = 0
    for ours, theirs in compared(key, entry):
        signs = []
        for (left, right), how in ((ours, first), (theirs, sense)):
            gap, scale = (left - right if how == ">=" else right - left), max(abs(left), abs(right))
            signs.append(0 if abs(gap) <= 1e-6 * scale else np.sign(gap))
        wrong += bool(signs[0] * signs[1] < 0)
    return wrong


@pytest.mark.parametrize("key", second.SIDES, ids=str)
def test_both_sides_agree(key):
    assert disagreement_of_sides(key, second.SIDES[key]) == 0


@pytest.mark.parametrize("key", second.TRUTH, ids=str)
def test_both_entries_hold_at_the_same_points(key):
    assert disagreement_of_truth(key, *second.TRUTH[key]) == 0


@pytest.mark.parametrize("key", second.ORDERS, ids=str)
def test_orders_agree_along_their_paths(key):
    says = CLAIMS[key[0]].readings[key[1]].says
    assert isinstance(says, Order)
    for path in says.paths:
        for s in (50.0, 1e3, 1e5):
            point = {name: evaluate(expression(value), FLOATS, {"s": s}) for name, value in path.items()}
            for side, other in zip((says.left, says.right), second.ORDERS[key](**point), strict=True):
                assert 0.2 < evaluate(side, FLOATS, point) / other < 5.0


def test_every_refuted_reading_was_entered_twice():
    entered = second.SIDES.keys() | second.TRUTH.keys() | second.ORDERS.keys() | second.EVENTS.keys()
    refuted = {
        (found.id, number)
        for found in findings_from_json(RUN)
        if found.paper in COVERED
        for number, reading in enumerate(found.readings)
        if reading.status in (REFUTED, ORDER_REFUTED)
    }
    assert len(refuted) > 15
    assert refuted <= entered
    assert len(entered) >= 60


@pytest.mark.parametrize(
    ("key", "misquoted"),
    [
        (("hu-2021/fact17b", 0), lambda left, right: (1 - left, right)),
        (("azize-basu-2022/eq12", 0), lambda left, right: (left, right * 5 / 6)),
        (("azize-basu-2022/thm2", 0), lambda left, right: (left * 1.01, right)),
    ],
)
def test_a_misquoted_side_is_noticed(key, misquoted):
    entry = second.SIDES[key]
    assert disagreement_of_sides(key, lambda **at: misquoted(*entry(**at))) > 0


@pytest.mark.parametrize(
    ("key", "sense"), [(("azize-basu-2022/eq10", 0), "<="), (("azize-basu-2022/thm5-rho", 0), ">=")]
)
def test_a_misquoted_sign_is_noticed(key, sense):
    assert disagreement_of_truth(key, sense, second.TRUTH[key][1]) > 0


def test_equation_10_fails_for_the_certain_event_too():
    """The first entry refutes it at the empty event; with the sign of (11) it holds at both."""
    left, right = second.equation_10(0.5, 0.1, 0.5, share=1.0)
    assert left < right - 0.1
    grown = 1 - 0.5 + 0.5 * math.exp(-0.1)
    assert left > grown - 0.5 / math.expm1(-0.1) * (grown - 1)
