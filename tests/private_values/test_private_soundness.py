"""Computed sensitivities against brute force over the corners and a grid of every datum's box, on random programs."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from privcheck.errors import PrivcheckError
from privcheck.private_values import REVEAL, Private, PrivateSource, Terms, clip, zeros
from privcheck.private_values import _computed_sensitivity as computed_sensitivity
from privcheck.private_values import _products as products
from privcheck.private_values._entries import Entries
from privcheck.private_values._terms import NOTHING

LINEAR = (
    "add", "subtract", "scale", "shift", "item", "slice", "sum", "cumsum", "matrix", "stack", "put", "put slice",
    "sum into",
)  # fmt: skip
ANY = (*LINEAR, "product", "square", "outer", "dot", "clip")
SCALES = (-2.0, -1.0, -0.5, 0.25, 1.0, 3.0)


@dataclass(frozen=True)
class Program:
    """Inputs (datum ids and boxes) and steps; a step is (name, operand, operand, number)."""

    ids: tuple[tuple[int, ...], ...]
    boxes: tuple[tuple[tuple[float, float], ...], ...]
    values: tuple[tuple[float, ...], ...]
    steps: tuple[tuple[str, int, int, float], ...]


@st.composite
def programs(draw, names):
    ids, boxes, values = [], [], []
    for _ in range(draw(st.integers(1, 3))):
        datum, count = draw(st.integers(0, 2)), draw(st.integers(1, 2))
        ids.append((datum,) * count if draw(st.booleans()) else tuple((datum + k) % 3 for k in range(count)))
        lows = [draw(st.sampled_from((-2.0, -1.0, 0.0, 0.5))) for _ in range(count)]
        boxes.append(tuple((low, low + draw(st.sampled_from((0.5, 1.0, 2.5)))) for low in lows))
        values.append(tuple(low + draw(st.sampled_from((0.0, 0.3, 1.0))) * (high - low) for low, high in boxes[-1]))
    step = st.tuples(st.sampled_from(names), st.integers(0, 30), st.integers(0, 30), st.sampled_from(SCALES))
    return Program(tuple(ids), tuple(boxes), tuple(values), tuple(draw(st.lists(step, min_size=1, max_size=8))))


def apply(name: str, a: Any, b: Any, number: float, make_zeros: Any, cut: Any) -> Any:
    """One step, for private values and for numpy's alike."""
    vector = a if np.ndim(a) else np.stack([a, a * number, 1.0 - a])
    if name == "put":
        target = make_zeros(3)
        target[1], target[0] = number, np.sum(a)
        target[:2] += b.sum() if np.ndim(b) else b
        return target
    if name == "put slice":
        target = make_zeros((2, len(vector)))
        target[1] = vector
        row = target[0]
        row += number * vector
        target.T[0] -= np.ravel(vector)[0] if vector.ndim == 1 else 1.0
        return target
    if name == "sum into":
        target = make_zeros(2)
        for k, entry in enumerate(np.ravel(vector)):
            target[k % 2] += entry
        return target
    steps = {
        "add": lambda: a + b,
        "subtract": lambda: a - b,
        "scale": lambda: number * a,
        "shift": lambda: number - a / 2.0,
        "item": lambda: vector[int(abs(number)) % len(vector)],
        "slice": lambda: vector[1:] if len(vector) > 1 else vector[::-1],
        "sum": lambda: np.sum(vector, axis=0),
        "cumsum": lambda: vector.cumsum(),
        "matrix": lambda: (np.arange(2.0 * len(vector)).reshape(2, -1) * number - 1.0) @ vector,
        "stack": lambda: np.concatenate([np.ravel(a), np.ravel(b), np.ones(1)]),
        "product": lambda: a * b,
        "square": lambda: (a - number) * (a - number),
        "outer": lambda: np.outer(vector, vector),
        "dot": lambda: np.dot(np.ravel(vector), np.ravel(vector) + number),
        "clip": lambda: cut(a, -abs(number), abs(number) / 2.0),
    }
    return steps[name]()


def run_private(program: Program) -> tuple[list[Any], list[tuple[str, int, int, float]]]:
    """Run on private values; also return the steps that were possible."""
    source, kept = PrivateSource(), []
    found = [
        source.vector(values, *np.array(box).T, data=list(ids)) if len(values) > 1 else
        source.scalar(values[0], *box[0], datum=ids[0])
        for ids, box, values in zip(program.ids, program.boxes, program.values, strict=True)
    ]  # fmt: skip
    for name, i, j, number in program.steps:
        step = (name, i % len(found), j % len(found), number)
        a, b = found[step[1]], found[step[2]]
        try:
            result = apply(name, a, b, number, zeros, clip)
        except (PrivcheckError, ValueError):
            continue
        if result.size <= 20:
            kept.append(step)
            found.append(Private.public(result) if type(result) is np.float64 else result)  # an entry of no datum
    return found, kept


