"""A guard works in the process that made it: a fork, a copy or a file would spend the same budget again."""

from __future__ import annotations

import copy
import itertools
import multiprocessing
import os
import pickle

import numpy as np
import pytest

from privcheck import GuardClosedError, PrivcheckError, guard
from privcheck.accounting import BudgetExceededError
from privcheck.certifying import Session
from privcheck.certifying import _calls as calls
from privcheck.mechanisms import Laplace
from privcheck.mechanisms.base import recording
from privcheck.privacy import relation

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


class Releases:
    """Releases every reward, and plays arm 0."""

    mechanism = Laplace(sensitivity=1.0, epsilon=1.0)

    def __init__(self):
        self.outputs = []

    def select(self):
        return 0

    def update(self, action, reward):
        self.outputs.append(self.mechanism.release(reward, None))


def in_a_fork(function):
    """Return what a function returns in a forked process, as text."""
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = repr(function())
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(sending, text.encode())
        os._exit(0)
    os.close(sending)
    os.waitpid(child, 0)
    with os.fdopen(receiving) as pipe:
        return pipe.read()


CALLS = {
    "select": lambda guarded: guarded.select(),
    "update": lambda guarded: guarded.update(0, 0.5),
    "spent": lambda guarded: guarded.spent,
    "left": lambda guarded: guarded.left,
    "ledger": lambda guarded: guarded.ledger,
}


@needs_fork
@pytest.mark.parametrize("name", CALLS)
def test_a_guard_is_closed_in_a_forked_process(name):
    guarded = guard(Releases(), epsilon=1.0)
    text = in_a_fork(lambda: CALLS[name](guarded))
    assert text.startswith("GuardClosedError: ")
    assert name in text
    assert "fork" in text
    assert "\n" not in text
    guarded.update(guarded.select(), 0.5)
    assert guarded.spent == 1.0


@needs_fork
def test_two_forked_processes_release_nothing():
    """Before, both drew the same noise: their releases on 0.0 and 0.7134 differed by exactly 0.7134."""
    guarded = guard(Releases(), epsilon=1.0, noise="float", rng=np.random.default_rng(7))

    def told(reward):
        guarded.update(guarded.select(), reward)
        return guarded._policy.outputs

    assert in_a_fork(lambda: told(0.0)).startswith("GuardClosedError")
    assert in_a_fork(lambda: told(0.7134)).startswith("GuardClosedError")
    assert guarded._policy.outputs == []


@needs_fork
def test_repr_works_in_a_forked_process():
    guarded = guard(Releases(), epsilon=1.0)
    assert in_a_fork(lambda: repr(guarded)) == repr("GuardedPolicy(Releases, closed)")


@needs_fork
def test_a_fork_does_not_wait_for_a_call_in_the_parent():
    """The lock of the guard is held while the policy forks; the child must be told, not hang."""
    seen = []

    class Forks(Releases):
        def update(self, action, reward):
            seen.append(in_a_fork(lambda: guarded.update(guarded.select(), 0.5)))
            seen.append(in_a_fork(lambda: Laplace(sensitivity=1.0, epsilon=1.0).release(reward, None)))
            super().update(action, reward)

    guarded = guard(Forks(), epsilon=1.0)
    guarded.update(guarded.select(), 0.5)
    assert [text.partition(":")[0] for text in seen] == ["GuardClosedError"] * 2
    assert guarded.spent == 1.0


@needs_fork
def test_a_fork_of_a_fork_is_found_even_if_process_numbers_repeat(monkeypatch):
    """In a new process namespace, parent and child can both be number 1."""
    monkeypatch.setattr(calls.os, "getpid", lambda: 1)
    guarded = guard(Releases(), epsilon=1.0)
    assert in_a_fork(lambda: guarded.update(guarded.select(), 0.5)).startswith("GuardClosedError")


def test_a_fork_that_python_does_not_see_is_found(monkeypatch):
    """Compiled code may fork by itself: the number of the process differs."""
    guarded, numbers = guard(Releases(), epsilon=1.0), itertools.count(10**9)
    monkeypatch.setattr(calls.os, "getpid", lambda: next(numbers))
    with pytest.raises(GuardClosedError, match="fork"):
        guarded.update(guarded.select(), 0.5)


def _child(guarded, connection):
    try:
        guarded.update(guarded.select(), 0.5)
        connection.send("played")
    except PrivcheckError as error:
        connection.send(type(error).__name__)


@needs_fork
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_multiprocessing_with_a_fork():
    guarded, context = guard(Releases(), epsilon=1.0), multiprocessing.get_context("fork")
    receiving, sending = context.Pipe()
    child = context.Process(target=_child, args=(guarded, sending))
    child.start()
    assert receiving.recv() == "GuardClosedError"
    child.join()


@pytest.mark.parametrize(
    "copies", [copy.copy, copy.deepcopy, pickle.dumps, lambda one: pickle.dumps([one], protocol=2)]
)
def test_copies_are_refused(copies):
    guarded = guard(Releases(), epsilon=1.0)
    with pytest.raises(PrivcheckError, match="copy of a guarded policy"):
        copies(guarded)
    assert copy.copy([guarded])[0] is guarded


def test_the_session_of_a_guard_cannot_be_copied():
    """A copied session would have a budget of its own; a policy reaches the session as the active recorder."""
    session = Session(relation("row"), (0.0, 1.0), 1.0, np.random.default_rng(0), round=1)
    for copies in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(PrivcheckError, match="copy"):
            copies(session)


def test_a_policy_that_was_copied_before_an_update_spends_nothing_twice():
    """Its rewards belong to the first guard, whose budget they spend; the second guard refuses them."""

    class Keeps(Releases):
        total = 0.0

        def update(self, action, reward):
            self.total += reward

    one = guard(Keeps(), epsilon=1.0)
    one.update(one.select(), 0.5)
    two = guard(copy.deepcopy(one._policy), epsilon=1.0)
    two._policy.update = lambda action, reward: two._policy.mechanism.release(two._policy.total, None)
    with pytest.raises(PrivcheckError, match="another run"):
        two.update(two.select(), 0.5)


def test_noise_of_mechanisms_differs_between_forked_processes():
    """Secure noise is the system's: nothing of it is inherited by a child."""
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    first = Laplace(sensitivity=1.0, epsilon=1.0).release(0.0, None, secure=True)
    drawn = [in_a_fork(lambda: Laplace(sensitivity=1.0, epsilon=1.0).release(0.0, None, secure=True)) for _ in range(2)]
    assert len({repr(first), *drawn}) == 3


def test_without_a_fork_nothing_is_refused():
    session = Session(relation("row"), (0.0, 1.0), 1.0, np.random.default_rng(0), round=1)
    with recording(session):
        assert isinstance(Laplace(sensitivity=1.0, epsilon=1.0).release(session.reward(0.5, 0), None), float)
        with pytest.raises(BudgetExceededError):
            Laplace(sensitivity=1.0, epsilon=2.0).release(session.reward(0.5, 0), None)
