"""The store of a watch: an ordered journal of nights in one SQLite file, to which entries are only ever added.

One file holds any number of watches. Each entry has the hash of all before it, so a file that was changed by hand is
refused. What follows from the entries (the evidence, the alarms) is computed from them anew each time: nothing else is
kept but the outputs of counted runs, from which later nights learn what to look for.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.errors import PrivcheckError
from privcheck.journal import START, Entry
from privcheck.scheduling import Arrays, Database, Refusal

STORE = 0x70637732
"""SQLite's application_id of a store of watches."""

FORMATS = (
    f"""PRAGMA application_id = {STORE};
    CREATE TABLE entry (number INTEGER PRIMARY KEY, night INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
        watch TEXT NOT NULL, hash BLOB NOT NULL);
    CREATE TABLE runs (number INTEGER PRIMARY KEY REFERENCES entry, arrays BLOB NOT NULL)""",
)

MADE, WATCH, BEGUN, COUNTED, LOST = "store", "watch", "begun", "counted", "lost"
"""Kinds of entries: the store and its seed, what a watch plays and claims, a night whose pairs are chosen, its counts,
and a night that has none.
"""

LOCK = "-lock"
"""What the file is called, beside the store, that only one process at a time can hold."""


NO_STORE = "give the file that `privcheck watch` wrote, or a name that is free"


class EvidenceStore:
    """A store of watches.

    Parameters
    ----------
    path : of the file.
    make : whether it is made if it is not there.

    Raises
    ------
    PrivcheckError : no such file, another program's database, a later format, a file that was changed by hand, a
        network disk, a file that cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str], *, make: bool) -> None:
        if not isinstance(path, str | os.PathLike) or not os.fspath(path):
            raise PrivcheckError("store", path, "the path of a file", 'as in store="watch.sqlite"')
        self.file = Path(path)
        hint = "what was counted before is still there"
        self.refusal = Refusal(self.file, "store", "a store of watches on a local disk", hint, NO_STORE)
        with self.refusal.turning_errors():
            if self.file.is_dir():
                raise self.refusal.because("it is a folder", "add a file name")
            if not make and (not self.file.exists() or not self.file.stat().st_size):
                why = "it is empty" if self.file.exists() else "there is no such file"
                raise self.refusal.because(why, "give the file that `privcheck watch` wrote")
            self._check_kind()
        self._database = Database(self.file, self.refusal, FORMATS)
        with self._database.transaction():
            self.new = not self._database.rows("SELECT 1 FROM entry LIMIT 1")
            if self.new:
                self._append(MADE, "", 0, {"seed": secrets.token_hex(16)})
        self.entries = self._read()

    def refresh(self) -> None:
        """Read what other processes have added."""
        self.entries = self._read()

    @property
    def seed(self) -> str:
        """What all seeds of its nights are derived from."""
        return str(self.entries[0].said["seed"])

    def of(self, watch: str) -> list[Entry]:
        """Return the entries of a watch, in order."""
        return [entry for entry in self.entries if entry.request == watch]

    @property
    def watches(self) -> list[str]:
        """The names of the watches, the oldest first."""
        return [entry.request for entry in self.entries if entry.kind == WATCH]

    def add(self, kind: str, watch: str, night: int, said: dict[str, Any], runs: Arrays | None = None) -> None:
        """Add an entry after the last one that is known here, durably.

        Raises
        ------
        PrivcheckError : another process has added entries since.
        """
        with self._database.transaction():
            last = self._database.rows("SELECT number, hash FROM entry ORDER BY number DESC LIMIT 1")
            if last != [(self.entries[-1].number, self.entries[-1].hash)]:
                raise self.refusal.because("another process has written to it meanwhile", "play the night again")
            if runs is not None:
                content = _packed(runs)
                said = said | {"runs": hashlib.sha256(content).hexdigest()}
            added = self._append(kind, watch, night, said)
            if runs is not None:
                self._database.execute("INSERT INTO runs VALUES (?, ?)", (added.number, content))
        self.entries.append(added)

    def runs(self, entry: Entry) -> Arrays:
        """Return the outputs of the counted runs of a night."""
        rows = self._database.rows("SELECT arrays FROM runs WHERE number = ?", (entry.number,))
        content = rows[0][0] if rows else None
        if not isinstance(content, bytes) or hashlib.sha256(content).hexdigest() != entry.said["runs"]:
            raise self._changed(entry.number)
        return _unpacked(content)

    @contextmanager
    def held(self, wait: float = 0.0) -> Iterator[bool]:
        """Keep other processes from playing nights of this store; yield whether none does already, after some waiting.

        The operating system gives a lock up when its process ends, in whatever way.

        Parameters
        ----------
        wait : seconds to wait for another process.
        """
        with self.refusal.turning_errors():
            file = self.file.resolve()  # whichever link leads to it
        beside = file.with_name(file.name + LOCK)
        lock = Database(beside, self.refusal, (), (f"busy_timeout = {math.ceil(1000.0 * wait)}",))
        try:
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except PrivcheckError as error:
                if getattr(error.__cause__, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
                    raise
                yield False
            else:
                yield True
        finally:
            lock.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _append(self, kind: str, watch: str, night: int, said: dict[str, Any]) -> Entry:
        rows = self._database.rows("SELECT number, hash FROM entry ORDER BY number DESC LIMIT 1")
        number, before = (int(rows[0][0]), bytes(rows[0][1])) if rows else (0, START)
        added = Entry(number + 1, night, kind, json.dumps(said), watch).after(before)
        values = added.number, added.event, added.kind, added.body, added.request, added.hash
        self._database.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)", values)
        return added

    def _read(self) -> list[Entry]:
        rows = self._database.rows("SELECT number, night, kind, body, watch, hash FROM entry ORDER BY number")
        found = [Entry(*row[:5])._replace(hash=row[5]) for row in rows]
        before = START
        for place, entry in enumerate(found, 1):
            stored = tuple(map(type, rows[place - 1])) == (int, int, str, str, str, bytes)
            if not stored or entry.number != place or not entry.follows(before):
                raise self._changed(place)
            before = entry.hash
        return found

    def _changed(self, number: int) -> PrivcheckError:
        hint = "restore the newest copy that was written by `privcheck watch`"
        return self.refusal.because(f"its entry {number} is not as it was written", hint)

    def _check_kind(self) -> None:
        if not self.file.exists():
            return
        plain = Database(self.file, self.refusal)
        try:
            ((count,),) = plain.rows("SELECT count(*) FROM sqlite_master")
            ((own,),) = plain.rows("PRAGMA application_id")
        finally:
            plain.close()
        if count and own != STORE:
            raise self.refusal.because("it is a database of another program", "give a file of its own")


def _packed(arrays: Arrays) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def _unpacked(content: bytes) -> Arrays:
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        return dict(found)
