"""Mathematical expressions: written once, then evaluated in any arithmetic, substituted and differentiated.

An expression is a tree of operations. What an operation does with numbers is the concern of `arithmetic`, so that a
statement is entered once and evaluated in floats, arrays, rationals, intervals, many digits or symbols.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn, Protocol

from privcheck.errors import PrivcheckError, words

Number = int | float | str | Fraction
"""What a constant is made from; a float stands for the decimal number that it prints as."""


class Arithmetic(Protocol):
    """How numbers of one kind are made and combined; `apply` takes the name of an operation and its operands."""

    def constant(self, value: Fraction) -> Any: ...

    def apply(self, operation: str, operands: list[Any]) -> Any: ...

    def whole(self, value: Any) -> int | None:
        """Return the integer that a value is for certain, or None."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Expression:
    """A node: an operation and its operands, a constant, or the name of a variable.

    Parameters
    ----------
    operation : "constant", "variable", or the name of an operation of `arithmetic`.
    operands : the expressions that it is applied to.
    value : the constant, or the name of a variable or of the index of a sum.

    Examples
    --------
    >>> x = variable("x")
    >>> str((1 + x) ** 2 / exp(x))
    '(1 + x)**2/exp(x)'
    """

    operation: str
    operands: tuple[Expression, ...] = ()
    value: Fraction | str | None = None

    def __add__(self, other: Expression | Number) -> Expression:
        return Expression("add", (self, expression(other)))

    def __radd__(self, other: Number) -> Expression:
        return expression(other) + self

    def __sub__(self, other: Expression | Number) -> Expression:
        return Expression("subtract", (self, expression(other)))

    def __rsub__(self, other: Number) -> Expression:
        return expression(other) - self

    def __mul__(self, other: Expression | Number) -> Expression:
        return Expression("multiply", (self, expression(other)))

    def __rmul__(self, other: Number) -> Expression:
        return expression(other) * self

    def __truediv__(self, other: Expression | Number) -> Expression:
        return Expression("divide", (self, expression(other)))

    def __rtruediv__(self, other: Number) -> Expression:
        return expression(other) / self

    def __pow__(self, other: Expression | Number) -> Expression:
        return Expression("power", (self, expression(other)))

    def __rpow__(self, other: Number) -> Expression:
        return expression(other) ** self

    def __neg__(self) -> Expression:
        return expression(-1) * self

    def __le__(self, other: object) -> NoReturn:
        hint = "say at_most(left, right), at_least(left, right) or equal(left, right)"
        raise PrivcheckError("expression", words("a comparison by <, <=, > or >="), "a relation", hint)

    __lt__ = __ge__ = __gt__ = __le__

    def __str__(self) -> str:
        return _written(self)[0]

    def __repr__(self) -> str:
        return f"<{self}>"


def expression(value: Expression | Number) -> Expression:
    """Return an expression as it is, and a number as a constant; a float is the decimal that it prints as.

    Raises
    ------
    PrivcheckError : what is neither an expression nor a finite number.

    Examples
    --------
    >>> str(expression(0.1).value)
    '1/10'
    """
    if isinstance(value, Expression):
        return value
    try:
        if isinstance(value, bool):
            raise TypeError
        return Expression("constant", (), Fraction(str(value)) if isinstance(value, float) else Fraction(value))
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        got = words(f"an object of type {type(value).__name__}") if not isinstance(value, str | float) else value
        hint = "the expression of a Variable x is x.symbol"
        raise PrivcheckError("expression", got, "an expression or a finite number", hint) from None


def variable(name: str) -> Expression:
    """Return the variable of a name."""
    return Expression("variable", (), name)


def _function(operation: str, *operands: Expression | Number) -> Expression:
    return Expression(operation, tuple(map(expression, operands)))


def exp(x: Expression | Number) -> Expression:
    """Return e to the power x."""
    return _function("exp", x)


def log(x: Expression | Number) -> Expression:
    """Return the natural logarithm; minus infinity at 0."""
    return _function("log", x)


def log2(x: Expression | Number) -> Expression:
    """Return the logarithm to base 2."""
    return log(x) / log(2)


def sqrt(x: Expression | Number) -> Expression:
    """Return the square root."""
    return _function("sqrt", x)


def absolute(x: Expression | Number) -> Expression:
    """Return the absolute value."""
    return _function("absolute", x)


def ceiling(x: Expression | Number) -> Expression:
    """Return the smallest integer that is not below x."""
    return _function("ceiling", x)


def minimum(x: Expression | Number, y: Expression | Number) -> Expression:
    """Return the smaller of two."""
    return _function("minimum", x, y)


def maximum(x: Expression | Number, y: Expression | Number) -> Expression:
    """Return the larger of two."""
    return _function("maximum", x, y)


def choose(n: Expression | Number, k: Expression | Number) -> Expression:
    """Return the binomial coefficient of two integers, 0 outside of 0 <= k <= n."""
    return _function("choose", n, k)


def where_negative(test: Expression, negative: Expression | Number, otherwise: Expression | Number) -> Expression:
    """Return `negative` where `test` is below 0, and `otherwise` elsewhere."""
    return _function("where_negative", test, negative, otherwise)


