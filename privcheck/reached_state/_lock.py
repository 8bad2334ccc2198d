"""The lock of what is put back and of guards' calls, and what becomes of it when the process is forked."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from time import sleep
from typing import Any

LOCK = threading.RLock()
"""Held from a snapshot until it has been put back, and during every update of a guarded policy: in between, what one
policy writes into a global would be undone for another.
"""

PATIENCE = 0.5
"""Seconds after which a fork waits no longer for a call that has done nothing of which `Forks.progress` would tell: it
may be waiting for the thread that forks.
"""


class Forks:
    """Forks of the process: each waits until no other thread holds the lock, so that a child finds nothing half done.

    A thread of a policy that forks while a call of the policy waits for it would wait for ever. Its fork goes on
    without the lock, and marks the child, in which nobody ends that call.

    Attributes
    ----------
    half_way : whether this process, or one before it, was forked in the middle of a call of another thread.
    locks : return locks that are held for a short time, which a fork waits for whatever the call does: nobody would be
        left in the child to release them.
    progress : returns another number whenever a call has gone on.
    before : called before the fork, when all locks are held.
    """

    def __init__(self) -> None:
        self.half_way = False
        self.locks: list[Callable[[], Iterable[Any]]] = []
        self.progress: Callable[[], int] = int
        self.before: Callable[[], object] = int
        self._thread = threading.local()

    def begin(self) -> None:
        """Wait for the locks, before a fork."""
        held, seen = list[Any](), -1
        self._of_thread().append(held)
        while not LOCK.acquire(timeout=PATIENCE):
            now = -1 if (free := self._acquired()) is None else self.progress()
            _release(free or [])
            if now == seen != -1:
                break
            seen = now
        else:
            held.append(LOCK)
        while (short := self._acquired()) is None:
            sleep(0.001)
        held += short
        self.before()

    def end(self) -> None:
        """Go on in the parent."""
        _release(self._of_thread().pop())

    def end_in_child(self) -> None:
        """Go on in the child, in which no other thread is left."""
        held = self._of_thread().pop()
        if LOCK not in held:
            self.half_way = True
            LOCK._at_fork_reinit()  # type: ignore[attr-defined]
        _release(held)

    def _of_thread(self) -> list[list[Any]]:
        """Return what each fork of this thread holds: the handler of a signal may fork while another fork waits."""
        self._thread.forks = found = getattr(self._thread, "forks", list[list[Any]]())
        return found

    def _acquired(self) -> list[Any] | None:
        """Return all short locks, which this thread holds now, or None if another thread holds one of them.

        It waits for none while it holds others, for which that thread may be waiting.
        """
        held = list[Any]()
        for lock in [lock for locks in self.locks for lock in locks()]:
            if not lock.acquire(blocking=False):
                _release(held)
                return None
            held.append(lock)
        return held


def _release(locks: list[Any]) -> None:
    for lock in locks:
        lock.release()


FORKS = Forks()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=FORKS.begin, after_in_parent=FORKS.end, after_in_child=FORKS.end_in_child)
