"""A sweep in the terminal: one row for each target and kind, over all its other settings."""

from __future__ import annotations

from collections import Counter

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from privcheck.reporting._text import numbers
from privcheck.sweeps import Sweep


def details(sweep: Sweep) -> RenderableType:
    """Return how far the sweep is, and for each target what was found.

    >>> from privcheck.sweeps._sweep_result import Sweep
    >>> cell = {"status": "done", "kind": "audit", "target": "a", "verdict": "violation"}
    >>> print(details(Sweep("out", (cell, cell | {"status": "to play", "verdict": None}))).renderables[1])
    2 cells: 1 done, 1 to play
    """
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("target", "kind"):
        table.add_column(name, overflow="fold")
    for name in ("cells", "done", "failed"):
        table.add_column(name, justify="right")
    table.add_column("verdicts", overflow="fold")
    targets = dict.fromkeys((cell["target"], cell["kind"]) for cell in sweep.cells)
    for target, kind in targets:
        cells = [cell for cell in sweep.cells if (cell["target"], cell["kind"]) == (target, kind)]
        states = Counter(cell["status"] for cell in cells)
        verdicts = Counter(cell["verdict"] for cell in cells if cell["verdict"] is not None)
        table.add_row(
            Text(numbers.shorten(numbers.clean(target), 60)),
            kind,
            *(f"{count:,}" for count in (len(cells), states["done"], states["failed"])),
            Text(", ".join(f"{count:,} {verdict}" for verdict, count in verdicts.items()) or "–"),
        )
    return Group(table, Text(sweep.sentence))
