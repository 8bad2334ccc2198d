"""The table of all audits on the page."""

from __future__ import annotations

from collections.abc import Sequence

from privcheck.auditing.report import AuditReport
from privcheck.reporting import numbers
from privcheck.reporting.certified import contradiction, upper_bound
from privcheck.reporting.elements import element, text
from privcheck.reporting.sentences import MARKS, verdict_word


def overview(reports: Sequence[AuditReport], expected: Sequence[str | None] | None, met: list[bool | None]) -> str:
    """Return the table, a row per audit, each with a link to its section."""
    columns = [
        "claim: epsilon",
        "lower bound",
        "Clopper-Pearson",
        "estimate",
        "verdict",
        "expected",
        "runs a side",
        "time",
    ]
    if expected is None:
        columns.remove("expected")
    if any(upper_bound(report) is not None for report in reports):
        columns.insert(2, "certified upper")
    head = '<th scope="col">target</th>' + "".join(f'<th scope="col"{_class(name)}>{name}</th>' for name in columns)
    rows = []
    for number, report in enumerate(reports, start=1):
        cells = _cells(report)
        if expected is not None:
            cells["expected"] = _expectation(expected[number - 1], met[number - 1])
        name, parenthesis, rest = numbers.clean(report.target).partition("(")
        link = f'<a href="#audit-{number}">{text(name) or "audit"}</a>' + _below(text(parenthesis + rest))
        row = "".join(
            f'<td{_class(column)} data-name="{column}"><span>{cells[column]}</span></td>' for column in columns
        )
        rows.append(f'<tr><th scope="row">{link}</th>{row}</tr>')
    caption = (
        "Each audit: its claim, what was shown, and the verdict. Intervals and lower bounds cover the whole search."
    )
    table = f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return element("section", element("div", table, "scroll"), "all")


def _class(column: str) -> str:
    return ' class="word"' if column in ("verdict", "expected") else ' class="number"'


def _below(content: str) -> str:
    return element("small", content) if content else ""


def _cells(report: AuditReport) -> dict[str, str]:
    word = verdict_word(report)
    claim = numbers.claim_text(report.epsilon_claimed, 0.0)
    bounded = report.epsilon_lower is not None
    estimate = report.epsilon_estimate
    upper = numbers.at_most(upper_bound(report))
    verdict = f'<b class="word {word.replace(" ", "-")}">{MARKS[word]} {word}</b>'
    return {
        "claim: epsilon": claim + _below(f"delta {numbers.small(report.delta)}" if report.delta else ""),
        "lower bound": numbers.at_least(report.epsilon_lower)
        + _below(f"at {numbers.percent(report.confidence)}" if bounded else ""),
        "certified upper": f"<b>{upper}</b>" + _below(element("b", "contradiction"))
        if contradiction(report)
        else upper,
        "Clopper-Pearson": numbers.at_least(report.epsilon_lower_clopper_pearson),
        "estimate": numbers.exact(estimate.value) + _below(numbers.interval(estimate)) if estimate else numbers.NONE,
        "verdict": verdict,
        "runs a side": f"{report.runs:,}",
        "time": numbers.seconds(report.seconds),
    }


def _expectation(verdict: str | None, met: bool | None) -> str:
    if verdict is None:
        return numbers.NONE
    return text(verdict) + _below("ok" if met else "<b>not met</b>")
