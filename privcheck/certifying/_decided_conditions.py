"""Conditions that are decided when a policy is built: no round can change which way they go."""

from __future__ import annotations

import ast
import enum
import inspect
from abc import ABCMeta
from collections.abc import Iterator
from types import FunctionType, MemberDescriptorType, ModuleType, SimpleNamespace
from typing import Any

from privcheck.certifying._own_code import OwnFunction, attributes
from privcheck.certifying._spelled_names import binds, spelled_in
from privcheck.private_values import Private, PrivateArray, is_no_attribute

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

    A private number says that it is a float, and is none: its value must not be compared.

    >>> lasting_attributes(type("Policy", (), {"__init__": lambda self: vars(self).update(a=1, b=[2])})())
    {'a': 1, 'b': <class 'list'>}
    """
    classes = [vars(cls) for cls in reversed(type(policy).__mro__)]
    named = {n: value for members in classes for n, value in members.items() if not n.startswith("__")}
    if any("__getattribute__" in vars(cls) for cls in type(policy).__mro__[:-1]):
        return {}
    plain = {n: value for n, value in named.items() if issubclass(type(value), PLAIN)}
    computed = {n for n, value in named.items() if hasattr(type(value), "__set__") and not _is_slot(value)}
    held = {n: value if issubclass(type(value), PLAIN) else type(value) for n, value in attributes(policy).items()}
    return {n: value for n, value in (plain | held).items() if n not in computed}


def _is_slot(member: Any) -> bool:
    return isinstance(member, MemberDescriptorType)


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
    if (parts := _asks(call, "isinstance", own, private)) is None:
        return None
    kinds = [_type(part, own) for part in _alternatives(parts[1])]
    both = ((Private, float), (PrivateArray,))
    answers = {any(issubclass(cls, tuple(filter(None, kinds))) for cls in classes) for classes in both}
    return answers.pop() if None not in kinds and len(answers) == 1 else None


def _has_attribute(call: ast.Call, own: OwnFunction, private: set[str]) -> bool | None:
    """Return the answer of `hasattr(x, "name")` for a private parameter x; None where asking might be refused.

    What no class of theirs has, private values do not have unless they pass it on to numpy; their methods they have.
    """
    if (parts := _asks(call, "hasattr", own, private)) is None:
        return None
    name = parts[1]
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return None
    spelled = spelled_in(own)
    if spelled.reaches_names or name.value in spelled.attributes_stored:
        return None
    members = [inspect.getattr_static(cls, name.value, None) for cls in (Private, PrivateArray)]
    if all(isinstance(member, FunctionType) for member in members):
        return True
    return False if members == [None, None] and is_no_attribute(name.value) else None


def _asks(call: ast.Call, builtin: str, own: OwnFunction, private: set[str]) -> tuple[ast.Name, ast.expr] | None:
    """Return the arguments of a call of a builtin that asks about a private parameter as it was passed."""
    if not (isinstance(call.func, ast.Name) and call.func.id == builtin and len(call.args) == 2 and not call.keywords):
        return None
    value, asked = call.args
    if not isinstance(value, ast.Name) or value.id not in private or may_be_stored(value, own):
        return None
    return (value, asked) if is_builtin(builtin, own) else None


def is_builtin(name: str, own: OwnFunction) -> bool:
    """Tell whether a name stands for the builtin: nothing in the file of the function gives it anything else."""
    spelled = spelled_in(own)
    hidden = name in spelled.attributes_stored or name in spelled.strings or name in own.function.__globals__
    return not hidden and name not in spelled.bound and "builtins" not in spelled.names


def _alternatives(asked: ast.expr) -> list[ast.expr]:
    """Return the types of which `isinstance` asks: those of a tuple or of a union."""
    if isinstance(asked, ast.BinOp) and isinstance(asked.op, ast.BitOr):
        return [*_alternatives(asked.left), *_alternatives(asked.right)]
    return asked.elts if isinstance(asked, ast.Tuple) else [asked]


def may_be_stored(name: ast.Name, own: OwnFunction) -> bool:
    """Tell whether a parameter may have another value than its argument where it is read.

    Loops may come back; functions, classes and comprehensions inside have names of their own or run later; and within
    one expression what stands further to the right may run first.
    """
    if any(part is name for inner in _scopes(own) for part in ast.walk(inner)):
        return True
    whole = [node for node in _whole_expressions(own.node) if any(part is name for part in ast.walk(node))]
    if any(_stores(part, name.id) for node in whole for part in ast.walk(node)):
        return True
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


def _scopes(own: OwnFunction) -> list[ast.AST]:
    scopes = ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.comprehension
    inner = [node for node in ast.walk(own.node) if isinstance(node, scopes) and node is not own.node]
    elements = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    return [*inner, *(node for node in ast.walk(own.node) if isinstance(node, elements))]


def _whole_expressions(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that are no part of another one."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        else:
            yield from _whole_expressions(child)


def _stores(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)


KINDS = {"float": float, "int": int, "str": str, "list": list, "tuple": tuple, "dict": dict}


def _type(node: ast.expr, own: OwnFunction) -> type | None:
    """Return the type that a name always stands for: a builtin, or one that the file defines or imports once.

    Types whose metaclass answers `isinstance` in its own way are not known; those of the standard library that collect
    other types (abc) are, unless the file mentions `register`.
    """
    if isinstance(node, ast.Name) and node.id in KINDS and is_builtin(node.id, own):
        return KINDS[node.id]
    spelled = spelled_in(own)
    holder = node.value if isinstance(node, ast.Attribute) else node
    if not isinstance(holder, ast.Name) or spelled.reaches_names or holder.id in spelled.words:
        return None
    imported = [name for part in spelled.tree.body if isinstance(part, _BINDS_TYPES) for name in binds(part)]
    if spelled.bound[holder.id] != 1 or holder.id not in imported:
        return None
    found: Any = own.value(holder.id)
    if isinstance(node, ast.Attribute):
        changed = node.attr in spelled.attributes_stored
        found = getattr(found, node.attr, None) if isinstance(found, ModuleType) and not changed else None
    if not isinstance(found, type):
        return None
    collects = type(found) is ABCMeta and found.__module__.startswith(("numbers", "collections"))
    return found if type(found) is type or (collects and "register" not in spelled.names) else None


_BINDS_TYPES = ast.Import | ast.ImportFrom | ast.ClassDef
