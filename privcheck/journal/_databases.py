"""The files of a ledger: the database with its entries, and the database that says how far they go."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeGuard

from privcheck.errors import PrivcheckError, can_be_encoded
from privcheck.journal._short_forms import SHORTENED
from privcheck.scheduling import Database, Refusal

LEDGER = 0x70637631
"""SQLite's application_id of a ledger."""

DURABLE = ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON")
"""What is committed outlives a loss of power, and one write to the disk commits it; what is deleted is overwritten."""

READ = ("journal_mode",)
"""Changes nothing, and says that the file may be locked for as long as it is open, which a fork has to know."""

PLACES = 2**40
"""The row of an entry is this many times the number of its scope, plus its own number."""

BODY = """CASE WHEN told IS NULL THEN rest ELSE '{"round": ' || round || ', "told": "' || lower(hex(told))
        || '", "by": "' || lower(hex(by)) || CASE rest WHEN '' THEN '"}' ELSE '", "answer": ' || rest || '}' END END"""
"""The body of an event, of which the parts are kept; of any other entry the whole of it is."""

SHORTER_BODY = BODY.replace(
    "rest || '}'",
    """CASE substr(rest, 1, 1)
        WHEN '{' THEN rest WHEN '=' THEN substr(rest, 2) ELSE '{"value": ' || rest || '}' END || '}'""",
)
"""The same since the third format, in which an answer that is a value is that value, and any other one that is no
object has a mark before it.
"""

TOLD_TABLE = "CREATE TABLE {} (id INTEGER PRIMARY KEY, salt BLOB NOT NULL, input BLOB NOT NULL)"
SNAPSHOT_TABLE = """CREATE TABLE {} (scope INTEGER PRIMARY KEY, number INTEGER NOT NULL, hash BLOB NOT NULL,
        code TEXT NOT NULL, seal BLOB NOT NULL, state BLOB NOT NULL, problem TEXT NOT NULL)"""

LEDGER_FORMATS = (
    f"""PRAGMA application_id = {LEDGER};
    CREATE TABLE scope (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, identity TEXT NOT NULL UNIQUE,
        secret BLOB NOT NULL, salt BLOB NOT NULL, continues INTEGER UNIQUE REFERENCES scope);
    CREATE TABLE entry (scope INTEGER NOT NULL REFERENCES scope, number INTEGER NOT NULL, event INTEGER NOT NULL,
        kind TEXT NOT NULL, body TEXT NOT NULL, request TEXT NOT NULL, person TEXT NOT NULL, window INTEGER NOT NULL,
        hash BLOB NOT NULL, PRIMARY KEY (scope, number)) WITHOUT ROWID;
    CREATE UNIQUE INDEX entry_of_request ON entry (scope, request, kind) WHERE request <> '';
    CREATE INDEX entry_of_person ON entry (person, window) WHERE person <> '';
    CREATE TABLE told (scope INTEGER NOT NULL REFERENCES scope, number INTEGER NOT NULL, salt BLOB NOT NULL,
        input BLOB NOT NULL, PRIMARY KEY (scope, number)) WITHOUT ROWID""",
    f"""DROP INDEX entry_of_request;
    DROP INDEX entry_of_person;
    ALTER TABLE entry RENAME TO entry_before;
    ALTER TABLE told RENAME TO told_before;
    CREATE TABLE entry (id INTEGER PRIMARY KEY, event INTEGER NOT NULL, kind TEXT NOT NULL, round INTEGER, told BLOB,
        by BLOB, rest TEXT NOT NULL, request TEXT NOT NULL, person TEXT NOT NULL, window INTEGER NOT NULL,
        hash BLOB NOT NULL, scope INTEGER AS (id / {PLACES}), number INTEGER AS (id % {PLACES}), body TEXT AS ({BODY}));
    INSERT INTO entry (id, event, kind, rest, request, person, window, hash)
        SELECT scope * {PLACES} + number, event, kind, body, request, person, window, hash
        FROM entry_before ORDER BY scope, number;
    {TOLD_TABLE.format("told")};
    INSERT INTO told SELECT scope * {PLACES} + number, salt, input FROM told_before ORDER BY scope, number;
    DROP TABLE entry_before;
    DROP TABLE told_before;
    CREATE UNIQUE INDEX entry_of_request ON entry (request, kind, scope) WHERE request <> '';
    CREATE INDEX entry_of_person ON entry (person, window) WHERE person <> '';
    {SNAPSHOT_TABLE.format("snapshot")}""",
    f"""DROP INDEX entry_of_request;
    DROP INDEX entry_of_person;
    CREATE TABLE written (id INTEGER PRIMARY KEY, event INTEGER NOT NULL, kind TEXT NOT NULL, round INTEGER, told BLOB,
        by BLOB, rest TEXT NOT NULL, request TEXT NOT NULL, who BLOB NOT NULL, window INTEGER NOT NULL,
        hash BLOB NOT NULL);
    INSERT INTO written
        SELECT id, event, kind, round, told, by, CASE WHEN told IS NULL THEN rest ELSE short_answer(rest) END, request,
            short_person(person), window, hash
        FROM entry ORDER BY id;
    DROP TABLE entry;
    UPDATE told SET input = short_input(input);
    CREATE UNIQUE INDEX entry_of_request ON written (request, kind, id / {PLACES}) WHERE request <> '';
    CREATE INDEX entry_of_person ON written (substr(who, 1, 8), window) WHERE who <> '';
    CREATE VIEW entry AS SELECT *, id / {PLACES} AS scope, id % {PLACES} AS number,
        CASE typeof(who) WHEN 'blob' THEN lower(hex(who)) ELSE who END AS person, {SHORTER_BODY} AS body
        FROM written""",
)
"""Scripts that bring a ledger from each format to the next.

The second puts entries where the next one belongs, at the end of a table, and what an event says in as few bytes
as it has; `body` is the text that is hashed. The third writes answers, inputs and codes of persons in fewer bytes,
and makes `body` where it is read: a column that is made of others is made whenever a row is written, too.
"""

