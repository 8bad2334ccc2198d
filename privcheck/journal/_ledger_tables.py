"""The rows of a ledger: its scopes, its entries, and what events were told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from privcheck.journal._chained_entries import START, Entry, Said
from privcheck.journal._databases import PLACES
from privcheck.journal._short_forms import short_answer, short_person, whole_input
from privcheck.scheduling import Database

PAGE = 1000
"""Entries that are read at once."""

DAMAGED = "the file was changed or damaged: restore the newest copy"
MOST_SCOPES = 2**63 // PLACES
SCOPE_COLUMNS = "id, CAST(name AS TEXT), CAST(identity AS TEXT), CAST(secret AS BLOB), CAST(salt AS BLOB), continues"
COLUMNS = "number, event, kind, body, request, person, window, hash"
SALT_AND_INPUT = "CAST(salt AS BLOB), CAST(input AS BLOB)"
OF_SCOPE = "id BETWEEN ? AND ?"
"""The condition on the rows of some entries of a scope: see `between`."""

END = f"SELECT id, CAST(hash AS BLOB) FROM written WHERE {OF_SCOPE} ORDER BY id DESC LIMIT 1"


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


def between(scope: int, first: int = 0, last: int = PLACES - 1) -> tuple[int, int]:
    """Return the first and the last row of these entries of a scope."""
    return scope * PLACES + first, scope * PLACES + last


def scopes(database: Database) -> list[Opened]:
    """Return the scopes of a ledger, the oldest first.

    Raises
    ------
    PrivcheckError : one continues another one that is not there, or came later; or it has a number that none has.
    """
    found = [Opened(*row) for row in database.rows(f"SELECT {SCOPE_COLUMNS} FROM scope ORDER BY id")]
    before = set[int]()
    for scope in found:
        if not 0 < scope.number < MOST_SCOPES or not (scope.continues is None or scope.continues in before):
            raise database.refusal.because(f"the row of the scope {scope.name!r} is not as it was written", DAMAGED)
        before.add(scope.number)
    return found


def read(database: Database, where: str, values: Sequence[Any]) -> Iterator[Entry]:
    """Return the entries that a condition selects, read in one go up to the first use."""
    return (Entry(*row) for row in database.rows(f"SELECT {COLUMNS} FROM entry WHERE {where}", values))


def entry(database: Database, scope: Opened, number: int) -> Entry | None:
    """Return one entry of a scope; None if it is not there."""
    return next(read(database, OF_SCOPE, between(scope.number, number, number)), None)


def entries(database: Database, scope: Opened, after: int) -> Iterator[Entry]:
    """Return the entries after this one, in order, a page at a time."""
    while page := [*read(database, f"{OF_SCOPE} ORDER BY id LIMIT {PAGE}", between(scope.number, after + 1))]:
        yield from page
        after = page[-1].number


def parameters_of(database: Database, scope: Opened) -> dict[str, Any]:
    """Return what the guards of a scope are built with."""
    found: Any = first_of(database, scope).said["parameters"]
    return dict(found)


def first_of(database: Database, scope: Opened) -> Entry:
    """Return the first entry of a scope, which says what it was made with.

    Raises
    ------
    PrivcheckError : it is not there, or not as it was written.
    """
    first = entry(database, scope, 1)
    if first is None or not first.follows(START):
        reason = f"the first entry of the scope {scope.name!r} is not as it was written"
        raise database.refusal.because(reason, DAMAGED)
    return first


def last_of(database: Database, scope: Opened) -> Entry:
    """Return the last entry of a scope, which has at least the first."""
    return next(read(database, f"{OF_SCOPE} ORDER BY id DESC LIMIT 1", between(scope.number)))


def end(database: Database, scope: int) -> tuple[int, bytes]:
    """Return the number and the hash of the last entry of a scope."""
    rows = database.rows(END, between(scope))
    return (int(rows[0][0]) % PLACES, bytes(rows[0][1])) if rows else (0, START)


def append(database: Database, scope: int, added: Entry) -> Entry:
    """Add an entry to a scope, after its last one."""
    number, chained = end(database, scope)
    return insert(database, scope, added.at(number + 1, chained))


def insert(database: Database, scope: int, added: Entry, said: Said | None = None) -> Entry:
    """Add an entry that has its place; the parts of an event's body are kept, from which the text is made again.

    Parameters
    ----------
    said : what the body says, if it is known.
    """
    said = said or Said.of(added.body)
    parts = (None, None, None, added.body) if said is None else (*said[:3], short_answer(said.answer))
    who = short_person(added.person) if added.person else ""
    row = scope * PLACES + added.number, added.event, added.kind, *parts, added.request, who, added.window, added.hash
    database.execute(INSERT, row)
    return added


def told(database: Database, scope: int, number: int) -> tuple[bytes, bytes] | None:
    """Return the salt of the event with this entry and what it was told; None if that is forgotten."""
    rows = database.rows(f"SELECT {SALT_AND_INPUT} FROM told WHERE {OF_SCOPE}", between(scope, number, number))
    return (bytes(rows[0][0]), whole_input(bytes(rows[0][1]))) if rows else None


def all_told(database: Database, scope: Opened) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the entry, the salt and the input of each event that is not forgotten, in order."""
    after, where = -1, f"{OF_SCOPE} ORDER BY id LIMIT {PAGE}"
    query = f"SELECT id % {PLACES}, {SALT_AND_INPUT} FROM told WHERE {where}"
    while page := database.rows(query, between(scope.number, after + 1)):
        for number, salt, kept in page:
            yield number, salt, whole_input(kept)
        after = page[-1][0]


INSERT = "INSERT INTO written VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
