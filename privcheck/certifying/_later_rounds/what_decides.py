"""What decides how private values are used: scales of noise, weights, how often they are released, and why."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from privcheck.certifying._own_code import OwnFunction
from privcheck.certifying._private_expressions import PrivateExpressions
from privcheck.certifying._syntax import (
    RELEASES,
    SETTERS,
    arguments_of,
    called_name,
    given,
    is_global_name,
    method_name,
)

Name = tuple[OwnFunction | None, str]
"""A name of a function; without one, an attribute or a global name, whatever the object."""

Node = tuple[ast.AST, OwnFunction]

TAKES_AWAY = frozenset({"clear", "discard", "pop", "popitem", "popleft", "remove"})
"""Methods that give nothing to their object, as where a cache forgets."""


class Deciding:
    """The statements that give something to what private values are used by, or that return it.

    A statement that touches a private value reads names, and so do the conditions and loops around it. What gives
    something to one of these names decides how the value is used, and so does what that reads, and so on. A line that
    sets the scale of the noise may spoil a release that has run a hundred times.

    Left out are places that hold private values: what has none is harmless there.

    Parameters
    ----------
    expressions : tells what is private, and what is called.
    nodes : statements and conditional expressions.
    touched : those of them that touch a private value.
    """

    def __init__(self, expressions: PrivateExpressions, nodes: Iterable[Node], touched: Iterable[Node]) -> None:
        self._expressions, self._around = expressions, cache(_around)
        self._used: set[Name] = set()
        nodes, touched = [*nodes], [*touched]
        for node, own in (*touched, *filter(self._empties, nodes)):
            self._use(node, own)
        left = [(node, own, given_to) for node, own in nodes if (given_to := {*self._gives(node, own)})]
        self.found: list[Node] = [side for node, own in touched for side in self._sides_of_noise(node, own)]
        deciding = left
        while deciding:
            deciding = [one for one in left if not self._used.isdisjoint(one[2])]
            left = [one for one in left if self._used.isdisjoint(one[2])]
            for node, own, _ in deciding:
                self._use(node, own)
                self.found.append((node, own))
        decided = [(node, own) for node, own in touched if not self._used.isdisjoint(self._gives(node, own))]
        self.found += [(side, own) for node, own in (*self.found, *decided) for side in _sides(node)]

    def _empties(self, one: Node) -> bool:
        """Tell whether a statement puts something public in a place that may hold something private."""
        node, own = one
        targets = (target for part in ast.walk(node) for target, _ in given(part))
        return any(isinstance(t, ast.Name | ast.Attribute) and self._expressions.holds(t, own) for t in targets)

    def _use(self, node: ast.AST, own: OwnFunction) -> None:
        """Let the names be used that a statement reads, and those of the conditions around it."""
        for part in (node, *self._around(own).get(node, ())):
            self._used.update(self._reads(part, own))

    def _reads(self, node: ast.AST, own: OwnFunction) -> Iterator[Name]:
        for part in ast.walk(node):
            if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Load):
                yield from self._key(part, own)
        for called in self._expressions.called(node, own):
            yield called, "return"

    def _key(self, place: ast.AST, own: OwnFunction) -> Iterator[Name]:
        """Yield the name of a place, unless it holds something private."""
        while isinstance(place, ast.Subscript | ast.Starred):
            place = place.value
        if isinstance(place, ast.Tuple | ast.List):
            for part in place.elts:
                yield from self._key(part, own)
        elif isinstance(place, ast.Name | ast.Attribute) and not self._expressions.holds(place, own):
            if isinstance(place, ast.Attribute):
                yield None, place.attr
            elif place.id != own.receiver:
                yield (None if is_global_name(place.id, own) else own), place.id

    def _gives(self, node: ast.AST, own: OwnFunction) -> Iterator[Name]:
        """Yield the names to which a statement gives something; a function whose result it is counts as one."""
        if isinstance(node, ast.Return) or node is getattr(own.node, "body", None):
            yield own, "return"
        for part in ast.walk(node):
            for target, _ in given(part):
                yield from self._key(target, own)
            if isinstance(part, ast.Call) and called_name(part) in SETTERS:
                yield from ((None, str(name.value)) for name in part.args if isinstance(name, ast.Constant))
        if isinstance(node, ast.Delete):
            for target in node.targets:
                yield from self._key(target, own)
        call = node.value if isinstance(node, ast.Expr) else None
        method = call.func if isinstance(call, ast.Call) else None
        if isinstance(method, ast.Attribute) and method.attr not in TAKES_AWAY:
            yield from self._key(method.value, own)

    def _sides_of_noise(self, node: ast.AST, own: OwnFunction) -> Iterator[Node]:
        for part in ast.walk(node):
            if isinstance(part, ast.Call) and (method_name(part) in RELEASES or self._expressions.draws(part, own)):
                yield from ((side, own) for argument in arguments_of(part) for side in _sides(argument))


def _sides(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs in an expression under a condition only."""
    for part in ast.walk(node):
        if isinstance(part, ast.IfExp):
            yield from (part.body, part.orelse)
        elif isinstance(part, ast.BoolOp):
            yield from part.values[1:]


def _around(own: OwnFunction) -> dict[ast.AST, tuple[ast.AST, ...]]:
    """Return the conditions, and what is looped over, around each node of a function."""
    found: dict[ast.AST, tuple[ast.AST, ...]] = {}

    def enter(node: Any, heads: tuple[ast.AST, ...]) -> None:
        found[node] = heads
        own_heads = [getattr(node, name, None) for name in ("test", "iter", "subject")]
        within = (*heads, *(head for head in own_heads if isinstance(head, ast.AST)))
        for child in ast.iter_child_nodes(node):
            enter(child, heads if child in own_heads else within)

    enter(own.node, ())
    return found
