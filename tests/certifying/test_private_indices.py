"""Sums at a private index: what they are charged, against enumeration, and twins that are refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import privcheck
from privcheck.certifying._translated import private_indices
from privcheck.certifying._translated.private_indices import add_at, has_private_index, subtract_at
from privcheck.private_values import REVEAL, LeakError, PrivateSource
from tests.certifying.translated_programs import guarded, loaded, source

ARMS = 3
ENDS = [(0.0, 1.0), (-1.0, 1.0), (0.5, 1.0)]


def at_an_action(low, high, arm=1, value=0.75):
    """Return an array of sums after a reward was added at the index of a private action."""
    source = PrivateSource()
    sums = privcheck.zeros(ARMS)
    add_at(sums, source.action(arm, arms=ARMS, datum=0), source.scalar(value, low, high, datum=0))
    return sums


def moved(low, high):
    """Return all changes between the arrays of two data, at the ends of their range and between."""
    arrays = [np.eye(ARMS)[arm] * r for arm in range(ARMS) for r in (low, high, (low + high) / 2)]
    return np.array([a - b for a, b in itertools.product(arrays, arrays)])


@pytest.mark.parametrize(("low", "high"), ENDS)
def test_a_reward_at_a_private_arm_moves_by_what_is_charged(low, high):
    sums, changes = at_an_action(low, high), moved(low, high)
    assert sums.sensitivities("l1") == {0: pytest.approx(np.abs(changes).sum(axis=1).max())}
    assert sums.sensitivities("l2") == {0: pytest.approx(np.linalg.norm(changes, axis=1).max())}
    assert sums.reveal(REVEAL).tolist() == [0.0, 0.75, 0.0]


def test_the_enumeration_finds_the_charge_of_a_number_alone_too_small():
    """The broken twin adds the reward at a public arm: it moves by 1, where another arm makes it 2."""
    source = PrivateSource()
    sums = privcheck.zeros(ARMS)
    sums[1] += source.scalar(0.75, 0.0, 1.0, datum=0)
    assert sums.sensitivities("l1")[0] < np.abs(moved(0.0, 1.0)).sum(axis=1).max()


@pytest.mark.parametrize("r", [0.0, 0.2, 0.25, 0.5, 0.99, 1.0])
def test_a_whole_number_is_an_index_and_moves_two_entries(r):
    source = PrivateSource()
    level = np.digitize(source.scalar(r, 0.0, 1.0, datum=0), [0.25, 0.5])
    counts, kept = privcheck.zeros(3), [0.0, 1.0, 2.0]
    add_at(counts, level, 2)
    subtract_at(kept, level, 1.0)
    expected = np.zeros(3)
    expected[np.digitize(r, [0.25, 0.5])] += 2
    assert counts.reveal(REVEAL).tolist() == expected.tolist()
    assert np.stack(kept).reveal(REVEAL).tolist() == (np.arange(3.0) - expected / 2).tolist()
    assert counts.sensitivities("l1") == {0: 4.0}
    assert counts.sensitivities("l2") == {0: pytest.approx(2 * np.sqrt(2))}


def actions():
    source = PrivateSource()
    return source, source.action(1, arms=ARMS, datum=0), source.scalar(0.5, 0.0, 1.0, datum=0)


class Float(float):
    """A number that could note which of its like was added to."""


OUTSIDE = {
    "fewer arms": lambda source, a, r: add_at(privcheck.zeros(2), a, r),
    "more entries": lambda source, a, r: add_at(privcheck.zeros(4), a, r),
    "no number": lambda source, a, r: add_at(privcheck.zeros(3), a, None),
    "no numbers in the list": lambda source, a, r: add_at([0.0, None, 0.0], a, r),
    "a float": lambda source, a, r: add_at(privcheck.zeros(3), 2.0 * r, r),
    "numbers of a derived class": lambda source, a, r: add_at([Float(0.0)] * 3, a, r),
    "small integers that wrap around": lambda source, a, r: add_at([np.int8(0)] * 3, a, 1.0),
    "a small integer": lambda source, a, r: add_at([0] * 3, a, np.int8(100)),
    "bools, which numpy adds as or": lambda source, a, r: add_at([np.True_] * 3, a, np.True_),
    "of several data": lambda source, a, r: add_at(
        privcheck.zeros(3), np.digitize(source.scalar(0.2, 0.0, 1.0, datum=1), [0.5]) + np.digitize(r, [0.5]), r
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_an_index_that_may_fail_for_some_data_is_a_leak(name):
    with pytest.raises(LeakError):
        OUTSIDE[name](*actions())


def test_a_view_of_one_entry_is_added_to_in_place():
    """As numpy does; a broken twin puts new numbers into the list, and the array stays public."""
    _, action, reward = actions()
    sums = privcheck.zeros(3)
    add_at([sums[i, ...] for i in range(3)], action, reward)
    assert sums.reveal(REVEAL).tolist() == [0.0, 0.5, 0.0]
    assert sums.sensitivities("l1") == {0: 2.0}


HELPERS = """\
def once(self):
    return 1.0

