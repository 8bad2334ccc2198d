"""Docstrings as this project writes them, for Sphinx: plain text with numpy's headings becomes reStructuredText.

Parameters are `name : description`, because types are in signatures. An indented block is shown as it stands, and
nothing but backticks is markup: an asterisk multiplies and a bar is an absolute value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

FIELDS = {"Parameters": "param", "Attributes": "param", "Raises": "raises", "Warns": "raises"}
ITEM = re.compile(r"^(\*{0,2}\w[\w.]*(?:, \*{0,2}\w[\w.]*)*) ?: (.*)$")
SPAN = re.compile(r"(`[^`]+`)")
PAGE = re.compile(r"\bdocs/([\w/-]+)\.md\b")
NAME = re.compile(r"^`[\w.]+`$")
CLASS = re.compile(r"^`[A-Z][A-Z]*[a-z]\w*`$")
"""Names of classes are looked for in all packages, other names next to what is documented."""


def converted(lines: list[str]) -> list[str]:
    r"""Return the lines of a docstring as reStructuredText.

    >>> converted(["Bound |x|.", "", "Parameters", "----------", "x : a number,", "    or two.", ""])
    ['Bound \\|x\\|.', '', ':param x: a number,', '    or two.', '']
    """
    result: list[str] = []
    for heading, body in _sections(lines):
        if heading in FIELDS:
            result += _fields(FIELDS[heading], body)
        elif heading == "Returns":
            result += [f":returns: {_escaped(' '.join(line.strip() for line in body if line.strip()))}", ""]
        else:
            result += [f".. rubric:: {heading}", ""] if heading else []
            result += _plain(body)
    return result


def _sections(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    heading, body = "", []
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if re.fullmatch(r"-{3,}", below) and line.strip():
            yield heading, body
            heading, body = line, []
        elif not re.fullmatch(r"-{3,}", line):
            body.append(line)
    yield heading, body


def _fields(field: str, body: list[str]) -> list[str]:
    result: list[str] = []
    for line in body:
        item = ITEM.match(line)
        if item:
            names = item[1].replace("*", "").split(", ")
            result += [f":{field} {name}:" for name in names[:-1]]
            result.append(f":{field} {names[-1]}: {_escaped(item[2])}")
        elif line.strip():
            indent = "    " if line.startswith(" ") else ""
            text = _escaped(line.strip())
            result.append(indent + text if indent else f":{field} {text}:")
    return [*result, ""]


def _plain(body: list[str]) -> list[str]:
    result: list[str] = []
    for block in "\n".join(body).split("\n\n"):
        lines = [line for line in block.split("\n") if line.strip()]
        if not lines:
            continue
        if lines[0].lstrip().startswith(">>>"):
            result += lines
        elif all(line.startswith("    ") for line in lines):
            result += [".. code-block:: text", "", *lines]
        else:
            result += [_escaped(line) for line in _separated(lines)]
        result.append("")
    return result


def _separated(lines: list[str]) -> Iterator[str]:
    """Yield the lines of a paragraph with the empty line that a list in it needs."""
    for above, line in zip(["- ", *lines], lines, strict=False):
        if line.startswith("- ") and not above.startswith(("- ", "  ")):
            yield ""
        yield line


def _escaped(text: str) -> str:
    parts = SPAN.split(text)
    for i, part in enumerate(parts):
        if i % 2 == 0:
            parts[i] = re.sub(r"([\\*|`]|_(?!\w))", r"\\\1", part)
        elif CLASS.match(part):
            parts[i] = f"`.{part[1:]}"
        elif not NAME.match(part):
            parts[i] = f"`{part}`"
    return PAGE.sub(r":doc:`/\1`", "".join(parts))


def _process(_app: Any, _what: str, _name: str, _object: Any, _options: Any, lines: list[str]) -> None:
    lines[:] = converted(lines)


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True}
