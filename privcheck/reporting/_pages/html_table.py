"""Tables of HTML: readable without script, sortable with it, stacked on phones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from privcheck.reporting._pages.elements import element, text

NUMBER, WORD, TEXT = "number", "word", ""
"""Kinds of columns: numbers to the right and sorted as such, words on one line, text."""


@dataclass(frozen=True)
class Cell:
    """One cell.

    Parameters
    ----------
    content : HTML.
    key : what the cell is sorted by; None sorts a text by what it shows, None and NaN a number after all others.

    """

    content: str
    key: float | str | None = None


def table(
    caption: str,
    columns: Sequence[tuple[str, str]],
    rows: Sequence[Sequence[Cell | str]],
    *,
    kind: str = "",
    sortable: bool = True,
) -> str:
    """Return a table whose rows are named by their first cells, and which scrolls when it is too wide.

    Parameters
    ----------
    caption : text above it, which also names the region of a sortable table.
    columns : name and kind, NUMBER, WORD or TEXT, of each column.
    rows : as many cells in each; a string is HTML.
    kind : CSS class; "stack" makes a card of every row on a narrow screen.
    sortable : whether the script of the page may sort it.

    Examples
    --------
    >>> html = table("Lengths", [("name", TEXT), ("length", NUMBER)], [["a", Cell("∞", math.inf)]])
    >>> '<td role="cell" class="number" data-name="length" data-key="Infinity"><span>∞</span></td>' in html
    True
    """
    head = "".join(
        f'<th scope="col" role="columnheader"{_kind(of)}{_type(of)}>{text(name)}</th>' for name, of in columns
    )
    body = "".join(_row(columns, row) for row in rows)
    classes = "sortable" if sortable and len(rows) > 1 else ""
    opening = f'<table role="table" class="{classes}">' if classes else '<table role="table">'
    inner = (
        f'{opening}<caption>{text(caption)}</caption><thead role="rowgroup"><tr role="row">{head}</tr></thead>'
        f'<tbody role="rowgroup">{body}</tbody></table>'
    )
    # A keyboard has to reach what scrolls; small tables do not, and need no landmark.
    region = f' role="region" tabindex="0" aria-label="{text(caption)}"' if sortable else ""
    return f'<div{region} class="{f"scroll {kind}".strip()}">{inner}</div>'


def below(content: str) -> str:
    """Return a second, smaller line of a cell; empty content gives none."""
    return element("small", content) if content else ""


def _row(columns: Sequence[tuple[str, str]], row: Sequence[Cell | str]) -> str:
    cells = []
    for i, ((name, of), given) in enumerate(zip(columns, row, strict=True)):
        cell = given if isinstance(given, Cell) else Cell(given)
        key = "" if cell.key is None or cell.key != cell.key else f' data-key="{_key(cell.key)}"'
        if i == 0:
            cells.append(f'<th scope="row" role="rowheader"{key}>{cell.content}</th>')
        else:
            label = f' data-name="{text(name)}"'
            cells.append(f'<td role="cell"{_kind(of)}{label}{key}><span>{cell.content}</span></td>')
    return f'<tr role="row">{"".join(cells)}</tr>'


def _kind(of: str) -> str:
    return f' class="{of}"' if of else ""


def _type(of: str) -> str:
    return ' data-sort="number"' if of == NUMBER else ""


def _key(value: float | str) -> str:
    if isinstance(value, str):
        return text(value)
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))
