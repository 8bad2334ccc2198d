"""Forks of the process: what becomes of files before, and of engines in the child, before anything is called there."""

from __future__ import annotations

import os
import weakref
from typing import Protocol

from privcheck.reached_state import LOCK
from privcheck.scheduling import Database


class InChild(Protocol):
    """What begins anew in a child."""

    def after_fork(self) -> None:
        """Begin anew: the parent may have been in the middle of a call."""


KNOWN: weakref.WeakSet[InChild] = weakref.WeakSet()
"""Those that are informed."""


def _before_fork() -> None:
    LOCK.acquire()  # until the process has been forked: no thread of a guard is in SQLite meanwhile
    Database.leave_all()


def _after_fork() -> None:
    for each in KNOWN:
        each.after_fork()
    LOCK.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=LOCK.release, after_in_child=_after_fork)
