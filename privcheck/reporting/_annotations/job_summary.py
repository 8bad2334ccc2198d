"""The summary of a job of GitHub Actions: Markdown, added to the file that GITHUB_STEP_SUMMARY names.

Source: GitHub's documentation, "Workflow commands for GitHub Actions", adding a job summary.
"""

from __future__ import annotations

import html
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from privcheck.errors import on_one_line
from privcheck.reporting._text.audit_sentences import MARKS, audit_mark, verdict_sentence
from privcheck.reporting._text.certificate_sentences import certificate_sentence
from privcheck.results import AuditReport, Certificate

VARIABLE = "GITHUB_STEP_SUMMARY"

PASSES = "An audit that passes has not refuted the claim; it proves nothing."


def append_summary(text: str) -> None:
    """Add Markdown to the summary of the job; nothing outside of a job. A file that cannot be written is named."""
    path = os.environ.get(VARIABLE)
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8", errors="replace") as file:
            file.write(f"{text}\n")
    except OSError as error:
        sys.stderr.write(f"privcheck: {VARIABLE}: {on_one_line(error.strerror or str(error))}: no job summary\n")


def as_cell(text: str) -> str:
    r"""Return text for a cell of a Markdown table, in which nothing is taken for markup.

    >>> as_cell("a|b\n<c> *d*")
    'a\\|b &lt;c&gt; \\*d\\*'
    """
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", html.escape(on_one_line(text), quote=False))


def result_summary(result: AuditReport | Certificate) -> str:
    """Return what an audit or a certificate found, with the findings that have a line of code.

    >>> from privcheck.results._example_results import VIOLATION
    >>> result_summary(VIOLATION).splitlines()[0]
    '### ❌ privcheck: rnm-ftnl-published(arms=4, epsilon=1)'
    """
    from privcheck.reporting._annotations.code_finding import findings  # reads source code, which no other report does

    if isinstance(result, AuditReport):
        good, told = result.verdict != "violation", "; ".join([verdict_sentence(result), *result.provided])
        shown = audit_mark(result) == MARKS["consistent"]
    else:
        good, shown = result.budget is None or result.granted, result.granted
        told = certificate_sentence(result) + (f", {result.provided}" if shown and result.provided else "")
    lines = [
        f"### {('✅' if shown else '➖') if good else '❌'} privcheck: {as_cell(result.target)}",
        "",
        as_cell(told),
        "",
    ]
    lines += [
        f"- `{place.file}` line {place.line}: {as_cell(place.message)}" for place in findings(result) if place.file
    ]
    return "\n".join([*lines, ""])


def tests_summary(told: Sequence[tuple[str, str, str]], passed: str, page: str) -> str:
    r"""Return the table of the privacy tests of a run, failures first.

    Parameters
    ----------
    told : for each sentence the test, the kind and the text.
    passed, page : the kinds of what a passing test could have detected, and of a page; others are failures.

    Examples
    --------
    >>> print(tests_summary([("test_it", "ok", "consistent"), ("test_b", "bad", "leak")], "ok", "page"))
    ### Privacy tests: 1 failed, 1 passed
    <BLANKLINE>
    | | test | what it found, or could have detected |
    |---|---|---|
    | ❌ | test\_b | leak |
    | ✅ | test\_it | consistent |
    <BLANKLINE>
    An audit that passes has not refuted the claim; it proves nothing.
    <BLANKLINE>
    """
    rows = sorted((kind == passed, node, text) for node, kind, text in told if kind != page)
    pages = {node: text for node, kind, text in told if kind == page}
    failed = len({node for right, node, _ in rows if not right})
    right = len({node for is_right, node, _ in rows if is_right})
    lines = [f"### Privacy tests: {failed} failed, {right} passed", ""]
    lines += ["| | test | what it found, or could have detected |", "|---|---|---|"]
    for good, node, text in rows:
        kept = f"<br>page: {as_cell(pages[node])}" if not good and node in pages else ""
        lines.append(f"| {'✅' if good else '❌'} | {as_cell(node)} | {as_cell(text)}{kept} |")
    return "\n".join([*lines, "", PASSES, ""])
