"""Parts of pages in Markdown: tables, text without markup, links to the evidence about a claim."""

from __future__ import annotations

import re
from collections.abc import Sequence


def table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    r"""Return a table.

    >>> table(("a", "b"), [("1", "x_2")])
    '| a | b |\n| --- | --- |\n| 1 | x\\_2 |\n'
    """
    lines = [heads, tuple("---" for _ in heads), *(tuple(map(escaped, row)) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def escaped(content: str) -> str:
    """Escape what Markdown would read as markup, outside of code and of the links that pages write themselves."""
    parts = re.split(r"(`[^`]*`|\[[^\]]*\]\([\w.-]+\.md(?:#[\w-]+)?\))", content)
    kept = ("`", "[")
    return "".join(
        part if number % 2 and part.startswith(kept) else re.sub(r"([\\*_|<>\[\]$~])", r"\\\1", part)
        for number, part in enumerate(parts)
    )


def linked_claim(name: str) -> str:
    """Return a link to the evidence about a claim.

    >>> linked_claim("hu-2021/thm8")
    '[hu-2021/thm8](hu-2021.md#thm8)'
    """
    paper, _, rest = name.partition("/")
    return f"[{name}]({paper}.md#{rest})"
