"""Contexts: their tables, their random and extreme values, and the relation that replaces one round of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcheck import Contexts, PrivcheckError
from privcheck.privacy import check_contexts, relation
from privcheck.privacy._shrinking import complexity
from privcheck.targets import Game

FIXED = settings(derandomize=True, deadline=None, database=None, max_examples=60)
KINDS = st.sampled_from(
    [
        Contexts(shape=(3,)),
        Contexts(shape=(3,), norm=1.0),
        Contexts(shape=(2, 2), low=0.0, high=1.0, norm=1.0),
        Contexts(shape=(2, 3), low=0.5, high=2.0, norm=1.25),
        Contexts(shape=(1,), low=-2.0, high=-1.0, norm=1.5),
    ]
)
SEEDS, ROUNDS = st.integers(0, 2**32), st.integers(1, 6)


def within(contexts, values):
    """Whether all vectors are in range and short enough, checked one by one."""
    for vector in values.reshape(-1, contexts.shape[-1]).tolist():
        assert all(contexts.low <= x <= contexts.high for x in vector)
        assert sum(x * x for x in vector) <= (contexts.radius * (1 + 2e-12)) ** 2


@FIXED
@given(contexts=KINDS, seed=SEEDS, rounds=ROUNDS)
def test_drawn_contexts_are_legal_and_survive_a_table(contexts, seed, rounds):
    rng, arms = np.random.default_rng(seed), 2
    drawn = contexts.draw(rng, rounds)
    assert drawn.shape == (rounds, *contexts.shape)
    within(contexts, drawn)
    rewards = rng.random((rounds, arms))
    table = contexts.join(rewards, drawn)
    assert table.shape == (rounds, contexts.columns(arms))
    contexts.check(table, arms)
    for t in range(rounds):
        paid, seen = contexts.split(table[t], arms)
        np.testing.assert_array_equal(paid, rewards[t])
        np.testing.assert_array_equal(seen, drawn[t])
        np.testing.assert_array_equal(contexts.join(paid, seen), table[t])
    np.testing.assert_array_equal(contexts.split(table, arms)[1], drawn)


@FIXED
@given(contexts=KINDS)
def test_corners_are_legal_distinct_and_reach_the_norm(contexts):
    corners = contexts.corners
    assert corners.shape[1:] == contexts.shape
    assert 2 <= len({corner.tobytes() for corner in corners}) == len(corners) <= 60
    within(contexts, corners)
    longest = np.linalg.norm(corners.reshape(-1, contexts.shape[-1]), axis=1).max()
    assert longest == pytest.approx(contexts.radius, rel=1e-12)


def test_draws_reach_the_ends_and_the_inside():
    """200 seeded draws of a box and of a ball."""
    box = Contexts(shape=(2,)).draw(np.random.default_rng(0), 200)
    at_the_ends = (np.abs(box) == 1.0).all(axis=1)
    assert 60 < at_the_ends.sum() < 140
    ball = np.linalg.norm(Contexts(shape=(4,), norm=1.0).draw(np.random.default_rng(0), 200), axis=1)
    assert (np.abs(ball - 1.0) < 1e-12).sum() > 60


def test_most_drawn_neighbours_differ_in_the_context():
    """Of 100 seeded pairs, all but those whose extreme contexts agree."""
    joint, rng = relation("context-reward"), np.random.default_rng(0)
    pairs = [joint.draw(rng, 3, 2, (0.0, 1.0), Contexts(shape=(4,))) for _ in range(100)]
    assert sum((one[:, 2:] != two[:, 2:]).any() for one, two in pairs) > 90


@FIXED
@given(contexts=KINDS, seed=SEEDS, rounds=ROUNDS)
def test_neighbours_differ_in_the_context_and_rewards_of_one_round(contexts, seed, rounds):
    joint = relation("context-reward")
    first, second = joint.draw(np.random.default_rng(seed), rounds, 2, (0.0, 1.0), contexts)
    joint.check(first, second)
    (row,) = joint.changed(first, second)
    for table in (first, second):
        contexts.check(table, 2)
        assert ((table[:, :2] >= 0.0) & (table[:, :2] <= 1.0)).all()
    rewards, seen = (np.not_equal(*pair) for pair in zip(*(contexts.split(t, 2) for t in (first, second)), strict=True))
    assert rewards[row].any()
    assert not np.delete(seen, row, axis=0).any()
    for one, two in joint.shrink(first, second, contexts):
        joint.check(one, two)
        assert complexity(one, two, by_column=True) < complexity(first, second, by_column=True)
        for table in (one, two):
            contexts.check(table, 2)
            assert ((table[:, :2] >= 0.0) & (table[:, :2] <= 1.0)).all()


@pytest.mark.parametrize("last", [False, True])
def test_shrinking_ends_in_one_round_and_one_change(last):
    joint, contexts = relation("context-reward"), Contexts(shape=(2, 2), norm=1.0)
    pair = joint.draw(np.random.default_rng(3), 5, 2, (0.0, 1.0), contexts)
    while candidates := list(joint.shrink(*pair, contexts)):
        pair = candidates[-1 if last else 0]
    assert len(pair[0]) == 1
    assert np.count_nonzero(pair[0] != pair[1]) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shape": ()}, r"contexts shape: .*\(d,\) or \(K, d\)"),
        ({"shape": (2, 2, 2)}, r"contexts shape: .*\(d,\) or \(K, d\)"),
        ({"shape": (0,)}, "contexts shape: got 0"),
        ({"shape": "3"}, "contexts shape: got '3'"),
        ({"shape": (2, 1.5)}, "contexts shape: got 1.5"),
        ({"shape": 3, "low": 1.0}, r"contexts range: got \(1.0, 1.0\)"),
        ({"shape": 3, "high": np.inf}, "contexts range: got inf"),
        ({"shape": 3, "low": None}, "contexts range: got None"),
        ({"shape": 3, "norm": 0.0}, "contexts norm: got 0.0"),
        ({"shape": 3, "norm": np.nan}, "contexts norm: got nan"),
        ({"shape": 4, "low": 0.5, "norm": 0.9}, "at least 1, the smallest norm in the range"),
    ],
    ids=str,
)
def test_bad_declarations_are_refused(arguments, message):
    with pytest.raises(PrivcheckError, match=message):
        Contexts(**arguments)


def test_an_int_is_the_length_of_a_vector():
    assert Contexts(shape=3.0) == Contexts(shape=(3,)) == Contexts(shape=[3])


def test_bad_tables_are_refused():
    contexts = Contexts(shape=(2, 2), norm=1.0)
    table = contexts.join(np.zeros((3, 2)), np.zeros((3, 2, 2)))
    contexts.check(table, 2)
    for call, message in [
        (lambda: contexts.check(table[:, :5], 2), r"shape \(3, 5\), expected 6 columns: 2 rewards, then 4"),
        (lambda: contexts.columns(3), r"contexts shape: got \(2, 2\), expected \(3, d\)"),
        (lambda: contexts.split(np.zeros((1, 1, 6)), 2), "6 columns"),
        (lambda: contexts.join(np.zeros((3, 2)), np.zeros((2, 2, 2))), r"shapes \(T, K\) and \(T, 2, 2\)"),
    ]:
        with pytest.raises(PrivcheckError, match=message):
            call()
    table[1, 4] = np.nextafter(1.0, 2.0)
    with pytest.raises(PrivcheckError, match=r"context: got 1\.0000000000000002 in round 2, expected entries in"):
        contexts.check(table, 2)
    table[1, 4:6] = 0.8
    with pytest.raises(PrivcheckError, match=r"norm 1\.13137 in round 2, expected a norm of at most 1"):
        contexts.check(table, 2)
    table[1, 4:6] = 0.5**0.5 * (1 + 1e-15)
    contexts.check(table, 2)


def test_feedback_relation_and_contexts_come_together():
    contexts = Contexts(shape=3)
    for arguments, message in [
        (("contextual", "row", contexts), "neighbours: got 'row', expected 'context-reward' for feedback='contextual'"),
        (("contextual", "row", contexts), "give neighbours='context-reward'"),
        (("contextual", "group:2", contexts), "k rounds loses at most k epsilon, .* a k-th of epsilon"),
        (("contextual", "context-reward", None), "contexts: got None, expected a privcheck.Contexts"),
        (("contextual", "context-reward", (3,)), r"contexts: got \(3,\), expected a privcheck.Contexts"),
        (("bandit", "context-reward", None), "neighbours: got 'context-reward', .* it needs feedback='contextual'"),
        (("full", "row", contexts), "contexts: got Contexts"),
    ]:
        with pytest.raises(PrivcheckError, match=message):
            check_contexts(*arguments)
        with pytest.raises(PrivcheckError, match=message):
            Game(**dict(zip(("feedback", "neighbours", "contexts"), arguments, strict=True)))
    with pytest.raises(PrivcheckError, match="contexts: got None"):
        relation("context-reward").draw(np.random.default_rng(0), 3, 2)
    with pytest.raises(PrivcheckError, match="contexts: got Contexts"):
        relation("row").draw(np.random.default_rng(0), 3, 2, contexts=contexts)
