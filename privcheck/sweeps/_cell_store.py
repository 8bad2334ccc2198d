"""The folder of a sweep: one JSON file for each finished result, and a manifest in SQLite.

A result is a file `cells/KEY.json`, written whole before the manifest says that the cell is finished; a file without
its row is entered when the store is opened.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from privcheck.errors import PrivcheckError
from privcheck.files import write_whole
from privcheck.scheduling import CLAIMS, Cache, Database, Refusal
from privcheck.serialise import ILL_TYPED
from privcheck.sweeps._cell import Cell
from privcheck.sweeps._play_cell import Played, digest, read_columns
from privcheck.sweeps._target_sources import digest_of

MANIFEST, RESULTS, ASIDE = "cells.sqlite", "cells", "aside"

UPGRADES = (
    """
    CREATE TABLE IF NOT EXISTS planned (place TEXT PRIMARY KEY, key TEXT NOT NULL, columns TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS finished (key TEXT PRIMARY KEY, place TEXT NOT NULL, error TEXT, digest TEXT,
        columns TEXT NOT NULL, seconds REAL NOT NULL, finished_at REAL NOT NULL, client TEXT NOT NULL);
    CREATE INDEX IF NOT EXISTS finished_by_place ON finished (place)
    """,
    f"DROP TABLE IF EXISTS claims; {CLAIMS}",
    """
    CREATE TABLE IF NOT EXISTS imported (target TEXT NOT NULL, file TEXT NOT NULL, digest TEXT NOT NULL,
        PRIMARY KEY (target, file))
    """,
    """
    CREATE TABLE IF NOT EXISTS imports (key TEXT NOT NULL, file TEXT NOT NULL, digest TEXT NOT NULL,
        PRIMARY KEY (key, file));
    INSERT OR IGNORE INTO imports SELECT finished.key, file, imported.digest FROM imported
        JOIN planned ON json_extract(planned.columns, '$.target') = target
        JOIN finished ON finished.place = planned.place;
    DROP TABLE imported
    """,
)

PLANNED = (
    "SELECT planned.columns, finished.key, error, digest, finished.columns, seconds, planned.place "
    "FROM planned LEFT JOIN finished ON finished.key = planned.key ORDER BY planned.rowid"
)
STALE = "SELECT key FROM finished WHERE error IS NULL AND key NOT IN (SELECT key FROM planned)"

Rows = tuple[list[dict[str, Any]], list[str]]

EXPECTED = "a folder of a sweep"
UNTOLD = (
    "{}: the manifest is new, and does not know what the target had imported besides the modules that its source "
    "names; if any of that has changed since, take another folder"
)
SOMEBODY = "somebody"
"""The client of a result of which nobody knows it any more."""


class CellStore(Cache):
    """The folder of one sweep or of several, open for reading and writing.

    Parameters
    ----------
    folder : is made if it is not there. It has to be on a disk of this machine.

    Raises
    ------
    PrivcheckError : a folder on a network disk, or that cannot be made or written; a manifest that is none or of
        a later format.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        super().__init__(Database(self.folder / MANIFEST, _refusal(folder), UPGRADES), "finished")
        with self.database.refusal.turning_errors():
            (self.folder / RESULTS).mkdir(exist_ok=True)

    def __enter__(self) -> CellStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def path(self, key: str) -> Path:
        """Return the file of a result."""
        return self.folder / RESULTS / f"{key}.json"

    def plan(self, cells: Sequence[tuple[str, Cell]], *, retry: bool = False) -> list[str]:
        """Enter what is to be played, with the keys of now, and put the rows of finished results right.

        Parameters
        ----------
        cells : with their keys.
        retry : whether failed cells are forgotten, to be played again.

        Returns
        -------
        A note for each target with results of which the manifest, being new, does not know what they imported.
        """
        with self.database.transaction():
            self._enter_plan(cells)
            if retry:
                failed = "DELETE FROM finished WHERE key = ? AND error IS NOT NULL"
                self.database.execute_each(failed, [(key,) for key, _ in cells])
        known, untold = self.finished(), dict[str, str]()  # first: another client writes a file before its row
        written = dict(self.database.rows("SELECT key, digest FROM finished WHERE error IS NULL"))
        there = {path.stem for path in (self.folder / RESULTS).glob("*.json")}
        for key, cell in cells:
            if key in there and key not in known:
                if (
                    self._adopt(key, cell)
                    and cell.places
                    and not self.database.rows("SELECT 1 FROM imports WHERE key = ? LIMIT 1", (key,))
                ):
                    untold[cell.target] = UNTOLD.format(cell.target)
            elif key in written and not (key in there and is_as_written(self.path(key), written[key])):
                self.path(key).unlink(missing_ok=True)  # first: a file without a row would be entered again
                self.forget(key)
        return [*untold.values()]

    def _enter_plan(self, cells: Sequence[tuple[str, Cell]]) -> None:
        rows = [(cell.place, key, json.dumps(cell.columns)) for key, cell in cells]
        self.database.execute_each("INSERT OR REPLACE INTO planned VALUES (?, ?, ?)", rows)

    def own_rows(self, cells: Sequence[tuple[str, Cell]]) -> Rows | None:
        """Return the rows of the folder, with these cells as they were planned here; None if another command has played
        some of them that are yet to be tested, or has set some aside.

        It may have planned the same of other sources meanwhile, as in another checkout.
        """
        with self.database.transaction():
            self._enter_plan(cells)
            clients = self.clients()
            if any(clients.get(key) != self.client and (cell.places or key not in clients) for key, cell in cells):
                return None
            return _rows(self.database)

    def _adopt(self, key: str, cell: Cell) -> bool:
        """Enter a result whose client ended between the file and the manifest; remove a file that is no result."""
        try:
            text = self.path(key).read_text(encoding="utf-8")
            columns = read_columns(text)
        except (PrivcheckError, OSError, *ILL_TYPED):
            self.path(key).unlink(missing_ok=True)
            return False
        self._finish(key, cell, Played(text, columns, None, float(columns["seconds"] or 0.0)), SOMEBODY)
        return True

    def finished(self) -> dict[str, str | None]:
        """Return the keys of finished cells, with the errors of those that failed."""
        return dict(self.database.rows("SELECT key, error FROM finished"))

    def seconds(self) -> dict[str, float]:
        """Return the keys of results, with the seconds that they took."""
        return dict(self.database.rows("SELECT key, seconds FROM finished WHERE error IS NULL"))

    def clients(self) -> dict[str, str]:
        """Return the keys of finished cells, with the clients that have played them, or tested them since."""
        return dict(self.database.rows("SELECT key, client FROM finished"))

    def content(self, key: str) -> dict[str, Any] | None:
        """Return a result; None if it is not there as the manifest says, and is to be played anew."""
        for (written,) in self.database.rows("SELECT digest FROM finished WHERE key = ?", (key,)):
            if is_as_written(self.path(key), written):
                with suppress(OSError, *ILL_TYPED):
                    return dict(json.loads(self.path(key).read_text(encoding="utf-8")))
        self.path(key).unlink(missing_ok=True)  # first: a file without a row would be entered again
        self.forget(key)
        return None

    def take_over(self, keys: Sequence[str]) -> None:
        """Take finished cells for those of this client, which has seen that it would get the same."""
        with self.database.transaction():
            rows = [(self.client, key) for key in keys]
            self.database.execute_each("UPDATE finished SET client = ? WHERE key = ?", rows)

    def set_aside(self, target: str, shown: str = "") -> Path:
        """Take all results of a target that are not this client's as not played, whatever source they are of, and
        return the folder to which their files are moved.

        Parameters
        ----------
        target : as its cells name it.
        shown : the key of the result that goes last: if this process ends meanwhile, the next one still finds it.
        """
        aside = self.folder / ASIDE
        with self.database.refusal.turning_errors(), self.database.transaction():
            aside.mkdir(exist_ok=True)
            rows = self.database.rows(
                "SELECT finished.key, planned.columns FROM finished JOIN planned ON planned.place = finished.place "
                "WHERE client <> ?", (self.client,),
            )  # fmt: skip
            keys = [key for key, columns in rows if json.loads(columns)["target"] == target]
            for key in sorted(keys, key=lambda key: key == shown):
                with suppress(FileNotFoundError):
                    self.path(key).replace(aside / f"{key}.json")  # first: a file without a row would be entered again
            for table in ("finished", "imports"):
                self.database.execute_each(f"DELETE FROM {table} WHERE key = ?", [(key,) for key in keys])
        return aside

    def changed_imports(self, keys: Iterable[str]) -> list[str]:
        """Return the files, besides their sources, that targets imported for these results and that changed since."""
        own, now = {*keys}, dict[str, str]()
        changed = set[str]()
        for key, file, kept in self.database.rows("SELECT key, file, digest FROM imports"):
            if key in own:
                if file not in now:
                    now[file] = digest_of(file) if Path(file).is_file() else ""
                changed |= {file} if now[file] != kept else set()
        return sorted(changed)

    def stale(self, cells: Sequence[tuple[str, Cell]]) -> int:
        """Return how many finished results are of other sources, data or versions than now."""
        current = {cell.place: key for key, cell in cells}
        found = self.database.rows("SELECT place, key FROM finished WHERE error IS NULL")
        return sum(place in current and current[place] != key for place, key in found)

    def keep(self, key: str, cell: Cell, played: Played) -> None:
        """Store a result, whole on the disk before the manifest names it, or the error of a cell that failed.

        Raises
        ------
        PrivcheckError : the disk is full, or cannot be written.
        """
        files = [
            (key, file, found) for file, found in ({"": ""} | dict(played.imported)).items()
        ]  # "": that it is told
        with self.database.transaction():  # first: a file without a row is entered again
            self.database.execute("DELETE FROM imports WHERE key = ?", (key,))
            self.database.execute_each("INSERT INTO imports VALUES (?, ?, ?)", files)
        if played.text is not None:
            write_whole(self.path(key), played.text + "\n", "store", durable=True)
        self._finish(key, cell, played, self.client)

    def _finish(self, key: str, cell: Cell, played: Played, client: str) -> None:
        found = None if played.text is None else digest(played.text)
        row = (cell.place, played.error, found, json.dumps(played.columns), played.seconds, time.time(), client)
        self.enter(key, row, played.seconds)


def is_as_written(path: Path, written: str) -> bool:
    """Tell whether the file of a result is there and has the digest that the manifest names."""
    try:
        return digest(path.read_text(encoding="utf-8")) == written
    except (OSError, *ILL_TYPED):
        return False


def _refusal(folder: str | Path, parameter: str = "store") -> Refusal:
    hint = "what is finished is kept, and the same command continues"
    damaged = f"delete the file {MANIFEST}: the same command enters in a new one what is finished"
    return Refusal(Path(folder), parameter, f"{EXPECTED} that can be read and written", hint, damaged=damaged)


def read_rows(folder: str | Path) -> Rows:
    """Return the planned cells of a folder in order, with their results, and the keys of stale results.

    Raises
    ------
    PrivcheckError : a folder without a manifest, or with one that cannot be read.
    """
    manifest = Path(folder) / MANIFEST
    if not manifest.is_file():
        hint = "`privcheck sweep FILE.toml --store DIR` makes one"
        raise PrivcheckError("folder", str(folder), EXPECTED, f"it has no {MANIFEST}: {hint}")
    with closing(Database(manifest, _refusal(folder, "folder"))) as database:
        return _rows(database)


def _rows(database: Database) -> Rows:
    rows = []
    for asked, key, error, found, columns, seconds, place in database.rows(PLANNED):
        status = "to play" if key is None else "done" if error is None else "failed"
        result = json.loads(columns) if columns else {}
        file = f"{RESULTS}/{key}.json" if status == "done" else None
        about = {"status": status, "error": error} | json.loads(asked)
        rows.append(about | {"result": result, "cell_seconds": seconds, "file": file, "digest": found, "place": place})
    return rows, [key for (key,) in database.rows(STALE)]
