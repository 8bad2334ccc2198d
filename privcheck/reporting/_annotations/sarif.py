"""Findings as a SARIF file, which code hosts and editors read.

Source: OASIS Standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", 27 March 2020.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from privcheck.files import check_output, write_whole
from privcheck.reporting._annotations.code_finding import RULES, Finding

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
    mark = "\n".join((finding.rule, Path(finding.file).as_posix(), finding.code or str(finding.line)))
    result["partialFingerprints"] = {"privcheck/v1": hashlib.sha256(mark.encode()).hexdigest()[:32]}
    return result


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
