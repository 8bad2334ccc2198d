"""What the source files of a target spell out: names, strings, and means of changing names in other ways."""

from __future__ import annotations

import ast
import linecache
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from privcheck.certifying._own_code import OwnCode, OwnFunction
from privcheck.certifying._syntax import REACHES_NAMES, SETTERS, called_name, computes_name


@dataclass(frozen=True)
class Spelled:
    """What a source file spells out; what is asked of it is found once, and holds for this text alone.

    Parameters
    ----------
    tree : its syntax tree.
    names : names that are read or given anything, attributes, and what is imported.
    strings : string constants, other than documentation.
    words : the words in these.
    """

    tree: ast.Module
    names: frozenset[str]
    strings: frozenset[str]
    words: frozenset[str]

    @cached_property
    def reaches_names(self) -> bool:
        """Whether it contains a means of changing the names of a module without spelling them out."""
        calls = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        computed = any(computes_name(call) for call in calls) or "getattr" in self.mentioned
        return computed or bool(REACHES_NAMES & (self.names | self.strings))

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """What it mentions other than by defining it, importing it, or calling it by its name.

        >>> ["f" in _spelled(text).mentioned for text in ("def f(): ...", "f(1)", "g = f", "x.f(1)", "call('f')")]
        [False, False, True, True, True]
        """
        calls = (node for node in ast.walk(self.tree) if isinstance(node, ast.Call))
        by_name = {id(call.func) for call in calls if isinstance(call.func, ast.Name)}
        others = (node for node in ast.walk(self.tree) if id(node) not in by_name)
        return self.strings.union(name for node in others for name in _mentions(node))

    @cached_property
    def bound(self) -> Counter[str]:
        """How often its statements bind or delete each name, in whatever scope."""
        return Counter(binds(self.tree))

    @cached_property
    def attributes_stored(self) -> frozenset[str]:
        """The attributes that it sets or deletes."""
        attributes = (node for node in ast.walk(self.tree) if isinstance(node, ast.Attribute))
        return frozenset(node.attr for node in attributes if not isinstance(node.ctx, ast.Load))


def spelled_in(own: OwnFunction) -> Spelled:
    """Return what the file of a function spells out; nothing if it cannot be read."""
    return _spelled("".join(linecache.getlines(own.file, own.function.__globals__)))


def spelled_by(code: OwnCode) -> list[Spelled]:
    """Return what each file of a target's own code spells out."""
    return list({own.file: spelled_in(own) for own in code.functions}.values())


@lru_cache(maxsize=64)
def _spelled(text: str) -> Spelled:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        tree = ast.Module([], [])
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in said]
    strings = frozenset(node.value for node in constants if isinstance(node.value, str))
    words = frozenset(word for string in strings for word in re.findall(r"\w+", string))
    own = set(map(id, _of_instances(tree)))
    names = frozenset(name for node in ast.walk(tree) if id(node) not in own for name in _names(node))
    return Spelled(tree, names, strings, words)


def _of_instances(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield what sets attributes of the instance that a method receives: these are found in the functions that run.

    A method that is called by its class may be given anything in place of an instance.
    """
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    names = {cls.name for cls in classes}
    by_class = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and getattr(n.value, "id", "") in names}
    for method in (part for cls in classes for part in cls.body if isinstance(part, ast.FunctionDef)):
        parameters = [*method.args.posonlyargs, *method.args.args]
        first = parameters[0].arg if parameters and not method.decorator_list else None
        if first is None or method.name in by_class or list(binds(method)).count(first) > 1:
            continue
        for node in ast.walk(method):
            if isinstance(node, ast.Attribute) and node.attr == "__dict__" and getattr(node.value, "id", "") == first:
                yield node
            if isinstance(node, ast.Call) and called_name(node) in (*SETTERS, "vars"):
                yield from [node.func] if node.args and getattr(node.args[0], "id", "") == first else []


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.alias):
        yield from node.name.split(".")
    elif isinstance(node, ast.ImportFrom):
        yield from (node.module or "").split(".")


def _mentions(node: ast.AST) -> Iterator[str]:
    """Yield the name of which a node is a mention; of an import with a new name, both."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.alias) and node.asname not in (None, node.name):
        yield from (node.name, str(node.asname))


def binds(tree: ast.AST) -> Iterator[str]:
    """Yield every name that any statement binds or deletes, as often as it does, in whatever scope.

    >>> sorted(binds(ast.parse("lambda x: [y := x for _ in x]")))
    ['_', 'x', 'y']
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler) and node.name:
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest
        elif isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names
        elif isinstance(node, _TYPE_PARAMETERS):
            yield node.name


_TYPE_PARAMETERS: Any = tuple(
    getattr(ast, name) for name in ("TypeVar", "ParamSpec", "TypeVarTuple") if hasattr(ast, name)
)
"""Since Python 3.12."""


def hides_setters(spelled: Spelled) -> bool:
    """Tell whether a file may set attributes by a function that it calls by another name than its own."""
    called = {id(node.func) for node in ast.walk(spelled.tree) if isinstance(node, ast.Call)}
    return bool(spelled.mentioned & {"setattr", "delattr", "vars"}) or any(
        isinstance(node, ast.Attribute) and node.attr in SETTERS and id(node) not in called
        for node in ast.walk(spelled.tree)
    )
