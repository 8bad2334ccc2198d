"""The report about an audit, in parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from privcheck.reporting._descriptions.next_steps import next_step
from privcheck.reporting._descriptions.parts import (
    Alarm,
    Code,
    Drawn,
    Facts,
    Heading,
    Listed,
    Note,
    OnPage,
    Part,
    Picture,
    Said,
    Title,
    Verdict,
)
from privcheck.reporting._pages import audit_witness as on_page
from privcheck.reporting._pictures.tradeoff_picture import TRADEOFF_CAPTION, tradeoff_figure
from privcheck.reporting._pictures.witness_excerpt import words_of
from privcheck.reporting._pictures.witness_picture import witness_caption, witness_figure
from privcheck.reporting._terminal import audit_witness as in_terminal
from privcheck.reporting._text import numbers
from privcheck.reporting._text.audit_facts import found_rows, search_rows
from privcheck.reporting._text.audit_sentences import (
    MARKS,
    MEASURED,
    audit_mark,
    meaning,
    verdict_sentence,
    verdict_word,
)
from privcheck.reporting._text.both_bounds import contradiction, sandwich
from privcheck.reporting._text.repeating import NOT_REPEATABLE, how_to_repeat
from privcheck.results import AuditReport

STYLES = {"violation": "bold red", "consistent": "green", "inconclusive": "yellow", MEASURED: "cyan"}

SIMPLIFIED = (
    "The streams and the event were simplified for as long as the claim remained refuted, and the result refuted it "
    "again on fresh runs"
)


def described(report: AuditReport) -> Iterator[Part]:
    """Yield the verdict in words, the numbers, the witness, and how to repeat the audit.

    >>> from privcheck.results._example_results import VIOLATION
    >>> [part.short or part.text for part in described(VIOLATION) if isinstance(part, Heading)]
    ['Witness', 'How far this audit could see', 'To repeat']
    """
    word = verdict_word(report)
    yield Title(report.target)
    mark = audit_mark(report)
    style = STYLES[MEASURED if mark == MARKS[MEASURED] else word]
    yield Verdict(mark, word, verdict_sentence(report).partition(":")[2], style)
    if wrong := contradiction(report):
        yield Alarm(wrong)
    elif between := sandwich(report):
        yield Said(between, below=False)
    yield from map(Note, report.notes)
    yield Facts(found_rows(report))
    for section in SECTIONS:
        yield from section(report)


def faults(report: AuditReport) -> Iterator[Part]:
    """Yield the lines at fault: their source, what is wrong and the usual fix."""
    if report.faults:
        yield Heading("The line at fault" if len(report.faults) == 1 else "The lines at fault", "At fault")
    for fault in report.faults:
        yield Drawn(partial(in_terminal.fault_lines, fault), partial(on_page.fault, fault))


def simplest_witness(report: AuditReport) -> Iterator[Part]:
    """Yield the witness that was simplified for as long as the claim remained refuted."""
    if report.simplest is None:
        return
    alone = f"this witness alone shows that epsilon is at least {numbers.at_least(report.simplest_lower)}"
    yield Heading("Simplest witness found", "Witness")
    yield OnPage([Said(f"{words_of(report).said(SIMPLIFIED)}: {alone}.")])
    yield from _witness(replace(report, witness=report.simplest, epsilon_lower=report.simplest_lower), "simplest")
    yield Drawn(partial(in_terminal.said, alone))


def bound_witness(report: AuditReport) -> Iterator[Part]:
    """Yield the witness that the lower bound rests on; a terminal draws its streams unless they were drawn before."""
    if (found := report.witness) is None:
        return
    before, short = report.simplest, "Witness"
    same = before is not None and all(
        np.array_equal(*pair) for pair in ((before.first, found.first), (before.second, found.second))
    )
    if before is not None:
        where = words_of(report).said("the same streams" if same else "other streams")
        short = f"The lower bound comes from a finer event on {where}"
    inputs = words_of(report).said("streams")
    yield Heading(f"Witness: two neighbouring {inputs} and an event that distinguishes them", short)
    yield OnPage([Said("The lower bound comes from this witness.")])
    yield from _witness(report, "witness", drawn=not same)


def _witness(report: AuditReport, name: str, *, drawn: bool = True) -> Iterator[Part]:
    assert report.witness is not None
    yield Drawn(partial(in_terminal.witness, report, drawn=drawn), partial(on_page.witness, report, report.witness))
    yield Picture(name, lambda width: witness_figure(report, width=width), witness_caption(report))


def tradeoff(report: AuditReport) -> Iterator[Part]:
    """Yield the picture of the two errors of an attacker."""
    if report.tradeoff is not None:
        picture = Picture("tradeoff", lambda width: tradeoff_figure(report, width=width), TRADEOFF_CAPTION)
        yield OnPage([Heading("Trade-off between the two errors"), picture])


def resolution(report: AuditReport) -> Iterator[Part]:
    """Yield what was searched, and what the runs could have shown."""
    yield Heading("How far this audit could see")
    yield Facts(search_rows(report))


def repeated(report: AuditReport) -> Iterator[Part]:
    """Yield the calls that give the same report, or why there are none, and what the audit took."""
    calls, heading = how_to_repeat(report), Heading("How to repeat it", "To repeat")
    yield heading if calls else OnPage([heading])
    yield from map(Code, calls) if calls else [Said(NOT_REPEATABLE, below=False)]
    yield Drawn(partial(in_terminal.spent, report))
    yield OnPage([Said(f"Engine {report.engine}, {numbers.seconds(report.seconds)}; {report.feedback} feedback.")])


def what_next(report: AuditReport) -> Iterator[Part]:
    """Yield the command that comes next, where one does."""
    what, command = next_step(report)
    if command:
        yield Heading(f"What comes next: {what}", f"Next: {what}")
        yield Code(command)


def meant(report: AuditReport) -> Iterator[Part]:
    """Yield what the result means and what it does not."""
    yield OnPage([Heading("What this does and does not mean"), Listed(meaning(report))])


SECTIONS = (faults, simplest_witness, bound_witness, tradeoff, resolution, repeated, what_next, meant)
"""What follows the numbers, in order: each yields the parts of a section, or none."""
