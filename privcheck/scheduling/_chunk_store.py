"""A folder that keeps finished chunks, so that the same work, begun again, goes on where it was ended."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from privcheck.errors import PrivcheckError
from privcheck.extras import require_extra
from privcheck.scheduling._fingerprint import check_same, fingerprint
from privcheck.scheduling._part_files import Arrays, as_parquet, from_parquet, write_whole
from privcheck.scheduling._sqlite_files import Database, Refusal
from privcheck.scheduling._work_cache import CLAIMS, Cache

KEPT_FROM = 0.02
"""Seconds: a chunk that took less is played again sooner than it is written and found. 0 keeps all chunks."""

SHARE = 0.1
"""Of the time that chunks take: no more is spent on keeping them, whatever the disk is like."""

UPGRADES = (
    f"""
    CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS parts (key TEXT PRIMARY KEY, sha256 TEXT NOT NULL, seconds REAL NOT NULL);
    DROP TABLE IF EXISTS claims;
    {CLAIMS}
    """,
    """
    DELETE FROM parts;
    ALTER TABLE parts ADD COLUMN target TEXT NOT NULL DEFAULT '';
    ALTER TABLE parts ADD COLUMN client TEXT NOT NULL DEFAULT '';
    CREATE INDEX IF NOT EXISTS parts_by_target ON parts (target)
    """,
)

SET_ASIDE = (
    "finished chunks of the store were set aside and played anew: one that was played again showed something else, "
    "although the source of the target is the same; it may read a file, the environment or a value that has changed"
)


class ChunkStore(Cache):
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
        hint = "finished chunks are kept: make room, or check the folder, and the same command goes on"
        damaged = "its manifest is damaged: take another folder"
        refusal = Refusal(self.folder, "store", "a folder that can be written", hint, damaged=damaged)
        super().__init__(Database(self.folder / "manifest.sqlite", refusal, UPGRADES), "parts")
        mine = json.dumps(fingerprint())
        self.database.execute("INSERT OR IGNORE INTO about VALUES ('fingerprint', ?)", (mine,))
        self.believed: set[tuple[str, str]] = set()
        self.costs: dict[str, float] = {}
        self.notes: list[str] = []
        self.played = self._spent = 0.0
        kept = self._about("fingerprint")
        if not isinstance(kept, dict) or not all(isinstance(each, str) for each in kept.values()):
            raise self._damaged("fingerprint")
        check_same(kept, "store", f"{self.folder}", "use a store for each, or the versions that it was begun with")

    def read(self, key: str) -> Arrays | None:
        """Return what is kept of a chunk; None if it is not there, or not as it was written."""
        for (written,) in self.database.rows("SELECT sha256 FROM parts WHERE key = ?", (key,)):
            with self.database.refusal.turning_errors(), suppress(FileNotFoundError, IsADirectoryError):
                content = self._file(key).read_bytes()
                if hashlib.sha256(content).hexdigest() == written:
                    return from_parquet(content)
            self.forget(key)
        return None

    def known(self, target: str) -> dict[str, tuple[float, str]]:
        """Return the keys of a target's chunks, with the seconds that they took and the client that played them."""
        rows = self.database.rows("SELECT key, seconds, client FROM parts WHERE target = ?", (target,))
        return {key: (seconds, client) for key, seconds, client in rows}

    def worth_keeping(self, seconds: float | None) -> bool:
        """Tell whether a chunk that took so many seconds is found sooner than it is played again; None: unknown."""
        afforded = not KEPT_FROM or self._spent <= SHARE * self.played
        return seconds is not None and seconds >= KEPT_FROM and afforded

    def claim(self, key: str) -> bool | None:
        """Claim a chunk: see `Cache.claim`."""
        with self._paying():
            return super().claim(key)

    @contextmanager
    def _paying(self) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self._spent += time.perf_counter() - started

    def believes(self, target: str, client: str) -> bool:
        """Tell whether chunks of a target that a client has kept may be used: its own, and those that were tested."""
        return client == self.client or (target, client) in self.believed

    def set_aside(self, target: str) -> None:
        """Take all chunks of a target as not played, and make a note of it."""
        self.database.execute("DELETE FROM parts WHERE target = ?", (target,))
        self.believed = {(each, client) for each, client in self.believed if each != target}
        if SET_ASIDE not in self.notes:
            self.notes.append(SET_ASIDE)

    def keep(self, key: str, arrays: Arrays, seconds: float, target: str) -> None:
        """Keep a chunk of a target, which took so many seconds."""
        with self._paying():
            content = as_parquet(arrays)
            with self.database.refusal.turning_errors():
                if self._file(key).is_dir():
                    shutil.rmtree(self._file(key))
                write_whole(self._file(key), content)
            self.enter(key, (hashlib.sha256(content).hexdigest(), seconds, target, self.client), seconds)

    def settled(self, key: str, decide: Callable[[], tuple[float, float]]) -> tuple[float, float]:
        """Return two numbers that a clock decided when this work was begun, such as how many runs fit into a budget."""
        name = f"settled {key}"
        if not self.database.rows("SELECT 1 FROM about WHERE name = ?", (name,)):
            self.database.execute("INSERT OR IGNORE INTO about VALUES (?, ?)", (name, json.dumps(decide())))
        found = self._about(name)
        if not (isinstance(found, list) and len(found) == 2 and all(type(each) in (int, float) for each in found)):
            raise self._damaged(name)
        return found[0], found[1]

    def _about(self, name: str) -> Any:
        rows = self.database.rows("SELECT value FROM about WHERE name = ?", (name,))
        try:
            return json.loads(rows[0][0])
        except (ValueError, TypeError, IndexError, RecursionError):
            raise self._damaged(name) from None

    def _damaged(self, name: str) -> PrivcheckError:
        return self.database.refusal.because(f"its manifest is damaged: {name[:24]}", "take another folder")

    def _file(self, key: str) -> Path:
        return self.folder / "parts" / key[:2] / f"{key}.parquet"
