"""Which functions a line of a target's own code may call through the places where they are kept."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from types import CodeType

from privcheck.certifying._observed_values import ObservedValues, Place
from privcheck.certifying._own_code import OwnCode, OwnFunction
from privcheck.certifying._private_expressions import PrivateExpressions
from privcheck.certifying._reached_code import with_inner
from privcheck.certifying._syntax import arguments_of, called_name, is_global_name

Kept = tuple[OwnFunction, range]
"""An own function, and the lines of it that the kept function is: all of them, or those of one within it."""

ASKS_FOR_ANY_NAME = frozenset({"__getattr__", "__getattribute__"})
IDENTIFIES = frozenset({"isinstance", "type", "id"})
"""Functions that call no method of what they are given."""


class KeptFunctions:
    """Own functions that lists, dicts, iterators, attributes and names held while the code ran.

    A line that names such a place may call them: `for ask in self.asks: ask()`, `next(self.generator)`. So may one that
    names an own object some of whose methods Python calls by itself, as where it is called, compared or run over. To
    name one of its attributes calls none of these.

    Parameters
    ----------
    code : the target's own code.
    expressions : tells which own functions are called.
    seen : what was held when the code ran.
    """

    def __init__(self, code: OwnCode, expressions: PrivateExpressions, seen: ObservedValues) -> None:
        self._expressions, self._seen = expressions, seen
        self._kept: dict[CodeType, Kept] = {}
        for own in code.functions:
            for inner in with_inner(own.function.__code__):
                lines = [line for _, _, line in inner.co_lines() if line is not None]
                self._kept[inner] = own, range(min(lines), max(lines) + 1)

    def named(self, node: ast.AST, own: OwnFunction) -> Iterator[Kept]:
        """Yield the functions that the places may hold which a statement or an expression names."""
        if not self._seen.functions and not self._seen.objects:
            return
        asked, identified = _asked(node)
        for part in ast.walk(node):
            codes = set[CodeType]()
            for place in self._places(part, own):
                codes |= self._seen.functions.get(place, set())
                objects = self._seen.objects.get(place, set()) if id(part) not in identified else set()
                if not isinstance(getattr(part, "ctx", ast.Load()), ast.Load):
                    objects = {code for code in objects if code.co_name == "__del__"}
                elif id(part) in asked:
                    objects = {code for code in objects if code.co_name in ASKS_FOR_ANY_NAME}
                codes |= objects
            yield from (self._kept[code] for code in codes if code in self._kept)

    def reaches(self, node: ast.AST, own: OwnFunction, busy: Mapping[OwnFunction, Collection[int]]) -> bool:
        """Tell whether code names a place where a function is kept that has one of these lines."""
        return any(line in lines for one, lines in self.named(node, own) for line in busy.get(one, ()))

    def _places(self, node: ast.AST, own: OwnFunction) -> Iterator[Place]:
        if isinstance(node, ast.Name):
            yield own.function.__code__, node.id
            if is_global_name(node.id, own):
                yield None, node.id
        elif isinstance(node, ast.Attribute):
            yield None, node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield None, node.value
        elif isinstance(node, ast.Call):
            yield from ((callee.function.__code__, "return") for callee in self._expressions.callees(node, own))


def _asked(node: ast.AST) -> tuple[set[int], set[int]]:
    """Return the parts of which an attribute is named, and those of which no more than the identity is asked."""
    asked, identified = set[int](), set[int]()
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute):
            asked.add(id(part.value))
        elif isinstance(part, ast.Compare) and all(isinstance(one, ast.Is | ast.IsNot) for one in part.ops):
            identified.update(map(id, (part.left, *part.comparators)))
        elif isinstance(part, ast.Call) and called_name(part) in IDENTIFIES:
            identified.update(map(id, arguments_of(part)))
    return asked, identified
