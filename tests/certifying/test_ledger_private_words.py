"""Words of errors that could show what one person gave: to another person, or in a ledger for ever."""

from __future__ import annotations

import sys
import traceback

import numpy as np
import pytest

import privcheck
from privcheck.certifying import ledger_problems
from privcheck.certifying._recorded.events import Answer
from privcheck.certifying._recorded.persons import Persons
from privcheck.certifying._recorded.replay_checks import agree
from privcheck.errors import GuardClosedError, PolicyError, PrivcheckError
from tests.modules import beside

policies = beside(__file__, "ledger_policies")
close, guard = policies.close, policies.guard

OPTIONS = {"feedback": "contextual", "neighbours": "context-reward", "contexts": privcheck.Contexts(shape=(2,))}
SEEN = {}


@pytest.fixture(autouse=True)
def quick(monkeypatch, unsynced_ledgers):
    monkeypatch.setitem(sys.modules, policies.__name__, policies)
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])


class Contextual:
    """Plays arm 0, and learns nothing."""

    def __init__(self, rng, arms):
        self.arms, self.rounds = arms, 0

    def select(self, context):
        return 0

    def update(self, context, action, reward):
        self.rounds += 1


class PlaysTheContext(Contextual):
    def select(self, context):
        return int(float(context[0]) * 1e9)


class PlaysAnArray(Contextual):
    def select(self, context):
        return np.array(int(float(context[0]) * 1e9))


class NamesAClass(Contextual):
    def select(self, context):
        return type(f"Arm{int(float(context[0]) * 1e9)}", (), {})()


class RaisesAClass(Contextual):
    def select(self, context):
        raise type(f"Error{int(float(context[0]) * 1e9)}", (ValueError,), {})


@pytest.mark.parametrize("policy", [PlaysTheContext, PlaysAnArray, NamesAClass, RaisesAClass])
def test_an_action_or_a_class_that_is_named_for_a_context_is_in_no_file(tmp_path, policy):
    guarded = guard(tmp_path, policy, **OPTIONS)
    context = np.array([0.734519283, 0.1])
    for _ in range(2):
        with pytest.raises((PolicyError, ValueError, GuardClosedError)) as caught:
            guarded.select(context, request_id="e1")
    assert "734519283" not in str(caught.value)
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert b"e1" in written
    guarded.forget()
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert b"734519283" not in written
    close(guarded)
    assert guard(tmp_path, policy, **OPTIONS).spent == 0.0
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


def test_an_error_that_an_earlier_version_named_for_its_class_agrees():
    made = type("MyError", (ValueError,), {})
    found = Answer(error=made("no"), of_context=True)
    assert found.said["error"]["type"] == "ValueError"
    assert agree(found, {"error": {"type": "MyError", "text": "MyError", "parts": None}})
    assert not agree(found, {"error": {"type": "KeyError", "text": "KeyError", "parts": None}})


class PlaysByTheContext(Contextual):
    def select(self, context):
        return int(context[0] > 0.5)


def test_the_action_of_another_round_is_not_shown_to_whoever_knows_its_id(tmp_path):
    """Ids are public; under contextual feedback the action is as private as the context that it was chosen for."""
    guarded, context = guard(tmp_path, PlaysByTheContext, **OPTIONS), np.array([0.9, 0.0])
    assert guarded.select(context, request_id="e1") == 1
    told = {"context": context, "action": 0, "reward": 0.5, "request_id": "e1"}
    for call in (lambda: guarded.update(context, 0, 0.5, request_id="e1"), lambda: guarded.update_many([told])):
        with pytest.raises(PrivcheckError, match="action: got another one under the id 'e1' than was chosen") as caught:
            call()
        assert "1 was chosen" not in str(caught.value)
    guarded.update(context, 1, 0.5, request_id="e1")


class KeepsItInAGlobal(Contextual):
    """Returns an arm whose number is asked for after `select`, and then writes the context into a global."""

    def select(self, context):
        class Arm:
            def __index__(self):
                SEEN["first"] = float(context[0])
                return 0

        return 1 if SEEN.get("first", 0.0) > 0.5 else Arm()


@pytest.mark.parametrize("kept", [True, False])
def test_code_of_an_action_runs_where_its_state_is_put_back(tmp_path, kept):
    """Otherwise the context of one person would choose the arms of all others, at no charge."""
    SEEN.clear()
    if kept:
        guarded = guard(tmp_path, KeepsItInAGlobal, **OPTIONS)
    else:
        guarded = privcheck.guard(KeepsItInAGlobal, epsilon=0.5, arms=2, **OPTIONS)
    for first in (0.7, 0.1):
        context = np.array([first, 0.0])
        assert guarded.select(context) == 0
        assert SEEN == {}
        guarded.update(context, 0, 0.5)


