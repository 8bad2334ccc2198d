"""Numbers that the code of a target names are candidates, if they are asked for."""

from __future__ import annotations

import numpy as np
import pytest

import privcheck
from privcheck import PrivcheckError
from privcheck.auditing._search.values_in_code import IN_CODE, numbers_in_code, pairs_in_code
from privcheck.targets import Game

SURE = {"error": 1e-6, "runs": 4000}
BOUND, HUGE = 0.618, 10**400


def exact_value(raw):
    """A count that is bare if the third row is .3718; no random value is."""

    def release(data, rng):
        count = float(np.sum(data))
        return count if raw and data[2] == 0.3718 else count + rng.laplace()

    return release


class CertainRound:
    """Plays arm 1 after a reward from .7182 to .7183 in round 37."""

    low = 0.7182

    def __init__(self, rng):
        self.rng, self.t, self.arm = rng, 0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        seen = self.t == 37 and self.low <= reward < self.low + 1e-4
        self.arm = 1 if seen else int(self.rng.random() < 0.5)


class Inherits(CertainRound):
    pass


def both_sides(data, rng):
    """Noise that is next to none if the sum is from .618 on and below .6185."""
    total = float(np.sum(data))
    return total + rng.laplace(scale=1e-6 if BOUND <= total < BOUND + 5e-4 else 1.0)


@pytest.mark.chance(1e-6, "the verdict of pairs that show nothing, at this level")
def test_a_leak_at_a_value_of_the_code_is_found_by_reading_it_only():
    assert privcheck.audit(exact_value(True), epsilon=1.0, **SURE).verdict != "violation"
    assert privcheck.audit(exact_value(True), epsilon=1.0, read_code=True, **SURE).verdict == "violation"


@pytest.mark.chance(1e-6, "the verdict of a true claim at this level")
def test_its_twin_is_not_accused():
    assert privcheck.audit(exact_value(False), epsilon=1.0, read_code=True, **SURE).verdict != "violation"


def test_a_round_and_a_value_that_a_class_names_are_tried_together():
    """Only a reward from .7182 to .7183 in round 37 shows."""
    pairs = pairs_in_code(CertainRound, Game(), 40, 2, 0, shown_later=True)
    assert any((pair.first[36] == 0.7182).any() or (pair.second[36] == 0.7182).any() for pair in pairs)
    assert max(pair.changed for pair in pairs) == 38


def test_literals_defaults_attributes_and_what_is_captured_are_read():
    captured = 0.125

    def inner(x):
        return x > captured

    def target(data, rng, bound=0.5, *, other=7):
        named = (0.25, 0.75, True, None, HUGE)
        return [inner(x) for x in data if x in named] and BOUND

    assert set(numbers_in_code(target)) == {0.125, 0.25, 0.5, 0.618, 0.75, 7.0}
    assert {37.0, 0.7182, 0.5} <= set(numbers_in_code(Inherits))
    assert BOUND in numbers_in_code(both_sides)


@pytest.mark.parametrize("neighbours", ["row", "reward", "group:2", "add-remove"])
def test_pairs_are_neighbours_within_the_range(neighbours):
    game = Game(neighbours=neighbours, rewards=(-1.0, 2.0))
    pairs = pairs_in_code(CertainRound, game, 40, 3, 0)
    assert len(pairs) > 100
    values = {value for pair in pairs for value in np.unique(pair.first)}
    assert 0.7182 in values
    assert -1.0 <= min(values) <= max(values) <= 2.0
    assert any(36 in pair.rounds for pair in pairs)
    for pair in pairs:
        game.relation.check(pair.first, pair.second)
        assert IN_CODE in pair.family


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("adap-ucb", {}),
        (privcheck.from_command("bandit"), {"arms": 2}),
        (exact_value(True), {"streams": ([0.0], [1.0])}),
    ],
)
def test_code_that_cannot_be_read_is_bad_input(target, options):
    with pytest.raises(PrivcheckError, match="read_code"):
        privcheck.audit(target, epsilon=1.0, read_code=True, **options)
