"""The journal of a guard that ends with its process: the answers under ids, and who gave rewards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from privcheck.errors import PrivcheckError, words
from privcheck.journal._chained_entries import START, Entry, Said
from privcheck.journal._journal import TELLS, Admission, Answered
from privcheck.journal._kept_snapshots import Snapshot


class _Alone:
    """A transaction without other workers; a guard in memory goes on after an error, so nothing is taken back."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


_ALONE = _Alone()


class MemoryJournal:
    """Keeps the events that have an id or a person, and no others.

    Examples
    --------
    >>> journal = MemoryJournal()
    >>> _ = journal.append(Entry(0, 1, "select", "{}", request="e17"))
    >>> journal.answer("e17", "select").event.event, journal.answer("e17", "update")
    (1, None)
    """

    durable: ClassVar[bool] = False

    def __init__(self) -> None:
        self._number, self._window = 0, 0
        self._requests: dict[tuple[str, str], Answered] = {}
        self._persons: dict[tuple[str, int], list[Admission]] = {}

    def transaction(self) -> _Alone:
        """Do nothing: the lock of the guard keeps other threads out."""
        return _ALONE

    def commit(self) -> None:
        """Do nothing."""

    def roll_back(self) -> None:
        """Do nothing: nothing is taken back."""

    def head(self) -> tuple[int, bytes]:
        """Return how many entries were added; they have no hashes."""
        return self._number, START

    def append(self, entry: Entry, told: tuple[bytes, bytes] | None = None, said: Said | None = None) -> Entry:  # noqa: ARG002
        """Take note of an event with an id or a person."""
        if (entry.request, entry.kind) in self._requests:
            got = words(f"{entry.request!r}, which was recorded before")
            raise PrivcheckError("request_id", got, "an id of its own for each event")
        self._number += 1
        kept = entry._replace(number=self._number)
        if entry.request:
            self._requests[entry.request, entry.kind] = Answered(kept, kept, told[0] if told else None)
        if entry.person and entry.kind == TELLS:
            self._persons.setdefault((entry.person, entry.window), []).append(Admission("", kept))
            self._window = max(self._window, entry.window)
        return kept

    def answer(self, request: str, kind: str) -> Answered | None:
        """Return the event of this kind under an id."""
        return self._requests.get((request, kind))

    def after(self, number: int) -> Iterator[Entry]:  # noqa: ARG002
        """Return nothing: nobody else adds anything."""
        return iter(())

    def told(self, number: int) -> tuple[bytes, bytes]:
        """Refuse: nothing is played again from memory."""
        raise KeyError(number)

    def closed(self) -> None:
        """Return None: nothing continues what is in memory."""

    def snapshot(self, code: str) -> Snapshot | None:  # noqa: ARG002
        """Return None: nothing is played again from memory."""
        return None

    def snapshot_at(self) -> int:
        """Return 0: there is none."""
        return 0

    def keep(self, snapshot: Snapshot | str) -> None:
        """Do nothing: nothing is played again from memory."""

    def drop(self, problem: str) -> None:
        """Do nothing: there is no snapshot."""

    def inputs(self, kind: str) -> list[tuple[int, int]]:  # noqa: ARG002
        """Return nothing: what events were told is not kept."""
        return []

    def is_forgotten(self) -> bool:
        """Return True: what events were told is not kept."""
        return True

    def forget(self, last: int, stays: Sequence[int]) -> int:  # noqa: ARG002
        """Return 0: what events were told is not kept."""
        return 0

    def erase(self) -> None:
        """Do nothing."""

    def admissions(self, person: str, window: int | None = None) -> list[Admission]:
        """Return the rewards of a person that were passed on, in a window; by default in all of them."""
        if window is None:
            return [each for (who, _), found in self._persons.items() if who == person for each in found]
        return self._persons.get((person, window), [])

    def last_window(self) -> int:
        """Return the largest window so far."""
        return self._window

    def show(self, number: int, chained: bytes) -> None:
        """Do nothing: there is no head."""
