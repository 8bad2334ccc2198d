"""A folder that keeps finished chunks, so that the same work, begun again, goes on where it was ended."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from privcheck.errors import PrivcheckError, words
from privcheck.extras import require_extra
from privcheck.scheduling._fingerprint import check_same, fingerprint
from privcheck.scheduling._local_disk import check_local
from privcheck.scheduling._part_files import Arrays, as_parquet, from_parquet, write_whole

KEPT_FROM = 0.02
"""Seconds: a chunk that took less is played again sooner than it is written and found."""

CLAIMED = 60.0
"""Seconds for which a chunk is left to another client at least; ten times as long as the longest chunk took."""

TABLES = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS parts (key TEXT PRIMARY KEY, sha256 TEXT NOT NULL, seconds REAL NOT NULL);
CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, client TEXT NOT NULL, until REAL NOT NULL);
"""


class ChunkStore:
    """Finished chunks by key: Parquet files, and a manifest in SQLite that says which of them are whole.

    Only clients write to a store, several of them at a time if they like: a client claims a chunk before it is played,
    and the others wait for it while this client lives. Results of other versions or on another processor are not mixed.

    Parameters
    ----------
    folder : a folder on a local disk, which is made if there is none.

    Raises
    ------
    PrivcheckError : no pyarrow, a network disk, a store of other versions, or a folder that cannot be written.
    """

    def __init__(self, folder: str | Path) -> None:
        require_extra("store", "store")
        self.folder = Path(folder)
        self._client = f"{socket.gethostname()} {os.getpid()} {_begun(os.getpid())}"
        self._longest = 0.0
        with _said(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            check_local("store", self.folder)
            self._manifest = sqlite3.connect(self.folder / "manifest.sqlite", timeout=60.0, isolation_level=None)
            self._manifest.executescript(TABLES)
            mine = json.dumps(fingerprint())
            self._manifest.execute("INSERT OR IGNORE INTO about VALUES ('fingerprint', ?)", (mine,))
        kept = json.loads(self._about("fingerprint") or "{}")
        check_same(kept, "store", f"{self.folder}", "use a store for each, or the versions that it was begun with")

    def close(self) -> None:
        """Give up the claims of this client, and close the manifest."""
        with contextlib.suppress(sqlite3.Error):
            self._manifest.execute("DELETE FROM claims WHERE client = ?", (self._client,))
        self._manifest.close()

    def read(self, key: str) -> Arrays | None:
        """Return what is kept of a chunk; None if it is not there, or not as it was written."""
        with _said(self.folder):
            row = self._manifest.execute("SELECT sha256 FROM parts WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            with contextlib.suppress(FileNotFoundError):
                content = self._file(key).read_bytes()
                if hashlib.sha256(content).hexdigest() == row[0]:
                    return from_parquet(content)
            self._manifest.execute("DELETE FROM parts WHERE key = ?", (key,))
        return None

    def keep(self, key: str, arrays: Arrays, seconds: float) -> None:
        """Keep a chunk that took so many seconds, unless it is as fast to play it again."""
        with _said(self.folder):
            self._longest = max(self._longest, seconds)
            if seconds >= KEPT_FROM:
                content = as_parquet(arrays)
                write_whole(self._file(key), content)
                row = (key, hashlib.sha256(content).hexdigest(), seconds)
                self._manifest.execute("INSERT OR IGNORE INTO parts VALUES (?, ?, ?)", row)
            self._manifest.execute("DELETE FROM claims WHERE key = ? AND client = ?", (key, self._client))

    def claim(self, key: str) -> bool:
        """Tell whether this client is to play a chunk: it is not kept, nor claimed by another that lives."""
        until = time.time() + max(CLAIMED, 10.0 * self._longest)
        with _said(self.folder):
            self._manifest.execute("BEGIN IMMEDIATE")
            try:
                row = self._manifest.execute("SELECT client, until FROM claims WHERE key = ?", (key,)).fetchone()
                kept = self._manifest.execute("SELECT 1 FROM parts WHERE key = ?", (key,)).fetchone()
                free = row is None or row[0] == self._client or row[1] < time.time() or not _lives(row[0])
                free = free and kept is None
                if free:
                    self._manifest.execute("REPLACE INTO claims VALUES (?, ?, ?)", (key, self._client, until))
            finally:
                self._manifest.execute("COMMIT")
        return free

    def renew(self) -> None:
        """Keep the claims of this client from expiring."""
        until = time.time() + max(CLAIMED, 10.0 * self._longest)
        with _said(self.folder):
            self._manifest.execute("UPDATE claims SET until = ? WHERE client = ?", (until, self._client))

    def settled(self, key: str, decide: Callable[[], Any]) -> Any:
        """Return numbers that a clock decided when this work was begun, such as how many runs fit into a budget."""
        name = f"settled {key}"
        if self._about(name) is None:
            with _said(self.folder):
                self._manifest.execute("INSERT OR IGNORE INTO about VALUES (?, ?)", (name, json.dumps(decide())))
        return json.loads(self._about(name) or "null")

    def _about(self, name: str) -> str | None:
        with _said(self.folder):
            row = self._manifest.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def _file(self, key: str) -> Path:
        return self.folder / "parts" / key[:2] / f"{key}.parquet"


@contextmanager
def _said(folder: Path) -> Iterator[None]:
    """Say in one line what is wrong with a disk."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or "disk is full" in str(error)
        got = words(f"{folder}: {'the disk is full' if full else error}")
        hint = "finished chunks are kept: make room, and the same command goes on" if full else "check the folder"
        raise PrivcheckError("store", got, "a folder that can be written", hint) from error


def _begun(pid: int) -> str:
    """Return when a process of this machine began, which tells it from a later one of its number; "" if unknown."""
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    return ""


def _lives(client: str) -> bool:
    """Tell whether a client may still live: one on another machine, or a process that there is."""
    host, pid, begun = client.split(" ", 2)
    if host != socket.gethostname():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return _begun(int(pid)) == begun
