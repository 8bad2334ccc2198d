"""What is shown on standard error meanwhile: a progress bar, if that is a terminal, and what targets log, once."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from privcheck.errors import printable

T = TypeVar("T")

REST = 32
"""Columns of the bar at its narrowest, and of the two times; a long description is cut in its middle."""

WINDOW, DAY = 30.0, 86400.0
"""Seconds of work from which the remaining time is estimated."""


_bar: Any = None
"""The bar on the screen, if there is one: work inside of work shows none of its own."""

_announced = False
"""Whether the next work says what it is where no bar can be shown."""


_slow = False
"""Whether work says in lines how far it is where no bar can be shown."""

_lines: _Lines | None = None
"""The work that says in lines how far it is: work inside of it says nothing, and gives it the occasion."""

EVERY = 60.0
"""Seconds from one of these lines to the next."""


@contextmanager
def progress(
    description: str, total: int, *, counted: bool = False, steps: bool = False
) -> Iterator[Callable[[int], None]]:
    """Show a bar while the block runs; call what it yields with the amount of work done.

    Parameters
    ----------
    description : what is being done.
    total : amount of work, in any unit.
    counted : whether the amounts are shown, for few pieces of work that take long.
    steps : the same for steps that take unlike times, from which the remaining time cannot be told.

    Examples
    --------
    >>> with progress("playing runs", 10) as advance:
    ...     advance(10)

    """
    global _bar, _announced, _lines
    if _bar is not None or not sys.stderr.isatty():
        _announce(description)
        if not _slow or _bar is not None:
            yield lambda _: None
        elif (around := _lines) is not None:
            yield lambda _: around(0)
        else:
            _lines = _Lines(description, total, steps=steps)
            try:
                yield _lines
            finally:
                _lines = None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        *([MofNCompleteColumn()] if counted or steps else []),
        TimeElapsedColumn(),
        *([] if steps else [TextColumn("<"), TimeRemainingColumn()]),
    )
    window = DAY if counted else WINDOW
    with Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=window) as bar:
        shown = printable(description)
        if len(shown) > (room := max(bar.console.width - REST, 12)):
            shown = f"{shown[: room // 2]}...{shown[-(room - room // 2 - 3) :]}"
        task = bar.add_task(shown, total=total)
        _bar, _announced = bar, False
        try:
            yield lambda amount: bar.advance(task, amount)
        finally:
            _bar = None


class _Lines:
    """Writes how far work is, and how long the rest takes at its pace, on standard error, once in a while."""

    def __init__(self, description: str, total: int, *, steps: bool) -> None:
        self.description, self.total, self.done, self.steps = printable(description), total, 0, steps
        self.began = self.last = time.monotonic()

    def __call__(self, amount: int) -> None:
        self.done += amount
        now = time.monotonic()
        if now - self.last < EVERY or self.done >= self.total:
            return
        self.last = now
        rest = (now - self.began) * (self.total - self.done) / self.done if self.done and not self.steps else None
        left = "" if rest is None else f", about {rest:.0f} s left"
        share = f"{self.done} of {self.total} steps" if self.steps else f"{self.done / self.total:.0%}"
        share += f" done in {now - self.began:.0f} s"
        sys.stderr.write(f"privcheck: {self.description}: {share}{left}\n")
        sys.stderr.flush()


@contextmanager
def told_in_lines() -> Iterator[None]:
    """Let work inside the block that takes minutes say how far it is where no bar can be shown."""
    global _slow
    _slow = True
    try:
        yield
    finally:
        _slow = False


class Advancing(list[T]):
    """A list that tells, whenever its next item is asked for, that the work on the one before is done.

    >>> told = []
    >>> [item for item in Advancing(["a", "b"], told.append)], told
    (['a', 'b'], [1, 1])
    """

    def __init__(self, items: Iterable[T], advance: Callable[[int], None]) -> None:
        super().__init__(items)
        self.advance = advance

    def __iter__(self) -> Iterator[T]:
        for item in super().__iter__():
            yield item
            self.advance(1)


@contextmanager
def announced() -> Iterator[None]:
    """Let the first work inside the block say what it is, in a line on standard error, where no bar can be shown."""
    global _announced
    _announced = True
    try:
        yield
    finally:
        _announced = False


def _announce(description: str) -> None:
    global _announced
    if _announced:
        _announced = False
        sys.stderr.write(f"privcheck: {printable(description)}, which may take minutes\n")
        sys.stderr.flush()


@contextmanager
def aside() -> Iterator[None]:
    """Take the bar off the screen while the block writes to standard output.

    >>> with aside():
    ...     print("found")
    found
    """
    if _bar is None:
        yield
        return
    _bar.live.stop()
    try:
        yield
    finally:
        _bar.live.start()


class _Once:
    """Hands the first message that a line of code logs to the terminal, and counts the others."""

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
