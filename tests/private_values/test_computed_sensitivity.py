"""Sensitivities of given coefficient matrices: against brute force, closed forms and the documented exactness."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privcheck.errors import PrivcheckError
from privcheck.private_values import PrivateSource, Terms
from privcheck.private_values import _computed_sensitivity as computed_sensitivity
from privcheck.private_values._computed_sensitivity import sensitivities
from privcheck.private_values._features import FeatureTable
from privcheck.private_values._vector_bounds import VectorBound


def of_matrix(norm, matrix, widths, size=None, diameter=None):
    """The sensitivity of y = C f for one datum with these widths."""
    table, terms_of = FeatureTable(), np.nonzero(matrix)
    bound = VectorBound.of(np.zeros(len(widths)), widths, diameter=math.inf if diameter is None else diameter)
    group = -1 if diameter is None else table.add_group(bound)
    for width in widths:
        table.add("datum", -0.25, width - 0.25, 0.0, group)
    terms = Terms.of(terms_of[0], terms_of[1], matrix[terms_of])
    return sensitivities(norm, terms, table, len(matrix) if size is None else size).get("datum", 0.0)


def by_corners(norm, matrix, widths):
    changes = np.array(list(itertools.product(*[(-w, w) for w in widths]))) @ matrix.T
    return {
        "l1": np.abs(changes).sum(axis=1).max(),
        "l2": np.linalg.norm(changes, axis=1).max(),
        "frobenius": np.linalg.norm(changes, axis=1).max(),
        "range": np.ptp(changes, axis=1).max(),
        "changed": np.count_nonzero(changes, axis=1).max(),
    }[norm]


@st.composite
def matrices(draw, most=5):
    shape = draw(st.integers(1, most)), draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    matrix = rng.normal(size=shape) * (rng.random(shape) < 0.7)
    return matrix, rng.uniform(0.1, 3.0, shape[1])


@pytest.mark.parametrize("norm", computed_sensitivity.NORMS)
@given(matrices())
def test_small_matrices_are_exact(norm, case):
    matrix, widths = case
    assert of_matrix(norm, matrix, widths) == pytest.approx(by_corners(norm, matrix, widths), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("norm", computed_sensitivity.NORMS)
@given(matrices(most=4))
def test_entries_that_do_not_move_count_for_the_range_only(norm, case):
    matrix, widths = case
    padded = np.vstack([matrix, np.zeros(matrix.shape[1])])
    computed = of_matrix(norm, matrix, widths, size=len(matrix) + 1)
    assert computed == pytest.approx(by_corners(norm, padded, widths), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("norm", computed_sensitivity.NORMS)
def test_upper_bounds_where_exact_is_exponential(norm, monkeypatch):
    """With 1 as the largest number of signs tried, the bounds stay above the exact value, and below a factor."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        matrix, widths = rng.normal(size=(4, 5)), rng.uniform(0.1, 3.0, 5)
        exact = by_corners(norm, matrix, widths)
        monkeypatch.setattr(computed_sensitivity, "_MOST_SIGNS", 0)
        bound = of_matrix(norm, matrix, widths)
        monkeypatch.undo()
        assert exact * (1 - 1e-12) <= bound <= 2.5 * exact
        if norm == "range":
            assert bound == pytest.approx(exact, rel=1e-12)


def test_closed_forms():
    identity = np.eye(6)
    assert of_matrix("l1", identity, np.full(6, 0.5)) == 3.0
    assert of_matrix("l2", identity, np.full(6, 0.5)) == pytest.approx(0.5 * np.sqrt(6.0))
    assert of_matrix("range", identity, np.full(6, 0.5)) == 1.0
    assert of_matrix("range", np.array([[1.0, -2.0]]), np.ones(2)) == 0.0
    assert of_matrix("l1", np.array([[1.0, -2.0]]), np.ones(2)) == 3.0


def test_many_features_that_touch_disjoint_entries_are_exact():
    widths = np.linspace(0.1, 2.0, 40)
    assert of_matrix("l1", np.eye(40), widths) == pytest.approx(widths.sum())
    assert of_matrix("l2", np.eye(40), widths) == pytest.approx(np.sqrt(np.square(widths).sum()))
    assert of_matrix("range", np.eye(40), widths) == pytest.approx(widths[-1] + widths[-2])


def test_a_broken_range_is_caught():
    """The monotone argument, max_i |change_i|, fails on the row that moves two scores against each other."""
    exact = by_corners("range", np.eye(2), np.ones(2))
    monotone = np.abs(np.eye(2)).sum(axis=1).max()
    assert of_matrix("range", np.eye(2), np.ones(2)) == exact == 2.0
    assert monotone < exact


def test_a_declared_diameter_is_used_for_l2_where_it_is_smaller():
    source = PrivateSource()
    context = source.vector([0.6, 0.0, 0.8], -1.0, 1.0, data=0, l2_diameter=2.0)
    assert context.sensitivities("l2") == {0: pytest.approx(2.0)}
    assert context.sensitivities("frobenius") == {0: pytest.approx(2.0)}
    assert context.sensitivities("l1") == {0: pytest.approx(2.0 * np.sqrt(3.0))}
    assert (3.0 * context).sensitivities("l2") == {0: pytest.approx(6.0)}
    assert (np.diag([1.0, 2.0, 0.5]) @ context).sensitivities("l2") == {0: pytest.approx(4.0)}
    wide = source.vector([0.6, 0.0, 0.8], -1.0, 1.0, data=1, l2_diameter=100.0)
    assert wide.sensitivities("l2") == {1: pytest.approx(2.0 * np.sqrt(3.0))}
    assert (context[:2] + context[1:]).sensitivities("l2")[0] <= np.sqrt(3.0) * 2.0 * (1 + 1e-12)
    reward = source.scalar(0.5, 0.0, 1.0, datum=0)
    assert np.concatenate([context, reward.reshape(1)]).sensitivities("l2")[0] == pytest.approx(np.sqrt(5.0))


