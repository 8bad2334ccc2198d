"""The numbers for which the constants, names and attributes of a target's own code may stand."""

from __future__ import annotations

import ast
import operator
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, TypeGuard

import numpy as np

from privcheck.certifying._own_code import OwnCode, OwnFunction, attributes
from privcheck.certifying._spelled_names import Spelled, spelled_by, spelled_in
from privcheck.certifying._syntax import called_name, given, is_global

Number = int | float

OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.BitXor: operator.xor,
}  # fmt: skip

FUNCTIONS: dict[str, Callable[..., Any]] = {"int": int, "float": float, "round": round, "abs": abs}

LARGEST_POWER = 256

LARGEST = 1e300

ENTRIES = 1000
"""How many entries of a collection are looked at."""


@dataclass
class Standing:
    """Numbers for which something may stand: it is one of them, or it is a collection that holds some."""

    numbers: set[Number]
    entries: set[Number]

    def add(self, other: Standing) -> None:
        """Let it stand for what another does as well."""
        self.numbers |= other.numbers
        self.entries |= other.entries


class NamedNumbers:
    """What the names and attributes of a target's own code may stand for, by name, whatever the scope or the object.

    An attribute stands for what any object or class that the policy held when it was built kept under this name, and
    for what any line of the target gives it. A name stands for what its file gives it, and as a parameter for its
    default and for the numbers with which its function is called.

    Parameters
    ----------
    code : the target's own code, found before a round was played.
    """

    def __init__(self, code: OwnCode) -> None:
        self._attributes: dict[str, Standing] = defaultdict(lambda: Standing(set(), set()))
        for value in (code.policy, *code.instances.values()):
            for name, held in attributes(value).items():
                self._attributes[name].add(standing_of(held))
        for cls in code.classes:
            for name, held in vars(cls).items():
                self._attributes[name].add(standing_of(held))
        for spelled in spelled_by(code):
            for name, standing in assigned(spelled)[1].items():
                self._attributes[name].add(standing)
        self._told: dict[tuple[OwnFunction, str], set[Number]] = defaultdict(set)
        self.lasting: dict[str, Any] = {}

    def knows(self, attribute: str) -> bool:
        """Tell whether something keeps an attribute of this name."""
        return attribute in self._attributes

    def tell(self, callee: OwnFunction, parameter: str, number: Number) -> None:
        """Let a parameter stand for a number with which its function is called."""
        self._told[callee, parameter].add(number)

    def fold(self, node: ast.AST | None, own: OwnFunction) -> Number | None:
        """Return the number that an expression is in every round; None if it is none, or that is not known.

        Names are followed if their file gives them something once, attributes if they are `lasting`.
        """
        if isinstance(node, ast.Constant):
            return node.value if _is_number(node.value) else None
        if isinstance(node, ast.Name):
            value = own.value(node.id)
            bound = spelled_in(own).bound[node.id] == 1
            return value if bound and _is_number(value) and node.id not in own.function.__code__.co_varnames else None
        if isinstance(node, ast.Attribute):
            value = self.lasting.get(node.attr)
            if isinstance(node.value, ast.Name) and is_global(node.value, own):
                value = getattr(own.value(node.value.id), node.attr, None)
            elif not (isinstance(node.value, ast.Name) and node.value.id == own.receiver):
                value = None
            return value if _is_number(value) else None
        return _calculated(node, lambda part: self.fold(part, own))

    def standing(self, node: ast.AST, own: OwnFunction) -> Standing:
        """Return for which numbers a name, an attribute or an entry of one may stand."""
        found = Standing(set(), set())
        if isinstance(node, ast.Subscript):
            found.add(self.standing(node.value, own))
            return Standing(found.entries, found.entries)
        if isinstance(node, ast.Attribute):
            found.add(self._attributes.get(node.attr, found))
        elif isinstance(node, ast.Name):
            spelled = spelled_in(own)
            found.add(assigned(spelled)[0].get(node.id, found))
            found.numbers |= self._told.get((own, node.id), set())
            if spelled.bound[node.id] == 1:
                found.add(standing_of(own.value(node.id)))
        return found


def standing_of(value: Any) -> Standing:
    """Return the numbers that a value is or, as a collection of whole numbers, holds.

    Floats in a list with others that are not whole are measured values, such as noise that a run has left there.

    >>> standing_of(40), standing_of({"limit": 40, 41: True}), standing_of(np.arange(3)), standing_of("40")
    (Standing(numbers={40}, entries=set()), Standing(numbers=set(), entries={40, 41}), Standing(numbers=set(), \
entries={0, 1, 2}), Standing(numbers=set(), entries=set()))
    >>> standing_of([0.5, 40, 30.0]), standing_of([40, 30.0]) == Standing(set(), {40, 30.0})
    (Standing(numbers=set(), entries={40}), True)
    """
    if _is_number(value):
        return Standing({value}, set())
    kind: Any = type(value)  # mypy takes classes for unhashable because their objects may be
    parts: Iterable[Any] = ()
    if kind is dict:
        parts = [*islice(value, ENTRIES), *islice(value.values(), ENTRIES)]
    elif kind in (list, tuple, set, frozenset, deque, range):
        parts = islice(value, ENTRIES)
    elif kind is np.ndarray and value.dtype.kind in "iu":
        parts = value.ravel()[:ENTRIES].tolist()
    found = {part for part in parts if _is_number(part)}
    if kind in (list, deque) and not all(float(part).is_integer() for part in found):
        found = {part for part in found if not isinstance(part, float)}
    return Standing(set(), found)


