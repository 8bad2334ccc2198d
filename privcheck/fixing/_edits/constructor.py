"""What an edit needs of a constructor: the Generator and epsilon, by the names under which methods reach them."""

from __future__ import annotations

import ast

from privcheck.fixing._program import Function, NotEditableError, Program, receiver
from privcheck.fixing._source_text import Span

BY_NAME = ("arms", "epsilon", "delta", "horizon", "rho", "mu")
"""Parameters that are passed by name: the first parameter is the Generator, unless it is one of these."""


class Constructor:
    """What a bandit is built with, and the spans that make it reachable.

    Parameters
    ----------
    program : the program.
    epsilon : the default of a parameter `epsilon` that has to be added.
    """

    def __init__(self, program: Program, epsilon: float) -> None:
        self.program, self.default = program, epsilon
        self.init = program.inherited("__init__")
        self.own = program.methods.get("__init__")
        if self.own is not None and program.cls.bases and _passes_on(self.own):
            self.init, self.own = program.inherited("__init__", above=True), None

    def generator(self, own: str = "self") -> tuple[str, list[Span]]:
        """Return the expression of the Generator in a method, and what has to be changed for it."""
        if self.init is None:
            return f"{own}.{self._field('rng')}", []
        first = self.first
        if first is None:
            spans = self._new_parameter("rng", first=True)
            return self._kept("rng", own, spans)
        if name := self._keeps(first):
            return f"{own}.{name}", []
        return self._kept(first, own, [])

    def epsilon(self, own: str = "self") -> tuple[str, list[Span]]:
        """Return the expression of epsilon in a method, and what has to be changed for it."""
        if self.init is not None and "epsilon" not in self._parameters:
            return self._kept("epsilon", own, self._new_parameter("epsilon"))
        return self.parameter("epsilon", own)

    def parameter(self, name: str, own: str) -> tuple[str, list[Span]]:
        """Return the expression of a parameter that the constructor has, and what has to be changed for it."""
        if self.init is None:
            return f"{own}.{self._field(name)}", []
        if name not in self._parameters:
            raise NotEditableError(f"the constructor takes no {name}")
        if kept := self._keeps(name):
            return f"{own}.{kept}", []
        return self._kept(name, own, [])

    @property
    def _parameters(self) -> list[str]:
        assert self.init is not None
        arguments = self.init.args
        return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)][1:]

    @property
    def first(self) -> str | None:
        """The parameter that is given the Generator; None if there is none."""
        assert self.init is not None
        given = [each.arg for each in (*self.init.args.posonlyargs, *self.init.args.args)][1:]
        return given[0] if given and given[0] not in BY_NAME else None

    def _field(self, name: str) -> str:
        """Return the name of a field of a data class."""
        fields = [
            node.target.id
            for each in reversed(self.program.line_of_classes)  # those of a base come first
            for node in each.body
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and _is_passed(node)
        ]
        if not fields or (name != "rng" and name not in fields):
            raise NotEditableError("the class has no constructor")
        return fields[0] if name == "rng" else name

    def _keeps(self, parameter: str) -> str | None:
        """Return the attribute that holds a parameter, which nothing else is assigned to."""
        assert self.init is not None
        own = receiver(self.init)
        values: dict[str, list[ast.expr | None]] = {}
        for each in self.program.line_of_classes:
            for node in ast.walk(each):
                for target, value in assignments(node):
                    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                        values.setdefault(target.attr, []).append(value)
        for node in ast.walk(self.init):
            for target, value in assignments(node):
                if not (isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)):
                    continue
                if target.value.id == own and len(values[target.attr]) == 1 and _is(value, parameter):
                    return target.attr
        return None

    def _kept(self, parameter: str, own: str, spans: list[Span]) -> tuple[str, list[Span]]:
        """Return the expression of a parameter, kept in a new attribute."""
        if self.own is None:
            raise NotEditableError("the constructor is in another class")
        name = parameter if parameter not in self.program.attributes else self.program.free(f"_{parameter}")
        first = receiver(self.own)
        return f"{own}.{name}", [*spans, self.program.at_head(self.own, f"{first}.{name} = {parameter}")]

    def _new_parameter(self, name: str, *, first: bool = False) -> list[Span]:
        if self.own is None or name in {node.arg for node in ast.walk(self.own) if isinstance(node, ast.arg)}:
            raise NotEditableError("the constructor cannot be given another parameter")
        arguments, program = self.own.args, self.program
        if first:
            if program.is_built_here:
                raise NotEditableError("the file builds the class itself, without a Generator")
            after = program.end([*arguments.posonlyargs, *arguments.args][0])
            return [(after, after, f", {name}")]
        if arguments.posonlyargs and not (arguments.args or arguments.kwonlyargs or arguments.kwarg):
            raise NotEditableError("the constructor takes nothing by name")
        new = f"{name}={number(self.default)}"
        if arguments.kwarg is not None:
            start = program.text.rindex("**", 0, program.start(arguments.kwarg))
            return [(start, start, f"{new}, ")]
        last: list[ast.AST] = [*arguments.args, *arguments.defaults, *arguments.kwonlyargs]
        last += [each for each in arguments.kw_defaults if each is not None]
        last += [each.annotation for each in (*arguments.args, *arguments.kwonlyargs) if each.annotation]
        last += [] if arguments.vararg is None else [arguments.vararg]
        end = max(program.end(node) for node in last)
        return [(end, end, f", {new}")]


def number(value: float) -> str:
    """Return a number as code: the shortest that is exactly this number.

    >>> number(1.0), number(0.1234567), number(1234567.0)
    ('1', '0.1234567', '1234567.0')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))


def assignments(node: ast.AST) -> list[tuple[ast.expr, ast.expr | None]]:
    """Return each target of an assignment with its value; of `a, b = c, d` each pair, and of others None."""
    if isinstance(node, ast.AnnAssign):
        return [(node.target, node.value)]
    if isinstance(node, ast.AugAssign):
        return [(node.target, None)]
    if not isinstance(node, ast.Assign):
        return []
    found: list[tuple[ast.expr, ast.expr | None]] = []
    for target in node.targets:
        if not isinstance(target, ast.Tuple | ast.List):
            found.append((target, node.value))
        elif isinstance(node.value, ast.Tuple | ast.List) and len(node.value.elts) == len(target.elts):
            found += zip(target.elts, node.value.elts, strict=True)
        else:
            found += [(each, None) for each in target.elts]
    return found


def _passes_on(init: Function) -> bool:
    """Return whether a constructor names no argument but takes all: it hands them to a base."""
    return init.args.vararg is not None and len([*init.args.posonlyargs, *init.args.args]) == 1


def _is_passed(field: ast.AnnAssign) -> bool:
    """Return whether a field of a data class is a parameter of its constructor."""
    given = field.value.keywords if isinstance(field.value, ast.Call) else []
    left_out = any(each.arg == "init" and ast.unparse(each.value) == "False" for each in given)
    return "ClassVar" not in ast.unparse(field.annotation) and not left_out


def _is(value: ast.expr | None, parameter: str) -> bool:
    """Return whether an assigned value is a parameter, whatever its default stands for."""
    if isinstance(value, ast.Name):
        return value.id == parameter
    if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
        return _is(value.values[0], parameter)
    if isinstance(value, ast.IfExp):
        return _is(value.body, parameter) or _is(value.orelse, parameter)
    if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
        return ast.unparse(value.func).rpartition(".")[2] in ("float", "default_rng") and _is(value.args[0], parameter)
    return False
