"""Snapshots in a ledger, and the inputs of events that may be deleted because of them."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from privcheck.journal._databases import SNAPSHOT_TABLE, TOLD_TABLE
from privcheck.journal._ledger_tables import Opened, between, entry
from privcheck.scheduling import Database


class Snapshot(NamedTuple):
    """What a guard held after an event, from which another one goes on.

    Parameters
    ----------
    number, hash : of the last entry before it.
    code : of what took it: its sources, and the versions and the processor that ran them.
    state : what it held; only a guard reads it.
    """

    number: int
    hash: bytes
    code: str
    state: bytes


class SnapshotRow(NamedTuple):
    """What a ledger says of the snapshot of a scope, without what is in it.

    Parameters
    ----------
    number : the entry after which it was taken; 0 for none.
    size : of what it holds, in bytes.
    problem : why there is none, or no newer one.
    """

    number: int
    size: int
    problem: str


def find_snapshot(database: Database, scope: Opened, code: str) -> Snapshot | None:
    """Return the snapshot of a scope, if this code took it, at the entry that is there, and it is whole."""
    rows = database.rows("SELECT number, hash, code, seal, state FROM snapshot WHERE scope = ?", (scope.number,))
    for number, chained, taken_by, seal, state in rows:
        found, where = Snapshot(number, chained, taken_by, state), entry(database, scope, number)
        whole = hmac.compare_digest(seal, _seal(scope, found))
        if whole and taken_by == code and where is not None and where.hash == chained:
            return found
    return None


def keep_snapshot(database: Database, scope: Opened, kept: Snapshot) -> None:
    """Put a snapshot in place of the one before."""
    row = scope.number, kept.number, kept.hash, kept.code, _seal(scope, kept), kept.state
    database.execute("INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?, ?, ?, '')", row)


def keep_problem(database: Database, scope: Opened, problem: str) -> None:
    """Say why there is no snapshot, or no newer one."""
    words = "ON CONFLICT (scope) DO UPDATE SET problem = excluded.problem"
    database.execute(f"INSERT INTO snapshot VALUES (?, 0, x'', '', x'', x'', ?) {words}", (scope.number, problem))


def drop_snapshot(database: Database, scope: Opened, problem: str) -> None:
    """Delete a snapshot, and say why."""
    database.execute("DELETE FROM snapshot WHERE scope = ?", (scope.number,))
    keep_problem(database, scope, problem)


def snapshot_row(database: Database, scope: Opened) -> SnapshotRow:
    """Return what a ledger says of the snapshot of a scope."""
    columns = "CAST(number AS INTEGER), length(state), CAST(problem AS TEXT)"
    rows = database.rows(f"SELECT {columns} FROM snapshot WHERE scope = ?", (scope.number,))
    return SnapshotRow(*rows[0]) if rows else SnapshotRow(0, 0, "")


def count_told(database: Database, scope: Opened) -> int:
    """Return of how many events of a scope the ledger has what they were told."""
    return int(database.rows("SELECT count(*) FROM told WHERE id BETWEEN ? AND ?", between(scope.number))[0][0])


def forget_told(database: Database, chain: Sequence[Opened], last: int, stays: Iterable[int]) -> int:
    """Delete what the events of a scope were told, and those that it continues, with all snapshots but its own.

    What remains is written into new tables: where rows have moved within a table, a deleted one may have left a copy.

    Parameters
    ----------
    chain : the scope, and those that it continues.
    last : the last entry whose event is deleted in the scope itself.
    stays : numbers of entries whose events are not.

    Returns
    -------
    How many were deleted.
    """
    ranges = [between(chain[0].number, 0, last), *(between(scope.number) for scope in chain[1:])]
    gone = " OR ".join(f"id BETWEEN {first} AND {end}" for first, end in ranges)
    kept = json.dumps([between(chain[0].number, number)[0] for number in stays])
    where = f"NOT ({gone}) OR id IN (SELECT value FROM json_each(?))"
    before = database.rows("SELECT count(*) FROM told")[0][0]
    _rewrite(database, TOLD_TABLE, "told", where, (kept,))
    closed = ", ".join(str(scope.number) for scope in chain[1:])
    _rewrite(database, SNAPSHOT_TABLE, "snapshot", f"scope NOT IN ({closed})")
    return int(before - database.rows("SELECT count(*) FROM told")[0][0])


def _rewrite(database: Database, table: str, name: str, where: str, values: Sequence[str] = ()) -> None:
    """Keep the rows that a condition selects, in new pages; the old ones are overwritten with zeros."""
    database.execute(table.format(f"{name}_anew"))
    database.execute(f"INSERT INTO {name}_anew SELECT * FROM {name} WHERE {where}", values)
    database.execute(f"DROP TABLE {name}")
    database.execute(f"ALTER TABLE {name}_anew RENAME TO {name}")


def _seal(scope: Opened, kept: Snapshot) -> bytes:
    """Return a code of all that a snapshot says, which one that was damaged or is another scope's does not have."""
    about = json.dumps([scope.identity, kept.number, kept.hash.hex(), kept.code]).encode()
    return hmac.digest(scope.secret, hashlib.sha256(about).digest() + kept.state, "sha256")
