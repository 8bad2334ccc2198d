"""Findings as workflow commands of GitHub Actions, which shows them at the lines of a pull request.

Source: GitHub's documentation, "Workflow commands for GitHub Actions", setting an error message.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from privcheck.reporting._annotations.code_finding import RULES, Finding


def commands_of(found: Sequence[Finding]) -> list[str]:
    """Return one command for each finding.

    >>> commands_of([Finding("raw-argmax", "100 % raw", "shop, 2/bandit.py", 7)])
    ['::error file=shop%2C 2/bandit.py,line=7,title=privcheck%3A the best of raw scores::100 %25 raw']
    """
    return [_annotation(finding) for finding in found]


def _annotation(finding: Finding) -> str:
    properties = {"title": f"privcheck: {RULES[finding.rule].title}" if finding.rule in RULES else "privcheck"}
    if finding.file:
        properties = {"file": Path(finding.file).as_posix(), "line": str(finding.line)} | properties
    given = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{finding.level} {given}::{_data(finding.message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
