"""The heads of ledgers: a file outside of each ledger that says how far its scopes go."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

from privcheck.journal._ledger_tables import OF_SCOPE, Opened, between, end, entry
from privcheck.scheduling import Database

AS_WRITTEN = "iif(typeof(number) = 'integer', number, 0), iif(typeof(hash) = 'blob', hash, x'')"
HEAD = f"SELECT {AS_WRITTEN} FROM head WHERE ledger = ?"


def head_problem(database: Database, heads: Database, scope: Opened) -> tuple[str, str] | None:
    """Return what is wrong with the end of a scope, as its head knows it, and what to do; None if nothing is."""
    rows = heads.rows(HEAD, (scope.identity,))
    number, _ = end(database, scope.number)  # read later: workers show what they have committed
    if not rows:
        played = database.rows(f"SELECT 1 FROM entry WHERE {OF_SCOPE} AND event > 0 LIMIT 1", between(scope.number))
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
    where = entry(database, scope, said)
    if where is None or where.hash != chained:
        hint = "this is a copy that went its own way: restore the one that the head belongs to"
        return f"entry {said} of the scope {scope.name!r} is not the one that its head knows", hint
    return None


def heads_of(heads: Database, file: Path) -> Iterator[tuple[str, str]]:
    """Yield the identity and the name of each scope that has a head and was made in a file."""
    for identity, place in heads.rows("SELECT ledger, CAST(place AS TEXT) FROM head"):
        parts = place.split(" ")
        for end_of_path in range(1, len(parts)):  # either may have spaces
            if Path(" ".join(parts[:end_of_path])).resolve() == file:
                yield str(identity), " ".join(parts[end_of_path:])


def is_beside(head: Path, ledger: Path) -> bool:
    """Return whether a head is in the folder of its ledger."""
    return head.resolve().parent == ledger.resolve().parent


def warn_of_a_head_beside(head: Path, ledger: Path) -> None:
    """Warn that a head cannot do what it is for, because whatever restores the folder restores both."""
    if is_beside(head, ledger):
        text = (
            f"the head {head.resolve()} is in the folder of the ledger: whoever restores the folder from a backup "
            "restores both, and spends again what was spent since; give head= a file elsewhere, best on another disk"
        )
        warnings.warn(text, RuntimeWarning, stacklevel=2)
