"""Whether one thread plays all calls, so that what a process has once, as a global generator, is its own."""

from __future__ import annotations

import threading

_OF_THREAD = threading.local()


def become_worker(number: int) -> None:
    """Take note that this thread is one of so many that play all calls, while the main one waits."""
    _OF_THREAD.workers = number


def is_only_worker() -> bool:
    """Return whether this thread plays all calls: the main one, or the only one that plays while that waits.

    >>> is_only_worker()
    True
    """
    return threading.current_thread() is threading.main_thread() or getattr(_OF_THREAD, "workers", 0) == 1


def is_one_of_several() -> bool:
    """Return whether this thread is one of several workers; a thread that the user started is none.

    >>> is_one_of_several()
    False
    """
    return getattr(_OF_THREAD, "workers", 0) > 1
