"""A queue before a lock that processes ask for again and again, so that none of them waits for ever."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


TURN = 8
"""Times that a process asks for the lock before it stands in the queue again: what it has just read is still at hand,
and those that wait read all of it at once.
"""

PATIENCE = 5.0
"""Seconds in the queue after which a process asks without it: the one that is first may be stopped, for hours."""

PAUSE = 0.005
"""Seconds between two looks at the queue: the system's own way to wait has no limit."""


class Queue:
    """Lets one process ask for a lock, while most others sleep.

    SQLite's lock goes to whoever asks in the moment in which it is free, mostly to the process that just had it: of
    eight that write all the time, some wait for minutes. Here a process that had the lock a few times waits behind the
    one that asks for it. How long processes wait rests on it, and nothing else: without a file that can be made, on
    Windows, or behind a process that is stopped, there is no queue.

    Parameters
    ----------
    file : is made if it is not there, and stays empty; whoever uses the same one stands in the same queue.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     queue = Queue(Path(folder, "queue"))
    ...     queue.enter()
    ...     queue.leave()
    ...     queue.close()
    """

    __slots__ = ("_asked", "_file", "_is_in", "_opened")

    def __init__(self, file: Path) -> None:
        self._file, self._opened = file, -1
        self._asked, self._is_in = 0, False

    def enter(self) -> None:
        """Wait until the processes that came before have asked for the lock, if it is time to.

        The queue is a lock of the process, which a fork has not, and which ends with it: nobody waits for the dead.
        """
        self._asked += 1
        if fcntl is None or self._asked % TURN != 1:
            return
        with suppress(OSError):
            if self._opened < 0:
                self._opened = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._is_in = True
            deadline = monotonic() + PATIENCE
            while not self._is_first() and monotonic() < deadline:
                sleep(PAUSE)

    def leave(self) -> None:
        """Let the next process ask."""
        if self._is_in:
            self._is_in = False
            with suppress(OSError):
                fcntl.lockf(self._opened, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file."""
        if self._opened >= 0:
            os.close(self._opened)
            self._opened = -1

    def _is_first(self) -> bool:
        """Return whether no other process is in the queue; then this one is."""
        try:
            fcntl.lockf(self._opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True
