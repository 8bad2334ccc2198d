"""Regret decides among certified patches: those that stop learning are found, and the best one comes first."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

from privcheck.fixing import _price
from privcheck.fixing._environments import Place, constants, places_for
from privcheck.fixing._look import Setting
from privcheck.fixing._patch_audit import pairs_of
from privcheck.fixing._price import about_price, priced, ratio
from privcheck.fixing._source_text import SourceText
from privcheck.results import PlaceRegret, PolicyRegret

pytestmark = pytest.mark.long

_spec = importlib.util.spec_from_file_location("twins_of_patches", Path(__file__).with_name("twins.py"))
twins = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(twins)


def source_of(folder, text):
    file = folder / "bandit.py"
    file.write_text(text, encoding="utf-8")
    return SourceText.read(file)


@pytest.mark.chance(1e-6, "a mean of 32 runs or more that is off by more than half of uniform play's regret")
@pytest.mark.parametrize("name", twins.STUCK)
def test_a_certified_patch_that_stops_learning_is_found(name, tmp_path):
    original, text = twins.STUCK[name]
    source = source_of(tmp_path, original)
    assert not twins.judged(source, text, Setting())[0], "this twin is the price's, not the judge's"
    found = priced(source, "Bandit", [text], Setting(), rounds=900, seconds=20.0)
    assert found.stops[0].startswith("it stops learning: in the last third of the rounds its regret is "), found


@pytest.mark.chance(1e-6, "a mean of 32 runs or more that is off by a quarter of uniform play's regret")
def test_a_patch_that_learns_is_not_accused_and_better_ones_cost_less(tmp_path):
    source = source_of(tmp_path, twins.UCB)
    louder = twins.RIGHT.replace("1.0 / self.epsilon", "6.0 / self.epsilon")
    found = priced(source, "Bandit", [louder, twins.RIGHT, twins.UCB], Setting(), rounds=900, seconds=25.0)
    assert found.stops[1:] == ["", ""]
    assert found.patches[1].share < found.patches[0].share
    assert found.original.share < found.patches[1].share
    assert ratio(found.patches[2], found.original) == pytest.approx(1.0, abs=0.1)
    uniform, shipped = found.others
    assert [place.mean for place in uniform.places] == pytest.approx([900 * 0.25, 900 * 0.175, 900 * 0.175])
    assert 0.0 < shipped.share < 1.0


def test_all_texts_see_the_same_rewards(tmp_path):
    """The same text costs the same, run by run; a policy that plays one arm loses its gap in every round."""
    source = source_of(tmp_path, twins.UCB)
    meter = _price.Meter(source, "Bandit", [twins.UCB], Setting(), 300, 10.0)
    meter.play([0, 1], 3)
    meter.play([0, 1], 2)
    assert meter.runs[0].shape == (5, 3, 2)
    np.testing.assert_array_equal(meter.runs[0], meter.runs[1])
    constant = twins.STUCK["a constant policy"][1]
    meter = _price.Meter(source, "Bandit", [constant], Setting(), 300, 10.0)
    meter.play([1], 8)
    gaps = [0.5, 0.35, 0.35]
    for place, gap in enumerate(gaps):
        assert set(np.round(meter.runs[1][:, place, 1], 6)) <= {0.0, round(300 * gap, 6)}


def test_environments_are_on_both_sides_of_every_constant():
    code = "class A:\n    def update(self, action, reward):\n        if 0.3 < reward <= 0.8: self.n += 1\n"
    around, below, above = places_for(code, "A", Setting(arms=3))
    assert max(below.chances) < 0.3
    assert min(above.chances) > 0.8
    assert all(len(place.chances) == 3 and place.gap > 0.0 for place in (around, below, above))
    wide = places_for(code.replace("0.3", "-1").replace("0.8", "4"), "A", Setting(rewards=(-2.0, 8.0)))
    assert [place.told(-2.0, 8.0) for place in wide][1:] == [
        "rewards -2 or 8 with means -1.1, -1.8", "rewards -2 or 8 with means 7.6, 4.8",
    ]  # fmt: skip


def test_constants_at_an_end_of_the_range_leave_arms_that_differ():
    """Below 1e-9 all arms have the mean 0 once they are rounded, and no share of a regret of 0 is a number."""
    for limit in ("1e-9", "0.9999", "1e-9 < reward < 0.2 and 0.99"):
        code = f"class A:\n    def update(self, action, reward):\n        if {limit} < reward: self.n += 1\n"
        for arms in (2, 40):
            assert all(place.gap > 0.003 for place in places_for(code, "A", Setting(arms=arms))), (limit, arms)


INHERITED = """\
MOST = 0.8


class Base:
    low = 0.3

    def __init__(self, rng, arms, epsilon=0.1, limit=0.6):
        self.rng, self.epsilon, self.limit = rng, epsilon, limit

    def update(self, action, reward):
        if self.low < reward < MOST or reward > self.limit or self.rng.random() < self.epsilon:
            self.n += 1


class Bandit(Base):
    pass


class Other:
    def update(self, action, reward):
        return reward > 0.95