@pytest.mark.parametrize("dimension", [1, 2, 4, 8])
def test_a_declared_diameter_covers_every_pair_of_the_ball(dimension):
    rng = np.random.default_rng(dimension)
    ball = rng.normal(size=(300, dimension))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    matrix = rng.normal(size=(3, dimension))
    images = np.concatenate([ball, -ball]) @ matrix.T
    largest = np.linalg.norm(images[:, None] - images[None], axis=2).max()
    bound = of_matrix("l2", matrix, np.full(dimension, 2.0), diameter=2.0)
    assert largest <= bound * (1 + 1e-12)
    assert dimension > 4 or bound <= largest * 1.1
    assert of_matrix("l2", matrix, np.full(dimension, 2.0), diameter=1.8) < largest or dimension > 4


def test_each_datum_has_its_own_sensitivity():
    source = PrivateSource()
    total = source.scalar(0.5, 0.0, 1.0, datum="a") - 3.0 * source.scalar(0.5, 0.0, 2.0, datum=(1, 2))
    assert total.sensitivities("l1") == {"a": 1.0, (1, 2): 6.0}
    assert (total - total).sensitivities("l1") == {}


def test_equal_structures_share_one_computation(monkeypatch):
    calls = []
    real = computed_sensitivity.NORMS["range"]
    monkeypatch.setitem(computed_sensitivity.NORMS, "range", lambda *arguments: calls.append(1) or real(*arguments))
    source = PrivateSource()
    scores = sum(source.vector(np.full(4, 0.5), 0.0, 1.0, data=t) for t in range(30))
    assert set(scores.sensitivities("range").values()) == {2.0}
    assert len(calls) == 1


def test_an_overflow_is_infinite_and_not_small():
    source = PrivateSource()
    huge = 1e308 * source.scalar(0.5, 0.0, 1.0, datum=0)
    for value in (huge + huge, np.stack([huge, -huge]), np.stack([huge + huge, huge + huge, -huge - huge])):
        assert value.sensitivities("l1") == {0: np.inf}
        assert "data=round 0" in repr(value)


@pytest.mark.parametrize("norm", ["L1", "linf", "", None])
def test_unknown_norms_are_refused(norm):
    with pytest.raises(PrivcheckError, match="norm"):
        PrivateSource().scalar(0.5, 0.0, 1.0, datum=0).sensitivities(norm)


# Data of which each entry holds at most one feature are handled together


def of_bounded_data(norm, seed):
    """Several data, each with single features and bounded vectors that repeat in the entries of an array."""
    rng, table, columns = np.random.default_rng(seed), FeatureTable(), []
    entries = int(rng.integers(2, 30))
    for datum in range(int(rng.integers(1, 5))):
        found = []
        for _ in range(int(rng.integers(1, 4))):
            widths = rng.uniform(0.1, 3.0, int(rng.integers(1, 5)))
            bound = VectorBound.of(np.zeros(widths.size), widths, diameter=float(rng.uniform(0.1, 4.0)))
            group = table.add_group(bound) if rng.random() < 0.6 else -1
            times = float(rng.integers(1, 3)) if group >= 0 else 1.0
            found += [table.add(datum, 0.0, w, 0.0, group, multiplicity=times) for w in widths.tolist()]
        rows = rng.permutation(entries)[: int(rng.integers(1, entries + 1))]
        columns.append((rows, rng.choice(found, rows.size), rng.normal(size=rows.size)))
    terms = Terms.of(*(np.concatenate(column) for column in zip(*columns, strict=True)))
    return sensitivities(norm, terms, table, entries)


@pytest.mark.parametrize("norm", computed_sensitivity.APART)
def test_they_get_what_each_alone_would_get(norm, monkeypatch):
    together = [of_bounded_data(norm, seed) for seed in range(200)]
    monkeypatch.setattr(computed_sensitivity, "APART", ())
    monkeypatch.setattr(computed_sensitivity, "_alone", lambda norm, features, *_: np.full(features.size, math.nan))
    for seed, found in enumerate(together):
        assert found == pytest.approx(of_bounded_data(norm, seed), rel=1e-12), seed


@pytest.mark.parametrize("norm", computed_sensitivity.APART)
def test_a_datum_with_two_features_in_an_entry_is_not_among_them(norm, monkeypatch):
    """The broken twin takes the columns of its matrix for orthogonal."""
    rng = np.random.default_rng(3)
    matrix, widths = rng.uniform(1.0, 2.0, (3, 4)), rng.uniform(0.5, 1.0, 4)
    exact = by_corners(norm, matrix, widths)
    assert of_matrix(norm, matrix, widths) == pytest.approx(exact, rel=1e-12)
    real = computed_sensitivity._apart
    monkeypatch.setattr(
        computed_sensitivity, "_apart", lambda norm, rows, *rest: real(norm, np.arange(rows.size), *rest)
    )
    if norm != "l1":  # which adds up alike
        assert of_matrix(norm, matrix, widths) < 0.9 * exact
