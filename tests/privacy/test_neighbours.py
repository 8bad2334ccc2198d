"""Neighbour relations as executable objects: distance, check, draw and shrink."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcheck.errors import PrivcheckError
from privcheck.privacy import RELATIONS, Relation, check_rewards_range, relation
from privcheck.privacy._shrinking import complexity

FIXED = settings(derandomize=True, deadline=None, database=None, max_examples=80)
NAMES = st.sampled_from(["row", "reward", "group:1", "group:2", "group:5"])
SEEDS = st.integers(0, 2**32)
ROUNDS, ARMS = st.integers(1, 7), st.integers(1, 4)
RANGES = st.sampled_from([(0.0, 1.0), (-1.0, 1.0), (2.0, 2.5)])


def brute_distance(name, first, second):
    """Count the differing rows, or entries, one by one."""
    entries = [(t, k) for t in range(len(first)) for k in range(len(first[0])) if first[t][k] != second[t][k]]
    return len(entries) if name == "reward" else len({t for t, _ in entries})


@FIXED
@given(name=NAMES, seed=SEEDS, rounds=ROUNDS, arms=ARMS, rewards=RANGES)
def test_a_drawn_pair_is_a_pair_of_neighbours_in_range(name, seed, rounds, arms, rewards):
    related = relation(name)
    first, second = related.draw(np.random.default_rng(seed), rounds, arms, rewards)
    assert first.shape == second.shape == (rounds, arms)
    related.check(first, second)
    distance = related.distance(first, second)
    assert 1 <= distance <= related.limit
    assert distance == brute_distance(name, first, second) == related.distance(second, first)
    assert related.changed(first, second) == tuple(t for t in range(rounds) if (first[t] != second[t]).any())
    for table in (first, second):
        check_rewards_range(table, rewards)
    again = related.draw(np.random.default_rng(seed), rounds, arms, rewards)
    np.testing.assert_array_equal(again, (first, second))


@FIXED
@given(seed=SEEDS, rounds=ROUNDS, arms=ARMS, unit=st.sampled_from(["row", "reward"]))
def test_distance_is_a_metric(seed, rounds, arms, unit):
    rng, related = np.random.default_rng(seed), relation(unit)
    x, y, z = (rng.integers(0, 2, (rounds, arms)).astype(float) for _ in range(3))
    assert related.distance(x, x) == 0
    assert related.distance(x, y) == related.distance(y, x) == brute_distance(unit, x, y)
    assert related.distance(x, z) <= related.distance(x, y) + related.distance(y, z)
    assert (related.distance(x, y) == 0) == bool((x == y).all())


def test_draws_cover_the_relation():
    """400 seeded draws: every allowed distance, every round, ends of the range and inner values."""
    rng = np.random.default_rng(0)
    group = [relation("group:3").draw(rng, 5, 2) for _ in range(400)]
    distances = [relation("row").distance(*pair) for pair in group]
    assert set(distances) == {1, 2, 3}
    assert distances.count(3) > 100
    assert {t for pair in group for t in relation("row").changed(*pair)} == set(range(5))
    inner = [bool(((pair[0] > 0) & (pair[0] < 1)).any()) for pair in group]
    assert 100 < sum(inner) < 300
    single = [relation("reward").draw(rng, 3, 2) for _ in range(400)]
    assert {tuple(np.argwhere(one != two)[0].tolist()) for one, two in single} == {
        (t, k) for t in range(3) for k in range(2)
    }
    rows = [relation("row").draw(rng, 1, 3) for _ in range(400)]
    assert {relation("reward").distance(*pair) for pair in rows} == {1, 2, 3}


@FIXED
@given(name=NAMES, seed=SEEDS, rounds=ROUNDS, arms=ARMS, rewards=RANGES)
def test_shrinking_keeps_neighbours_and_gets_simpler(name, seed, rounds, arms, rewards):
    related = relation(name)
    first, second = related.draw(np.random.default_rng(seed), rounds, arms, rewards)
    before = first.copy(), second.copy()
    for one, two in related.shrink(first, second):
        related.check(one, two)
        assert complexity(one, two) < complexity(first, second)
        assert one.shape[0] <= rounds
        assert one.shape[1] == arms
        for table in (one, two):
            check_rewards_range(table, rewards)
    np.testing.assert_array_equal(before, (first, second))


@FIXED
@given(name=NAMES, seed=SEEDS, rounds=ROUNDS, arms=ARMS, last=st.booleans())
def test_accepting_every_candidate_ends_in_one_round_and_one_change(name, seed, rounds, arms, last):
    related = relation(name)
    pair = related.draw(np.random.default_rng(seed), rounds, arms)
    for _ in range(10 + 6 * rounds * arms):
        candidates = list(related.shrink(*pair))
        if not candidates:
            break
        pair = candidates[-1 if last else 0]
    assert not candidates
    first, second = pair
    assert first.shape == (1, arms)
    assert np.count_nonzero(first != second) == 1
    low, high = np.sort([first[first != second][0], second[first != second][0]])
    assert low < high
    np.testing.assert_array_equal(np.minimum(first, second), low)


def test_shrinking_finds_a_small_witness_of_a_condition():
    """The condition: two changed rows, and at least two rounds after the last change."""
    related, row = relation("group:4"), relation("row")

    def leaks(one, two):
        changed = row.changed(one, two)
        return len(changed) >= 2 and len(one) - changed[-1] >= 3

    rng = np.random.default_rng(4)
    pair = next(pair for pair in iter(lambda: related.draw(rng, 9, 3), None) if leaks(*pair))
    while better := next((c for c in related.shrink(*pair) if leaks(*c)), None):
        pair = better
    assert leaks(*pair)
    start, stop = row.changed(*pair)
    assert (start, len(pair[0]) - stop) == (0, 3)
    assert relation("reward").distance(*pair) == 2
    assert complexity(*pair)[2:] == (0, 0)


def test_pairs_that_are_no_neighbours_are_refused():
    table = np.zeros((4, 2))
    one_row, two_rows = table.copy(), table.copy()
    one_row[1] = 1.0
    two_rows[1:3] = 1.0
    relation("row").check(table, one_row)
    relation("group:2").check(table, two_rows)
    for name, other, message in [
        ("reward", one_row, r"differ in 2 rewards \(round 2\), expected at most 1 .*'row'"),
        ("row", two_rows, r"differ in 2 rows \(rounds 2, 3\), expected at most 1 .*'group:2'"),
        ("row", table.copy(), "identical tables"),
        ("row", table[:3], r"shapes \(4, 2\) and \(3, 2\)"),
    ]:
        with pytest.raises(PrivcheckError, match=message) as error:
            relation(name).check(table, other)
        assert error.value.hint
    with pytest.raises(PrivcheckError, match="differ in 2 rows"):
        list(relation("row").shrink(table, two_rows))
    for method in ("distance", "changed"):
        with pytest.raises(PrivcheckError, match="same shape"):
            getattr(relation("row"), method)(table, table[:, :1])
        with pytest.raises(PrivcheckError, match="finite"):
            getattr(relation("row"), method)(table, table + np.nan)


@pytest.mark.parametrize(
    "name", ["rows", "group", "group:", "group:0", "group:-1", "group:1.5", "group:²", "", None, 3]
)
def test_unknown_relations_list_the_available_ones(name):
    with pytest.raises(PrivcheckError) as error:
        relation(name)
    assert all(known in str(error.value) for known in RELATIONS)
    assert error.value.hint


def test_relations_by_name():
    assert relation("row") == Relation("row", "row", 1)
    assert relation("reward") == Relation("reward", "reward", 1)
    assert relation("context-reward") == Relation("context-reward", "row", 1)
    assert relation("group:04") == Relation("group:4", "row", 4)


@pytest.mark.parametrize(
    "arguments",
    [(0, 2), (2, 0), (1.5, 2), ("3", 2), (2, 2, (1.0, 1.0)), (2, 2, (1.0, 0.0)), (2, 2, (0.0, np.inf)), (2, 2, 1.0)],
    ids=repr,
)
def test_draws_with_bad_arguments_are_refused(arguments):
    with pytest.raises(PrivcheckError):
        relation("row").draw(np.random.default_rng(0), *arguments)
