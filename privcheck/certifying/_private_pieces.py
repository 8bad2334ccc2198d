"""The pieces of a target's own code that have to run before a certificate says that all of it was seen."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any

from privcheck.certifying._attributes_set import attributes_set, makes_object, sets_any_attribute
from privcheck.certifying._decided_conditions import decided
from privcheck.certifying._helper_arguments import always_private_in_helper, always_private_in_update
from privcheck.certifying._later_rounds.kept_functions import KeptFunctions
from privcheck.certifying._later_rounds.what_decides import Deciding
from privcheck.certifying._module_constants import constants_of
from privcheck.certifying._observed_values import ObservedValues
from privcheck.certifying._own_code import OwnCode, OwnFunction
from privcheck.certifying._private_expressions import PrivateExpressions
from privcheck.certifying._reached_code import Piece
from privcheck.certifying._spelled_names import hides_setters, spelled_by
from privcheck.certifying._syntax import (
    CONSTRUCTORS,
    REACHES_NAMES,
    RELEASES,
    body_nodes,
    computes_name,
    method_name,
    names_in,
)

ANY_NAME = "*"
"""Stands for every method, where `getattr` asks for a name that is not spelled out."""

Condition = tuple[ast.expr, bool]
"""An expression, and what it has to be if a part of the code is to run."""

Part = tuple[ast.AST, tuple[Condition, ...], tuple[ast.AST, ast.AST] | None]
"""A node, its conditions, and the first and the last node of the piece that it is, or is a part of, as a whole."""


class PrivatePieces:
    """The statements and conditional expressions that touch a private value, make a release or draw from a Generator.

    Left out are statements that only raise, messages of assertions, what the constructor of the policy itself does
    before any data, and branches that are closed beforehand: by attributes of `self` which no method sets after
    construction and which were the same in all runs, by constants of the module, or by `isinstance` or `hasattr` of a
    private argument of `update`, also where a function of a module is called with nothing else.

    Parameters
    ----------
    code : the target's own code.
    private_arguments : positions of the private arguments of `update`, from 0.
    seen : what held private values when the code ran.
    unreached : pieces that have not run.

    Attributes
    ----------
    pieces : each piece, with the nodes that it stands for and their functions.
    others : likewise, the pieces that are none of these.
    expressions : tells what is private.
    """

    def __init__(
        self, code: OwnCode, private_arguments: Iterable[int], seen: ObservedValues, unreached: Collection[Piece]
    ) -> None:
        self._code, self._seen = code, seen
        told, ran = list(private_arguments), _nodes_that_ran(code, seen, unreached)
        self.expressions = PrivateExpressions(code, told, seen)
        observed = PrivateExpressions(code, told, seen, ran)
        self._set = {name for own in code.functions for name in attributes_set(own)}
        self._sets_any = any(map(sets_any_attribute, code.functions)) or any(map(hides_setters, spelled_by(code)))
        self._conditions: dict[ast.AST, tuple[Condition, ...]] = {}
        self.pieces: dict[Piece, tuple[ast.AST, OwnFunction]] = {}
        others: list[tuple[Piece, ast.AST, OwnFunction]] = []
        noisy: dict[ast.AST, OwnFunction] = {}
        for own in code.functions:
            for node, conditions, _ in _parts_of(own):
                self._conditions[node] = conditions
            for piece, node, _ in candidates(own):
                if self._is_before_data(node, own):
                    continue
                if _touches(node, own, observed):
                    self.pieces[piece] = node, own
                else:
                    others.append((piece, node, own))
                    if node in ran and _touches(node, own, self.expressions):
                        noisy[node] = own
        kept = KeptFunctions(code, self.expressions, seen)
        self._add_calls(others, kept)
        touched = [*self.pieces.values(), *noisy.items()]
        every = [(node, own) for _, node, own in others if node not in noisy]
        reaches = partial(kept.reaches, busy=self._busy)
        decides = {
            node for node, _ in Deciding(code, self.expressions, observed, every, touched, kept, reaches, seen).found
        }
        self.pieces |= {piece: (node, own) for piece, node, own in others if node in decides}
        self.others = {piece: (node, own) for piece, node, own in others if piece not in self.pieces}

    def can_run(self, lasting: dict[str, Any]) -> tuple[set[Piece], set[Piece]]:
        """Return the pieces, and the others, that the parameters allow to run.

        `lasting` holds the attributes that all runs share.
        """
        called, is_open = self.open_to(lasting)
        kinds = [self.pieces.items(), self.others.items()]
        ours, others = (
            {piece for piece, (node, own) in kind if own in called and is_open(node, own)} for kind in kinds
        )
        return ours, others

    def fixed(self, lasting: dict[str, Any]) -> dict[str, Any]:
        """Return the attributes that no method can set after construction."""
        fixed = not (self._sets_any or any(makes_object(own, self._code) for own in self._code.functions))
        return {n: value for n, value in lasting.items() if n not in self._set and fixed}

    def open_to(self, lasting: dict[str, Any]) -> tuple[set[OwnFunction], Callable[[ast.AST, OwnFunction], bool]]:
        """Return the functions that a round may call, and what tells whether a node in them may run."""
        lasting = self.fixed(lasting)
        known, value = cache(self._known), cache(lambda test, own: self._value(test, own, lasting, *known(own)))

        def open_to(node: ast.AST, own: OwnFunction) -> bool:
            return all(value(test, own) in (None, wanted) for test, wanted in self._conditions.get(node, ()))

        called = self._code.roots | {own for own in self._code.functions if own.function.__code__ in self._seen.names}
        left = [own for own in self._code.functions if own not in called]
        found = list(called)
        while found:
            names = {name for own in found for node, name in _names(own) if open_to(node, own)}
            found = [own for own in left if own.name in names or (own.owner is not None and ANY_NAME in names)]
            left = [own for own in left if own not in found]
            called.update(found)
        return called, open_to

    def _value(
        self, test: ast.expr, own: OwnFunction, lasting: dict[str, Any], told: set[str], constants: dict[str, Any]
    ) -> bool | None:
        """Return which way a condition goes in every round of this policy, if that is decided beforehand."""
        is_method = bool(own.receiver) and own.owner in type(self._code.policy).__mro__
        return decided(test, own, lasting if is_method else None, told, constants)

    def _known(self, own: OwnFunction) -> tuple[set[str], dict[str, Any]]:
        """Return the parameters of a function that are private in every call, and the constants of its module now."""
        if self._sets_any:
            return set(), {}
        told = always_private_in_update(own, self._code, self.expressions) if own in self._code.updates() else set()
        if own.owner is None:
            told = always_private_in_helper(own, self._code, self.expressions)
        constants = {n: value for n, value in constants_of(own, self._code).items() if n not in self._set}
        return told, constants

    def _add_calls(self, others: list[tuple[Piece, ast.AST, OwnFunction]], kept: KeptFunctions) -> None:
        """Add the pieces that call a function with such pieces, or name one, or where one is kept, for others to call.

        It does it once more, however often it has run: `max(arms, key=self.score)` calls it, too.
        """
        self._busy: dict[OwnFunction, set[int]] = {}
        for piece, (_, own) in self.pieces.items():
            self._busy.setdefault(own, set()).add(piece.start[0])
        before = -1
        while before != (before := len(self.pieces)):
            for piece, node, own in others:
                if piece not in self.pieces and self._calls_busy(node, own, kept):
                    self.pieces[piece] = node, own
                    self._busy.setdefault(own, set()).add(piece.start[0])

    def _calls_busy(self, node: ast.AST, own: OwnFunction, kept: KeptFunctions) -> bool:
        called = (*self.expressions.called(node, own), *self.expressions.mentioned(node, own))
        return not self._busy.keys().isdisjoint(called) or kept.reaches(node, own, self._busy)

    def _is_before_data(self, node: ast.AST, own: OwnFunction) -> bool:
        is_built = own.name in CONSTRUCTORS and own.owner in type(self._code.policy).__mro__
        return is_built and not _is_for_later(node, own)


def _nodes_that_ran(code: OwnCode, seen: ObservedValues, unreached: Collection[Piece]) -> set[ast.AST]:
    """Return the nodes of statements and expressions that have run, but for what comprehensions give to their names."""
    ran, left = set[ast.AST](), set[ast.AST]()
    for own in code.functions:
        for piece, node, _ in candidates(own):
            has_run = piece not in unreached and own.function.__code__ in seen.names
            (ran if has_run else left).update(ast.walk(node))
    return {node for node in ran - left if not isinstance(node, ast.comprehension)}


def _touches(node: ast.AST, own: OwnFunction, expressions: PrivateExpressions) -> bool:
    if isinstance(node, ast.AugAssign) and expressions.private(node.target, own):
        return True
    return expressions.touches(node, own)


def _is_for_later(node: ast.AST, own: OwnFunction) -> bool:
    """Tell whether a node is within a function, or a generator, that a function makes: that may run after it."""
    made = (part for part in ast.walk(own.node) if isinstance(part, _MADE) and part is not own.node)
    return any(inner is node for part in made for inner in ast.walk(part) if inner is not part)


_MADE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)


def candidates(own: OwnFunction) -> Iterator[tuple[Piece, ast.AST, tuple[Condition, ...]]]:
    """Yield the pieces of a function, with their nodes and conditions, whether they touch anything private or not."""
    for node, conditions, whole in _parts_of(own):
        if whole is not None:
            yield _place(*whole, own.file), node, conditions


def _parts_of(own: OwnFunction) -> Iterator[Part]:
    body = own.node.body
    return _parts([body] if isinstance(body, ast.expr) else body, ())


def has_dense_lines(own: OwnFunction) -> bool:
    """Tell whether a function has several statements in one line."""
    lines = [node.lineno for node in ast.walk(own.node) if isinstance(node, ast.stmt) and not _blocks(node)]
    return len(set(lines)) < len(lines)


def statements_of(own: OwnFunction) -> list[range]:
    """Return the lines of each statement in a function's body."""
    body = own.node.body
    nodes: list[Any] = [body] if isinstance(body, ast.expr) else [*body]
    return [range(min(_first_lines(node)), node.end_lineno + 1) for node in nodes]


