"""What forgets private values, what keeps them from being forgotten, and what spoils the places where they were."""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from privcheck.certifying._later_rounds.kept_functions import KeptFunctions
from privcheck.certifying._later_rounds.names_given import TAKES_AWAY, NamesGiven, amount_of
from privcheck.certifying._later_rounds.shared_objects import each
from privcheck.certifying._later_rounds.shared_values import SharedValues
from privcheck.certifying._own_code import OwnCode, OwnFunction
from privcheck.certifying._private_expressions import PrivateExpressions
from privcheck.certifying._syntax import Name, arguments_of, called_name, computes_name, given, method_name, names_of

Node = tuple[ast.AST, OwnFunction]


class Forgetting:
    """Statements that forget private values, and those that leave what is forgotten to be released once more.

    Parameters
    ----------
    code : the target's own code.
    expressions : tells what is private, and what is called.
    observed : tells what is, where what was seen says whether noise released it.
    names : the names that statements read, and to which they give something.
    kept : functions that places held.
    shared : tells which values are objects that something else holds, too.
    """

    def __init__(
        self,
        code: OwnCode,
        expressions: PrivateExpressions,
        observed: PrivateExpressions,
        names: NamesGiven,
        kept: KeptFunctions,
        shared: SharedValues,
    ) -> None:
        self._code, self._expressions, self._observed = code, expressions, observed
        self._names, self._kept, self._shared = names, kept, shared

    def forgets(self, node: ast.AST, own: OwnFunction) -> bool:
        """Tell whether a statement gives something public to a place that holds something private."""
        targets = node.targets if isinstance(node, ast.Delete) else [target for target, _ in given(node)]
        return any(holds_private(target, own, self._observed) for target in targets)

    def takes(self, node: ast.AST, own: OwnFunction) -> bool:
        """Tell whether a statement that names what is private deletes it, or puts something public in its place."""
        if not self.forgets(node, own) or isinstance(node, ast.AugAssign):
            return False
        return not self._expressions.private(getattr(node, "value", None), own)

    def removes(self, node: ast.AST, own: OwnFunction) -> bool:
        """Tell whether a statement forgets: gives, deletes, or takes out of a container."""
        calls = (part for part in ast.walk(node) if isinstance(part, ast.Call) and method_name(part) in _EMPTIES)
        return self.takes(node, own) or any(holds_private(call.func.value, own, self._observed) for call in calls)  # type: ignore[attr-defined]

    def with_calls(self, nodes: Iterable[Node], found: list[Node]) -> list[Node]:
        """Return nodes, and what calls functions with such nodes, or names a place where one is kept."""
        left, every, more = [*nodes], list[Node](), found
        while more:
            every += more
            busy, known = _lines(every), {node for node, _ in every}
            left = [(node, own) for node, own in left if node not in known]
            more = [(node, own) for node, own in left if self._reaches(node, own, busy)]
        return every

    def _reaches(self, node: ast.AST, own: OwnFunction, busy: dict[OwnFunction, set[int]]) -> bool:
        if not busy.keys().isdisjoint(self._expressions.called(node, own)):
            return True
        if self._kept.reaches(node, own, busy):
            return True
        computed = any(isinstance(part, ast.Call) and computes_name(part) for part in ast.walk(node))
        return computed and any(one.owner is not None for one in busy)

    def chosen_by(self, every: list[Node]) -> Iterator[Name]:
        """Yield the names that say which function is called where one forgets."""
        busy = _lines(every)
        for node, own in every:
            for part in ast.walk(node):
                if isinstance(part, ast.Call) and computes_name(part):
                    yield from (name for one in part.args[1:] for name in self._names.reads(one, own))
                elif isinstance(part, ast.Call) and not busy.keys().isdisjoint(self._expressions.callees(part, own)):
                    yield from self._names.which(part, own)
                elif isinstance(part, ast.Name | ast.Attribute | ast.Subscript) and self._kept.reaches(part, own, busy):
                    names = [*names_of(part, own)]
                    yield from (*names, *map(amount_of, names))
                    yield from self._names.reads(part.slice, own) if isinstance(part, ast.Subscript) else ()

    def left_before(self, nodes: list[Node], every: list[Node], releasing: list[Node]) -> Iterator[Node]:
        """Yield where a function is left after a release, before what is forgotten then.

        It is left by `return`, by a `continue` or `break` at the end of a block, or by an error that is caught.
        """
        lines, after = _lines(every), self._after(every, releasing)
        tried, looped = cache(_tried), cache(_left_in_loops)
        begins = {own: min(each) for own, each in _lines(releasing).items()}
        for node, own in nodes:
            place = getattr(node, "lineno", 0)
            if not lines.get(own):
                continue
            released = own in after or begins.get(own, place) < place
            leaves = isinstance(node, ast.Return) or node in looped(own)
            if leaves and released and any(line > place for line in lines[own] - _at_last(own, place)):
                yield node, own
            for caught, handled in tried(own):
                if place not in handled or not lines[own].isdisjoint(handled):
                    continue
                forgotten = [line for line in lines[own] if line in caught]
                if forgotten and (own in after or begins.get(own, max(forgotten) + 1) <= max(forgotten)):
                    yield node, own

    def _after(self, every: list[Node], releasing: list[Node]) -> set[OwnFunction]:
        """Return the functions that may begin after a release."""
        begins = {own: min(each) for own, each in _lines(releasing).items()}
        roots = self._code.roots
        found = {root for root in roots if begins.keys() & (roots - {root})}
        before = -1
        while before != (before := len(found)):
            for node, own in every:
                place = getattr(node, "lineno", 0)
                if own in found or begins.get(own, place) < place:
                    found.update(self._expressions.called(node, own), (one for one, _ in self._kept.named(node, own)))
        return found

    def spoils(self, node: ast.AST, own: OwnFunction, noise: set[Name]) -> bool:
        """Tell whether a statement gives a place that holds something private what does more than to forget it."""
        return any(
            holds_private(target, own, self._observed)
            and (
                (not noise.isdisjoint(self._names.behind(target, own)) and not isinstance(node, ast.AugAssign))
                or self._is_function(value, own)
                or self._makes_another(value, own)
                or self._shared.shares(value, own)
                or self._shared.is_given_twice(node)
            )
            for pair in given(node)
            for target, value in each(*pair)
        )

    def shared_sides(self, node: ast.AST, own: OwnFunction) -> Iterator[Node]:
        """Yield what a place that holds something private is given under a condition, and is held elsewhere, too."""
        for target, value in given(node):
            if isinstance(value, ast.IfExp | ast.BoolOp) and holds_private(target, own, self._observed):
                parts = [value.body, value.orelse] if isinstance(value, ast.IfExp) else value.values
                yield from ((part, own) for part in parts if self._shared.shares(part, own))

    def _makes_another(self, value: ast.AST | None, own: OwnFunction) -> bool:
        """Tell whether a value is the result of an own function or class, or a deque, made with arguments."""
        if not isinstance(value, ast.Call) or not arguments_of(value):
            return False
        return called_name(value) == "deque" or bool(self._expressions.callees(value, own))

    def _is_function(self, value: ast.AST | None, own: OwnFunction) -> bool:
        if isinstance(value, ast.Name):
            return callable(own.value(value.id) or getattr(builtins, value.id, None))
        is_method = isinstance(value, ast.Attribute) and bool(self._expressions.methods(value.attr))
        return is_method or isinstance(value, ast.Lambda)


