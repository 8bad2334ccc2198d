"""Claims on finished work: one client each, until it ends or does not renew its claim. And the database below them."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

import privcheck
from privcheck.errors import PrivcheckError
from privcheck.scheduling import CLAIMS, Cache, Database, Refusal
from privcheck.scheduling import _living_processes as clients
from privcheck.scheduling import _work_cache as work_cache
from privcheck.scheduling._living_processes import may_live, this_client

FINISHED = "CREATE TABLE finished (key TEXT PRIMARY KEY, told TEXT)"


def opened(folder, upgrades=(FINISHED, CLAIMS)):
    return Database(folder / "manifest.sqlite", Refusal(folder, "store", "a folder", "nothing is lost"), upgrades)


@pytest.fixture
def stores(tmp_path):
    with closing(Cache(opened(tmp_path), "finished")) as first, closing(Cache(opened(tmp_path), "finished")) as second:
        yield first, second


def test_work_is_claimed_once_and_finished_once(stores):
    first, second = stores
    assert first.claim("key") is True
    assert first.claim("key") is True
    assert second.claim("key") is False
    first.enter("key", ("one",), 0.1)
    second.enter("key", ("two",), 0.1)
    assert second.claim("key") is None
    assert first.database.rows("SELECT * FROM finished") == [("key", "one")]
    first.forget("key")
    assert second.claim("key") is True


def test_what_is_given_up_is_anybodys(stores):
    first, second = stores
    assert first.claim("key") is True
    second.give_up("key")
    assert second.claim("key") is False, "another's claim cannot be given up"
    first.give_up("key")
    assert second.claim("key") is True


def test_a_client_that_leaves_gives_up_its_claims(stores, tmp_path):
    with closing(Cache(opened(tmp_path), "finished")) as third:
        assert third.claim("key") is True
        assert stores[0].claim("key") is False
    assert stores[0].claim("key") is True


def test_a_claim_expires_unless_it_is_renewed(stores, monkeypatch):
    first, second = stores
    now = time.time()
    monkeypatch.setattr(work_cache.time, "time", lambda: now)
    assert first.claim("key") is True
    now += work_cache.LIFETIME - 1
    assert second.claim("key") is False
    now += 2
    assert second.claim("key") is True
    assert first.claim("key") is False


def test_claims_are_renewed_while_work_is_played(stores, monkeypatch):
    first, second = stores
    monkeypatch.setattr(work_cache, "LIFETIME", 0.4)
    assert first.claim("key") is True
    time.sleep(1.0)
    assert second.claim("key") is False
    monkeypatch.setattr(first._ends, "wait", lambda _: True)
    first._renewing.join()
    time.sleep(0.5)
    assert second.claim("key") is True, "the broken twin, which renews nothing, loses its claim"


def test_clients_that_ended_are_not_alive():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    machine, own, begun, word = this_client().split(" ")
    assert own == str(os.getpid())
    assert may_live(f"{machine} {own} {begun} another-word")
    assert not may_live(f"{machine} {ended.pid} {begun} {word}")
    assert may_live(f"elsewhere {ended.pid} {begun} {word}"), "nobody knows what runs on another machine"
    assert not may_live(f"{machine} {own} another-start {word}"), "another process with the number of a dead one"
    assert not may_live(f"{machine} {'9' * 30} {begun} {word}")
    assert not may_live(f"{machine} none {begun} {word}")


def test_the_claim_of_a_process_that_ended_is_anybodys(stores):
    first, second = stores
    assert first.claim("key") is True
    dead = f"{clients._machine()} {os.getpid()} another-start word"
    first.database.execute("UPDATE claims SET client = ?", (dead,))
    assert second.claim("key") is True


# The database


def test_a_format_is_brought_up_to_date_and_a_later_one_is_refused(tmp_path):
    with closing(opened(tmp_path, (FINISHED,))) as first:
        first.execute("INSERT INTO finished VALUES ('key', 'one')")
    with closing(opened(tmp_path)) as second:
        assert second.rows("SELECT * FROM finished") == [("key", "one")]
        assert second.rows("SELECT * FROM claims") == []
        assert second.rows("PRAGMA user_version") == [(2,)]
    with pytest.raises(PrivcheckError, match=r"its format is 2, and this privcheck knows 1, .*a later privcheck"):
        opened(tmp_path, (FINISHED,))


def test_an_upgrade_that_fails_leaves_the_file_as_it_was(tmp_path):
    with pytest.raises(PrivcheckError, match="no such table"):
        opened(tmp_path, (f"{FINISHED}; INSERT INTO nowhere VALUES (1)",))
    with closing(opened(tmp_path)) as database:
        assert database.rows("PRAGMA user_version") == [(2,)]


def test_a_transaction_is_whole_or_nothing(tmp_path):
    with closing(opened(tmp_path)) as database:
        with pytest.raises(PrivcheckError, match="no such table"), database.transaction():  # noqa: PT012
            database.execute_each("INSERT INTO finished VALUES (?, ?)", [("a", 1)])
            database.execute("INSERT INTO nowhere VALUES (1)")
        assert database.rows("SELECT * FROM finished") == []
        with database.transaction():
            database.execute_each("INSERT INTO finished VALUES (?, ?)", [("a", 1), ("b", 2)])
        assert database.rows("SELECT count(*) FROM finished") == [(2,)]


def test_a_fork_has_a_connection_of_its_own(tmp_path):
    """The broken twin shares its parent's connection, in whose transaction its row would be."""

    def child():
        database.execute("INSERT INTO finished VALUES ('key', 'child')")
        database.close()

    with closing(opened(tmp_path)) as database:
        parents = database._own()
        process = multiprocessing.get_context("fork").Process(target=child)
        process.start()
        process.join()
        assert process.exitcode == 0
        assert database._own() is parents
        assert database.rows("SELECT * FROM finished") == [("key", "child")]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_fork_is_noticed_whatever_its_number(tmp_path, monkeypatch):
    """The number of a process that has ended is given again, and containers count their own."""
    with closing(opened(tmp_path)) as database:
        parents, number = database._own(), os.getpid()
        monkeypatch.setattr(os, "getpid", lambda: number)
        child = os.fork()
        if child == 0:
            os._exit(0 if database._own() is not parents else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert database._own() is parents


def rows_of_threads(database):
    """Return what each of several threads was told that asked at the same time, and what it asked for."""

    def ask(thread):
        start.wait()
        return [database.rows("SELECT ?, value FROM json_each('[1, 2, 3]')", (thread,)) for _ in range(200)]

    start = threading.Barrier(4)
    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(ask, thread) for thread in range(4)]
    return [[*itertools.chain(*each.result())] for each in found]


def test_threads_have_rows_of_their_own(tmp_path):
    with closing(opened(tmp_path)) as database:
        expected = [[(thread, value) for _ in range(200) for value in (1, 2, 3)] for thread in range(4)]
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            assert rows_of_threads(database) == expected
        finally:
            sys.setswitchinterval(interval)


def test_a_cursor_in_use_is_given_to_nobody_else(tmp_path):
    """Threads that share one mix their rows up, or end the process."""
    with closing(opened(tmp_path)) as database:
        assert database._cursor() is not database._cursor()


def test_a_file_that_is_no_database_is_one_line(tmp_path):
    (tmp_path / "manifest.sqlite").write_text("no database, " * 100)
    with pytest.raises(PrivcheckError, match="file is not a database, expected a folder; nothing is lost"):
        opened(tmp_path)


def test_one_module_opens_sqlite():
    package = Path(privcheck.__file__).parent
    files = [path for path in package.rglob("*.py") if "sqlite3.connect(" in path.read_text(encoding="utf-8")]
    assert len(files) == 1, files
