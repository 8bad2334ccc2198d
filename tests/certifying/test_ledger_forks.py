"""Workers that are forked from a process with an open ledger: SQLite remembers the locks of a process by file."""

from __future__ import annotations

import os

import pytest

import privcheck
from privcheck.scheduling import Database
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
    monkeypatch.setattr(Database, "leave_all", lambda: None)
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
                    failed = int("was forked while a call of its parent was writing to it" not in str(error))
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
