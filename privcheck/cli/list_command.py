"""`privcheck list`."""

from __future__ import annotations

from privcheck.cli.options import Json, check_json, write_json


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
    if not write_json(json, to_json(shipped)):
        from rich.console import Console
        from rich.table import Table

        console = Console()
        for kind, entries in shipped.items():
            table = Table("id", "summary", title=kind, title_justify="left", expand=False)
            for entry in entries:
                table.add_row(entry["id"], entry["summary"])
            console.print(table)
    return 0
