"""What a target's own code decides by value, without a branch of its own, beyond the rounds that ran."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privcheck.certifying._later_rounds.named_numbers import NamedNumbers, Number
from privcheck.certifying._own_code import OwnCode, OwnFunction
from privcheck.certifying._private_expressions import PrivateExpressions
from privcheck.certifying._spelled_names import spelled_in
from privcheck.certifying._syntax import (
    arguments_of,
    body_nodes,
    called_name,
    computes_name,
    is_global,
    method_name,
    parameters_of,
)
from privcheck.mechanisms import Mechanism

DECIDING = (ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)
"""Operators that turn a growing number into one that stays the same for many rounds, or the other way round."""

STEPS = frozenset({"int", "round", "floor", "ceil", "trunc", "fix", "rint", "bool", "sign", "heaviside"})
"""Functions that do so as well; of the others, those that receive a number beyond the horizon with something else."""

SIZES = frozenset(
    {
        *(
            "zeros",
            "ones",
            "empty",
            "full",
            "eye",
            "identity",
            "linspace",
            "logspace",
            "geomspace",
            "reshape",
            "resize",
        ),
        *("zeros_like", "ones_like", "full_like", "tile", "diag", "allclose", "isclose", "print", "format", "warn"),
        *("debug", "info", "warning", "error", "log", "log2", "log10", "log1p", "sqrt", "exp", "default_rng", "seed"),
    }
)
"""Functions whose numbers are sizes, numbers of digits, seeds, or arguments of a steady function."""

JOINS = frozenset({"concatenate", "hstack", "append", "chain", "extend", "repeat", "insert"})
"""Functions in which the sizes of parts are places in the whole."""

ALONE = {"range": 2, "arange": 2, "slice": 1, "itemgetter": 1, "islice": 1, "deque": 1, "repeat": 2}
"""Functions that decide by their numbers alone, from so many arguments on."""

TOLERANCE = 1e-6
"""Factors below this allow for rounding: no number of rounds makes up for them."""

Found = tuple[str, int, str]


@dataclass(frozen=True)
class Reach:
    """How far a number reaches, in rounds, and how the code writes it."""

    amount: float
    text: str


class LateValues:
    """The lines at which own code decides by numbers beyond the rounds that ran, or by names that it computes.

    A number decides in a comparison, an index or a slice, as a key, in a case of `match`, added or subtracted, with an
    operator of `DECIDING`, and in a call together with something that is not constant. A factor or a divisor decides
    within one of these and within `STEPS`; alone it does not. Left out are sizes, arguments of mechanisms and draws,
    limits of private values and what is added to one: no line can read these before their release.

    Parameters
    ----------
    code : the target's own code.
    numbers : for what its names and attributes may stand.
    expressions : tells what is private, what a call may mean, and whether it draws from a Generator.
    rounds : the number of rounds that ran. A policy that receives this number may compare with it.

    Attributes
    ----------
    least : the smallest number that is beyond these rounds.
    """

    def __init__(self, code: OwnCode, numbers: NamedNumbers, expressions: PrivateExpressions, rounds: int) -> None:
        self._numbers, self._rounds = numbers, rounds
        self._private, self._callees, self._draws = expressions.private, expressions.callees, expressions.draws
        self.least = rounds + is_told_horizon(code, numbers)

    def lines(self, called: Iterable[OwnFunction], is_open: Callable[[ast.AST, OwnFunction], bool]) -> list[Found]:
        """Return file, line and sentence of each such line in the functions that are called.

        `is_open` tells whether a node can run.
        """
        functions = list(called)
        nodes = [(node, own) for own in functions for node in _said_by(own) if is_open(node, own)]
        nodes += self._around(functions)
        for node, own in nodes:
            if isinstance(node, ast.Call):
                self._pass_on(node, own)
        furthest: dict[tuple[str, int], Reach] = {}
        found: list[Found] = []
        for node, own in nodes:
            line = getattr(node, "lineno", 0)
            for reach in self._decides(node, own):
                if self._is_late(reach) and reach.amount > furthest.get((own.file, line), NOTHING).amount:
                    furthest[own.file, line] = reach
            if isinstance(node, ast.Call) and self._computes(node, own):
                found.append((own.file, line, COMPUTED.format(line, Path(own.file).name, self._rounds)))
        for (file, line), reach in furthest.items():
            said = LATE.format(line, Path(file).name, reach.text, self._rounds)
            found.append((file, line, said + _advice(reach.amount)))
        return found

    def _is_late(self, reach: Reach) -> bool:
        return reach.amount >= self.least

    def _around(self, functions: list[OwnFunction]) -> Iterator[tuple[ast.AST, OwnFunction]]:
        """Yield what modules and classes give to the names that are mentioned in functions."""
        mentioned = {name for own in functions for node in body_nodes(own) if (name := _name(node))}
        for own in {own.file: own for own in functions}.values():
            tree = spelled_in(own).tree
            blocks = [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
            for statement in (statement for block in blocks for statement in block):
                if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
                    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                    if any(_name(part) in mentioned for target in targets for part in ast.walk(target)):
                        yield from ((node, own) for node in ast.walk(statement))

    def _pass_on(self, call: ast.Call, own: OwnFunction) -> None:
        """Let the parameters of own functions stand for the numbers with which a call names them."""
        for callee in self._callees(call, own):
            pairs = [*zip(callee.told, call.args, strict=False)]
            pairs += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
            for name, part in pairs:
                if (number := self._numbers.fold(part, own)) is not None:
                    self._numbers.tell(callee, name, number)

    def _decides(self, node: ast.AST, own: OwnFunction) -> Iterator[Reach]:
        """Yield the numbers by which a node decides something."""
        if isinstance(node, ast.Compare) and not all(isinstance(o, ast.Is | ast.IsNot) for o in node.ops):
            sides = [node.left, *node.comparators]
            if not any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in sides):
                yield from self._together(sides, own)
        elif isinstance(node, ast.Subscript):
            index = node.slice
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            ends = [(p.lower, p.upper, p.step) if isinstance(p, ast.Slice) else (p,) for p in parts]
            yield from self._together([end for each in ends for end in each if end is not None], own)
        elif isinstance(node, ast.BinOp | ast.AugAssign):
            yield from self._of_operation(node, own)
        elif isinstance(node, ast.Dict):
            yield from self._together([key for key in node.keys if key is not None], own)
        elif isinstance(node, ast.MatchValue):
            yield from self._together([node.value], own)
        elif isinstance(node, ast.MatchMapping):
            yield from self._together(node.keys, own)
        elif isinstance(node, ast.Call):
            yield from self._of_call(node, own)

    def _of_operation(self, node: ast.BinOp | ast.AugAssign, own: OwnFunction) -> Iterator[Reach]:
        sides = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.target, node.value]
        if self._numbers.fold(node, own) is not None or any(_is_text(side) for side in sides):
            return
        if isinstance(node.op, DECIDING):
            yield from self._together(sides, own)
            if isinstance(node.op, ast.RShift) and (by := self._numbers.fold(sides[1], own)) is not None:
                yield Reach(2.0 ** min(abs(by), 1000), f"2 ** {by:g}")
        elif isinstance(node.op, ast.Add | ast.Sub) and not any(self._private(side, own) for side in sides):
            yield from (reach for side in sides for reach in self._lengths(side, own))
            for side in sides:
                for number in self._whole(side, own):
                    yield Reach(abs(number), f"{number:g}")

    def _whole(self, side: ast.AST, own: OwnFunction) -> Iterator[Number]:
        """Yield the whole numbers that a term may be; others are measured values and scales."""
        number = self._numbers.fold(side, own)
        for each in self._numbers.standing(side, own).numbers if number is None else [number]:
            if float(each).is_integer():
                yield each

    def _lengths(self, side: ast.AST, own: OwnFunction) -> Iterator[Reach]:
        """Yield the lengths of a repeated sequence, and of arrays that are made of one number."""
        if isinstance(side, ast.BinOp) and isinstance(side.op, ast.Mult):
            for one, other in ((side.left, side.right), (side.right, side.left)):
                if isinstance(one, ast.List | ast.Tuple) or _is_text(one):
                    yield from self._together([other], own)
        elif isinstance(side, ast.List | ast.Tuple | ast.Starred):
            for part in ast.iter_child_nodes(side):
                yield from self._lengths(part, own)
        elif isinstance(side, ast.Call) and called_name(side) in SIZES:
            yield from self._together(arguments_of(side), own)

    def _of_call(self, call: ast.Call, own: OwnFunction) -> Iterator[Reach]:
        name, parts = called_name(call), arguments_of(call)
        if name in STEPS:
            yield from self._together(parts, own, whole=True)
        if name in JOINS:
            yield from (reach for part in parts for reach in self._lengths(part, own))
        if name in SIZES or self._callees(call, own) or self._draws(call, own) or self._is_privchecks(call, own):
            return
        if "clip" in name and self._private(call, own):
            return
        holder = call.func.value if isinstance(call.func, ast.Attribute) else None
        others = [*parts, *([] if holder is None else [holder])]
        alone = len(parts) >= ALONE.get(name, math.inf)
        if alone or not all(self._is_constant(part, own) for part in others):
            yield from self._together(parts, own)

    def _is_constant(self, node: ast.AST, own: OwnFunction) -> bool:
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return all(self._is_constant(part, own) for part in node.elts)
        known = isinstance(node, ast.Constant) or self._numbers.fold(node, own) is not None
        return known or is_global(node, own) or (isinstance(node, ast.Attribute) and is_global(node.value, own))

    def _is_privchecks(self, call: ast.Call, own: OwnFunction) -> bool:
        """Tell whether a call is one of privcheck, or a method of one of its classes or of a mechanism."""
        function: Any = call.func
        value = None
        if isinstance(function, ast.Name):
            value = own.value(function.id)
        elif isinstance(function, ast.Attribute) and is_global(function.value, own):
            holder = own.value(function.value.id)  # type: ignore[attr-defined]
            value = holder if isinstance(holder, type) else getattr(holder, function.attr, None)
        if isinstance(value, type) and issubclass(value, Mechanism):
            return True
        made = str(getattr(value, "__module__", "")).partition(".")[0]
        return made == "privcheck" or method_name(call) in ("release", "release_batch")

    def _together(self, parts: list[ast.expr], own: OwnFunction, *, whole: bool = False) -> Iterator[Reach]:
        """Yield how far the numbers of operands reach: divisors and small factors within them multiply the others."""
        direct = [] if whole else [number for part in parts for number in self._leaves(part, own)]
        units = [unit for part in parts for unit in self._units(part, own)]
        unit = math.prod(one.amount for one in units)
        times = "".join(f" times {one.text}" for one in units)
        for number in direct:
            yield Reach(abs(number), f"{number:g}")
            if units and abs(number) > 1:
                yield Reach(abs(number) * unit, f"{number:g}{times}")
        if units:
            yield Reach(unit, times.removeprefix(" times "))

    def _leaves(self, node: ast.AST, own: OwnFunction) -> Iterator[Number]:
        """Yield the numbers that an operand may be, other than as a factor."""
        number = self._numbers.fold(node, own)
        if number is not None:
            yield number
        elif isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            standing = self._numbers.standing(node, own)
            yield from (each for each in standing.numbers | standing.entries if float(each).is_integer())
        elif isinstance(node, ast.UnaryOp | ast.Starred | ast.NamedExpr):
            yield from self._leaves(node.operand if isinstance(node, ast.UnaryOp) else node.value, own)
        elif isinstance(node, ast.IfExp | ast.BoolOp | ast.List | ast.Tuple | ast.Set):
            held = [node.body, node.orelse] if isinstance(node, ast.IfExp) else getattr(node, "elts", None)
            for part in node.values if isinstance(node, ast.BoolOp) else held or ():
                yield from self._leaves(part, own)

    def _units(self, node: ast.AST, own: OwnFunction) -> Iterator[Reach]:
        """Yield the divisors in an operand, and the factors below 1."""
        if isinstance(node, ast.UnaryOp):
            yield from self._units(node.operand, own)
        if not isinstance(node, ast.BinOp):
            return
        for side in (node.left, node.right):
            yield from self._units(side, own)
            number = self._numbers.fold(side, own)
            if not number:
                continue
            size, divides = abs(number), isinstance(node.op, ast.Div | ast.FloorDiv) and side is node.right
            if (divides and size > 1) or (isinstance(node.op, ast.Mult) and TOLERANCE < size < 1):
                yield Reach(size if divides else 1 / size, f"{number:g}")
            elif isinstance(node.op, ast.RShift) and side is node.right:
                yield Reach(2.0 ** min(size, 1000), f"2 ** {number:g}")

    def _computes(self, call: ast.Call, own: OwnFunction) -> bool:
        """Tell whether a call takes an attribute of a private value, or a function for one, by a name it computes."""
        if computes_name(call) and call.args and self._private(call.args[0], own):
            return True
        function = call.func
        if not isinstance(function, ast.Call):
            return False
        chosen = computes_name(function) or (
            called_name(function) in ("methodcaller", "attrgetter")
            and not all(isinstance(part, ast.Constant) for part in function.args)
        )
        return chosen and any(self._private(part, own) for part in arguments_of(call))


NOTHING = Reach(0.0, "")

LATE = "line {} of {} compares or indexes with {}, beyond the {} rounds that ran: what it decides later was not seen"
RAISE = " (raise --horizon to {})"
MOST_ROUNDS = 1e6
"""The longest horizon that is advised: numbers above are times and sizes, which no count of rounds reaches."""

COMPUTED = (
    "line {} of {} takes an attribute by a name that it computes, for a private value: what it takes after the {} "
    "rounds that ran was not seen"
)


def _advice(amount: float) -> str:
    """Return the horizon within which a number is reached, in words; "" if that is none to run.

    >>> _advice(50.0), _advice(1.9e9)
    (' (raise --horizon to 51)', '')
    """
    return RAISE.format(math.floor(amount) + 1) if amount <= MOST_ROUNDS else ""


def is_told_horizon(code: OwnCode, numbers: NamedNumbers) -> bool:
    """Tell whether a function or an object of a target is given the number of rounds, by its usual name."""
    told = {name for own in code.functions for name in parameters_of(own.function.__code__)}
    return "horizon" in told or numbers.knows("horizon")


def _said_by(own: OwnFunction) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body, without errors that it raises, what asks for these alone, and messages."""
    left: list[ast.AST] = [own.node.body] if isinstance(own.node.body, ast.expr) else [*own.node.body]
    while left:
        node = left.pop()
        yield node
        if isinstance(node, ast.Assert):
            left.append(node.test)
        elif isinstance(node, ast.AnnAssign):
            left += [node.target, *([] if node.value is None else [node.value])]
        elif not isinstance(node, ast.Raise):
            asks = node.test if isinstance(node, ast.If) and _only_raises(node) else None
            left.extend(part for part in ast.iter_child_nodes(node) if part is not asks)


def _only_raises(branch: ast.If) -> bool:
    """Tell whether a condition decides about an error and nothing else."""
    gives = any(isinstance(part, ast.NamedExpr) for part in ast.walk(branch.test))
    return not (gives or branch.orelse) and all(isinstance(statement, ast.Raise) for statement in branch.body)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _name(node: ast.AST) -> str:
    return str(getattr(node, "id", getattr(node, "attr", "")))
