"""`privcheck compare`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from privcheck.cli.code_findings import check_findings
from privcheck.cli.delivery import deliver
from privcheck.cli.options import Json, check_json

if TYPE_CHECKING:
    from rich.console import RenderableType

    from privcheck.reporting.baselines import Baseline


def compare(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The baseline: a .json file or a folder of them.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="A .json file for a file, a folder for a folder.")],
    annotate: Annotated[
        str | None, typer.Option(metavar="HOST", help="Add the table to the summary of a job of this code host: github.")
    ] = None,
    json: Json = None,
) -> int:
    """Compare results with earlier ones of the same claims: verdicts, bounds, certificates, regret and cost.

        privcheck audit adap-ucb --epsilon 1 --runs 500 --json old.json
        privcheck audit adap-ucb --epsilon 1 --runs 500 --seed 1 --json new.json
        privcheck compare old.json new.json

    A verdict gets worse from consistent to inconclusive to violation, and from certified to inconclusive or no
    certificate to not certified. Bounds, regret, runs and seconds are shown and do not count.

    Results are comparable if their claims, neighbours, what is observed, kind of feedback, range of rewards, arms,
    horizon, confidence and error (simulations: environment and horizon) are equal. In two folders, files with equal paths
    belong together, in folders of `privcheck sweep` the results of equal cells.

    Exit status: 0 the same or better, 1 a verdict got worse, 2 unreadable, missing or not comparable: it is named.
    """
    from privcheck.reporting.annotations.job_summary import append_summary
    from privcheck.reporting.baselines import compare_paths
    from privcheck.reporting.terminal.baseline_table import baseline_summary

    check_json(json)
    check_findings(annotate, None, None)
    found = compare_paths(old, new)
    files: list[Callable[[], object]] = []
    if annotate is not None:
        files.append(lambda: append_summary(baseline_summary(found)))
    deliver(json, found.to_json(), lambda: _text(found), *files)
    return found.status


def _text(found: Baseline) -> RenderableType:
    from privcheck.reporting.terminal.baseline_table import baseline_table

    return baseline_table(found)
