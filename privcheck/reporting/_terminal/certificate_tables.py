"""A certificate in the terminal."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from privcheck.private_values import Leak, describe_data
from privcheck.reporting._pictures.divergence_picture import diverging_streams
from privcheck.reporting._pictures.witness_excerpt import characters
from privcheck.reporting._text.audit_sentences import plural
from privcheck.reporting._text.certificate_facts import certificate_rows
from privcheck.reporting._text.certificate_sentences import (
    CERTIFICATE_MARKS,
    CERTIFIED,
    RECORDED,
    REFUSED,
    UNSEEN,
    certificate_sentence,
    certificate_word,
    coverage,
    divergence_sentences,
    place,
)
from privcheck.reporting._text.numbers import clean
from privcheck.reporting._text.repeating import repeat_certificate
from privcheck.results import Certificate, Divergence, UnreachedLine

STYLES = {CERTIFIED: "bold green", UNSEEN: "bold yellow", REFUSED: "bold red", RECORDED: "cyan"}
MOST_REFUSALS = 3
MOST_LINES = 10


def certificate_details(certificate: Certificate) -> RenderableType:
    """Return everything about a certificate: verdict, numbers, leaks, refusals, the first divergence, what it covers.

    >>> from rich.console import Console
    >>> from privcheck.reporting._example_results import GRANTED
    >>> console = Console(width=80, record=True, quiet=True)
    >>> console.print(certificate_details(GRANTED))
    """
    word = certificate_word(certificate)
    _, _, sentence = certificate_sentence(certificate).partition(":")
    parts: list[RenderableType] = [
        Text(clean(certificate.target), style="bold"),
        Text(f"{CERTIFICATE_MARKS[word]} {word}:", style=STYLES[word]).append(sentence, style="default not bold"),
        *(Text(f"note: {clean(note)}", style="yellow") for note in certificate.notes),
        _block(_numbers(certificate)),
    ]
    if certificate.leaks:
        parts += [Text("Leaks", style="bold"), _block(leak_table(certificate.leaks)), *_folders(certificate.leaks)]
    if certificate.refusals:
        parts += [Text("Refused releases", style="bold"), *_listed(certificate.refusals[:MOST_REFUSALS])]
        left_out = len(certificate.refusals) - MOST_REFUSALS
        parts += [_block(Text(f"and {plural(left_out, 'other')}", style="dim"))] if left_out > 0 else []
    if certificate.unreached:
        parts += [Text("Lines that never ran", style="bold"), _block(unreached_table(certificate.unreached))]
    if certificate.replay.first_divergence is not None:
        parts += _divergence(certificate, certificate.replay.first_divergence)
    parts += [Text("What it does and does not cover", style="bold"), *_listed(coverage(certificate))]
    parts += [Text("To repeat", style="bold"), *(Text(call.folded()) for call in repeat_certificate(certificate))]
    return Group(*parts)


def leak_table(leaks: list[Leak]) -> Table:
    """Return a table with a row per leak: where, what was done there, to which data, and what to do.

    >>> leak_table([]).row_count
    0
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
    return table


def unreached_table(lines: list[UnreachedLine]) -> Table:
    """Return a table with a row per line that no explored execution ran: its place and its source.

    >>> unreached_table([]).row_count
    0
    """
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold yellow", no_wrap=True)
    table.add_column(overflow="fold")
    for line in lines[:MOST_LINES]:
        table.add_row(Text(place(line)), Text(clean(line.text)))
    if len(lines) > MOST_LINES:
        table.add_row("", Text(f"and {plural(len(lines) - MOST_LINES, 'other')}", style="dim"))
    return table


def _folders(leaks: list[Leak]) -> list[RenderableType]:
    """Return the whole path of each file with a leak."""
    files = dict.fromkeys(clean(leak.file) for leak in leaks)
    return [_block(Text(f"in {file}", style="dim")) for file in files]


def _numbers(certificate: Certificate) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in certificate_rows(certificate):
        table.add_row(Text(name), Text(value))
    return table


def _divergence(certificate: Certificate, divergence: Divergence) -> list[RenderableType]:
    contextual = certificate.contexts is not None
    said = [_block(Text(sentence)) for sentence in divergence_sentences(divergence, contextual=contextual)]
    streams = characters(diverging_streams(divergence, certificate.arms), certificate.rewards)
    played = Table.grid(padding=(0, 2, 0, 0))
    for name, actions in (("first", divergence.actions_first), ("second", divergence.actions_second)):
        played.add_row(Text(f"played on the {name} stream", style="dim"), Text(_actions(actions)))
    heading = Text(f"First divergence, in round {divergence.round}", style="bold")
    return [heading, *said, _block(Text(streams, no_wrap=True)), _block(played)]


def _actions(actions: tuple[int, ...], most: int = 16) -> str:
    shown = " ".join(str(action) for action in actions[-most:])
    return f"... {shown}" if len(actions) > most else shown or "nothing"


def _listed(sentences: list[str]) -> list[RenderableType]:
    table = Table.grid(padding=(0, 1, 0, 0))
    for sentence in sentences:
        table.add_row("-", Text(clean(sentence)))
    return [_block(table)]


def _block(content: RenderableType) -> Padding:
    return Padding(content, (0, 0, 0, 2), expand=False)
