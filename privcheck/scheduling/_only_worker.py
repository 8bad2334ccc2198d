"""Whether one thread plays all calls, so that what a process has once, as a global generator, is its own."""

from __future__ import annotations

import threading

_OF_THREAD = threading.local()


def become_worker(number: int) -> None:
    """Take note that this thread is one of so many that play all calls, while the main one waits."""
    _OF_THREAD.workers = number


def workers_here() -> int:
    """Return how many threads play all calls, of which this is one: 1 in the main thread, 0 in one of the user.

    >>> workers_here()
    1
    """
    return 1 if threading.current_thread() is threading.main_thread() else getattr(_OF_THREAD, "workers", 0)
