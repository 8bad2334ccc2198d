"""What the source says about a line: the lines around it, and where the noise of its function comes from."""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from privcheck.generators import NOISE

AROUND = 2
"""Lines shown before and after the line at fault."""

SEEDED = {"default_rng", "RandomState", "Random"}
"""Constructors of generators."""


def excerpt(file: str, line: int) -> tuple[tuple[str, ...], int]:
    """Return the lines around one, without the indentation that they share, and the number of the first."""
    lines = linecache.getlines(file)
    start = max(1, line - AROUND)
    shown = [text.rstrip().expandtabs() for text in lines[start - 1 : line + AROUND]]
    while shown and not shown[-1]:
        shown.pop()
    while shown and not shown[0] and start < line:
        shown, start = shown[1:], start + 1
    shared = min((len(text) - len(text.lstrip()) for text in shown if text), default=0)
    return tuple(text[shared:] for text in shown), start


def shown_path(file: str) -> str:
    """Return a path relative to the working directory, if it lies below it."""
    path = Path(file)
    try:
        return str(path.resolve().relative_to(Path.cwd().resolve()))
    except (OSError, ValueError):
        return file


def file_named(name: str, policy: Any) -> str:
    """Return the source file with this name that a policy's classes, or else one loaded module, come from.

    >>> Path(file_named("source_code.py", object())).parent.name
    '_faults'
    """
    found: list[str] = []
    for part in type(policy).__mro__:
        try:
            found.append(inspect.getsourcefile(part) or "")
        except (TypeError, OSError):
            continue
    found += [str(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())]
    return next((file for file in found if file and Path(file).name == name), name)


def seeds_its_noise(file: str, line: int) -> bool:
    """Tell whether the function of a line draws noise from a generator that the code seeds itself."""
    tree, function = _parsed(file, line)
    if tree is None or function is None:
        return False
    seeded = {
        _name(target)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _is_seeded(node.value)
        for target in node.targets
    }
    for call, made_by in _drawing(function, line):
        if call.lineno <= line and (_is_seeded(made_by) or (_name(made_by) in seeded and _name(made_by))):
            return True
    return False


def reads_noise_first(file: str, line: int) -> bool:
    """Tell whether the function of a line compares a draw of noise before the line, which uses it."""
    _, function = _parsed(file, line)
    if function is None:
        return False
    drawn = {
        _name(target)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and any(True for _ in _drawing(node.value, line))
        for target in node.targets
    } - {""}
    compared = {
        _name(part)
        for node in ast.walk(function)
        if isinstance(node, (ast.While, ast.If)) and node.lineno < line
        for part in ast.walk(node.test)
    }
    used = {_name(node) for node in ast.walk(function) if getattr(node, "lineno", 0) == line}
    return bool(drawn & compared & used)


def _parsed(file: str, line: int) -> tuple[ast.Module | None, ast.AST | None]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None, None
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.Lambda)) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return tree, max(around, key=lambda node: node.lineno, default=None)


def _drawing(node: ast.AST, line: int) -> Iterator[tuple[ast.Call, ast.AST]]:
    """Yield the calls that draw noise, up to a line, with what they draw it from."""
    for call in ast.walk(node):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.lineno > line:
            continue
        if call.func.attr in NOISE | {"gauss", "normalvariate", "expovariate", "randn"}:
            yield call, call.func.value


def _is_seeded(node: ast.AST) -> bool:
    """Tell whether this makes a generator, other than from draws of another one."""
    if not isinstance(node, ast.Call) or _name(node.func) not in SEEDED:
        return False
    inner = [part for given in (*node.args, *(k.value for k in node.keywords)) for part in ast.walk(given)]
    return not any(isinstance(part, ast.Call) or "rng" in _name(part) for part in inner)


def _name(node: ast.AST) -> str:
    """Return the last part of a name: "total" of `self.total` and of `total`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
