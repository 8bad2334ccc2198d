"""A progress bar on standard error, silent when that is not a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from privcheck.errors import printable

REST = 32
"""Columns of the bar at its narrowest, and of the two times; a long description is cut in its middle."""

WINDOW, DAY = 30.0, 86400.0
"""Seconds of work from which the remaining time is estimated."""


_bar: Any = None
"""The bar on the screen, if there is one: work inside of work shows none of its own."""

_announced = False
"""Whether the next work says what it is where no bar can be shown."""


@contextmanager
def progress(description: str, total: int, *, counted: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a bar while the block runs; call what it yields with the amount of work done.

    Parameters
    ----------
    description : what is being done.
    total : amount of work, in any unit.
    counted : whether the amounts are shown, for few pieces of work that take long.

    Examples
    --------
    >>> with progress("playing runs", 10) as advance:
    ...     advance(10)

    """
    global _bar, _announced
    if _bar is not None or not sys.stderr.isatty():
        _announce(description)
        yield lambda _: None
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
        *([MofNCompleteColumn()] if counted else []),
        TimeElapsedColumn(),
        TextColumn("<"),
        TimeRemainingColumn(),
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
