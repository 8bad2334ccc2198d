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


SCALES = frozenset({"clip", "clip_norm", "divide", "feature", "max", "maximum", "min", "minimum", "multiply", "where"})
"""Functions that scale or limit one argument by others."""


class Deciding:
    """The statements that give something to what private values are noised, scaled and looped over by, or return it.

    These are arguments of draws and releases, what a private value is computed with, and what a loop around either
    counts. What gives something to a name in them decides how the value is used, and so does what gives something to a
    name that such a statement reads, and so on: a line that sets the scale of the noise may spoil a release that has
    run a hundred times.

    Conditions are not followed: which arm is played decides most of them. Left out are places that hold private values.

    Parameters
    ----------
    expressions : tells what is private, and what is called.
    nodes : statements and conditional expressions.
    touched : those of them that touch a private value.
    """

    def __init__(self, expressions: PrivateExpressions, nodes: Iterable[Node], touched: Iterable[Node]) -> None:
        self._expressions, self._loops = expressions, cache(_loops)
        self._used: set[Name] = set()
        nodes, touched = [*nodes], [*touched]
        self.found: list[Node] = []
        for node, own in touched:
            for part in self._amounts(node, own):
                self._used.update(self._reads(part, own))
                self.found += [(side, own) for side in _sides(part)]
        left = [(node, own, given_to) for node, own in nodes if (given_to := {*self._gives(node, own)})]
        deciding = left
        while deciding:
            deciding = [one for one in left if not self._used.isdisjoint(one[2])]
            left = [one for one in left if self._used.isdisjoint(one[2])]
            for node, own, _ in deciding:
                self._used.update(self._reads(node, own))
                self.found.append((node, own))
        decided = [(node, own) for node, own in touched if not self._used.isdisjoint(self._gives(node, own))]
        self.found += [(side, own) for node, own in (*self.found, *decided) for side in _sides(node)]

    def _amounts(self, node: ast.AST, own: OwnFunction) -> Iterator[ast.AST]:
        """Yield what decides in a statement how much of a private value is released, and with how much noise."""
        is_private, noisy = self._expressions.private, False
        for part in ast.walk(node):
            if isinstance(part, ast.Call) and self._is_noise(part, own):
                yield from (part.func, *arguments_of(part))
                noisy = True
            elif isinstance(part, ast.BinOp):
                sides = [(one, is_private(one, own)) for one in (part.left, part.right)]
                yield from (one for one, private in sides if not private and (sides[0][1] or sides[1][1]))
            elif isinstance(part, ast.Call) and called_name(part) in SCALES:
                given_to = [(one, is_private(one, own)) for one in arguments_of(part)]
                yield from (one for one, private in given_to if not private and any(each for _, each in given_to))
            elif isinstance(part, ast.Subscript) and is_private(part.value, own) and isinstance(part.ctx, ast.Load):
                yield part.slice
        if noisy or any(True for _ in self._expressions.called(node, own)):
            yield from self._loops(own).get(node, ())

    def _is_noise(self, call: ast.Call, own: OwnFunction) -> bool:
        name = method_name(call)
        return name in RELEASES or (name != "" and self._expressions.draws(call, own))

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
        if (isinstance(node, ast.Return) and node.value is not None) or node is getattr(own.node, "body", None):
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


def _sides(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs in an expression under a condition only."""
    for part in ast.walk(node):
        if isinstance(part, ast.IfExp):
            yield from (part.body, part.orelse)
        elif isinstance(part, ast.BoolOp):
            yield from part.values[1:]


def _loops(own: OwnFunction) -> dict[ast.AST, tuple[ast.AST, ...]]:
    """Return what the loops around each node of a function run over."""
    found: dict[ast.AST, tuple[ast.AST, ...]] = {}

    def enter(node: Any, around: tuple[ast.AST, ...]) -> None:
        found[node] = around
        within = (*around, node.iter) if isinstance(node, ast.For) else around
        for child in ast.iter_child_nodes(node):
            enter(child, within)

    enter(own.node, ())
    return found
