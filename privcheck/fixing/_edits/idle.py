"""The edit that leaves out noise which protects nothing any more."""

from __future__ import annotations

import ast
from collections.abc import Collection

from privcheck.fixing._edits.edit import Proposal, made
from privcheck.fixing._edits.noise_sites import sites
from privcheck.fixing._program import NotEditableError, Program

ARGUMENT = "noise on numbers that were released already protects nothing, and the look finds nothing without it"


def without_idle_noise(program: Program, methods: Collection[str]) -> Proposal | None:
    """Return a program without the noise that its methods of these names add; None if they add none.

    Whether that noise was idle, a look has to say.
    """
    found = [site for site in sites(program) if site.method.name in methods and site.whole is not site.call]
    found = [site for site in found if isinstance(site.whole, ast.BinOp)]
    if not found:
        return None
    spans = []
    for site in found:
        simple = isinstance(site.value, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant)
        code = program.code(site.value)
        spans.append(program.replace(site.whole, code if simple else f"({code})"))
    try:
        text = program.applied(spans)
    except NotEditableError:
        return None
    return Proposal(made("no-idle-noise", "noise", ARGUMENT, found[0].whole.lineno), text, "")
