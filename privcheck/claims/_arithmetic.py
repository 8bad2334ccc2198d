"""The arithmetics in which expressions are evaluated: floats, arrays, rationals, intervals, many digits, symbols.

Floats and arrays are for searching only. What is reported rests on rationals, which are exact, or on intervals.
An operation outside of its domain gives NaN in floats and arrays, and raises ArithmeticError in rationals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

NAN = math.nan


class Floats:
    """Floating-point numbers, for searching."""

    def constant(self, value: Fraction) -> float:
        return float(value)

    def whole(self, value: Any) -> int | None:
        return int(value) if math.isfinite(value) and float(value).is_integer() else None

    def apply(self, operation: str, operands: list[Any]) -> float:
        try:
            return float(_FLOAT[operation](*operands))
        except (ValueError, ZeroDivisionError, TypeError, OverflowError):
            return NAN  # what is too large for floats is not searched


def _float_power(base: float, exponent: float) -> float:
    if base < 0.0 and not float(exponent).is_integer():
        return NAN
    return float(base**exponent)


def _float_choose(n: float, k: float) -> float:
    if not float(n).is_integer() or not float(k).is_integer():
        return NAN
    return float(math.comb(int(n), int(k))) if 0 <= k <= n else 0.0


def _float_log(x: float) -> float:
    return math.log(x) if x > 0.0 else (-math.inf if x == 0.0 else NAN)


def _least(x: Any, y: Any) -> Any:
    return NAN if x != x or y != y else min(x, y)


def _greatest(x: Any, y: Any) -> Any:
    return NAN if x != x or y != y else max(x, y)


_FLOAT: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "power": _float_power,
    "exp": math.exp,
    "log": _float_log,
    "sqrt": math.sqrt,
    "absolute": abs,
    "ceiling": lambda x: x if math.isinf(x) else math.ceil(x - 1e-12 * abs(x)),
    "minimum": _least,
    "maximum": _greatest,
    "choose": _float_choose,
    "where_negative": lambda test, negative, otherwise: NAN if test != test else negative if test < 0 else otherwise,
    "entropy_term": lambda x: x * math.log(x) if x > 0.0 else (0.0 if x == 0.0 else NAN),
    "normal_below": lambda x: math.erfc(-x / math.sqrt(2.0)) / 2.0,
}


class Arrays:
    """Arrays of floating-point numbers, for searching many points at once."""

    def constant(self, value: Fraction) -> Any:
        return float(value)

    def whole(self, value: Any) -> int | None:
        """Return the integer of a sum's limit, which has to be the same at all points."""
        values = np.unique(value)
        return int(values[0]) if len(values) == 1 and float(values[0]).is_integer() else None

    def apply(self, operation: str, operands: list[Any]) -> Any:
        with np.errstate(all="ignore"):
            return _ARRAY[operation](*operands)


def _array_power(base: Any, exponent: Any) -> Any:
    found = np.power(np.asarray(base, float), exponent)
    return np.where(np.isinf(found), NAN, found)


def _array_choose(n: Any, k: Any) -> Any:
    from scipy.special import comb

    whole = np.equal(n, np.floor(n)) & np.equal(k, np.floor(k))
    return np.where(whole, comb(n, k), NAN)


def _array_entropy_term(x: Any) -> Any:
    from scipy.special import xlogy

    return xlogy(x, x)


def _array_normal_below(x: Any) -> Any:
    from scipy.special import ndtr

    return ndtr(x)


_ARRAY: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": lambda x, y: np.where(np.equal(y, 0.0), NAN, np.divide(x, np.where(np.equal(y, 0.0), 1.0, y))),
    "power": _array_power,
    "exp": lambda x: np.exp(np.where(np.greater(x, 709.0), NAN, x)),
    "log": np.log,
    "sqrt": np.sqrt,
    "absolute": np.abs,
    "ceiling": lambda x: np.ceil(x - 1e-12 * np.where(np.isinf(x), 0.0, np.abs(x))),
    "minimum": np.minimum,
    "maximum": np.maximum,
    "choose": _array_choose,
    "where_negative": lambda test, negative, otherwise: np.where(
        np.isnan(test), NAN, np.where(np.less(test, 0.0), negative, otherwise)
    ),
    "entropy_term": _array_entropy_term,
    "normal_below": _array_normal_below,
}


class Rationals:
    """Exact rational numbers; an irrational function raises ArithmeticError."""

    def constant(self, value: Fraction) -> Fraction:
        return value

    def whole(self, value: Any) -> int | None:
        return int(value) if value.denominator == 1 else None

    def apply(self, operation: str, operands: list[Any]) -> Fraction:
        if operation not in _RATIONAL:
            raise ArithmeticError(f"{operation} of a rational number may be irrational")
        return Fraction(_RATIONAL[operation](*operands))


def _rational_power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > 10_000:
        raise ArithmeticError("an exponent is not a small integer")
    return base ** int(exponent)


def _rational_choose(n: Fraction, k: Fraction) -> Fraction:
    if n.denominator != 1 or k.denominator != 1:
        raise ArithmeticError("a binomial coefficient of what is no integer")
    return Fraction(math.comb(int(n), int(k)) if 0 <= k <= n else 0)


_RATIONAL: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "power": _rational_power,
    "absolute": abs,
    "ceiling": math.ceil,
    "minimum": min,
    "maximum": max,
    "choose": _rational_choose,
    "where_negative": lambda test, negative, otherwise: negative if test < 0 else otherwise,
}


class Symbols:
    """Expressions of sympy, for limits and identities."""

    def constant(self, value: Fraction) -> Any:
        import sympy

        return sympy.Rational(value.numerator, value.denominator)

    def whole(self, value: Any) -> int | None:
        return int(value) if getattr(value, "is_Integer", False) else None

    def apply(self, operation: str, operands: list[Any]) -> Any:
        import sympy

        named = {
            "exp": sympy.exp,
            "log": sympy.log,
            "sqrt": sympy.sqrt,
            "absolute": sympy.Abs,
            "ceiling": sympy.ceiling,
            "minimum": sympy.Min,
            "maximum": sympy.Max,
            "choose": _symbolic_choose,
            "entropy_term": lambda x: x * sympy.log(x) if x != 0 else sympy.Integer(0),
            "normal_below": lambda x: sympy.erfc(-x / sympy.sqrt(2)) / 2,
            "where_negative": lambda test, negative, otherwise: sympy.Piecewise(
                (negative, test < 0), (otherwise, True)
            ),
        }
        return named[operation](*operands) if operation in named else _FLOAT_LIKE[operation](*operands)


def _symbolic_choose(n: Any, k: Any) -> Any:
    """Return a coefficient, or an unknown function of both: Pascal's rule and others fail outside of 0 <= k <= n."""
    import sympy

    if getattr(n, "is_Integer", False) and getattr(k, "is_Integer", False):
        return sympy.Integer(math.comb(int(n), int(k)) if 0 <= k <= n else 0)
    return sympy.Function("choose")(n, k)


_FLOAT_LIKE: dict[str, Callable[..., Any]] = {
    name: _FLOAT[name] for name in ("add", "subtract", "multiply", "divide")
} | {"power": lambda base, exponent: base**exponent}

FLOATS, ARRAYS, RATIONALS, SYMBOLS = Floats(), Arrays(), Rationals(), Symbols()
