"""A guard takes a reward only for an open choice; what is refused charges nothing, and the policy is not told."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest

import privcheck
from privcheck import Contexts, PrivcheckError
from privcheck.certifying._recorded.open_choices import OpenChoices
from privcheck.feedback import kind
from privcheck.mechanisms import Laplace
from tests.modules import beside

policies = beside(__file__, "ledger_policies")
guard, close, rows = policies.guard, policies.close, policies.rows

REFUSED = r"expected an action that select\(\) has chosen and whose reward was not told yet; call select\(\) before"


class Turns:
    """Plays the arms in turn, and releases each reward."""

    batch, delay, stopped = 2, 0, False

    def __init__(self, rng, arms=3, epsilon=1.0):
        self.rng, self.arms, self.noise, self.count, self.told = (
            rng,
            arms,
            Laplace(sensitivity=1.0, epsilon=epsilon),
            0,
            [],
        )

    def select(self, context=None):
        self.count += 1
        return (self.count - 1) % self.arms

    def act(self, n):
        return [self.select() for _ in range(n)]

    def recommend(self):
        return 0

    def update(self, *told):
        self.told.append(told[0])
        self.noise.release(np.sum(told[-1]) / np.size(told[-1]), self.rng)

    learn = update


def open_guard(folder, policy=Turns, **options):
    """Return a guard in memory, or in a folder."""
    given = {"epsilon": 1.0, "arms": 3} | options
    return privcheck.guard(policy, **given) if folder is None else guard(folder, policy, **given)


@pytest.fixture(params=["memory", "ledger"])
def folder(request, tmp_path):
    return None if request.param == "memory" else tmp_path


def state(guarded):
    return guarded.spent, guarded._session.round, len(guarded._policy.told), len(guarded.ledger.releases)


def refused(guarded, call, message=REFUSED):
    """Check that a call is refused, and changes nothing."""
    before = state(guarded)
    with pytest.raises(PrivcheckError, match=message):
        call()
    assert state(guarded) == before


@pytest.mark.parametrize("feedback", ["bandit", "identification", "full"])
def test_each_choice_takes_one_reward_of_its_arm(folder, feedback):
    guarded = open_guard(folder, feedback=feedback)
    reward = [0.5] * 3 if feedback == "full" else 0.5
    refused(guarded, lambda: guarded.update(0, reward), r"action: got 0, " + REFUSED)
    assert [guarded.select() for _ in range(4)] == [0, 1, 2, 0]
    for action in (np.int64(0), 2, 0):
        guarded.update(action, reward)
    refused(guarded, lambda: guarded.update(0, reward))
    refused(guarded, lambda: guarded.update(np.int64(2), reward), "action: got 2, ")
    guarded.update(1, reward)
    assert state(guarded) == (1.0, 5, 4, 4)
    refused(guarded, lambda: guarded.update(1, reward))


def test_wrong_arguments_are_named_first_and_leave_the_choice_open(folder):
    guarded = open_guard(folder)
    for told, message in (((7, 0.5), "action: got 7, expected an integer in"), ((0, 3.0), "reward in round 1: ")):
        refused(guarded, lambda told=told: guarded.update(*told), message)
    assert guarded.select() == 0
    refused(guarded, lambda: guarded.update(0, 3.0), "reward in round 1: ")
    guarded.update(0, 0.5)


def test_act_opens_its_arms(folder):
    guarded = open_guard(folder, feedback="batch")
    message = r"actions: got \[.*\], expected actions that act\(\) has chosen and whose reward was not told yet"
    refused(guarded, lambda: guarded.learn([0], [0.5]), message)
    assert guarded.act(4) == [0, 1, 2, 0]
    refused(guarded, lambda: guarded.learn([1, 1], [0.5, 0.5]), message)
    guarded.learn(np.array([0, 2]), [0.5, 0.5])
    guarded.learn([1, 0], [0.5, 0.5])
    refused(guarded, lambda: guarded.learn([0], [0.5]), message)


def test_a_delayed_reward_names_its_round(folder):
    guarded = open_guard(folder, feedback="delayed")
    refused(guarded, lambda: guarded.update(1, 0.5), "round: got 1, expected a round that was played")
    guarded.select()
    guarded.update(1, 0.5)
    refused(guarded, lambda: guarded.update(1, 0.5), "round: got 1")


class ByContext(Turns):
    def select(self, context):
        return int(context[0] < 0.5)

    def update(self, context, action, reward):
        self.told.append(reward)
        self.noise.release(reward, self.rng)


@pytest.mark.parametrize("first", [0.0, 1.0])
def test_a_refusal_does_not_show_the_arms_of_other_contexts(first):
    """Neighbouring streams differ in the first context: the broken twin counts by arm, and answers differently."""
    answers = []
    for opens in (None, lambda action: (action,)):
        with pytest.MonkeyPatch.context() as patch:
            if opens is not None:
                patch.setattr(OpenChoices, "open", lambda own, action: own._counts.update([action]))
                patch.setattr(OpenChoices, "has", lambda own, told: own._counts[told[1]] > 0)
                patch.setattr(OpenChoices, "close", lambda own, told: None)
            contexts = Contexts(shape=(2,), norm=1.0)
            guarded = open_guard(None, ByContext, feedback="contextual", neighbours="context-reward", contexts=contexts)
            guarded.select([first, 0.0])
            try:
                guarded.update([0.0, 0.0], 1, 0.5)
                answers.append("taken")
            except PrivcheckError:
                answers.append("refused")
            if opens is None:
                message = r"update\(\): got a reward for which no select\(\) is open"
                refused(guarded, lambda own=guarded: own.update([0.0, 0.0], 1, 0.5), message)
    assert answers == ["taken", "taken" if first < 0.5 else "refused"]


class Choosy(ByContext):
    """Cannot choose in some contexts."""

    def select(self, context):
        return [0][int(context[0] >= 0.5)]


@pytest.mark.parametrize("first", [0.0, 1.0])
def test_a_round_counts_whether_or_not_its_context_raises_an_error(folder, first):
    """Neighbouring streams differ in the first context. Were the reward of that round refused in one of them alone, all
    later rounds would show it: the releases that come after a number of rewards come later.
    """
    options = {"feedback": "contextual", "contexts": Contexts(shape=(2,), norm=1.0)}
    guarded = open_guard(folder, Choosy, **options)
    for number, context in enumerate(([first, 0.0], [0.0, 0.0]), 1):
        try:
            action = guarded.select(context, request_id=f"e{number}")
        except PrivcheckError:
            assert context[0] == 1.0
            action = 1
        guarded.update(context, action, 0.5, request_id=f"e{number}")
        assert (guarded._session.round, guarded.spent) == (number + 1, 1.0)
    refused(guarded, lambda: guarded.update([0.0, 0.0], 0, 0.5), r"update\(\): got a reward for which no select\(\)")


@pytest.mark.parametrize("first", [0.0, 1.0])
def test_so_does_a_round_of_a_scope_that_is_continued(tmp_path, first):
    options = {"feedback": "contextual", "contexts": Contexts(shape=(2,), norm=1.0)}
    old = open_guard(tmp_path, Choosy, **options)
    with pytest.raises(PrivcheckError) if first else nullcontext():
        old.select([first, 0.0], request_id="e1")
    close(old)
    new = open_guard(tmp_path, Choosy, scope="better", continues="news", **options)
    new.update([first, 0.0], 0, 0.5, request_id="e1")
    assert new._session.round == 2


def test_update_many_takes_all_or_none(folder):
    guarded = open_guard(folder)
    assert [guarded.select() for _ in range(4)] == [0, 1, 2, 0]
    events = [{"action": action, "reward": 0.5} for action in (0, 2, 0)]
    refused(guarded, lambda: guarded.update_many([*events, events[0]]), r"event 4: action: got 0, .*none of the 4")
    assert guarded.update_many(events) == [None] * 3
    refused(guarded, lambda: guarded.update_many(events[:1]))
    refused(guarded, lambda: guarded.update_many(events[:2]))
    assert guarded.update_many([{"action": 1, "reward": 0.5}]) == [None]


def test_an_id_that_is_asked_again_opens_and_closes_once(folder):
    guarded = open_guard(folder)
    for _ in range(2):
        assert guarded.select(request_id="e1") == 0
    for _ in range(2):
        guarded.update(0, 0.5, request_id="e1")
    refused(guarded, lambda: guarded.update(0, 0.5, request_id="e2"))
    assert guarded._session.round == 2


@pytest.mark.parametrize("taker", [{}, {"request_id": "other"}], ids=["no id", "an id without a select"])
@pytest.mark.parametrize("contextual", [False, True])
def test_an_update_whose_choice_another_has_taken_says_so(folder, taker, contextual):
    """An update without the id of a select takes any open choice, also one that was made under an id."""
    shown, options = (), {}
    if contextual:
        shown, options = ([0.0, 0.0],), {"feedback": "contextual", "contexts": Contexts(shape=(2,), norm=1.0)}
    guarded = open_guard(folder, ByContext if contextual else Turns, **options)
    action = guarded.select(*shown, request_id="e1")
    guarded.update(*shown, action, 0.5, **taker)
    message = (
        r"got a choice, that of 'e1', whose reward was told by update\(\) under another id or none, .*give it that id"
    )
    for _ in range(2):
        refused(guarded, lambda: guarded.update(*shown, action, 0.5, request_id="e1"), message)
    refused(guarded, lambda: guarded.update(*shown, action, 3.0, request_id="e1"), "reward in round 2: ")
    events = [{"action": action, "reward": 0.5, "request_id": name} for name in ("e2", "e1")]
    events = [{"context": shown[0], **event} for event in events] if contextual else events
    assert guarded.select(*shown, request_id="e2") is not None
    if not contextual:
        events[0]["action"] = 1
    again = ".*no select.* is open" if contextual else ".*that of 'e1'"  # that of e2 is, when all are looked at first
    refused(guarded, lambda: guarded.update_many(events), "^event 2: " + again + ".*none of the 2 events was")
    for _ in range(2):
        guarded.select(*shown)
    guarded.update(*shown, np.array(action), 0.5, request_id="e1")


def test_the_context_of_an_update_stands_as_it_is_told(folder):
    """It is not compared with that of its select: whether a round counts must not depend on contexts."""
    guarded = open_guard(folder, ByContext, feedback="contextual", contexts=Contexts(shape=(2,), norm=1.0))
    action = guarded.select([0.0, 0.0], request_id="e1")
    guarded.update([1.0, 0.0], action, 0.5, request_id="e1")
    assert guarded._session.round == 2


def test_a_restart_and_another_worker_find_the_same_choices_open(tmp_path):
    guarded, other = (open_guard(tmp_path, policies.Blocks, arms=2) for _ in range(2))
    chosen = [guarded.select() for _ in range(9)]
    for arm in chosen[:4]:
        other.update(arm, 1.0)
    for arm in chosen[4:6]:
        guarded.update(arm, 1.0)
    left = {arm: chosen[6:].count(arm) for arm in (0, 1)}
    close(guarded)
    for found in (other, open_guard(tmp_path, policies.Blocks, arms=2)):
        found._engine.current()
        assert found._engine.played.open._counts == {arm: count for arm, count in left.items() if count}
    found.update(chosen[6], 1.0)
    with pytest.raises(PrivcheckError, match=REFUSED):
        [found.update(chosen[6], 1.0) for _ in range(3)]


def test_what_was_let_in_before_this_rule_stands(tmp_path, monkeypatch):
    """A ledger may hold rewards of arms that were never selected; it opens, and only new ones are refused."""
    with monkeypatch.context() as patch:
        patch.setattr(OpenChoices, "has", lambda own, told: True)
        guarded = open_guard(tmp_path)
        for arm in (2, 0):
            guarded.update(arm, 0.5)
        assert guarded.select() == 0
        close(guarded)
    guarded = open_guard(tmp_path)
    assert (guarded._session.round, guarded._policy.told) == (3, [2, 0])
    guarded.update(0, 0.5)
    refused(guarded, lambda: guarded.update(0, 0.5))


def test_a_choice_of_a_scope_that_is_continued_is_taken_under_its_id(tmp_path):
    old = open_guard(tmp_path)
    assert [old.select(request_id=name) for name in ("e1", "e2")] == [0, 1]
    new = open_guard(tmp_path, scope="newer", continues="news")
    refused(new, lambda: new.update(0, 0.5))
    refused(new, lambda: new.update(0, 0.5, request_id="e3"))
    assert new.select() == 0
    new.update(0, 0.5, request_id="e1")
    close(new)
    new = open_guard(tmp_path, scope="newer", continues="news")
    new.update(0, 0.5)  # of its own choice, which the other has not closed
    refused(new, lambda: new.update(0, 0.5))
    assert new.update_many([{"action": 1, "reward": 0.5, "request_id": "e2"}]) == [None]
    assert rows(tmp_path, "SELECT count(*) FROM entry WHERE kind = 'update'") == [(3,)]


def test_memory_does_not_grow_with_the_choices():
    known = OpenChoices(kind("bandit"))
    for number in range(2000):
        known.open(number % 3)
        if number >= 10:
            known.close(((number - 10) % 3, 0.5))
    assert sum(known._counts.values()) == 10
    assert len(known._counts) == 3
    for number in range(1990, 2000):
        known.close((number % 3, 0.5))
    assert not known._counts
