"""A guard goes on only with a policy that is whole: what fails in the middle of an update closes it."""

from __future__ import annotations

import copy
import signal
import threading

import numpy as np
import pytest

from privcheck import (
    BudgetExceededError,
    Contexts,
    GuardClosedError,
    LeakError,
    PrivcheckError,
    ReleaseRefusedError,
    guard,
)
from privcheck.bandits import ALGORITHMS
from privcheck.bandits.adap_ucb import AdaPUCB
from privcheck.errors import PolicyError
from privcheck.journal import MemoryJournal
from privcheck.mechanisms import Laplace, laplace


class Counts:
    """Counts its updates before it releases, and plays arm 0 or 1 by the count."""

    def __init__(self, epsilon=0.5):
        self.mechanism, self.count, self.total, self.fails = Laplace(sensitivity=1.0, epsilon=epsilon), 0, 0.0, None
        self.rng = np.random.default_rng(3)

    def select(self):
        if self.fails == "select":
            raise ValueError("no arm")
        return self.count % 2

    def update(self, action, reward):
        self.count += 1
        self.rng.random()
        self.total += reward
        if isinstance(self.fails, type):
            raise self.fails("no such arm")
        self.mechanism.release(self.total, None)


class CannotBeCopied(Counts):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()


def overspent(policy):
    """Return a guard whose third update was refused: the first reward has been released twice."""
    guarded = guard(policy, epsilon=1.0)
    for _ in range(2):
        guarded.update(guarded.select(), 0.5)
    with pytest.raises(BudgetExceededError) as caught:
        guarded.update(guarded.select(), 0.5)
    return guarded, caught.value


def test_after_a_refusal_the_policy_is_as_it_was():
    guarded, refused = overspent(Counts())
    assert [guarded.select() for _ in range(3)] == [0, 0, 0], "and not 1, after three updates"
    assert (guarded._policy.count, guarded._policy.total.data) == (2, {1, 2})
    for _ in range(2):
        with pytest.raises(
            GuardClosedError, match=r"update\(\): .* closed by .*BudgetExceededError: .*to 1.5"
        ) as caught:
            guarded.update(guarded.select(), 0.5)
        assert caught.value.__cause__ is refused
        assert "\n" not in str(caught.value)
    assert (guarded.spent, guarded.left, len(guarded.ledger.releases)) == (1.0, 0.0, 2)
    assert repr(guarded) == "GuardedPolicy(Counts, spent 1, left 0, closed)"
    assert guarded.select() == 0


def test_the_coins_of_a_policy_that_was_put_back_are_new():
    """The refused update drew one; a policy that draws it again would repeat what others may draw from that rng."""
    policy = Counts()
    guarded, _ = overspent(policy)
    assert guarded._policy is not policy
    assert guarded._policy.rng is policy.rng


@pytest.mark.parametrize("policy", [CannotBeCopied, type("IsItsCopy", (Counts,), {"__deepcopy__": lambda s, _: s})])
def test_a_policy_that_cannot_be_put_back_does_not_go_on(policy):
    guarded, _ = overspent(policy())
    for call in (guarded.select, lambda: guarded.update(guarded.select(), 0.5)):
        with pytest.raises(GuardClosedError, match="BudgetExceededError"):
            call()


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit, Unprintable])
def test_any_other_exception_in_an_update_closes_the_guard(failure):
    guarded = guard(Counts(), epsilon=1.0)
    guarded._policy.fails = failure
    with pytest.raises(failure) as first:
        guarded.update(guarded.select(), 0.5)
    guarded._policy.fails = None
    for call in (guarded.select, lambda: guarded.update(guarded.select(), 0.5)):
        with pytest.raises(
            GuardClosedError, match=f"closed by .*{failure.__name__}: .*, expected an open guard"
        ) as caught:
            call()
        assert caught.value.__cause__ is first.value
    assert guarded.spent == 0.0


def test_ctrl_c_between_the_policy_and_the_record_closes_the_guard(monkeypatch):
    """Asked again, the policy was told the reward a second time, and the person had given one less than she had."""
    guarded = guard(AdaPUCB(arms=2, epsilon=0.25).build, epsilon=0.25, per_user=0.25)
    assert [guarded.select() for _ in range(3)] == [0, 0, 0]
    told, real = guarded._session.round, MemoryJournal.append

    def append(journal, *given):
        signal.raise_signal(signal.SIGINT)
        return real(journal, *given)

    monkeypatch.setattr(MemoryJournal, "append", append)
    with pytest.raises(KeyboardInterrupt):
        guarded.update(0, 0.5, request_id="e1", user="u1")
    monkeypatch.undo()
    for name, user in (("e1", "u1"), ("e2", "u1")):
        with pytest.raises(GuardClosedError, match="closed by KeyboardInterrupt"):
            guarded.update(0, 0.5, request_id=name, user=user)
    assert guarded._session.round == told + 1


@pytest.mark.parametrize(
    ("update", "error"),
    [
        (lambda reward: bool(reward > 0.5), LeakError),
        (lambda reward: Laplace(sensitivity=0.5, epsilon=1.0).release(reward, None), ReleaseRefusedError),
    ],
)
def test_a_leak_and_a_refusal_for_another_reason_close_the_guard(update, error):
    guarded = guard(Counts(), epsilon=1.0)
    guarded._policy.update = lambda action, reward: update(reward)
    with pytest.raises(error):
        guarded.update(guarded.select(), 0.5)
    with pytest.raises(GuardClosedError, match=error.__name__):
        guarded.select()


