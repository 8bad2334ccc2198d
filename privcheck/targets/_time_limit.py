"""A limit on the time that one run may take."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from privcheck.errors import PolicyError, PrivcheckError, words

RUN_LIMIT = 10.0
"""Seconds after which an unfinished run is taken to hang; runs normally take microseconds to milliseconds."""


BATCH_LIMIT = 0.01
"""Seconds that each run of a call which makes many is given in addition: far more than such runs take."""


class RunClock:
    """Counts runs; `next_run` is called before each.

    Attributes
    ----------
    late : the error of a run that did not end in time, which its own code may have caught.
    """

    def __init__(self) -> None:
        self.run = 0
        self.late: PolicyError | None = None

    def next_run(self) -> None:
        """Record that a run begins, unless the one before did not end in time."""
        if self.late is not None:
            raise self.late
        self.run += 1


@contextmanager
def limited(
    seconds: float = RUN_LIMIT,
    batch: int = 0,
    rounds_left: Callable[[], int] | None = None,
    of_a_run: float | None = None,
) -> Iterator[RunClock]:
    """Raise `PolicyError` in a run that has not ended after one to two times `seconds`.

    It is raised once more if the run catches it: what code does about this error, it does under an audit alone.

    With `rounds_left` it is a round, not a run, that has to end in this time: guarded runs are slower. One call that
    makes a `batch` of runs has `BATCH_LIMIT` more for each: a timer cannot look at single runs. With `of_a_run`, the
    user's own limit, a call has as many times that.

    At this interval a timer checks whether the same run is still going on, so runs take no extra time. It needs the
    main thread of a process and a system with interval timers; elsewhere there is no limit.
    """
    clock = RunClock()
    seconds = seconds + BATCH_LIMIT * batch if of_a_run is None else of_a_run * max(1, batch)
    what = f"a call of {batch:,} runs" if batch else "a run" if rounds_left is None else "a round"
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield clock
        return
    seen = [-1]

    def look(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        now = clock.run if rounds_left is None else rounds_left()
        if seen[0] == now:
            got = words(f"{what} that takes longer than {seconds:g} seconds")
            hint = "look for an endless loop, shorten the horizon, or raise the time limit"
            limit = f"at most {RUN_LIMIT:g} seconds, and {BATCH_LIMIT:g} more for each run of a call"
            if of_a_run is not None:
                limit = f"at most {of_a_run:g} seconds for each run"
            clock.late = PolicyError("target", got, limit if batch else f"{what[2:]}s that end", hint)
            raise clock.late
        seen[0] = now

    previous = signal.signal(signal.SIGALRM, look)

    def disarm() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)

    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
        yield clock
    except Exception as error:
        if clock.late is None or isinstance(error, PrivcheckError):
            raise
        raise clock.late from None
    finally:
        try:
            disarm()
        finally:  # the timer may go off in the line above: left armed, it would end the process later
            disarm()
    if clock.late is not None:
        raise clock.late
