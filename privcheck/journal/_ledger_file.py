"""The journal of a guard that outlives its process and its machine: SQLite, which several workers may use at once."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import uuid
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar

from privcheck.errors import PrivcheckError, words
from privcheck.journal._chained_entries import ANSWER, CLOSED, SCOPE, START, Entry
from privcheck.journal._databases import head_database, ledger_database
from privcheck.journal._journal import Admission, Answered
from privcheck.scheduling import Database

PAGE = 1000
"""Entries that are read at once."""

TOLD = "SELECT salt, input FROM told WHERE scope = ? AND number = ?"
FORWARD = (
    "INSERT INTO head VALUES (?, ?, ?, ?) ON CONFLICT (ledger) DO UPDATE SET number = excluded.number, "
    "hash = excluded.hash WHERE excluded.number > head.number"
)
"""A statement by itself is a transaction, which is durable when it returns."""

COLUMNS = "number, event, kind, body, request, person, window, hash"
ANSWERED = f"""SELECT {COLUMNS}, (SELECT salt FROM told WHERE told.scope = entry.scope AND told.number = entry.number)
    FROM entry WHERE scope = ? AND request = ? AND kind = ? AND request <> ''"""
ADD = f"INSERT INTO entry (scope, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True)
class Opened:
    """A scope of a ledger.

    Parameters
    ----------
    number : by which its entries are found.
    name : of the scope.
    identity : by which heads are found, whatever the file is called.
    secret : the key of the policy's coins.
    salt : with which codes of persons are made; that of the scope that it continues.
    continues : number of that scope; None if there is none.
    """

    number: int
    name: str
    identity: str
    secret: bytes
    salt: bytes
    continues: int | None


class SqliteJournal:
    """One scope of a ledger.

    Parameters
    ----------
    path : of the ledger; it is made if it is not there.
    name : of the scope.
    head : path of the file with the heads; None for the one in the user's folder for the state of programs.
    parameters : what the guard was built with; kept with a new scope.
    agrees : called with the parameters of the scope that is there, or of the one that is continued, and whether it is
        that one; raises if the guard may not go on with it.
    continues : name of the scope whose charges are kept; it is closed for every worker.

    Raises
    ------
    PrivcheckError : see `privcheck.guard`.
    """

    durable: ClassVar[bool] = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        name: str,
        head: str | os.PathLike[str] | None,
        parameters: dict[str, Any],
        agrees: Callable[[dict[str, Any], bool], None],
        continues: str | None = None,
    ) -> None:
        self.database = ledger_database(path, make=True)
        self._file = self.database.file.absolute()
        self._closing = weakref.finalize(self, self.database.close)
        try:
            self.heads = head_database(head)
            self._closing_heads = weakref.finalize(self, self.heads.close)
            with self.database.transaction():
                self.chain = self._open(name, parameters, agrees, continues)
            self.scope, self._shown = self.chain[0], 0
            self._last: tuple[int, bytes] | None = None
            for scope in reversed(self.chain):
                self.show(*_end(self.database, scope.number), scope)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close both files."""
        self._closing()
        if hasattr(self, "heads"):
            self._closing_heads()

    def parameters(self) -> dict[str, dict[str, Any]]:
        """Return what the guards of this scope, and of those that it continues, were built with, by name."""
        return {scope.name: parameters_of(self.database, scope) for scope in self.chain}

    def transaction(self) -> AbstractContextManager[None]:
        """Keep other processes out, and commit what the block adds together."""
        self._last = None
        return self.database.transaction()

    def commit(self) -> None:
        """Commit what was added, and begin the next transaction."""
        self._last = None
        self.database.execute("COMMIT")
        self.database.execute("BEGIN IMMEDIATE")

    def head(self) -> tuple[int, bytes]:
        """Return the number and the hash of the last entry."""
        self._last = _end(self.database, self.scope.number)
        return self._last

    def append(self, entry: Entry, told: tuple[bytes, bytes] | None = None) -> Entry:
        """Add an entry to the scope."""
        number, chained = self._last or self.head()
        added = _insert(self.database, self.scope.number, entry.at(number + 1, chained))
        self._last = added.number, added.hash
        if told is not None:
            values = self.scope.number, added.number, *told
            self.database.execute("INSERT INTO told VALUES (?, ?, ?, ?)", values)
        return added

    def answer(self, request: str, kind: str) -> Answered | None:
        """Return the event of this kind under an id, in this scope or one that it continues."""
        for scope in self.chain:
            for *row, salt in self.database.rows(ANSWERED, (scope.number, request, kind)):
                event, earlier = Entry(*row), scope.number != self.scope.number
                if "answer" in event.said:
                    return Answered(event, event, salt, earlier)
                where = f"scope = ? AND number > ? AND kind = '{ANSWER}' AND event = ? ORDER BY number LIMIT 1"
                values = scope.number, event.number, event.event
                return Answered(event, next(read(self.database, where, values), None), salt, earlier)
        return None

    def after(self, number: int) -> Iterator[Entry]:
        """Return the entries after this one, in order, a page at a time."""
        where = f"scope = ? AND number > ? ORDER BY number LIMIT {PAGE}"
        while page := [*read(self.database, where, (self.scope.number, number))]:
            yield from page
            number = page[-1].number

    def told(self, number: int) -> tuple[bytes, bytes]:
        """Return the salt of the event with this entry and what it was told."""
        rows = self.database.rows(TOLD, (self.scope.number, number))
        if not rows:
            raise self.database.refusal.because(f"what the event of entry {number} was told is not there")
        return bytes(rows[0][0]), bytes(rows[0][1])

    def admissions(self, person: str, window: int) -> list[Admission]:
        """Return the rewards of a person in a window, in this scope and those that it continues, the oldest first."""
        where = "scope = ? AND person = ? AND window = ? AND person <> '' ORDER BY number"
        return [
            Admission(scope.name, event)
            for scope in reversed(self.chain)
            for event in read(self.database, where, (scope.number, person, window))
        ]

    def last_window(self) -> int:
        """Return the largest window so far."""
        numbers = ", ".join(str(scope.number) for scope in self.chain)
        ((found,),) = self.database.rows(f"SELECT max(window) FROM entry WHERE person <> '' AND scope IN ({numbers})")
        return int(found or 0)

    def show(self, number: int, chained: bytes, scope: Opened | None = None) -> None:
        """Let the head say that the scope goes at least as far as this entry; it only moves forward."""
        if scope is None:
            if number <= self._shown:
                return
            self._shown = max(self._shown, number)
            scope = self.scope
        try:
            self.heads.execute(FORWARD, (scope.identity, self._place(scope.name), number, chained))
        except BaseException:
            self._shown = 0
            raise

    def _open(
        self, name: str, parameters: dict[str, Any], agrees: Callable[[dict[str, Any], bool], None], old: str | None
    ) -> list[Opened]:
        """Return the scope and those that it continues, the newest first, and make it if it is not there."""
        known = {scope.name: scope for scope in scopes(self.database)}
        by_number = {scope.number: scope for scope in known.values()}
        if name in known:
            chain = _chain(known[name], by_number)
            if old is not None and old not in [scope.name for scope in chain[1:2]]:
                got = words(f"{old!r} for the scope {name!r}, which is there and does not continue it")
                raise PrivcheckError("continues", got, "a scope that is new", "leave it out, or name another scope")
            self._check_heads(chain)
            agrees(parameters_of(self.database, chain[0]), False)
            return chain
        if self.heads.rows("SELECT 1 FROM head WHERE place = ?", (self._place(name),)):
            reason = f"the scope {name!r} is not in it, and {self.heads.file} has its head"
            hint = "the file was removed, or is an old copy, and what was spent would be spent again: restore it"
            raise self.database.refusal.because(reason, f"{hint}; for other people name another scope")
        chain = []
        if old is not None:
            if old not in known:
                hint = f"the ledger has {', '.join(map(repr, known)) or 'no scopes'}"
                raise PrivcheckError("continues", old, "the name of a scope of this ledger", hint)
            chain = _chain(known[old], by_number)
            self._check_heads(chain)
            agrees(parameters_of(self.database, chain[0]), True)
            self._end_scope(chain[0], name)
        secret, salt = secrets.token_bytes(32), chain[0].salt if chain else secrets.token_bytes(32)
        made = Opened(len(known) + 1, name, uuid.uuid4().hex, secret, salt, chain[0].number if chain else None)
        values = made.number, made.name, made.identity, made.secret, made.salt, made.continues
        self.database.execute("INSERT INTO scope VALUES (?, ?, ?, ?, ?, ?)", values)
        said = {"scope": name, "identity": made.identity, "continues": old, "parameters": parameters}
        said |= {"secret": hashlib.sha256(secret).hexdigest(), "salt": hashlib.sha256(salt).hexdigest()}
        _append(self.database, made.number, Entry(0, -1, SCOPE, json.dumps(said)))
        return [made, *chain]

    def _place(self, name: str) -> str:
        return f"{self._file} {name}"

    def _end_scope(self, scope: Opened, by: str) -> None:
        """Close a scope for every worker; an event that is pending ends there, with what it has drawn charged."""
        last = next(read(self.database, "scope = ? ORDER BY number DESC LIMIT 1", (scope.number,)))
        if last.kind == CLOSED:
            got = words(f"{scope.name!r}, which {last.said['by']!r} continues")
            raise PrivcheckError("continues", got, "a scope that none continues", f"continue {last.said['by']!r}")
        if last.event >= 0 and last.kind != ANSWER and "answer" not in last.said:
            error = {"type": "GuardClosedError", "text": f"the scope {by!r} continues this one", "parts": None}
            said = {"answer": {"error": error, "closes": []}}
            _append(self.database, scope.number, Entry(0, last.event, ANSWER, json.dumps(said)))
        _append(self.database, scope.number, Entry(0, -1, CLOSED, json.dumps({"by": by})))

    def _check_heads(self, chain: Sequence[Opened]) -> None:
        for scope in chain:
            problem = head_problem(self.database, self.heads, scope)
            if problem:
                raise self.database.refusal.because(*problem)