_EMPTIES = TAKES_AWAY | {"fill"}


def holds_private(place: Any, own: OwnFunction, expressions: PrivateExpressions) -> bool:
    """Tell whether a place, or one of several, holds something private."""
    while isinstance(place, ast.Subscript | ast.Starred):
        place = place.value
    if isinstance(place, ast.Tuple | ast.List):
        return any(holds_private(part, own, expressions) for part in place.elts)
    return isinstance(place, ast.Name | ast.Attribute) and expressions.holds(place, own)


def _lines(nodes: Iterable[Node]) -> dict[OwnFunction, set[int]]:
    found = defaultdict[OwnFunction, set[int]](set)
    for node, own in nodes:
        if hasattr(node, "lineno"):
            found[own].add(node.lineno)
    return found


def _span(block: list[Any]) -> range:
    return range(block[0].lineno, block[-1].end_lineno + 1) if block else range(0)


def _tried(own: OwnFunction) -> list[tuple[range, range]]:
    """Return the lines in which an error is caught, with those that run then, unless they raise it again."""
    tries = [node for node in ast.walk(own.node) if isinstance(node, ast.Try | ast.TryStar)]
    handlers = [(node, handler) for node in tries for handler in node.handlers]
    return [(_span(node.body), _span(each.body)) for node, each in handlers if not isinstance(each.body[-1], ast.Raise)]


def _at_last(own: OwnFunction, place: int) -> set[int]:
    """Return the lines that run even if a function is left at this line: those of `finally`."""
    tries = [node for node in ast.walk(own.node) if isinstance(node, ast.Try | ast.TryStar)]
    return {line for node in tries if place in _span(node.body) for line in _span(node.finalbody)}


def _left_in_loops(own: OwnFunction) -> set[ast.AST]:
    """Return what stands before a `continue` or `break` in a block under a condition."""
    blocks = [block for node in ast.walk(own.node) if isinstance(node, ast.If) for block in (node.body, node.orelse)]
    return {
        node for block in blocks if block and isinstance(block[-1], ast.Continue | ast.Break) for node in block[:-1]
    }