def test_an_exception_in_select_closes_the_guard_too():
    guarded = guard(Counts(), epsilon=1.0)
    guarded._policy.fails = "select"
    with pytest.raises(ValueError, match="no arm"):
        guarded.select()
    guarded._policy.fails = None
    for call in (guarded.select, lambda: guarded.update(guarded.select(), 0.5)):
        with pytest.raises(GuardClosedError, match=r"ValueError: no arm"):
            call()


def test_an_exception_in_a_throw_away_copy_closes_nothing():
    class Stumbles:
        def select(self, context):
            if context[0] > 0.5:
                raise ValueError("too long")
            return 0

        def update(self, context, action, reward):
            pass

    joint = {"feedback": "contextual", "neighbours": "context-reward", "contexts": Contexts(shape=(2,)), "arms": 2}
    guarded = guard(Stumbles(), epsilon=1.0, **joint)
    with pytest.raises(PolicyError, match=r"round 1: got ValueError: too long \(test_closed_guard.py, line"):
        guarded.select([0.9, 0.0])
    assert guarded.select([0.1, 0.0]) == 0
    guarded.update([0.1, 0.0], 0, 0.5)


@pytest.mark.parametrize("told", [(0, 7.0), (0, None), (0,), (0, 0.5, 0.5), ()])
def test_a_call_that_is_refused_at_the_door_closes_nothing(told):
    guarded = guard(Counts(), epsilon=1.0)
    with pytest.raises(PrivcheckError):
        guarded.update(*told)
    guarded.update(guarded.select(), 0.5)
    assert (guarded._policy.count, guarded._session.round) == (1, 2)


def test_a_policy_that_handles_the_refusal_itself_goes_on():
    class Handles(Counts):
        def update(self, action, reward):
            try:
                super().update(action, reward)
            except BudgetExceededError:
                self.total = 0.0

    guarded = guard(Handles(), epsilon=1.0)
    for _ in range(12):
        guarded.update(guarded.select(), 0.5)
    assert guarded._policy.count == 12
    assert len(guarded._session.refusals) == 4
    assert guarded.spent == 1.0


@pytest.mark.parametrize(
    "name", [name for name in ALGORITHMS if ALGORITHMS[name].private and ALGORITHMS[name].feedback != "contextual"]
)
def test_shipped_policies_are_put_back_whole(name):
    """Before, AdaP-UCB was left with a negative counter after a failed release: one arm for ever, silently."""
    algorithm = ALGORITHMS[name]
    values = {"arms": 2, "epsilon": 5.0, "rho": 5.0, "horizon": 60, "first": 0.5}
    spec = algorithm(**{key: value for key, value in values.items() if algorithm.declares(key)})
    guarded = guard(spec.build(np.random.default_rng(0)), feedback=algorithm.feedback, **{spec.budget_name(): 0.01})
    told = {"full": [0.5, 0.5], "semi-bandit": [0.5]}.get(algorithm.feedback, 0.5)
    for _ in range(spec.warm_up() + 1):
        action = guarded.select()
        before = copy.deepcopy(guarded._policy)
        try:
            guarded.update(action, told)
        except BudgetExceededError:
            break
    assert guarded._session.refusals
    assert _public(guarded._policy) == _public(before)
    assert guarded.select() == before.select()
    assert guarded.spent == 0.0


def _public(policy):
    """Return the ordinary numbers that a policy holds, by name."""
    kinds = (int, float, bool, list)
    held = {name: value for name, value in vars(policy).items() if type(value) in kinds and name != "trees"}
    arrays = {
        name for name, value in held.items() if type(value) is list and value and isinstance(value[0], np.ndarray)
    }
    return held | {name: [part.tolist() for part in held[name]] for name in arrays}


def test_a_noise_source_that_fails_closes_the_guard(monkeypatch):
    policy = AdaPUCB(arms=2, epsilon=1.0).build(np.random.default_rng(0))
    guarded = guard(policy, epsilon=1.0)
    for _ in range(2):
        guarded.update(guarded.select(), 0.5)

    def fails(value):
        raise OSError("no entropy")

    with monkeypatch.context() as patched:
        patched.setattr(laplace, "_measurement", lambda scale: fails)
        with pytest.raises(PrivcheckError, match="raises OSError"):
            guarded.update(guarded.select(), 0.5)
    with pytest.raises(GuardClosedError, match="raises OSError"):
        guarded.select()


class Remembers(Counts):
    """Keeps the numbers of all rounds: copying it before every update would take longer and longer."""

    copies = 0

    def __init__(self, forgets):
        super().__init__()
        self.rounds, self.forgets = list(range(5000)), forgets

    def update(self, action, reward):
        self.rounds.append(self.count)
        super().update(action, reward)
        if self.forgets and self.count < 8:
            self.total = 0.0

    def __deepcopy__(self, memo):
        type(self).copies += 1
        copied = Remembers.__new__(Remembers)
        copied.__dict__ = copy.deepcopy(self.__dict__, memo)
        return copied


@pytest.mark.parametrize("forgets", [True, False])
def test_a_large_policy_is_copied_only_while_a_refusal_is_to_be_expected(forgets):
    """Before the first release, and while a reward that it holds has spent more than half of the budget."""
    policy = Remembers(forgets)
    guarded = guard(policy, epsilon=1.0, noise="float")
    Remembers.copies = 0
    try:
        for _ in range(12):
            guarded.update(guarded.select(), 0.5)
    except BudgetExceededError:
        pass
    assert guarded._policy is not policy
    assert guarded.select() == guarded._policy.count % 2
    assert (guarded._policy.count, Remembers.copies) == ((9, 2) if forgets else (2, 2))
