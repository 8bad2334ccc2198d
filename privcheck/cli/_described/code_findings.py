"""The options that hand findings at lines of code to code hosts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from privcheck.errors import PrivcheckError

if TYPE_CHECKING:
    from privcheck.results import AuditReport, Certificate, WatchReport

Annotate = Annotated[
    str | None,
    typer.Option(metavar="HOST", help="Print what was found as annotations of this code host: github."),
]
Sarif = Annotated[
    str | None, typer.Option(help="Write what was found, with files and lines, to this .sarif file (SARIF 2.1.0).")
]


def check_findings(annotate: str | None, sarif: str | None, json: str | None) -> None:
    """Refuse another code host, annotations among JSON, and a path for SARIF, before any work is done."""
    if annotate not in (None, "github"):
        raise PrivcheckError("annotate", annotate, "github", "for other code hosts write a file with --sarif")
    if annotate is not None and json == "-":
        hint = "give --json a file: annotations go to standard output"
        raise PrivcheckError("annotate", annotate, "standard output for annotations alone", hint)
    if sarif is not None:
        from privcheck.files import check_output
        from privcheck.reporting import SARIF

        check_output(sarif, "sarif", SARIF)


def deliver_findings(
    result: AuditReport | Certificate | WatchReport, annotate: str | None, sarif: str | None
) -> list[Callable[[], object]]:
    """Return what writes the SARIF file and prints the annotations."""
    if annotate is sarif is None:
        return []
    from privcheck.reporting import append_summary, markdown, save_sarif, workflow_commands

    files: list[Callable[[], object]] = [partial(save_sarif, result, sarif)] if sarif is not None else []
    if annotate is not None:
        files.append(lambda: sys.stdout.write(_unclaimed(result) + workflow_commands(result)))
        files.append(lambda: append_summary(markdown(result)))
    return files


def _unclaimed(result: object) -> str:
    """Return a warning that an audit without a claim passes whatever it finds; "" for all else."""
    from privcheck.results import AuditReport

    if not isinstance(result, AuditReport) or result.verdict is not None:
        return ""
    return "::warning title=privcheck::no claim was tested, so this step passes whatever was found: give --epsilon\n"
