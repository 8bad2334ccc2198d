"""A folder of results, shown in the terminal; its page is `pages/page_index.py`."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text

from privcheck.reporting._pages.page_index import Folder, sign
from privcheck.reporting._pages.page_index import headline as sentence
from privcheck.reporting._pages.told_apart import short_names
from privcheck.reporting._text import numbers

__all__ = ["details", "sentence"]


def details(folder: Folder) -> Table:
    """Return a table with one row per result.

    >>> from pathlib import Path
    >>> from privcheck.reporting._result_files import IndexRow
    >>> result = IndexRow(Path("out/a.json"), 0.0, "audit", "a", "violation", alarm=True)
    >>> details(Folder(Path("out"), (result,), ())).row_count
    1
    """
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column in ("verdict", "target", "kind"):
        shown.add_column(column, overflow="fold")
    for column in ("claim", "lower", "upper"):
        shown.add_column(column, justify="right")
    shown.add_column("file", overflow="fold")
    files = short_names([result.path for result in folder.results], folder.path)
    for result, file in zip(folder.results, files, strict=True):
        word = f"{sign(result)} {result.verdict}"
        target = numbers.shorten(numbers.clean(result.target), 40)
        shown.add_row(
            Text(word, style="bold red" if result.alarm else ""),
            Text("\n".join(filter(None, [target, result.told_apart, numbers.clean(result.outdated)]))).append(
                f"\n{numbers.clean(result.provided)}" if result.provided else "", style="dim"
            ),
            result.kind,
            numbers.in_unit(numbers.claim_text(result.claim, result.delta), result.unit),
            numbers.in_unit(numbers.at_least(result.lower), result.unit),
            numbers.in_unit(numbers.at_most(result.upper), result.unit),
            Text(file),
        )
    return shown
