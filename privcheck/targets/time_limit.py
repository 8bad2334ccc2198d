"""A limit on the time that one run may take."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from privcheck.errors import PolicyError, words

RUN_LIMIT = 10.0
"""Seconds after which an unfinished run is taken to hang; runs normally take microseconds to milliseconds."""


class RunClock:
    """Counts runs; `next_run` is called before each."""

    def __init__(self) -> None:
        self.run = 0

    def next_run(self) -> None:
        """Record that a run begins."""
        self.run += 1


@contextmanager
def limited(seconds: float = RUN_LIMIT) -> Iterator[RunClock]:
    """Raise `PolicyError` in a run that has not ended after one to two times `seconds`.

    At this interval a timer checks whether the same run is still going on, so runs take no extra time. It needs the
    main thread of a process and a system with interval timers; elsewhere there is no limit.
    """
    clock = RunClock()
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield clock
        return
    seen = [-1]

    def look(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        if seen[0] == clock.run:
            got = words(f"a run that takes longer than {seconds:g} seconds")
            hint = "look for an endless loop, or shorten the horizon"
            raise PolicyError("target", got, "runs that end", hint)
        seen[0] = clock.run

    previous = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield clock
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)
