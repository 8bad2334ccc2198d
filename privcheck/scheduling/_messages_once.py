"""Messages that a target logs: it is played thousands of times, in a process that shows each line of code once."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


class _Once:
    """Hands each line's first message to the terminal, and counts the others."""

    def __init__(self) -> None:
        self.first: dict[tuple[str, int], logging.LogRecord] = {}
        self.more = 0
        self.last: logging.LogRecord | None = None
        self.handle = handle = logging.Handler.handle

        def handled(handler: logging.Handler, record: logging.LogRecord) -> Any:
            return self.kept(handler, record) if self.is_hidden(handler, record) else handle(handler, record)

        logging.Handler.handle = handled  # type: ignore[method-assign, assignment]

    def is_hidden(self, handler: logging.Handler, record: logging.LogRecord) -> bool:
        if not isinstance(handler, logging.StreamHandler) or isinstance(handler, logging.FileHandler):
            return False
        return self.first.setdefault((record.pathname, record.lineno), record) is not record

    def kept(self, handler: logging.Handler, record: logging.LogRecord) -> Any:
        self.more, self.last = self.more + (record is not self.last), record  # each handler is asked
        if passed := handler.filter(record):
            with suppress(Exception):  # as `emit`, which would print it
                handler.format(record)
        return passed


@contextmanager
def messages_once() -> Iterator[None]:
    """Let each line of code log one message to the terminal while the block runs, and say how many more there were.

    It is for a process that is a command's own: other threads of a service would lose theirs. What is not shown is put
    into words all the same: it may hold private values or noise, and whether they are read is what a certificate is
    about. Files that a target logs to have everything.
    """
    once = _Once()
    try:
        yield
    finally:
        logging.Handler.handle = once.handle  # type: ignore[method-assign]
        if once.more:
            lines = "1 line that logs" if len(once.first) == 1 else f"{len(once.first)} lines that log"
            with suppress(OSError, ValueError):
                sys.stderr.write(f"privcheck: {once.more:,} more messages, of {lines}, are not shown\n")


def begin_worker() -> None:
    """Do the same in a worker process, for as long as it runs; it says no number."""
    _Once()
