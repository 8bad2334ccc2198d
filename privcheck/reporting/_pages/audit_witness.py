"""What the page of an audit says in its own form: lines at fault, and witnesses."""

from __future__ import annotations

from privcheck.reporting._pages.elements import element, items, marked_code, text
from privcheck.reporting._pages.html_table import TEXT, table
from privcheck.reporting._text import numbers
from privcheck.reporting._text.fault_sentences import excerpt_lines
from privcheck.reporting._text.witness_sentences import MIRRORED, event_parts
from privcheck.results import Fault, Witness


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


def witness(found: Witness) -> list[str]:
    """Return two streams, the event, and its probability on each."""
    event = event_parts(found)
    label = element("b", "Event.")
    said = (
        element("p", f"{label} One of:") + items(event) if len(event) > 1 else element("p", f"{label} {text(event[0])}")
    )
    mirrored = []
    if found.mirror is not None:
        mirrored = [element("p", f"{element('b', 'Mirror image.')} {MIRRORED} {text(found.mirror)}.")]
    rows = [
        [side, numbers.probability(estimate.value), numbers.probability_interval(estimate)]
        for side, estimate in (("first", found.probability_first), ("second", found.probability_second))
    ]
    caption = f"Probability of the event; it is more likely on the {found.more_likely} stream"
    columns = [("stream", TEXT), ("probability", TEXT), ("interval", TEXT)]
    return [
        element("p", element("b", "Streams.") + " " + text(found.streams)),
        said,
        *mirrored,
        table(caption, columns, rows, sortable=False),
    ]
