"""`privcheck report`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from privcheck.cli.options import check_html


def report(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A folder of results written with --json.")],
    html: Annotated[str | None, typer.Option(help="File for the page; DIR/index.html by default.")] = None,
) -> int:
    """Summarise many results in one page: a sortable row for each, violations first, with links to their pages.

        privcheck audit adap-ucb --epsilon 1 --json results/audit.json
        privcheck certify adap-ucb --epsilon 1 --json results/certificate.json
        privcheck report results

    Reads the .json files of audits, certificates, bounds and simulations in the folder and its subfolders. Each result
    links to the page with the same name; a missing page of an audit, a certificate or bounds is written.

    Exit status: 0 nothing found, 1 any violation, leak or refused certificate, 2 bad input, including a .json file that
    cannot be read as a result: it is named on standard error and left out of the page.
    """
    from rich.console import Console

    from privcheck.errors import PrivcheckError
    from privcheck.reporting.pages.page_index import headline, is_own, read_folder, save_index
    from privcheck.reporting.terminal.index_table import index_table
    from privcheck.reporting.text.numbers import clean

    target = Path(folder) / "index.html" if html is None else Path(html)
    check_html(html)
    if html is None and target.is_file() and not is_own(target):
        raise PrivcheckError("html", str(target), "a page that privcheck wrote", "choose another file with --html")
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
