"""Forks of the process: what an engine does in the child, before anything is called there."""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class InChild(Protocol):
    """What begins anew in a child."""

    def after_fork(self) -> None:
        """Begin anew: the parent may have been in the middle of a call."""


KNOWN: weakref.WeakSet[InChild] = weakref.WeakSet()
"""Those that are informed."""


def _after_fork() -> None:
    for each in KNOWN:
        each.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