def _first_lines(node: Any) -> list[int]:
    return [node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))]


def _parts(block: Sequence[ast.AST], conditions: tuple[Condition, ...]) -> Iterator[Part]:
    """Yield the nodes in a block with their conditions, and of pieces, which run as a whole or not, their ends."""
    ends_in_raise = bool(block) and isinstance(block[-1], ast.Raise)
    for node in block:
        if not isinstance(node, ast.stmt):
            yield from _parts_of_expression(node, conditions, (node, node))
            continue
        needless = _only_raises(node) or (ends_in_raise and _only_names(node))
        inner = _blocks(node)
        heads = _heads(node) if inner else [node.test] if isinstance(node, ast.Assert) else [node]
        for head in heads:
            yield from _parts_of_expression(head, conditions, None if needless else (head, head))
        for statements in inner:
            own = () if not isinstance(node, ast.If) else ((node.test, statements is node.body),)
            yield from _parts(statements, (*conditions, *own))
        if isinstance(node, ast.If) and _leaves(node.body):
            conditions = (*conditions, (node.test, False))


def _parts_of_expression(
    node: ast.AST, conditions: tuple[Condition, ...], whole: tuple[ast.AST, ast.AST] | None
) -> Iterator[Part]:
    """Yield the nodes in an expression; a key and its value in a comprehension are one piece.

    Of two names one after the other, Python 3.13 loads the second by the instruction that loads the first.
    """
    yield node, conditions, whole
    conditional = _conditional(node)
    pair = (node.key, node.value) if isinstance(node, ast.DictComp) else None
    for child in ast.iter_child_nodes(node):
        if child in conditional:
            ends = pair if pair is not None and child in pair else (child, child)
            yield from _parts_of_expression(child, (*conditions, *conditional[child]), ends)
        else:
            yield from _parts_of_expression(child, conditions, None)


