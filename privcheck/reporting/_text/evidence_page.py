"""The page of one paper in Markdown: every claim with its quote, readings, evidence and replay, and the listing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from privcheck.claims import Finding, ReadingFinding, causes
from privcheck.reporting._text.claim_sentences import LONGEST_FORMULA, PAPERS, evidence
from privcheck.reporting._text.markdown_parts import escaped, linked_claim, table

LISTED = """Every display, numbered statement, remark, caption, table and comparison in words that was found in the
text, in its order, with the claims about it, or why there is none.
"""


def evidence_page(
    paper: str, findings: Sequence[Finding], listing: Sequence[tuple[str, ...]], how: Mapping[str, Any]
) -> str:
    """Return the page.

    Parameters
    ----------
    paper : such as "hu-2021".
    findings : of a run of all claims.
    listing : place, first words, what it is and account of each item of the paper.
    how : the command, the date and the version of the run.
    """
    rows = [finding for finding in findings if finding.paper == paper]
    shown = [(place, words, kind, _account(paper, said)) for place, words, kind, said in listing]
    run = f"By `{how.get('command', '')}`, {how.get('date', 'undated')}, privcheck {how.get('privcheck', '')}."
    parts = [
        f"# Evidence: {PAPERS[paper]}\n",
        f"{run} [What fails, by reason](claims.md), is a page of its own.\n",
        "## Claims\n",
        *map(_claim, rows),
        "## Everything that is listed\n",
        LISTED,
        table(("place", "first words", "what it is", "account"), shown),
    ]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _claim(finding: Finding) -> str:
    fault = f", {finding.fault} ({escaped(causes()[finding.cause].wrong)})" if finding.cause else ""
    lines = [
        f"### {finding.id.partition('/')[2]}\n",
        f"{escaped(finding.place)}; {finding.kind}, {finding.role}; version {finding.version} ({finding.fingerprint}). "
        f"**{finding.told}**{fault}\n",
        f"> {escaped(finding.quote)}\n",
        *(f"- {escaped(_reading(of, several=len(finding.readings) > 1))}" for of in finding.readings),
    ]
    lines += [f"- {escaped(finding.tested_on)}"] if finding.tested_on else []
    lines += [f"- step {escaped(_reading(step, several=True))}" for step in finding.derivation]
    if finding.repair:
        lines.append(f"- repaired: {escaped(finding.repair)} ({finding.repair_status})")
    if finding.wrong:
        lines += [f"\n{escaped(finding.consequence)}", f"\nAgain: `privcheck claims {finding.id}`"]
    return "\n".join(lines) + "\n"


def _reading(reading: ReadingFinding, *, several: bool) -> str:
    """Return the reading, its formula, its domain and what was found."""
    name = f"{reading.name}: " if several else ""
    formula = reading.says if len(reading.says) <= LONGEST_FORMULA else "see the field `says` in the JSON"
    about = "; ".join(part for part in (formula, reading.domain if formula == reading.says else "") if part)
    return f"{name}{evidence(reading)}" + (f". The formula: {about}" if about else "")


def _account(paper: str, said: str) -> str:
    """Return an account with links to the claims that it names."""
    if not said.startswith("entered: "):
        return said
    names, semicolon, remark = said.removeprefix("entered: ").partition("; ")
    links = ", ".join(linked_claim(name if "/" in name else f"{paper}/{name}") for name in names.split())
    return links + semicolon + remark
