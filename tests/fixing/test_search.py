"""The search: what it keeps, that no edit of a patch can be left out, and where it stops."""

from __future__ import annotations

import pytest

from privcheck.fixing import _look
from privcheck.fixing._judgement import looked_at_elsewhere
from privcheck.fixing._look import Setting, look
from privcheck.fixing._program import NotEditableError
from privcheck.fixing._search import KEPT, Move, _Search, other, search
from privcheck.fixing._source_text import SourceText


def source(tmp_path, text):
    (tmp_path / "bandit.py").write_text(text, "utf-8")
    return SourceText.read(tmp_path / "bandit.py")


HEAD = """\
import random

import numpy as np


class Bandit:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.arms = rng, epsilon, arms
        self.sums, self.plays, self.t, self.best = [0.0] * arms, [0] * arms, 0, 0

    def select(self):
        if self.t < 12:
            return self.t % self.arms
        return int(np.argmax([s / n for s, n in zip(self.sums, self.plays, strict=True)]))

    def update(self, action, reward):
        self.t += 1
"""
GREEDY = f"{HEAD}        self.sums[action] += reward\n        self.plays[action] += 1\n"
PRIVATE = GREEDY.replace("+= reward", "+= float(reward + self.rng.laplace(0.0, 1.0 / self.epsilon))")
TWO_LEAKS = GREEDY.replace("+= reward", "+= min(1.0, max(0.0, reward)) + 0.0 * random.random()")


OF_TWO_ARMS = GREEDY.replace("return self.t % self.arms", "return [0, 1][self.t % self.arms]")
BROKEN = OF_TWO_ARMS.replace("[0, 1][self.t % self.arms]", "[0, 1][self.t]")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return search(source(tmp_path_factory.mktemp("greedy"), GREEDY), "Bandit", Setting())


def test_there_is_nothing_to_fix_in_a_private_bandit(tmp_path):
    answer = search(source(tmp_path, PRIVATE), "Bandit", Setting())
    assert (answer.finding, answer.patches, answer.looks) == (None, (), 1)


def test_patches_hold_in_settings_that_the_search_did_not_look_at(found):
    assert found.finding.kind == "comparison"
    third = Setting(epsilon=0.3, arms=4, horizon=160, runs=2, seed=99)
    for patch in found.patches:
        assert look(patch.text, "Bandit", Setting()) is None
        assert look(patch.text, "Bandit", other(Setting())) is None
        assert look(patch.text, "Bandit", third) is None
        assert patch.cost == sum(edit.cost for edit in patch.edits)


def test_patches_differ_and_the_cheapest_comes_first(found):
    costs = [patch.cost for patch in found.patches]
    assert 2 <= len(costs) <= KEPT
    assert costs == sorted(costs)
    assert len({patch.text for patch in found.patches}) == len(costs)
    names = [{edit.name for edit in patch.edits} for patch in found.patches]
    assert {"noisy-rewards"} in names
    assert any(edit.family != "universal" for edit in found.patches[0].edits)


def test_every_program_that_was_looked_at_is_told(found):
    assert {patch.edits for patch in found.patches} <= set(found.tried)
    assert found.looks == len(found.tried) + 1


def test_the_same_search_finds_the_same(found, tmp_path_factory):
    again = search(source(tmp_path_factory.mktemp("again"), GREEDY), "Bandit", Setting())
    assert [patch.text for patch in again.patches] == [patch.text for patch in found.patches]


def test_no_edit_of_a_patch_can_be_left_out(tmp_path):
    """The broken twin kept what was tried on the way: here the scale of noise that is idle in the end."""
    text = GREEDY.replace("int(np.argmax([", "int(np.argmax([self.rng.laplace(0.0, 0.001) + ")
    answer = search(source(tmp_path, text), "Bandit", Setting())
    for patch in answer.patches:
        names = [edit.name for edit in patch.edits]
        if "released-blocks" in names or "latest-released" in names:
            assert not {"laplace", "more-noise", "noisy-read"} & set(names), names


