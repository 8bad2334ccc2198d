"""Findings as a SARIF file, which code hosts and editors read.

Source: OASIS Standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", 27 March 2020.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
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
    results = [_result(finding, used) for finding in found]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
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
    result: dict[str, Any] = {"ruleId": finding.rule, "level": finding.level, "message": {"text": finding.message}}
    if finding.rule in used:
        result["ruleIndex"] = used.index(finding.rule)
    if finding.file:
        region: dict[str, Any] = {"startLine": max(1, finding.line)}
        if finding.code:
            region["snippet"] = {"text": finding.code}
        place = {"artifactLocation": {"uri": _uri(finding.file)}, "region": region}
        result["locations"] = [{"physicalLocation": place}]
    if finding.patches:
        result["fixes"] = [_fix(finding.patched, patch) for patch in finding.patches]
    mark = "\n".join((finding.rule, Path(finding.file).as_posix(), finding.code or str(finding.line)))
    result["partialFingerprints"] = {"privcheck/v1": hashlib.sha256(mark.encode()).hexdigest()[:32]}
    return result


def _fix(file: str, patch: FixPatch) -> dict[str, Any]:
    """Return a patch as a fix: for each run of changed lines, what stands there afterwards."""
    replacements = [
        {"deletedRegion": each.region, "insertedContent": {"text": each.text}} for each in replacements_of(patch.diff)
    ]
    change = {"artifactLocation": {"uri": _uri(file)}, "replacements": replacements}
    names = ", ".join(dict.fromkeys(edit.name for edit in patch.edits))
    return {"description": {"text": f"certified patch: {names}"}, "artifactChanges": [change]}


class Replacement(NamedTuple):
    """A run of changed lines.

    Parameters
    ----------
    line, removed : where it begins, from 1, and how many lines it removes.
    text : what it puts there.
    open_end : characters of the last removed line, if that ends the file without a newline; otherwise None.
    """

    line: int
    removed: int
    text: str
    open_end: int | None = None

    @property
    def region(self) -> dict[str, int]:
        """What it removes: up to the line after it, which is not there if the file ends without a newline."""
        end = self.line + self.removed, 1
        if self.open_end is not None:
            end = self.line + self.removed - 1, self.open_end + 1
        return {"startLine": self.line, "startColumn": 1, "endLine": end[0], "endColumn": end[1]}


def replacements_of(diff: str) -> list[Replacement]:
    r"""Return the runs of changed lines in a unified diff.

    >>> replacements_of("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n+d\n e\n")
    [Replacement(line=2, removed=1, text='c\nd\n', open_end=None)]
    """
    found: list[Replacement] = []
    line, run, last = 0, False, ""
    for text in diff.split("\n")[:-1]:
        if head := re.match(r"@@ -(\d+)(?:,(\d+))? ", text):
            line, run = int(head[1]) + (head[2] == "0"), False
        elif text.startswith("\\") and found and run:
            if last[0] == "+":
                found[-1] = found[-1]._replace(text=found[-1].text.removesuffix("\n"))
            else:
                found[-1] = found[-1]._replace(open_end=len(last) - 1)
        elif line and text[:1] in ("+", "-"):
            own = found.pop() if run else Replacement(line, 0, "")
            added, last, run = text[0] == "+", text, True
            found.append(
                own._replace(text=f"{own.text}{text[1:]}\n") if added else own._replace(removed=own.removed + 1)
            )
            line += not added
        elif line:
            line, run = line + 1, False
    return found


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
