"""Sensitivities of what is computed from one round's context, action and reward, against pairs of rounds."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from privcheck import Contexts, one_hot
from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.privacy import relation
from privcheck.private_values import REVEAL
from privcheck.private_values import _actions as choosing
from privcheck.private_values import _computed_sensitivity as computed_sensitivity
from privcheck.private_values import _vector_bounds as vector_bounds
from privcheck.private_values._features import FeatureTable
from privcheck.private_values._vector_bounds import VectorBound

ARMS, RADIUS = 3, 2.0
SETS = Contexts(shape=(ARMS, 2), low=-2.0, high=2.0, norm=RADIUS)
POSITIVE = Contexts(shape=(ARMS, 2), low=0.0, high=2.0, norm=RADIUS)

VALUES = {
    "row": lambda c, a, y: c[a],
    "scaled row": lambda c, a, y: (c * 0.5)[a],
    "shifted row": lambda c, a, y: (c * np.array([[1.0], [2.0], [-1.0]]) + 0.5)[a],
    "first": lambda c, a, y: c[0],
    "indicator": lambda c, a, y: one_hot(a, ARMS),
    "reward": lambda c, a, y: np.stack([y, 1.0 - y]),
    "paid row": lambda c, a, y: y * c[a],
    "paid arm": lambda c, a, y: one_hot(a, ARMS) * y,
    "square": lambda c, a, y: np.outer(c[a], c[a]),
    "two rows": lambda c, a, y: np.outer(c[0], c[a]),
    "by arm": lambda c, a, y: np.outer(one_hot(a, ARMS), c[a]),
    "square by arm": lambda c, a, y: np.outer(one_hot(a, ARMS), np.outer(c[a], c[a]).ravel()),
    "entry": lambda c, a, y: c[a][0] * y * np.ones(2),
    "projected": lambda c, a, y: (c @ np.array([1.0, -2.0]))[a] * np.ones(2),
    "square of a projection": lambda c, a, y: np.outer(c[a], np.ones(1) * (c[0] @ np.array([3.0, 4.0]))),
    "action": lambda c, a, y: a * y * np.ones(2),
    "everything": lambda c, a, y: np.concatenate([c.ravel(), one_hot(a, ARMS)]),
}


@pytest.fixture(autouse=True)
def _bounds_of_this_test_alone():
    """A twin changes what is kept of the bounds of vectors, and must not find what others kept."""
    VectorBound._of.cache_clear()
    yield
    VectorBound._of.cache_clear()


def wrapped(contexts, context, action, reward):
    session = Session(relation("context-reward"), (0.0, 1.0), None, np.random.default_rng(0), contexts, round=1)
    return session.contextual(context, action, reward, ARMS)


def rounds(rng, contexts, count):
    """Random and extreme contexts, actions and rewards; rows often of the largest norm, often opposite."""
    found = []
    for number in range(count):
        context = contexts.draw(rng, 1)[0]
        if number % 2:
            corners = contexts.corners.reshape(-1, 2)
            context = corners[rng.integers(len(corners), size=ARMS)]
        found.append((context, int(rng.integers(ARMS)), float(rng.choice([0.0, 1.0, rng.random()]))))
    return found


def norm_of(name, change):
    return {
        "l1": lambda: np.abs(change).sum(),
        "l2": lambda: np.linalg.norm(change),
        "frobenius": lambda: np.linalg.norm(change),
        "range": lambda: np.ptp(change),
        "changed": lambda: np.count_nonzero(change),
    }[name]()


def check(name, contexts, matrix, rng, count=14):
    worlds = rounds(rng, contexts, count)
    private = np.ravel(VALUES[name](*wrapped(contexts, *worlds[0])))
    matrix = np.eye(private.size) if matrix is None else matrix(private.size)
    released = matrix @ private
    outputs = [matrix @ np.ravel(VALUES[name](*world)) for world in worlds]
    np.testing.assert_allclose(released.reveal(REVEAL), outputs[0], rtol=1e-12, atol=1e-12)
    for norm in computed_sensitivity.NORMS:
        largest = max(norm_of(norm, one - two) for one in outputs for two in outputs)
        computed = released.sensitivities(norm).get(1, 0.0)
        assert computed >= largest * (1 - 1e-9) - 1e-12, f"{norm} of {name}: {computed} < {largest}"


@st.composite
def cases(draw):
    name, contexts = draw(st.sampled_from(sorted(VALUES))), draw(st.sampled_from([SETS, POSITIVE]))
    seed, rows = draw(st.integers(0, 2**32)), draw(st.integers(0, 4))
    rng = np.random.default_rng(seed)
    matrix = None if rows == 0 else (lambda size: rng.integers(-2, 3, (rows, size)) / 2.0)
    return name, contexts, matrix, rng


@settings(max_examples=150)
@given(cases())
def test_sensitivities_are_never_too_small(case):
    check(*case)


def diameter_is_the_radius(monkeypatch):
    """Break: a vector of norm R moves by at most R."""
    monkeypatch.setattr(vector_bounds, "_widest", lambda radius, acute: radius)


def all_vectors_are_the_same(monkeypatch):
    """Break: the bound of x x' for products of any two vectors."""
    real = VectorBound.times
    monkeypatch.setattr(VectorBound, "times", lambda self, other, *, same: real(self, other, same=True))


