"""Pieces of HTML."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from importlib import resources
from typing import TYPE_CHECKING

from privcheck.reporting.numbers import clean
from privcheck.reporting.style import NARROW, WIDE
from privcheck.reporting.svg import to_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def text(content: str) -> str:
    """Return text that came from elsewhere, escaped.

    >>> text("<script>")
    '&lt;script&gt;'
    """
    return html.escape(clean(content))


def element(tag: str, content: str, kind: str = "") -> str:
    """Return an element around content that is HTML already.

    >>> element("p", "text", "note")
    '<p class="note">text</p>'
    """
    opening = f'{tag} class="{kind}"' if kind else tag
    return f"<{opening}>{content}</{tag}>"


def items(contents: list[str]) -> str:
    """Return a list of texts."""
    return element("ul", "".join(element("li", text(content)) for content in contents))


def inline_picture(draw: Callable[[float], Figure], name: str, caption: str) -> str:
    """Return a picture drawn twice, for pages and for phones; the style sheet shows one of them."""
    wide = element("div", to_svg(draw(WIDE), prefix=f"{name}-wide-"), "wide")
    narrow = element("div", to_svg(draw(NARROW), prefix=f"{name}-narrow-"), "narrow")
    return element("figure", wide + narrow + element("figcaption", text(caption)))


def document(title: str, sections: Sequence[str]) -> str:
    """Return a page with its style sheet and a footer; it needs nothing else."""
    from privcheck import __version__

    style = resources.files("privcheck.reporting").joinpath("page.css").read_text(encoding="utf-8")
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark">{element("title", text(title))}<style>\n{style}</style>'
    )
    footer = f"Written by privcheck {text(__version__)}. Rounds are counted from 1, arms from 0."
    body = "\n".join([*sections, element("footer", footer)])
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{body}\n</body>\n</html>\n'