def test_a_bandit_of_so_many_arms_is_tried_with_no_others(tmp_path):
    """Its original fails with a third arm, and so does every patch of it."""
    file = source(tmp_path, OF_TWO_ARMS)
    answer = search(file, "Bandit", Setting(), looks=4)
    assert answer.patches
    assert look(answer.patches[0].text, "Bandit", other(Setting())).kind == "failure"
    elsewhere = looked_at_elsewhere(file, answer.patches[0].text, "Bandit", Setting())
    assert (elsewhere.withdrawn, [told.split(", ")[1] for told in elsewhere.settings]) == ("", ["2 arms", "2 arms"])


def test_one_that_fails_with_its_own_arms_is_not_fixed(tmp_path):
    assert not search(source(tmp_path, BROKEN), "Bandit", Setting(), looks=3).patches


def test_two_leaks_need_two_edits(tmp_path):
    answer = search(source(tmp_path, TWO_LEAKS), "Bandit", Setting())
    assert answer.patches
    for patch in answer.patches:
        assert "own-generator" in {edit.name for edit in patch.edits}
        assert "random.random()" not in patch.text.replace("rng.random()", "")


def test_idle_noise_is_left_out(tmp_path):
    text = GREEDY.replace("[s / n for", "[s / n + self.rng.laplace(0.0, 1.0 / (n * self.epsilon)) for")
    answer = search(source(tmp_path, text), "Bandit", Setting())
    quiet = [patch for patch in answer.patches if patch.edits[-1].name == "no-idle-noise"]
    assert quiet
    for patch in quiet:
        assert "(n * self.epsilon)" not in patch.text
        assert look(patch.text, "Bandit", Setting()) is None


@pytest.mark.parametrize(("limit", "most"), [({"looks": 3}, 8), ({"seconds": 0.0}, 8), ({"edits": 1}, 40)])
def test_a_search_keeps_to_its_limits(limit, most, tmp_path):
    answer = search(source(tmp_path, GREEDY), "Bandit", Setting(), **limit)
    assert answer.looks <= most
    if "edits" in limit:
        assert all(len(edits) <= 2 for edits in answer.tried)


def test_what_cannot_be_edited_is_refused(tmp_path):
    with pytest.raises(NotEditableError):
        search(source(tmp_path, "X = 1\n"), "Bandit", Setting())
    with pytest.raises(SyntaxError):
        search(source(tmp_path, "class Bandit(:\n"), "Bandit", Setting())


SUBCLASS = (
    GREEDY.replace("class Bandit", "class Base")
    + """

class Bandit(Base):
    def select(self):
        return super().select()


class Sibling(Base):
    def update(self, action, reward):
        self.best = float(reward)
"""
)


def test_an_inherited_update_is_left_alone_and_so_are_siblings(tmp_path):
    answer = search(source(tmp_path, SUBCLASS), "Bandit", Setting())
    assert answer.patches
    for patch in answer.patches:
        assert (
            "class Sibling(Base):\n    def update(self, action, reward):\n        self.best = float(reward)"
            in patch.text
        )
        assert patch.text.startswith(GREEDY.replace("class Bandit", "class Base"))


def test_a_range_of_rewards_is_kept(tmp_path):
    setting = Setting(rewards=(-1.0, 3.0))
    answer = search(source(tmp_path, GREEDY), "Bandit", setting)
    assert answer.patches
    assert all("4.0 / " in patch.text for patch in answer.patches)
    assert all(look(patch.text, "Bandit", Setting()) is None for patch in answer.patches), "a smaller range costs less"


NO_GENERATOR = """\
import random


class Bandit:
    def __init__(self, arms=2):
        self.sums, self.n = [0.0] * arms, [0] * arms

    def select(self):
        for a, n in enumerate(self.n):
            if n == 0:
                return a
        if random.random() < 0.1:
            return random.randint(0, len(self.n) - 1)
        means = [s / n for s, n in zip(self.sums, self.n, strict=True)]
        return means.index(max(means))

    def update(self, action, reward):
        self.sums[action] += reward
        self.n[action] += 1
"""


def test_a_constructor_without_generator_and_epsilon_gets_both(tmp_path):
    answer = search(source(tmp_path, NO_GENERATOR), "Bandit", Setting(), looks=2)
    assert answer.finding.kind == "failure"
    assert answer.patches
    for patch in answer.patches:
        assert "def __init__(self, rng, arms=2, epsilon=1):" in patch.text
        assert "int(self.rng.integers(0, (len(self.n) - 1) + 1))" in patch.text


