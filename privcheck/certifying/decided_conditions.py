"""Conditions that are decided when a policy is built: no round can change which way they go."""

from __future__ import annotations

import ast
import enum
import inspect
from types import FunctionType, SimpleNamespace
from typing import Any

from privcheck.certifying.own_code import OwnFunction, attributes
from privcheck.private_values.private import Private, PrivateArray

PLAIN = (bool, int, float, str, bytes, type(None), enum.Enum)

ALLOWED = (
    ast.Expression | ast.Compare | ast.BinOp | ast.UnaryOp | ast.Attribute | ast.Name | ast.Constant | ast.Tuple
    | ast.cmpop | ast.operator | ast.unaryop | ast.expr_context
)  # fmt: skip


class _Object:
    """An attribute that is no plain value: it is known that it is there, and that it is not None."""

    def _unknown(self, *_: Any) -> Any:
        raise TypeError("not known")

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _unknown
    __hash__ = None  # type: ignore[assignment]


def lasting_attributes(policy: Any) -> dict[str, Any]:
    """Return the attributes of a policy and its class: plain values, and of all others of the policy the type.

    >>> lasting_attributes(type("Policy", (), {"__init__": lambda self: vars(self).update(a=1, b=[2])})())
    {'a': 1, 'b': <class 'list'>}
    """
    classes = [vars(cls) for cls in reversed(type(policy).__mro__)]
    named = {n: value for members in classes for n, value in members.items() if not n.startswith("__")}
    plain = {n: value for n, value in named.items() if isinstance(value, PLAIN)}
    held = {n: value if isinstance(value, PLAIN) else type(value) for n, value in attributes(policy).items()}
    return plain | held


def decided(
    condition: ast.expr,
    own: OwnFunction,
    lasting: dict[str, Any] | None,
    private: set[str],
    constants: dict[str, Any],
) -> bool | None:
    """Return which way a condition goes in every round; None if that is not known beforehand.

    Parameters
    ----------
    condition : an expression in a method of the policy, or in a function.
    own : the method or the function.
    lasting : the attributes that no method sets after construction, from `lasting_attributes`; None in a function that
        is no method of the policy.
    private : the parameters that are private in every call.
    constants : the constants of its module, from `constants_of`.
    """
    if isinstance(condition, ast.BoolOp):
        parts = [decided(value, own, lasting, private, constants) for value in condition.values]
        ends = isinstance(condition.op, ast.Or)
        return ends if ends in parts else (None if None in parts else not ends)
    if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
        inner = decided(condition.operand, own, lasting, private, constants)
        return None if inner is None else not inner
    if isinstance(condition, ast.Call):
        found = _is_of_type(condition, own, private)
        return _has_attribute(condition, own, private) if found is None else found
    if not all(isinstance(node, ALLOWED) for node in ast.walk(condition)):
        return None
    known = dict(constants)
    if lasting is not None and own.parameters:
        held = {name: _Object() if isinstance(value, type) else value for name, value in lasting.items()}
        known[own.parameters[0]] = SimpleNamespace(**held)
    code = compile(ast.Expression(condition), own.file, "eval")
    try:
        return bool(eval(code, {"__builtins__": {}}, known))
    except Exception:
        return None


def _is_of_type(call: ast.Call, own: OwnFunction, private: set[str]) -> bool | None:
    """Return the answer of `isinstance(x, type)` for a private parameter x."""
    if not (isinstance(call.func, ast.Name) and call.func.id == "isinstance" and len(call.args) == 2):
        return None
    value, asked = call.args
    if not isinstance(value, ast.Name) or value.id not in private or may_be_stored(value, own):
        return None
    kinds = [_type(part, own) for part in _alternatives(asked)]
    return None if None in kinds else issubclass(Private, tuple(kind for kind in kinds if kind is not None))


def _has_attribute(call: ast.Call, own: OwnFunction, private: set[str]) -> bool | None:
    """Return the answer of `hasattr(x, "name")` for a private parameter x; None where asking might be refused.

    Private values define no `__getattr__`: what no class of theirs has, they do not have, and their methods they have.
    """
    if not (isinstance(call.func, ast.Name) and call.func.id == "hasattr" and len(call.args) == 2):
        return None
    value, name = call.args
    if not isinstance(value, ast.Name) or value.id not in private or may_be_stored(value, own):
        return None
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str) or own.value("hasattr") is not None:
        return None
    members = [inspect.getattr_static(cls, name.value, None) for cls in (Private, PrivateArray)]
    if hasattr(Private, "__getattr__"):
        return None
    if all(isinstance(member, FunctionType) for member in members):
        return True
    return False if members == [None, None] else None


def _alternatives(asked: ast.expr) -> list[ast.expr]:
    """Return the types of which `isinstance` asks: those of a tuple or of a union."""
    if isinstance(asked, ast.BinOp) and isinstance(asked.op, ast.BitOr):
        return [*_alternatives(asked.left), *_alternatives(asked.right)]
    return asked.elts if isinstance(asked, ast.Tuple) else [asked]


def may_be_stored(name: ast.Name, own: OwnFunction) -> bool:
    """Tell whether a parameter may have another value than its argument where it is read; loops may come back."""
    loops = any(isinstance(node, ast.For | ast.While | ast.AsyncFor) for node in ast.walk(own.node))
    if any(name.id in _other_names(node) for node in ast.walk(own.node)):
        return True
    stores = [n for n in ast.walk(own.node) if isinstance(n, ast.Name) and n.id == name.id and n is not name]
    return any(
        not isinstance(n.ctx, ast.Load) and (loops or (n.lineno, n.col_offset) < (name.lineno, name.col_offset))
        for n in stores
    )


def _other_names(node: ast.AST) -> tuple[str | None, ...]:
    """Return the names that a node binds without a `Name` of its own."""
    if isinstance(
        node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar
    ):
        return (node.name,)
    if isinstance(node, ast.MatchMapping):
        return (node.rest,)
    if isinstance(node, ast.Global | ast.Nonlocal):
        return tuple(node.names)
    return (node.asname or node.name,) if isinstance(node, ast.alias) else ()


def _type(node: ast.expr, own: OwnFunction) -> type | None:
    found: Any = None
    if isinstance(node, ast.Name):
        found = own.value(node.id) or {"float": float, "int": int, "list": list, "tuple": tuple}.get(node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        found = getattr(own.value(node.value.id), node.attr, None)
    return found if isinstance(found, type) else None