def after_clearing(self):
    if self.t == 2:
        self.c[:] = {cleared}
    return 1.0
"""
LISTS = {"array": ("np.zeros(2)", "0.0"), "list": ("[0.0, 0.0]", "[0.0, 0.0]")}


def counted(lines, folder, kept="array"):
    made, cleared = LISTS[kept]
    more = HELPERS.format(cleared=cleared)
    text = source(lines, made=f"self.c = {made}", read="self.noised(np.stack(list(self.c)))", scale=2.0, more=more)
    return guarded(loaded(text, folder))


@pytest.mark.parametrize("kept", LISTS)
def test_an_array_that_is_changed_by_what_is_added_is_refused(kept, tmp_path):
    """Python takes the old sum of an entry before it is cleared, and would release it once more."""
    session = counted("self.c[int(r > 0.5)] += self.once()", tmp_path, kept)
    assert (session.leaks, session.refusals, session.ledger.epsilon) == ([], [], pytest.approx(1.0))
    assert counted("self.c[int(r > 0.5)] += self.after_clearing()", tmp_path, kept).leaks


@pytest.mark.parametrize("index", ["r > 0.5 or 0", "(r > 0.5) and 1", "True if r > 0.5 else 0"])
def test_an_index_that_may_be_a_bool_is_refused(index, tmp_path):
    """numpy adds to all entries at True, and to none at False, which moves an array of K entries by K."""
    assert counted(f"self.c[{index}] += 1.0", tmp_path).leaks


def test_a_float_of_a_bool_is_no_index(tmp_path):
    assert counted("self.c[float(r > 0.5)] += 1.0", tmp_path, "list").leaks


def test_what_is_public_or_no_array_is_left_to_python():
    _, action, reward = actions()
    assert not has_private_index(np.zeros(3), action)
    assert not has_private_index({}, action)
    assert not has_private_index(privcheck.zeros(3), 1)
    assert not has_private_index(privcheck.zeros(3), 0.0 * reward)
    assert has_private_index(privcheck.zeros(3), action)


POLICY = """\
import numpy as np


class Policy:
    def __init__(self, rng, arms, epsilon):
        self.rng, self.epsilon, self.t = rng, epsilon, 0
        self.sums, self.theta = {made}, np.zeros(arms)

    def select(self, context):
        return int(np.argmax(context.sum(axis=1) + self.theta))

    def update(self, context, action, reward):
        {line}
        self.t += 1
        if self.t % 4 == 0:
            self.theta = np.stack(list(self.sums)) + self.rng.laplace(0, {scale} / self.epsilon, arms := len(self.sums))
            self.sums = {again}
"""
JOINT = {"feedback": "contextual", "neighbours": "context-reward", "contexts": privcheck.Contexts((2, 2), norm=1.0)}


def certified(folder, line="self.sums[action] += reward", made="np.zeros(arms)", scale=2.0, again="np.zeros(arms)"):
    text = POLICY.format(line=line, made=made, scale=scale, again=again)
    return privcheck.certify(loaded(text, folder), epsilon=1.0, arms=2, horizon=8, runs=1, **JOINT)


@pytest.mark.parametrize("made", ["np.zeros(arms)", "[0.0] * arms"])
def test_a_contextual_policy_is_certified_and_with_half_the_noise_refused(made, tmp_path):
    found = certified(tmp_path, made=made, again=made)
    assert found.granted, str(found)
    assert found.ledger_epsilon == pytest.approx(1.0)
    assert certified(tmp_path, made=made, again=made, scale=1.0).refusals


TWINS = {
    "released again": {"again": "self.sums"},
    "arms counted from 1": {"line": "self.sums[action - 1] += reward"},
    "assigned": {"line": "self.sums[action] = reward"},
    "multiplied": {"line": "self.sums[action] *= 1.0 + reward"},
    "whole numbers": {"made": "np.zeros(arms, int)", "again": "np.zeros(arms, int)"},
    "read": {"line": "self.sums[action] += float(f'{action}')"},
}


@pytest.mark.parametrize("name", TWINS)
def test_its_twins_are_refused(name, tmp_path):
    assert not certified(tmp_path, **TWINS[name]).granted


def test_a_wrong_translation_is_found_by_plain_replays(tmp_path, monkeypatch):
    """Replays run the code as it is written: an index that is moved by one plays other arms."""
    right = private_indices._indicators
    monkeypatch.setattr(private_indices, "_indicators", lambda key, owner: np.roll(right(key, owner), 1))
    text = POLICY.format(line="self.sums[action] += reward", made="np.zeros(arms)", scale=0.02, again="np.zeros(arms)")
    found = privcheck.certify(loaded(text, tmp_path), epsilon=100.0, arms=2, horizon=12, runs=2, **JOINT)
    assert found.replay.divergences > 0
    assert not found.granted
