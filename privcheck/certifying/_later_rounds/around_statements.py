"""What stands around the statements of a function: the loops and the conditions in which they run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from privcheck.certifying._own_code import OwnFunction
from privcheck.certifying._syntax import asks_by_string

Condition = tuple[ast.expr, bool | None]
"""An expression, and what it is where a statement runs; None if that is not known."""

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def loops(own: OwnFunction) -> dict[ast.AST, tuple[ast.AST, ...]]:
    """Return what says how often each node of a function runs: what the loops around it run over, and what ends them.

    Those of comprehensions are included.
    """
    found: dict[ast.AST, tuple[ast.AST, ...]] = {}

    def enter(node: Any, around: tuple[ast.AST, ...]) -> None:
        found[node] = around
        for name, child in _children(node):
            within = around
            if isinstance(node, ast.For | ast.AsyncFor | ast.While) and name == "body":
                head = node.test if isinstance(node, ast.While) else node.iter
                within = (*around, head, *ended[node])
            elif isinstance(node, COMPREHENSIONS) and name != "generators":
                within = (*around, *(part.iter for part in node.generators))
            enter(child, within)

    ended = _ends_of_loops(own)
    enter(own.node, ())
    return found


def _ends_of_loops(own: OwnFunction) -> dict[ast.AST, list[ast.AST]]:
    """Return for each loop the conditions within it under which it is left."""
    kinds = ast.For | ast.AsyncFor | ast.While
    found: dict[ast.AST, list[ast.AST]] = {}
    for loop in (node for node in ast.walk(own.node) if isinstance(node, kinds)):
        asked = [node for node in ast.walk(loop) if isinstance(node, ast.If | ast.Match) and _leaves(node)]
        found[loop] = [node.test if isinstance(node, ast.If) else node.subject for node in asked]
    return found


def _leaves(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Return | ast.Raise | ast.Break) for part in ast.walk(node))


def conditions(own: OwnFunction) -> dict[ast.AST, tuple[Condition, ...]]:
    """Return the conditions under which each node of a function runs, those of blocks left before it included."""
    found: dict[ast.AST, tuple[Condition, ...]] = {}

    def enter(node: Any, around: tuple[Condition, ...]) -> None:
        found[node] = around
        left: dict[str, tuple[Condition, ...]] = {}
        for name, child in _children(node):
            before = left.get(name, ())
            enter(child, (*around, *_within(node, name), *before))
            if isinstance(child, ast.If) and any(isinstance(part, LEAVES) for part in ast.walk(child)):
                before = (*before, (child.test, False if isinstance(child.body[-1], LEAVES) else None))
            elif isinstance(child, ast.Try | ast.TryStar) and any(isinstance(part, ast.Return) for part in child.body):
                before = (*before, *_missing(child))
            elif isinstance(node, ast.BoolOp) and isinstance(child, ast.expr):
                before = (*before, (child, isinstance(node.op, ast.And)))
            left[name] = before

    enter(own.node, ())
    return found


def _within(node: Any, name: str) -> tuple[Condition, ...]:
    """Return the conditions that a node sets to what it has by this name."""
    if isinstance(node, ast.If | ast.IfExp | ast.While) and name in ("body", "orelse"):
        return ((node.test, name == "body"),)
    if isinstance(node, ast.Match) and name == "cases":
        return ((node.subject, None),)
    if isinstance(node, ast.match_case) and name == "body" and node.guard is not None:
        return ((node.guard, True),)
    if isinstance(node, ast.Try | ast.TryStar) and name == "handlers":
        return _missing(node)
    if isinstance(node, COMPREHENSIONS) and name != "generators":
        return tuple((test, True) for part in node.generators for test in part.ifs)
    return ()


def _missing(node: ast.Try | ast.TryStar) -> tuple[Condition, ...]:
    """Return the places that a block reads which may not be there, as where an error says that."""
    inner = (part for one in node.body for part in ast.walk(one) if isinstance(part, ast.Attribute | ast.Subscript))
    return tuple((part, False) for part in inner if isinstance(part.ctx, ast.Load))


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the nodes of which a node consists, each with the name of its place."""
    for name, value in ast.iter_fields(node):
        yield from (
            (name, child) for child in (value if isinstance(value, list) else [value]) if isinstance(child, ast.AST)
        )


def opened_by(test: ast.expr, wanted: bool | None) -> Iterator[ast.expr]:
    """Yield the places that let a statement run as long as they hold nothing: None, or not this entry."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, wanted = test.operand, None if wanted is None else not wanted
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from opened_by(value, wanted if wanted is isinstance(test.op, ast.And) else None)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        operation, other = test.ops[0], test.comparators[0]
        asked = test.left
        if isinstance(operation, ast.Is | ast.IsNot) and isinstance(other, ast.Constant) and other.value is None:
            if wanted in (None, isinstance(operation, ast.Is)):
                yield from (asked.target, asked.value) if isinstance(asked, ast.NamedExpr) else (asked,)
        elif isinstance(operation, ast.In | ast.NotIn) and wanted in (None, isinstance(operation, ast.NotIn)):
            yield other
    elif wanted is False and (isinstance(test, ast.Name | ast.Attribute | ast.Subscript) or asks_by_string(test)):
        yield test


def ends(own: OwnFunction) -> list[ast.expr]:
    """Return the conditions on names and attributes under which a function does nothing, as long as these are true.

    It asks them in its body: `if self.done: return`, or `if not self.done:` around all that is left.
    """
    body = own.node.body if isinstance(own.node.body, list) else []
    found = list[ast.expr]()
    for statement in body:
        if not isinstance(statement, ast.If):
            continue
        test, rest = statement.test, statement is body[-1] and not statement.orelse
        asked = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
        returns = isinstance(statement.body[0], ast.Return)
        if isinstance(asked, ast.Name | ast.Attribute) and (rest if asked is not test else returns):
            found.append(test)
    return found


def taken_away(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what says to which entries a statement gives something, or which it deletes."""
    places: list[Any] = [*getattr(node, "targets", ())] or [getattr(node, "target", None)]
    for target in places:
        while isinstance(target, ast.Subscript | ast.Attribute):
            if isinstance(target, ast.Subscript):
                yield target.slice
            target = target.value


def sides(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs in an expression under a condition only."""
    for part in ast.walk(node):
        if isinstance(part, ast.IfExp):
            yield from (part.body, part.orelse)
        elif isinstance(part, ast.BoolOp):
            yield from part.values[1:]
