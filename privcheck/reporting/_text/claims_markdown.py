"""The page about the papers' claims in Markdown, from the findings of a run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from privcheck.claims import STATUSES, Finding
from privcheck.reporting._text.claim_sentences import PAPERS, counts, evidence_sentences, side_sentences

INTRODUCTION = """# The papers' claims, put to the test

A verifier takes a statement as it is printed, searches its domain for a counterexample, proves it where it can, and
says what it found. Statements are entered from the text of the papers, with their place; no verdict is entered. This
page is written by `privcheck claims --markdown docs/claims.md`.

```console
$ privcheck claims --list
$ privcheck claims hu-2021/fact17b --json claims.json
```

`--replay claims.json` then checks the counterexamples in that file once more. In Python, `claims.examine` takes ids and
returns the findings, and `claims.kept_findings()` has those of this page; [your own inequalities](your-inequalities.md)
are put to the test in the same way.

"Refuted" means that a counterexample holds in exact rational numbers, or in intervals with outward rounding at 50 and
at 100 digits, under every reading that the text was found to allow. Where the text leaves a choice, such as which
rewards are meant, the readings are named. A step of a derivation that fails leaves the result that it leads to open. A
claim that is not refuted is not proven either, unless it says so.

Most failures are misprints, constants, missing ranges of a parameter and cases at the edge of a domain. Where an
order of a regret bound is refuted under all its readings, the consequence says from which horizon on it shows. The
quotes are in plain letters, "..." stands for words or formulas that are left out, and square brackets hold what was
added. The texts were taken from converted files: a single sign or index may differ from the published page, which is
the one to cite. A later version of a paper may have been corrected."""


FAILING = """All claims that fail under at least one reading, whole statements first; the sections of the papers have
what fails and what still stands. `privcheck claims --list --status wrong` prints this list, and `--status refuted` its
start.
"""


def claims_page(findings: Sequence[Finding], accounts: Mapping[str, Mapping[str, str]]) -> str:
    """Return the page.

    Parameters
    ----------
    findings : of a run of all claims.
    accounts : for each paper, its numbered statements and the claims about each, or why there is none.
    """
    parts = [INTRODUCTION, "## Statuses\n", _table(("status", "claims", "what it says"), _statuses(findings))]
    parts += ["## Which statements fail\n", FAILING, _table(("claim", "place", "status"), _wrong(findings))]
    for paper, title in PAPERS.items():
        rows = [finding for finding in findings if finding.paper == paper]
        wrong = [finding for finding in rows if finding.wrong]
        parts.append(f"## {title}\n\nThe ids start with `{paper}/`.\n")
        parts.append("### What fails under at least one reading\n")
        parts += [_failure(finding) for finding in wrong]
        parts.append("### All claims\n")
        parts.append(_table(("claim", "place", "status", "evidence"), [_row(finding) for finding in rows]))
        parts.append("### Every numbered statement\n")
        account = [(name, _account(said) if said.startswith(paper) else said) for name, said in accounts[paper].items()]
        parts.append(_table(("statement", "claims, or why there is none"), account))
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _statuses(findings: Sequence[Finding]) -> list[tuple[str, ...]]:
    return [(status, str(number), STATUSES[status]) for status, number in counts(findings).items()]


def _wrong(findings: Sequence[Finding]) -> list[tuple[str, ...]]:
    """Return the claims that fail, the worst statuses first, as `STATUSES` has them."""
    failing = sorted((of for of in findings if of.wrong), key=lambda of: list(STATUSES).index(of.status))
    return [(f"`{of.id}`", of.place, of.status) for of in failing]


def _row(finding: Finding) -> tuple[str, ...]:
    name = finding.id.partition("/")[2]
    return f"`{name}`", finding.place, finding.status, "; ".join(evidence_sentences(finding))


def _failure(finding: Finding) -> str:
    sentences = [*evidence_sentences(finding), *side_sentences(finding)]
    told = "".join(f"\n- {_escaped(sentence)}" for sentence in sentences)
    return (
        f"**{_escaped(finding.place)}** (`{finding.id}`, {finding.status})\n\n> {_escaped(finding.quote)}\n{told}\n\n"
        f"{_escaped(finding.consequence)}\n"
    )


def _account(said: str) -> str:
    names, semicolon, remark = said.partition("; ")
    return ", ".join(f"`{name}`" for name in names.split()) + semicolon + remark


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *(tuple(map(_escaped, row)) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _escaped(content: str) -> str:
    """Escape what Markdown would read as markup, outside of code."""
    parts = re.split(r"(`[^`]*`)", content)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_|<>\[\]$~])", r"\\\1", part) for part in parts)
