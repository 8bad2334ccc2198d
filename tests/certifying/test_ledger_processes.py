"""Workers that share a ledger: one order, one answer for each id, nobody over the budget."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import sqlite3
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from privcheck import BudgetExceededError, PrivcheckError
from privcheck.certifying import ledger_problems
from privcheck.journal import SqliteJournal
from privcheck.scheduling import Database
from tests.modules import beside

policies = beside(__file__, "ledger_policies")
close, guard, rows = policies.close, policies.guard, policies.rows

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


def serve(folder, requests, users, out):
    """Ask for these requests, each with its select and its update, and write down the answers."""
    guarded, found = guard(folder, policies.FewCoins, per_user=1.0), []
    for number in requests:
        arm = guarded.select(request_id=f"e{number}")
        try:
            guarded.update(arm, float(number % 2), request_id=f"e{number}", user=f"u{number % users}")
            found.append((number, arm, True))
        except BudgetExceededError as error:
            found.append((number, arm, False if error.parameter == "user" else str(error)))
    Path(out).write_text(json.dumps(found))


@pytest.mark.evidence
@pytest.mark.timeout(7200)
@needs_fork
def test_processes_share_one_order(tmp_path, evidence):
    """A fifth of the requests are asked twice, by two workers; the history is checked by plain SQL."""
    workers, each, users = evidence(4, 8), evidence(25, 10_000), evidence(60, 2_000)
    guard(tmp_path, policies.FewCoins, per_user=1.0)
    children = []
    for worker in range(workers):
        own = [worker * each + place - (each if place % 5 == 0 and worker else 0) for place in range(each)]
        child = os.fork()
        if child == 0:
            try:
                serve(tmp_path, own, users, tmp_path / f"found{worker}")
                os._exit(0)
            finally:
                os.write(2, traceback.format_exc().encode())
                os._exit(1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * workers
    answers = {}
    for worker in range(workers):
        for number, arm, admitted in json.loads((tmp_path / f"found{worker}").read_text()):
            assert answers.setdefault(number, (arm, admitted)) == (arm, admitted)  # I2
    kept = rows(tmp_path, "SELECT request, body FROM entry WHERE kind = 'select' AND request <> ''")
    assert {int(request[1:]): json.loads(body)["answer"]["value"] for request, body in kept} == {
        number: arm for number, (arm, _) in answers.items()
    }  # I3
    most = rows(tmp_path, "SELECT max(n) FROM (SELECT count(*) n FROM entry WHERE person <> '' GROUP BY person)")
    assert most[0][0] <= 2  # I1
    counts = "SELECT count(*), count(DISTINCT event), max(event) FROM entry WHERE event > 0 AND kind <> 'draw'"
    events = rows(tmp_path, f"{counts} AND kind <> 'answer'")
    assert len(set(events[0])) == 1
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


def test_threads_share_a_guard(tmp_path):
    guarded = guard(tmp_path, per_user=1.0)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda number: guarded.select(request_id=f"e{number % 10}"), range(40)))
    finally:
        sys.setswitchinterval(interval)
    assert all(len({found[place] for place in range(number, 40, 10)}) == 1 for number in range(10))
    assert rows(tmp_path, "SELECT max(event) FROM entry") == [(10,)]


def test_asyncio_may_use_threads(tmp_path):
    guarded = guard(tmp_path, per_user=1.0)

    async def one(number):
        arm = await asyncio.to_thread(guarded.select, request_id=f"e{number}")
        await asyncio.to_thread(guarded.update, arm, 1.0, request_id=f"e{number}", user=f"u{number}")

    async def every():
        await asyncio.gather(*(one(number) for number in range(8)))

    asyncio.run(every())
    assert rows(tmp_path, "SELECT max(event) FROM entry") == [(16,)]
    close(guarded)
    assert guard(tmp_path, per_user=1.0).select() in (0, 1)


@needs_fork
def test_parent_and_child_take_exactly_the_admissions_that_are_left(tmp_path):
    guarded = guard(tmp_path, per_user=1.5)
    for user in ("u1", "u2"):
        guarded.update(guarded.select(), 1.0, user=user)
    receiving, sending = os.pipe()
    child = os.fork()
    counts = 0
    try:
        for number in range(6):
            try:
                guarded.update(
                    guarded.select(request_id=f"{child == 0} {number}"),
                    1.0,
                    request_id=f"{child == 0} {number}",
                    user="u1",
                )
                counts += 1
            except BudgetExceededError:
                pass
        if child == 0:
            os.write(sending, str(counts).encode())
            os._exit(0)
    finally:
        if child == 0:
            os._exit(1)
    os.close(sending)
    assert os.waitpid(child, 0)[1] == 0
    with os.fdopen(receiving) as pipe:
        assert counts + int(pipe.read()) == 2
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []
    drawn = [body for (body,) in rows(tmp_path, "SELECT body FROM entry WHERE kind = 'draw'")]
    assert len({json.loads(body)["output"]["float"] for body in drawn}) == len(drawn) == 2


@needs_fork
def test_a_fork_uses_no_inherited_connection(tmp_path):
    """Named for its twin: a connection that crosses a fork may damage the file, so none crosses it."""
    guarded = guard(tmp_path)
    before = guarded._engine.journal.database._connection
    child = os.fork()
    if child == 0:
        try:
            guarded.select()
            own = guarded._engine.journal.database
            os._exit(0 if own._connection not in (before, None) and not own._others else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    guarded.select()
    assert rows(tmp_path, "SELECT max(event) FROM entry") == [(2,)]


def test_a_fork_uses_no_inherited_connection_twin(tmp_path, monkeypatch):
    monkeypatch.setattr(Database, "_own", lambda self: self._connection)
    with pytest.raises(AssertionError):
        test_a_fork_uses_no_inherited_connection(tmp_path)


def test_an_answer_without_a_draw_takes_six_statements(tmp_path, monkeypatch):
    """They are most of what a ledger costs, beside the waits for the disk: none is made twice, and none is left out."""
    guarded, said = guard(tmp_path), []
    guarded.select()
    for name in ("execute", "rows"):
        method = getattr(Database, name)
        monkeypatch.setattr(
            Database, name, lambda *given, method=method: said.append(given[1].split()[0]) or method(*given)
        )
    guarded.select()
    assert said == ["BEGIN", "SELECT", "INSERT", "INSERT", "COMMIT", "UPDATE"]


def full(monkeypatch, after):
    """Let the disk be full from the n-th statement on."""
    left, execute = [after], Database.execute

    def limited(self, statement, values=()):
        if statement.startswith(("INSERT", "COMMIT")):
            left[0] -= 1
        if left[0] < 0:
            with self.refusal.turning_errors():
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return execute(self, statement, values)

    monkeypatch.setattr(Database, "execute", limited)


@pytest.mark.parametrize("after", range(9))
def test_a_full_disk_ends_a_call_and_nothing_else(tmp_path, after):
    guarded = guard(tmp_path, policies.Cautious)
    guarded.update(guarded.select(request_id="e1"), 1.0, request_id="e1")
    with pytest.MonkeyPatch.context() as patch:
        full(patch, after)
        with pytest.raises(PrivcheckError, match=r"^(ledger|head): .*the disk is full, expected .*disk"):
            [
                guarded.update(guarded.select(request_id=f"e{2 + number}"), 1.0, request_id=f"e{2 + number}")
                for number in range(10)
            ]
        with pytest.raises(PrivcheckError, match="the disk is full"):
            guarded.update(guarded.select(request_id="e99"), 1.0, request_id="e99")
    for number in range(10):
        guarded.update(guarded.select(request_id=f"e{2 + number}"), 1.0, request_id=f"e{2 + number}")
    drawn = rows(tmp_path, "SELECT count(*), count(DISTINCT event) FROM entry WHERE kind = 'draw'")
    assert drawn == [(11, 11)]
    assert 0.0 < guarded.spent < 0.02
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


def test_ctrl_c_in_a_call_is_no_answer(tmp_path):
    class Slow(policies.Blocks):
        interrupts = False

        def update(self, action, reward):
            super().update(action, reward)
            if Slow.interrupts:
                raise KeyboardInterrupt

    guarded = guard(tmp_path, Slow)
    guarded.update(guarded.select(), 1.0)
    Slow.interrupts = True
    with pytest.raises(KeyboardInterrupt):
        guarded.update(guarded.select(request_id="e2"), 1.0, request_id="e2")
    Slow.interrupts = False
    guarded.update(guarded.select(request_id="e2"), 1.0, request_id="e2")
    assert rows(tmp_path, "SELECT count(*) FROM entry WHERE kind = 'draw'") == [(1,)]
    assert guarded._policy.count == 2


@pytest.mark.parametrize("statement", ["BEGIN IMMEDIATE", "COMMIT"])
def test_ctrl_c_at_the_ends_of_a_transaction(tmp_path, monkeypatch, statement):
    """It comes after the statement was executed, and before the next line: no transaction stays open."""
    guarded, execute = guard(tmp_path), Database.execute

    def interrupted(self, *given):
        found = execute(self, *given)
        if given[0] == statement:
            raise KeyboardInterrupt
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "execute", interrupted)
        with pytest.raises(KeyboardInterrupt):
            guarded.select(request_id="e1")
    assert guarded.select(request_id="e1") in (0, 1)
    assert rows(tmp_path, "SELECT max(event) FROM entry") == [(1,)]


def test_two_workers_finish_one_event(tmp_path, monkeypatch):
    """The second worker finds the event pending while the first commits its draw; the first gives way."""
    one, two = guard(tmp_path, policies.PlainBlocks), guard(tmp_path, policies.PlainBlocks)
    one.update(one.select(), 1.0)
    commit, entered = SqliteJournal.commit, []

    def handing_over(self):
        self.database.execute("COMMIT")
        if not entered:
            entered.append(two.select(request_id="other"))
        self.database.execute("BEGIN IMMEDIATE")

    monkeypatch.setattr(SqliteJournal, "commit", handing_over)
    one.update(one.select(), 1.0)
    monkeypatch.setattr(SqliteJournal, "commit", commit)
    assert entered, "the other worker answered in between"
    assert rows(tmp_path, "SELECT count(*) FROM entry WHERE kind = 'draw'") == [(1,)]
    assert rows(tmp_path, "SELECT count(*) FROM entry WHERE kind = 'update'") == [(2,)], "told once"
    assert one.select(request_id="other") == entered[0] == two.select()
    assert one._policy.count == two._policy.count == 2


@pytest.mark.parametrize("of_call", [1, 2])
@pytest.mark.parametrize("other", ["select", "spent"])
def test_a_worker_between_the_draws_of_a_batch_lets_it_go_on(tmp_path, monkeypatch, of_call, other):
    """What the batch has recorded before stands, also without ids: it is no reward without a choice."""
    first, second = (guard(tmp_path, policies.Cautious) for _ in range(2))
    told, draws = [{"action": first.select(), "reward": 0.5} for _ in range(4)], []

    def commit(journal):
        journal._last = None
        journal.database.execute("COMMIT")
        if journal is first._engine.journal:
            draws.append(journal)
            if len(draws) == of_call:
                second.select() if other == "select" else second.spent
        journal.database.execute("BEGIN IMMEDIATE")

    with monkeypatch.context() as patch:
        patch.setattr(SqliteJournal, "commit", commit)
        assert first.update_many(told) == [None] * 4
    assert rows(tmp_path, "SELECT count(*) FROM entry WHERE kind = 'update'") == [(4,)]
    assert rows(tmp_path, "SELECT count(*) FROM entry WHERE kind = 'draw'") == [(4,)]
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


def test_numbers_are_unique_without_a_lock(tmp_path):
    """The twin begins no transaction: the second worker cannot add an entry of a number that is there."""
    one, two = guard(tmp_path), guard(tmp_path)
    two._engine.journal.head()
    one.select()
    columns = "id, event, kind, rest, request, who, window, hash"
    again = f"INSERT INTO written ({columns}) SELECT {columns} FROM entry WHERE event = 1"
    with pytest.raises(PrivcheckError, match="UNIQUE constraint failed"):
        two._engine.journal.database.execute(again)


def test_the_head_is_never_behind_an_answer_that_was_shown(tmp_path):
    """Also of an answer that is looked up: its writer may have been killed between commit and head."""
    one = guard(tmp_path)
    show = SqliteJournal.show
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SqliteJournal, "show", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            one.select(request_id="e1")
    behind = rows(tmp_path, "SELECT number FROM head", "heads.db")[0][0]
    ends = rows(tmp_path, "SELECT max(number) FROM entry")[0][0]
    assert behind < ends
    assert SqliteJournal.show is show
    two = guard(tmp_path, head=tmp_path / "heads.db")
    two.select(request_id="e1")
    assert rows(tmp_path, "SELECT number FROM head", "heads.db") == [(ends,)]


def test_heads_only_move_forward(tmp_path):
    guarded = guard(tmp_path)
    for _ in range(12):
        guarded.select()
    journal = guarded._engine.journal
    hashes = dict(rows(tmp_path, "SELECT number, hash FROM entry"))
    journal.heads.execute("UPDATE head SET number = 3, hash = ?", (hashes[3],))
    for number in (9, 4, 12, 11):
        journal._shown = 0
        journal.show(number, hashes[number])
    assert rows(tmp_path, "SELECT number FROM head", "heads.db") == [(12,)]


def test_threads_of_a_first_start(tmp_path):
    """Several workers make the file at once."""
    found, errors = [], []

    def start():
        try:
            found.append(guard(tmp_path).select(request_id="e1"))
        except (PrivcheckError, sqlite3.Error) as error:
            errors.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(set(found)) == 1
