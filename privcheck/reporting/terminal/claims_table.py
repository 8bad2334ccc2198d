"""The claims in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from privcheck.claims.claim import Claim
from privcheck.claims.finding import FAILS, ORDER_REFUTED, PROVEN, REFUTED, SUSPICIOUS, UNDER_READING, Finding
from privcheck.reporting.text.claim_sentences import evidence_sentences, headline

STYLES = {
    REFUTED: "bold red",
    ORDER_REFUTED: "bold red",
    UNDER_READING: "red",
    FAILS: "yellow",
    SUSPICIOUS: "yellow",
    PROVEN: "green",
}


def claims_table(findings: Sequence[Finding]) -> RenderableType:
    """Return a table of findings, and for one finding alone also what is printed and what follows."""
    table = Table("id", "status", "evidence", expand=False)
    for finding in findings:
        status = Text(finding.status, style=STYLES.get(finding.status, ""))
        table.add_row(finding.id, status, Text("\n".join(evidence_sentences(finding))))
    parts: list[RenderableType] = [table]
    if len(findings) == 1:
        (only,) = findings
        parts.append(Text(f"{only.place}: {only.quote}"))
        if only.wrong and only.consequence:
            parts.append(Text(only.consequence))
    return Group(*parts, Text(headline(findings)))


def listed_claims(claims: Sequence[Claim]) -> RenderableType:
    """Return the declared claims without any verdict."""
    table = Table("id", "place", "kind", "printed", expand=False)
    for claim in claims:
        table.add_row(claim.id, claim.place, claim.kind, Text(claim.quote))
    return table


def replayed(rows: Sequence[tuple[str, int]]) -> RenderableType:
    """Return a table of refutations that were confirmed again, with the number of readings."""
    table = Table("id", "readings refuted again", expand=False)
    for name, number in rows:
        table.add_row(name, str(number))
    return table