def _conditional(node: ast.AST) -> dict[ast.AST, tuple[Condition, ...]]:
    """Return the parts of an expression that run only under a condition, with these conditions if they are known."""
    if isinstance(node, ast.IfExp):
        return {node.body: ((node.test, True),), node.orelse: ((node.test, False),)}
    if isinstance(node, ast.BoolOp):
        wanted = isinstance(node.op, ast.And)
        before = [tuple((test, wanted) for test in node.values[:place]) for place in range(len(node.values))]
        return dict(zip(node.values[1:], before[1:], strict=True))
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        return {node.elt: ()}
    if isinstance(node, ast.DictComp):
        return {node.key: (), node.value: ()}
    if isinstance(node, ast.comprehension):
        return dict.fromkeys([node.iter, *node.ifs], ())
    if isinstance(node, ast.Lambda):
        return {node.body: ()}
    if isinstance(node, ast.Compare):
        return dict.fromkeys(node.comparators[1:], ())
    return {}


def _place(first: Any, last: Any, file: str) -> Piece:
    """Return the place between two nodes in their file."""
    return Piece(file, (first.lineno, first.col_offset), (last.end_lineno, last.end_col_offset))


def _heads(statement: ast.stmt) -> list[ast.AST]:
    """Return the expressions in the head of a compound statement."""
    if isinstance(statement, ast.Match):
        return [statement.subject, *(case.guard for case in statement.cases if case.guard is not None)]
    if isinstance(statement, ast.With | ast.AsyncWith):
        return [item.context_expr for item in statement.items]
    heads = (getattr(statement, name, None) for name in ("test", "iter"))
    return [head for head in heads if head is not None]


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    """Return the blocks of a compound statement."""
    if isinstance(statement, ast.Match):
        return [case.body for case in statement.cases]
    blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    handlers = [handler.body for handler in getattr(statement, "handlers", [])]
    return [block for block in (*blocks, *handlers) if block]


def _only_raises(statement: ast.stmt) -> bool:
    """Tell whether a statement raises an error without a release or a comparison, whatever the error says."""
    if not isinstance(statement, ast.Raise):
        return False
    calls = (part for part in ast.walk(statement) if isinstance(part, ast.Call))
    compares = any(isinstance(part, ast.Compare) for part in ast.walk(statement))
    return not compares and not any(method_name(call) in RELEASES for call in calls)


def _only_names(statement: ast.stmt) -> bool:
    """Tell whether a statement does nothing but give names to values without a call or a comparison."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    calls = any(isinstance(part, ast.Call | ast.Compare) for part in ast.walk(statement))
    return not calls and all(isinstance(target, ast.Name) for target in targets)


def _leaves(block: list[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def _names(own: OwnFunction) -> Iterator[tuple[ast.AST, str]]:
    """Yield the names and attributes in a function's body."""
    for node in body_nodes(own):
        if isinstance(node, ast.Name):
            yield node, node.id
        elif isinstance(node, ast.Attribute):
            yield node, node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from ((node, name) for name in names_in(node.value))
        if (isinstance(node, ast.Call) and computes_name(node)) or _name(node) in REACHES_NAMES:
            yield node, ANY_NAME


def _name(node: ast.AST) -> str | None:
    return getattr(node, "id", getattr(node, "attr", None))
