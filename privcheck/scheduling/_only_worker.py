"""Whether one thread plays all calls, so that what a process has once, as a global generator, is its own."""

from __future__ import annotations

import threading

_OF_THREAD = threading.local()


def become_only_worker() -> None:
    """Take note that this thread plays all calls, while the main one waits."""
    _OF_THREAD.plays_all = True


def is_only_worker() -> bool:
    """Return whether this thread plays all calls: the main one, or the only one that plays while that waits.

    >>> is_only_worker()
    True
    """
    return threading.current_thread() is threading.main_thread() or hasattr(_OF_THREAD, "plays_all")
