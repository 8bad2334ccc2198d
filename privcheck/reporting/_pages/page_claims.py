"""One page about the papers' claims: a single HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from privcheck.claims import FAULTS, STATUSES, Finding
from privcheck.reporting._pages.elements import document, element, facts, header, items, section, text
from privcheck.reporting._pages.html_table import TEXT, WORD, Cell, below, table
from privcheck.reporting._text.claim_sentences import counts, evidence_sentences, headline, side_sentences

COLUMNS = [("claim", TEXT), ("place", TEXT), ("status", WORD), ("printed", TEXT), ("evidence", TEXT)]
TITLE = "The papers' claims, put to the test"


TONES = {"proven": "certified", "verified-on-region": "certified"}
"""The colours of statuses; what fails has that of a violation."""


def _told(finding: Finding) -> str:
    """Return the status in its colour and, if something fails, the kind of fault below it."""
    tone = "violation" if finding.wrong else TONES.get(finding.status, "inconclusive")
    return element("b", text(finding.told), f"word {tone}") + below(text(finding.fault))


def render_claims(findings: Sequence[Finding]) -> str:
    """Return the page.

    >>> "<main>" in render_claims([])
    True
    """
    order = list(STATUSES)
    rows: list[list[Cell | str]] = [
        [
            element("code", text(finding.id)),
            text(finding.place),
            Cell(_told(finding), float(order.index(finding.status))),
            text(finding.quote),
            "<br>".join(map(text, [*evidence_sentences(finding), *(side_sentences(finding) if finding.wrong else [])])),
        ]
        for finding in sorted(findings, key=lambda of: not of.wrong)
    ]
    wrong = [f"{finding.id}: {finding.consequence}" for finding in findings if finding.wrong and finding.consequence]
    sections = [
        section("Claims", [table("What fails comes first", COLUMNS, rows, kind="stack claims")]),
        section("What follows", [items(wrong)]) if wrong else "",
        section("Statuses", [facts([(status, STATUSES[status]) for status in counts(findings)])]),
        section("Faults", [facts(list(FAULTS.items()))]) if any(of.fault for of in findings) else "",
    ]
    return document(TITLE, header(TITLE, headline(findings)), sections)
