"""SQLite files: opened and brought up to date, written in transactions, and refused in one line. No other module of
privcheck opens one.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from privcheck.errors import PrivcheckError, words
from privcheck.scheduling._local_disk import check_local
from privcheck.scheduling._queues import Queue

WAITED = 60.0
"""Seconds for which a transaction waits for those of other processes."""

DURABLE = ("synchronous = FULL",)
"""What is committed outlives a loss of power."""

_process = object()
"""Stands for this process: that of a fork is another one. To ask the system for its number takes longer."""

_OPEN: weakref.WeakValueDictionary[int, Database] = weakref.WeakValueDictionary()
_OPENING = threading.RLock()
"""Held while a file is opened: SQLite then has locks of the process, too."""

_INHERITED = set[tuple[int, int]]()
"""Files that were open when this process was forked: their devices and numbers."""


def _forked() -> None:
    global _process
    _process = object()
    for database in _opened():
        _INHERITED.update(database.inherited())


def _opened() -> list[Database]:
    return [found for reference in _OPEN.valuerefs() if (found := reference()) is not None]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


@dataclass(frozen=True)
class Refusal:
    """How errors name a folder with a database.

    Parameters
    ----------
    folder : the folder, as it was given.
    parameter : the argument that names it.
    expected : what would have been accepted, in words.
    hint : what is not lost, and what to do.
    no_database : what to do about a file that is none; by default what to do about a damaged one.
    damaged : what to do about a file that SQLite cannot read, or whose tables are not there; by default the hint.
    """

    folder: Path
    parameter: str
    expected: str
    hint: str
    no_database: str = ""
    damaged: str = ""

    def because(self, reason: str, hint: str = "") -> PrivcheckError:
        """Return the error that says what is wrong with the folder."""
        return PrivcheckError(self.parameter, words(f"{self.folder}: {reason}"), self.expected, hint or self.hint)

    @contextmanager
    def turning_errors(self) -> Iterator[None]:
        """Turn errors of SQLite and of the file system into this refusal."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise self.of(error) from error

    def of(self, error: OSError | sqlite3.Error | UnicodeDecodeError) -> PrivcheckError:
        """Return the refusal that says what SQLite or the file system said."""
        full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
        code = getattr(error, "sqlite_errorcode", None)
        full = full or code == sqlite3.SQLITE_FULL
        reason = getattr(error, "strerror", None) or str(error)
        if code == sqlite3.SQLITE_IOERR_WRITE:  # SQLite does not say which
            reason = f"{reason}: a write fails, as where a quota or a limit of the size of files is reached"
        hints = {
            sqlite3.SQLITE_NOTADB: self.no_database or self.damaged,
            sqlite3.SQLITE_CORRUPT: self.damaged,
            sqlite3.SQLITE_ERROR: self.damaged,
        }
        kind = (code or 0) & 0xFF  # without what SQLite says besides
        return self.because("the disk is full" if full else reason, hints.get(kind, ""))


