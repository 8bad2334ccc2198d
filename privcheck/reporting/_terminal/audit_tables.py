"""Audits in the terminal: a table with one row each."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from privcheck.reporting._descriptions.audit import STYLES
from privcheck.reporting._text import numbers
from privcheck.reporting._text.audit_sentences import as_expected, verdict_word
from privcheck.reporting._text.both_bounds import contradiction, upper_bound
from privcheck.results import AuditReport


def audit_table(reports: Sequence[AuditReport], expected: Sequence[str | None] | None = None) -> Table:
    """Return a table with one row per audit, for a terminal of 100 columns or more.

    Parameters
    ----------
    reports : what `privcheck.audit` returned.
    expected : the verdict expected of each, None where none is; it adds a column.

    Raises
    ------
    PrivcheckError : when `expected` has not one entry per report.

    Examples
    --------
    >>> from privcheck.results._example_results import VIOLATION
    >>> audit_table([VIOLATION]).row_count
    1
    """
    met = as_expected(reports, expected)
    shared = {report.confidence for report in reports}
    level = f"\n({numbers.percent(*shared)})" if len(shared) == 1 else ""
    table = Table(box=box.SIMPLE_HEAD, padding=0, show_edge=False)
    table.add_column("target", overflow="fold", min_width=16)
    table.add_column("claim\nepsilon\n(delta)", justify="right", no_wrap=True)
    table.add_column(f"lower\nbound{level}", justify="right", no_wrap=True)
    bounded_above = any(upper_bound(report) is not None for report in reports)
    if bounded_above:
        table.add_column("certi-\nfied\nupper", justify="right", no_wrap=True)
    table.add_column("Clopper-\nPearson", justify="right", no_wrap=True)
    table.add_column("log-ratio\nof event\n[interval]", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    if expected is not None:
        table.add_column("expected", no_wrap=True)
    table.add_column("runs per\nstream,\ntime", justify="right", no_wrap=True)
    for i, report in enumerate(reports):
        style = STYLES[verdict_word(report)]
        below = "" if level else f"\n{numbers.percent(report.confidence)}"
        cells = [
            _target(report),
            _claim(report),
            Text(numbers.at_least(report.epsilon_lower) + below, style="bold"),
            Text(numbers.at_least(report.epsilon_lower_clopper_pearson)),
            _estimate(report),
            Text(verdict_word(report), style=style),
        ]
        if bounded_above:
            alarm = "bold red" if contradiction(report) else "bold"
            cells.insert(3, Text(numbers.at_most(upper_bound(report)), style=alarm))
        if expected is not None:
            cells.append(_expectation(expected[i], met[i]))
        cells.append(Text(f"{report.runs:,}\n{numbers.seconds(report.seconds)}"))
        table.add_row(*cells)
    return table


def _target(report: AuditReport) -> Text:
    name, parenthesis, rest = numbers.clean(report.target).partition("(")
    text = Text(name)
    return text.append(f"\n{parenthesis}{rest}", style="dim") if parenthesis else text


def _claim(report: AuditReport) -> Text:
    if report.claimed is not None and report.epsilon_claimed is None:
        return Text("curve" if report.tradeoff_claimed is not None else report.claim_words)
    text = Text(numbers.claim_text(report.epsilon_claimed, 0.0))
    return text.append(f"\n({numbers.small(report.delta)})", style="dim") if report.delta else text


def _estimate(report: AuditReport) -> Text:
    estimate = report.epsilon_estimate
    if estimate is None:
        return Text(numbers.NONE)
    return Text(numbers.exact(estimate.value)).append(f"\n{numbers.interval(estimate)}", style="dim")


def _expectation(verdict: str | None, met: bool | None) -> Text:
    if met is None:
        return Text(numbers.NONE)
    return Text(f"{verdict}\n").append("ok" if met else "NOT met", style="green" if met else "bold red")
