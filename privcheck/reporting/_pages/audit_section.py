"""The section of the page about one audit."""

from __future__ import annotations

from dataclasses import replace

from privcheck.reporting._pages.elements import (
    code_block,
    element,
    facts,
    inline_picture,
    items,
    marked_code,
    section,
    text,
)
from privcheck.reporting._pages.html_table import TEXT, table
from privcheck.reporting._pictures.plot import tradeoff_figure, witness_figure
from privcheck.reporting._text import numbers
from privcheck.reporting._text.audit_facts import found_rows, search_rows
from privcheck.reporting._text.audit_sentences import (
    MARKS,
    event_parts,
    meaning,
    rounds_text,
    verdict_sentence,
    verdict_word,
)
from privcheck.reporting._text.both_bounds import contradiction, sandwich
from privcheck.reporting._text.fault_sentences import excerpt_lines
from privcheck.reporting._text.repeating import NOT_REPEATABLE, how_to_repeat
from privcheck.results import AuditReport, Witness


def audit_section(report: AuditReport, number: int) -> str:
    """Return the verdict, the numbers, the witness, how to repeat the audit, and what it means."""
    word = verdict_word(report)
    kind = word.replace(" ", "-")
    _, _, sentence = verdict_sentence(report).partition(":")
    verdict = f"<b>{MARKS[word]} {word}:</b>{text(':' + sentence)[1:]}"
    parts = [
        element("p", verdict, "verdict"),
        *_both_bounds(report),
        *(element("p", text(note), "note") for note in report.notes),
        facts(found_rows(report)),
        *_faults(report),
    ]
    if report.simplest is not None:
        simpler = replace(report, witness=report.simplest, epsilon_lower=report.simplest_lower)
        said = (
            "The streams and the event were simplified for as long as the claim remained refuted, and the result "
            "refuted it again on fresh runs: this witness alone shows that epsilon is at least "
            f"{numbers.at_least(report.simplest_lower)}."
        )
        parts += _witness(simpler, report.simplest, f"simplest-{number}", "Simplest witness found", said)
    if report.witness is not None:
        title = "Witness: two neighbouring streams and an event that distinguishes them"
        parts += _witness(
            report, report.witness, f"witness-{number}", title, "The lower bound comes from this witness."
        )
    if report.tradeoff is not None:
        parts += _tradeoff(report, number)
    parts += [element("h3", "How far this audit could see"), facts(search_rows(report))]
    spent = f"Engine {report.engine}, {numbers.seconds(report.seconds)}; {report.feedback} feedback."
    parts += [
        element("h3", "How to repeat it"),
        *(map(code_block, how_to_repeat(report)) if how_to_repeat(report) else [element("p", text(NOT_REPEATABLE))]),
        element("p", text(spent)),
        element("h3", "What this does and does not mean"),
        items(meaning(report)),
    ]
    return section(report.target, parts, name=f"audit-{number}", kind=f"audit {kind}")


def _faults(report: AuditReport) -> list[str]:
    """Return the lines at fault, each with its source, in which it is marked."""
    if not report.faults:
        return []
    parts = [element("h3", "The line at fault" if len(report.faults) == 1 else "The lines at fault")]
    for fault in report.faults:
        where = element("b", f"{text(fault.place)}: {text(fault.about.title)}.")
        said = text(fault.said[:1].upper() + fault.said[1:])
        parts += [
            element("p", f"{where} {said}."),
            marked_code(list(excerpt_lines(fault))),
            element("p", text(fault.about.meaning)),
            element("p", f"{element('b', 'Usual fix.')} {text(fault.about.fix)}"),
        ]
    return parts


def _both_bounds(report: AuditReport) -> list[str]:
    """Return an alarm when the bounds contradict each other, otherwise the interval of the true epsilon."""
    wrong, between = contradiction(report), sandwich(report)
    if wrong:
        return [element("p", element("strong", text(wrong)), "alarm")]
    return [element("p", text(between))] if between else []


def _tradeoff(report: AuditReport, number: int) -> list[str]:
    under = (
        "Error probabilities of an attacker who compares the score of the event with a threshold to guess the stream. "
        "With the stated confidence, the curve of the best attacker lies on or below the line; a line that dips below "
        "the dashed one refutes the claim. The region holds for all thresholds at once; it is separate from the lower "
        "bound."
    )
    return [
        element("h3", "Trade-off between the two errors"),
        inline_picture(lambda width: tradeoff_figure(report, width=width), f"tradeoff-{number}", under),
    ]


def _witness(report: AuditReport, witness: Witness, name: str, title: str, said_first: str) -> list[str]:
    event = event_parts(witness)
    label = element("b", "Event.")
    said = (
        element("p", f"{label} One of:") + items(event) if len(event) > 1 else element("p", f"{label} {text(event[0])}")
    )
    mirrored = []
    if witness.mirror is not None:
        both = "The bound counts this event and a second one, which is evidence for the other stream:"
        mirrored = [element("p", f"{element('b', 'Mirror image.')} {both} {text(witness.mirror)}.")]
    rows = [
        [side, numbers.probability(estimate.value), numbers.probability_interval(estimate)]
        for side, estimate in (("first", witness.probability_first), ("second", witness.probability_second))
    ]
    caption = f"Probability of the event; it is more likely on the {witness.more_likely} stream"
    columns = [("stream", TEXT), ("probability", TEXT), ("interval", TEXT)]
    allowed = (
        ""
        if report.epsilon_claimed is None
        else " Dashed: the largest probability that the claim allows, given the other one."
    )
    shown = (
        f"The two streams, which differ in {rounds_text(witness)}, and the event's" if witness.rounds else "The event's"
    )
    under = f"{shown} probability on each.{allowed}"
    return [
        element("h3", title),
        element("p", text(said_first)),
        element("p", element("b", "Streams.") + " " + text(witness.streams)),
        said,
        *mirrored,
        table(caption, columns, rows, sortable=False),
        inline_picture(lambda width: witness_figure(report, width=width), name, under),
    ]
