"""The syntax tree of a function, with calls looked up and choices by one datum computed without a branch.

`f(x)` becomes `called(f)(x)`, where `called` replaces the functions of `known_functions` and returns all others as they
are. `a if t else b`, `and`, `or`, `not`, chained comparisons, and `if t:` with nothing but assignments or `return` in
it compute both sides where `t` depends on one datum; otherwise they are what they were. Lines and columns stay.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from typing import Any

from privcheck.certifying._own_files import Definition

CALLED, TRUTH, HIDDEN, CHOSEN, BOTH, EITHER, NEGATED = HELPERS = tuple(
    f"<privcheck {name}>" for name in ("called", "truth", "hidden", "chosen", "both", "either", "negated")
)
"""Constants that stand for the helpers until the code is compiled: nothing is added to the names of a module."""

READS_ITS_FRAME = {"super", "locals", "globals", "vars", "dir", "eval", "exec", "breakpoint"}
NOT_TWICE = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.GeneratorExp)
KEPT = "_privcheck_kept_{}"


class Rewriting(ast.NodeTransformer):
    """Rewrites one function."""

    def __init__(self) -> None:
        self._kept, self._iterables = 0, 0

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Look up what is called."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name | ast.Attribute) and getattr(node.func, "id", "") not in READS_ITS_FRAME:
            node.func = _helper(CALLED, node.func, node.func)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """Leave the iterable of a comprehension, in which Python allows no assignment, as it is but for calls."""
        node.target, node.ifs = self.visit(node.target), [self.visit(test) for test in node.ifs]
        self._iterables += 1
        node.iter = self.visit(node.iter)
        self._iterables -= 1
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """Compute both values where the condition depends on one datum."""
        self.generic_visit(node)
        if self._iterables or not _can_be_twice(node.body, node.orelse):
            return node
        kept, loaded = self._keep(_helper(TRUTH, node.test, node.test))
        both = _helper(CHOSEN, node, loaded, _later(node.body), _later(node.orelse))
        plain = ast.IfExp(loaded, copy.deepcopy(node.body), copy.deepcopy(node.orelse))
        return _at(node, ast.IfExp(_helper(HIDDEN, node.test, kept), both, plain))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Replace `not`."""
        self.generic_visit(node)
        return _helper(NEGATED, node, node.operand) if isinstance(node.op, ast.Not) else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Replace `and` and `or`."""
        self.generic_visit(node)
        if self._iterables or not _can_be_twice(*node.values[1:]):
            return node
        return self._folded(node, node.values)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Replace `a < b < c` by `a < b and b < c`, with `b` computed once."""
        if len(node.ops) == 1 or self._iterables or not _can_be_twice(*node.comparators[1:]):
            return self.generic_visit(node)
        parts: list[ast.expr] = []
        left = node.left
        for number, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True), 1):
            after: ast.expr = right
            if number < len(node.ops) and not isinstance(right, ast.Name | ast.Constant):
                right, after = self._keep(right)
            parts.append(_at(node, ast.Compare(left, [op], [right])))
            left = copy.deepcopy(after)
        return self.visit_BoolOp(_at(node, ast.BoolOp(ast.And(), parts)))

    def _folded(self, node: ast.BoolOp, values: Sequence[ast.expr]) -> ast.expr:
        first, *others = values
        if not others:
            return first
        rest = self._folded(node, others)
        kept, loaded = self._keep(first)
        helper = BOTH if isinstance(node.op, ast.And) else EITHER
        both = _helper(helper, node, loaded, _later(rest))
        plain = _at(node, ast.BoolOp(node.op, [loaded, copy.deepcopy(rest)]))
        return _at(node, ast.IfExp(_helper(HIDDEN, first, kept), both, plain))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Rewrite the body; decorators and defaults of an inner function are code of the outer one."""
        self.generic_visit(node)
        node.body = self._statements(node.body)
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        """Assign under a mask where the condition depends on one datum."""
        pairs = _assignments(node.body, node.orelse)
        original = copy.deepcopy(node)
        self.generic_visit(node)
        if pairs is None:
            return node
        kept, loaded = self._keep(_helper(TRUTH, node.test, node.test))
        masked: list[ast.stmt] = []
        for target, yes, no in pairs:
            first, second = (self.visit(copy.deepcopy(value)) for value in (yes, no))
            value = _helper(CHOSEN, original.test, loaded, _later(first), _later(second))
            stored = _at(target, copy.deepcopy(target))
            masked.append(_at(target, ast.Assign([stored], value)))
        plain = _at(node, ast.If(loaded, node.body, node.orelse))
        return _at(node, ast.If(_helper(HIDDEN, node.test, kept), masked or [_at(node, ast.Pass())], [plain]))

    def _statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return statements with `if t: return a` and what is returned after it in one."""
        found: list[ast.stmt] = []
        for number, node in enumerate(body):
            values = _returns(node, body[number + 1 : number + 2])
            if values is not None and isinstance(node, ast.If):
                kept, loaded = self._keep(_helper(TRUTH, node.test, node.test))
                value = _helper(CHOSEN, node.test, loaded, *map(_later, values))
                returned = _at(node, ast.Return(value))
                node.test = loaded
                found.append(_at(node, ast.If(_helper(HIDDEN, node, kept), [returned], [node])))
            else:
                found.append(node)
        return found

    def _keep(self, value: ast.expr) -> tuple[ast.expr, ast.expr]:
        """Return an assignment of a value to a name of its own, and that name."""
        name = KEPT.format(self._kept)
        self._kept += 1
        kept = _at(value, ast.NamedExpr(ast.Name(name, ast.Store()), value))
        return kept, _at(value, ast.Name(name, ast.Load()))


