"""Bounds and claims in a notebook: what the commands print, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from privcheck.claims.finding import Finding
from privcheck.reporting.pages.elements import element, items, text
from privcheck.reporting.text.claim_sentences import evidence_sentences, headline, side_sentences

LEFT = ' style="text-align: left"'
"""Notebooks align cells to the right."""


def findings_html(findings: Sequence[Finding]) -> str:
    """Return what was found about claims, with the evidence; of one claim also what is printed and what follows.

    >>> findings_html([])
    '<p><b>0 claims</b></p>'
    """
    rows = [
        [element("code", text(of.id)), text(of.place), text(of.status), "<br>".join(map(text, evidence_sentences(of)))]
        for of in findings
    ]
    parts = [element("p", element("b", text(headline(findings))))]
    parts += [plain_table(("claim", "place", "status", "evidence"), rows)] if rows else []
    if len(findings) == 1:
        (only,) = findings
        parts += [items(side_sentences(only))] if only.wrong else []
        parts.append(element("blockquote", text(only.quote)))
        parts += [element("p", text(only.consequence))] if only.wrong and only.consequence else []
    return "".join(parts)


def plain_table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already, aligned to the left."""
    head = "".join(f"<th{LEFT}>{text(name)}</th>" for name in names)
    body = "".join(element("tr", "".join(f"<td{LEFT}>{cell}</td>" for cell in row)) for row in rows)
    return element("table", element("tr", head) + body)