def radii_do_not_multiply(monkeypatch):
    """Break: the norm of a product is the larger of the two norms."""
    real = VectorBound.times

    def times(self, other, *, same):
        found = real(self, other, same=same)
        small = min(found.l2_diameter, 2.0 * max(self.l2_radius, other.l2_radius))
        return dataclasses.replace(found, l2_diameter=small)

    monkeypatch.setattr(VectorBound, "times", times)


def arms_move_by_one(monkeypatch):
    """Break: an indicator moves by 1 in L1, as if a datum were added."""
    monkeypatch.setattr(choosing, "ONE_HOT", dataclasses.replace(vector_bounds.ONE_HOT, l1_diameter=1.0))


def too_many_repetitions(monkeypatch):
    """Break: every product of two entries of a vector stands in the matrix twice, the squares too."""
    real = FeatureTable.product_groups
    monkeypatch.setattr(FeatureTable, "product_groups", lambda self, i, j: (real(self, i, j)[0], np.full(i.size, 2.0)))


def hull_of_the_first_row(monkeypatch):
    """Break: the chosen row lies where the first row lies, and is put there when it does not."""
    monkeypatch.setattr(choosing, "_hulls", lambda entries, arms: [end[: end.size // arms] for end in entries.interval])


TWINS = (
    diameter_is_the_radius, all_vectors_are_the_same, radii_do_not_multiply, arms_move_by_one, too_many_repetitions,
    hull_of_the_first_row,
)  # fmt: skip


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.__name__)
def test_broken_twins_are_caught(twin, monkeypatch):
    @settings(max_examples=300, phases=[Phase.generate], report_multiple_bugs=False, database=None)
    @given(cases())
    def soundness(case):
        check(*case)

    twin(monkeypatch)
    put_back = "|Not equal to tolerance" if twin is hull_of_the_first_row else ""
    with pytest.raises(AssertionError, match=r" of [\w ]+: .* < " + put_back):
        soundness()


@pytest.mark.parametrize(
    ("name", "norm", "expected"),
    [
        ("row", "l2", 2.0 * RADIUS),
        ("row", "l1", 2.0 * math.sqrt(2.0) * RADIUS),
        ("paid row", "l2", 2.0 * RADIUS),
        ("paid arm", "l1", 2.0),
        ("paid arm", "l2", math.sqrt(2.0)),
        ("paid arm", "range", 2.0),
        ("indicator", "l1", 2.0),
        ("square", "frobenius", math.sqrt(2.0) * RADIUS**2),
        ("by arm", "l2", 2.0 * RADIUS),
        ("square by arm", "frobenius", math.sqrt(2.0) * RADIUS**2),
        ("everything", "l2", math.sqrt(2.0 + ARMS * 16.0)),
    ],
)
def test_bounds_are_attained(name, norm, expected):
    """Closed forms, each attained by a pair of rounds: opposite rows, orthogonal rows, another arm."""
    context = np.zeros((ARMS, 2))
    bound = np.ravel(VALUES[name](*wrapped(SETS, context, 0, 0.5))).sensitivities(norm)[1]
    assert bound == pytest.approx(expected, rel=1e-12)
    up, right, diagonal = RADIUS * np.array([[0.0, 1.0], [1.0, 0.0], [0.5**0.5, 0.5**0.5]])
    rows = [up, -up, right, -right, diagonal, -diagonal]
    values = [np.ravel(VALUES[name](np.tile(row, (ARMS, 1)), arm, 1.0)) for row in rows for arm in (0, 1)]
    assert max(norm_of(norm, one - two) for one in values for two in values) == pytest.approx(expected, rel=1e-12)


def test_a_single_product_is_tied_to_its_vector_whichever_way_it_is_computed():
    context, action, _ = wrapped(SETS, np.zeros((ARMS, 2)), 0, 0.5)
    row = context[action]
    by_hand = np.stack([row[0] * row[0], row[0] * row[1], row[1] * row[0], row[1] * row[1]])
    assert by_hand.sensitivities("l2") == np.outer(row, row).ravel().sensitivities("l2")


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda c, a, y: one_hot(a, ARMS + 1), "a private action among 4 arms"),
        (lambda c, a, y: one_hot(y, ARMS), "a private action among 3 arms"),
        (lambda c, a, y: one_hot(a + 1.0, ARMS), "a private action among 3 arms"),
        (lambda c, a, y: one_hot(3, ARMS), r"an integer in \[0, 2\]"),
        (lambda c, a, y: one_hot(0, 0), "an integer of at least 1"),
        (lambda c, a, y: c[:2][a], "a private action among 2 arms"),
    ],
)
def test_other_uses_of_an_action_are_refused(read, message):
    with pytest.raises(PrivcheckError, match=message):
        read(*wrapped(SETS, np.zeros((ARMS, 2)), 1, 0.5))


def test_one_hot_of_an_ordinary_arm_is_ordinary():
    np.testing.assert_array_equal(one_hot(np.int64(2), 3), [0.0, 0.0, 1.0])
