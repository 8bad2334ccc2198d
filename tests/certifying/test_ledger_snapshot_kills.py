"""A process that is killed while it takes a snapshot, or forgets, leaves a ledger from which others go on."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest

from privcheck.certifying import ledger_problems
from privcheck.certifying._recorded import snapshots
from privcheck.scheduling import Database
from tests.modules import beside

forgetting, kills = beside(__file__, "test_ledger_forgetting"), beside(__file__, "test_ledger_kills")
policies, found, REWARDS = forgetting.policies, forgetting.found, forgetting.REWARDS
close, guard, rows = policies.close, policies.guard, policies.rows

pytestmark = [pytest.mark.long, pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")]


@pytest.fixture(autouse=True)
def often(monkeypatch):
    """A snapshot at every fourth event."""
    monkeypatch.setattr(snapshots, "EVERY", 4)
    monkeypatch.setattr(snapshots, "BYTES", 10**6)
    monkeypatch.setitem(sys.modules, policies.__name__, policies)


def every_fourth():
    snapshots.EVERY, snapshots.BYTES = 4, 10**6
    sys.modules[policies.__name__] = policies


def begin(folder, shown):
    """Play five events under ids, without a snapshot."""
    snapshots.EVERY = 10**6
    with shown.open("a") as file:
        guarded = guard(folder, policies.Mechanisms)
        for t, reward in enumerate(REWARDS[:5]):
            arm = guarded.select(request_id=f"e{t}")
            guarded.update(arm, reward, request_id=f"e{t}")
            file.write(json.dumps([t, arm]) + "\n")


def go_on(what, folder):
    """Open a ledger, and take a snapshot or forget."""
    every_fourth()
    guarded = guard(Path(folder), policies.Mechanisms)
    if what == "forget":
        guarded.forget()
    else:
        guarded.select(request_id="e5")
        assert guarded._engine.journal.snapshot_at() > 0


def play(folder, shown):
    """Play seven events under ids, of which the first five are forgotten, and write down what was answered."""
    guarded = guard(folder, policies.Mechanisms)
    with shown.open("a") as file:
        for t, reward in enumerate(REWARDS[:7]):
            if t == 5:
                guarded.forget()
            arm = guarded.select(request_id=f"e{t}")
            file.write(json.dumps([t, arm]) + "\n")
            file.flush()
            guarded.update(arm, reward, request_id=f"e{t}")
        file.write(json.dumps(["end", guarded.spent]) + "\n")


def check(folder, shown):
    """Check I1 to I4: charges within the budgets, one answer for each id, what was shown is there, nothing is lost."""
    assert ledger_problems(folder / "budget.db", folder / "heads.db") == []  # I1
    answers = dict(rows(folder, "SELECT request, body FROM entry WHERE kind = 'select' AND request <> ''"))
    *said, (end, _) = [json.loads(line) for line in shown.read_text().splitlines()]
    assert end == "end"
    for request, arm in said:
        if request != "end":
            assert json.loads(answers[f"e{request}"])["answer"]["value"] == arm  # I2, I3
    assert rows(folder, "SELECT kind, count(*) FROM entry WHERE request <> '' GROUP BY kind") == [
        ("select", 7), ("update", 7),
    ]  # fmt: skip
    drawn = rows(folder, "SELECT event, count(*) FROM entry WHERE kind = 'draw' GROUP BY event")
    assert drawn == [(0, 1), (4, 2), (8, 2), (12, 2)]  # I4: no draw twice, each at its event
    guarded = guard(folder, policies.Mechanisms)
    assert guarded._engine._events == 14
    assert (guarded._policy.count, len(guarded.ledger.releases), guarded.spent) == (7, 3, 0.125)
    assert [release.charges.different for release in guarded.ledger.releases] == [
        release.charges.different for release in guarded.ledger.releases[:1] * 3
    ]
    guarded.forget()
    assert found(folder, REWARDS[:7]) == REWARDS[6:7], "the one that is not released"


def killing(place, after, marks):
    """Let the n-th statement to SQLite that a snapshot or forgetting makes kill this process, before it or after it."""
    left, execute, read, inside = [place], Database.execute, Database.rows, [0]

    def counted(function):
        def call(self, *given):
            left[0] -= bool(inside[0])
            here = inside[0] and left[0] == 0
            if here and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            answer = function(self, *given)
            if here:
                os.kill(os.getpid(), signal.SIGKILL)
            return answer

        return call

    def marked(owner, name):
        function = getattr(owner, name)

        def call(*given):
            inside[0] += 1
            try:
                return function(*given)
            finally:
                inside[0] -= 1

        setattr(owner, name, call)

    Database.execute, Database.rows = counted(execute), counted(read)
    for owner, name in marks:
        marked(owner, name)


def points():
    from privcheck.certifying._recorded.event_engine import Engine

    return {"snapshot": [(snapshots.Snapshots, "take")], "forget": [(Engine, "forget")]}


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("what", ["snapshot", "forget"])
def test_a_kill_at_every_statement(tmp_path, what, after, evidence):
    kills.play(tmp_path, tmp_path / "warm", 2)  # what is loaded at the first draw is loaded here
    count = 0
    for place in itertools.count(1, evidence(4, 1)):
        folder, shown = tmp_path / f"run{place}", tmp_path / f"shown{place}"
        folder.mkdir()

        def killed(folder=folder, shown=shown, place=place):
            killing(place, after, points()[what])
            play(folder, shown)

        was_killed = kills.in_a_fork(killed)
        count += was_killed
        assert not kills.in_a_fork(lambda folder=folder, shown=shown: play(folder, shown))
        check(folder, shown)
        shutil.rmtree(folder)
        if not was_killed:
            break
    assert count >= evidence(3, 10)


@pytest.mark.nightly
@pytest.mark.timeout(7200)
@pytest.mark.skipif(not kills.calls.can_trace(), reason="no strace")
@pytest.mark.parametrize("what", ["snapshot", "forget"])
def test_a_kill_at_every_system_call(tmp_path, what, evidence):
    """Of a process that opens the ledger and takes a snapshot or forgets."""
    begun, seen, points = tmp_path / "begun", tmp_path / "seen", Counter()
    begun.mkdir()
    assert not kills.in_a_fork(lambda: begin(begun, seen))

    def copied(folder, shown):
        shutil.copytree(begun, folder)
        shutil.copy(seen, shown)

    for call, folder, shown in kills.calls.each_kill(tmp_path, copied, lambda at, _: go_on(what, at), evidence(9, 1)):
        kills.check_shown(folder, shown)
        assert not kills.in_a_fork(lambda folder=folder, shown=shown: play(folder, shown))
        check(folder, shown)
        points[call] += 1
    assert sum(points.values()) >= evidence(20, 100)


def test_inputs_that_are_deleted_before_the_snapshot_are_noticed(tmp_path, monkeypatch):
    """The broken twin deletes in a transaction of its own, and is killed: nobody can go on."""
    from privcheck.journal import SqliteJournal

    forget = SqliteJournal.forget

    def early(self, last, stays):
        self.database.execute("ROLLBACK")
        self.database.execute("BEGIN IMMEDIATE")
        forget(self, last, stays)
        self.database.execute("COMMIT")
        os.kill(os.getpid(), signal.SIGKILL)

    folder, shown = tmp_path / "run", tmp_path / "shown"
    folder.mkdir()

    def killed():
        monkeypatch.setattr(snapshots, "EVERY", 10**6)
        monkeypatch.setattr(SqliteJournal, "forget", early)
        play(folder, shown)

    assert kills.in_a_fork(killed)
    with pytest.raises(policies.privcheck.PrivcheckError, match="is forgotten"):
        guard(folder, policies.Mechanisms)
