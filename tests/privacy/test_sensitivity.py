"""Sensitivities against brute force over all pairs of small tables that the relation itself calls neighbours."""

import itertools

import numpy as np
import pytest

from privcheck.errors import PrivcheckError
from privcheck.privacy import block_mean_sensitivity, block_sum_sensitivity, relation, score_range

NAMES = ["row", "reward", "group:2", "group:3"]
UNIT, WIDE = (0.0, 1.0), (-1.0, 0.5)


def neighbours(name, rounds, arms, values):
    """All pairs of tables with entries in `values` that the relation accepts."""
    related = relation(name)
    tables = [np.reshape(cells, (rounds, arms)) for cells in itertools.product(values, repeat=rounds * arms)]
    pairs = itertools.combinations(tables, 2)
    return [(one, two) for one, two in pairs if 1 <= related.distance(one, two) <= related.limit]


def blocks(rounds, arms):
    """Every block of every arm: the rounds in which some fixed sequence of actions plays the arm."""
    for arm in range(arms):
        for mask in itertools.product((False, True), repeat=rounds):
            if any(mask):
                yield arm, np.array(mask)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("rounds", "arms", "values", "rewards"),
    [(3, 2, UNIT, UNIT), (2, 3, UNIT, UNIT), (3, 1, UNIT, UNIT), (2, 2, (0.0, 0.3, 1.0), UNIT), (2, 2, WIDE, WIDE)],
)
def test_formulas_are_the_brute_force_maximum(name, rounds, arms, values, rewards):
    sums, means = dict.fromkeys(range(1, rounds + 1), 0.0), dict.fromkeys(range(1, rounds + 1), 0.0)
    ranges = 0.0
    for one, two in neighbours(name, rounds, arms, values):
        for arm, mask in blocks(rounds, arms):
            length = int(mask.sum())
            sums[length] = max(sums[length], abs(one[mask, arm].sum() - two[mask, arm].sum()))
            means[length] = max(means[length], abs(one[mask, arm].mean() - two[mask, arm].mean()))
        ranges = max(ranges, np.ptp(two.sum(axis=0) - one.sum(axis=0)))
    for length in sums:
        assert block_sum_sensitivity(name, length, rewards) == pytest.approx(sums[length], rel=1e-12)
        assert block_mean_sensitivity(name, length, rewards) == pytest.approx(means[length], rel=1e-12)
    assert score_range(name, rewards, arms=arms, length=rounds) == pytest.approx(ranges, rel=1e-12)
    if arms > 1:
        assert score_range(name, rewards) >= ranges - 1e-12


def test_the_range_without_a_length_is_for_any_length():
    for name in NAMES:
        assert score_range(name, WIDE) == score_range(name, WIDE, arms=2, length=100)
    assert [score_range(name) for name in NAMES] == [2.0, 1.0, 4.0, 6.0]
    assert score_range(relation("row"), (0.0, 3.0)) == 6.0


@pytest.mark.parametrize("bad", [0, -1, 1.5, "2", np.nan, np.inf, None, True])
def test_bad_lengths_and_arms_are_refused(bad):
    with pytest.raises(PrivcheckError, match="length"):
        block_sum_sensitivity("row", bad)
    with pytest.raises(PrivcheckError, match="length"):
        block_mean_sensitivity("row", bad)
    if bad is not None:
        with pytest.raises(PrivcheckError, match="length"):
            score_range("row", length=bad)
        with pytest.raises(PrivcheckError, match="arms"):
            score_range("row", arms=bad)


def test_bad_relations_and_ranges_are_refused():
    for call in (
        lambda n, r: block_sum_sensitivity(n, 1, r),
        lambda n, r: block_mean_sensitivity(n, 1, r),
        score_range,
    ):
        with pytest.raises(PrivcheckError, match="neighbours"):
            call("rows", UNIT)
        with pytest.raises(PrivcheckError, match="rewards range"):
            call("row", (1.0, 0.0))
