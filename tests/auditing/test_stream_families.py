"""Every structured pair is what it claims to be: neighbours, in range, different from all others."""

import numpy as np
import pytest

import privcheck
from privcheck.auditing._search.stream_families import BY_TURNS, MOST_PAIRS, contextual_pairs, structured_pairs
from privcheck.auditing._search.varied_streams import varied_pairs
from privcheck.privacy import Contexts, check_rewards_range, relation
from privcheck.targets import StreamPair
from privcheck.targets._stream_pair import in_words

HORIZONS = [2, 5, 16, 40, 64, 100]


@pytest.mark.parametrize("neighbours", ["row", "reward", "group:2"])
@pytest.mark.parametrize("horizon", HORIZONS)
@pytest.mark.parametrize("arms", [2, 3, 5])
def test_structured_pairs_are_neighbours_in_range_and_distinct(neighbours, horizon, arms):
    rewards = (-1.0, 2.5)
    pairs = structured_pairs(horizon, arms, rewards, neighbours)
    seen = set()
    for pair in pairs:
        assert pair.first.shape == pair.second.shape == (horizon, arms)
        relation(neighbours).check(pair.first, pair.second)
        check_rewards_range(pair.first, rewards)
        check_rewards_range(pair.second, rewards)
        seen.add((pair.first.tobytes(), pair.second.tobytes()))
    assert len(seen) == len(pairs) > 0
    assert len({pair.words for pair in pairs}) == len(pairs)


@pytest.mark.parametrize("neighbours", ["row", "reward", "group:2"])
@pytest.mark.parametrize("horizon", HORIZONS)
def test_every_pair_changes_a_round_that_actions_can_show(neighbours, horizon):
    """The action of the changed round itself cannot depend on it: there has to be a later round."""
    places = {pair.changed for pair in structured_pairs(horizon, 3, (0.0, 1.0), neighbours)}
    assert min(places) == 0
    assert max(places) <= horizon - 2
    if horizon <= 32:
        assert places == set(range(horizon - 1))


@pytest.mark.parametrize("neighbours", ["row", "reward", "group:2"])
@pytest.mark.parametrize("horizon", HORIZONS)
def test_the_last_round_changes_too_where_it_can_show(neighbours, horizon):
    pairs = structured_pairs(horizon, 3, (0.0, 1.0), neighbours, shown_later=False)
    assert max(pair.changed for pair in pairs) == horizon - 1
    for pair in pairs:
        relation(neighbours).check(pair.first, pair.second)


class LastRewardDecides:
    """Stops at the horizon and recommends by the last reward, with noise or without."""

    scale = 0.0

    def __init__(self, rng, horizon):
        self.rng, self.left, self.last = rng, horizon, 0.0

    @property
    def stopped(self):
        return not self.left

    def select(self):
        return self.left % 2

    def update(self, action, reward):
        self.left, self.last = self.left - 1, reward

    def recommend(self):
        return int(self.last + self.rng.laplace(scale=self.scale) > 0.5)


class LastRewardWithNoise(LastRewardDecides):
    scale = 1.0


@pytest.mark.chance(1e-6, "the verdict of a true claim at this level")
def test_what_only_the_last_reward_decides_is_found():
    options = {"feedback": "identification", "arms": 2, "horizon": 6, "runs": 4000, "error": 1e-6}
    assert privcheck.audit(LastRewardDecides, epsilon=1.0, **options).verdict == "violation"
    assert privcheck.audit(LastRewardWithNoise, epsilon=1.0, **options).verdict != "violation"


class LastContextShown:
    """Publishes the context of the last round so far, as it is."""

    def __init__(self, rng):
        self.released = [0.0]

    def select(self, context):
        return 0

    def update(self, context, action, reward):
        self.released = [context[0]]


@pytest.mark.parametrize(("horizon", "later"), [(1, 1), (2, 1), (5, 4), (40, 39)])
def test_the_context_of_the_last_round_changes_where_it_can_show(horizon, later):
    size = horizon, 2, (0.0, 1.0), Contexts(shape=(2,))
    assert max(pair.changed for pair in contextual_pairs(*size, shown_later=False)) == horizon - 1
    assert len({pair.changed for pair in contextual_pairs(*size)}) <= later
    assert all(pair.changed < horizon - 1 for pair in contextual_pairs(*size))


