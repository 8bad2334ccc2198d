"""Workers that are forked from a process with an open ledger: SQLite remembers the locks of a process by file."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

import privcheck
from privcheck.journal import LedgerFile
from privcheck.reached_state import FORKS, LOCK
from tests.modules import beside

policies = beside(__file__, "ledger_policies", registered=True)
close, guard, rows = policies.close, policies.guard, policies.rows

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


def worker(guarded, go_on, ready):
    """Answer an event, and two more once the parent has closed its files; the status says whether all went well."""
    failed = 1
    try:
        for name in ("e1", "e2", "e3"):
            guarded.update(guarded.select(request_id=name), 1.0, request_id=name, user="u1")
            if name == "e1":
                os.write(ready, b".")
                os.read(go_on, 1)
        failed = 0
    finally:
        os._exit(failed)


def test_what_a_child_has_answered_is_there_after_its_parent_has_closed_the_ledger(tmp_path):
    """As the last that seems to hold a lock, the parent would delete the log in which the child writes."""
    guarded = guard(tmp_path, per_user=2.0)
    guarded.update(guarded.select(request_id="e0"), 1.0, request_id="e0", user="u1")
    (go_on, goes_on), (is_ready, ready) = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        worker(guarded, go_on, ready)
    os.close(ready)
    os.read(is_ready, 1)
    close(guarded)
    os.write(goes_on, b".")
    assert os.waitpid(child, 0)[1] == 0
    asked = [name for (name,) in rows(tmp_path, "SELECT request FROM entry WHERE kind = 'update'")]
    assert asked == ["e0", "e1", "e2", "e3"]
    again = guard(tmp_path, per_user=2.0)
    with pytest.raises(privcheck.BudgetExceededError, match="who has no budget left"):
        again.update(again.select(request_id="e4"), 1.0, request_id="e4", user="u1")


def test_a_ledger_that_stays_open_while_a_process_is_forked_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(FORKS, "before", lambda: None)
    with pytest.raises((AssertionError, privcheck.PrivcheckError)):
        test_what_a_child_has_answered_is_there_after_its_parent_has_closed_the_ledger(tmp_path)


def test_a_parent_goes_on_after_a_fork(tmp_path):
    guarded = guard(tmp_path)
    arm = guarded.select(request_id="e1")
    child = os.fork()
    if not child:
        os._exit(0)
    assert (os.waitpid(child, 0)[1], guarded.select(request_id="e1")) == (0, arm)
    guarded.update(arm, 1.0, request_id="e1")


class Forks(policies.Blocks):
    """Forks in an update, and the child goes on with the ledger."""

    folder, child = "", 0

    def update(self, action, reward):
        super().update(action, reward)
        if Forks.folder and not Forks.child:
            Forks.child = os.fork()
            if not Forks.child:
                failed = 1
                try:
                    guard(Forks.folder, policies.Blocks)
                except privcheck.PrivcheckError as error:
                    failed = int("was forked while its parent was reading or writing it" not in str(error))
                finally:
                    os._exit(failed)


def test_a_child_of_a_call_is_refused_the_ledger_in_which_its_parent_writes(tmp_path):
    guarded = guard(tmp_path, Forks)
    Forks.folder = str(tmp_path)
    try:
        guarded.update(guarded.select(request_id="e1"), 1.0, request_id="e1")
        assert Forks.child
        assert os.waitpid(Forks.child, 0)[1] == 0
        assert guarded.select(request_id="e2") in (0, 1)
    finally:
        Forks.folder, Forks.child = "", 0


def refused(*calls):
    """Return how many calls are not refused for what they find in this process."""
    words = "that a thread has forked while another one was in a call of a guard"
    left = 0
    for call in calls:
        try:
            call()
            left += 1
        except privcheck.PrivcheckError as error:
            left += words not in str(error)
    return left


class ForksInAThread(policies.Blocks):
    """Waits in an update for a thread that forks; the child tries all that a guard can be asked."""

    folder, guarded, another, statuses = "", None, None, ()

    def update(self, action, reward):
        super().update(action, reward)
        if ForksInAThread.folder and not ForksInAThread.statuses:
            thread = threading.Thread(target=self.forks, args=(reward,), daemon=True)
            thread.start()
            thread.join()

    def forks(self, reward):
        child = os.fork()
        if not child:
            left = 99
            try:
                folder, guarded = ForksInAThread.folder, ForksInAThread.guarded
                other = Path(folder, "other")
                left = refused(
                    lambda: guarded.select(request_id="e2"), lambda: guarded.spent,
                    lambda: ForksInAThread.another.select(), lambda: ForksInAThread.another.arms,
                    lambda: guard(folder, policies.Blocks), lambda: guard(other, policies.Blocks),
                    lambda: privcheck.guard(policies.Blocks, epsilon=0.5, arms=2),
                    lambda: float(reward + self.rng.laplace(0.0, 9.0)),
                )  # fmt: skip
            finally:
                os._exit(left)
        ForksInAThread.statuses = (*ForksInAThread.statuses, os.waitpid(child, 0)[1])


def reads(folder, ends):
    """Read a ledger again and again, as a page that shows it does."""
    while not ends.wait(0.02):
        with LedgerFile(folder / "budget.db") as read:
            read.scopes()


@pytest.mark.parametrize("kept", [True, False], ids=["ledger", "memory"])
def test_a_thread_of_a_policy_may_fork_while_a_call_waits_for_it(tmp_path, monkeypatch, kept):
    """The call would wait for the thread, and the fork for the call; nothing of the call is used in the child."""
    monkeypatch.setattr("privcheck.reached_state._lock.PATIENCE", 0.1)
    options = {"epsilon": 0.5, "arms": 2}
    guarded = guard(tmp_path, ForksInAThread) if kept else privcheck.guard(ForksInAThread, **options)
    monkeypatch.setattr(ForksInAThread, "folder", str(tmp_path))
    monkeypatch.setattr(ForksInAThread, "guarded", guarded)
    monkeypatch.setattr(ForksInAThread, "another", guard(tmp_path / "another", policies.Blocks))
    monkeypatch.setattr(ForksInAThread, "statuses", ())
    names = [f"e{number}" for number in range(4)]

    def plays():
        for name in names:
            guarded.update(guarded.select(request_id=name), 1.0, request_id=name)

    thread, ends = threading.Thread(target=plays, daemon=True), threading.Event()
    reader = threading.Thread(target=reads, args=(tmp_path / "another", ends), daemon=True)
    for each in (reader, thread):
        each.start()
    thread.join(20.0)
    assert not thread.is_alive()
    ends.set()
    reader.join(20.0)
    assert ForksInAThread.statuses == (0,)
    assert (guarded.spent, FORKS.half_way) == (0.5, False)
    if kept:
        close(guarded)
        assert guard(tmp_path, ForksInAThread).spent == 0.5
        assert len(rows(tmp_path, "SELECT 1 FROM entry WHERE kind = 'draw'")) == 2


class Slow(policies.Blocks):
    """Draws noise every now and then in an update that takes a while."""

    def update(self, action, reward):
        for _ in range(10):
            time.sleep(0.04)
            self.best = int(self.mechanism.release(0.0, self.rng) > 0.0)


def test_a_fork_waits_for_a_call_that_goes_on(tmp_path, monkeypatch):
    """Its child has a ledger that it can use."""
    monkeypatch.setattr("privcheck.reached_state._lock.PATIENCE", 0.08)
    guarded = guard(tmp_path, Slow)
    arm = guarded.select()
    thread = threading.Thread(target=guarded.update, args=(arm, 1.0))
    thread.start()
    time.sleep(0.05)
    child = os.fork()
    if not child:
        failed = 1
        try:
            failed = int(FORKS.half_way or guarded._policy is None or guarded.select(request_id="e1") not in (0, 1))
        finally:
            os._exit(failed)
    thread.join()
    assert (os.waitpid(child, 0)[1], LOCK._is_owned()) == (0, False)
    assert [kind for (kind,) in rows(tmp_path, "SELECT kind FROM entry ORDER BY id")][-2:] == ["answer", "select"]


def test_a_fork_waits_for_a_thread_that_is_in_sqlite(tmp_path, monkeypatch):
    """In the child nobody would give its locks back. The thread waits for another worker, whose transaction ends."""
    monkeypatch.setattr("privcheck.reached_state._lock.PATIENCE", 0.01)
    guarded = guard(tmp_path)
    other = guarded._engine.journal.database.another()
    other.execute("BEGIN IMMEDIATE")
    thread = threading.Thread(target=guarded.select)
    thread.start()
    time.sleep(0.1)
    timer = threading.Timer(0.3, other.execute, ("ROLLBACK",))
    timer.start()
    began = time.monotonic()
    child = os.fork()
    if not child:
        os._exit(int(FORKS.half_way))
    assert time.monotonic() - began > 0.1
    assert os.waitpid(child, 0)[1] == 0
    thread.join()
    timer.join()
    other.close()


def read_while_forked(folder):
    """Return the status of a child that goes on with a ledger which its parent was reading, and then closes."""
    guarded = guard(folder)
    guarded.update(guarded.select(request_id="e1"), 1.0, request_id="e1")
    (go_on, goes_on), (is_ready, ready) = os.pipe(), os.pipe()
    with LedgerFile(folder / "budget.db") as read:
        assert read.scopes()
        child = os.fork()
        if not child:
            failed = 1
            try:
                guarded.update(guarded.select(request_id="e2"), 1.0, request_id="e2")
                os.write(ready, b".")
                os.read(go_on, 1)
                guarded.update(guarded.select(request_id="e3"), 1.0, request_id="e3")
                failed = 0
            except privcheck.PrivcheckError as error:
                failed = 2 * ("this process was forked while its parent was reading" in str(error))
            finally:
                os._exit(failed)
        os.close(ready)
        os.read(is_ready, 1)
    close(guarded)
    os.write(goes_on, b".")
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status, [name for (name,) in rows(folder, "SELECT request FROM entry WHERE kind = 'update'")]


def test_a_ledger_that_is_read_while_a_process_is_forked_is_refused_in_the_child(tmp_path):
    """Whoever reads a ledger has locks as well: what the child answered would not be in the file."""
    assert read_while_forked(tmp_path) == (2, ["e1"])


def test_a_reader_that_is_not_known_to_a_fork_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("privcheck.journal._databases.READ", ())
    status, found = read_while_forked(tmp_path)
    assert status == 0
    assert "e3" not in found, "answered, and lost"
