"""The derivative of an expression, for proofs near a face on which both sides of a statement are equal."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privcheck.claims._expression import Expression, expression, log, sqrt, variables_of

ZERO, ONE = expression(0), expression(1)


def derivative(node: Expression, name: str) -> Expression | None:
    """Return the partial derivative by a variable, or None where an operation has none everywhere.

    >>> from privcheck.claims import exp, variable
    >>> x = variable("x")
    >>> str(derivative(x * exp(x), "x"))
    'exp(x) + x*exp(x)'
    """
    if name not in variables_of(node):
        return ZERO
    if node.operation == "variable":
        return ONE
    slopes = [derivative(part, name) for part in node.operands]
    if node.operation not in _RULES or any(slope is None for slope in slopes):
        return None
    found: Expression = _RULES[node.operation](node, *node.operands, *slopes)
    return found


def _is(node: Expression, value: int) -> bool:
    return node.operation == "constant" and node.value == value


def _sum(a: Expression, b: Expression) -> Expression:
    return b if _is(a, 0) else a if _is(b, 0) else a + b


def _difference(a: Expression, b: Expression) -> Expression:
    return a if _is(b, 0) else a - b


def _product(a: Expression, b: Expression) -> Expression:
    if _is(a, 0) or _is(b, 0):
        return ZERO
    return b if _is(a, 1) else a if _is(b, 1) else a * b


def _quotient(a: Expression, b: Expression) -> Expression:
    return ZERO if _is(a, 0) else a / b


def _of_power(
    node: Expression, base: Expression, exponent: Expression, slope: Expression, by: Expression
) -> Expression:
    if exponent.operation == "constant":
        assert isinstance(exponent.value, Fraction)
        lowered = base ** expression(exponent.value - 1) if exponent.value != 2 else base
        return _product(_product(exponent, lowered), slope)
    return _product(node, _sum(_product(by, log(base)), _product(exponent, _quotient(slope, base))))


_RULES: dict[str, Callable[..., Expression]] = {
    "add": lambda _node, _a, _b, da, db: _sum(da, db),
    "subtract": lambda _node, _a, _b, da, db: _difference(da, db),
    "multiply": lambda _node, a, b, da, db: _sum(_product(da, b), _product(a, db)),
    "divide": lambda node, _a, b, da, db: _difference(_quotient(da, b), _quotient(_product(node, db), b)),
    "power": _of_power,
    "exp": lambda node, _a, da: _product(da, node),
    "log": lambda _node, a, da: _quotient(da, a),
    "sqrt": lambda _node, a, da: _quotient(da, 2 * sqrt(a)),
    "entropy_term": lambda _node, a, da: _product(da, log(a) + 1),
}
