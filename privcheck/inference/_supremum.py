r"""An upper bound of a probability over a whole range of the nuisance parameter, valid between the nodes too.

Let q = s^2 be the probability of an event on one input, p = r q + delta on the other, and f(s) = P((K, L) in R) for a
set R of counts: a polynomial of s. For complex s the absolute values of its terms sum to at most

    |f(s)| <= (|p| + |1 - p|)^n (|q| + |1 - q|)^n,

so f is bounded by some M on an ellipse with foci at the ends of [a, b] whose half-axes sum to rho (b - a) / 2, and its
Chebyshev interpolant of degree m is off by at most 4 M rho^-m / (rho - 1) (Trefethen, Approximation Theory and
Approximation Practice, theorem 8.2). The interpolant exceeds its largest absolute value on N Chebyshev points by a
factor of at most 1 / cos(pi m / (2 N)) (Ehlich and Zeller 1964). Both are added; where the error would be too large the
range is cut in two.
"""

from __future__ import annotations

import math

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.inference._binomial_pair import probability_above
from privcheck.kernels import compiled

DEGREE = 40
"""Degree of the interpolants: fewer nodes need more pieces. Up to 1e6 runs, 80 took longer and 20 was no faster."""
FINE = 8 * DEGREE
"""Points at which an interpolant is evaluated: its maximum is then known to within a factor of 1.02 (`STRETCH`)."""
DEEPEST = 24
"""Halvings of the range after which a bound from the end points of a piece is used, valid but less tight."""


def _interpolation(degree: int, fine: int) -> tuple[Array, Array]:
    """Return Chebyshev nodes of the second kind and the matrix from values there to values at `fine` points."""
    nodes = np.cos(np.pi * np.arange(degree + 1) / degree)
    points = np.cos(np.pi * (np.arange(fine) + 0.5) / fine)
    signs = (-1.0) ** np.arange(degree + 1)
    signs[[0, -1]] /= 2.0
    terms = signs / (points[:, None] - nodes)
    return nodes, terms / terms.sum(axis=1, keepdims=True)


NODES, MATRIX = _interpolation(DEGREE, FINE)
STRETCH = 1.0 / math.cos(math.pi * DEGREE / (2.0 * FINE))
"""Factor of Ehlich and Zeller between the largest absolute values on an interval and at the fine points."""


@compiled
def log_size(x: float, y: float, r: float, delta: float) -> float:
    """Return the logarithm of (|p| + |1 - p|) (|q| + |1 - q|) at s = sqrt(x) + i y.

    Here x is the square of the real part: |q| = x + y^2, |c - q|^2 = x^2 - 2 x (c - y^2) + (c + y^2)^2. Their sum rises
    with x and with y, so on a rectangle of s the outermost corner bounds it; for p, |p| <= r |q| + delta is used.
    """
    size = 1.0
    for scale, centre, shift in ((1.0, 1.0, 0.0), (r, (1.0 - delta) / r, delta)):
        far = math.sqrt(max(0.0, x * x - 2.0 * x * (centre - y * y) + (centre + y * y) ** 2))
        size *= scale * (x + y * y + far) + shift
    return math.log(size)


@compiled
def interpolation_error(a: float, b: float, n: int, r: float, delta: float) -> float:
    """Return a bound of the error of interpolation on [a, b] in s, the best over a range of ellipses."""
    best = math.inf
    centre, half = 0.5 * (a + b), 0.5 * (b - a)
    for i in range(1, 33):
        rho = 1.0 + 0.02 * i * i
        across, up = half * 0.5 * (rho + 1.0 / rho), half * 0.5 * (rho - 1.0 / rho)
        size = n * log_size((centre + across) ** 2, up, r, delta)
        best = min(best, math.log(4.0 / (rho - 1.0)) + size - DEGREE * math.log(rho))
    return math.exp(min(best, 1.0))


@compiled
def largest_probability(
    n: int, r: float, delta: float, low: float, high: float, least: Integers, first: int, tolerance: float
) -> float:
    """Return an upper bound of P(K >= least[L - first]), p = min(1, r q + delta), over all q in [low, high].

    Parameters
    ----------
    n : runs on each input.
    r, delta : the boundary p = r q + delta.
    low, high : range of q.
    least, first : the boundary in counts, covering the `window` of `high`.
    tolerance : how much the bound may be above the supremum because of interpolation.

    """
    certain = min(1.0, (1.0 - delta) / r)
    if low >= certain:
        return probability_above(n, 1.0, low, least, first)
    stack = [(math.sqrt(low), math.sqrt(min(high, certain)), 0)]
    found = 0.0
    values = np.empty(DEGREE + 1)
    while len(stack) > 0:
        a, b, depth = stack.pop()
        at_most = probability_above(n, min(1.0, r * b * b + delta), a * a, least, first)
        if at_most <= found:
            continue
        error = interpolation_error(a, b, n, r, delta)
        if error > tolerance and depth < DEEPEST:
            stack.append((a, 0.5 * (a + b), depth + 1))
            stack.append((0.5 * (a + b), b, depth + 1))
            continue
        if error > tolerance:
            found = max(found, at_most)
            continue
        for j in range(DEGREE + 1):
            s = 0.5 * (a + b) + 0.5 * (b - a) * NODES[j]
            values[j] = probability_above(n, min(1.0, r * s * s + delta), s * s, least, first)
        fine = MATRIX @ values
        top, bottom = max(fine.max(), values.max()), min(fine.min(), values.min())
        found = max(found, 0.5 * (top + bottom) + 0.5 * (top - bottom) * STRETCH + error)
    return min(1.0, found)
