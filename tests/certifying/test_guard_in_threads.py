"""A guard takes one call at a time: check, charge and draw are one step, whatever threads do."""

from __future__ import annotations

import contextlib
import contextvars
import itertools
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from privcheck import BudgetExceededError, PrivcheckError, guard
from privcheck.accounting._totals import Totals
from privcheck.certifying import Session
from privcheck.mechanisms import Laplace
from privcheck.mechanisms.base import recording
from privcheck.privacy import relation


class Sums:
    """Releases the sum of all rewards so far, again and again: only the first release fits into the budget."""

    secure = False

    def __init__(self):
        self.total, self.released, self.inside, self.most = 0.0, 0, 0, 0
        self.enter, self.leave = threading.Event(), threading.Event()
        self.leave.set()

    def select(self):
        return 0

    def update(self, action, reward):
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.enter.set()
        assert self.leave.wait(10.0)
        try:
            self.total = self.total + reward
            Laplace(sensitivity=1.0, epsilon=1.0).release(self.total, None, secure=self.secure)
            self.released += 1
        except BudgetExceededError:
            pass
        finally:
            self.inside -= 1


class SumsSecurely(Sums):
    secure = True


@pytest.fixture
def _quick_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_quick_switches")
@pytest.mark.parametrize("policy", [Sums, SumsSecurely])
def test_threads_cannot_overspend(policy):
    """Before, 4 threads overspent in 15 of 60 trials, up to four times the budget."""
    with ThreadPoolExecutor(4) as threads:
        for _ in range(60):
            guarded, barrier = guard(policy(), epsilon=1.0), threading.Barrier(4)

            def play(guarded=guarded, barrier=barrier):
                barrier.wait(10.0)
                for _ in range(3):
                    guarded.update(guarded.select(), 0.5)

            for done in [threads.submit(play) for _ in range(4)]:
                done.result(30.0)
            assert guarded.spent == 1.0
            assert guarded._session.round == 13, "every update has a round of its own"


def test_a_second_call_waits_for_the_first():
    policy = Sums()
    guarded = guard(policy, epsilon=1.0)
    policy.leave.clear()
    calls = [lambda: guarded.update(0, 0.5), lambda: guarded.update(0, 0.5), guarded.select]
    for _ in range(2):
        assert guarded.select() == 0
    with ThreadPoolExecutor(3) as threads:
        first, *others = [threads.submit(call) for call in calls[:1]]
        assert policy.enter.wait(10.0)
        others = [threads.submit(call) for call in calls[1:]]
        threading.Event().wait(0.05)
        assert (policy.inside, [call.done() for call in others]) == (1, [False, False])
        policy.leave.set()
        first.result(10.0)
        assert [call.result(10.0) for call in others] == [None, 0]
    assert policy.most == 1


def test_reading_the_budget_does_not_wait():
    policy = Sums()
    guarded = guard(policy, epsilon=1.0)
    policy.leave.clear()
    with ThreadPoolExecutor(1) as threads:
        update = threads.submit(guarded.update, guarded.select(), 0.5)
        assert policy.enter.wait(10.0)
        assert (guarded.spent, guarded.left) == (0.0, 1.0)
        policy.leave.set()
        update.result(10.0)


def test_a_release_is_charged_before_its_noise_is_drawn():
    """While the noise of one release is drawn, another release of the same value no longer fits."""

    class ReleasesAgain(Laplace):
        def draw(self, value, rng, *, secure=False):
            with pytest.raises(BudgetExceededError):
                Laplace(sensitivity=1.0, epsilon=1.0).release(total, None)
            return super().draw(value, rng, secure=secure)

    session = Session(relation("row"), (0.0, 1.0), 1.0, np.random.default_rng(0), round=1)
    total = session.reward(0.5, 0)
    with recording(session):
        ReleasesAgain(sensitivity=1.0, epsilon=1.0).release(total, None)
    assert session.ledger.epsilon == 1.0