HEAD_FORMATS = (
    """CREATE TABLE head (ledger TEXT PRIMARY KEY, place TEXT NOT NULL, number INTEGER NOT NULL, hash BLOB NOT NULL);
    CREATE INDEX head_of_place ON head (place)""",
)
"""`ledger` is the identity of a scope, and `place` where it was made: the file and the name of the scope."""


def ledger_database(path: str | os.PathLike[str], *, make: bool) -> Database:
    """Open a ledger, or make one that only its owner may read.

    Raises
    ------
    PrivcheckError : a path that is none, a file that is no ledger, is of a later format, cannot be written or is on a
        network disk.
    """
    if not _is_path(path) or "://" in os.fspath(path):
        raise PrivcheckError("ledger", path, "the path of a file", 'as in ledger="budget.db"')
    file = Path(path)
    hint = "what was committed to it is still there; ask again, under the same id, for what got no answer"
    expected = f"a ledger on a local disk that this process can read{' and write' if make else ''}"
    other = "give the file that `privcheck.guard` was given, or a name that is free"
    refusal = Refusal(file, "ledger", expected, hint, other)
    with refusal.turning_errors():
        if not can_be_encoded(str(file.resolve())):  # which the head keeps
            raise refusal.because("it is in a folder whose name is no UTF-8", "move it to another folder")
        if file.is_dir():
            raise refusal.because("it is a folder", "add a file name")
        if not file.exists():
            if not make:
                raise refusal.because("there is no such file", "give the file that `privcheck.guard` was given")
            _make(file)
        _check_ledger(file, refusal, make=make)
        if make and not os.access(file, os.W_OK):
            raise refusal.because("it cannot be written", "let the service own the file and its folder")
    queue = file.with_name(f"{file.name}-queue") if make else None
    return Database(file, refusal, LEDGER_FORMATS, DURABLE if make else READ, SHORTENED, queue)


def head_database(path: str | os.PathLike[str] | None, *, make: bool = True) -> Database:
    """Open the file with the heads of ledgers, by default in the user's folder for the state of programs."""
    if path is None:
        path = Path(os.environ.get("XDG_STATE_HOME") or _state(), "privcheck", "heads.db")
    if not _is_path(path):
        raise PrivcheckError("head", path, "the path of a file", 'as in head="/var/lib/service/heads.db"')
    file = Path(path)
    refusal = Refusal(file, "head", "a file on a local disk that this process can write", "the ledger is unchanged")
    with refusal.turning_errors():
        if file.is_dir():
            raise refusal.because("it is a folder", "add a file name")
        if not file.exists():
            if not make:
                raise refusal.because(
                    "there is no such file", "give the file that `privcheck.guard` was given as head="
                )
            _make(file)
        ((own,),) = _as_it_is(file, refusal, "PRAGMA application_id")[0]
        if own == LEDGER:
            raise refusal.because("it is a ledger", "give another file for the heads, in another folder")
    return Database(file, refusal, HEAD_FORMATS, DURABLE if make else READ)


def _state() -> Path:
    try:
        return Path.home() / ".local" / "state"
    except RuntimeError:  # as in a container that runs under a number that has no name
        hint = 'its user has none: give a file, as in head="/var/lib/service/heads.db"'
        raise PrivcheckError("head", None, "a file, where the process has no home folder", hint) from None


def _is_path(path: object) -> TypeGuard[str | os.PathLike[str]]:
    """Return whether this can be the path of a file, in text that a database keeps."""
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else ""
    return isinstance(text, str) and bool(text) and "\0" not in text and can_be_encoded(text)


def _make(file: Path) -> None:
    above = [folder for folder in file.absolute().parents if not folder.exists()]
    file.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
    if os.name == "posix":  # the entries of folders outlive a loss of power, too: of the file, and of each new folder
        for made in (file.absolute(), *above):
            folder = os.open(made.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _as_it_is(file: Path, refusal: Refusal, *statements: str) -> list[list[Any]]:
    """Return the rows of statements on a file that is not brought up to date, one after another."""
    plain = Database(file, refusal, (), READ)
    try:
        return [plain.rows(statement) for statement in statements]
    finally:
        plain.close()


def _check_ledger(file: Path, refusal: Refusal, *, make: bool) -> None:
    """Refuse the database of another program; an empty file may become a ledger."""
    tables, heads = "SELECT count(*) FROM sqlite_master", "SELECT 1 FROM sqlite_master WHERE name = 'head_of_place'"
    # how many tables first: another worker may be making them
    ((count,),), ((own,),), heads_of = _as_it_is(file, refusal, tables, "PRAGMA application_id", heads)
    if heads_of:
        raise refusal.because("it holds the heads of ledgers", "give the ledger itself")
    if own != LEDGER and not (count or make):
        raise refusal.because("it is empty", "the guard that made it had not begun to write")
    if own != LEDGER and count:
        raise refusal.because("it is a database of another program", "give a file of its own")
