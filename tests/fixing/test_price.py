"""Regret decides among certified patches: those that stop learning are found, and the best one comes first."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

from privcheck.fixing import _price
from privcheck.fixing._edits.edit import made
from privcheck.fixing._judgement import judged
from privcheck.fixing._look import Setting
from privcheck.fixing._price import Place, about_price, places_for, priced, ratio
from privcheck.fixing._search import Patch
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
    edit = made("an edit of a test", "structure", "none", 1)
    judgement = judged(source, Patch(text, (edit,), 3), "Bandit", Setting())
    assert not judgement.withdrawn, "this twin is the price's, not the judge's"
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


def test_other_ranges_of_rewards_are_told_to_the_policy(tmp_path):
    text = twins.UCB.replace(
        "self.counts[action] += 1", "assert reward in (-2.0, 8.0)\n        self.counts[action] += 1"
    )
    source = source_of(tmp_path, text)
    found = priced(source, "Bandit", [], Setting(rewards=(-2.0, 8.0)), rounds=300, seconds=0.1)
    assert found.original.places[0].mean > 0.0
    assert found.others[0].places[0].mean == pytest.approx(300 * 10 * 0.25)


def test_what_cannot_be_measured_is_not_recommended(tmp_path):
    source = source_of(tmp_path, twins.UCB)
    failing = twins.RIGHT.replace("self.t += 1", "self.t += 1\n        assert self.t < 100", 1)
    found = priced(source, "Bandit", [failing], Setting(), rounds=300, seconds=3.0)
    assert found.patches == [None]
    assert found.stops == ["its regret could not be measured"]


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


def test_enough_runs_need_no_note():
    runs = PolicyRegret("a", 32, (PlaceRegret("x", 1.0, 0.1, 0.1, 0.1),))
    assert about_price(_price.Priced(runs, [runs, None], ["", ""], ())) == []
    (note,) = about_price(_price.Priced(None, [runs], [""], ()))
    assert note == "the regret of the original could not be measured, so whether patches learn is not known"
