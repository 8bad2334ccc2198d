"""SIGINT and SIGTERM: the first one ends the work with what is known by then, the second one ends the process."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

AGAIN = 0.01
"""Seconds after which a signal is sent again that was received where exceptions are ignored."""

_received: int | None = None
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
    to_the_end : whether the process ends after the block: once a signal was received, further ones do not change the
        status that it ends with.
    """
    global _received
    _received, before, reported = None, {}, sys.unraisablehook
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, _answer)
        sys.unraisablehook = _sending_again(reported)
    except ValueError:  # not in the main thread
        pass
    try:
        yield
    finally:
        sys.unraisablehook = reported
        if to_the_end and interrupted_status() is not None:
            atexit.register(_ignore, list(before))  # Python's own handlers go before the process does
        else:
            for number, handler in before.items():
                signal.signal(number, handler)
            _received = None


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


def _ignore(numbers: list[signal.Signals]) -> None:
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)


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
