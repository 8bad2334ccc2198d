"""The folder of a sweep: one JSON file for each finished result, and a manifest in SQLite.

A result is a file `cells/KEY.json`, written whole before the manifest says that the cell is finished; a file without
its row is entered when the store is opened. Clients claim a cell before they play it, for a minute that they renew; a
claim that expired, or whose process has ended, is anybody's. A cell that two clients played nevertheless is entered
once.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from privcheck.errors import PrivcheckError
from privcheck.files import write_whole
from privcheck.scheduling import check_local
from privcheck.serialise import ILL_TYPED
from privcheck.sweeps._cell import Cell
from privcheck.sweeps._play_cell import Played, digest, read_columns

MANIFEST, RESULTS = "cells.sqlite", "cells"
LIFETIME = 60.0
"""Seconds for which a claim holds unless it is renewed, which happens four times as often."""

FORMAT = 1
"""`user_version` of the manifest."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS planned (place TEXT PRIMARY KEY, key TEXT NOT NULL, columns TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS finished (key TEXT PRIMARY KEY, place TEXT NOT NULL, error TEXT, digest TEXT,
    columns TEXT NOT NULL, seconds REAL NOT NULL, finished_at REAL NOT NULL, client TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS finished_by_place ON finished (place);
CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, client TEXT NOT NULL, expires REAL NOT NULL);
"""

EXPECTED = "a folder of a sweep"


class CellStore:
    """The folder of one sweep or of several, open for reading and writing.

    Parameters
    ----------
    folder : is made if it is not there. It has to be on a disk of this machine.

    Raises
    ------
    PrivcheckError : a folder on a network disk, or that cannot be made or written; a manifest that is none or of
        another format.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.client = f"{platform.node()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._stop = threading.Event()
        with self._refusing():
            (self.folder / RESULTS).mkdir(parents=True, exist_ok=True)
            check_local("store", self.folder)
            self._database = _connected(self.folder / MANIFEST)
            version = self._database.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, FORMAT):
                raise PrivcheckError("store", str(folder), f"{EXPECTED} of format {FORMAT}", f"its format is {version}")
            self._database.executescript(SCHEMA)
            self._database.execute(f"PRAGMA user_version = {FORMAT}")

    def close(self) -> None:
        """Give up the claims of this client and close the manifest."""
        with suppress(sqlite3.Error):
            self._database.execute("DELETE FROM claims WHERE client = ?", (self.client,))
        self._database.close()

    def __enter__(self) -> CellStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def path(self, key: str) -> Path:
        """Return the file of a result."""
        return self.folder / RESULTS / f"{key}.json"

    def plan(self, cells: Sequence[tuple[str, Cell]], *, retry: bool = False) -> None:
        """Enter what is to be played, with the keys of now, and put the rows of finished results right.

        Parameters
        ----------
        cells : with their keys.
        retry : whether failed cells are forgotten, to be played again.
        """
        rows = [(cell.place, key, json.dumps(cell.columns)) for key, cell in cells]
        with self._refusing(), self._transaction():
            self._database.executemany("INSERT OR REPLACE INTO planned VALUES (?, ?, ?)", rows)
            if retry:
                self._database.executemany(
                    "DELETE FROM finished WHERE key = ? AND error IS NOT NULL", [(key,) for key, _ in cells]
                )
        known = self.finished()  # first: another client writes a file before its row
        there = {path.stem for path in (self.folder / RESULTS).glob("*.json")}
        for key, cell in cells:
            if key in there and key not in known:
                self._adopt(key, cell)
            elif key not in there and known.get(key, "failed") is None:  # done, and its file was removed
                with self._refusing():
                    self._database.execute("DELETE FROM finished WHERE key = ?", (key,))

    def _adopt(self, key: str, cell: Cell) -> None:
        """Enter a result whose client ended between the file and the manifest; remove a file that is no result."""
        try:
            text = self.path(key).read_text(encoding="utf-8")
            columns = read_columns(text)
        except (PrivcheckError, OSError, *ILL_TYPED):
            self.path(key).unlink(missing_ok=True)
            return
        self._enter(key, cell, Played(text, columns, None, float(columns["seconds"] or 0.0)))

    def finished(self) -> dict[str, str | None]:
        """Return the keys of finished cells, with the errors of those that failed."""
        with self._refusing():
            return dict(self._database.execute("SELECT key, error FROM finished"))

    def stale(self, cells: Sequence[tuple[str, Cell]]) -> int:
        """Return how many finished results are of other sources, data or versions than now."""
        current = {cell.place: key for key, cell in cells}
        with self._refusing():
            found = self._database.execute("SELECT place, key FROM finished WHERE error IS NULL").fetchall()
        return sum(place in current and current[place] != key for place, key in found)

    def claim(self, key: str) -> bool | None:
        """Claim a cell: True if it is this client's now, False if it is another's, None if it is finished."""
        now = time.time()
        with self._refusing(), self._transaction():
            if self._database.execute("SELECT 1 FROM finished WHERE key = ?", (key,)).fetchone():
                return None
            held = self._database.execute("SELECT client, expires FROM claims WHERE key = ?", (key,)).fetchone()
            if held is not None and held[1] > now and _may_live(held[0]):
                return bool(held[0] == self.client)
            self._database.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", (key, self.client, now + LIFETIME))
        return True

    def keep(self, key: str, cell: Cell, played: Played) -> None:
        """Store a result, whole on the disk before the manifest names it, or the error of a cell that failed.

        Raises
        ------
        PrivcheckError : the disk is full, or cannot be written.
        """
        if played.text is not None:
            write_whole(self.path(key), played.text + "\n", "store", durable=True)
        self._enter(key, cell, played)

    def _enter(self, key: str, cell: Cell, played: Played) -> None:
        found = None if played.text is None else digest(played.text)
        row = (key, cell.place, played.error, found, json.dumps(played.columns), played.seconds, time.time())
        with self._refusing(), self._transaction():
            self._database.execute(
                "INSERT OR IGNORE INTO finished VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, self.client)
            )
            self._database.execute("DELETE FROM claims WHERE key = ?", (key,))

    @contextmanager
    def renewing(self) -> Iterator[None]:
        """Renew the claims of this client while the block runs."""
        self._stop.clear()
        thread = threading.Thread(target=self._renew, name="privcheck-claims", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()

    def _renew(self) -> None:
        while not self._stop.wait(LIFETIME / 4):
            with suppress(sqlite3.Error):  # next time; without it another client plays the cell too
                database = _connected(self.folder / MANIFEST)
                try:
                    until = time.time() + LIFETIME
                    database.execute("UPDATE claims SET expires = ? WHERE client = ?", (until, self.client))
                finally:
                    database.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):  # a full disk has ended it already
                self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        with refusing(self.folder):
            yield


