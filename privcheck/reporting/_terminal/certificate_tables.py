"""What the terminal draws of a certificate: leaks, lines that never ran, and two diverging streams."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from privcheck.private_values import Leak, describe_data
from privcheck.reporting._pictures.divergence_picture import diverging_streams
from privcheck.reporting._pictures.witness_excerpt import characters, words_of
from privcheck.reporting._terminal.rendered_parts import block
from privcheck.reporting._text.audit_sentences import plural
from privcheck.reporting._text.certificate_sentences import place
from privcheck.reporting._text.numbers import clean
from privcheck.results import Certificate, Divergence, UnreachedLine

MOST_LINES = 10


def leak_lines(leaks: Sequence[Leak]) -> list[RenderableType]:
    """Return a row per leak: where, what was done there, to which data, what to do; then the paths of the files.

    >>> len(leak_lines([]))
    1
    """
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("where", overflow="fold", ratio=3)
    table.add_column("code", overflow="fold", ratio=4)
    table.add_column("data", overflow="fold", ratio=2)
    table.add_column("what to do", overflow="fold", ratio=4)
    for leak in leaks:
        where = Text(place(leak), style="bold red").append(f"\nin {clean(leak.function)}", style="not bold default dim")
        code = Text(clean(leak.code)).append(f"\n{clean(leak.operation)} on unreleased data", style="dim")
        table.add_row(where, code, Text(clean(describe_data(leak.data))), Text(clean(leak.hint)))
    files = dict.fromkeys(clean(leak.file) for leak in leaks)
    return [block(table), *(block(Text(f"in {file}", style="dim")) for file in files)]


def unreached_table(lines: Sequence[UnreachedLine]) -> RenderableType:
    """Return a table with a row per line that no explored execution ran: its place and its source.

    >>> unreached_table([]).renderable.row_count
    0
    """
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold yellow", no_wrap=True)
    table.add_column(overflow="fold")
    for line in lines[:MOST_LINES]:
        table.add_row(Text(place(line)), Text(clean(line.text)))
    if len(lines) > MOST_LINES:
        table.add_row("", Text(f"and {plural(len(lines) - MOST_LINES, 'other')}", style="dim"))
    return block(table)


def diverging_streams_drawn(certificate: Certificate, divergence: Divergence) -> list[RenderableType]:
    """Return both streams in characters, and the arms that were played on them."""
    words = words_of(certificate)
    streams = block(
        Text(characters(diverging_streams(divergence, certificate.arms), certificate.rewards, words), no_wrap=True)
    )
    if words.of_data:
        return [streams]
    played = Table.grid(padding=(0, 2, 0, 0))
    for name, actions in (("first", divergence.actions_first), ("second", divergence.actions_second)):
        played.add_row(Text(f"played on the {name} stream", style="dim"), Text(_actions(actions)))
    return [streams, block(played)]


def _actions(actions: tuple[int, ...], most: int = 16) -> str:
    shown = " ".join(str(action) for action in actions[-most:])
    return f"... {shown}" if len(actions) > most else shown or "nothing"
