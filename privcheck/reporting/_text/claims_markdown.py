"""The page about the papers' claims in Markdown, from the findings of a run: causes first, then what is on request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from privcheck.claims import FAULTS, STATUSES, Finding, causes
from privcheck.reporting._text.claim_sentences import PAPERS, counts
from privcheck.reporting._text.markdown_parts import escaped, linked_claim, table

INTRODUCTION = """# The papers' claims, put to the test

This page, and one page for each paper with all evidence, are written by `privcheck claims --markdown
docs/evidence/claims.md`. [The papers' claims](../claims.md) says how statements are entered and examined, and what a
refutation is."""

GRAVE = """One entry for each reason, with all that fails for it: false statements, and false steps of proofs. A step
that fails leaves the statement that it serves open; each entry says what remains true, and which published results rest
on what fails. `privcheck claims --list --status wrong` prints these claims.
"""

LIGHT = """What a referee would ask to be put right and would not call an error: ranges that are not printed, misprints,
and sentences that fail only to the letter. `privcheck claims --list --fault reading` prints the last of them, `--fault
all` everything that fails.
"""


def claims_page(findings: Sequence[Finding], accounts: Mapping[str, Mapping[str, int]]) -> str:
    """Return the page.

    Parameters
    ----------
    findings : of a run of all claims.
    accounts : for each paper, how many of the listed displays, statements and sentences have each account.
    """
    faults = Counter(of.fault for of in findings if of.fault)
    parts = [
        INTRODUCTION,
        "## Statuses\n",
        table(("status", "claims", "what it says"), [(of, str(n), STATUSES[of]) for of, n in counts(findings).items()]),
        "## Faults\n",
        table(("fault", "claims", "what it says"), [(of, str(faults[of]), told) for of, told in FAULTS.items()]),
        "## Which statements and proofs fail\n",
        GRAVE,
        *_grave(findings),
        "## Ranges, misprints and readings\n",
        LIGHT,
        table(("fault", "what it is", "claims"), _light(findings)),
        "## The evidence, paper by paper\n",
        table(("paper", "claims", "listed", *ACCOUNTS), _papers(findings, accounts)),
        "Every display, numbered statement, remark, caption, table and comparison in words of a paper is listed at the "
        "end of its page, with the claims about it, or why there is none.\n",
    ]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


ACCOUNTS = ("entered", "definition", "not a claim", "not yet entered")
"""What the listing says of each item."""


def _failing(findings: Sequence[Finding], grave: bool) -> dict[str, list[Finding]]:
    """Return what fails by its cause, in the order of the causes."""
    found: dict[str, list[Finding]] = {name: [] for name in causes()}
    for finding in findings:
        if finding.wrong and finding.grave == grave:
            found[finding.cause].append(finding)
    return {name: these for name, these in found.items() if these}


def _grave(findings: Sequence[Finding]) -> list[str]:
    parts = []
    for name, these in _failing(findings, grave=True).items():
        told = causes()[name]
        listed = "".join(
            f"- {linked_claim(of.id)}, {escaped(of.place)}: {of.fault}, {of.status}\n"
            for of in sorted(these, key=lambda of: list(FAULTS).index(of.fault))
        )
        parts.append(
            f"### {name.partition('/')[2]}\n\n{escaped(told.wrong)}\n\n{listed}\n"
            f'The words on which it rests: "{escaped(told.words)}".\n\n'
            f"What remains true: {escaped(_lower(told.remains))}\n\n"
            f"What rests on it: {escaped(_lower(told.rests))}\n"
        )
    return parts


def _lower(sentence: str) -> str:
    """Return a sentence as it goes on after a colon."""
    first = sentence.split(" ", 1)[0]
    return sentence if first in NAMES or not sentence[:1].isupper() else sentence[0].lower() + sentence[1:]


NAMES = ("Lemma", "Theorem", "Theorems", "Fact", "Proposition", "Corollary", "Algorithm", "Markov's", "Claim")
"""Words that keep their capital letter."""


def _light(findings: Sequence[Finding]) -> list[tuple[str, ...]]:
    rows = []
    for name, these in _failing(findings, grave=False).items():
        rows.append((these[0].fault, causes()[name].wrong, ", ".join(linked_claim(of.id) for of in these)))
    return sorted(rows, key=lambda row: list(FAULTS).index(row[0]))


def _papers(findings: Sequence[Finding], accounts: Mapping[str, Mapping[str, int]]) -> list[tuple[str, ...]]:
    rows = []
    for paper, title in PAPERS.items():
        number, listed = sum(of.paper == paper for of in findings), accounts[paper]
        shown = [str(number), str(sum(listed.values())), *(str(listed.get(of, 0)) for of in ACCOUNTS)]
        rows.append((f"[{title.partition(',')[0]}]({paper}.md)", *shown))
    return rows
