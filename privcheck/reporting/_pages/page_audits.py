"""One page about audits: a single HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from privcheck.errors import PrivcheckError
from privcheck.reporting._descriptions.audit import described
from privcheck.reporting._pages.audits_table import overview
from privcheck.reporting._pages.elements import document, header, inline_picture, section
from privcheck.reporting._pages.rendered_parts import rendered
from privcheck.reporting._pictures.plot import bounds_figure
from privcheck.reporting._text.audit_sentences import as_expected, headline, verdict_word
from privcheck.reporting._text.both_bounds import upper_bound
from privcheck.results import AuditReport


def render_page(
    reports: Sequence[AuditReport], *, title: str = "privcheck audit", expected: Sequence[str | None] | None = None
) -> str:
    """Return the page; the same reports give the same page.

    >>> from privcheck.results._example_results import VIOLATION
    >>> page = render_page([VIOLATION])
    >>> page.startswith("<!DOCTYPE html>"), "epsilon is at least 1.764" in page
    (True, True)
    """
    if not reports:
        raise PrivcheckError("reports", reports, "at least one report")
    met = as_expected(reports, expected)
    caption = (
        "Lower bounds on epsilon, and the claims. A bar that passes its dashed line by enough to refute the claim at "
        "the level of the verdict is a violation."
    )
    if any(upper_bound(report) is not None for report in reports):
        caption += " Where a certificate bounds epsilon from above, the true epsilon lies in the shaded interval."
    body = [
        overview(reports, expected, met),
        inline_picture(lambda width: bounds_figure(reports, width=width), "bounds", caption),
        *(_section(report, number) for number, report in enumerate(reports, start=1)),
    ]
    return document(title, header(title, headline(reports, expected)), body)


def _section(report: AuditReport, number: int) -> str:
    """Return everything about one audit, below the title of its section."""
    kind = verdict_word(report).replace(" ", "-")
    parts = rendered(described(report), "h3", f"-{number}")
    return section(report.target, parts, name=f"audit-{number}", kind=f"audit {kind}")
