"""Orders: the limit of a ratio along paths on which all variables grow or shrink together.

A finite table refutes no order. An order is refuted by a path on which computer algebra proves that the ratio of the
two sides tends to infinity ("O") or to 0 ("Omega"), and on which intervals confirm that the ratio passes each of
`LEVELS` at some value of the path's parameter.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privcheck.claims._arithmetic import Symbols
from privcheck.claims._claim import Order
from privcheck.claims._expression import Expression, evaluate, substitute
from privcheck.claims._precise_intervals import intervals

LEVELS = (10, 100, 1000)
BITS = 400
MOST_DOUBLINGS = 15


@dataclass(frozen=True)
class Divergence:
    """A path on which an order fails.

    Parameters
    ----------
    path : the variables as functions of s.
    ratio : which ratio tends to infinity.
    passed : at which s that ratio is above each of `LEVELS`, confirmed by intervals.

    """

    path: dict[str, str]
    ratio: str
    passed: dict[str, str]


def divergence(order: Order) -> Divergence | None:
    """Return a path of an order on which it fails for certain, or None.

    >>> from privcheck.claims import log, variable
    >>> n, s = variable("n"), variable("s")
    >>> divergence(Order(n * log(n), "O", n, ({"n": s},))).ratio
    'left/right'
    >>> divergence(Order(n, "O", n * log(n), ({"n": s},)))
    """
    inverted = order.sense == "Omega"
    for path in order.paths:
        left, right = (substitute(side, path) for side in (order.left, order.right))
        ratio = right / left if inverted else left / right
        if _tends_to_infinity(ratio):
            passed = _passes(ratio)
            if passed is not None:
                written = {name: str(value) for name, value in path.items()}
                return Divergence(written, "right/left" if inverted else "left/right", passed)
    return None


class Eventually(Symbols):
    """Expressions of sympy for large s: a minimum or maximum is the operand that a limit shows to be it eventually."""

    def apply(self, operation: str, operands: list[Any]) -> Any:
        if operation not in ("minimum", "maximum"):
            return super().apply(operation, operands)
        import sympy

        x, y = operands
        s = sympy.Symbol("s", positive=True)
        difference = sympy.simplify(x - y)
        towards = sympy.Integer(0) if difference == 0 else sympy.limit(difference, s, sympy.oo)
        if difference != 0 and not (towards.is_extended_positive or towards.is_extended_negative):
            raise NotImplementedError("which of two is smaller for large s")
        return x if bool(towards.is_extended_negative) == (operation == "minimum") else y


def _tends_to_infinity(ratio: Expression) -> bool:
    import sympy

    s = sympy.Symbol("s", positive=True)
    try:
        return bool(sympy.limit(sympy.simplify(evaluate(ratio, Eventually(), {"s": s})), s, sympy.oo) == sympy.oo)
    except (NotImplementedError, ValueError, TypeError, ArithmeticError):
        return False


def _passes(ratio: Expression) -> dict[str, str] | None:
    """Return where the ratio passes each level, s being a power of 2 whose exponent is a power of 2."""
    arithmetic = intervals(BITS)
    passed = {}
    for level in LEVELS:
        for doublings in range(1, MOST_DOUBLINGS):
            s = Fraction(2) ** (2**doublings)
            try:
                if arithmetic.lower(evaluate(ratio, arithmetic, {"s": arithmetic.constant(s)})) > level:
                    passed[str(level)] = f"2^{2**doublings}"
                    break
            except ArithmeticError:
                continue
        else:
            return None
    return passed
