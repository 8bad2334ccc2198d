"""Processes that write to one database all the time take turns."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from privcheck import PrivcheckError
from privcheck.scheduling import Database, Refusal, _queues
from privcheck.scheduling import _sqlite_files as files
from privcheck.scheduling._queues import TURN, Queue

fcntl = pytest.importorskip("fcntl", reason="there are no queues on Windows")


def opened(folder):
    refusal = Refusal(folder, "store", "a folder that can be written", "")
    return Database(folder / "seen.db", refusal, ["CREATE TABLE seen (who TEXT)"], queue=folder / "queue")


def write(database, who):
    with database.transaction():
        database.execute("INSERT INTO seen VALUES (?)", (who,))


def other(folder):
    """Return a fork that asks for the lock when it is told to, and writes once; and how to tell it.

    It is made before any database is opened: SQLite does not allow a connection to cross a fork.
    """
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.read(receiving, 1)
            write(opened(folder), "the other")
            os._exit(0)
        finally:
            os._exit(1)
    return child, lambda: os.write(sending, b"!")


def is_entered(file):
    """Return whether another process is in the queue."""
    with file.open("r+b") as other:
        try:
            fcntl.lockf(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def order(folder, has_asked):
    """Return who wrote when: a process that has the lock, and asks again at once, and one that asks meanwhile."""
    child, tell = other(folder)
    database = opened(folder)
    with database.transaction():
        database.execute("INSERT INTO seen VALUES ('first')")
        tell()
        has_asked()
    for _ in range(2 * TURN):
        write(database, "first again")
    assert os.waitpid(child, 0)[1] == 0
    database.close()
    return [who for (who,) in opened(folder).rows("SELECT who FROM seen ORDER BY rowid")]


def test_who_had_the_lock_a_few_times_waits_behind_who_asks_for_it(tmp_path):
    def has_asked():
        deadline = time.monotonic() + 60.0
        while not is_entered(tmp_path / "queue"):
            assert time.monotonic() < deadline
            time.sleep(0.001)

    assert order(tmp_path, has_asked).index("the other") <= TURN


@pytest.mark.chance(1e-6, "that a process which sleeps most of the time asks in a free moment, six times")
def test_without_a_queue_who_had_the_lock_has_it_again(tmp_path, monkeypatch):
    monkeypatch.setattr(Queue, "enter", lambda self: None)
    found = []
    for number in range(6):
        folder = tmp_path / str(number)
        folder.mkdir()
        found.append(order(folder, lambda: time.sleep(0.5)).index("the other"))
    assert max(found) > TURN


def test_nobody_waits_for_who_was_killed_in_the_queue(tmp_path):
    """Nor for a fork of it, which lives on."""
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        Queue(tmp_path / "queue").enter()
        fork = os.fork()
        if fork:
            os.write(sending, fork.to_bytes(8, "big"))
        time.sleep(60.0)
        os._exit(1)
    fork = int.from_bytes(os.read(receiving, 8), "big")
    os.close(receiving)
    os.close(sending)
    assert is_entered(tmp_path / "queue")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    try:
        assert not is_entered(tmp_path / "queue")
    finally:
        os.kill(fork, signal.SIGKILL)


def test_nobody_waits_for_long_for_who_was_stopped_in_the_queue(tmp_path, monkeypatch):
    monkeypatch.setattr(_queues, "PATIENCE", 0.1, raising=False)
    child = os.fork()
    if child == 0:
        Queue(tmp_path / "queue").enter()
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(1)
    assert os.waitpid(child, os.WUNTRACED)[0] == child
    try:
        started, database = time.monotonic(), opened(tmp_path)
        for number in range(TURN + 1):
            write(database, str(number))
        assert time.monotonic() - started < 5.0
        assert is_entered(tmp_path / "queue")
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_lock_that_is_not_had_lets_the_next_process_ask(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "WAITED", 0.05)
    one, two = opened(tmp_path), opened(tmp_path)
    with one.transaction(), pytest.raises(PrivcheckError, match="database is locked"):
        write(two, "two")
    write(two, "two")
    assert one.rows("SELECT who FROM seen") == [("two",)]


def test_a_queue_that_cannot_be_made_is_none(tmp_path):
    database = opened(tmp_path)
    database.queue = Queue(Path(tmp_path, "no folder", "queue"))
    write(database, "one")
    assert database.rows("SELECT who FROM seen") == [("one",)]


def test_ctrl_c_where_the_next_process_may_ask_leaves_no_transaction_open(tmp_path, monkeypatch):
    database, leave = opened(tmp_path), Queue.leave

    def interrupted(self):
        leave(self)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Queue, "leave", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write(database, "the first")
    write(database, "the second")
    assert ("the second",) in database.rows("SELECT who FROM seen")