def run_numpy(values: Any, steps: list[tuple[str, int, int, float]]) -> list[Any]:
    found = [np.array(vector) if len(vector) > 1 else np.float64(vector[0]) for vector in values]
    for name, i, j, number in steps:
        found.append(apply(name, found[i], found[j], number, np.zeros, np.clip))
    return found


def brute_force(program: Program, steps: list[Any], datum: int, points: int) -> dict[str, list[float]]:
    """The largest change of each result when one datum moves over a grid of its box, by norm."""
    places = [(k, i) for k, ids in enumerate(program.ids) for i, owner in enumerate(ids) if owner == datum]
    grids = [np.linspace(*program.boxes[k][i], points if len(places) <= 3 else 2) for k, i in places]
    outputs = []
    for point in itertools.product(*grids):
        values = [list(vector) for vector in program.values]
        for (k, i), x in zip(places, point, strict=True):
            values[k][i] = x
        outputs.append([np.ravel(result) for result in run_numpy(values, steps)])
    tables = [np.array(results) for results in zip(*outputs, strict=True)]
    changes = [(table[:, None, :] - table[None, :, :]).reshape(-1, table.shape[1]) for table in tables]
    return {
        "l1": [np.abs(change).sum(axis=1).max() for change in changes],
        "l2": [np.sqrt(np.square(change).sum(axis=1)).max() for change in changes],
        "frobenius": [np.linalg.norm(change, axis=1).max() for change in changes],
        "range": [np.ptp(change, axis=1).max() for change in changes],
    }


def check(program: Program, points: int, exact: bool, values: bool = True) -> None:
    found, steps = run_private(program)
    expected = run_numpy(program.values, steps)
    for result, value in zip(found, expected, strict=True):
        assert result.shape == np.shape(value)
        if values:
            np.testing.assert_allclose(result.reveal(REVEAL), value, rtol=1e-12, atol=1e-12)
    for datum in range(3):
        largest = brute_force(program, steps, datum, points)
        for norm, changes in largest.items():
            for result, change in zip(found, changes, strict=True):
                computed = result.sensitivities(norm).get(datum, 0.0)
                assert computed >= change * (1 - 1e-9) - 1e-12, f"{norm} of datum {datum}: {computed} < {change}"
                if exact:
                    assert computed <= change * (1 + 1e-9) + 1e-9


@settings(max_examples=250)
@given(programs(LINEAR))
def test_sensitivities_of_linear_programs_are_exact(program):
    check(program, points=2, exact=True)


@settings(max_examples=250)
@given(programs(ANY))
def test_sensitivities_are_never_too_small(program):
    check(program, points=5, exact=False)


def test_random_programs_exercise_every_step():
    seen = Counter()

    @settings(max_examples=250, database=None)
    @given(programs(ANY))
    def count(program):
        seen.update(name for name, *_ in run_private(program)[1])

    count()
    assert set(seen) == set(ANY)
    assert min(seen.values()) >= 10, seen


def half_widths(monkeypatch):
    """Break: half of the interval widths."""
    real = computed_sensitivity._widths
    monkeypatch.setattr(computed_sensitivity, "_widths", lambda table, features: real(table, features) / 2.0)


def forgotten_terms(monkeypatch):
    """Break: a sum forgets the shorter of its two parts."""
    monkeypatch.setattr(Terms, "plus", lambda self, other: self if self.count >= other.count else other)


def forgotten_view(monkeypatch):
    """Break: assignment changes the hidden value, but not the terms."""
    monkeypatch.setattr(Terms, "with_row", lambda self, row, other: self)


def no_untouched_entries(monkeypatch):
    """Break: the range of a change ignores entries that do not move."""
    monkeypatch.setattr(np, "vstack", lambda parts: parts[0])


def half_intervals(monkeypatch):
    """Break: products and clips take their parts to lie in half of their intervals."""
    real = Entries.interval.func
    monkeypatch.setattr(Entries, "interval", property(lambda self: tuple(end / 2 for end in real(self))))


def products_are_public(monkeypatch):
    """Break: products and clips forget on which datum they depend."""
    monkeypatch.setattr(products, "_products", lambda *_: (np.zeros(0, int), np.zeros(0)))
    monkeypatch.setattr(Entries, "replaced", lambda self, *_, **__: (np.zeros(self.size), NOTHING))


TWINS = (half_widths, forgotten_terms, forgotten_view, no_untouched_entries, half_intervals, products_are_public)


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.__name__)
def test_broken_twins_are_caught(twin, monkeypatch):
    @settings(max_examples=250, phases=[Phase.generate], report_multiple_bugs=False, database=None)
    @given(programs(ANY))
    def soundness(program):
        check(program, points=5, exact=False, values=False)

    twin(monkeypatch)
    with pytest.raises(AssertionError, match=r"of datum \d: .* < "):
        soundness()
