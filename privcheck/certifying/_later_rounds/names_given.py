"""What statements of a target's own code read, and to which names they give something."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from privcheck.certifying._later_rounds.kept_functions import Kept, KeptFunctions
from privcheck.certifying._later_rounds.shared_objects import VIEWS, SharedObjects
from privcheck.certifying._own_code import OwnCode, OwnFunction
from privcheck.certifying._private_expressions import PrivateExpressions
from privcheck.certifying._syntax import (
    PUBLIC_ATTRIBUTES,
    PUBLIC_CALLS,
    SETTERS,
    Name,
    asks_super,
    called_name,
    computes_name,
    given,
    is_global,
    is_namespace,
    is_property,
    method_name,
    names_in,
    names_of,
)

TAKES_AWAY = frozenset({"clear", "discard", "pop", "popitem", "popleft", "remove"})
"""Methods that give nothing to their object, as where a cache forgets, but change how much it holds."""

CHANGES = frozenset(
    {
        *("__delitem__", "__iadd__", "__setitem__", "add", "append", "appendleft", "extend", "extendleft", "fill"),
        *("insert", "itemset", "move_to_end", "put", "resize", "reverse", "rotate", "setdefault", "sort", "subtract"),
        *("difference_update", "intersection_update", "symmetric_difference_update", "update"),
    }
)
"""Methods that give something to their object, wherever they are called."""

ADVANCES = frozenset({"delitem", "heappop", "heappushpop", "heapreplace", "next", "setitem"})
"""Functions that change what they are given first."""


def amount_of(name: Name) -> Name:
    """Return what stands for how much a place holds, in place of what it holds."""
    return name[0], f"the amount of {name[1]}"


class NamesGiven(SharedObjects):
    """The names that statements read, and those to which they give something, through other names, too.

    Parameters
    ----------
    code, expressions : as for `SharedObjects`.
    kept : functions that places held, which what names these places may call.
    """

    def __init__(self, code: OwnCode, expressions: PrivateExpressions, kept: KeptFunctions) -> None:
        super().__init__(code, expressions)
        self._kept, self._within = kept, dict[Kept, set[Name]]()
        stored = (part for own in code.functions for part in ast.walk(own.node) if isinstance(part, ast.Attribute))
        self._attributes = {(None, part.attr) for part in stored if not isinstance(part.ctx, ast.Load)}
        self._also = {node: names for own in code.functions for node, names in _given_around(own)}

    def set_true(self, node: ast.AST, own: OwnFunction) -> Iterator[Name]:
        for target, value in given(node):
            several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            for one, two in zip(target.elts, value.elts, strict=False) if several else [(target, value)]:
                if isinstance(two, ast.Constant) and two.value is True:
                    yield from names_of(one, own)

    def reads(self, node: ast.AST, own: OwnFunction) -> Iterator[Name]:
        """Yield the names of what code reads; where more than one entry of it is read, of how much it holds, too."""
        indexed = {id(place) for part in ast.walk(node) for place in _asked_for_one(part)}
        for part in ast.walk(node):
            if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Load):
                yield from self._key(part, own)
                yield from () if id(part) in indexed else map(amount_of, names_of(part, own))
        for called in (*self._expressions.called(node, own), *self._expressions.mentioned(node, own)):
            yield called, "return"
        for one in self._kept.named(node, own):
            yield from self._read_within(one)
        yield from self._read_by_string(node)

    def which(self, call: ast.Call, own: OwnFunction) -> Iterator[Name]:
        """Yield the names that say which function a call calls; what it returns does not."""
        if isinstance(call.func, ast.Attribute) and asks_super(call.func.value):
            return names_of(call.func, own)
        called = (one for one in self._expressions.callees(call, own) if not is_property(one))
        return iter({*self.reads(call.func, own)} - {(one, "return") for one in called})

    def _read_by_string(self, node: ast.AST) -> Iterator[Name]:
        """Yield the attributes for which code asks by a string: any, if that is not spelled out."""
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                for name in names_in(part.value):
                    yield from ((None, name), *((one, "return") for one in self._expressions.methods(name)))
            elif is_namespace(part) or (isinstance(part, ast.Call) and computes_name(part)):
                yield from self._attributes

    def _read_within(self, kept: Kept) -> set[Name]:
        """Return the names that a function reads that is kept somewhere, whatever calls it."""
        if kept not in self._within:
            self._within[kept] = set()
            own, lines = kept
            inner = (part for part in ast.walk(own.node) if isinstance(part, ast.expr) and part.lineno in lines)
            for part in inner:
                if isinstance(part, ast.Name | ast.Attribute | ast.Call):
                    self._within[kept].update(self.reads(part, own))
        return self._within[kept]

    def private_reads(self, node: ast.AST, own: OwnFunction) -> Iterator[Name]:
        """Yield the names of what holds something private, where more is read than its size."""
        if isinstance(node, ast.Call) and called_name(node) in PUBLIC_CALLS:
            return
        if isinstance(node, ast.Attribute) and node.attr in PUBLIC_ATTRIBUTES:
            return
        is_read = isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
        if is_read and self._expressions.holds(node, own):  # type: ignore[arg-type]
            yield from names_of(node, own)
        for child in ast.iter_child_nodes(node):
            yield from self.private_reads(child, own)

    def _key(self, place: ast.Name | ast.Attribute, own: OwnFunction) -> Iterator[Name]:
        """Yield the name of a place; if it holds something private, that of how much it holds."""
        names = names_of(place, own)
        yield from (map(amount_of, names) if self._expressions.holds(place, own) else names)

    def gives(self, node: ast.AST, own: OwnFunction) -> Iterator[Name]:
        """Yield the names to which a statement gives something; a function whose result it is counts as one."""
        if (isinstance(node, ast.Return) and node.value is not None) or node is getattr(own.node, "body", None):
            yield own, "return"
        for part in ast.walk(node):
            yield from self._also.get(part, ())
            for target, _ in given(part):
                yield from self._changed(target, own, in_place=isinstance(part, ast.AugAssign))
            if isinstance(part, ast.Call) and called_name(part) in SETTERS:
                yield from ((None, str(name.value)) for name in part.args if isinstance(name, ast.Constant))
            for keyword in part.keywords if isinstance(part, ast.Call) else ():
                if keyword.arg == "out":
                    yield from self.behind(keyword.value, own)
        for target in node.targets if isinstance(node, ast.Delete) else ():
            yield from self._changed(target, own)
        told = _outermost(node.value) if isinstance(node, ast.Expr) else []
        for call in told:
            yield from self._told(call, own)
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute) and part.attr in CHANGES | TAKES_AWAY:
                names = () if is_global(part.value, own) else self.behind(part.value, own)
                yield from map(amount_of, names) if part.attr in TAKES_AWAY else names
            elif isinstance(part, ast.Call) and part not in told and called_name(part) in ADVANCES:
                yield from (name for one in part.args[:1] for name in self.behind(one, own))

    def _told(self, call: ast.Call, own: OwnFunction) -> Iterator[Name]:
        """Yield the names of objects that a call may change: that of its method, or its arguments."""
        method = call.func
        if isinstance(method, ast.Attribute) and not is_global(_root(method.value), own):
            names = self.behind(method.value, own)
            yield from map(amount_of, names) if method.attr in TAKES_AWAY else names
        elif called_name(call) != "print" and not self._expressions.callees(call, own):
            for one in call.args:
                yield from self.behind(one, own)

    def _changed(self, target: ast.AST, own: OwnFunction, *, in_place: bool = False) -> Iterator[Name]:
        """Yield the names of what changes where a place is given something: of `a[i]` those of all that hold a, too."""
        if isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                yield from self._changed(part, own)
        elif in_place or isinstance(target, ast.Subscript):
            while isinstance(target, ast.Subscript | ast.Starred) or (
                isinstance(target, ast.Attribute) and target.attr in VIEWS
            ):
                yield from self.behind(target, own)
                target = target.value
            yield from self.behind(target, own)
        else:
            yield from names_of(target, own)


def _given_around(own: OwnFunction) -> Iterator[tuple[ast.AST, list[Name]]]:
    """Yield the nodes that give something to what stands around them: heads of statements, and what functions return.

    A function or a class within a function is a name of it.
    """
    inner: dict[ast.AST, list[Name]] = {}
    for node in ast.walk(own.node):
        if isinstance(node, _DEFINED) and node is not own.node:
            for part in ast.walk(node):
                inner.setdefault(part, []).append((own, node.name))
    for node in ast.walk(own.node):
        if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom):
            generated = [] if isinstance(node, ast.Return) else [(own, "return")]
            yield node, [*inner.get(node, ()), *generated]
        elif isinstance(node, ast.Match):
            names = (getattr(part, "name", getattr(part, "rest", None)) for part in ast.walk(node))
            yield node.subject, [(own, name) for name in names if name]
        elif isinstance(node, ast.For | ast.AsyncFor | ast.withitem):
            for target, value in given(node):
                yield value if isinstance(node, ast.withitem) else node.iter, [*names_of(target, own)]


_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _asked_for_one(node: ast.AST) -> list[ast.expr]:
    """Return the places of which a part of the code takes one entry, or asks whether they have one."""
    if isinstance(node, ast.Subscript):
        return [] if isinstance(node.slice, ast.Slice) else [node.value]
    if isinstance(node, ast.Compare):
        pairs = zip(node.ops, node.comparators, strict=True)
        return [place for asks, place in pairs if isinstance(asks, ast.In | ast.NotIn)]
    asks = isinstance(node, ast.Call) and method_name(node) in CHANGES | {"get"}
    return [node.func.value] if asks else []  # type: ignore[attr-defined]


def _root(place: ast.expr) -> ast.expr:
    while isinstance(place, ast.Attribute):
        place = place.value
    return place


def _outermost(value: ast.expr) -> list[ast.Call]:
    """Return the calls of which an expression that is a statement consists."""
    if isinstance(value, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        return _outermost(value.elt)
    if isinstance(value, ast.IfExp):
        return [*_outermost(value.body), *_outermost(value.orelse)]
    if isinstance(value, ast.BoolOp):
        return [call for part in value.values for call in _outermost(part)]
    return [value] if isinstance(value, ast.Call) else []
