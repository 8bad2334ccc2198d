"""All edits that are tried at a finding, of every family."""

from __future__ import annotations

from privcheck.fixing._edits.edit import Proposal
from privcheck.fixing._edits.generators import own_generator
from privcheck.fixing._edits.noise_edits import noise
from privcheck.fixing._edits.structure import structure
from privcheck.fixing._edits.wider_scale import wider_scale
from privcheck.fixing._look import Finding, Setting
from privcheck.fixing._program import NotEditableError, Program

FAMILIES = (own_generator, noise, wider_scale, structure)


def proposals(program: Program, finding: Finding, setting: Setting) -> list[Proposal]:
    """Return the edits that may help against a finding, each with what it makes of the program."""
    found: dict[str, Proposal] = {}
    for family in FAMILIES:
        try:
            for proposal in family(program, finding, setting):
                found.setdefault(proposal.text, proposal)
        except NotEditableError:
            continue
    found.pop(program.text, None)
    return list(found.values())
