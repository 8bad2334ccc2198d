"""What the page of an audit says in its own form: lines at fault, and witnesses."""

from __future__ import annotations

from privcheck.reporting._pages.elements import element, items, marked_code, text
from privcheck.reporting._pages.html_table import TEXT, table
from privcheck.reporting._pictures.witness_excerpt import words_of
from privcheck.reporting._text import numbers
from privcheck.reporting._text.fault_sentences import excerpt_lines
from privcheck.reporting._text.witness_sentences import event_parts, mirrored
from privcheck.results import AuditReport, Fault, Witness


def fault(found: Fault) -> list[str]:
    """Return a line at fault with its source, in which it is marked, what is wrong and the usual fix."""
    where = element("b", f"{text(found.place)}: {text(found.about.title)}.")
    said = text(found.said[:1].upper() + found.said[1:])
    return [
        element("p", f"{where} {said}."),
        marked_code(list(excerpt_lines(found))),
        element("p", text(found.about.meaning)),
        element("p", f"{element('b', 'Usual fix.')} {text(found.about.fix)}"),
    ]


def witness(report: AuditReport, found: Witness) -> list[str]:
    """Return two streams, the event, and its probability on each."""
    event = event_parts(found)
    label = element("b", "Event.")
    said = (
        element("p", f"{label} One of:") + items(event) if len(event) > 1 else element("p", f"{label} {text(event[0])}")
    )
    one, mirror = words_of(report).one, []
    if found.mirror is not None:
        mirror = [element("p", f"{element('b', 'Mirror image.')} {mirrored(report)} {text(found.mirror)}.")]
    rows = [
        [side, numbers.probability(estimate.value), numbers.probability_interval(estimate)]
        for side, estimate in (("first", found.probability_first), ("second", found.probability_second))
    ]
    caption = f"Probability of the event; it is more likely on the {found.more_likely} {one}"
    columns = [(one, TEXT), ("probability", TEXT), ("interval", TEXT)]
    return [
        element("p", element("b", f"{one.capitalize()}s.") + " " + text(found.streams)),
        said,
        *mirror,
        table(caption, columns, rows, sortable=False),
    ]
