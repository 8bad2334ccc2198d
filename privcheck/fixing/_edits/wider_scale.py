"""The edit that widens the noise of what releases a datum several times, by how often it does."""

from __future__ import annotations

import math
from collections.abc import Iterator

from privcheck.certifying import Refusal
from privcheck.fixing._edits.constructor import Constructor, number
from privcheck.fixing._edits.edit import Proposal, made
from privcheck.fixing._edits.noise_sites import Site, scale_given, sites
from privcheck.fixing._look import Charged, Finding, Setting
from privcheck.fixing._program import NotEditableError, Program, receiver
from privcheck.fixing._source_text import Span

WIDER = (
    "the charges of a datum add up; where it would be charged c times the budget, noise that is c times as wide costs "
    "c times less at each release, so that all of them together cost the budget"
)
MOST = 64
"""Times the budget beyond which no constant is written."""

LAST = 6
"""The cost of noise that grows with the rounds: edits of structure need less of it, and come before."""


def wider_scale(program: Program, finding: Finding, setting: Setting) -> Iterator[Proposal]:
    """Yield the edit that multiplies the noise of every release of the datum that is charged most.

    By what is not guessed from one run: it is what was charged over the budget where that is the same for other numbers
    of arms and rounds, and otherwise the number of arms or of rounds that the constructor receives, or a multiple.
    """
    if not isinstance(finding.cause, Refusal) or finding.kind != "again" or not finding.charged:
        return
    lines = {line for charged in finding.charged for line in charged.lines}
    found = list({id(site.call): site for line in sorted(lines) for site in sites(program, line)}.values())
    if not found or any(not sites(program, line) for line in lines):
        return
    try:
        built = Constructor(program, setting.epsilon)
        own = receiver(found[0].method)
        times, cost, spans = _times(finding.charged, built, own)
        if any(receiver(site.method) != own for site in found):
            raise NotEditableError("methods call the policy by different names")
        wider = {span for site in found for span in _wider(program, site, times)}
        text = program.applied([*spans, *sorted(wider)])
    except NotEditableError:
        return
    site = "; ".join(program.code(each.whole) for each in found)
    edit = made("wider-scale", "noise", WIDER, found[0].call.lineno)
    yield Proposal(edit._replace(cost=max(cost, edit.cost)), text, site)


def _times(charged: tuple[Charged, ...], built: Constructor, own: str) -> tuple[str, int, list[Span]]:
    """Return by what the noise has to be multiplied, as code, the least cost, and what has to be changed for it."""
    totals = [each.times for each in charged]
    if max(totals) <= totals[0] * (1.0 + 1e-6):
        if not 1.0 < totals[0] <= MOST:
            raise NotEditableError("a datum is charged too much for a constant")
        return number(_rounded_up(totals[0])), 0, []
    for name, cost, written, sizes in (
        ("arms", 0, "{}", [each.arms for each in charged]),
        ("horizon", LAST, "int({}).bit_length()", [each.rounds.bit_length() for each in charged]),
        ("horizon", LAST, "{}", [each.rounds for each in charged]),
    ):
        shares = {math.ceil(total / size - 1e-6) for total, size in zip(totals, sizes, strict=True)}
        if len(shares) == 1:
            code, spans = built.parameter(name, own)
            share, code = shares.pop(), written.format(code)
            return (code if share == 1 else f"{share} * {code}"), cost, spans
    raise NotEditableError("how often a datum is released is not known before")


def _rounded_up(times: float) -> float:
    """Return a number of times, with two decimals unless it is whole.

    >>> _rounded_up(3.0000000001), _rounded_up(4 / 3)
    (3.0, 1.34)
    """
    return math.ceil(times * 100.0 - 1e-4) / 100.0


def _wider(program: Program, site: Site, times: str) -> list[Span]:
    scale = scale_given(site) or site.draw
    if scale is site.whole:
        raise NotEditableError("the draw has no scale of its own")
    return [program.replace(scale, f"{times} * {program.bracketed(scale)}")]
