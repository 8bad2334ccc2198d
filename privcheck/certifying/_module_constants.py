"""Constants of a module: names that are given a literal once, where the module is imported, and never again."""

from __future__ import annotations

import ast
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from privcheck.certifying._own_code import OwnCode, OwnFunction
from privcheck.certifying._spelled_names import Spelled, binds, spelled_by, spelled_in


def constants_of(own: OwnFunction, code: OwnCode) -> dict[str, Any]:
    """Return the constants of a function's module that stand for themselves everywhere in the function.

    Guarantee
    ---------
    No statement of the module gives the name anything else, the function binds no name like it, and the value is that
    of the literal now. No file of the target has a string with the name in it, or another means of changing names that
    it does not spell out. Attributes of this name that another file sets have to be excluded by the caller.
    """
    files = spelled_by(code)
    if any(file.reaches_names for file in files):
        return {}
    bound = {*binds(own.node), *own.function.__code__.co_freevars}.union(*(file.words for file in files))
    held = own.function.__globals__
    return {
        name: value
        for name, value in _literals(spelled_in(own)).items()
        if name not in bound and name in held and type(held[name]) is type(value) and held[name] == value
    }


@lru_cache(maxsize=64)
def _literals(spelled: Spelled) -> MappingProxyType[str, Any]:
    r"""Return the names that a file gives a literal at its top level and nothing else anywhere.

    >>> text = "A = 1\nB = 2\nB = 3\nC: bool = False\nD = [1]\ndef f():\n    global A\n    A = 2"
    >>> dict(_literals(Spelled(ast.parse(text), *[frozenset()] * 3)))
    {'C': False}
    """
    tree = spelled.tree
    if any(_star(part) for part in ast.walk(tree)):
        return MappingProxyType({})
    found: dict[str, Any] = {}
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = getattr(node, "value", None)
        if len(targets) == 1 and isinstance(targets[0], ast.Name) and isinstance(value, ast.Constant):
            found[targets[0].id] = value.value
    return MappingProxyType({name: value for name, value in found.items() if spelled.bound[name] == 1})


def _star(node: ast.AST) -> bool:
    return isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
