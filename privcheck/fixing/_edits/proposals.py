"""All edits that are tried at a finding, of every family."""

from __future__ import annotations

from privcheck.fixing._edits.edit import Proposal
from privcheck.fixing._look import Finding, Setting
from privcheck.fixing._program import Program


def proposals(program: Program, finding: Finding, setting: Setting) -> list[Proposal]:
    """Return the edits that may help against a finding, each with what it makes of the program."""
    return []