def test_a_last_context_that_is_published_is_found():
    options = {"feedback": "contextual", "contexts": Contexts(shape=(1,)), "arms": 2, "horizon": 2}
    report = privcheck.audit(LastContextShown, epsilon=1.0, observe="releases", runs=200, pairs=30, **options)
    assert report.verdict == "violation"
    assert report.witness.rounds == (2,)


def test_long_horizons_keep_the_first_rounds_and_the_edges_of_blocks():
    places = {pair.changed for pair in structured_pairs(100, 2, (0.0, 1.0), "row")}
    assert places >= {*range(16), 15, 16, 31, 32, 63, 64, 98}
    assert len(places) <= 40


def test_a_row_moves_all_arms_together_and_one_against_the_others():
    pairs = structured_pairs(4, 3, (0.0, 1.0), "row")
    changes = {tuple(pair.second[pair.changed] - pair.first[pair.changed]) for pair in pairs}
    assert changes == {(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)}


def test_a_reward_moves_one_entry_from_the_lowest_to_the_highest():
    pairs = structured_pairs(4, 3, (0.0, 1.0), "reward")
    changes = {tuple(pair.second[pair.changed] - pair.first[pair.changed]) for pair in pairs}
    assert changes == {(1, 0, 0), (0, 1, 0), (0, 0, 1)}


@pytest.mark.parametrize(("size", "distances"), [(2, {*range(2, 9), 10, 11}), (3, {2, 3, 4, 5})])
def test_a_group_moves_rows_in_successive_rounds_and_at_equal_distances(size, distances):
    pairs = structured_pairs(12, 2, (0.0, 1.0), f"group:{size}")
    pairs = [pair for pair in pairs if BY_TURNS not in pair.family]
    found = {(pair.family.endswith("in spaced rounds"), *np.diff(pair.rounds)) for pair in pairs if pair.changed < 9}
    assert found == {(False, *[1] * (size - 1))} | {(True, *[distance] * (size - 1)) for distance in distances}


def most_apart(pairs, one, two):
    """Return how much the difference of two rewards of the first arm moves at most."""
    return max(abs(moved[one, 0] - moved[two, 0]) for pair in pairs for moved in [pair.second - pair.first])


@pytest.mark.parametrize(("one", "two"), [(0, 1), (3, 4), (3, 7), (0, 11)])
@pytest.mark.parametrize("rewards", [(0.0, 1.0), (-1.0, 2.5)])
def test_two_rewards_of_a_person_move_apart(one, two, rewards):
    """A difference of two rewards moves by twice their range only if one goes up and the other one down."""
    size = 12, 2, rewards, "group:2"
    assert most_apart(structured_pairs(*size), one, two) == pytest.approx(2.0 * (rewards[1] - rewards[0]))


def test_they_do_in_varied_streams_as_well():
    assert most_apart(varied_pairs(2000, 0, 12, 2, (0.0, 1.0), "group:2"), 3, 4) == 2.0


@pytest.mark.parametrize("size", [3, 4, 7])
def test_the_rows_of_a_larger_group_move_by_turns_too(size):
    pairs = structured_pairs(16, 1, (0.0, 1.0), f"group:{size}")
    moves = {tuple((pair.second - pair.first)[list(pair.rounds), 0]) for pair in pairs if pair.changed <= 16 - size}
    assert moves == {(1.0,) * size, tuple([1.0, -1.0] * size)[:size]}


@pytest.mark.parametrize("horizon", [2, 3, 16, 200])
@pytest.mark.parametrize("neighbours", ["group:2", "group:5", "group:40"])
def test_groups_of_any_size_fit_any_horizon(horizon, neighbours):
    pairs = structured_pairs(horizon, 2, (0.0, 1.0), neighbours)
    for pair in pairs + varied_pairs(45, 0, horizon, 2, (0.0, 1.0), neighbours):
        relation(neighbours).check(pair.first, pair.second)
    assert len(pairs) <= 2.25 * MOST_PAIRS


SURE = {"error": 1e-6, "confidence": 1.0 - 1e-6}


