"""The edit that leaves out noise which protects nothing any more."""

from __future__ import annotations

import ast

from privcheck.fixing._edits.edit import Proposal, made
from privcheck.fixing._edits.noise_sites import sites
from privcheck.fixing._program import NotEditableError, Program

ARGUMENT = "noise on numbers that were released already protects nothing, and the look finds nothing without it"


def without_idle_noise(program: Program, original: Program) -> Proposal | None:
    """Return a program without the noise that the original adds, too; None if it adds none.

    Whether that noise was idle, a look has to say.
    """
    own = {ast.unparse(site.whole) for site in sites(original)}
    found = [site for site in sites(program) if ast.unparse(site.whole) in own and isinstance(site.whole, ast.BinOp)]
    if not found:
        return None
    try:
        text = program.applied([program.replace(site.whole, program.bracketed(site.value)) for site in found])
    except NotEditableError:
        return None
    return Proposal(made("no-idle-noise", "noise", ARGUMENT, found[0].whole.lineno), text, "")
