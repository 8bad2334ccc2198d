"""`privcheck ledger`: what a guard's ledger says, and whether it is as it was written."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privcheck.cli._described.help_pages import DocumentedCommand, DocumentedGroup
from privcheck.cli._options import Json, check_json

if TYPE_CHECKING:
    from privcheck.certifying import PersonRow, ScopeRows

HELP = """
Read the ledger of `privcheck.guard(..., ledger=FILE)`: what was spent, and whether the file is as it was written.

    privcheck ledger show budget.db
    privcheck ledger show budget.db --user u3
    privcheck ledger verify budget.db --head heads.db
    privcheck ledger export budget.db releases.csv

No command plays the policy, writes to the ledger, or shows a reward. Exit status: 0 nothing found, 1 the ledger does
not verify, 2 bad input.
"""

ledger = typer.Typer(cls=DocumentedGroup, help=HELP, no_args_is_help=True, rich_markup_mode=None)
Ledger = Annotated[str, typer.Argument(metavar="LEDGER", help="The file of the ledger.")]


@ledger.command(cls=DocumentedCommand, short_help="What was spent in each scope.")
def show(
    path: Ledger,
    user: Annotated[
        str | None, typer.Option(metavar="NAME", help="Print what is left of this person's budget; - reads the name.")
    ] = None,
    json: Json = None,
) -> int:
    """Print what was spent in each scope: events, releases, persons.

        privcheck ledger show budget.db
        privcheck ledger show budget.db --user u3

    With --user it prints what is left of the budget of one person, and when the window ends. The name is that which the
    service gives. A number may be a string or an integer there, which are two persons: the one is shown who has given
    rewards, or both. The ledger has codes of names, and no output has the name. With `--user -` it is read from
    standard input, and stays out of the history of the shell.

    Exit status: 0, or 2 for bad input.
    """
    from privcheck.certifying import read_ledger
    from privcheck.cli._delivery import deliver
    from privcheck.reporting import ledger_json, ledger_text, persons_json, persons_text

    check_json(json)
    found = read_ledger(path)
    if user is not None:
        with _without_name():
            rows = _of_person(found, sys.stdin.readline().rstrip("\r\n") if user == "-" else user)
            deliver(json, persons_json(rows), lambda: persons_text(rows, path))
        return 0
    deliver(json, ledger_json(found), lambda: ledger_text(found, path))
    return 0


@contextmanager
def _without_name() -> Iterator[None]:
    """Take the words from an error that is a fault of privcheck's: its report, a file, could have the name."""
    from privcheck.errors import PrivcheckError, class_name

    try:
        yield
    except (PrivcheckError, OSError):
        raise
    except Exception as error:
        said = f"{class_name(type(error))}, whose words are left out because they may have the name"
        raise RuntimeError(said).with_traceback(error.__traceback__) from None


def _of_person(scopes: Sequence[ScopeRows], name: str) -> list[PersonRow]:
    """Return what is left of the budget of a person in each scope that none continues.

    Of a name that can be that of an integer too, those are returned who have given rewards.
    """
    from privcheck.errors import PrivcheckError, words

    users: list[str | int] = [name, int(name)] if re.fullmatch("0|-?[1-9][0-9]{0,999}", name) else [name]
    found: list[PersonRow] = []
    for rows in scopes:
        if not rows.closed_by:
            each = [row for user in users if (row := rows.person(user)) is not None]
            found += [row for row in each if row.ever] or each[:1]
    if not found:
        got, hint = words("a name"), "its guards were built without per_user=, and count no persons"
        raise PrivcheckError("user", got, "a ledger with budgets of persons", hint)
    return found


@ledger.command(cls=DocumentedCommand, short_help="Whether it is as it was written, and within the budgets.")
def verify(
    path: Ledger,
    head: Annotated[
        str | None, typer.Option(help="The file with the heads; without it an old copy of a ledger verifies too.")
    ] = None,
) -> int:
    """Check that every entry follows from those before it, and that all charges together are within the budgets.

        privcheck ledger verify budget.db --head heads.db

    Exit status: 0 it verifies, 1 it does not, 2 bad input.
    """
    from privcheck.certifying import ledger_problems
    from privcheck.cli._delivery import show as print_text

    found = ledger_problems(path, head)
    for problem in found:
        print_text(f"✗ {problem}", highlight=False)
    if not found:
        beside = "" if head else "; without --head nobody can tell whether it is an old copy"
        if head and Path(head).resolve().parent == Path(path).resolve().parent:
            beside = "; the head is in the same folder, and would be restored together with it"
        print_text(f"✓ {path}: every entry is as it was written, and all charges are within the budgets{beside}")
    sys.stdout.flush()
    return 1 if found else 0


@ledger.command(cls=DocumentedCommand, short_help="Write the releases as JSON, CSV or a page.")
def export(path: Ledger, out: Annotated[str, typer.Argument(help="A .json, .csv or .html file.")]) -> int:
    """Write each release: mechanism, scale, line, charge, and the persons behind it as codes; no reward, no output.

        privcheck ledger export budget.db releases.csv

    Exit status: 0, or 2 for bad input.
    """
    from privcheck.certifying import read_ledger
    from privcheck.errors import PrivcheckError
    from privcheck.files import write_whole
    from privcheck.reporting import ledger_csv, ledger_json, ledger_page

    suffix = Path(out).suffix.lower()
    if suffix not in (".json", ".csv", ".html"):
        raise PrivcheckError("out", out, "a file that ends in .json, .csv or .html", "the suffix says what is written")
    if Path(out).absolute() == Path(path).absolute():
        raise PrivcheckError("out", out, "another file than the ledger")
    found = read_ledger(path)
    name = Path(path).name
    text = ledger_page(found, name) if suffix == ".html" else {".json": ledger_json, ".csv": ledger_csv}[suffix](found)
    write_whole(out, text, "out")
    return 0