def rewritten(node: Definition) -> Any:
    """Return a function's definition, rewritten, without decorators."""
    found = copy.deepcopy(node)
    if not isinstance(found, ast.Lambda):
        found.decorator_list = []
    return Rewriting().visit(found)


def _at(place: ast.AST, node: Any) -> Any:
    """Return a node, with those in it that have no place, at the place of another one."""
    ast.copy_location(node, place)
    return _filled(node, place)


def _filled(node: ast.AST, place: ast.AST) -> ast.AST:
    for inner in ast.walk(node):
        if not hasattr(inner, "lineno") and "lineno" in inner._attributes:
            ast.copy_location(inner, place)
    return node


def _helper(name: str, place: ast.AST, *arguments: ast.expr) -> Any:
    return _at(place, ast.Call(ast.Constant(name), list(arguments), []))


def _later(value: ast.expr) -> Any:
    empty = ast.arguments([], [], None, [], [], None, [])
    return _at(value, ast.Lambda(empty, value))


def _can_be_twice(*values: ast.expr) -> bool:
    return not any(isinstance(node, NOT_TWICE) for value in values for node in ast.walk(value))


def _assignments(body: list[ast.stmt], orelse: list[ast.stmt]) -> list[tuple[ast.expr, ast.expr, ast.expr]] | None:
    """Return targets with the values that two branches give them; None if they do anything else."""
    sides = [list(map(_assignment, side)) for side in (body, orelse)]
    if any(one is None for side in sides for one in side):
        return None
    yes, no = ([one for one in side if one is not None] for side in sides)
    same = [ast.dump(one[0]) for one in yes] == [ast.dump(one[0]) for one in no]
    if yes and same:
        return [(target, value, other) for (target, value), (_, other) in zip(yes, no, strict=True)]
    return [
        *((target, value, _loaded(target)) for target, value in yes),
        *((target, _loaded(target), value) for target, value in no),
    ]


def _assignment(node: ast.stmt) -> tuple[ast.expr, ast.expr] | None:
    """Return the target and the new value of an assignment without other effects."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
        target, value = node.target, node.value
    elif isinstance(node, ast.AugAssign):
        target = node.target
        value = _at(node, ast.BinOp(_loaded(target), node.op, node.value))
    else:
        return None
    return (target, value) if _is_simple(target) and _can_be_twice(value) else None


def _is_simple(target: ast.expr) -> bool:
    """Tell whether reading a target twice does what reading it once does."""
    if isinstance(target, ast.Subscript):
        return _is_simple(target.value) and all(
            isinstance(node, ast.Name | ast.Attribute | ast.Constant | ast.Tuple | ast.Load)
            for node in ast.walk(target.slice)
        )
    return isinstance(target, ast.Name) or (isinstance(target, ast.Attribute) and _is_simple(target.value))


def _loaded(target: ast.expr) -> Any:
    found: Any = copy.deepcopy(target)
    found.ctx = ast.Load()
    return found


def _returns(node: ast.stmt, after: Sequence[ast.stmt]) -> tuple[Any, Any] | None:
    """Return the two values of `if t: return a` with `else: return b`, or with `return b` after it."""
    if not isinstance(node, ast.If):
        return None
    others = node.orelse or after
    both = [*node.body, *others]
    if len(node.body) != 1 or len(others) != 1 or not all(isinstance(one, ast.Return) and one.value for one in both):
        return None
    values = tuple(copy.deepcopy(one.value) for one in both if isinstance(one, ast.Return) and one.value is not None)
    return (values[0], values[1]) if _can_be_twice(*values) else None
