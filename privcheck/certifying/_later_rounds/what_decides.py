"""What decides how private values are used: scales of noise, weights, how often they are released, and why."""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
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
    is_global,
    is_global_name,
    method_name,
    passed,
)

Name = tuple[OwnFunction | None, str]
"""A name of a function; without one, an attribute or a global name, whatever the object."""

Node = tuple[ast.AST, OwnFunction]

TAKES_AWAY = frozenset({"clear", "discard", "pop", "popitem", "popleft", "remove"})
"""Methods that give nothing to their object, as where a cache forgets."""


COINS = frozenset({"choice", "integers", "permutation", "random", "shuffle"})
"""Methods of a Generator by which policies choose arms."""

SCALES = frozenset({"clip", "clip_norm", "divide", "feature", "max", "maximum", "min", "minimum", "multiply", "where"})
"""Functions that scale or limit one argument by others."""


class Deciding:
    """The statements that give something to what private values are noised, scaled and looped over by, or return it.

    These are arguments of draws and releases, what a private value is computed with or given to, what a loop around
    either counts, and the conditions under which a private value is touched or forgotten. What gives something to a
    name in them decides how the value is used, and so does what gives something to a name that such a statement reads,
    and so on, through the arguments of own functions too: a line that sets the scale of the noise, or that lets nothing
    be forgotten any more, may spoil a release that has run a hundred times.

    The conditions of what only decides are not followed: which arm is played is chosen there. Places that hold private
    values are left out: giving them something else forgets. But it spoils them if they were given noise alone, or if it
    is another function or a container of another size.

    Parameters
    ----------
    expressions : tells what is private, and what is called.
    nodes : statements and conditional expressions.
    touched : those of them that touch a private value.
    """

    def __init__(self, expressions: PrivateExpressions, nodes: Iterable[Node], touched: Iterable[Node]) -> None:
        self._expressions, self._loops, self._conditions = expressions, cache(_loops), cache(_conditions)
        self._used: set[Name] = set()
        nodes, touched = [*nodes], [*touched]
        self.found: list[Node] = []
        for node, own in touched:
            for part in self._amounts(node, own):
                self._used.update(self._reads(part, own))
                self.found += [(side, own) for side in _sides(part)]
        forgetting = self._with_calls(nodes, self._forgets)
        for node, own in (*touched, *forgetting):
            for part in _taken_away(node):
                self._used.update(self._reads(part, own))
        left = [(node, own, given_to) for node, own in nodes if (given_to := {*self._gives(node, own)})]
        told = self._told((*nodes, *touched))
        deciding = left
        while deciding:
            self._follow_parameters(told)
            deciding = [one for one in left if not self._used.isdisjoint(one[2])]
            left = [one for one in left if self._used.isdisjoint(one[2])]
            for node, own, _ in deciding:
                self._used.update(self._reads(node, own))
                self.found.append((node, own))
        self._let_run(nodes, [*touched, *forgetting])
        noise = self._noise_alone((*nodes, *touched))
        self.found += [(node, own) for node, own in nodes if self._spoils(node, own, noise)]
        decided = [(node, own) for node, own in touched if not self._used.isdisjoint(self._gives(node, own))]
        self.found += [(side, own) for node, own in (*self.found, *decided) for side in _sides(node)]

    def _let_run(self, nodes: list[Node], touched: list[Node]) -> None:
        """Find what changes the conditions under which these run, other than to make every later round return at once.

        What such a statement reads is followed through plain names and returned values: which arm is played is not.
        """
        used, ends = set[Name](), set[Name]()
        for node, own in self._with_calls(touched, self._uses_private):
            for test in self._conditions(own).get(node, ()):
                (ends if self._expressions.is_update(own) and test in _ends(own) else used).update(
                    self._reads(test, own)
                )
        told = self._told([*nodes, *touched])
        before = -1
        while before != (before := len(used)):
            for name in [name for name in told if name in used]:
                for value, own in told.pop(name):
                    used.update(self._reads(value, own))
            for node, own in nodes:
                copied = getattr(node, "value", None)
                copies = isinstance(copied, ast.Name | ast.Attribute) or isinstance(node, ast.Return)
                if copies and not used.isdisjoint(self._gives(node, own)):
                    used.update(self._reads(node, own))
        for node, own in nodes:
            given_to = {*self._gives(node, own)}
            if not used.isdisjoint(given_to) or not ends.isdisjoint(given_to - {*self._set_true(node, own)}):
                self.found.append((node, own))

    def _uses_private(self, node: ast.AST, own: OwnFunction) -> bool:
        """Tell whether a statement names what is private, or draws or releases more than a coin, as for an arm."""
        calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
        noise = any(self._is_noise(call, own) and method_name(call) not in COINS for call in calls)
        return noise or self._mentions(node, own)

    def _with_calls(self, nodes: Iterable[Node], is_one: Callable[[ast.AST, OwnFunction], bool]) -> list[Node]:
        """Return the nodes of which something holds, and what calls functions with such nodes."""
        left, found = [*nodes], list[Node]()
        more = [(node, own) for node, own in left if is_one(node, own)]
        while more:
            found += more
            known, busy = {node for node, _ in found}, {own for _, own in found}
            left = [(node, own) for node, own in left if node not in known]
            more = [(n, own) for n, own in left if not busy.isdisjoint(self._expressions.called(n, own))]
        return found

    def _mentions(self, node: ast.AST, own: OwnFunction) -> bool:
        """Tell whether a part of the code names a place that holds something private."""
        places = (part for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute))
        return any(self._expressions.holds(place, own) for place in places)

    def _set_true(self, node: ast.AST, own: OwnFunction) -> Iterator[Name]:
        for target, value in given(node):
            several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            for one, two in zip(target.elts, value.elts, strict=False) if several else [(target, value)]:
                if isinstance(two, ast.Constant) and two.value is True:
                    yield from self._key(one, own)

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
            if isinstance(part, ast.Call) and any(is_private(one, own) for one in arguments_of(part)):
                yield part.func
        if noisy or any(True for _ in self._expressions.called(node, own)):
            yield from self._loops(own).get(node, ())

    def _told(self, nodes: Iterable[Node]) -> dict[Name, list[Node]]:
        """Return what the parameters of own functions are given, by all calls."""
        found = defaultdict[Name, list[Node]](list)
        for node, own in nodes:
            for call in (part for part in ast.walk(node) if isinstance(part, ast.Call)):
                for callee in self._expressions.callees(call, own):
                    for name, value in passed(call, own, callee):
                        found[callee, name].append((value, own))
        return found

    def _follow_parameters(self, told: dict[Name, list[Node]]) -> None:
        """Let what the used parameters are given be used, and so on."""
        before = -1
        while before != (before := len(self._used)):
            for name in [name for name in told if name in self._used]:
                for value, own in told.pop(name):
                    self._used.update(self._reads(value, own))
                    self.found += [(side, own) for side in _sides(value)]

    def _noise_alone(self, nodes: Iterable[Node]) -> set[str]:
        """Return the names and attributes that are given noise to which nothing private was added yet."""
        found = set[str]()
        for node, own in nodes:
            for target, value in (pair for part in ast.walk(node) for pair in given(part)):
                if value is not None and self._is_noise_alone(value, own):
                    found.update(_names_of(target))
        return found

    def _is_noise_alone(self, value: ast.AST, own: OwnFunction) -> bool:
        parts = [(value, own), *((each.node, each) for each in self._expressions.called(value, own))]
        calls = ((part, one) for node, one in parts for part in ast.walk(node) if isinstance(part, ast.Call))
        draws = any(self._expressions.draws(call, one) for call, one in calls)
        return draws and not any(self._mentions(node, one) for node, one in parts)

    def _spoils(self, node: ast.AST, own: OwnFunction, noise: set[str]) -> bool:
        """Tell whether a statement gives a place that holds something private what does more than to forget it."""
        return any(
            self._holds_private(target, own)
            and (
                (not noise.isdisjoint(_names_of(target)) and not isinstance(node, ast.AugAssign))
                or self._is_function(value, own)
                or self._makes_another(value, own)
            )
            for target, value in given(node)
        )

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

    def _forgets(self, node: ast.AST, own: OwnFunction) -> bool:
        """Tell whether a statement gives something public to a place that holds something private."""
        targets = node.targets if isinstance(node, ast.Delete) else [target for target, _ in given(node)]
        return any(self._holds_private(target, own) for target in targets)

    def _holds_private(self, place: ast.AST, own: OwnFunction) -> bool:
        while isinstance(place, ast.Subscript | ast.Starred):
            place = place.value
        if isinstance(place, ast.Tuple | ast.List):
            return any(self._holds_private(part, own) for part in place.elts)
        return isinstance(place, ast.Name | ast.Attribute) and self._expressions.holds(place, own)

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
        if isinstance(method, ast.Attribute) and not is_global(method.value, own):
            if method.attr not in TAKES_AWAY:
                yield from self._key(method.value, own)
        elif isinstance(call, ast.Call) and called_name(call) != "print" and not self._expressions.callees(call, own):
            for part in call.args:
                yield from self._key(part, own)


