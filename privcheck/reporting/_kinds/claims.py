"""What was found about claims of papers, shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from privcheck.claims import FAILS, ORDER_REFUTED, PROVEN, REFUTED, SUSPICIOUS, UNDER_READING, Claim, Finding, Findings
from privcheck.reporting._pages.notebook_theory import findings_html as notebook
from privcheck.reporting._pages.page_claims import render_claims as page
from privcheck.reporting._text.claim_sentences import (
    evidence_sentences,
    fault_sentences,
    headline,
    side_sentences,
)
from privcheck.reporting._text.claims_markdown import claims_page
from privcheck.reporting._text.evidence_page import evidence_page

__all__ = ["details", "listed_claims", "markdown", "notebook", "page"]

STYLES = {
    REFUTED: "bold red",
    ORDER_REFUTED: "bold red",
    UNDER_READING: "red",
    FAILS: "yellow",
    SUSPICIOUS: "yellow",
    PROVEN: "green",
}


def details(findings: Sequence[Finding], *, each: bool = True, total: bool = True) -> RenderableType:
    """Return the findings with their evidence, and for one finding alone also what is printed and what follows.

    Parameters
    ----------
    each : whether the findings are listed.
    total : whether they are summed up; without it, one finding is shown as one of several.
    """
    parts: list[RenderableType] = []
    for finding in findings if each else ():
        parts.append(Text.assemble((finding.id, "bold"), "  ", (finding.told, STYLES.get(finding.status, ""))))
        parts += map(_indented, [*evidence_sentences(finding), *fault_sentences(finding)])
    if len(findings) == 1 and each and total:
        (only,) = findings
        parts += map(_indented, side_sentences(only) if only.wrong else [])
        parts.append(Text(f"{only.place}: {only.quote}"))
        if only.wrong and only.consequence:
            parts.append(Text(only.consequence))
    return Group(*parts, *([Text(headline(findings))] if total else []))


def listed_claims(claims: Sequence[Claim], kept: Mapping[str, Finding], milder: int = 0) -> RenderableType:
    """Return the declared claims, with the statuses of the run that is kept in the package, and how many they are.

    Parameters
    ----------
    claims : that are listed.
    kept : what is known of each.
    milder : how many more fail in a milder way than those that were asked for.
    """
    parts: list[RenderableType] = []
    for claim in claims:
        found = kept.get(claim.id)
        status = found.status if found else "not examined"
        fault = f" ({found.fault})" if found and found.fault else ""
        parts.append(
            Text.assemble(
                (claim.id, "bold"), f"  {claim.place}, {claim.kind}: ", (status, STYLES.get(status, "")), fault
            )
        )
        parts.append(_indented(claim.quote))
    total = f"{len(claims)} claim{'' if len(claims) == 1 else 's'}; statuses of the run kept in the package"
    if milder:
        total += f". {milder} more fail in their range, as a misprint or in a reading: --fault all lists them, too"
    parts.append(Text(total))
    return Group(*parts)


def _indented(text: str) -> RenderableType:
    return Padding(Text(text), (0, 0, 0, 4), expand=False)


def markdown(findings: Findings, paper: str = "") -> str:
    """Return a page of the documentation: about all claims, or with all evidence about those of one paper."""
    from privcheck.claims import listed_items

    listing = listed_items()
    if paper:
        return evidence_page(paper, findings, listing[paper], findings.run)
    return claims_page(findings, {of: Counter(said.partition(":")[0] for *_, said in listing[of]) for of in listing})