class Visits:
    """Counts visits, rounds with a high reward and none in the three rounds before, and says at the end if there were
    two or more, with noise.

    One round changes the count by at most 1, and so do two successive ones: a change in round t matters to the visits
    of rounds t to t + 3, of which only one can count. Two rounds that are four or more apart change it by 2.
    """

    sensitivity = 1.0

    def __init__(self, rng, epsilon, horizon):
        self.rng, self.scale, self.horizon = rng, self.sensitivity / epsilon, horizon
        self.round, self.visits, self.last = 0, 0, -9

    def select(self):
        self.round += 1
        return int(self.round == self.horizon and self.visits + self.rng.laplace(scale=self.scale) > 1.0)

    def update(self, action, reward):
        if reward > 0.5:
            self.visits, self.last = self.visits + (self.round - self.last > 3), self.round


class PersonalVisits(Visits):
    """With noise for a person who returns at any time."""

    sensitivity = 2.0


@pytest.mark.chance(2e-6, "verdict and bound of one audit of a true claim, 1e-6 each; the leak is missed more rarely")
@pytest.mark.parametrize("seed", range(3))
def test_a_leak_that_needs_spaced_rounds_of_a_person_is_found(seed):
    options = {"epsilon": 1.0, "arms": 2, "horizon": 16, "neighbours": "group:2", "runs": 8000, "seed": seed, **SURE}
    leaky, correct = (privcheck.audit(policy, **options) for policy in (Visits, PersonalVisits))
    assert leaky.verdict == "violation"
    assert leaky.witness.rounds[1] - leaky.witness.rounds[0] >= 2
    assert correct.verdict == "consistent"


@pytest.mark.chance(2e-6, "verdict and bound of one audit of a true claim, 1e-6 each; the other loss is far above")
def test_pairs_with_successive_rounds_alone_do_not_show_it():
    """The broken search: the best pair of two successive rounds, one visit more, given."""
    options = {"epsilon": 1.0, "arms": 2, "neighbours": "group:2", "runs": 8000, **SURE}
    first, second = np.zeros((16, 2)), np.zeros((16, 2))
    second[[3, 4]] = 1.0
    report = privcheck.audit(Visits, streams=(first, second), **options)
    assert report.verdict == "consistent"
    second[[3, 4]], second[[3, 7]] = 0.0, 1.0
    report = privcheck.audit(Visits, streams=(first, second), **options)
    assert report.verdict == "violation"


def test_the_order_is_fixed_and_mixed():
    one, two = (structured_pairs(16, 2, (0.0, 1.0), "row") for _ in range(2))
    assert [pair.words for pair in one] == [pair.words for pair in two]
    assert [pair.changed for pair in one] != sorted(pair.changed for pair in one)


def test_changed_is_the_first_round_that_differs():
    first = np.zeros((4, 2))
    second = first.copy()
    second[2, 1] = second[3, 0] = 1.0
    assert StreamPair(first, second, "").changed == 2


def test_streams_in_words():
    first, second = np.zeros((4, 2)), np.zeros((4, 2))
    second[1] = [1.0, 0.0]
    assert in_words(first, second) == "round 2: (0, 0) vs (1, 0); the other 3 rounds: (0, 0) in both"
    first[0] = second[0] = 0.5
    assert in_words(first, second).endswith("rounds, in both: (0.5, 0.5) in round 1, (0, 0) in rounds 3-4")
    many = np.arange(16.0).reshape(8, 2)
    other = many.copy()
    other[1] = 0.0
    assert in_words(many, other).endswith("the other 7 rounds: the same in both")
    assert in_words(np.zeros((5, 1)), np.ones((5, 1))).endswith("2 more rounds differ")


def test_a_pair_of_ones_own_keeps_its_name():
    assert StreamPair(np.zeros((2, 1)), np.ones((2, 1)), "mine").words == "mine"
    assert StreamPair(np.zeros(2), np.array([0.0, 1.0])).words == "row 2: 0 vs 1; the other row: 0 in both"


def test_what_the_search_made_is_told_as_it_is_not_as_it_was_found():
    report = privcheck.audit("rnm-ftnl-published", epsilon=1.0, arms=3, horizon=6, runs=20_000)
    assert report.witness.streams == in_words(report.witness.first, report.witness.second)
