"""What the nodes of a syntax tree give to what, and what they call."""

from __future__ import annotations

import ast
import dis
import inspect
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from privcheck.certifying._reached_code import with_inner

if TYPE_CHECKING:
    from privcheck.certifying._own_code import OwnCode, OwnFunction

RELEASES = frozenset({"release", "release_batch"})
"""Methods of mechanisms whose result is public."""

PUBLIC_CALLS = frozenset({"len", "isinstance", "type", "id", "hasattr"})
PUBLIC_ATTRIBUTES = frozenset({"shape", "ndim", "size", "dtype"})
"""What can be asked of a private value without reading it."""

SETTERS = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})
"""Functions that set an attribute whose name they are given."""

REACHES_NAMES = frozenset(
    {
        *("globals", "locals", "vars", "exec", "eval", "__dict__", "__globals__", "__builtins__", "f_globals"),
        *("setattr", "delattr", "__setattr__", "__delattr__", "__getattribute__", "__self__", "__reduce_ex__"),
        *("importlib", "sys", "builtins", "inspect", "gc", "ctypes", "mock", "runpy", "__import__", "reload"),
        *("attrgetter", "methodcaller", "__getstate__", "__setstate__", "__subclasses__", "__loader__", "__spec__"),
    }
)
"""Names with which a program can reach the names of a module without spelling them out as targets."""

CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__"})
"""Special methods whose arguments are followed; Python passes anything to the others."""


COINS = frozenset({"choice", "integers", "permutation", "random", "shuffle"})
"""Methods of a Generator by which policies choose arms."""

CHOOSES = COINS | {"argmax", "argmin", "argpartition", "argsort", "flatnonzero", "index", "nonzero", "sort", "sorted"}
"""Functions by which policies choose arms: what they choose by only says which arm is played."""

HOLDS = frozenset({"append", "add", "appendleft", "extend", "insert", "print"})
"""Functions that do nothing with a private value but keep it, or show it."""

CONTAINERS = (list, dict, set, deque)
"""Objects of classes derived from these may hold rewards without an attribute."""


Name = tuple["OwnFunction | None", str]
"""A name of a function; without one, an attribute or a global name, whatever the object."""


@dataclass
class Holding:
    """What the names of one function may hold, whatever the order of its statements."""

    private: set[str] = field(default_factory=set)
    generators: set[str] = field(default_factory=set)
    filled: set[str] = field(default_factory=set)
    returns_private: bool = False
    returns_generator: bool = False

    @property
    def amount(self) -> int:
        sizes = sum(map(len, (self.private, self.generators, self.filled)))
        return sizes + self.returns_private + self.returns_generator


def called_name(call: ast.Call) -> str:
    """Return the name of the function or method that is called; an empty string for other calls."""
    return call.func.id if isinstance(call.func, ast.Name) else method_name(call)


def computes_name(call: ast.Call) -> bool:
    """Tell whether a call of `getattr` asks for a name that is not spelled out."""
    return called_name(call) == "getattr" and not (len(call.args) > 1 and isinstance(call.args[1], ast.Constant))


def asks_by_string(node: ast.AST) -> bool:
    """Tell whether an expression is an attribute, or asks for one, whose name is spelled out in a string."""
    is_asked = isinstance(node, ast.Call) and called_name(node) in ("getattr", "hasattr") and len(node.args) > 1
    return is_asked and isinstance(node.args[1], ast.Constant)  # type: ignore[attr-defined]


def is_namespace(node: ast.AST) -> bool:
    """Tell whether an expression is the dictionary of an object's attributes."""
    if isinstance(node, ast.Call):
        return called_name(node) == "vars"
    return isinstance(node, ast.Attribute) and node.attr == "__dict__"


def names_in(text: str) -> set[str]:
    """Return the attributes for which code may ask by a string, of which a format may have several.

    >>> sorted(names_in("of.a.module")), sorted(names_in("{0.mean} {arm.best:>5}"))
    (['module'], ['best', 'mean'])
    """
    return set(re.findall(r"(?<=\.)\w+", text)) if "{" in text else {text.rpartition(".")[2]}


def body_nodes(own: OwnFunction) -> Iterator[ast.AST]:
    """Yield the nodes that belong to a call of a function: not its decorators, defaults and annotations."""
    body = own.node.body
    for part in [body] if isinstance(body, ast.expr) else body:
        yield from ast.walk(part)


def parameters_of(code: CodeType) -> tuple[str, ...]:
    """Return the names of all parameters of a code object.

    >>> parameters_of((lambda a, *b, c, **d: 0).__code__)
    ('a', 'c', 'b', 'd')
    """
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[:count]


