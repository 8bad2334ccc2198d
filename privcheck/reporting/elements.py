"""Pieces of HTML."""

from __future__ import annotations

import html
from collections.abc import Callable
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
