"""An audit, shown."""

from __future__ import annotations

from typing import Any

from rich.console import Group

from privcheck.reporting._annotations.job_summary import result_summary as markdown
from privcheck.reporting._descriptions.audit import described
from privcheck.reporting._pages.notebook import audit_html as notebook
from privcheck.reporting._pages.page_audits import render_page
from privcheck.reporting._pictures.plot import AUDIT_PICTURES as PICTURES
from privcheck.reporting._pictures.plot import plot_audit as plot
from privcheck.reporting._terminal.rendered_parts import rendered
from privcheck.reporting._text.audit_sentences import verdict_sentence as sentence
from privcheck.reporting._text.failure_lines import audit_evidence as evidence
from privcheck.reporting._text.repeating import NOT_REPEATABLE, repeat_audit
from privcheck.reporting._text.review_text import audit_review as review
from privcheck.results import AuditReport

__all__ = [
    "PICTURES",
    "details",
    "evidence",
    "markdown",
    "notebook",
    "page",
    "plot",
    "python_call",
    "review",
    "sentence",
]


def details(report: AuditReport) -> Group:
    """Return everything about one audit for the terminal."""
    return rendered(described(report))


def page(report: AuditReport, **options: Any) -> str:
    """Return the page about one audit."""
    return render_page([report], **options)


def python_call(report: AuditReport) -> str:
    """Return the call that repeats an audit whose runs have seeds."""
    return str(repeat_audit(report).python) if report.randomness == "seeded" else NOT_REPEATABLE
