"""The parts of a report on a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from privcheck.reporting._descriptions import parts as p
from privcheck.reporting._descriptions.parts import Part
from privcheck.reporting._pages.elements import code_block, element, facts, inline_picture, items, text


def rendered(parts: Iterable[Part], heading: str = "h2", mark: str = "") -> list[str]:
    """Return the HTML of the parts of a report, with a mark after the names of its pictures.

    >>> rendered([p.Title("bandit.py:Mine"), p.Heading("Ledger"), p.Said("a < b")])
    ['<h2>Ledger</h2>', '<p>a &lt; b</p>']
    """
    return [piece for part in parts for piece in _pieces(part, heading, mark)]


def _pieces(part: Part, heading: str, mark: str) -> Sequence[str]:
    match part:
        case p.Title():
            return []
        case p.Verdict(sign, word, rest, _):
            return [element("p", f"<b>{sign} {word}:</b>{text(':' + rest)[1:]}", "verdict")]
        case p.Alarm(said):
            return [element("p", element("strong", text(said)), "alarm")]
        case p.Facts(rows):
            return [facts(rows)]
        case p.Heading(said, _):
            return [element(heading, text(said))]
        case p.Said(said, _) | p.Note(said):
            return [element("p", text(said), "note" if isinstance(part, p.Note) else "")]
        case p.Listed(listed):
            return [items(list(listed))]
        case p.Code(code):
            return [code_block(code)]
        case p.Picture(name, draw, caption):
            return [inline_picture(draw, name + mark, caption)]
        case p.Drawn(_, page):
            return page()
        case p.OnPage(parts):
            return rendered(parts, heading, mark)
