"""A policy is told its own rounds and nothing else, and each reward is charged to the round that it comes from."""

from __future__ import annotations

import numpy as np
import pytest

import privcheck
from privcheck import BudgetExceededError, PrivcheckError
from privcheck.certifying import Session, drive, drive_guarded
from privcheck.feedback import FEEDBACKS, Feedback, kind
from privcheck.feedback._base import one_reward
from privcheck.mechanisms import Laplace
from privcheck.mechanisms.tape import Tape
from privcheck.privacy import relation


class InPairs(Feedback):
    """The policy chooses one arm for two rounds, and is told the sum of both rewards after the second."""

    id = "in-pairs"
    call = "select() and update(action, rewards), once in two rounds"

    def play(self, policy, rounds, arms, played):
        for first, second in zip(rounds, rounds, strict=True):
            action = policy.select()
            played += [action, action]
            policy.update(action, (first[action], second[action]))

    def wrapped(self, session, told, arms):
        action, (first, second) = told
        total = session.reward(one_reward(first), action)
        session.next_round()
        return action, total + session.reward(one_reward(second), action)


class OfOneRound(InPairs):
    """Broken twin: both rewards are said to come from one round."""

    id = "of-one-round"

    def wrapped(self, session, told, arms):
        action, rewards = told
        return action, sum(session.reward(one_reward(reward), action) for reward in rewards)


for _kind in (InPairs, OfOneRound):  # from here on registered in the tests of this file only
    del FEEDBACKS._entries[_kind.id]


@pytest.fixture
def _in_pairs(monkeypatch):
    for one in (InPairs, OfOneRound):
        monkeypatch.setitem(FEEDBACKS._entries, one.id, one)


class Sums:
    """Releases what it is told, with noise for a change of 1."""

    def __init__(self, rng, leaks=False):
        self.rng, self.leaks, self.total = rng, leaks, 0.0

    def select(self):
        return int(self.leaks and self.total > 1.0)

    def update(self, action, total):
        self.total = total
        Laplace(sensitivity=1.0, epsilon=1.0).release(total, self.rng)


@pytest.mark.usefixtures("_in_pairs")
@pytest.mark.parametrize(("neighbours", "data"), [("row", [1, 2, 3, 4]), ("reward", [(1, 0), (2, 0), (3, 0), (4, 0)])])
def test_rewards_of_two_rounds_are_two_data(neighbours, data):
    service = privcheck.guard(Sums(None), epsilon=1.0, feedback="in-pairs", neighbours=neighbours)
    for _ in range(2):
        service.update(service.select(), (0.5, 1.0))
    assert dict(service.ledger.totals) == dict.fromkeys(data, 1.0)
    assert [release.round for release in service.ledger.releases] == [2, 4]


@pytest.mark.usefixtures("_in_pairs")
def test_two_rewards_of_one_round_cost_twice():
    service = privcheck.guard(Sums(None), epsilon=1.0, feedback="of-one-round")
    with pytest.raises((BudgetExceededError, PrivcheckError), match=r"2\.0 computed|to 2"):
        service.update(service.select(), (0.5, 1.0))


@pytest.mark.usefixtures("_in_pairs")
def test_rewards_that_are_refused_take_no_round():
    service = privcheck.guard(Sums(None), epsilon=1.0, feedback="in-pairs")
    for refused in ((7.0, 0.5), (0.5, 7.0)):
        with pytest.raises(PrivcheckError, match=f"reward in round {1 + refused.index(7.0)}: "):
            service.update(0, refused)
    service.update(service.select(), (0.5, 0.5))
    assert sorted(service.ledger.totals) == [1, 2]


@pytest.mark.usefixtures("_in_pairs")
def test_every_arm_has_its_turn_after_a_leak():
    session = Session(relation("row"), (0.0, 1.0), 1.0, np.random.default_rng(0))
    run = drive_guarded(Sums(None, leaks=True), np.full((8, 2), 0.5), session, "in-pairs")
    assert run.actions == [0, 0, 1, 1, 0, 0, 1, 1]
    assert [leak.data for leak in session.leaks] == [(1, 2), (3, 4), (5, 6)]


class Collects:
    stopped, batch, delay = False, 2, 1

    def __init__(self, arm):
        self.arm, self.told = arm, []

    def select(self, *context):
        self.told += context
        return self.arm

    def update(self, *told):
        self.told += told

    def act(self, n):
        return [self.arm] * n

    learn = update


@pytest.mark.parametrize("name", list(FEEDBACKS))
def test_a_policy_cannot_reach_other_rounds_through_an_array(name):
    """A view has `base`: with a view of the table, `select(context)` would hold all rewards, none of them wrapped."""
    played_as = kind(name)
    contexts = privcheck.Contexts(shape=(2,)) if played_as.contextual else None
    policy = Collects((0, 1) if name == "semi-bandit" else 0)
    table = np.full((3, 4 if contexts else 2), 0.5)
    played_as.play(policy, iter(played_as.rounds(table, 2, contexts)), 2, [])
    arrays = [told for told in policy.told if isinstance(told, np.ndarray)]
    assert all(array.base is None for array in arrays)
    assert not any(np.shares_memory(array, table) for array in arrays)
    contexts_told = arrays if contexts else []
    assert not any(array.flags.writeable for array in contexts_told)


def test_a_replay_calls_the_update_that_a_policy_has_now():
    class ChangesItsUpdate:
        def __init__(self):
            self.called = []

        def select(self, context):
            return 0

        def update(self, context, action, reward):
            self.called.append("first")
            self.update = self.later

        def later(self, context, action, reward):
            self.called.append("later")

    policy, contexts = ChangesItsUpdate(), privcheck.Contexts(shape=(2,))
    drive(policy, np.full((3, 4), 0.5), Tape(np.random.default_rng(0)), "contextual", contexts)
    assert policy.called == ["first", "later", "later"]
