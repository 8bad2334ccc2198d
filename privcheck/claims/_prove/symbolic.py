"""Identities by computer algebra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from privcheck.claims._arithmetic import FLOATS, SYMBOLS
from privcheck.claims._expression import Expression, evaluate
from privcheck.claims._variables import Variable

CLEARLY = 1e-3
"""An expression whose value in floats is larger than this is not 0."""


def symbols(variables: Sequence[Variable]) -> dict[str, Any]:
    """Return sympy's symbols for variables, with the signs that their domains imply."""
    import sympy

    return {
        of.name: sympy.Symbol(
            of.name,
            integer=of.integer or None,
            positive=True if of.low > 0 or (of.low == 0 and of.low_open) else None,
            nonnegative=True if of.low >= 0 else None,
            real=True,
        )
        for of in variables
    }


def vanishes(node: Expression, variables: Sequence[Variable]) -> bool:
    """Return whether an expression is 0 for all values of its variables, as far as sympy can tell.

    >>> from privcheck.claims import variable
    >>> from privcheck.claims._variables import probability
    >>> x = variable("x")
    >>> vanishes((x + 1) ** 2 - x**2 - 2 * x - 1, [probability("x")])
    True
    """
    import sympy

    if _differs(node, variables):
        return False
    try:
        value = sympy.sympify(evaluate(node, SYMBOLS, symbols(variables)))
        return bool(value == 0 or sympy.simplify(value) == 0)
    except Exception:  # sympy's simplification raises what it stumbles over, such as KeyError(zoo)
        return False


def _differs(node: Expression, variables: Sequence[Variable]) -> bool:
    """Return whether an expression is clearly not 0 at some point, which spares computer algebra."""
    for share in (0.31, 0.73):
        point = {}
        for of in variables:
            low, high = map(float, of.proved)  # near 0, where floats do not cancel
            value = low + share * min(high - low, 4.0)
            point[of.name] = float(round(value)) if of.integer else value
        try:
            if abs(evaluate(node, FLOATS, point)) > CLEARLY:
                return True
        except ArithmeticError:
            continue
    return False
