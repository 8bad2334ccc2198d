"""`privcheck list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privcheck.cli._delivery import deliver
from privcheck.cli._options import Json, check_json

if TYPE_CHECKING:
    from rich.console import RenderableType


def list_everything(json: Json = None) -> int:
    """List the shipped algorithms, mechanisms, environments and theorems, one line each.

        privcheck list
        privcheck list --json shipped.json

    Exit status: 0, or 2 for bad input.
    """
    check_json(json)
    from privcheck.bandits import ALGORITHMS
    from privcheck.bounds import THEOREMS
    from privcheck.environments import ENVIRONMENTS
    from privcheck.mechanisms import MECHANISMS
    from privcheck.serialise import to_json

    shipped = {
        "algorithms": ALGORITHMS.summaries(),
        "mechanisms": MECHANISMS.summaries(),
        "environments": ENVIRONMENTS.summaries(),
        "theorems": [{"id": name, "summary": theorem.statement.rstrip(".")} for name, theorem in THEOREMS.items()],
    }
    deliver(json, to_json(shipped), lambda: _text(shipped))
    return 0


def _text(shipped: dict[str, list[dict[str, str]]]) -> RenderableType:
    from rich import box
    from rich.console import Group
    from rich.table import Table

    tables = []
    for kind, entries in shipped.items():
        table = Table(title=kind, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
        table.add_column("id", no_wrap=True)
        table.add_column("summary")
        for entry in entries:
            table.add_row(entry["id"], entry["summary"])
        tables.append(table)
    return Group(*tables)
