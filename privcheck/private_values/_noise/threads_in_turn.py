"""Threads of a policy take turns where they read private values that hold noise, or release others."""

from __future__ import annotations

from threading import RLock


class Turns:
    """A lock that tells whether its holder had to wait for it; a thread may enter it again.

    Attributes
    ----------
    waited : whether the thread inside has waited for another one, so that it is chance which of them came first.

    Examples
    --------
    >>> turns = Turns()
    >>> with turns:
    ...     turns.waited
    False
    """

    def __init__(self) -> None:
        self._lock, self._depth, self.waited = RLock(), 0, False

    def __enter__(self) -> None:
        waited = not self._lock.acquire(blocking=False) and self._lock.acquire()
        if self._depth == 0:
            self.waited = waited
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        self._lock.release()
