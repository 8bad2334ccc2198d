"""Snapshots of a guard with a ledger: when they are taken, and what may be forgotten because of them."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from privcheck.certifying._recorded.frozen_state import Thawed, frozen
from privcheck.certifying._recorded.interrupts import is_from_outside, is_passing
from privcheck.certifying._recorded.played import Played
from privcheck.certifying._recorded.values import decoded
from privcheck.certifying._translated.swapped_code import untranslated
from privcheck.errors import PrivcheckError, on_one_line, words
from privcheck.journal import CLOSED, ENVIRONMENT, Entry, Journal, Snapshot
from privcheck.scheduling import digest

EVERY = 1000
"""Events between snapshots: what is played again at a start, which takes a few tenths of a second."""

BYTES = 200
"""Bytes of a snapshot for each event before the next one: a large one is not written so often."""

NEVER = 2**62
"""More events than there are."""

REHEARSED = 64
"""Events after the first snapshot before the policy goes on from it: one that it misses something of is found out."""

OUTSIDE = "it keeps something outside of itself, in a global or an attribute of a class"
SEEDED = "it seeds {}, or draws from it, which is a generator of the whole process"
LONGEST = 200
"""Characters of a reason that are recorded."""


class Snapshots:
    """Takes snapshots of a guard, and finds the one from which it goes on.

    Parameters
    ----------
    journal : where they are kept.
    environment : the code of the versions and the processor that play here.
    policy : the class or factory, whose sources, with the globals and attributes that they name, are compared.
    """

    def __init__(self, journal: Journal, environment: str, policy: Any) -> None:
        self._journal, self._environment, self._policy = journal, environment, policy
        self._problem, self._code = "", ""
        if journal.durable:
            self._look_at_code()
        self._next, self._wait, self._rehearsal = EVERY, EVERY, -1
        self._taken = False

    def find(self) -> Thawed | None:
        """Return the snapshot that fits; what does not fit, or cannot be read, is as if it were not there."""
        if self._problem or not self._journal.snapshot_at():
            return None
        try:
            kept = self._journal.snapshot(self._code)
            return None if kept is None else Thawed(kept)
        except Exception as error:
            if is_passing(error):
                raise
            return None

    def went_on(self, events: int) -> None:
        """Count from the events that are played."""
        self._next = events + self._wait

    def is_due(self, events: int) -> bool:
        """Return whether it is time for the next one."""
        return events >= self._next

    def is_rehearsed(self, events: int) -> bool:
        """Return whether the policy should go on from the first snapshot that was taken here, once."""
        if not 0 <= self._rehearsal <= events:
            return False
        self._rehearsal = -1
        return True

    def take(self, played: Played, bits: Any, facts: dict[str, Any], position: tuple[int, bytes]) -> None:
        """Write a snapshot, or why there is none; what has been answered stands, whatever happens here."""
        self._next = facts["events"] + self._wait
        if self._journal.snapshot_at() > position[0] - EVERY:  # another worker has just taken one
            return
        kept = self._kept(played, bits, facts, position)
        try:
            with self._journal.transaction():
                if self._is_overtaken(position[0]):
                    return
                self._journal.keep(kept)
        except PrivcheckError:  # the disk is full: the next one may have room
            return
        if isinstance(kept, str):
            self._wait *= 2
        else:
            self._wait = max(EVERY, len(kept.state) // BYTES)
            if not self._taken:
                self._taken, self._rehearsal = True, facts["events"] + REHEARSED
        self._next = facts["events"] + self._wait

    def _is_overtaken(self, number: int) -> bool:
        """Return whether another worker, meanwhile, has forgotten what would come back, or has ended the scope."""
        return self._journal.snapshot_at() >= number or any(
            entry.kind == CLOSED or (entry.kind == ENVIRONMENT and "forgot" in entry.said)
            for entry in self._journal.after(number)
        )

    def drop(self) -> None:
        """Use the snapshot no more: from it the policy has not gone on as it did; inside a transaction."""
        self._next = self._wait = NEVER
        self._journal.drop("from a snapshot the policy does not go on as it did")

    def forget(
        self,
        played: Played,
        bits: Any,
        facts: dict[str, Any],
        position: tuple[int, bytes],
        go_on: Callable[[Thawed], object],
    ) -> int:
        """Delete what events were told to which no private value refers, inside a transaction, and return how many.

        Parameters
        ----------
        go_on : goes on from the snapshot, which is tried before it is the only way to go on.

        Raises
        ------
        PrivcheckError : there can be no snapshot, so that what was told is needed to play the policy again; the scope
            is continued, and its snapshot would bring back what the newest one has forgotten.
        """
        if facts["ended"]:
            got, hint = (
                words("forget() of a scope that another one continues"),
                "it forgets what this one was told, too",
            )
            raise PrivcheckError("scope", got, "forget() of the scope that goes on", hint)
        kept = self._kept(played, bits, facts, position, orders=False)
        if isinstance(kept, str):
            raise _refused(kept)
        self._journal.keep(kept)
        deleted = self._journal.forget(position[0], self._in_use(played))
        said = {"code": self._environment, "is": facts["known"][self._environment], "forgot": True}
        self._journal.append(Entry(0, -1, ENVIRONMENT, json.dumps(said)))  # all workers go on from this snapshot
        try:
            go_on(Thawed(kept))
        except Exception as error:
            if is_from_outside(error):
                raise
            raise _refused(_short(f"it cannot be read back ({type(error).__name__}: {error})")) from None
        return deleted

    def _kept(
        self, played: Played, bits: Any, facts: dict[str, Any], position: tuple[int, bytes], *, orders: bool = True
    ) -> Snapshot | str:
        leaks = len(played.session.leaks)
        if played.seeded:
            return SEEDED.format(" and ".join(sorted(played.seeded)))
        try:
            state = frozen(played, bits, facts, orders=orders)
            if not self._problem and self._digest() != self._code.partition(" ")[2]:
                return OUTSIDE
        except PrivcheckError as error:
            return _short(str(error))
        except Exception as error:
            if is_from_outside(error):
                raise
            return _short(f"it cannot be written ({type(error).__name__}: {error})")
        finally:
            del played.session.leaks[leaks:]  # of looking at what the code names
        return self._problem or Snapshot(*position, self._code, state)

    def _look_at_code(self) -> None:
        """Take note of the sources, globals and attributes of classes, as they are before anything is played."""
        try:
            self._code = f"{self._environment} {self._digest()}"
        except Exception as error:
            if is_passing(error):
                raise
            self._problem = _short(f"its code cannot be compared ({error})")

    def _digest(self) -> str:
        """Return what the code is, as it was written."""
        with untranslated():
            return digest(self._policy)

    def _in_use(self, played: Played) -> list[int]:
        """Return the numbers of the entries with what live private values refer to."""
        data, kind = played.session.source.data_in_use(), played.kind
        rounds: Any = sorted({datum[0] if isinstance(datum, tuple) else datum for datum in data})
        if not rounds:
            return []
        events = self._journal.inputs(kind.learns)
        if "round" in kind.told:
            place = kind.told.index("round")
            given = ((number, decoded(json.loads(self._journal.told(number)[1]))) for number, _ in events)
            return [number for number, told in given if told[place] in rounds]
        ends: list[Any] = [first for _, first in events[1:]] + [rounds[-1] + 1]
        return [
            number
            for (number, first), end in zip(events, ends, strict=True)
            if bisect_left(rounds, first) < bisect_left(rounds, max(end, first + 1))
        ]


def _refused(why: str) -> PrivcheckError:
    got, hint = words(f"a policy without a snapshot: {why}"), "what events were told is played at each start"
    return PrivcheckError("policy", got, "a policy that can be written and read back", hint)


def _short(text: str) -> str:
    return on_one_line(text)[:LONGEST]
