"""Intervals of two floats with outward rounding: fast enough to bisect a box some thousand times.

Additions, subtractions, multiplications, divisions and square roots of floats are rounded to nearest by IEEE 754, so
that the neighbouring float is an outward bound. For exp and log the C library promises no more than an error of about
one unit in the last place, in writing nowhere; they are widened by `LIBRARY_ERROR` units. A proof that was found
with these intervals is checked again, leaf by leaf, with those of `precise_intervals`, which do not use the C library.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

Pair = tuple[float, float]

LINE: Pair = (-math.inf, math.inf)
LIBRARY_ERROR = 4


def _stepped(x: float, towards: float, steps: int) -> float:
    for _ in range(steps):
        x = math.nextafter(x, towards)
    return x


def _outward(low: float, high: float, steps: int = 1) -> Pair:
    if low != low or high != high:
        return LINE
    return _stepped(low, -math.inf, steps), _stepped(high, math.inf, steps)


def _add(x: Pair, y: Pair) -> Pair:
    return _outward(x[0] + y[0], x[1] + y[1])


def _subtract(x: Pair, y: Pair) -> Pair:
    return _outward(x[0] - y[1], x[1] - y[0])


def _times(a: float, b: float) -> float:
    return 0.0 if a == 0.0 or b == 0.0 else a * b


def _multiply(x: Pair, y: Pair) -> Pair:
    ends = [_times(a, b) for a in x for b in y]
    low, high = min(ends), max(ends)
    if (0.0, 0.0) in (x, y):
        return (0.0, 0.0)
    exact_low = low == 0.0 and min(x[0], y[0]) >= 0.0
    return (0.0 if exact_low else _stepped(low, -math.inf, 1)), _stepped(high, math.inf, 1)


def _divide(x: Pair, y: Pair) -> Pair:
    if y[0] <= 0.0 <= y[1]:
        return LINE
    ends = [a / b if not (math.isinf(a) and math.isinf(b)) else math.nan for a in x for b in y]
    if any(end != end for end in ends):
        return LINE
    low, high = min(ends), max(ends)
    if low == 0.0 and x[0] == 0.0 and y[0] > 0.0:
        return 0.0, _stepped(high, math.inf, 1)
    return _outward(low, high)


def _power(base: Pair, exponent: Pair) -> Pair:
    if exponent[0] == exponent[1] and exponent[0].is_integer() and abs(exponent[0]) < 1000:
        return _integer_power(base, int(exponent[0]))
    return _exp(_multiply(exponent, _log(base))) if base[0] > 0.0 else LINE


def _integer_power(base: Pair, n: int) -> Pair:
    if n < 0:
        return _divide((1.0, 1.0), _integer_power(base, -n))
    if n % 2 == 0:
        base = _absolute(base)  # an even power does not see the sign
    result: Pair = (1.0, 1.0)
    for _ in range(n):
        result = _multiply(result, base)
    return result


def _exp(x: Pair) -> Pair:
    low = math.exp(min(x[0], 709.0))
    high = math.inf if x[1] > 709.0 else _stepped(math.exp(x[1]), math.inf, LIBRARY_ERROR)
    return max(0.0, _stepped(low, -math.inf, LIBRARY_ERROR)), high


def _log(x: Pair) -> Pair:
    if x[0] < 0.0 or x[1] <= 0.0:
        return LINE
    low = -math.inf if x[0] == 0.0 else _stepped(math.log(x[0]), -math.inf, LIBRARY_ERROR)
    return low, (math.inf if math.isinf(x[1]) else _stepped(math.log(x[1]), math.inf, LIBRARY_ERROR))


def _sqrt(x: Pair) -> Pair:
    if x[0] < 0.0:
        return LINE
    return max(0.0, math.nextafter(math.sqrt(x[0]), -math.inf)), math.nextafter(math.sqrt(x[1]), math.inf)


def _absolute(x: Pair) -> Pair:
    if x[0] >= 0.0:
        return x
    return (-x[1], -x[0]) if x[1] <= 0.0 else (0.0, max(-x[0], x[1]))


def _ceiling(x: Pair) -> Pair:
    return tuple(end if math.isinf(end) else float(math.ceil(end)) for end in x)  # type: ignore[return-value]


def _choose(n: Pair, k: Pair) -> Pair:
    if n[0] != n[1] or k[0] != k[1] or not n[0].is_integer() or not k[0].is_integer():
        return LINE
    value = math.comb(int(n[0]), int(k[0])) if 0.0 <= k[0] <= n[0] else 0
    return _outward(float(value), float(value), 0 if value < 2**53 else 1)


def _where_negative(test: Pair, negative: Pair, otherwise: Pair) -> Pair:
    if test[1] < 0.0:
        return negative
    return otherwise if test[0] >= 0.0 else (min(negative[0], otherwise[0]), max(negative[1], otherwise[1]))


def _entropy_term(x: Pair) -> Pair:
    """Return x log x: it falls from 0 at 0 to -1/e at 1/e, and rises from there."""
    if x[0] < 0.0:
        return LINE
    ends = [(0.0, 0.0) if end == 0.0 else _multiply((end, end), _log((end, end))) for end in x]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    return (min(low, -0.36787944117144239) if x[0] < 0.368 and x[1] > 0.367 else low), high


_OPERATIONS: dict[str, Callable[..., Pair]] = {
    "add": _add,
    "subtract": _subtract,
    "multiply": _multiply,
    "divide": _divide,
    "power": _power,
    "exp": _exp,
    "log": _log,
    "sqrt": _sqrt,
    "absolute": _absolute,
    "ceiling": _ceiling,
    "minimum": lambda x, y: (min(x[0], y[0]), min(x[1], y[1])),
    "maximum": lambda x, y: (max(x[0], y[0]), max(x[1], y[1])),
    "choose": _choose,
    "where_negative": _where_negative,
    "entropy_term": _entropy_term,
    "normal_below": lambda _x: (0.0, 1.0),  # statements with normal laws are searched, refuted by `precise_intervals`
}


class QuickIntervals:
    """Intervals of floats; a point outside of an operation's domain makes the result the whole line.

    >>> from privcheck.claims._expression import evaluate; from privcheck.claims import variable
    >>> low, high = evaluate(variable("x") ** 2 - 1, QUICK, {"x": (0.0, 0.5)})
    >>> low <= -1.0 and -0.75 <= high < -0.74
    True
    """

    def constant(self, value: Fraction) -> Pair:
        near = float(value)
        return (near, near) if Fraction(near) == value else _outward(near, near)

    def whole(self, value: Pair) -> int | None:
        return int(value[0]) if value[0] == value[1] and value[0].is_integer() else None

    def apply(self, operation: str, operands: list[Any]) -> Pair:
        low, high = _OPERATIONS[operation](*operands)
        return LINE if low != low or high != high or low > high else (low, high)


QUICK = QuickIntervals()
