"""The divergence from a law with finitely many atoms to the laws of larger mean on a set with largest point `top`.

The private infimum over R and Q of `KL(R || Q) + epsilon TV(P, R)` with mean(Q) >= best is, by duality
(docs/evidence/derivations.md),

    max over 0 <= l < 1/(top - best) of  E_P min( ln(1 - l (X - best)),  ln(1 - l (top - best)) + epsilon ),

and without the second entry of the minimum it is `d_inf` (Honda & Takemura 2010). The function of l is concave.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privcheck.arrays import Array
from privcheck.bounds._divergences import excess, linear_minus_log
from privcheck.bounds._finite_law import FiniteLaw
from privcheck.enclosure import Enclosure

_UNIT_ROUNDOFF = 2.0**-53
"""Largest relative rounding error of one operation in double precision."""
_ROUNDING = 4e-15
"""Relative widening of both ends, 36 unit roundoffs; the error bound of the dual value is added to it."""
_EXTENDED = bool(np.finfo(np.longdouble).eps < 2e-19)


@dataclass(frozen=True)
class _Point:
    """The point l = t / (top - best), stored so that `u = 1 - t = e^-v` is precise at both ends."""

    v: float

    @property
    def t(self) -> float:
        return -math.expm1(-self.v)

    @property
    def u(self) -> float:
        return math.exp(-self.v)


class _Dual:
    """The concave function; rewards become `(x - best)/(top - best)` and their complements `(top - x)/(top - best)`."""

    def __init__(self, law: FiniteLaw, best: float, top: float, epsilon: float) -> None:
        seen = law.weights > 0
        atoms, self.weights = (law.atoms, law.weights) if seen.all() else (law.atoms[seen], law.weights[seen])
        self.epsilon = epsilon
        self.scaled: Array = (atoms - best) / (top - best)
        self.complement: Array = (top - atoms) / (top - best)
        terms = self.weights * self.scaled
        self.gap = -_sum(terms)
        self.gap_error = 3 * _UNIT_ROUNDOFF * float(np.abs(terms).sum())
        self.up = self.scaled > 0
        self.spare: Array = np.empty((2, len(terms)))  # allocating at every step would cost more than the sums

    def remaining(self, point: _Point, out: Array | None = None) -> Array:
        """Return `1 - t s`, without cancellation."""
        found = np.multiply(self.scaled, -point.t, out=out)
        found += 1
        if point.t > 0.5:
            found[self.up] = self.complement[self.up] + point.u * self.scaled[self.up]
        return found

    def logarithms(self, point: _Point) -> Array:
        """Return `ln(1 - t s)`, with a small relative error however close to zero it is."""
        change = self.scaled * -point.t
        far = change < -0.5
        if not far.any():
            logarithms: Array = np.log1p(change)
            return logarithms
        change[far] = 0.0
        logarithms = np.log1p(change)
        with np.errstate(divide="ignore"):
            logarithms[far] = np.log(self.complement[far] + point.u * self.scaled[far])
        return logarithms

    def clipped(self, point: _Point) -> NDArray[np.bool_]:
        return self.logarithms(point) > self.epsilon - point.v

    def slopes(self, point: _Point) -> tuple[float, float]:
        """Return the first and second derivative in t, times u and u^2."""
        ratio, weighted = self.spare
        remaining = self.remaining(point, ratio)
        clipped = self.clipped(point) if self.epsilon < math.inf else None
        with np.errstate(divide="ignore", invalid="ignore"):
            np.divide(point.u, remaining, out=ratio)
            ratio *= self.scaled
        if clipped is not None:
            ratio[clipped] = 1.0
        np.multiply(self.weights, ratio, out=weighted)
        first = -float(weighted.sum())
        weighted *= ratio
        return first, -float(weighted.sum())

    def value(self, point: _Point) -> tuple[float, float]:
        """Return the function and a bound on its rounding error.

        Near t = 0 it is computed as `t gap - E[excess]`, with the linear terms cancelled analytically; elsewhere the
        mean of the logarithms loses less precision.
        """
        remaining, logarithms = self.remaining(point), self.logarithms(point)
        change = -point.t * self.scaled
        if np.abs(change).max() <= 0.3:
            bulk = _dot(self.weights, linear_minus_log(change))
        else:
            bulk = _dot(self.weights, excess(np.ones_like(change), remaining, change))
        total, error = point.t * self.gap - bulk, point.t * self.gap_error + 4 * _UNIT_ROUNDOFF * bulk
        if bulk > 0.01:
            terms = self.weights * logarithms
            direct_error = 6 * _UNIT_ROUNDOFF * float(np.abs(terms).sum())
            if direct_error < error:
                total, error = _sum(terms), direct_error
        if self.epsilon < math.inf:
            spare = self.epsilon - point.v
            over = np.maximum(logarithms - spare, 0.0)
            total -= _dot(self.weights, over)
            size = np.abs(logarithms) + abs(spare)
            error += 4 * _UNIT_ROUNDOFF * _dot(self.weights, np.where(over > 0, size, 0.0))
        return total, error


def nearest_better(law: FiniteLaw, best: float, top: float, epsilon: float = math.inf) -> Enclosure:
    """Return the infimum divergence from P to the laws on a set with largest point `top` whose mean exceeds `best`.

    Parameters
    ----------
    law : P; its atoms lie in the set.
    best : mean that the other laws exceed.
    top : largest point of the set.
    epsilon : privacy budget; infinite for `d_inf`.

    Examples
    --------
    >>> round(nearest_better(FiniteLaw((0.5,), (1.0,)), 0.75, 1.0).value, 6)
    0.693147
    >>> round(nearest_better(FiniteLaw((0.0, 1.0), (0.8, 0.2)), 0.7, 1.0, epsilon=1.0).value, 7)
    0.3842648
    """
    if best >= top:
        return Enclosure.exactly(math.inf)
    dual = _Dual(law, best, top, epsilon)
    if dual.gap <= 0:  # the gap is the slope at 0, so that the function is at most the gap
        return Enclosure(0.0, max(0.0, dual.gap + dual.gap_error))
    if epsilon == math.inf and _rises_to_the_end(dual):
        value, error = dual.value(_Point(math.inf))
        found = Enclosure.between(value, value, relative=2 * _ROUNDING)
        return Enclosure(max(0.0, found.lower - error), found.upper + error)
    low, high = _bracket(dual)
    slope = max(0.0, dual.slopes(low)[0]) / low.u
    lower, error = dual.value(low)
    width = low.u * -math.expm1(low.v - high.v)
    upper = Enclosure.between(lower, lower + slope * width, relative=_ROUNDING)
    return Enclosure(max(0.0, upper.lower - error), upper.upper + error + 8 * dual.gap_error * width)


def free_epsilon(law: FiniteLaw, best: float, top: float) -> float:
    """Return the smallest epsilon at which the clipped entry of the minimum is never the smaller one.

    >>> round(free_epsilon(FiniteLaw((0.0, 1.0), (0.9, 0.1)), 0.8, 1.0), 4)
    3.5835
    """
    if best >= top:
        return math.inf
    dual = _Dual(law, best, top, math.inf)
    if dual.gap <= 0:
        return 0.0
    if _rises_to_the_end(dual):
        return math.inf
    _, high = _bracket(dual)
    return float(dual.logarithms(high).max() + high.v)


def total_variation_to_better(law: FiniteLaw, best: float, top: float) -> Enclosure:
    """Return the total variation to the laws of larger mean: the cheapest change moves the lowest mass to `top`.

    >>> round(total_variation_to_better(FiniteLaw((0.0, 0.5, 1.0), (0.1, 0.7, 0.2)), 0.75, 1.0).value, 12)
    0.3
    """
    if best >= top:
        return Enclosure.exactly(math.inf)
    order = np.argsort(law.atoms, kind="stable")
    weights, gains = law.weights[order], top - law.atoms[order]
    missing, size = _sum(law.weights * (best - law.atoms)), _dot(law.weights, np.abs(best - law.atoms))
    if missing <= -8 * _UNIT_ROUNDOFF * size:
        return Enclosure.exactly(0.0)
    moved = np.cumsum(weights * gains, dtype=np.longdouble)
    last = min(int(np.searchsorted(moved, max(missing, 0.0), side="right")), int((gains > 0).sum()) - 1)
    rest = missing - float(moved[last - 1]) if last else missing
    gain = float(gains[last])
    value = _sum(weights[:last]) + max(0.0, rest) / gain
    rounding = 8 * _UNIT_ROUNDOFF + last * float(np.finfo(np.longdouble).eps)  # every step of a running sum adds to it
    error = rounding * (value + (abs(missing) + size) / gain)
    return Enclosure(max(0.0, value - error), min(1.0, value + error)) if error < value else Enclosure(0.0, 2 * error)


def _dot(left: Array, right: Array) -> float:
    """Return the scalar product without BLAS, whose threads wait for each other when the machine is busy."""
    return float((left * right).sum())


def _sum(terms: Array) -> float:
    """Sum with negligible rounding error: in extended precision where it is available, exactly elsewhere."""
    if _EXTENDED:
        return float(terms.sum(dtype=np.longdouble))
    return math.fsum(terms.tolist())


def _rises_to_the_end(dual: _Dual) -> bool:
    """Whether the maximum is at `l = 1/(top - best)`; never when P has mass at the top."""
    if (dual.complement == 0).any():
        return False
    with np.errstate(over="ignore"):
        return _dot(dual.weights, dual.scaled / dual.complement) <= 0


def _bracket(dual: _Dual) -> tuple[_Point, _Point]:
    """Return two close points with the maximum between them, by Newton's method kept inside a bracket."""
    low, high = 0.0, 740.0
    curvature = _dot(dual.weights, dual.scaled**2)
    start = 0.5 if dual.gap >= 0.5 * curvature else dual.gap / curvature  # the curvature may underflow to zero
    v = -math.log1p(-start)
    for tried in range(300):
        first, second = dual.slopes(_Point(v))
        low, high = (v, high) if first >= 0 else (low, v)
        if high - low <= 2e-15 * high:
            break
        step = v - first / second if second < 0 and tried < 100 else math.nan  # where it creeps, the bracket is halved
        step = min(step, 3 * v + 1) if step > v else step
        if abs(step - v) <= 1e-11 * v:
            near = (step * (1 - 2e-10), step * (1 + 2e-10))
            for probe in near:
                low, high = (max(low, probe), high) if dual.slopes(_Point(probe))[0] >= 0 else (low, min(high, probe))
            if high - low <= 1e-9 * high:
                break
        v = step if low < step < high else low + (high - low) / 2
        if not low < v < high:
            break
    return _Point(low), _Point(high)
