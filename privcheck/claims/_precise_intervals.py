"""Interval arithmetic with outward rounding, at any number of digits.

Proofs are found with `float_intervals`, which are some three times as fast, and checked again with these, which share
nothing with them. They stand on mpmath's intervals, which are in pure Python, come with sympy and take any precision: a
counterexample is confirmed at 50 and at 100 digits by the same code that proves a statement on a box. mpmath rounds
additions, multiplications, divisions and square roots outwards exactly. For exp and log it rounds an approximation with
guard digits; each result is widened by some units in the last place, so that nothing rests on those guard digits.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

GUARD_BITS = 6
"""exp and log are widened by 2**GUARD_BITS units in the last place."""


FAR = 12.0
"""From this many standard deviations on, a normal tail is enclosed by its asymptotic series."""


class Intervals:
    """Closed intervals with bounds of a fixed number of bits.

    A point outside of an operation's domain makes the result the whole line: nothing can be proven from it.

    Parameters
    ----------
    bits : precision of the bounds.

    Examples
    --------
    >>> from privcheck.claims._expression import evaluate; from privcheck.claims import exp, variable
    >>> arithmetic = Intervals(53)
    >>> found = evaluate(exp(variable("x")) - 1, arithmetic, {"x": arithmetic.between(Fraction(0), Fraction(1))})
    >>> arithmetic.lower(found) <= 0.0, arithmetic.upper(found) >= 1.718281828459045
    (True, True)
    """

    def __init__(self, bits: int) -> None:
        from mpmath.ctx_iv import MPIntervalContext

        self.context = MPIntervalContext()
        self.context.prec = bits
        self.line = self.context.mpf(["-inf", "inf"])
        wide = self.context.mpf(2) ** (GUARD_BITS - bits)
        self.widening = self.context.mpf([(1 - wide).a, (1 + wide).b])
        self.zero = self.context.mpf(0)

    def constant(self, value: Fraction) -> Any:
        return self.context.mpf(value.numerator) / self.context.mpf(value.denominator)

    def between(self, low: Fraction, high: Fraction) -> Any:
        """Return an interval that has both numbers and all in between."""
        return self.context.mpf([self.constant(low).a, self.constant(high).b])

    def whole(self, value: Any) -> int | None:
        low, high = self.lower(value), self.upper(value)
        return int(low) if low == high and low.is_integer() else None

    def lower(self, value: Any) -> float:
        """Return the lower bound as a float, rounded down."""
        return _as_float(value._mpi_[0], "f")

    def upper(self, value: Any) -> float:
        """Return the upper bound as a float, rounded up."""
        return _as_float(value._mpi_[1], "c")

    def hull(self, x: Any, y: Any) -> Any:
        """Return the smallest interval that has both."""
        return self.minimum(x, y, upper=self.maximum(x, y))

    def minimum(self, x: Any, y: Any, *, upper: Any = None) -> Any:
        low = min(_end(x, 0), _end(y, 0), key=_key)
        high = min(_end(x, 1), _end(y, 1), key=_key) if upper is None else _end(upper, 1)
        return self.context.make_mpf((low, high))

    def maximum(self, x: Any, y: Any) -> Any:
        return self.context.make_mpf((max(_end(x, 0), _end(y, 0), key=_key), max(_end(x, 1), _end(y, 1), key=_key)))

    def apply(self, operation: str, operands: list[Any]) -> Any:
        try:
            return getattr(self, f"_{operation}", None)(*operands)  # type: ignore[misc]
        except (ValueError, ZeroDivisionError, OverflowError):
            return self.line

    def _add(self, x: Any, y: Any) -> Any:
        return x + y

    def _subtract(self, x: Any, y: Any) -> Any:
        return x - y

    def _multiply(self, x: Any, y: Any) -> Any:
        return x * y

    def _divide(self, x: Any, y: Any) -> Any:
        return self.line if _sign(y, 0) <= 0 <= _sign(y, 1) else x / y

    def _power(self, base: Any, exponent: Any) -> Any:
        whole = self.whole(exponent)
        if whole is not None:
            if whole < 0:
                return self._divide(self.constant(Fraction(1)), base ** (-whole))
            return base**whole
        return self._exp(exponent * self._log(base)) if _sign(base, 0) > 0 else self.line

    def _exp(self, x: Any) -> Any:
        return self.context.exp(x) * self.widening

    def _log(self, x: Any) -> Any:
        if _sign(x, 0) < 0:
            return self.line
        if _sign(x, 0) == 0:
            if _sign(x, 1) == 0:
                return self.context.mpf(["-inf", "-inf"])
            return self.context.mpf(["-inf", self._log(x.b).b])
        found = self.context.log(x)
        return self.hull(found * self.widening, found)

    def _sqrt(self, x: Any) -> Any:
        return self.context.sqrt(x) if _sign(x, 0) >= 0 else self.line

    def _absolute(self, x: Any) -> Any:
        if _sign(x, 0) >= 0:
            return x
        return -x if _sign(x, 1) <= 0 else self.maximum(self.hull(self.zero, x), self.hull(self.zero, -x))

    def _ceiling(self, x: Any) -> Any:
        from mpmath.libmp import mpf_ceil

        return self.context.make_mpf((mpf_ceil(_end(x, 0)), mpf_ceil(_end(x, 1))))

    def _minimum(self, x: Any, y: Any) -> Any:
        return self.minimum(x, y)

    def _maximum(self, x: Any, y: Any) -> Any:
        return self.maximum(x, y)

    def _choose(self, n: Any, k: Any) -> Any:
        top, bottom = self.whole(n), self.whole(k)
        if top is None or bottom is None:
            return self.line
        return self.context.mpf(math.comb(top, bottom) if 0 <= bottom <= top else 0)

    def _where_negative(self, test: Any, negative: Any, otherwise: Any) -> Any:
        if _sign(test, 1) < 0:
            return negative
        return otherwise if _sign(test, 0) >= 0 else self.hull(negative, otherwise)

    def _entropy_term(self, x: Any) -> Any:
        """Return x log x: it falls from 0 at 0 to -1/e at 1/e, and rises from there."""
        if _sign(x, 0) < 0:
            return self.line
        ends = [self.zero if _sign(end, 0) == 0 else end * self._log(end) for end in (x.a, x.b)]
        found = self.hull(*ends)
        turn = self._exp(self.context.mpf(-1))
        crosses = _key(_end(x, 0)) <= _key(_end(turn, 1)) and _key(_end(turn, 0)) <= _key(_end(x, 1))
        return self.hull(found, -turn) if crosses else found

    def _normal_below(self, x: Any) -> Any:
        """Return the distribution function of the standard normal law, which rises."""
        return self.hull(*(self._normal_at(end) for end in (x.a, x.b)))

    def _normal_at(self, x: Any) -> Any:
        """Return it at a number: 1/2 + (x + x^3/3 + x^5/(3 5) + ...) exp(-x^2/2)/sqrt(2 pi), which does not cancel."""
        if _sign(x, 0) < 0:
            far = self.upper(x) < -FAR
            return self._normal_tail(-x) if far else self.constant(Fraction(1)) - self._normal_at(-x)
        if self.lower(x) > FAR:
            return self.constant(Fraction(1)) - self._normal_tail(x)
        term = sum_ = x
        factor = 1
        # from where the terms halve, what is left out is at most twice the last term
        while self.upper(x * x) > factor / 2 or self.upper(term) > 2.0 ** -(self.context.prec + GUARD_BITS):
            factor += 2
            term = term * x * x / factor
            sum_ = sum_ + term
        rest = self.context.mpf([0, (2 * term).b])
        return self.constant(Fraction(1, 2)) + (sum_ + rest) * self._exp(-x * x / 2) / self._root_of_two_pi()

    def _normal_tail(self, x: Any) -> Any:
        """Return the probability above a large number.

        Successive partial sums of exp(-x^2/2)/(x sqrt(2 pi)) (1 - 1/x^2 + 1 3/x^4 - ...) are on both sides of it.
        """
        square, term, sum_ = x * x, self.constant(Fraction(1)), self.constant(Fraction(1))
        before = sum_
        for factor in range(1, int(FAR**2) - 1, 2):
            term = -term * factor / square
            before, sum_ = sum_, sum_ + term
        return self.hull(before, sum_) * self._exp(-square / 2) / (x * self._root_of_two_pi())

    def _root_of_two_pi(self) -> Any:
        return self.context.sqrt(2 * self.context.pi * self.widening)


class PointIntervals(Intervals):
    """The same for points, where an operation outside of its domain has no value, nor has what is computed from it.

    Its result is None. The whole line, which stands for it on a box, says too much: the exponential of any number is
    positive, but exp(log(-1)) is no number.
    """

    def whole(self, value: Any) -> int | None:
        return None if value is None else super().whole(value)

    def apply(self, operation: str, operands: list[Any]) -> Any:
        if operation == "where_negative" and operands[0] is not None:
            test, negative, otherwise = operands
            if _sign(test, 1) < 0 or _sign(test, 0) >= 0:
                return negative if _sign(test, 1) < 0 else otherwise
        if any(operand is None for operand in operands):
            return None
        found = super().apply(operation, operands)
        return None if found is self.line else found


def _end(value: Any, side: int) -> Any:
    return value._mpi_[side]


def _sign(value: Any, side: int) -> int:
    from mpmath.libmp import mpf_sign

    return int(mpf_sign(value._mpi_[side]))


@lru_cache(maxsize=1)
def _ordered() -> Any:
    from functools import cmp_to_key

    from mpmath.libmp import mpf_cmp

    return cmp_to_key(mpf_cmp)


def _key(end: Any) -> Any:
    return _ordered()(end)


def _as_float(end: Any, rounding: str) -> float:
    """Return an end as a float, rounded down ("f") or up ("c"), also where it is too large or too small for floats."""
    from mpmath.libmp import finf, fninf, from_float, mpf_cmp, to_float

    if end == finf:
        return math.inf
    if end == fninf:
        return -math.inf
    near, away = float(to_float(end, rnd=rounding)), -math.inf if rounding == "f" else math.inf
    beyond = mpf_cmp(from_float(near), end) * (1 if rounding == "f" else -1)
    return math.nextafter(near, away) if beyond > 0 else near


@lru_cache(maxsize=8)
def intervals(bits: int) -> Intervals:
    """Return the intervals of a precision; made once."""
    return Intervals(bits)


@lru_cache(maxsize=8)
def point_intervals(bits: int) -> PointIntervals:
    """Return those of points; made once."""
    return PointIntervals(bits)


def bits_of(digits: int) -> int:
    """Return enough bits for a number of decimal digits.

    >>> bits_of(50) >= 167
    True
    """
    return math.ceil(digits * math.log2(10)) + 8