FIXED_SCALE = """\
class Bandit:
    def __init__(self, rng, arms):
        assert arms == 2
        self.rng, self.t, self.sums = rng, 0, [0.0, 0.0]

    def select(self):
        return self.sums.index(max(self.sums))

    def update(self, action, reward):
        self.t += 1
        self.sums[action] += float(reward + self.rng.laplace(0.0, 1.0))
"""


def test_a_bandit_that_keeps_what_is_asked_for_is_left_alone(tmp_path):
    """Its noise is for epsilon = 1 and two arms: elsewhere it would leak or fail, and nobody asked for that."""
    answer = search(source(tmp_path, FIXED_SCALE), "Bandit", Setting())
    assert (answer.finding, answer.patches, answer.looks) == (None, (), 1)
    assert search(source(tmp_path, FIXED_SCALE), "Bandit", Setting(epsilon=0.9), looks=1).finding.kind == "first"


def test_a_leak_in_later_rounds_is_found_all_the_same(tmp_path):
    late = FIXED_SCALE.replace("self.t += 1\n", "self.t += 1\n        if self.t > 60: self.t += [0, 1][reward > 0.5]\n")
    assert look(late, "Bandit", Setting()) is None
    assert search(source(tmp_path, late), "Bandit", Setting(), looks=1).finding.kind == "comparison"


SLOW = """
    def wait(self):
        start = time.process_time()
        while time.process_time() < start + 0.04: pass
"""


def test_a_bandit_that_takes_its_time_is_left_alone(tmp_path, monkeypatch):
    """Its looks are ended after 2 s: at first with as many rounds as they have, then with all that they may have."""
    monkeypatch.setattr(_look, "SECONDS", 2)
    monkeypatch.setattr(_look, "PATIENCE", 60.0)  # the machine may have much else to do
    slow = "import time\n" + FIXED_SCALE.replace("self.t += 1", "self.t += 1; self.wait()") + SLOW
    text = slow.replace("0.04", "0.04 * (self.t > 40)")
    assert look(text, "Bandit", Setting(runs=1, horizon=127)).kind == "time"
    assert search(source(tmp_path, text), "Bandit", Setting(runs=1)).finding is None
    assert look(slow, "Bandit", Setting(runs=6)).kind == "time"
    assert search(source(tmp_path, slow), "Bandit", Setting(runs=6)).finding is None
    leaking = slow.replace(" + self.rng.laplace(0.0, 1.0)", "")
    found = search(source(tmp_path, leaking), "Bandit", Setting(runs=6), looks=1)
    assert found.finding.kind in ("conversion", "comparison")


def test_an_edit_in_place_of_another_can_be_made_again(tmp_path):
    """Otherwise no other edit of its patch could be left out."""
    running = _Search(source(tmp_path, GREEDY), "Bandit", Setting(), 5, 5, 60.0)
    finding = running._look(GREEDY)
    first = next(each for each in running._proposals(GREEDY, finding) if each.edit.name == "latest-released")
    place = running._place(GREEDY, finding)
    for proposal in (first, first.instead):
        again = running._again([Move(proposal, finding, *place)])
        assert (again.text, again.edits) == (proposal.text, (proposal.edit,))


def test_it_is_told_why_nothing_holds(tmp_path):
    leaking = FIXED_SCALE.replace(" + self.rng.laplace(0.0, 1.0)", "")
    own = source(tmp_path, leaking)
    found = search(own, "Bandit", Setting(), looks=6)
    assert found.patches == ()
    assert len(found.refused) == len(found.tried) > 2
    assert all("AssertionError" in why or f"{own.path}:" in why for why in found.refused)
    assert found.unfit == ()
    built = leaking.replace("rng, arms", "arms").replace("self.rng", "self.r").replace("= rng", "= 0")
    found = search(source(tmp_path, f"{built}\nB = Bandit(2)\n"), "Bandit", Setting(), looks=3)
    assert "noisy-rewards cannot be made here: the file builds the class itself, without a Generator" in found.unfit
