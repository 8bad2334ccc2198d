"""Findings as a SARIF file, which code hosts and editors read.

Source: OASIS Standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", 27 March 2020.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from privcheck.files import check_output, write_whole
from privcheck.reporting._annotations.code_finding import RULES, Finding
from privcheck.results import FixPatch

SARIF = (".sarif", ".json")
"""Suffixes of SARIF files."""

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def save_sarif(found: Sequence[Finding], path: str | Path) -> None:
    """Write findings as a SARIF 2.1.0 file, whole or not at all; without findings it has no results.

    Raises
    ------
    PrivcheckError : a path that does not end in .sarif or .json, or that cannot be written.
    """
    target = check_output(path, "sarif", SARIF)
    write_whole(target, json.dumps(sarif(found), indent=2) + "\n", "sarif")


def sarif(found: Sequence[Finding]) -> dict[str, Any]:
    """Return the SARIF log with these findings.

    >>> log = sarif([Finding("raw-argmax", "It is raw.", "shop/bandit.py", 7)])
    >>> log["version"], log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
    ('2.1.0', {'startLine': 7})
    """
    from privcheck import __version__

    used = list(dict.fromkeys(finding.rule for finding in found if finding.rule in RULES))
    driver = {"name": "privcheck", "version": __version__, "rules": [_rule(rule) for rule in used]}
    run = {"tool": {"driver": driver}, "results": [_result(finding, used) for finding in found]}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str) -> dict[str, Any]:
    rule = RULES[name]
    return {
        "id": name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.meaning},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": "error"},
    }


def _result(finding: Finding, used: list[str]) -> dict[str, Any]:
    result: dict[str, Any] = {"ruleId": finding.rule, "level": "error", "message": {"text": finding.message}}
    if finding.rule in used:
        result["ruleIndex"] = used.index(finding.rule)
    if finding.file:
        region: dict[str, Any] = {"startLine": max(1, finding.line)}
        if finding.code:
            region["snippet"] = {"text": finding.code}
        place = {"artifactLocation": {"uri": _uri(finding.file)}, "region": region}
        result["locations"] = [{"physicalLocation": place}]
    if finding.patches:
        result["fixes"] = [_fix(finding.file, patch) for patch in finding.patches]
    mark = "\n".join((finding.rule, Path(finding.file).as_posix(), finding.code or str(finding.line)))
    result["partialFingerprints"] = {"privcheck/v1": hashlib.sha256(mark.encode()).hexdigest()[:32]}
    return result


def _fix(file: str, patch: FixPatch) -> dict[str, Any]:
    """Return a patch as a fix: for each run of changed lines, what stands there afterwards."""
    replacements = [
        {
            "deletedRegion": {"startLine": start, "startColumn": 1, "endLine": start + count, "endColumn": 1},
            "insertedContent": {"text": new},
        }
        for start, count, new in replacements_of(patch.diff)
    ]
    change = {"artifactLocation": {"uri": _uri(file)}, "replacements": replacements}
    names = ", ".join(dict.fromkeys(edit.name for edit in patch.edits))
    return {"description": {"text": f"certified patch: {names}"}, "artifactChanges": [change]}


def replacements_of(diff: str) -> list[tuple[int, int, str]]:
    r"""Return the runs of changed lines in a unified diff: where each begins, how many it removes, what it puts there.

    >>> replacements_of("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n+d\n e\n")
    [(2, 1, 'c\nd\n')]
    """
    found: list[tuple[int, int, str]] = []
    line, run, added = 0, False, False
    for text in diff.split("\n")[:-1]:
        if head := re.match(r"@@ -(\d+)(?:,(\d+))? ", text):
            line, run = int(head[1]) + (head[2] == "0"), False
        elif text.startswith("\\") and found and run:
            start, count, new = found[-1]
            found[-1] = start, count, new.removesuffix("\n") if added else new
        elif line and text[:1] in ("+", "-"):
            start, count, new = found.pop() if run else (line, 0, "")
            added = text[0] == "+"
            found.append((start, count, f"{new}{text[1:]}\n") if added else (start, count + 1, new))
            line, run = line + (not added), True
        elif line:
            line, run = line + 1, False
    return found


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
