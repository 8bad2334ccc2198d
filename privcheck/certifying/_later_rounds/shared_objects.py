"""Which names may stand for an object that another name holds, or for a part of it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from privcheck.certifying._own_code import OwnCode, OwnFunction
from privcheck.certifying._private_expressions import PrivateExpressions
from privcheck.certifying._syntax import Name, arguments_of, called_name, given, method_name, names_of, passed

PARTS = frozenset({"get", "items", "ravel", "reshape", "setdefault", "values", "view"})
"""Methods that give entries of their object, or another view of it."""

VIEWS = frozenset(
    {"T", "array", "at", "base", "data", "flat", "iat", "iloc", "imag", "loc", "maps", "mT", "real", "values"}
)
"""Attributes through which entries of their object are read and set."""

TURNS = frozenset(
    {
        *("asanyarray", "asarray", "atleast_1d", "ChainMap", "chain", "cycle", "deque", "enumerate", "islice", "iter"),
        *("list", "MappingProxyType", "partial", "repeat", "reversed", "sorted", "tuple", "zip"),
    }
)
"""Functions of which the result has the entries of their arguments."""


class SharedObjects:
    """Names by which code may change what other names hold: `stats = self.stats[arm]`, then `stats["scale"] = 1`.

    Parameters
    ----------
    code : the target's own code.
    expressions : tells what is called.
    """

    def __init__(self, code: OwnCode, expressions: PrivateExpressions) -> None:
        self._expressions, self._held = expressions, defaultdict[Name, set[Name]](set)
        for own in code.functions:
            for node in ast.walk(own.node):
                for pair in () if isinstance(node, ast.AugAssign) else given(node):
                    for target, value in each(*pair):
                        for name in names_of(target, own):
                            self._held[name].update(self._parts(value, own))
                if isinstance(node, ast.Return):
                    self._held[own, "return"].update(self._parts(node.value, own))
                for callee in expressions.callees(node, own) if isinstance(node, ast.Call) else ():
                    for parameter, value in passed(node, own, callee):  # type: ignore[arg-type]
                        self._held[callee, parameter].update(self._parts(value, own))

    def behind(self, place: ast.AST | None, own: OwnFunction) -> set[Name]:
        """Return the names that hold what a place is a part of, its own name included."""
        found, more = set[Name](), {*names_of(place, own)}
        while more:
            found |= more
            more = set().union(*(self._held.get(name, ()) for name in more)) - found
        return found

    def shared_by(self, name: Name) -> set[Name]:
        """Return the names of what a name may hold, or hold a part of."""
        return self._held.get(name, set())

    def _parts(self, value: ast.AST | None, own: OwnFunction) -> Iterator[Name]:
        if isinstance(value, ast.Subscript | ast.Starred | ast.NamedExpr):
            yield from self._parts(value.value, own)
        elif isinstance(value, ast.Name | ast.Attribute):
            yield from names_of(value, own)
            yield from self._parts(value.value, own) if getattr(value, "attr", None) in VIEWS else ()  # type: ignore[union-attr]
        elif isinstance(value, ast.List | ast.Tuple | ast.Set | ast.Dict):
            for part in value.values if isinstance(value, ast.Dict) else value.elts:
                yield from self._parts(part, own)
        elif isinstance(value, ast.IfExp | ast.BoolOp):
            for part in [value.body, value.orelse] if isinstance(value, ast.IfExp) else value.values:
                yield from self._parts(part, own)
        elif isinstance(value, ast.Call):
            yield from ((callee, "return") for callee in self._expressions.callees(value, own))
            if method_name(value) in PARTS:
                yield from self._parts(value.func.value, own)  # type: ignore[attr-defined]
            for part in arguments_of(value) if called_name(value) in TURNS else ():
                yield from self._parts(part, own)


def each(target: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each of several places with what it is given, if that is spelled out."""
    several = ast.Tuple | ast.List
    if isinstance(target, several) and isinstance(value, several) and len(target.elts) == len(value.elts):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value
