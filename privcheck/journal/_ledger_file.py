"""The journal of a guard that outlives its process and its machine: SQLite, which several workers may use at once."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import uuid
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar

from privcheck.errors import PrivcheckError, words
from privcheck.journal._chained_entries import ANSWER, CLOSED, SCOPE, START, Entry, Said
from privcheck.journal._databases import PLACES, head_database, ledger_database
from privcheck.journal._heads import HEAD, head_problem, heads_of, warn_of_a_head_beside
from privcheck.journal._journal import TELLS, Admission, Answered
from privcheck.journal._kept_snapshots import (
    Snapshot,
    drop_snapshot,
    find_snapshot,
    forget_told,
    keep_problem,
    keep_snapshot,
    snapshot_row,
)
from privcheck.journal._ledger_tables import (
    DAMAGED,
    END,
    OF_SCOPE,
    Opened,
    append,
    between,
    end,
    entries,
    first_of,
    insert,
    last_of,
    parameters_of,
    read,
    scopes,
    told,
)
from privcheck.journal._short_forms import short_input, short_person

FORGOTTEN = (
    "only a guard that opens it as it was then, with the same code and libraries, goes on with it: go back, or name "
    "another scope= with continues= to keep all charges"
)
ONWARD = "UPDATE head SET number = ?, hash = ? WHERE ledger = ? AND number = ? AND hash = ?"
"""Moves the head on from an entry that is known to be in this file. A statement by itself is a transaction, which is
durable when it returns.
"""

IS_THERE = "SELECT 1 FROM written WHERE id = ? AND hash = ?"
OF_REQUEST = "scope = ? AND request = ? AND kind = ? AND request <> ''"
OF_PERSON = "substr(who, 1, 8) = ? AND window = ? AND who = ? AND who <> '' AND scope = ? AND kind = ? ORDER BY id"
OF_PERSON_EVER = OF_PERSON.replace("window = ? AND ", "").replace("BY id", "BY window, id")


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
        self._file = self.database.file.resolve()
        self._closing = weakref.finalize(self, self.database.close)
        try:
            self.heads = head_database(head)
            self._closing_heads = weakref.finalize(self, self.heads.close)
            warn_of_a_head_beside(self.heads.file, self._file)
            with self.database.transaction():
                self.chain = self._open(name, parameters, agrees, continues)
            self.scope, self._shown = self.chain[0], (0, START)
            self._heads: dict[str, tuple[int, bytes]] = {}
            self._ends = between(self.scope.number)
            self._last: tuple[int, bytes] | None = None
            self._followed = 0, START
            if end(self.database, self.scope.number)[0] == 1:  # so that a copy without the log has the scope too
                self.database.rows("PRAGMA wal_checkpoint")
            for scope in reversed(self.chain):
                self.show(*end(self.database, scope.number), scope)
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

    def roll_back(self) -> None:
        """Take back a transaction that was left open, if there is one."""
        self.database.roll_back()

    def head(self) -> tuple[int, bytes]:
        """Return the number and the hash of the last entry."""
        rows = self.database.rows(END, self._ends)
        self._last = self._followed = (rows[0][0] % PLACES, rows[0][1]) if rows else (0, START)
        return self._followed

    def append(self, entry: Entry, told: tuple[bytes, bytes] | None = None, said: Said | None = None) -> Entry:
        """Add an entry to the scope."""
        number, chained = self._last or self.head()
        added = insert(self.database, self.scope.number, entry.at(number + 1, chained), said)
        self._last = added.number, added.hash
        if told is not None:
            row = self.scope.number * PLACES + number + 1, told[0], short_input(told[1])
            self.database.execute("INSERT INTO told VALUES (?, ?, ?)", row)
        return added

    def answer(self, request: str, kind: str) -> Answered | None:
        """Return the event of this kind under an id, in this scope or one that it continues."""
        for scope in self.chain:
            for event in read(self.database, OF_REQUEST, (scope.number, request, kind)):
                kept = told(self.database, scope.number, event.number)
                salt = kept[0] if kept else None
                earlier = scope.number != self.scope.number
                if "answer" in event.said:
                    return Answered(event, event, salt, earlier)
                where = f"{OF_SCOPE} AND kind = '{ANSWER}' AND event = ? ORDER BY id LIMIT 1"
                values = *between(scope.number, event.number), event.event
                return Answered(event, next(read(self.database, where, values), None), salt, earlier)
        return None

    def after(self, number: int) -> Iterator[Entry]:
        """Return the entries after this one, in order."""
        yield from entries(self.database, self.scope, number)  # which keeps the file open

    def told(self, number: int) -> tuple[bytes, bytes]:
        """Return the salt of the event with this entry and what it was told."""
        found = told(self.database, self.scope.number, number)
        if found is None:
            expected = "the code, versions and kind of processor that forgot"
            refusal = replace(self.database.refusal, expected=expected)
            raise self.closed() or refusal.because(f"what the event of entry {number} was told is forgotten", FORGOTTEN)
        return found

    def closed(self) -> PrivcheckError | None:
        """Return the error that says that another scope continues this one; None if none does."""
        if (last := last_of(self.database, self.scope)).kind != CLOSED:
            return None
        by = last.said["by"]
        got = words(f"the scope {self.scope.name!r}, which {by!r} continues")
        return PrivcheckError("scope", got, "the scope that goes on", f"open the scope {by!r}")

    def snapshot(self, code: str) -> Snapshot | None:
        """Return the snapshot that code like this has taken; None if there is none that fits the entries."""
        return find_snapshot(self.database, self.scope, code)

    def snapshot_at(self) -> int:
        """Return the number of the entry after which the newest snapshot was taken; 0 for none."""
        return snapshot_row(self.database, self.scope).number

    def keep(self, snapshot: Snapshot | str) -> None:
        """Put a snapshot in place of the one before, or say why it could not be taken."""
        if isinstance(snapshot, str):
            keep_problem(self.database, self.scope, snapshot)
        else:
            keep_snapshot(self.database, self.scope, snapshot)

    def drop(self, problem: str) -> None:
        """Delete the snapshot, and say why."""
        drop_snapshot(self.database, self.scope, problem)

    def inputs(self, kind: str) -> list[tuple[int, int]]:
        """Return the numbers and rounds of the entries with events of this kind that are not forgotten, in order."""
        where = f"{OF_SCOPE} AND id IN (SELECT id FROM told WHERE {OF_SCOPE}) AND kind = ? AND event >= 0 ORDER BY id"
        columns = "number, CASE WHEN told IS NULL THEN json_extract(rest, '$.round') ELSE round END"
        scope = between(self.scope.number)
        return self.database.rows(f"SELECT {columns} FROM entry WHERE {where}", (*scope, *scope, kind))

    def is_forgotten(self) -> bool:
        """Return whether what some events were told is not there."""
        first = OF_SCOPE + " AND event = 0"
        rows = self.database.rows(f"SELECT number FROM entry WHERE {first} LIMIT 1", between(self.scope.number))
        return bool(rows) and told(self.database, self.scope.number, rows[0][0]) is None

    def forget(self, last: int, stays: Sequence[int]) -> int:
        """Delete what events up to an entry were told, but for some, and all of the scopes that this one continues."""
        return forget_told(self.database, self.chain, last, stays)

    def erase(self) -> None:
        """Overwrite what was deleted, after its transaction: the log of the database still has it."""
        ((busy, *_),) = self.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        if busy:
            reason = "what was deleted is still in its log, which another process reads"
            raise self.database.refusal.because(reason, "call forget() again")

    def admissions(self, person: str, window: int | None = None) -> list[Admission]:
        """Return the rewards of a person, in this scope and those that it continues, the oldest first."""
        code = short_person(person)
        where, when = (OF_PERSON_EVER, ()) if window is None else (OF_PERSON, (window,))
        return [
            Admission(scope.name, event)
            for scope in reversed(self.chain)
            for event in read(self.database, where, (code[:8], *when, code, scope.number, TELLS))
        ]

    def last_window(self) -> int:
        """Return the largest window so far."""
        numbers = ", ".join(str(scope.number) for scope in self.chain)
        ((found,),) = self.database.rows(
            f"SELECT max(CAST(window AS INTEGER)) FROM entry WHERE who <> '' AND scope IN ({numbers})"
        )
        return int(found or 0)

    def show(self, number: int, chained: bytes, scope: Opened | None = None) -> None:
        """Let the head say that the scope goes at least as far as this entry; it only moves forward."""
        if scope is None:
            if (number, chained) == self._shown:
                return
            self._shown, scope = (number, chained), self.scope
        try:
            self._move_head(number, chained, scope)
        except BaseException:
            self._shown = 0, START
            raise

    def _move_head(self, number: int, chained: bytes, scope: Opened) -> None:
        """Move the head on from an entry of this file: beside a worker that writes to a copy of it, it is of that one.

        What other workers have shown was committed before, so the file that they share has it when it is read here. It
        may have been put back meanwhile; only what the last transaction has followed was read then.
        """
        while True:
            known = self._heads.get(scope.identity, (number, b""))
            moved = (number, chained, scope.identity, *known)
            onward = number > known[0] and (known == self._followed or self._has(scope, *known))
            if onward and self.heads.execute(ONWARD, moved) == 1:
                self._heads[scope.identity] = number, chained
                return
            if not (rows := self.heads.rows(HEAD, (scope.identity,))):
                row = scope.identity, self._place(scope.name), number, chained
                self.heads.execute("INSERT INTO head VALUES (?, ?, ?, ?) ON CONFLICT (ledger) DO NOTHING", row)
                continue
            known = rows[0]
            if not self._has(scope, *known):
                reason = f"entry {known[0]} of the scope {scope.name!r} is not the one that its head knows"
                hint = "another worker writes to a copy of this file: stop all workers, and keep one of the two"
                raise self.database.refusal.because(reason, hint)
            self._heads[scope.identity] = known
            if number <= known[0]:
                return

    def _has(self, scope: Opened, number: int, chained: bytes) -> bool:
        """Return whether the file has this entry of a scope."""
        return bool(self.database.rows(IS_THERE, (scope.number * PLACES + number, chained)))

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
            self._check_salts(chain)
            agrees(parameters_of(self.database, chain[0]), False)
            return chain
        if self._has_head(name):
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
            self._check_salts(chain)
            agrees(parameters_of(self.database, chain[0]), True)
            self._end_scope(chain[0], name)
        else:
            _warn_of_a_name_like(name, [*known], self.database.file)
        secret, salt = secrets.token_bytes(32), chain[0].salt if chain else secrets.token_bytes(32)
        made = Opened(len(known) + 1, name, uuid.uuid4().hex, secret, salt, chain[0].number if chain else None)
        values = made.number, made.name, made.identity, made.secret, made.salt, made.continues
        self.database.execute("INSERT INTO scope VALUES (?, ?, ?, ?, ?, ?)", values)
        said = {"scope": name, "identity": made.identity, "continues": old, "parameters": parameters}
        said |= {"began": datetime.now(UTC).isoformat(timespec="seconds")}  # for readers alone
        said |= {"secret": hashlib.sha256(secret).hexdigest(), "salt": hashlib.sha256(salt).hexdigest()}
        append(self.database, made.number, Entry(0, -1, SCOPE, json.dumps(said)))
        return [made, *chain]

    def _place(self, name: str) -> str:
        return f"{self._file} {name}"

    def _check_salts(self, chain: Sequence[Opened]) -> None:
        """Refuse a salt that is damaged: under another one all persons would be new."""
        for scope in chain:
            if first_of(self.database, scope).said["salt"] != hashlib.sha256(scope.salt).hexdigest():
                reason = f"the salt of the scope {scope.name!r} is not the one that it was made with"
                raise self.database.refusal.because(reason, DAMAGED)

    def _has_head(self, name: str) -> bool:
        """Return whether there is a head of a scope that was in this file, however its path was written then."""
        return name in [known for _, known in heads_of(self.heads, self._file)]

    def _end_scope(self, scope: Opened, by: str) -> None:
        """Close a scope for every worker; an event that is pending ends there, with what it has drawn charged."""
        last = last_of(self.database, scope)
        if last.kind == CLOSED:
            got = words(f"{scope.name!r}, which {last.said['by']!r} continues")
            raise PrivcheckError("continues", got, "a scope that none continues", f"continue {last.said['by']!r}")
        if last.event >= 0 and last.kind != ANSWER and "answer" not in last.said:
            error = {"type": "GuardClosedError", "text": f"the scope {by!r} continues this one", "parts": None}
            said = {"answer": {"error": error, "closes": []}}
            append(self.database, scope.number, Entry(0, last.event, ANSWER, json.dumps(said)))
        append(self.database, scope.number, Entry(0, -1, CLOSED, json.dumps({"by": by})))

    def _check_heads(self, chain: Sequence[Opened]) -> None:
        for scope in chain:
            problem = head_problem(self.database, self.heads, scope)
            if problem:
                raise replace(self.database.refusal, expected="the newest copy, with its head").because(*problem)


def _chain(scope: Opened, known: dict[int, Opened]) -> list[Opened]:
    found = [scope]
    while (before := found[-1].continues) is not None:
        found.append(known[before])
    return found


_NUMBER = re.compile(r"\d+")
SIMILAR = 0.75
"""From which share of letters in common on one name may be the other one misspelled, or a later version of it."""


def _warn_of_a_name_like(name: str, known: Sequence[str], file: Path) -> None:
    """Warn that a scope begins new budgets although its name is close to that of one that is there.

    It is said once, before the scope is made. Scopes of other names, and those that differ in their numbers alone, such
    as one for each day, are meant as they are.
    """
    series = _NUMBER.sub("0", name)
    spelled = {other.casefold(): other for other in known if _NUMBER.sub("0", other) != series}
    for similar in get_close_matches(name.casefold(), spelled, 1, SIMILAR):
        other = spelled[similar]
        text = (
            f"the scope {name!r} is new in {file}, which has the scope {other!r}: it begins new budgets, also for "
            f"persons who gave rewards there; if it is meant for the same people, give scope={other!r}, or after a "
            f"change of the policy continues={other!r} to keep what was spent"
        )
        warnings.warn(text, RuntimeWarning, stacklevel=2)
