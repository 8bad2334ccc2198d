"""Forks of the process: what becomes of files before, and of engines in the child, before anything is called there."""

from __future__ import annotations

import os
import weakref
from typing import Protocol

from privcheck.reached_state import FORKS
from privcheck.scheduling import Database


class InChild(Protocol):
    """What begins anew in a child."""

    def after_fork(self) -> None:
        """Begin anew: the parent may have been in the middle of a call."""


KNOWN: weakref.WeakSet[InChild] = weakref.WeakSet()
"""Those that are informed."""


def _in_child() -> None:
    for each in KNOWN:
        each.after_fork()


FORKS.locks.append(Database.gates)
FORKS.progress, FORKS.before = Database.used, Database.leave_all
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)  # later than that of `Calls`, which these make anew