@pytest.mark.usefixtures("_quick_switches")
def test_threads_of_a_policy_cannot_overspend():
    """A thread that runs in the context of `update` releases through the same session."""
    for _ in range(20):
        session = Session(relation("row"), (0.0, 1.0), 1.0, np.random.default_rng(0), round=1)
        total, barrier = session.reward(0.5, 0), threading.Barrier(4)

        def release(total=total, barrier=barrier):
            barrier.wait(10.0)
            return Laplace(sensitivity=1.0, epsilon=1.0).release(total, None, secure=True)

        with recording(session), ThreadPoolExecutor(4) as threads:
            done = [threads.submit(contextvars.copy_context().run, release) for _ in range(4)]
            refused = [isinstance(one.exception(30.0), BudgetExceededError) for one in done]
        assert (sorted(refused), session.ledger.epsilon) == ([False, True, True, True], 1.0)


@pytest.mark.parametrize("name", ["select", "update"])
@pytest.mark.parametrize("within", ["select", "update"])
def test_a_policy_that_calls_its_own_guard_is_refused(name, within):
    """A lock would wait for itself for ever; two updates at once would share a round."""

    class CallsItself:
        calls = itertools.count()

        def select(self):
            return self.call("select")

        def update(self, action, reward):
            self.call("update")

        def call(self, method):
            if method == within:
                CALLS[name](guarded)
            return 0

    guarded = guard(CallsItself(), epsilon=1.0)
    guarded._engine.played.open.open(0)  # for `update`, since `select` calls the guard, too
    with pytest.raises(PrivcheckError, match=rf"{name}\(\): got a call inside {within}\(\) of the same guard"):
        CALLS[within](guarded)


CALLS = {"select": lambda guarded: guarded.select(), "update": lambda guarded: guarded.update(0, 0.5)}


def test_a_thread_that_ends_in_the_middle_does_not_lock_out_the_others():
    class Ends(Sums):
        def update(self, action, reward):
            raise SystemExit

    guarded = guard(Ends(), epsilon=1.0)

    def play():
        with contextlib.suppress(SystemExit):
            guarded.update(guarded.select(), 0.5)

    thread = threading.Thread(target=play)
    thread.start()
    thread.join(10.0)
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(lambda: guarded._session.round).result(10.0) == 2
        assert threads.submit(lambda: guarded.spent).result(10.0) == 0.0


def test_an_interrupted_release_stays_charged():
    """Whether its noise was drawn and seen is unknown, and an exception may depend on it too."""

    class Interrupted(Laplace):
        raises = KeyboardInterrupt

        def draw(self, value, rng, *, secure=False):
            raise self.raises

    session = Session(relation("row"), (0.0, 1.0), 1.0, np.random.default_rng(0), round=1)
    with recording(session):
        for error, spent in ((OSError, 0.5), (KeyboardInterrupt, 1.0)):
            Interrupted.raises = error
            with pytest.raises((PrivcheckError, KeyboardInterrupt)):
                Interrupted(sensitivity=1.0, epsilon=0.5).release(session.reward(0.5, 0), None)
            assert session.ledger.epsilon == spent


def test_a_ledger_is_not_read_while_a_release_is_recorded(monkeypatch):
    """Its totals would be those of other releases than it lists."""
    policy = guard(Sums(), epsilon=1.0, noise="float")
    add, read = Totals.add, []
    watcher = threading.Thread(target=lambda: read.append(policy.ledger))

    def slow(totals, charges):
        watcher.start()
        watcher.join(0.1)
        add(totals, charges)
        watcher.join(0.1)

    monkeypatch.setattr(Totals, "add", slow)
    with contextlib.suppress(BudgetExceededError):
        policy.update(policy.select(), 1.0)
    watcher.join(10.0)
    assert (len(read[0].releases), len(read[0].paid)) == (1, 1)
