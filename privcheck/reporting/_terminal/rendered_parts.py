"""The parts of a report in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from privcheck.reporting._descriptions import parts as p
from privcheck.reporting._descriptions.parts import Part
from privcheck.reporting._text.audit_sentences import plural
from privcheck.reporting._text.numbers import clean


def rendered(parts: Iterable[Part]) -> Group:
    """Return what the terminal shows of a report.

    >>> len(rendered([p.Title("bandit.py:Mine"), p.Note("it is slow"), p.Listed(["a", "b", "c"], most=1)]).renderables)
    4
    """
    return Group(*(piece for part in parts for piece in _pieces(part)))


def _pieces(part: Part) -> Sequence[RenderableType]:
    match part:
        case p.Title(text):
            return [Text(clean(text), style="bold")]
        case p.Verdict(mark, word, rest, style):
            return [Text(f"{mark} {word}:", style=style).append(rest, style="default not bold")]
        case p.Alarm(text):
            return [Text(f"✗ {text}", style="bold white on red")]
        case p.Note(text):
            return [Text(f"note: {clean(text)}", style="yellow")]
        case p.Facts(rows, whole_names):
            return [block(_facts(rows, whole_names))]
        case p.Heading(text, short):
            return [Text(short or text, style="bold")]
        case p.Said(text, below):
            return [block(Text(text))] if below else [Text(text)]
        case p.Listed(items, most):
            left_out = len(items[most:]) if most is not None else 0
            more = [block(Text(f"and {plural(left_out, 'other')}", style="dim"))] if left_out else []
            return [block(_listed(items[:most])), *more]
        case p.Code(text):
            return [Text(text, no_wrap=True, overflow="ignore")]  # to be pasted: the terminal itself breaks it
        case p.Drawn(terminal, _):
            return terminal()
        case p.Picture() | p.OnPage():
            return []


def block(content: RenderableType) -> Padding:
    """Return content, indented."""
    return Padding(content, (0, 0, 0, 2), expand=False)


def _facts(rows: Sequence[tuple[str, str]], whole_names: bool) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=whole_names)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(Text(name), Text(value))
    return table


def _listed(sentences: Sequence[str]) -> Table:
    table = Table.grid(padding=(0, 1, 0, 0))
    for sentence in sentences:
        table.add_row("-", Text(clean(sentence)))
    return table
