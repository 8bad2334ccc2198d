"""Constants of a module: names that are given a literal once, where the module is imported, and never again."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from privcheck.certifying.own_code import OwnFunction

CHANGES_ANY = frozenset({"globals", "exec", "eval", "vars", "setattr", "delattr", "__dict__", "importlib", "sys"})
"""Names with which a module can change its own names without spelling them out as targets."""


def constants_of(own: OwnFunction) -> dict[str, Any]:
    """Return the constants of a function's module that stand for themselves everywhere in the function.

    Guarantee
    ---------
    No statement of the module gives the name anything else, the function binds no name like it, and the value is that
    of the literal now. What other modules do to this one has to be excluded by the caller.
    """
    text = "".join(linecache.getlines(own.file, own.function.__globals__))
    bound = set(_bound(own.node)) | {part.arg for part in ast.walk(own.node) if isinstance(part, ast.arg)}
    bound |= set(own.function.__code__.co_freevars)
    held = own.function.__globals__
    return {
        name: value
        for name, value in _literals(text).items()
        if name not in bound and name in held and type(held[name]) is type(value) and held[name] == value
    }


@lru_cache(maxsize=64)
def _literals(text: str) -> MappingProxyType[str, Any]:
    r"""Return the names that a source text gives a literal at its top level and nothing else anywhere.

    >>> dict(_literals("A = 1\nB = 2\nB = 3\nC: bool = False\nD = [1]\ndef f():\n    global A\n    A = 2"))
    {'C': False}
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return MappingProxyType({})
    words = {getattr(part, "id", getattr(part, "attr", "")) for part in ast.walk(tree)}
    imports = [alias.name for part in ast.walk(tree) if isinstance(part, ast.Import) for alias in part.names]
    if CHANGES_ANY & (words | set(imports)) or any(getattr(part, "names", None) and _star(part) for part in tree.body):
        return MappingProxyType({})
    found: dict[str, Any] = {}
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = getattr(node, "value", None)
        if len(targets) == 1 and isinstance(targets[0], ast.Name) and isinstance(value, ast.Constant):
            found[targets[0].id] = value.value
    times = list(_bound(tree))
    return MappingProxyType({name: value for name, value in found.items() if times.count(name) == 1})


def _star(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)


def _bound(tree: ast.AST) -> Iterator[str]:
    """Yield every name that any statement binds or deletes, as often as it does, in whatever scope."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler) and node.name:
            yield node.name
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest
        elif isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names
