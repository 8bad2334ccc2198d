"""Whether what a place is given is an object that something else holds, too, so that both change together."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from privcheck.certifying._later_rounds.shared_objects import PARTS
from privcheck.certifying._observed_values import UNCHANGING, ObservedValues
from privcheck.certifying._own_code import OwnFunction
from privcheck.certifying._private_expressions import PrivateExpressions
from privcheck.certifying._syntax import arguments_of, called_name, given, is_global_name, method_name

SAME = frozenset({"asanyarray", "asarray", "atleast_1d", "atleast_2d", "ravel", "reshape", "squeeze", "transpose"})
"""Functions and methods of which the result may be their argument, or a view of it."""

MADE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


class SharedValues:
    """Values of expressions that other places hold: `self.sums = self.means`, `[[]] * 2`.

    What is added to the one is then in the other as well, and forgotten in neither where the other is given something
    else. Numbers cannot change, so that it does not matter who holds them.

    Parameters
    ----------
    expressions : tells what is called.
    seen : which places held an object that can change, or that holds such objects.
    """

    def __init__(self, expressions: PrivateExpressions, seen: ObservedValues) -> None:
        self._expressions, self._seen = expressions, seen

    def shares(self, value: ast.AST | None, own: OwnFunction, known: frozenset[ast.AST] = frozenset()) -> bool:
        """Tell whether the value is, or holds, an object that something else holds, or holds one twice."""
        if value is None or value in known:
            return False
        known = known | {value}
        if isinstance(value, ast.Name):
            return self._is_held(value, own, self._seen.changing) or self._any(
                (given_to for node in ast.walk(own.node) for target, given_to in given(node)
                 if isinstance(target, ast.Name) and target.id == value.id), own, known
            )  # fmt: skip
        if isinstance(value, ast.Attribute):
            return self._is_held(value, own, self._seen.changing)
        if isinstance(value, ast.Subscript):
            return self._is_held(value.value, own, self._seen.nesting)
        if isinstance(value, ast.IfExp | ast.BoolOp):
            return self._any([value.body, value.orelse] if isinstance(value, ast.IfExp) else value.values, own, known)
        if isinstance(value, ast.NamedExpr | ast.Starred):
            return self.shares(value.value, own, known)
        if isinstance(value, ast.Call):
            return self._result(value, own, known)
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
            parts = [part for side in (value.left, value.right) for part in getattr(side, "elts", ())]
            return any(isinstance(part, (*MADE, ast.Call)) for part in parts) or self._any(parts, own, known)
        if isinstance(value, ast.List | ast.Tuple | ast.Set | ast.Dict):
            parts = value.values if isinstance(value, ast.Dict) else value.elts
            names = [part.id for part in parts if isinstance(part, ast.Name)]
            twice = [part for part in parts if isinstance(part, ast.Name) and names.count(part.id) > 1]
            return self._any(parts, own, known) or any(self._is_made(part, own) for part in twice)
        comprehended = isinstance(value, ast.ListComp | ast.SetComp | ast.DictComp)
        return comprehended and self.shares(getattr(value, "elt", getattr(value, "value", None)), own, known)

    def is_given_twice(self, node: ast.AST) -> bool:
        """Tell whether a statement gives a new object to several places: `self.sums = self.old = []`."""
        return isinstance(node, ast.Assign) and len(node.targets) > 1 and isinstance(node.value, (*MADE, ast.Call))

    def _any(self, values: Iterable[Any], own: OwnFunction, known: frozenset[ast.AST]) -> bool:
        return any(self.shares(value, own, known) for value in values)

    def _result(self, call: ast.Call, own: OwnFunction, known: frozenset[ast.AST]) -> bool:
        callees = self._expressions.callees(call, own)
        if callees and not self._expressions.is_plain(call.func):
            returned = [
                (node.value, one) for one in callees for node in ast.walk(one.node) if isinstance(node, ast.Return)
            ]
            return any(self.shares(value, one, known) for value, one in returned)
        name = called_name(call)
        if name == "fromkeys":
            return len(call.args) > 1 and not isinstance(call.args[1], ast.Constant)
        held = isinstance(call.func, ast.Attribute) and method_name(call) in PARTS | SAME
        return (held and self.shares(call.func.value, own, known)) or (  # type: ignore[attr-defined]
            name in SAME and self._any(arguments_of(call), own, known)
        )

    def _is_made(self, name: ast.Name, own: OwnFunction) -> bool:
        """Tell whether a name is given a new object that can change."""
        pairs = (pair for node in ast.walk(own.node) for pair in given(node))
        return any(
            isinstance(target, ast.Name) and target.id == name.id and isinstance(value, (*MADE, ast.Call))
            for target, value in pairs
        )

    def _is_held(self, place: ast.AST, own: OwnFunction, among: set[Any]) -> bool:
        """Tell whether a place was seen to hold an object of such a kind."""
        if isinstance(place, ast.Attribute):
            holder = own.value(place.value.id) if isinstance(place.value, ast.Name) else None
            is_global = isinstance(holder, type) or type(holder).__name__ == "module"
            return (None, place.attr) in among or (is_global and _changes(getattr(holder, place.attr, None)))
        if not isinstance(place, ast.Name):
            return False
        if is_global_name(place.id, own):
            return (None, place.id) in among or _changes(own.value(place.id))
        return (own.function.__code__, place.id) in among


def _changes(value: Any) -> bool:
    return not isinstance(value, UNCHANGING)