def read_rows(folder: str | Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the planned cells of a folder in order, with their results, and the keys of stale results.

    Raises
    ------
    PrivcheckError : a folder without a manifest, or with one that cannot be read.
    """
    manifest = Path(folder) / MANIFEST
    if not manifest.is_file():
        hint = "`privcheck sweep FILE.toml --store DIR` makes one"
        raise PrivcheckError("folder", str(folder), EXPECTED, f"it has no {MANIFEST}: {hint}")
    with refusing(folder, "folder"):
        database = _connected(manifest)
        try:
            planned = database.execute(
                "SELECT planned.columns, finished.key, error, digest, finished.columns, seconds, planned.place "
                "FROM planned LEFT JOIN finished ON finished.key = planned.key ORDER BY planned.rowid"
            ).fetchall()
            stale = database.execute(
                "SELECT key FROM finished WHERE error IS NULL AND key NOT IN (SELECT key FROM planned)"
            ).fetchall()
        finally:
            database.close()
    rows = []
    for asked, key, error, found, columns, seconds, place in planned:
        status = "to play" if key is None else "done" if error is None else "failed"
        result = json.loads(columns) if columns else {}
        file = f"{RESULTS}/{key}.json" if status == "done" else None
        about = {"status": status, "error": error} | json.loads(asked)
        rows.append(about | {"result": result, "cell_seconds": seconds, "file": file, "digest": found, "place": place})
    return rows, [key for (key,) in stale]


@contextmanager
def refusing(folder: str | Path, parameter: str = "store") -> Iterator[None]:
    """Turn errors of SQLite and of the file system into a refusal of the folder."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = f"{reason}: what is finished is kept, and the same command continues"
        raise PrivcheckError(parameter, str(folder), EXPECTED + " that can be read and written", hint) from None


def _connected(manifest: Path) -> sqlite3.Connection:
    database = sqlite3.connect(manifest, timeout=60.0, isolation_level=None)
    database.execute("PRAGMA synchronous = FULL")
    return database


def _may_live(client: str) -> bool:
    """Tell whether a client may still be at work: a process of this machine that ended is not."""
    machine, process, _ = client.rsplit(":", 2)
    if machine != platform.node() or os.name != "posix":
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (OSError, ValueError):
        return True
    return True
