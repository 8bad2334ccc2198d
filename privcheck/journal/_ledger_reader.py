"""A ledger that is read and not written: by commands, beside the guards that write it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Self

from privcheck.errors import PrivcheckError
from privcheck.journal._chained_entries import Entry
from privcheck.journal._databases import head_database, ledger_database
from privcheck.journal._heads import head_problem, heads_of
from privcheck.journal._kept_snapshots import SnapshotRow, count_told, snapshot_row
from privcheck.journal._ledger_tables import Opened, all_told, entries, scopes


class LedgerFile:
    """The scopes and entries of a ledger, as they are at one moment.

    Parameters
    ----------
    path : of the ledger.
    head : of the file with the heads; None if they are not asked.

    Raises
    ------
    PrivcheckError : there is no such file, it is no ledger, or one of a later format.
    """

    def __init__(self, path: str | os.PathLike[str], head: str | os.PathLike[str] | None = None) -> None:
        self._database = ledger_database(path, make=False)
        self._heads = None
        try:
            if head is not None:
                self._heads = head_database(head, make=False)
            self._database.execute("BEGIN")  # what guards add meanwhile is not seen
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()
        if self._heads is not None:
            self._heads.close()

    def unreadable(self, scope: Opened, error: Exception) -> PrivcheckError:
        """Return the error of a scope whose entries do not say what they should."""
        what = f"an entry of the scope {scope.name!r} cannot be read ({type(error).__name__})"
        return self._database.refusal.because(what, "`privcheck ledger verify` says where it was changed or damaged")

    def scopes(self) -> list[Opened]:
        """Return the scopes, the oldest first."""
        return scopes(self._database)

    def entries(self, scope: Opened) -> Iterator[Entry]:
        """Return the entries of a scope, in order."""
        yield from entries(self._database, scope, 0)

    def snapshot(self, scope: Opened) -> SnapshotRow:
        """Return what there is of the snapshot of a scope; it is not read."""
        return snapshot_row(self._database, scope)

    def count_told(self, scope: Opened) -> int:
        """Return of how many events it is kept what they were told."""
        return count_told(self._database, scope)

    def told(self, scope: Opened) -> Iterator[tuple[int, bytes, bytes]]:
        """Yield, of events that are not forgotten, the entry, the salt and what it was told."""
        yield from all_told(self._database, scope)

    def damage(self) -> list[str]:
        """Return where SQLite finds the file damaged, as where an index does not lead to an entry that is there."""
        return [said for (said,) in self._database.rows("PRAGMA integrity_check(3)") if said != "ok"]

    def head_problems(self) -> list[str]:
        """Return where the ledger does not end as its head says; nothing else is read afterwards."""
        if self._heads is None:
            return []
        known = self.scopes()
        self._database.execute("COMMIT")  # the heads have gone on, and the ledger before them
        found = (head_problem(self._database, self._heads, scope) for scope in known)
        heads = [*heads_of(self._heads, self._database.file.resolve())]
        identities = {scope.identity for scope in self.scopes()}  # read later: a scope is made before its head
        lost = [name for identity, name in heads if identity not in identities]
        hint = "this is an old copy, or was begun anew: restore the newest"
        return [f"{what}; {hint}" for what, hint in filter(None, found)] + [
            f"the scope {name!r} is not in the ledger, and {self._heads.file} has its head; {hint}" for name in lost
        ]
