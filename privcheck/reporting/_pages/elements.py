"""Pieces of HTML."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Callable, Sequence
from importlib import resources
from typing import TYPE_CHECKING

from privcheck.reporting._pictures.style import NARROW, WIDE
from privcheck.reporting._pictures.svg import to_svg
from privcheck.reporting._text.numbers import clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def text(content: str) -> str:
    """Return text that came from elsewhere, escaped.

    >>> text("<script>")
    '&lt;script&gt;'
    """
    return html.escape(clean(content))


def place(content: str) -> str:
    """Return a path or a name as HTML that breaks at its parts before it breaks within a word.

    >>> place("my_bandit.py:MyBandit")
    'my_<wbr>bandit.<wbr>py:<wbr>My<wbr>Bandit'
    """
    return re.sub(r"(?<=[/_.:\\])(?=[^\W\d])|(?<=[a-z])(?=[A-Z])", "<wbr>", text(content))


def element(tag: str, content: str, kind: str = "") -> str:
    """Return an element around content that is HTML already.

    >>> element("p", "text", "note")
    '<p class="note">text</p>'
    """
    opening = f'{tag} class="{kind}"' if kind else tag
    return f"<{opening}>{content}</{tag}>"


def code_block(code: str) -> str:
    r"""Return code to copy, on the lines it has: a command that goes on after a backslash needs them.

    An option stays together: browsers would break it after its hyphens.

    >>> print(code_block("audit x \\\n    --seed 0"))
    <pre><code>audit x \
        <span>--seed</span> 0</code></pre>
    """
    lines = (line[: len(line) - len(line.lstrip(" "))] + text(line.strip()) for line in code.split("\n"))
    whole = re.sub(r"(?<!\S)--[\w-]+", r"<span>\g<0></span>", "\n".join(lines))
    return element("pre", element("code", whole))


def marked_code(lines: Sequence[tuple[str, bool]]) -> str:
    r"""Return lines of source code, of which some are marked.

    >>> marked_code([("  7  a = 1", False), ("> 8  a < b", True)])
    '<pre class="source"><code>  7  a = 1\n<mark>&gt; 8  a &lt; b</mark></code></pre>'
    """
    shown = [element("mark", html.escape(line)) if marked else html.escape(line) for line, marked in lines]
    return element("pre", element("code", "\n".join(shown)), "source")


def badge(word: str, mark: str) -> str:
    """Return a verdict in its colour, with its sign.

    >>> badge("not certified", "✗")
    '<b class="word not-certified">✗ not certified</b>'
    """
    return f'<b class="word {text(word.replace(" ", "-"))}">{mark} {text(word)}</b>'


def items(contents: list[str]) -> str:
    """Return a list of texts."""
    return element("ul", "".join(element("li", text(content)) for content in contents))


def section(heading: str, parts: Sequence[str], *, name: str = "", kind: str = "") -> str:
    r"""Return a section with its heading, which links can point to when it is given an id.

    >>> section("Ledger", ["<p>empty</p>"], name="ledger")
    '<section><h2 id="ledger">Ledger</h2>\n<p>empty</p></section>'
    """
    mark = f' id="{name}"' if name else ""
    content = "\n".join([f"<h2{mark}>{text(heading)}</h2>", *parts])
    return element("section", content, kind)


def facts(rows: Sequence[tuple[str, str]]) -> str:
    """Return names and what they stand for, as a list of terms."""
    return element("dl", "".join(element("dt", text(a)) + element("dd", text(b)) for a, b in rows), "facts")


def header(title: str, headline: str) -> str:
    """Return the head of a page: its title and one line that sums it up."""
    return element("header", element("h1", text(title)) + element("p", place(headline), "headline"))


def inline_picture(draw: Callable[[float], Figure], name: str, caption: str) -> str:
    """Return a picture drawn twice, for pages and for phones; the style sheet shows one of them."""
    wide = element("div", to_svg(draw(WIDE), prefix=f"{name}-wide-"), "wide")
    narrow = element("div", to_svg(draw(NARROW), prefix=f"{name}-narrow-"), "narrow")
    return element("figure", wide + narrow + element("figcaption", text(caption)))


def document(title: str, head: str, sections: Sequence[str]) -> str:
    """Return a page with its style sheet, its script and a footer; its own policy lets it load nothing else.

    Parameters
    ----------
    title : of the window.
    head : what `header` returned.
    sections : HTML of the main part.

    Examples
    --------
    >>> page = document("a", header("a", "b"), ["<p>c</p>"])
    >>> page.count("<main>"), "default-src 'none'" in page
    (1, True)
    """
    from privcheck import __version__

    style, script = (_resource(name) for name in ("page.css", "sorting.js"))
    # A script that somebody slipped into a name has another hash, so that no browser runs it.
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_hash(script)}'; base-uri 'none'"
    meta = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark">{element("title", text(title))}<style>\n{style}</style>'
    )
    counted = "Rounds and rows are counted from 1, arms and columns from 0."
    footer = element("footer", f"<p>Written by privcheck {text(__version__)}. {counted}</p>")
    body = "\n".join(
        [
            head,
            element("main", "\n".join(sections)),
            footer,
            *([element("script", script)] if 'class="sortable"' in "".join(sections) else []),
        ]
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>{meta}</head>\n<body>\n{body}\n</body>\n</html>\n'


def _resource(name: str) -> str:
    return resources.files("privcheck.reporting._pages").joinpath(name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
