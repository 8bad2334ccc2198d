"""A progress bar on standard error, silent when that is not a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from privcheck.errors import printable

REST = 32
"""Columns of the bar at its narrowest, and of the two times; a long description is cut in its middle."""


@contextmanager
def progress(description: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar while the block runs; call what it yields with the amount of work done.

    Parameters
    ----------
    description : what is being done.
    total : amount of work, in any unit.

    Examples
    --------
    >>> with progress("playing runs", 10) as advance:
    ...     advance(10)

    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("<"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        shown = printable(description)
        if len(shown) > (room := max(bar.console.width - REST, 12)):
            shown = f"{shown[: room // 2]}...{shown[-(room - room // 2 - 3) :]}"
        task = bar.add_task(shown, total=total)
        yield lambda amount: bar.advance(task, amount)
