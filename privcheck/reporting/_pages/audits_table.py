"""The table of all audits on the page."""

from __future__ import annotations

from collections.abc import Sequence

from privcheck.reporting._pages.elements import badge, element, place, section, text
from privcheck.reporting._pages.html_table import NUMBER, TEXT, WORD, Cell, below, table
from privcheck.reporting._text import numbers
from privcheck.reporting._text.audit_sentences import audit_mark, certificate_is_refused, verdict_word
from privcheck.reporting._text.both_bounds import contradiction, upper_bound
from privcheck.results import AuditReport


def overview(reports: Sequence[AuditReport], expected: Sequence[str | None] | None, met: list[bool | None]) -> str:
    """Return the table, a row per audit, each with a link to its section."""
    columns = [
        "claim: epsilon",
        "lower bound",
        "Clopper-Pearson",
        "log-ratio of this event",
        "verdict",
        "expected",
        "runs per stream",
        "time",
    ]
    if expected is None:
        columns.remove("expected")
    if any(upper_bound(report) is not None for report in reports):
        columns.insert(2, "certified upper bound")
    rows = []
    for number, report in enumerate(reports, start=1):
        cells = _cells(report)
        if expected is not None:
            cells["expected"] = Cell(_expectation(expected[number - 1], met[number - 1]))
        name, parenthesis, rest = numbers.clean(report.target).partition("(")
        link = f'<a href="#audit-{number}">{place(name) or "audit"}</a>' + below(text(parenthesis + rest))
        rows.append([Cell(link, numbers.clean(report.target)), *(cells[column] for column in columns)])
    caption = (
        "The claim, the bounds and the verdict of each audit. Intervals and lower bounds account for the whole search."
    )
    kinds = [("target", TEXT), *((name, WORD if name in ("verdict", "expected") else NUMBER) for name in columns)]
    return section("Overview", [table(caption, kinds, rows, kind="stack")], name="overview")


def _cells(report: AuditReport) -> dict[str, Cell]:
    word = verdict_word(report)
    other = report.claimed is not None and report.epsilon_claimed is None
    claim = report.claim_words if other else numbers.claim_text(report.epsilon_claimed, 0.0)
    lower = report.epsilon_lower
    estimate = report.epsilon_estimate
    refused = "certificate refused" if word != "violation" and certificate_is_refused(report) else ""
    upper = numbers.at_most(upper_bound(report))
    if contradiction(report):
        upper = f"<b>{upper}</b>" + below(element("b", "contradiction"))
    return {
        "claim: epsilon": Cell(
            claim + below(f"delta {numbers.small(report.delta)}" if report.delta else ""), report.epsilon_claimed
        ),
        "lower bound": Cell(
            numbers.at_least(lower) + below(f"at {numbers.percent(report.confidence)}" if lower is not None else ""),
            lower,
        ),
        "certified upper bound": Cell(upper, upper_bound(report)),
        "Clopper-Pearson": Cell(
            numbers.at_least(report.epsilon_lower_clopper_pearson), report.epsilon_lower_clopper_pearson
        ),
        "log-ratio of this event": Cell(
            numbers.exact(estimate.value) + below(numbers.interval(estimate)), estimate.value
        )
        if estimate
        else Cell(numbers.NONE),
        "verdict": Cell(badge(word, audit_mark(report)) + below(refused), word),
        "runs per stream": Cell(f"{report.runs:,}", report.runs),
        "time": Cell(numbers.seconds(report.seconds), report.seconds),
    }


def _expectation(verdict: str | None, met: bool | None) -> str:
    if verdict is None:
        return numbers.NONE
    return text(verdict) + below("ok" if met else "<b>not met</b>")