def entropy_term(x: Expression | Number) -> Expression:
    """Return x log x, which is 0 at 0."""
    return _function("entropy_term", x)


def normal_below(x: Expression | Number) -> Expression:
    """Return the probability that a standard normal variable is at most x."""
    return _function("normal_below", x)


def total(index: str, first: Expression | Number, last: Expression | Number, term: Expression) -> Expression:
    """Return the sum of a term over the integers from `first` to `last`; 0 when there are none."""
    return Expression("total", (expression(first), expression(last), term), index)


def evaluate(of: Expression, arithmetic: Arithmetic, values: Mapping[str, Any]) -> Any:
    """Return the value of an expression in an arithmetic.

    Parameters
    ----------
    of : what is evaluated; a subexpression that occurs twice as the same object is evaluated once.
    arithmetic : how numbers are combined.
    values : the numbers of its variables.

    Examples
    --------
    >>> from privcheck.claims._arithmetic import FLOATS
    >>> evaluate(total("k", 1, variable("n"), variable("k") ** 2), FLOATS, {"n": 3})
    14.0
    """
    return _evaluated(of, arithmetic, values, {})


def _evaluated(node: Expression, arithmetic: Arithmetic, values: Mapping[str, Any], known: dict[int, Any]) -> Any:
    found = known.get(id(node))
    if found is not None:
        return found
    if node.operation == "constant":
        assert isinstance(node.value, Fraction)
        result = arithmetic.constant(node.value)
    elif node.operation == "variable":
        result = values[str(node.value)]
    elif node.operation == "total":
        result = _summed(node, arithmetic, values, known)
    else:
        result = arithmetic.apply(
            node.operation, [_evaluated(part, arithmetic, values, known) for part in node.operands]
        )
    known[id(node)] = result
    return result


def _summed(node: Expression, arithmetic: Arithmetic, values: Mapping[str, Any], known: dict[int, Any]) -> Any:
    first, last = (arithmetic.whole(_evaluated(part, arithmetic, values, known)) for part in node.operands[:2])
    if first is None or last is None:
        raise ArithmeticError("the limits of a sum are not integers")
    result = arithmetic.constant(Fraction(0))
    for index in range(first, last + 1):
        inner = {**values, str(node.value): arithmetic.constant(Fraction(index))}
        result = arithmetic.apply("add", [result, _evaluated(node.operands[2], arithmetic, inner, {})])
    return result


def substitute(node: Expression, replacements: Mapping[str, Expression]) -> Expression:
    """Return the expression with variables replaced.

    >>> str(substitute(variable("x") + 1, {"x": variable("y") * 2}))
    'y*2 + 1'
    """
    if node.operation == "variable":
        return replacements.get(str(node.value), node)
    if node.operation == "total":
        replacements = {name: value for name, value in replacements.items() if name != node.value}
    parts = tuple(substitute(part, replacements) for part in node.operands)
    return node if parts == node.operands else Expression(node.operation, parts, node.value)


def variables_of(node: Expression) -> frozenset[str]:
    """Return the names of the free variables.

    >>> sorted(variables_of(total("k", 0, variable("n"), variable("k") * variable("p"))))
    ['n', 'p']
    """
    if node.operation == "variable":
        return frozenset([str(node.value)])
    inside = frozenset[str]().union(*map(variables_of, node.operands))
    return inside - {str(node.value)} if node.operation == "total" else inside


_SIGNS = {"add": (" + ", 1), "subtract": (" - ", 1), "multiply": ("*", 2), "divide": ("/", 2), "power": ("**", 3)}


def _written(node: Expression) -> tuple[str, int]:
    """Return the text of an expression, and how strongly its outermost operation binds."""
    if node.operation == "constant":
        value = node.value
        assert isinstance(value, Fraction)
        return str(value), 4 if value.denominator == 1 and value >= 0 else 2 if value >= 0 else 0
    if node.operation == "variable":
        return str(node.value), 4
    if node.operation in _SIGNS:
        sign, strength = _SIGNS[node.operation]
        (left, a), (right, b) = map(_written, node.operands)
        if node.operation == "multiply" and left == "-1":
            return f"-{right if b >= strength else f'({right})'}", 1
        left = left if (a >= strength and node.operation != "power") or a > strength else f"({left})"
        right = right if b > strength or (b == strength and sign in (" + ", "*")) else f"({right})"
        return f"{left}{sign}{right}", strength
    parts = [_written(part)[0] for part in node.operands]
    if node.operation == "total":
        return f"sum({parts[2]}, {node.value} = {parts[0]}..{parts[1]})", 4
    return f"{node.operation}({', '.join(parts)})", 4


def decimal(value: Fraction, digits: int = 6) -> str:
    """Return a rational number as people write it: exactly if that is short, else rounded to some digits.

    >>> decimal(Fraction(1, 3)), decimal(Fraction(5, 2)), decimal(Fraction(1, 10**9))
    ('1/3', '2.5', '1e-09')
    """
    rounded = f"{float(value):.{digits}g}"
    if Fraction(rounded) == value:
        return rounded
    return str(value) if value.denominator < 1000 and math.log10(abs(value) + 1) < 4 else f"{float(value):.12g}"
