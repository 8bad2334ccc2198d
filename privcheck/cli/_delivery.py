"""How a command hands out its result: first the text, of printable characters only, then the files."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from privcheck.cli._interruption import hands_out
from privcheck.errors import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

UNWRAPPED = 10_000
"""Columns of a file or a pipe, which wrap no lines."""


def deliver(path: str | None, json: str, text: Callable[[], RenderableType], *files: Callable[[], object]) -> None:
    """Print the result, then write its files, which are written even if nobody reads what is printed.

    Parameters
    ----------
    path : where JSON goes; "-" prints it in place of the text.
    json : the result as JSON.
    text : returns the text for people.
    files : write one file each.
    """
    from privcheck.files import write_whole

    hands_out()
    try:
        if path == "-":
            sys.stdout.write(json + "\n")
        else:
            show(text())
        sys.stdout.flush()
    finally:
        if path not in (None, "-"):
            write_whole(str(path), json + "\n", "json")
        for write in files:
            write()


def show(content: RenderableType, *, highlight: bool = True) -> None:
    """Print tables and text, as wide as they are if that is not to a terminal (or COLUMNS says otherwise)."""
    from rich.console import Console

    free = not sys.stdout.isatty() and os.environ.get("COLUMNS", "0") == "0"
    console = Console(width=UNWRAPPED if free else shutil.get_terminal_size().columns, highlight=highlight)
    with console.capture() as shown:
        console.print(Printable(content), crop=False)  # commands and diffs are whole: the terminal breaks their lines
    lines = shown.get().split("\n")
    sys.stdout.write("\n".join(line.rstrip(" ") for line in lines))


class Printable:
    """Content of which only printable characters are shown: names and exception texts come from users."""

    def __init__(self, content: RenderableType) -> None:
        self.content = content

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for segment in console.render(self.content, options):
            shown = segment.text if segment.control else "\n".join(map(printable, segment.text.split("\n")))
            yield segment._replace(text=shown)
