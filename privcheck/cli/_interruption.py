"""SIGINT and SIGTERM: the first one ends the work with what is known by then, the second one ends the process.

Python tells of a signal between two of its own instructions, and compiled code may run for hours between them. So a
thread watches, too: a process of its own ends within a short time of the first signal, whatever it is busy with, unless
it is handing out its answer by then.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

AGAIN = 0.01
"""Seconds after which a signal is sent again that was received where exceptions are ignored."""

ANSWERED = 1.5
"""Seconds after a signal within which there has to be an answer, if there is to be one."""

_received: int | None = None
_answering = False
_leave = os._exit  # before a target's calls of it are refused


def interrupted_status() -> int | None:
    """Return the exit status of work that a signal ended before there was an answer; None if there was no signal."""
    return None if _received is None else 128 + _received


@contextmanager
def answering_signals(to_the_end: bool = False) -> Iterator[None]:
    """Let SIGTERM raise KeyboardInterrupt, as SIGINT does, while the block runs; a second signal ends the process.

    A signal that the caller ignores stays ignored. The old handlers are put back afterwards. Only the main thread of a
    process can have handlers: elsewhere nothing is changed.

    Parameters
    ----------
    to_the_end : whether the process ends after the block: then it does so in time, also where compiled code runs.
    """
    global _received, _answering
    _received, _answering, before, reported = None, False, {}, sys.unraisablehook
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, _answer)
        sys.unraisablehook = _sending_again(reported)
        if to_the_end and before and os.name == "posix":  # elsewhere the numbers of signals go to sockets only
            _watch()
    except ValueError:  # not in the main thread
        pass
    try:
        yield
    finally:
        sys.unraisablehook = reported
        if not to_the_end:
            for number, handler in before.items():
                signal.signal(number, handler)
            _received = None


def hands_out() -> None:
    """Take note that an answer is being handed out: if a signal asked for it, it is not cut off."""
    global _answering
    _answering = _received is not None


def leave_if_interrupted(status: int) -> None:
    """End the process with this status if there was a signal: threads of compiled code would be waited for."""
    if _received is None:
        return
    _end_workers()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it, or it is closed
            stream.flush()
    _leave(status)


def _watch() -> None:
    """Begin to watch for signals in a thread; Python writes their numbers to a pipe when they come."""
    told, tells = os.pipe()
    os.set_blocking(tells, False)
    signal.set_wakeup_fd(tells, warn_on_full_buffer=False)
    os.register_at_fork(after_in_child=_unwatched)
    threading.Thread(target=_end_in_time, args=(told,), daemon=True, name="privcheck waits for signals").start()


def _unwatched() -> None:
    """Let signals of a forked child, which a target may end by one, be no signals of this process."""
    with suppress(ValueError):
        signal.set_wakeup_fd(-1)


def _end_in_time(told: int) -> None:
    number = _next_signal(told)
    time.sleep(ANSWERED)
    if _answering:
        return
    _end_workers()
    with suppress(OSError):
        os.write(2, b"privcheck: interrupted\n")
    _leave(128 + number)


def _next_signal(told: int) -> int:
    """Wait for a signal that ends the work, and return its number."""
    while (number := os.read(told, 1)[0]) not in (signal.SIGINT, signal.SIGTERM):
        pass
    return number


def _sending_again(reported: Callable[[Any], object]) -> Callable[[Any], None]:
    """Return a hook that sends a signal again whose KeyboardInterrupt was ignored.

    Python ignores what is raised in a destructor and in what compiled code calls, as numba's compiler does: the work
    would go on.
    """

    def hook(unraisable: Any) -> None:
        global _received
        if unraisable.exc_type is not KeyboardInterrupt or _received is None:
            reported(unraisable)
            return
        again = threading.Timer(AGAIN, signal.raise_signal, (_received,))
        again.daemon, _received = True, None
        again.start()

    return hook


def keep_status() -> None:
    """Let the process end with its status and not by SIGINT.

    Python sends itself that signal at its very end if a KeyboardInterrupt went through an `exec` of text, as in the
    making of a dataclass, even if it was caught afterwards; the next `exec` of text lets it forget that.
    """
    exec("")


def _answer(number: int, _: FrameType | None) -> None:
    global _received
    if _received is not None:
        _end_workers()
        _leave(128 + number)
    _received = number
    raise KeyboardInterrupt


def _end_workers() -> None:
    """Kill the worker processes, which would play their chunk to the end, and the commands that are audited."""
    commands = sys.modules.get("privcheck.targets._services.line_process")
    if commands is not None:
        commands.kill_all()
    workers = sys.modules.get("privcheck.scheduling._worker_processes")
    if workers is not None:
        workers.kill_processes()
