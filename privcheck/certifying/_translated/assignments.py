"""Statements with `if` that do nothing but assign or return: what they assign or return on either side."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class Pair:
    """A target, and what it becomes on the two sides of an `if`.

    Parameters
    ----------
    target, yes, no : syntax.
    place : the statement that assigns it, or the first of them.
    unchanged : the one of `yes` and `no` that stands for what the target holds; None if both sides assign it.
    in_place : whether it is changed as by `+=`, which changes an array and does not make another one.
    mixed : whether it is on one side, and assigned on the other.
    """

    target: Any
    yes: ast.expr
    no: ast.expr
    place: ast.stmt
    unchanged: ast.expr | None = None
    in_place: bool = False
    mixed: bool = False


@dataclass
class _Assignment:
    target: Any
    value: ast.expr
    place: ast.stmt
    in_place: bool


def assigned_pairs(node: ast.If) -> list[Pair] | None:
    r"""Return what an `if` assigns, in order; None if it does anything else.

    Both sides are assignments, of the same targets in the same order or of any; or all sides of `if`, `elif` and `else`
    assign one and the same target.

    >>> [pair] = assigned_pairs(ast.parse("if t: x = 1\nelif u: x = 2\nelse: x = 3").body[0])
    >>> ast.unparse(pair.yes), ast.unparse(pair.no)
    ('1', '2 if u else 3')
    >>> assigned_pairs(ast.parse("if t: f(x)").body[0]) is None
    True
    """
    yes, no = _assignments(node.body), _assignments(node.orelse)
    if yes is None:
        return None
    if no is None:
        return _chain(node, yes)
    same = [ast.dump(one.target) for one in yes] == [ast.dump(one.target) for one in no]
    if yes and same:
        return [
            Pair(
                one.target,
                one.value,
                two.value,
                one.place,
                in_place=one.in_place and two.in_place,
                mixed=one.in_place != two.in_place,
            )
            for one, two in zip(yes, no, strict=True)
        ]
    pairs = []
    for one in yes:
        held = _loaded(one.target)
        pairs.append(Pair(one.target, one.value, held, one.place, held, one.in_place))
    for one in no:
        held = _loaded(one.target)
        pairs.append(Pair(one.target, held, one.value, one.place, held, one.in_place))
    return pairs


def assigned_branches(node: ast.If) -> list[tuple[ast.expr | None, list[Pair]]] | None:
    r"""Return the conditions of `if`, `elif` and `else`, None for the last, with what each branch assigns.

    None if a branch does anything else. The second value of a pair is what the target holds.

    >>> branches = assigned_branches(ast.parse("if t: x = 1\nelif u: y = 2\nelse: z = 3").body[0])
    >>> [test and ast.unparse(test) for test, _ in branches], [ast.unparse(pairs[0].target) for _, pairs in branches]
    (['t', 'u', None], ['x', 'y', 'z'])
    """
    found: list[tuple[ast.expr | None, list[Pair]]] = []
    test: ast.expr | None = node.test
    block, rest = node.body, node.orelse
    while True:
        assignments = _assignments(block)
        if assignments is None:
            return None
        pairs = []
        for one in assignments:
            held = _loaded(one.target)
            pairs.append(Pair(one.target, one.value, held, one.place, held, one.in_place))
        found.append((test, pairs))
        if test is None or not rest:
            return found
        if len(rest) == 1 and isinstance(rest[0], ast.If):
            test, block, rest = rest[0].test, rest[0].body, rest[0].orelse
        else:
            test, block, rest = None, rest, []


def _chain(node: ast.If, yes: list[_Assignment]) -> list[Pair] | None:
    """Return the one pair of `if`, `elif` and `else` that assign one name."""
    if len(yes) != 1 or not isinstance(yes[0].target, ast.Name) or yes[0].in_place:
        return None
    other = _chained_value(node.orelse, yes[0].target.id)
    return None if other is None else [Pair(yes[0].target, yes[0].value, other, yes[0].place)]


def _chained_value(block: list[ast.stmt], name: str) -> ast.expr | None:
    """Return what the branches of `if` and `elif` assign to one name, as one expression; None if they do more."""
    if len(block) != 1:
        return None
    node = block[0]
    if isinstance(node, ast.If):
        yes, no = _chained_value(node.body, name), _chained_value(node.orelse, name)
        if yes is None or (no is None and node.orelse):
            return None
        no = no if no is not None else ast.copy_location(ast.Name(name, ast.Load()), node.test)
        return ast.copy_location(ast.IfExp(copy.deepcopy(node.test), yes, no), node.test)
    found = _assignment(node)
    is_same = found is not None and isinstance(found.target, ast.Name) and found.target.id == name
    return found.value if found is not None and is_same and not found.in_place else None


def returned_value(block: Sequence[ast.stmt]) -> ast.expr | None:
    r"""Return what a block returns whatever its conditions are, as one expression; None if it may do anything else.

    >>> block = ast.parse("if t: return 1\nif u: return 2\nreturn 3").body
    >>> ast.unparse(returned_value(block))
    '1 if t else 2 if u else 3'
    """
    if not block:
        return None
    first, *after = block
    if isinstance(first, ast.Return):
        return copy.deepcopy(first.value)
    if not isinstance(first, ast.If):
        return None
    yes, no = returned_value(first.body), returned_value([*first.orelse, *after])
    if yes is None or no is None:
        return None
    return ast.copy_location(ast.IfExp(copy.deepcopy(first.test), yes, no), first.test)


def _assignments(block: list[ast.stmt]) -> list[_Assignment] | None:
    found = [_assignment(one) for one in block if not isinstance(one, ast.Pass)]
    known = [one for one in found if one is not None]
    return known if len(known) == len(found) else None


def _assignment(node: ast.stmt) -> _Assignment | None:
    """Return the target and the new value of an assignment without other effects."""
    in_place = isinstance(node, ast.AugAssign)
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
        target, value = ast.copy_location(ast.Name(node.target.id, ast.Store()), node.target), node.value
    elif isinstance(node, ast.AugAssign):
        target = node.target
        value = ast.copy_location(ast.BinOp(_loaded(target), node.op, node.value), node)
    else:
        return None
    return _Assignment(target, value, node, in_place) if _is_simple(target) else None


SIMPLE = (ast.Name, ast.Attribute, ast.Constant, ast.Tuple, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Load)


def _is_simple(target: ast.expr) -> bool:
    """Tell whether reading a target twice does what reading it once does."""
    if isinstance(target, ast.Subscript):
        return _is_simple(target.value) and all(isinstance(node, SIMPLE) for node in ast.walk(target.slice))
    return isinstance(target, ast.Name) or (isinstance(target, ast.Attribute) and _is_simple(target.value))


def _loaded(target: ast.expr) -> Any:
    found: Any = copy.deepcopy(target)
    found.ctx = ast.Load()
    return found
