"""The privacy profile of Gaussian differential privacy: delta as a function of epsilon, and its inverse."""

from __future__ import annotations

import math
import sys

import numpy as np

ROUNDING = 1e-11
"""Relative surplus of every result, so that it is never below the exact value: the quadrature and the logarithms below
agree with 50-digit arithmetic to 2e-12.
"""

PANELS = 12
"""Pieces of the range of integration. With `NODES` nodes each, the rule is exact to rounding: the integrand is entire
and falls by less than a factor of exp(45) over the range.
"""

NODES = 40

STEEP = 8.0
"""Above it the factor 1 - exp(-mu s) rises within a small part of the range, which is cut into finer pieces there."""

STEEPEST = 1e20
"""Above it the Chernoff bound of zCDP is exact to rounding, and its square may no longer be a float."""

LARGEST = 1e150
"""The largest number of standard deviations whose square is a float: a tail beyond it is bounded by exp(-1e150)."""

DEPTH = 45.0
"""Nats below its largest value at which the integrand is cut off: the rest is under 1e-17 of the integral."""

_ABSCISSAE, _WEIGHTS = np.polynomial.legendre.leggauss(NODES)


def log_delta(epsilon: float, mu: float) -> float:
    r"""Return ln of the smallest delta such that mu-GDP implies (epsilon, delta)-DP, rounded up.

    delta = Phi(-epsilon / mu + mu / 2) - exp(epsilon) Phi(-epsilon / mu - mu / 2). With x = epsilon / mu - mu / 2 this
    is the integral over s > 0 of phi(x + s) (1 - exp(-mu s)), which has no cancellation.

    Parameters
    ----------
    epsilon : >= 0.
    mu : > 0.

    Source: Balle and Wang 2018, Theorem 8; Dong, Roth and Su 2022, Corollary 2.13.

    Examples
    --------
    >>> round(math.exp(log_delta(1.0, 1.0)), 6)
    0.126937
    """
    x = epsilon / mu - mu / 2.0
    if x > LARGEST:
        return -LARGEST
    peak = max(0.0, -x)
    above = max(0.0, x)
    start = max(-peak, -math.sqrt(2.0 * DEPTH))
    stop = 2.0 * DEPTH / (math.sqrt(above * above + 2.0 * DEPTH) + above)
    edges = np.linspace(start, stop, PANELS + 1)
    if mu > STEEP:
        layers = 4.0 ** np.arange(64) / mu - peak
        edges = np.union1d(edges, layers[(layers > start) & (layers < stop)])
    half = (edges[1:] - edges[:-1]) / 2.0
    t = edges[:-1, None] + half[:, None] * (1.0 + _ABSCISSAE)  # s minus its peak, so that a large mu costs no digits
    with np.errstate(over="ignore"):
        heights = np.exp(-above * t - t * t / 2.0) * -np.expm1(-mu * (peak + t))
    integral = max(float(np.sum(half[:, None] * _WEIGHTS * heights)), sys.float_info.min)
    log = math.log(integral) - above * above / 2.0 - math.log(2.0 * math.pi) / 2.0
    return min(0.0, log + ROUNDING * (1.0 + abs(log)))


def exp_up(log: float) -> float:
    """Return the exponential of a logarithm that was rounded up, and never 0: a delta of 0 would mean pure privacy.

    >>> exp_up(0.0), exp_up(-1e4) > 0.0
    (1.0, True)
    """
    return math.nextafter(math.exp(log), 1.0)


def epsilon_of(mu: float, delta: float) -> float:
    """Return the smallest epsilon >= 0 such that mu-GDP implies (epsilon, delta)-DP, rounded up.

    Parameters
    ----------
    mu : >= 0.
    delta : in (0, 1).

    Examples
    --------
    >>> round(epsilon_of(math.sqrt(20) / 4, 1e-6), 9)
    5.550859868
    """
    from scipy.optimize import brentq

    if mu == 0.0:
        return 0.0
    target = math.log(delta)
    if log_delta(0.0, mu) <= target:
        return 0.0
    high = mu * mu / 2.0 + mu * math.sqrt(-2.0 * target) + mu  # the Chernoff bound of zCDP
    if mu > STEEPEST:
        return high * (1.0 + ROUNDING)
    while log_delta(high, mu) > target:
        high *= 2.0
    found = float(brentq(lambda epsilon: log_delta(epsilon, mu) - target, 0.0, high, xtol=1e-300, rtol=1e-14))
    while log_delta(found, mu) > target:
        found = math.nextafter(found * (1.0 + 1e-14), math.inf)
    return found