def scopes(database: Database) -> list[Opened]:
    """Return the scopes of a ledger, the oldest first."""
    rows = database.rows("SELECT id, name, identity, secret, salt, continues FROM scope ORDER BY id")
    return [Opened(*row) for row in rows]


def read(database: Database, where: str, values: Sequence[Any]) -> Iterator[Entry]:
    """Return the entries that a condition selects, read in one go up to the first use."""
    return (Entry(*row) for row in database.rows(f"SELECT {COLUMNS} FROM entry WHERE {where}", values))


def parameters_of(database: Database, scope: Opened) -> dict[str, Any]:
    """Return what the guards of a scope are built with."""
    said: dict[str, Any] = next(read(database, "scope = ? AND number = 1", (scope.number,))).said
    found: dict[str, Any] = said["parameters"]
    return found


def head_problem(database: Database, heads: Database, scope: Opened) -> tuple[str, str] | None:
    """Return what is wrong with the end of a scope, as its head knows it, and what to do; None if nothing is."""
    number, _ = _end(database, scope.number)
    rows = heads.rows("SELECT number, hash FROM head WHERE ledger = ?", (scope.identity,))
    if not rows:
        played = database.rows("SELECT 1 FROM entry WHERE scope = ? AND event > 0 LIMIT 1", (scope.number,))
        if not played:
            return None
        hint = (
            "restore this file beside the ledger, or give it as head=; without it nobody can tell whether the ledger "
            "is an old copy"
        )
        return f"{heads.file} has no head of the scope {scope.name!r}", hint
    said, chained = rows[0]
    if said > number:
        hint = "this is an old copy, and going on with it would spend again what was spent since: restore the newest"
        return f"the scope {scope.name!r} of the ledger ends at entry {number}, its head says {said}", hint
    where = next(read(database, "scope = ? AND number = ?", (scope.number, said)), None)
    if where is None or where.hash != chained:
        hint = "this is a copy that went its own way: restore the one that the head belongs to"
        return f"entry {said} of the scope {scope.name!r} is not the one that its head knows", hint
    return None


def _end(database: Database, scope: int) -> tuple[int, bytes]:
    rows = database.rows("SELECT number, hash FROM entry WHERE scope = ? ORDER BY number DESC LIMIT 1", (scope,))
    return (int(rows[0][0]), bytes(rows[0][1])) if rows else (0, START)


def _append(database: Database, scope: int, entry: Entry) -> Entry:
    number, chained = _end(database, scope)
    return _insert(database, scope, entry.at(number + 1, chained))


def _insert(database: Database, scope: int, entry: Entry) -> Entry:
    what = entry.number, entry.event, entry.kind, entry.body
    row = scope, *what, entry.request, entry.person, entry.window, entry.hash
    database.execute(ADD, row)
    return entry


def _chain(scope: Opened, known: dict[int, Opened]) -> list[Opened]:
    found = [scope]
    while (before := found[-1].continues) is not None:
        found.append(known[before])
    return found