def _names_of(place: ast.AST) -> Iterator[str]:
    """Yield the name of a place, or the names of several, whatever the object."""
    while isinstance(place, ast.Subscript | ast.Starred):
        place = place.value
    if isinstance(place, ast.Tuple | ast.List):
        for part in place.elts:
            yield from _names_of(part)
    elif isinstance(place, ast.Name | ast.Attribute):
        yield place.id if isinstance(place, ast.Name) else place.attr


def _ends(own: OwnFunction) -> list[ast.expr]:
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
        if isinstance(asked, ast.Name | ast.Attribute) and (rest if asked is not test else _returns(statement)):
            found.append(test)
    return found


def _returns(statement: ast.If) -> bool:
    return isinstance(statement.body[0], ast.Return)


def _taken_away(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what says which entries a statement deletes."""
    for target in node.targets if isinstance(node, ast.Delete) else ():
        while isinstance(target, ast.Subscript | ast.Attribute):
            if isinstance(target, ast.Subscript):
                yield target.slice
            target = target.value


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


def _conditions(own: OwnFunction) -> dict[ast.AST, tuple[ast.AST, ...]]:
    """Return the conditions under which each node of a function runs, those of blocks left before it included."""
    found: dict[ast.AST, tuple[ast.AST, ...]] = {}

    def enter(node: Any, around: tuple[ast.AST, ...]) -> None:
        found[node] = around
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            around = (*around, node.test)
        elif isinstance(node, ast.Match):
            around = (*around, node.subject)
        elif isinstance(node, ast.match_case) and node.guard is not None:
            around = (*around, node.guard)
        for _, value in ast.iter_fields(node):
            within = around
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    enter(child, within)
                    if isinstance(child, ast.If) and any(
                        isinstance(part, ast.Return | ast.Raise | ast.Continue | ast.Break) for part in ast.walk(child)
                    ):
                        within = (*within, child.test)

    enter(own.node, ())
    return found
