"""Workers that are behind: what they would play is forgotten, or a copy of their file has gone on under their head."""

from __future__ import annotations

import shutil
import sqlite3
import sys

import pytest

from privcheck import PrivcheckError
from privcheck.certifying import ledger_problems
from tests.modules import beside

policies = beside(__file__, "ledger_policies")
guard = policies.guard


@pytest.fixture(autouse=True)
def quick(monkeypatch, unsynced_ledgers):
    monkeypatch.setitem(sys.modules, policies.__name__, policies)


def test_a_worker_that_was_idle_goes_on_from_the_snapshot_of_one_that_has_forgotten(tmp_path):
    one, idle = guard(tmp_path), guard(tmp_path)
    idle.select(request_id="e0")
    for _ in range(4):
        one.update(one.select(), 0.5)
    assert one.forget() > 0
    assert idle.select(request_id="e1") == one.select(request_id="e1")
    assert idle.spent == one.spent == 0.5
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


def test_a_worker_whose_file_was_left_behind_is_refused_for_good(tmp_path):
    """It grows while it is refused; the head may not move on to it once it is as long as the copy."""
    first = guard(tmp_path, per_user=0.5)
    first.update(first.select(), 0.5, user="u1")
    policies.close(first)
    shutil.copy(tmp_path / "budget.db", tmp_path / "copy.db")
    one, copy = (guard(tmp_path, per_user=0.5, ledger=tmp_path / name) for name in ("budget.db", "copy.db"))
    for _ in range(3):
        copy.select()
    for _ in range(8):
        with pytest.raises(PrivcheckError, match="another worker writes to a copy of this file"):
            one.select()
    copy.update(copy.select(), 0.5, user="u2")
    with pytest.raises(PrivcheckError, match="another worker writes to a copy of this file"):
        one.update(one._engine.played.policy.best, 0.5, user="u2")


@pytest.mark.parametrize("forgets", [False, True])
@pytest.mark.parametrize("idle", [False, True])
def test_a_file_that_is_put_back_under_its_workers_is_refused_for_good(tmp_path, forgets, idle):
    """What was spent since would be spent again, also once the file is as long as it was."""
    first, other = (guard(tmp_path, per_user=0.5) for _ in range(2))

    def given(guarded, user):
        guarded.update(guarded.select(), 0.5, user=user)

    given(first, "u0")
    if forgets:
        first.forget()
    file, copy = (sqlite3.connect(tmp_path / name) for name in ("budget.db", "copy.db"))
    file.backup(copy)
    for user in ("u1", "u2", "u3"):
        given(first, user)
        assert not other.would_fit(user=user)
    copy.backup(file)
    for _ in range(12):
        with pytest.raises(PrivcheckError, match=r"it was put back|another worker writes to a copy|does not follow"):
            given(first, "u3")
    if idle:
        for _ in range(3):
            with pytest.raises(
                PrivcheckError, match=r"it was put back|another worker writes to a copy|does not follow"
            ):
                given(other, "u3")
    assert rows(copy, "SELECT count(*) FROM written WHERE who <> ''") == [(1,)]
    file.close()
    copy.close()


def test_a_copy_that_is_as_long_is_refused_before_it_answers(tmp_path):
    """What is asked again would get the answer of a file that went its own way."""
    guarded, files = guard(tmp_path), tmp_path / "files"
    guarded.select(request_id="e1")
    files.mkdir()
    for name in ("budget.db", "heads.db"):
        copied(tmp_path / name, files / name)
    other = guard(files)
    guarded.select(request_id="e2")
    other.select(request_id="e3")
    copied(files / "budget.db", tmp_path / "budget.db")
    for request in ("e3", "e1", "e2"):
        with pytest.raises(PrivcheckError, match=r"it was put back|another worker writes to a copy"):
            guarded.select(request_id=request)


def copied(source, target):
    one, other = (sqlite3.connect(name) for name in (source, target))
    one.backup(other)
    one.close()
    other.close()


class EndsOnce(policies.PlainBlocks):
    """Ends its process after a release, once."""

    ends = True

    def update(self, action, reward):
        super().update(action, reward)
        if self.count == 2 and EndsOnce.ends:
            raise SystemExit


@pytest.mark.parametrize("batch", [False, True])
def test_a_refused_call_keeps_the_event_that_it_has_finished_for_another_worker(tmp_path, monkeypatch, batch):
    """The head would know an entry that was rolled back: no worker could start again."""
    monkeypatch.setattr(EndsOnce, "ends", True)
    one, other = (guard(tmp_path, EndsOnce) for _ in range(2))
    one.update(one.select(request_id="e1"), 1.0, request_id="e1")
    with pytest.raises(SystemExit):
        one.update(one.select(request_id="e2"), 1.0, request_id="e2")
    monkeypatch.setattr(EndsOnce, "ends", False)
    told = {"action": 0, "reward": 0.5, "request_id": "e1"}
    with pytest.raises(PrivcheckError, match="recorded with other arguments"):
        other.update_many([told, told]) if batch else other.update(0, 0.5, request_id="e1")
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []
    third = guard(tmp_path, EndsOnce)
    assert other.select(request_id="e3") == third.select(request_id="e3")


def rows(connection, query):
    return connection.execute(query).fetchall()
