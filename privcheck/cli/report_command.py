"""`privcheck report`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from privcheck.cli.options import check_html


def report(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A folder of results written with --json.")],
    html: Annotated[str | None, typer.Option(help="Where the index goes; DIR/index.html by default.")] = None,
) -> int:
    """Make one page of many results: a sortable row for each, violations first, with links to their pages.

        privcheck audit adap-ucb --epsilon 1 --json results/audit.json
        privcheck certify adap-ucb --epsilon 1 --json results/certificate.json
        privcheck report results

    Reads the .json files of audits, certificates, bounds and simulations in the folder and below. A page with the same
    name is linked; where it is missing and the JSON holds enough (audits, certificates and bounds) it is written.

    Exit status: 0 nothing found, 1 any violation, leak or refused certificate, 2 bad input, also a .json file that
    cannot be read as a result: it is named, and the page is made without it.
    """
    from rich.console import Console

    from privcheck.errors import PrivcheckError
    from privcheck.reporting.pages.page_index import headline, is_own, read_folder, save_index
    from privcheck.reporting.terminal.index_table import index_table
    from privcheck.reporting.text.numbers import clean

    target = Path(folder) / "index.html" if html is None else Path(html)
    check_html(html)
    if html is None and target.is_file() and not is_own(target):
        raise PrivcheckError("html", str(target), "a page that privcheck wrote", "say where the index goes with --html")
    found = read_folder(folder)
    save_index(found, target)
    for file, reason in found.unread:
        sys.stderr.write(clean(f"privcheck: not read: {file}: {reason}") + "\n")
    console = Console(highlight=False)
    if found.results:
        console.print(index_table(found))
    console.print(f"{headline(found)}\npage: {target}", markup=False, soft_wrap=True)
    if found.alarm:
        return 1
    return 2 if found.unread else 0
