"""Which room of the package imports which: read from the source, without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Import(NamedTuple):
    """One import of a module of privcheck in a file."""

    file: Path
    line: int
    target: str
    lazy: bool
    """Inside a function, or only for type checkers."""


def imports(file: Path) -> Iterator[Import]:
    """Yield every import of a module of privcheck, by `import`, `from ... import` or `import_module` of a constant."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    eager = set()
    for node in tree.body:
        eager |= {id(inner) for inner in ast.walk(node)} if isinstance(node, ast.Import | ast.ImportFrom) else set()
    for node in ast.walk(tree):
        lazy = id(node) not in eager
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                names = [f"relative import, level {node.level}"]
            else:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in (
            "import_module", "__import__",
        ):  # fmt: skip
            names = [str(a.value) for a in node.args if isinstance(a, ast.Constant)]
        else:
            continue
        for name in names:
            if name.partition(".")[0] == "privcheck" or name.startswith("relative"):
                yield Import(file, node.lineno, name, lazy)


def room(name: str) -> str:
    """Return the room of a dotted name: what stands after "privcheck.", or "privcheck" for the package's own names."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else "privcheck"


def room_of_file(file: Path, package: Path) -> str:
    """Return the room that a file of the package is in."""
    first = file.relative_to(package).parts[0]
    return {"__init__.py": "privcheck"}.get(first, first.removesuffix(".py"))