class Database:
    """A SQLite file on a disk of this machine, which several processes may use at once.

    Statements outside a transaction are transactions by themselves. A process that was forked has a connection of its
    own, and leaves that of its parent alone: closing it would give up locks. See `leave_all`.

    Parameters
    ----------
    file : is made if it is not there, with its folder.
    refusal : how errors name it.
    upgrades : scripts, each of which brings the file from one format to the next, from an empty file on; the number of
        the format is SQLite's `user_version`. () to read the file as it is.
    pragmas : of each connection, besides waiting for other processes.
    functions : of one argument, which the scripts may call by these names.
    queue : a file beside it, by which processes that write all the time take turns; None if they do not.

    Raises
    ------
    PrivcheckError : a network disk, a file that cannot be written, that is no database or of a later format.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     refusal = Refusal(Path(folder), "store", "a folder that can be written", "")
    ...     database = Database(Path(folder, "seen.sqlite"), refusal, ["CREATE TABLE seen (round INTEGER)"])
    ...     with database.transaction():
    ...         _ = database.execute("INSERT INTO seen VALUES (?)", (3,))
    ...     database.rows("SELECT * FROM seen")
    ...     database.close()
    [(3,)]
    """

    def __init__(
        self,
        file: Path,
        refusal: Refusal,
        upgrades: Sequence[str] = (),
        pragmas: Sequence[str] = DURABLE,
        functions: Mapping[str, Callable[[Any], Any]] = MappingProxyType({}),
        queue: Path | None = None,
    ) -> None:
        self.file, self.refusal, self._pragmas = file, refusal, pragmas
        self._place = file.absolute()  # a fork, or another thread, may open it from another folder
        self.queue = None if queue is None else Queue(queue.absolute())
        self._others: list[sqlite3.Connection] = []
        self._connection: sqlite3.Connection | None = None
        self._process = _process
        self._cursors: list[sqlite3.Cursor] = []
        self.cursors = 0
        self.gate = threading.RLock()  # held while a thread is in SQLite
        self._transaction = Transaction(self)
        with refusal.turning_errors():
            if upgrades:
                file.parent.mkdir(parents=True, exist_ok=True)
                check_local(refusal.parameter, file.parent)
            own = self._open()
            try:
                for name, function in functions.items() if upgrades and self._format() < len(upgrades) else ():
                    own.create_function(name, 1, function)
                self._bring_up_to_date(upgrades)
            except BaseException:
                self.close()
                raise

    def _bring_up_to_date(self, upgrades: Sequence[str]) -> None:
        if not upgrades or self._format() == len(upgrades):
            return
        with self.transaction():
            kept = self._format()
            if kept > len(upgrades):
                hint = "it was written by a later privcheck"
                raise self.refusal.because(f"its format is {kept}, and this privcheck knows {len(upgrades)}", hint)
            for script in upgrades[kept:]:
                for statement in script.split(";"):
                    self.execute(statement)
            self.execute(f"PRAGMA user_version = {len(upgrades)}")

    def _format(self) -> int:
        return int(self.rows("PRAGMA user_version")[0][0])

    def execute(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Execute one statement, and return how many rows it has changed; -1 if it changes none."""
        with self.gate:
            try:
                count = (cursor := self._cursor()).execute(statement, values).rowcount
            except (OSError, sqlite3.Error) as error:
                raise self.refusal.of(error) from error
            self._cursors.append(cursor)
        return count

    def execute_each(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute one statement with each row."""
        with self.gate, self.refusal.turning_errors():
            self._own().executemany(statement, rows)

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows that a statement selects."""
        with self.gate:
            try:
                found = (cursor := self._cursor()).execute(statement, values).fetchall()
            except (OSError, sqlite3.Error, UnicodeDecodeError) as error:  # bytes that are damaged are no text
                raise self.refusal.of(error) from error
            self._cursors.append(cursor)
        return found

    def transaction(self) -> Transaction:
        """Commit what the block writes all together, or nothing of it; no other process writes meanwhile."""
        return self._transaction

    def roll_back(self) -> None:
        """Take back what the transaction has written."""
        with self.gate, suppress(sqlite3.Error):  # a full disk has ended it already
            self._own().execute("ROLLBACK")

    def another(self) -> Database:
        """Return the same file with a connection of its own, for another thread."""
        return Database(self._place, self.refusal, (), self._pragmas)

    def close(self) -> None:
        """Close the connection."""
        with self.gate:
            if self._process is _process and self._connection is not None:
                self._connection.close()
            _OPEN.pop(id(self), None)
        if self.queue is not None:
            self.queue.close()

    @staticmethod
    def gates() -> list[Any]:
        """Return locks of which a thread holds one while it is in SQLite, which has locks of its own."""
        return [_OPENING, *(database.gate for database in _opened())]

    @staticmethod
    def used() -> int:
        """Return how many cursors were taken of files that have a queue, to which processes write all the time."""
        return sum(database.cursors for database in _opened() if database.queue is not None)

    @staticmethod
    def leave_all() -> None:
        """Close, before a fork, the connections to files that stay locked while they are open (WAL).

        SQLite remembers the locks of this process by file, and a child takes them for its own: it would write without
        any, and whoever closes the file as the last to hold a lock would delete the log in which the child writes.
        Whoever calls it holds all gates. A connection in the middle of a transaction stays open, and the child is
        refused its file. The next use opens the others again.
        """
        for database in _opened():
            database.leave()

    def leave(self) -> None:
        """Close the connection until the next use, if it holds locks while it is open, and is not being used."""
        own = self._connection
        if own is not None and self._process is _process and self._stays_locked and not own.in_transaction:
            self._cursors, self._connection = [], None
            own.close()

    def inherited(self) -> Iterator[tuple[int, int]]:
        """Yield the device and the number of the file if a fork finds it open and locked, whoever forked."""
        if self._connection is not None and self._stays_locked:
            with suppress(OSError):
                found = self._place.stat()
                yield found.st_dev, found.st_ino

    @property
    def _stays_locked(self) -> bool:
        return any(pragma.startswith("journal_mode") for pragma in self._pragmas)

    def _own(self) -> sqlite3.Connection:
        if self._connection is None or self._process is not _process:
            return self._open()
        return self._connection

    def _open(self) -> sqlite3.Connection:
        if _INHERITED:
            self._check_not_inherited()
        if self._connection is not None:
            self._cursors = []
            self._others.append(self._connection)  # an object that nothing refers to would be closed
        with _OPENING:
            _OPEN[id(self)] = self
            self._connection, self._process = connected(self._place, self._pragmas), _process
        return self._connection

    def _check_not_inherited(self) -> None:
        """Refuse a file whose locks this process would take over from its parent, in whose name nobody holds them."""
        found = self._place.stat()
        if (found.st_dev, found.st_ino) in _INHERITED:
            reason = "this process was forked while its parent was reading or writing it"
            raise self.refusal.because(reason, "fork outside of the calls of guards, or begin a process of its own")

    def _cursor(self) -> sqlite3.Cursor:
        """Return a cursor that no other thread uses; to make one takes as long as a small statement."""
        own = self._own()
        self.cursors += 1
        try:
            return self._cursors.pop()
        except IndexError:
            return own.cursor()


class Transaction:
    """One transaction: a class, because a generator costs two microseconds more in every call of a guard."""

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def __enter__(self) -> None:
        queue = self._database.queue
        try:
            with self._database.gate:
                try:
                    if queue is not None:
                        queue.enter()
                    self._database.execute("BEGIN IMMEDIATE")
                finally:
                    if queue is not None:
                        queue.leave()
        except BaseException:  # a signal, of whatever class its error is, after the transaction had begun
            self._database.roll_back()
            raise

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._database.roll_back()
            return
        try:
            self._database.execute("COMMIT")
        except BaseException:
            self._database.roll_back()
            raise


def connected(file: Path, pragmas: Sequence[str]) -> sqlite3.Connection:
    """Return a connection that begins no transaction by itself; threads that share it take turns."""
    connection = sqlite3.connect(file, timeout=WAITED, isolation_level=None, check_same_thread=False)
    try:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:  # a file that is no database
        connection.close()
        raise
    return connection