def given(node: ast.AST) -> Iterator[tuple[Any, Any]]:
    """Yield each place that a node gives something, with what it is given."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield target, node.value
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
        yield node.target, node.value
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        yield from _items(node.target, node.iter)
    elif isinstance(node, ast.withitem):
        yield node.optional_vars, node.context_expr


def _items(target: ast.expr, iterable: ast.expr) -> Iterator[tuple[Any, Any]]:
    """Yield the target of a loop with what it is given; `enumerate` and `zip` give each part its own."""
    if isinstance(target, ast.Tuple) and isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name):
        if iterable.func.id == "enumerate" and len(target.elts) == 2 and iterable.args:
            yield target.elts[1], iterable.args[0]
            return
        if iterable.func.id == "zip" and len(target.elts) == len(iterable.args):
            yield from zip(target.elts, iterable.args, strict=True)
            return
    yield target, iterable


def arguments_of(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call, those with keywords included."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def method_name(call: ast.Call) -> str:
    """Return the name of the method that is called; an empty string for other calls."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def mentioned(own: OwnFunction, code: OwnCode) -> Iterator[OwnFunction]:
    """Yield the functions that a function mentions without calling them there, but for the key of a sort."""
    calls = [node for node in body_nodes(own) if isinstance(node, ast.Call)]
    keys = [keyword.value for call in calls for keyword in call.keywords if keyword.arg == "key"]
    left_out = {id(node) for node in (*keys, *(call.func for call in calls))}
    for node in body_nodes(own):
        if id(node) not in left_out:
            yield from named(node, own, code)
    if any(computes_name(call) for call in calls):
        yield from (method for method in code.functions if method.owner is not None)


def named(node: ast.AST, own: OwnFunction, code: OwnCode) -> list[OwnFunction]:
    """Return the functions that a name or an attribute may stand for: of a class, what makes an object of it."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        return code.methods(node.attr)
    found = own.value(node.id) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else None
    return [] if found is None else code.of(found)


def is_global_name(name: str, own: OwnFunction) -> bool:
    """Tell whether a function, or one within it, uses a name for a global, or for a name of a function around it.

    It may use the name for something else as well: since Python 3.12 the variables of a comprehension are its own.
    """
    return name in _names_from_outside(own.function.__code__)


@lru_cache(maxsize=4096)
def _names_from_outside(code: CodeType) -> frozenset[str]:
    steps = (step for inner in with_inner(code) for step in dis.get_instructions(inner))
    return frozenset(code.co_freevars).union(step.argval for step in steps if step.opname in _OF_GLOBALS)


_OF_GLOBALS = frozenset(
    {"LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
)  # the last two stand in bodies of classes


def is_property(own: OwnFunction) -> bool:
    """Tell whether a method is called where an attribute is read."""
    member = inspect.getattr_static(own.owner, own.name, None) if own.owner is not None else None
    return member is not None and not isinstance(member, FunctionType | staticmethod | classmethod)


def asks_super(node: ast.AST) -> bool:
    """Tell whether an expression is a call of `super`."""
    return isinstance(node, ast.Call) and called_name(node) == "super"


def is_explicit(call: ast.Call, own: OwnFunction) -> bool:
    """Tell whether a call of a method of a class, by the class, gives the instance itself."""
    holder = call.func.value if isinstance(call.func, ast.Attribute) else None
    return isinstance(holder, ast.Name) and isinstance(own.value(holder.id), type)


def passed(call: ast.Call, own: OwnFunction, callee: OwnFunction) -> list[tuple[str, ast.expr]]:
    """Return the parameters of a function with what a call gives them; with `*` and `**` each of those it may be."""
    arguments = callee.node.args
    names = callee.parameters if is_explicit(call, own) else callee.told
    rest = [] if arguments.vararg is None else [arguments.vararg.arg] * len(call.args)
    pairs = list(zip([*names, *rest], call.args, strict=False))
    known = {*names, *(a.arg for a in arguments.kwonlyargs)}
    others = "" if arguments.kwarg is None else arguments.kwarg.arg
    for keyword in call.keywords:
        name = keyword.arg if keyword.arg in known else others
        pairs += [(name, keyword.value)] if name else [(every, keyword.value) for every in known if not keyword.arg]
    if any(isinstance(part, ast.Starred) for part in call.args):
        pairs += [(name, part) for name in names for part in call.args]
    return pairs


def is_global(node: ast.AST, own: OwnFunction) -> bool:
    """Tell whether a name stands for a module or a class, which holds nothing of a run."""
    value = own.value(node.id) if isinstance(node, ast.Name) else None
    return isinstance(value, type) or type(value).__name__ == "module"


def names_of(place: ast.AST | None, own: OwnFunction) -> Iterator[Name]:
    """Yield the name of a place, or the names of several; the object of which a function is a method has none."""
    while isinstance(place, ast.Subscript | ast.Starred):
        place = place.value
    if isinstance(place, ast.Tuple | ast.List):
        for part in place.elts:
            yield from names_of(part, own)
    elif isinstance(place, ast.Attribute):
        yield None, place.attr
    elif place is not None and asks_by_string(place):
        yield None, str(place.args[1].value)  # type: ignore[attr-defined]
    elif isinstance(place, ast.Name) and place.id != own.receiver:
        yield (None if is_global_name(place.id, own) else own), place.id
