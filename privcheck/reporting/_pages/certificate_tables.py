"""The tables of a certificate on its page: leaks, and lines that never ran."""

from __future__ import annotations

from collections.abc import Sequence

from privcheck.private_values import KINDS, Leak, describe_data
from privcheck.reporting._pages.elements import element, text
from privcheck.reporting._pages.html_table import TEXT, Cell, below, table
from privcheck.reporting._text.certificate_sentences import place
from privcheck.reporting._text.numbers import clean
from privcheck.results import UnreachedLine


def leak_table(leaks: Sequence[Leak]) -> str:
    """Return a row per leak: where, what was done there, to which data, and what to do."""
    rows: list[list[Cell | str]] = [
        [
            Cell(text(place(leak)) + below(f"in {text(leak.function)}; {text(leak.file)}"), clean(place(leak))),
            element("code", text(leak.code))
            + below(f"{text(leak.operation)}: {text(KINDS.get(leak.kind, leak.kind))}"),
            text(describe_data(leak.data)),
            text(leak.hint),
        ]
        for leak in leaks
    ]
    columns = [(name, TEXT) for name in ("where", "code", "data", "what to do")]
    caption = "Where the code read data that had not been released"
    return table(caption, columns, rows, kind="stack leaks")


def unreached_table(lines: Sequence[UnreachedLine]) -> str:
    """Return a row per line that no explored execution ran: its place and its source."""
    rows: list[list[Cell | str]] = [
        [Cell(text(place(line)), clean(place(line))), element("code", text(line.text))] for line in lines
    ]
    caption = "What touches a private value, makes a release or draws random numbers, and ran in no explored execution"
    columns = [(name, TEXT) for name in ("where", "code")]
    return table(caption, columns, rows, kind="stack leaks")
