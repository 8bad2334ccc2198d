"""Audits in the terminal: one row each, or everything about one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from privcheck.reporting._pictures.witness_excerpt import arms_of, characters, is_drawn
from privcheck.reporting._text import numbers
from privcheck.reporting._text.audit_facts import found_rows, search_rows
from privcheck.reporting._text.audit_sentences import (
    MARKS,
    MEASURED,
    as_expected,
    event_parts,
    verdict_sentence,
    verdict_word,
)
from privcheck.reporting._text.both_bounds import contradiction, sandwich, upper_bound
from privcheck.reporting._text.fault_sentences import excerpt_lines, fault_sentence
from privcheck.reporting._text.repeating import NOT_REPEATABLE, how_to_repeat
from privcheck.results import AuditReport, Witness

STYLES = {"violation": "bold red", "consistent": "green", "inconclusive": "yellow", MEASURED: "cyan"}


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
    >>> from privcheck.reporting._example_results import VIOLATION
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


def audit_details(report: AuditReport) -> RenderableType:
    """Return everything about one audit: the verdict in words, the numbers, the witness, and how to repeat it.

    >>> from rich.console import Console
    >>> from privcheck.reporting._example_results import VIOLATION
    >>> console = Console(width=100, record=True, quiet=True)
    >>> console.print(audit_details(VIOLATION))
    """
    verdict, _, sentence = verdict_sentence(report).partition(":")
    style = STYLES[verdict_word(report)]
    parts: list[RenderableType] = [
        Text(numbers.clean(report.target), style="bold"),
        Text(f"{MARKS[verdict_word(report)]} {verdict}:", style=style).append(sentence, style="default not bold"),
        *_both_bounds(report),
        *(Text(f"note: {note}", style="yellow") for note in report.notes),
        _block(_numbers(found_rows(report))),
        *_faults(report),
    ]
    if report.simplest is not None:
        parts += [Text("Witness", style="bold"), *_streams(report, report.simplest), *_event(report.simplest)]
        parts.append(
            _block(Text(f"this witness alone shows that epsilon is at least {numbers.at_least(report.simplest_lower)}"))
        )
    if report.witness is not None:
        parts += _of_the_bound(report, report.witness)
    parts += [Text("How far this audit could see", style="bold"), _block(_numbers(search_rows(report)))]
    calls = how_to_repeat(report)
    parts += [Text("To repeat", style="bold"), *map(Text, calls)] if calls else [Text(NOT_REPEATABLE)]
    runs = f"seed {report.seed}, {report.runs:,} runs per stream"
    spent = f"{runs}, engine {report.engine}, {numbers.seconds(report.seconds)}"
    parts.append(_block(Text(spent, style="dim")))
    return Group(*parts)


def _faults(report: AuditReport) -> list[RenderableType]:
    """Return the lines at fault: their source, what is wrong and the usual fix."""
    shown: list[RenderableType] = [Text("At fault", style="bold")] if report.faults else []
    for fault in report.faults:
        shown.append(_block(Text(fault_sentence(fault))))
        shown += [_block(Text(f"  {line}", style="bold" if marked else "dim")) for line, marked in excerpt_lines(fault)]
        shown.append(_block(Text(fault.about.meaning)))
        shown.append(_block(Text(f"Usual fix: {fault.about.fix}")))
    return shown


def _both_bounds(report: AuditReport) -> list[Text]:
    """Return an alarm when the bounds contradict each other, otherwise the interval of the true epsilon."""
    wrong, between = contradiction(report), sandwich(report)
    if wrong:
        return [Text(f"{MARKS['violation']} {wrong}", style="bold white on red")]
    return [Text(between)] if between else []


def _numbers(rows: list[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(Text(name), Text(value))
    return table


def _of_the_bound(report: AuditReport, witness: Witness) -> list[RenderableType]:
    """Return the witness that the lower bound rests on; the streams are drawn once where both witnesses have them."""
    simplest = report.simplest
    if simplest is None:
        return [Text("Witness", style="bold"), *_streams(report, witness), *_event(witness)]
    same = np.array_equal(simplest.first, witness.first) and np.array_equal(simplest.second, witness.second)
    on = "the same streams" if same else "other streams"
    heading = Text(f"The lower bound comes from a finer event on {on}", style="bold")
    return [heading, *([] if same else _streams(report, witness)), *_event(witness)]


def _streams(report: AuditReport, witness: Witness) -> list[RenderableType]:
    if not is_drawn(witness):
        return [_block(Text(f"streams: {numbers.clean(witness.streams)}"))]
    drawn = characters(witness, report.rewards, arms_of(report))
    return [_block(Text(f"streams: {numbers.clean(witness.streams)}")), _block(Text(drawn, no_wrap=True))]


def _event(witness: Witness) -> list[RenderableType]:
    lines = [("event: " if i == 0 else "   or: ") + numbers.clean(part) for i, part in enumerate(event_parts(witness))]
    table = Table.grid(padding=(0, 2, 0, 0))
    for name, estimate in (("first", witness.probability_first), ("second", witness.probability_second)):
        likely = "more likely" if witness.more_likely == name else ""
        value = f"{numbers.probability(estimate.value)} {numbers.probability_interval(estimate)}"
        table.add_row(Text(f"probability on the {name} stream", style="dim"), Text(value), Text(likely))
    shown: list[RenderableType] = [*(_block(Text(line)) for line in lines), _block(table)]
    if witness.mirror is not None:
        told = (
            f"mirror: {numbers.clean(witness.mirror)}; it is more likely on the other stream, and the bound counts both"
        )
        shown.append(_block(Text(told)))
    return shown


def _block(content: RenderableType) -> Padding:
    return Padding(content, (0, 0, 0, 2), expand=False)
