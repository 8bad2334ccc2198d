"""The syntax tree of a function, with calls looked up and choices by one datum computed without a branch.

`f(x)` becomes `called(f)(x)`, where `called` replaces the functions of `known_functions` and returns all others as they
are. `a if t else b`, `and`, `or`, `not`, chained comparisons, and `if t:` with nothing but assignments or `return` in
it compute both sides where `t` depends on one datum; otherwise they do what they did. So does `bit if t else 1 - bit`
where `t` is a coin that nobody has read, and `a[k] += x` with a private index. Lines and columns stay.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from privcheck.certifying._translated.assignments import Pair, assigned_branches, assigned_pairs, returned_value
from privcheck.certifying._translated.definitions import Definition

(CALLED, PURE, CHECKED, HELD, HIDDEN, CHOSEN, COMPUTED, BOTH, EITHER, NEGATED, CHAINED, STORED, REBOUND, INDEXED,
 ADDED, SUBTRACTED, UNREAD, ANSWERED, LOADED) = HELPERS = tuple(
    f"<privcheck {name}>" for name in
    ["called", "pure", "checked", "held", "hidden", "chosen", "computed", "both", "either", "negated", "chained",
     "stored", "rebound", "indexed", "added", "subtracted", "unread", "answered", "loaded"]
)  # fmt: skip
"""Constants that stand for the helpers until the code is compiled: nothing is added to the names of a module."""

READS_ITS_FRAME = {"super", "locals", "globals", "vars", "dir", "eval", "exec", "breakpoint"}
SIDE = "_privcheck_side"
"""The parameter by which the functions that compute one side of a choice are known."""

KEPT = "_privcheck_kept_{}"
DEEPEST = 8
"""Choices within sides of choices that are rewritten."""

ON_SIDES = (
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.BinOp, ast.UnaryOp, ast.Compare,
    ast.BoolOp, ast.IfExp, ast.Call, ast.keyword, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop,
)  # fmt: skip
"""What a side of a choice may consist of: expressions that assign, iterate and yield nothing."""

BITS = (ast.Name, ast.Constant, ast.Load, ast.UnaryOp, ast.Not, ast.BinOp, ast.Sub)
"""What the two answers to a coin may consist of."""

WITH_BLOCKS = (ast.FunctionDef, ast.For, ast.While, ast.With, ast.Try)

_AT_PLACES = {ast.Add: ADDED, ast.Sub: SUBTRACTED}

OPTIONS = {"axis", "keepdims", "dtype"}
"""Keywords of functions that only compute; `out`, for one, is written to."""


class Rewriting(ast.NodeTransformer):
    """Rewrites one function."""

    def __init__(self) -> None:
        self._kept, self._sides = 0, 0

    def visit_Call(self, node: ast.Call) -> Any:
        """Look up what is called."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name | ast.Attribute) and getattr(node.func, "id", "") not in READS_ITS_FRAME:
            node.func = _helper(PURE if self._sides else CALLED, node.func, node.func)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """Let a side take entries only of what is not changed by it, as a `defaultdict` is."""
        self.generic_visit(node)
        if self._sides and isinstance(node.ctx, ast.Load):
            node.value = _helper(CHECKED, node.value, node.value)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """Compute both values where the condition depends on one datum."""
        if not self._can_be_sides(node.body, node.orelse):
            return self.generic_visit(node)
        test = self.visit(node.test)
        sides = (self._side(side, node.test) for side in (node.body, node.orelse))
        return _helper(ANSWERED if _are_bits(node.body, node.orelse) else CHOSEN, node, test, *sides)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """Let a choice between arrays be computed with."""
        self.generic_visit(node)
        for part in (node.left, node.right):
            _compute_with(part)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        """Replace `not`."""
        self.generic_visit(node)
        return _helper(NEGATED, node, node.operand) if isinstance(node.op, ast.Not) else node

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """Replace `and` and `or`."""
        if not self._can_be_sides(*node.values[1:]):
            return self.generic_visit(node)
        first, *others = node.values
        rest = others[0] if len(others) == 1 else _at(others[0], ast.BoolOp(node.op, others))
        helper = BOTH if isinstance(node.op, ast.And) else EITHER
        return _helper(helper, node, self.visit(first), self._side(rest, first))

    def visit_Compare(self, node: ast.Compare) -> Any:
        """Compare one after the other in `a < b < c`."""
        if len(node.ops) == 1 or not self._can_be_sides(*node.comparators[1:]):
            return self.generic_visit(node)
        names = _at(node, ast.Constant(" ".join(type(op).__name__ for op in node.ops)))
        sides = [self._side(side, node.left) for side in node.comparators[1:]]
        first, second = self.visit(node.left), self.visit(node.comparators[0])
        return _helper(CHAINED, node, names, first, second, *sides)

    def visit(self, node: ast.AST) -> Any:
        """Visit a node; of statements with blocks, statement by statement."""
        return self._with_blocks(node) if isinstance(node, WITH_BLOCKS) else super().visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        """Leave what waits as it is."""
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """Rewrite methods alone: the names of a class body are not seen by functions within it."""
        node.body = [self.visit(part) if isinstance(part, ast.FunctionDef) else part for part in node.body]
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Add at all places of an array where the index is private; the array and the index are evaluated once."""
        helper, target = _AT_PLACES.get(type(node.op)), node.target
        if helper is None or not isinstance(target, ast.Subscript) or not self._can_be_sides(node.value):
            return self._added(node)
        if isinstance(target.slice, ast.Constant | ast.Slice | ast.Tuple | ast.UnaryOp):
            return self._added(node)
        keeping, owner = self._keep(self.visit(target.value))
        indexing, key = self._keep(self.visit(target.slice))
        value = self.visit(node.value)
        loading, before = self._keep(_helper(LOADED, target, owner))
        added = _at(node, ast.Expr(_helper(helper, node, owner, key, copy.deepcopy(value), before)))
        plain = _at(node, ast.AugAssign(_at(target, ast.Subscript(owner, key, ast.Store())), node.op, value))
        kept = (owner, key, before)  # arrays that would be seen as held by one more name
        forgotten = [_at(target, ast.Name(one.id, ast.Store())) for one in kept]
        return [
            keeping, indexing, _at(node, ast.If(_helper(INDEXED, target, owner, key), [loading, added], [plain])),
            _at(node, ast.Assign(forgotten, _at(target, ast.Constant(None)))),
        ]  # fmt: skip

    def _added(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        _compute_with(node.value)
        return node

    def visit_If(self, node: ast.If) -> Any:
        """Assign on both sides where the condition depends on one datum."""
        pairs = assigned_pairs(node)
        values = [value for pair in pairs or [] for value in (pair.yes, pair.no)]
        if not pairs or not self._can_be_sides(*values):
            return self._masked_branches(node) or self._with_blocks(node)
        keeping, kept = self._keep(self.visit(node.test))
        answers = len(pairs) == 1 and isinstance(pairs[0].target, ast.Name) and pairs[0].unchanged is None
        answers = answers and not pairs[0].in_place and _are_bits(*values)
        masked = [self._masked(node.test, kept, pair, ANSWERED if answers else CHOSEN) for pair in pairs]
        plain = self._with_blocks(_at(node, ast.If(kept, node.body, node.orelse)))
        hidden = _helper(UNREAD if answers else HIDDEN, node.test, kept)
        return [keeping, _at(node, ast.If(hidden, masked, [plain]))]

    def _masked_branches(self, node: ast.If) -> Any:
        """Assign in each branch of `if`, `elif` and `else` under a condition of its own; these are computed first.

        None if the branches do more.
        """
        branches = assigned_branches(node) or []
        tests = [test for test, _ in branches[1:] if test is not None]
        values = [pair.yes for _, pairs in branches for pair in pairs]
        if len(branches) < 2 or not values or not self._can_be_sides(*tests, *values):
            return None
        keeping, kept = self._keep(self.visit(node.test))
        conditions, masked = list[ast.stmt](), list[ast.stmt]()
        condition, left = kept, None
        for place, (test, pairs) in enumerate(branches):
            if place:  # what was left over before, and the own test
                denied = _helper(NEGATED, node.test, condition)
                if left is not None:
                    denied = _helper(BOTH, node.test, left, self._quoted(denied, node.test))
                storing, left = self._keep(denied)
                conditions.append(storing)
                condition = left
                if test is not None:
                    storing, condition = self._keep(_helper(BOTH, node.test, left, self._side(test, node.test)))
                    conditions.append(storing)
            masked += [self._masked(node.test, condition, pair) for pair in pairs]
        plain = self._with_blocks(_at(node, ast.If(kept, node.body, node.orelse)))
        return [keeping, _at(node, ast.If(_helper(HIDDEN, node.test, kept), [*conditions, *masked], [plain]))]

    def _masked(self, test: ast.expr, condition: ast.expr, pair: Pair, helper: str = CHOSEN) -> Any:
        """Return an assignment of what a target becomes on one of two sides."""
        helper = COMPUTED if pair.in_place else helper
        value = _helper(helper, test, condition, *(self._side(side, test, pair) for side in (pair.yes, pair.no)))
        if pair.in_place or pair.mixed:
            value = _helper(STORED if pair.in_place else REBOUND, pair.target, _loaded(pair.target), value)
        target = copy.deepcopy(pair.target)
        if helper == ANSWERED:  # of a coin, one side alone may run, and this is no part of either
            return _at(test, ast.Assign([ast.copy_location(target, test)], value))
        return _at(pair.place, ast.Assign([target], value))

    def _with_blocks(self, node: Any) -> Any:
        """Visit a statement, and its blocks statement by statement."""
        blocks = {name: getattr(node, name, None) for name in ("body", "orelse", "finalbody")}
        for name, block in blocks.items():
            if block:
                setattr(node, name, [])
        self.generic_visit(node)
        for name, block in blocks.items():
            if block:
                setattr(node, name, self._block(block))
        return node

    def _block(self, block: list[Any]) -> list[ast.stmt]:
        """Visit statements; of `if t: return a` and what follows it, both values are computed first."""
        found: list[ast.stmt] = []
        for place, node in enumerate(block):
            value = returned_value(block[place:]) if isinstance(node, ast.If) else None
            if isinstance(value, ast.IfExp) and self._can_be_sides(value.body, value.orelse):
                keeping, kept = self._keep(self.visit(node.test))
                sides = (self._side(side, value.test) for side in (value.body, value.orelse))
                answers = _are_bits(value.body, value.orelse)
                chosen = _helper(ANSWERED if answers else CHOSEN, value.test, kept, *sides)
                returned = _at(node, ast.Return(chosen))
                hidden = _helper(UNREAD if answers else HIDDEN, value.test, kept)
                found += [keeping, _at(node, ast.If(hidden, [returned], []))]
                node.test = kept
            visited = self.visit(node)
            found += visited if isinstance(visited, list) else [visited]
        return found

    def _keep(self, value: ast.expr) -> tuple[Any, Any]:
        """Return an assignment of a value to a name of its own, and that name."""
        name = KEPT.format(self._kept)
        self._kept += 1
        keeping = _at(value, ast.Assign([_at(value, ast.Name(name, ast.Store()))], value))
        return keeping, _at(value, ast.Name(name, ast.Load()))

    def _side(self, value: ast.expr, place: ast.expr, pair: Pair | None = None) -> Any:
        """Return a function that computes one side of a choice; it is made at the place of the condition.

        So an instruction at the place of a side means that this side was computed, in translated code as in any other.
        """
        self._sides += 1
        found = self.visit(copy.deepcopy(value))
        self._sides -= 1
        if pair is not None and value is pair.unchanged:
            found = self._held(pair.target)
        return self._quoted(found, place)

    def _quoted(self, value: ast.expr, place: ast.expr) -> Any:
        """Return a function that computes a value, as a side."""
        parameters = ast.arguments([], [ast.arg(SIDE)], None, [], [], None, [_at(place, ast.Constant(None))])
        return _at(place, ast.Lambda(_filled(parameters, place), value))

    def _held(self, target: Any) -> Any:
        """Return what a target holds, which the statement leaves alone on one side: storing it may do nothing else."""
        if isinstance(target, ast.Name):
            return _loaded(target)
        self._sides += 1
        owner = self.visit(_loaded(target.value))
        self._sides -= 1
        name = target.attr if isinstance(target, ast.Attribute) else None
        held = _helper(HELD, target, owner, _at(target, ast.Constant(name)))
        return held if name is not None else _at(target, ast.Subscript(held, _loaded(target.slice), ast.Load()))

    def _can_be_sides(self, *values: ast.expr) -> bool:
        return self._sides < DEEPEST and all(_can_be_side(node) for value in values for node in ast.walk(value))


def rewritten(node: Definition) -> Any:
    """Return a function's definition, rewritten. Decorators stay: the function's first line is the first of theirs."""
    return Rewriting().visit(copy.deepcopy(node))


def _can_be_side(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and not isinstance(node.func, ast.Name | ast.Attribute):
        return False
    if isinstance(node, ast.keyword):
        return node.arg in OPTIONS
    if isinstance(node, ast.Name):
        return node.id not in READS_ITS_FRAME
    return isinstance(node, ON_SIDES)


def _are_bits(*values: ast.expr) -> bool:
    """Tell whether values may be a bit and its contrary, such as `bit` and `1 - bit`: names and numbers alone."""
    return all(isinstance(node, BITS) for value in values for node in ast.walk(value))


def _at(place: ast.AST, node: Any) -> Any:
    """Return a node, with those in it that have no place, at the place of another one."""
    ast.copy_location(node, place)
    return _filled(node, place)


def _filled(node: Any, place: ast.AST) -> Any:
    for inner in ast.walk(node):
        if not hasattr(inner, "lineno") and "lineno" in inner._attributes:
            ast.copy_location(inner, place)
    return node


def _helper(name: str, place: ast.AST, *arguments: ast.expr) -> Any:
    return _at(place, ast.Call(_at(place, ast.Constant(name)), list(arguments), []))


def _compute_with(node: ast.expr) -> None:
    """Let a choice take arrays that have other names, since what it returns is given none."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Constant) and node.func.value == CHOSEN:
        node.func.value = COMPUTED


def _loaded(target: Any) -> Any:
    found: Any = copy.deepcopy(target)
    if hasattr(found, "ctx"):
        found.ctx = ast.Load()
    return found
