"""What a guard asks of a journal, whatever it is kept in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import ClassVar, NamedTuple, Protocol

from privcheck.errors import PrivcheckError
from privcheck.journal._chained_entries import Entry, Said
from privcheck.journal._kept_snapshots import Snapshot


class Answered(NamedTuple):
    """An event that was recorded under an id.

    Parameters
    ----------
    event : its entry.
    answer : the entry with its answer: the same one if the event drew no noise; None while the event is pending.
    salt : of the hash of what the event was told; None if that is forgotten.
    earlier : whether it was recorded in a scope that this one continues.
    """

    event: Entry
    answer: Entry | None
    salt: bytes | None
    earlier: bool = False


TELLS = "update"
"""The call that tells the reward of a person; where contexts are private, choices have persons too."""


class Admission(NamedTuple):
    """One reward of a person that was passed on to the policy.

    Parameters
    ----------
    scope : name of the scope in which it was given.
    event : the entry of the event.
    """

    scope: str
    event: Entry


class Journal(Protocol):
    """Keeps what a guard has done in one scope, in an order that all workers of the scope share.

    Attributes
    ----------
    durable : whether it outlives the process; a guard then plays from it, and records every event.

    Guarantee
    ---------
    Inside `transaction` no other worker adds anything. What was added is there for all of them once the block has been
    left, or `commit` has returned, and not at all if the block is left by an exception. There is one entry of each
    number, and one event of each id and kind.
    """

    durable: ClassVar[bool]

    def transaction(self) -> AbstractContextManager[None]:
        """Keep other workers out until the block ends, and add what it adds together."""

    def commit(self) -> None:
        """Make what was added durable, inside a transaction; other workers may add entries before it goes on."""

    def roll_back(self) -> None:
        """Take back a transaction that was left open, if there is one."""

    def head(self) -> tuple[int, bytes]:
        """Return the number and the hash of the last entry."""

    def append(self, entry: Entry, told: tuple[bytes, bytes] | None = None, said: Said | None = None) -> Entry:
        """Add an entry after the last one, and return it with its number and hash.

        Parameters
        ----------
        entry : its number and hash are set here.
        told : of an event, a salt and what it was told, whose salted hash its body has.
        said : of an event, what its body says.
        """

    def answer(self, request: str, kind: str) -> Answered | None:
        """Return the event of this kind that was recorded under an id, in this scope or one that it continues."""

    def after(self, number: int) -> Iterator[Entry]:
        """Return the entries after this one, in order."""

    def told(self, number: int) -> tuple[bytes, bytes]:
        """Return the salt of the event with this entry and what it was told."""

    def closed(self) -> PrivcheckError | None:
        """Return the error that says that another scope continues this one; None if none does."""

    def snapshot(self, code: str) -> Snapshot | None:
        """Return the snapshot that code like this has taken; None if there is none that fits the entries."""

    def snapshot_at(self) -> int:
        """Return the number of the entry after which the newest snapshot was taken; 0 for none."""

    def keep(self, snapshot: Snapshot | str) -> None:
        """Put a snapshot in place of the one before, inside a transaction, or say why it could not be taken."""

    def drop(self, problem: str) -> None:
        """Delete the snapshot, inside a transaction, and say why."""

    def inputs(self, kind: str) -> list[tuple[int, int]]:
        """Return the numbers and rounds of the entries with events of this kind that are not forgotten, in order."""

    def is_forgotten(self) -> bool:
        """Return whether what the first event was told is not there, so that nothing can be played from it."""

    def forget(self, last: int, stays: Sequence[int]) -> int:
        """Delete what events were told, inside a transaction, of this scope and all of those that it continues.

        Parameters
        ----------
        last : the last entry whose event is forgotten.
        stays : numbers of entries before it whose events are not.

        Returns
        -------
        How many were deleted.
        """

    def erase(self) -> None:
        """Overwrite what was deleted, after the transaction."""

    def admissions(self, person: str, window: int | None = None) -> list[Admission]:
        """Return the rewards of a person that were passed on, in this scope and those that it continues, in a window;
        by default in all of them.
        """

    def last_window(self) -> int:
        """Return the largest window so far, in this scope and those that it continues."""

    def show(self, number: int, chained: bytes) -> None:
        """Let the head say that the journal goes at least as far as the entry with this number and hash.

        It is called before any answer is shown, also one that was recorded earlier.
        """