def _syntax_error(reward):
    made = SyntaxError("no such line")
    made.text = made.lineno = made.offset = reward
    return made


HOLDING = {
    "as the value": lambda reward: PrivcheckError("reward", reward, "another one"),
    "as the name": lambda reward: PrivcheckError(reward, 1, "another one"),
    "as the hint": lambda reward: PrivcheckError("reward", 1, "another one", reward),
    "of Python": ValueError,
    "with a line": _syntax_error,
}


class Holding(policies.Blocks):
    """Draws noise, and raises an error that holds its reward, which cannot be written."""

    def update(self, action, reward):
        float(reward + self.rng.laplace(0.0, 10.0))
        raise self.made(reward)


@pytest.mark.parametrize("name", HOLDING)
def test_an_error_that_holds_a_private_value_is_recorded_by_its_class(tmp_path, monkeypatch, name):
    """Otherwise the event had no answer: whoever opened the scope was stopped by it, for ever."""
    monkeypatch.setattr(Holding, "made", staticmethod(HOLDING[name]), raising=False)
    guarded = guard(tmp_path, Holding)
    arm = guarded.select(request_id="e1")
    with pytest.raises(type(HOLDING[name](0.0))):
        guarded.update(arm, 0.734519283, request_id="e1")
    for _ in range(2):
        with pytest.raises(GuardClosedError) as caught:
            guarded.update(arm, 0.734519283, request_id="e1")
        assert "an event that was answered by" in str(caught.value)
        with pytest.raises(GuardClosedError, match="a guard that was closed by"):
            guarded.select()
        close(guarded)
        guarded = guard(tmp_path, Holding)
    assert guarded.spent == pytest.approx(0.1)
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


class Shown(policies.Blocks):
    """Shows its reward, which a guard does not allow."""

    def update(self, action, reward):
        str(reward)


@pytest.mark.parametrize("kept", [True, False])
def test_the_error_of_a_closed_guard_has_no_frames_of_whom_it_was_told_first(tmp_path, kept):
    """A service that logs the local variables of a traceback would log the reward of another person."""
    options = {"epsilon": 0.5, "arms": 2, "per_user": 0.5}
    guarded = guard(tmp_path, Shown, per_user=0.5) if kept else privcheck.guard(Shown, **options)

    def first(reward, user):
        with pytest.raises(privcheck.LeakError):
            guarded.update(guarded.select(), reward, user=user)

    first(0.734519283, "Quornella")
    try:
        guarded.update(0, 0.5, user="u2")
    except GuardClosedError as error:
        found = traceback.TracebackException.from_exception(error, capture_locals=True)
    text = "".join(found.format())
    assert "str(reward)" in text, "the line of the policy is shown"
    assert "Quornella" not in text
    assert "734519283" not in text


def test_a_name_that_an_earlier_version_wrote_is_not_shown_to_another_person(tmp_path, monkeypatch):
    """It wrote the name into the refusal, and not the code of the person; the words of a name are no key to it."""
    names = ("u1", "u1, who has no budget left: not at all", 7)
    guarded, arms = guard(tmp_path, per_user=0.5), {}
    with monkeypatch.context() as patch:
        of = Persons.refusal
        for user in names:

            def named(self, before, scope, window, user=user):
                refused = of(self, before, scope, window)
                if refused is not None:
                    got = privcheck.errors.words(str(refused.value).replace("a person", str(user), 1))
                    refused = privcheck.BudgetExceededError("user", got, refused.expected, refused.hint)
                return refused

            patch.setattr(Persons, "refusal", named)
            patch.setattr(Answer, "said", property(_without_person))
            guarded.update(guarded.select(), 0.5, user=user)
            arms[user] = guarded.select()
            with pytest.raises(privcheck.BudgetExceededError):
                guarded.update(arms[user], 0.5, user=user, request_id=f"e {user}")
    assert b"u1, who has" in b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    for opened in (False, True):
        if opened:
            close(guarded)
            guarded = guard(tmp_path, per_user=0.5)
        for user in names:
            with pytest.raises(privcheck.BudgetExceededError, match=f"got {user}, who has no budget left: 0.5 each"):
                guarded.update(arms[user], 0.5, user=user, request_id=f"e {user}")
            with pytest.raises(PrivcheckError, match="which was recorded with other arguments") as caught:
                guarded.update(arms[user], 0.5, user="u", request_id=f"e {user}")
            assert "who has" not in str(caught.value).replace(f"e {user}", "")


SAID = Answer.said.fget


def _without_person(answer):
    return {name: part for name, part in SAID(answer).items() if name != "person"}
