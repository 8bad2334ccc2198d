"""The divergence of differentially private learning for Gaussian laws of variance 1, vectorised and precise.

The minimiser R has `ln dR/dN(s, 1) = clip(s (s/2 - x), l, l + epsilon)`: it equals N(0, 1) from `m - h` below 0 to
`m + h` above 0, where `m = epsilon/(2 s)` and l determines h. With `h = s/2 - t`, R is a probability when

    epsilon (1/2 - t/s) = ln G(m - s/2 - t) - ln G(m - s/2 + t),    G(x) = M(x) - M(x + s),

where M is Mills' ratio. Then `D(s) = s (t + integral of Phi(x) - 1/2 for x from m - h to m + h)`: two non-negative
terms, so no digits cancel however close the arms are.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from privcheck.arrays import Array

ROUNDING, SLOPE_ROUNDING = 1e-14, 1e-12
"""Largest relative errors of the divergence and of its derivative, which for distant means is as small as a density."""

_SHORT = 0.5
"""Length up to which differences cancel and are integrated, by a rule that is exact up to rounding on such lengths."""
_STEPS = 80
"""More than the 53 bisections that exhaust double precision; Newton's method takes far fewer."""
_UNCLIPPED = 12.0
"""Clipping that begins this many standard deviations or more from both means affects a mass below 4e-33."""
_ROOT_HALF_PI, _ROOT_TWO = math.sqrt(math.pi / 2), math.sqrt(2)
_rule = np.polynomial.legendre.leggauss(6)
_NODES, _WEIGHTS = (1 + _rule[0]) / 2, _rule[1] / 2
"""Gauss-Legendre rule on [0, 1]; exact up to rounding for the integrands here over lengths up to 1/2."""


def gaussian_private_divergence(shift: ArrayLike, epsilon: float) -> tuple[Array, Array]:
    """Private divergence between N(0, 1) and N(s, 1), `D(s) = inf_R KL(R || N(s, 1)) + epsilon TV(N(0, 1), R)`.

    R equals N(0, 1) where nothing is clipped, and `D'(s) = s P(nothing is clipped)`. D is convex near 0, concave far
    out, and tends to epsilon.

    Parameters
    ----------
    shift : s, distance of the means in standard deviations, at least 0; any shape.
    epsilon : privacy budget, above 0; infinite gives `s^2 / 2`.

    Returns
    -------
    D and its derivative, both of the shape of `shift`, with relative errors below 1e-14 and 1e-12.

    Source
    ------
    Jourdan & Azize 2025 (definition); clipping in docs/evidence/derivations.md.

    Examples
    --------
    >>> value, slope = gaussian_private_divergence([0.0, 1.0], 0.5)
    >>> value.round(6).tolist(), slope.round(6).tolist()
    ([0.0, 0.165868], [0.0, 0.181554])
    """
    shift = np.asarray(shift, float)
    value, slope = np.array(shift**2 / 2), np.array(shift)
    with np.errstate(divide="ignore"):
        middle = epsilon / (2 * shift)
    for regime in (shift <= _SHORT, shift > _SHORT):
        clipped = regime & (middle - shift < _UNCLIPPED)
        if clipped.any():
            value[clipped], slope[clipped] = _clipped(shift[clipped], middle[clipped], epsilon)
    return value, slope


def _clipped(s: Array, m: Array, epsilon: float) -> tuple[Array, Array]:
    from scipy.special import erf, erfc

    t = _excess(s, m, epsilon)
    h = s / 2 - t
    short = np.minimum(m, h)
    inner = np.abs(m - h)[:, None] + 2 * short[:, None] * _NODES
    area = np.where(2 * short <= _SHORT, short * (erf(inner / _ROOT_TWO) @ _WEIGHTS), _area(m, h))
    inner = h[:, None] + m[:, None] * (2 * _NODES - 1)
    near = 2 * m * (_density(inner) @ _WEIGHTS)
    low, high = (h - m) / _ROOT_TWO, (h + m) / _ROOT_TWO
    far = np.where(h > m, erfc(low) - erfc(high), erf(high) - erf(low)) / 2
    kept = np.where(2 * m <= _SHORT, near, far)
    return s * (t + area), s * kept


def _area(m: Array, h: Array) -> Array:
    """Integrate `Phi(x) - 1/2` from m - h to m + h in closed form."""
    from scipy.special import erfc

    high, low = m + h, np.abs(m - h)

    def tail(x: Array) -> Array:
        return np.asarray(_density(x) - x * erfc(x / _ROOT_TWO) / 2)

    return np.asarray(np.where(m > h, h, m) - tail(low) + tail(high))


def _density(x: Array) -> Array:
    with np.errstate(under="ignore"):
        return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def _excess(s: Array, m: Array, epsilon: float) -> Array:
    """Solve for t in [0, s/2], by Newton's method, bisecting when a step leaves the bracket."""
    base, steepness = m - s / 2, epsilon / s
    low, high = np.zeros_like(s), s / 2
    t = epsilon / 2 / (steepness + 2 * _fall(base[:, None], s)[0][:, 0])
    for _ in range(_STEPS):
        total, ends = _difference(base, t, s)
        surplus = epsilon * (0.5 - t / s) - total
        low, high = np.where(surplus > 0, t, low), np.where(surplus > 0, high, t)
        step = t + surplus / (steepness + ends)
        following = np.where((step >= low) & (step <= high), step, low + (high - low) / 2)
        done = np.abs(following - t) <= 1e-9 * t  # the convergence is quadratic
        t = following
        if done.all():
            break
    return t


def _difference(base: Array, t: Array, s: Array) -> tuple[Array, Array]:
    """Return `ln G(base - t) - ln G(base + t)` and its derivative in t."""
    nodes = np.concatenate(([0.0], _NODES, [1.0]))
    falls, logarithms = _fall(base[:, None] + t[:, None] * (2 * nodes - 1), s)
    near = 2 * t * (falls[:, 1:-1] @ _WEIGHTS)
    a, b = base + t, base - t
    squares = np.where(a < 0, -2 * base * t, np.where(b < 0, b**2 / 2, 0.0))
    far = squares + logarithms[:, 0] - logarithms[:, -1]
    return np.where(2 * t <= _SHORT, near, far), falls[:, 0] + falls[:, -1]


def _fall(x: Array, s: Array) -> tuple[Array, Array]:
    """Return `-(ln G)'(x)`, and `ln G(x)` up to a constant, less `x^2/2` where x is below 0; x of shape (n, k)."""
    from scipy.special import erfc, erfcx

    s = s[:, None]
    if s[0, 0] <= _SHORT:  # the differences cancel: as integrals of -M' and of M''
        there = x[..., None] + s[..., None] * _NODES
        mills = _ROOT_HALF_PI * erfcx(there / _ROOT_TWO)
        gap, change = (1 - there * mills) @ _WEIGHTS, ((1 + there**2) * mills - there) @ _WEIGHTS
        return change / gap, np.zeros_like(gap)
    below = x < 0
    scale = np.where(below, math.sqrt(2 * math.pi) * _density(x), 1.0)
    near, beyond = np.maximum(x, 0.0), np.maximum(x + s, 0.0)
    with np.errstate(under="ignore"):
        mills = _ROOT_HALF_PI * np.where(below, erfc(x / _ROOT_TWO), erfcx(near / _ROOT_TWO))
    after = _ROOT_HALF_PI * erfcx(beyond / _ROOT_TWO)
    gap = mills - scale * after
    return ((scale - x * mills) - scale * (1 - beyond * after)) / gap, np.log(gap)
