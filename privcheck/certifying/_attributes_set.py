"""Which attributes the methods of a target may set after construction."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from privcheck.certifying._own_code import OwnCode, OwnFunction
from privcheck.certifying._syntax import SETTERS, asks_super, body_nodes, called_name

CONSTRUCTORS = ("__init__", "__post_init__", "__new__")

STATE = frozenset({"__dict__", "__getstate__", "__setstate__", "__reduce_ex__", *CONSTRUCTORS})
"""Attributes through which all others can be set."""


def attributes_set(own: OwnFunction) -> Iterator[str]:
    """Yield the attributes that a function may set, other than those of the object that a constructor makes.

    A string that is the name of an attribute counts, unless it is asked for by `getattr` or `hasattr`: other functions
    may set what they receive.
    """
    made = _of_the_made(own)
    asked = {
        id(call.args[1])
        for call in ast.walk(own.node)
        if isinstance(call, ast.Call) and called_name(call) in ("getattr", "hasattr") and len(call.args) > 1
    }
    for node in ast.walk(own.node):
        if id(node) in made:
            continue
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in asked:
            yield node.value.rpartition(".")[2]


def sets_any_attribute(own: OwnFunction) -> bool:
    """Tell whether a function may set attributes whose names it does not spell out, or give an object another class."""
    made = _of_the_made(own)
    for node in ast.walk(own.node):
        if id(node) in made:
            continue
        if isinstance(node, ast.Attribute) and (
            node.attr in STATE or (node.attr == "__class__" and not isinstance(node.ctx, ast.Load))
        ):
            return True
        if isinstance(node, ast.Call):
            named = any(isinstance(part, ast.Constant) for part in node.args[:2])
            if called_name(node) in ("vars", "exec", "eval") or (called_name(node) in SETTERS and not named):
                return True
    return False


def makes_object(own: OwnFunction, code: OwnCode) -> bool:
    """Tell whether a function may make another object of a class of the policy, with attributes of its own.

    It may if it mentions such a class, or one of an object, other than to name an attribute of it or to ask for it.
    """
    asked = {
        id(part)
        for node in body_nodes(own)
        for part in ([node.value] if isinstance(node, ast.Attribute) else _asked(node))
    }
    bases = type(code.policy).__mro__[:-1]
    for node in body_nodes(own):
        if id(node) in asked or isinstance(getattr(node, "ctx", None), ast.Store):
            continue
        if isinstance(node, ast.Name) and (
            own.value(node.id) in bases if isinstance(own.value(node.id), type) else False
        ):
            return True
        is_class = isinstance(node, ast.Attribute) and node.attr == "__class__"
        if is_class or (isinstance(node, ast.Call) and called_name(node) == "type" and len(node.args) == 1):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == own.receiver:
            return True
    return False


def _asked(node: ast.AST) -> list[ast.expr]:
    """Return the arguments of `isinstance` and the like, and what `is` and `==` compare."""
    if isinstance(node, ast.Call) and called_name(node) in ("isinstance", "issubclass", "super"):
        return [part.value if isinstance(part, ast.Starred) else part for part in node.args]
    return [node.left, *node.comparators] if isinstance(node, ast.Compare) else []


def _of_the_made(own: OwnFunction) -> set[int]:
    """Return the nodes with which a constructor sets attributes of the object that it makes, while it makes it.

    What it leaves behind may run later: functions within it and lambdas.
    """
    if own.name not in CONSTRUCTORS or not own.parameters:
        return set()
    later = {
        id(part)
        for inner in ast.walk(own.node)
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and inner is not own.node
        for part in ast.walk(inner)
    }
    first, on_self = own.parameters[0], own.name != "__new__"  # which is given a class
    found: set[int] = set()
    for node in ast.walk(own.node):
        if id(node) in later:
            continue
        if isinstance(node, ast.Attribute) and (asks_super(node.value) or (on_self and _is(node.value, first))):
            found.add(id(node))
        elif isinstance(node, ast.Call) and node.args and _is(node.args[0], first):
            found.update(map(id, (node, node.func, *node.args)))
    return found


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