@lru_cache(maxsize=64)
def assigned(spelled: Spelled) -> tuple[dict[str, Standing], dict[str, Standing]]:
    r"""Return what a file gives to names, defaults of parameters included, and to attributes.

    >>> names, attributes = assigned(Spelled(ast.parse("a, b = 8 * 5, [7]\nself.c = 6\ndef f(d=9): ..."), *[None] * 3))
    >>> names["a"].numbers, names["b"].entries, names["d"].numbers, attributes["c"].numbers
    ({40}, {7}, {9}, {6})
    """
    names, held = (
        defaultdict[str, Standing](lambda: Standing(set(), set())),
        defaultdict[str, Standing](lambda: Standing(set(), set())),
    )
    for node in ast.walk(spelled.tree):
        for target, value in _given(node):
            if isinstance(target, ast.Name):
                names[target.id].add(_literal(value))
            elif isinstance(target, ast.Attribute):
                held[target.attr].add(_literal(value))
    return dict(names), dict(held)


def _given(node: ast.AST) -> Iterator[tuple[Any, Any]]:
    if isinstance(node, ast.arguments):
        positional = [*node.posonlyargs, *node.args]
        pairs = [*zip(reversed(positional), reversed(node.defaults), strict=False)]
        pairs += [(one, default) for one, default in zip(node.kwonlyargs, node.kw_defaults, strict=True) if default]
        yield from ((ast.Name(one.arg), default) for one, default in pairs)
    elif isinstance(node, ast.ClassDef):
        for statement in node.body:
            for target, value in _given(statement):
                if isinstance(target, ast.Name):
                    yield ast.Attribute(target, target.id), value
    elif not isinstance(node, ast.For | ast.AsyncFor | ast.comprehension | ast.AugAssign):
        for target, value in given(node):
            lists = ast.Tuple | ast.List
            if isinstance(target, lists) and isinstance(value, lists) and len(target.elts) == len(value.elts):
                yield from zip(target.elts, value.elts, strict=True)
            else:
                yield target, value


def _literal(node: ast.AST | None) -> Standing:
    """Return for which numbers an expression of constants stands, or which numbers a display holds."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
        parts = [*node.keys, *node.values] if isinstance(node, ast.Dict) else node.elts
        numbers = (constant(part) for part in parts)
        return Standing(set(), {number for number in numbers if number is not None})
    number = constant(node)
    return Standing(set() if number is None else {number}, set())


def constant(node: ast.AST | None) -> Number | None:
    """Return the number that an expression of constants is.

    >>> [constant(ast.parse(text, mode="eval").body) for text in ("8 * 5", "-10 ** 2", "int(1e3)", "t", "9 ** 9 ** 9")]
    [40, -100, 1000, None, None]
    """
    if isinstance(node, ast.Constant):
        return node.value if _is_number(node.value) else None
    return _calculated(node, constant)


def _calculated(node: ast.AST | None, fold: Callable[[ast.AST], Number | None]) -> Number | None:
    """Return the number that an operation or a call gives if its operands are known numbers."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        number = fold(node.operand)
        return None if number is None else -number if isinstance(node.op, ast.USub) else number
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        parts, apply = (fold(node.left), fold(node.right)), OPERATORS[type(node.op)]
        steep = isinstance(node.op, ast.Pow | ast.LShift) and parts[1] is not None and abs(parts[1]) > LARGEST_POWER
    elif isinstance(node, ast.Call) and called_name(node) in FUNCTIONS and len(node.args) == 1 and not node.keywords:
        parts, apply, steep = (fold(node.args[0]),), FUNCTIONS[called_name(node)], False  # type: ignore[assignment]
    else:
        return None
    if steep or None in parts:
        return None
    with suppress(ArithmeticError, TypeError, ValueError):
        found = apply(*parts)
        return found if _is_number(found) else None
    return None


def _is_number(value: Any) -> TypeGuard[Number]:
    kind = type(value)
    real = kind in (int, float) or (issubclass(kind, np.integer | np.floating) and not issubclass(kind, np.timedelta64))
    return real and bool(-LARGEST < value < LARGEST)  # whole numbers may be too large for a float