"""


def test_constants_of_bases_count_and_so_do_those_with_names():
    assert constants(INHERITED, "Bandit") == {0.3, 0.6, 0.8}, "and no epsilon, which is passed"
    _, below, above = places_for(INHERITED, "Bandit", Setting())
    assert (below.chances, above.chances) == ((0.27, 0.06), (0.98, 0.84))


def test_other_ranges_of_rewards_are_told_to_the_policy(tmp_path):
    text = twins.UCB.replace(
        "self.counts[action] += 1", "assert reward in (-2.0, 8.0)\n        self.counts[action] += 1"
    )
    source = source_of(tmp_path, text)
    found = priced(source, "Bandit", [], Setting(rewards=(-2.0, 8.0)), rounds=300, seconds=0.1)
    assert found.original.places[0].mean > 0.0
    assert found.others[0].places[0].mean == pytest.approx(300 * 10 * 0.25)


@pytest.mark.parametrize("rewards", [(-0.1, 0.2), (0.1, 0.2), (-0.3, 0.7)])
def test_no_reward_leaves_the_range_by_an_error_of_rounding(rewards):
    """-0.1 + (0.2 + 0.1) is more than 0.2, and so is 0.1 + 0.2 - 0.1."""
    told = []

    class Bandit:
        def update(self, action, reward):
            told.append(reward)

    for reward in (0.0, 1.0):
        _price._on_unit_interval(Bandit, *rewards).update(Bandit(), 0, reward)
    assert tuple(told) == rewards
    for first, second in pairs_of(Setting(rewards=rewards)):
        assert {*first.ravel().tolist(), *second.ravel().tolist()} == set(rewards)


def test_what_cannot_be_measured_is_not_recommended(tmp_path):
    source = source_of(tmp_path, twins.UCB)
    failing = twins.RIGHT.replace("self.t += 1", "self.t += 1\n        assert self.t < 100", 1)
    found = priced(source, "Bandit", [failing], Setting(), rounds=300, seconds=3.0)
    assert found.patches == [None]
    assert found.stops == ["its regret could not be measured"]
    source = source_of(tmp_path, failing)
    found = priced(source, "Bandit", [twins.RIGHT], Setting(), rounds=300, seconds=0.01)
    assert found.original is None
    assert found.patches[0].runs == 2
    assert found.stops == ["the regret of the original could not be measured"]


def test_the_ratio_is_taken_where_the_original_learns():
    def regret(*pairs):
        return PolicyRegret("a", 8, tuple(PlaceRegret("x", mean, 0.0, 0.1, late) for mean, late in pairs))

    original = regret((10.0, 0.1), (400.0, 1.0))
    assert ratio(regret((15.0, 0.1), (40.0, 0.1)), original) == 1.5
    assert ratio(None, original) is None
    assert ratio(original, regret((400.0, 1.0), (400.0, 0.9))) is None


def test_runs_end_when_the_time_is_over(tmp_path):
    source = source_of(tmp_path, twins.UCB)
    found = priced(source, "Bandit", [twins.RIGHT], Setting(), rounds=300, seconds=1e-9)
    assert found.original.runs == found.patches[0].runs == _price.FIRST
    assert math.isfinite(found.patches[0].share)
    assert Place((0.5, 0.5)).gap == 0.0


EXPLORING = """\
import numpy as np


class Bandit:
    def __init__(self, rng, arms, epsilon=0.1):
        self.rng, self.epsilon = rng, epsilon
        self.counts, self.sums = np.zeros(arms), np.zeros(arms)

    def select(self):
        if self.rng.random() < self.epsilon:
            return int(self.rng.integers(len(self.counts)))
        return int(np.argmax(self.sums / np.maximum(self.counts, 1)))

    def update(self, action, reward):
        self.counts[action] += 1
        self.sums[action] += reward
"""


def test_an_original_that_does_not_learn_is_told(tmp_path):
    """Its epsilon is the rate of exploration, so at a budget of 1 it plays at random; UCB does learn."""
    for text, told in ((EXPLORING, True), (twins.UCB, False)):
        source = source_of(tmp_path, text)
        found = priced(source, "Bandit", [text], Setting(), rounds=600, seconds=0.01)
        assert any("the original does not learn" in note for note in about_price(found)) is told
        assert any("fewer than 32" in note for note in about_price(found))


class Played:
    """A meter whose runs have these regrets: shape (runs, places, 2) for each text."""

    def __init__(self, *late):
        self.rounds, self.setting = 300, Setting()
        self.places = [Place((0.75, 0.25))]
        self.texts = late
        self.runs = [np.stack([0.0 * each, each * 25.0], axis=1)[:, None, :] for each in late]

    played, shares = _price.Meter.played, _price.Meter.shares
    rise, difference = _price.Meter.rise, _price.Meter.difference


def test_what_two_standard_errors_hide_is_not_settled():
    """A patch whose regret rises by .2 +- .1 may stop learning; by .2 +- .001 it does not."""
    rng = np.random.default_rng(0)
    original = np.zeros(40)
    for spread, settled in ((0.6, False), (0.006, True)):
        noise = rng.normal(size=40)
        patch = 0.2 + spread * (noise - noise.mean()) / noise.std()
        assert (not _price._undecided(Played(original, patch))) is settled
    close = [rng.normal(0.1, 0.1, size=40) for _ in range(2)]
    assert _price._undecided(Played(original, *close)) != []
    assert sorted(_price._may_be_best(Played(original, *close, close[0] + 0.1))) == [1, 2]
    assert _price._undecided(Played(original, close[0], close[0] + 0.1)) == []
    assert _price._may_be_best(Played(original, close[0], close[0] + 0.1)) == []


def test_enough_runs_need_no_note():
    runs = PolicyRegret("a", 32, (PlaceRegret("x", 1.0, 0.1, 0.1, 0.1),))
    assert about_price(_price.Priced(runs, [runs, None], ["", ""], ())) == []
    (note,) = about_price(_price.Priced(runs, [runs, None], ["", ""], (), is_settled=False))
    assert note.startswith("after 32 runs in an environment it is not settled which patch is best")
    assert note.endswith("a larger time budget plays more")
    (note,) = about_price(_price.Priced(None, [runs], [""], ()))
    assert note == "the regret of the original could not be measured, so whether patches learn is not known"
