"""A folder with finished work by key: a file for each, and a manifest in SQLite, which says what is whole.

Several clients may work on one folder. A client claims what it is about to play, and renews its claims while it lives;
a claim that expired, or whose process has ended, is anybody's. What two clients played nevertheless is entered once.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from typing import Any

from privcheck.errors import PrivcheckError
from privcheck.scheduling._living_processes import may_live, this_client
from privcheck.scheduling._sqlite_files import Database

LIFETIME = 60.0
"""Seconds for which a claim holds at least unless it is renewed, which happens four times as often."""

CLAIMS = "CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, client TEXT NOT NULL, until REAL NOT NULL)"


class Cache:
    """Finished work, and who is at work on the rest.

    Parameters
    ----------
    database : the manifest, with the table of `CLAIMS` and one of finished work.
    finished : the name of that table, whose first column is `key`.
    """

    def __init__(self, database: Database, finished: str) -> None:
        self.database, self.client = database, this_client()
        self._finished = finished
        self._longest = 0.0
        self._ends = threading.Event()
        self._renewing: threading.Thread | None = None

    def close(self) -> None:
        """Give up the claims of this client, and close the manifest."""
        self._ends.set()
        if self._renewing is not None:
            self._renewing.join()
        with suppress(PrivcheckError, sqlite3.Error):
            if self._renewing is not None:
                self.database.execute("DELETE FROM claims WHERE client = ?", (self.client,))
        self.database.close()

    def claim(self, key: str) -> bool | None:
        """Claim a piece of work: True if it is this client's now, False if it is another's, None if it is finished."""
        now = time.time()
        with self.database.transaction():
            if self.database.rows(f"SELECT 1 FROM {self._finished} WHERE key = ?", (key,)):
                return None
            for (client,) in self.database.rows("SELECT client FROM claims WHERE key = ? AND until > ?", (key, now)):
                if client != self.client and may_live(str(client)):
                    return False
            row = (key, self.client, now + self._lifetime)
            self.database.execute("REPLACE INTO claims VALUES (?, ?, ?)", row)
        if self._renewing is None:
            self._renewing = threading.Thread(target=self._renew, name="privcheck-claims", daemon=True)
            self._renewing.start()
        return True

    @property
    def _lifetime(self) -> float:
        return max(LIFETIME, 10.0 * self._longest)

    def _renew(self) -> None:
        while not self._ends.wait(LIFETIME / 4):
            with suppress(PrivcheckError, sqlite3.Error), closing(self.database.another()) as database:
                # If it fails, next time: without it another client plays the same, too.
                values = (time.time() + self._lifetime, self.client)
                database.execute("UPDATE claims SET until = ? WHERE client = ?", values)

    def enter(self, key: str, row: Sequence[Any], seconds: float) -> None:
        """Enter finished work, which took so many seconds, with the other columns of its table; its claim ends."""
        self._longest = max(self._longest, seconds)
        marks = ", ".join("?" * (1 + len(row)))
        with self.database.transaction():
            self.database.execute(f"INSERT OR IGNORE INTO {self._finished} VALUES ({marks})", (key, *row))
            self.database.execute("DELETE FROM claims WHERE key = ?", (key,))

    def give_up(self, key: str) -> None:
        """Give up a claim: what was played is not kept."""
        self.database.execute("DELETE FROM claims WHERE key = ? AND client = ?", (key, self.client))

    def forget(self, key: str) -> None:
        """Take finished work as unfinished again."""
        self.database.execute(f"DELETE FROM {self._finished} WHERE key = ?", (key,))
