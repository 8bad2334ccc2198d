"""The privacy profile of Gaussian differential privacy: delta as a function of epsilon, and its inverse."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

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
    if epsilon / mu - mu / 2.0 > LARGEST:
        return -LARGEST
    x = _start(epsilon, mu)
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


def _start(epsilon: float, mu: float) -> float:
    """Return epsilon / mu - mu / 2 to the last digits: the two terms are nearly equal where delta is not small."""
    return float((Fraction(epsilon) - Fraction(mu) ** 2 / 2) / Fraction(mu))


def _log_rest(epsilon: float, mu: float) -> float:
    """Return ln(1 - delta), with x as above: 1 - delta = phi(x) (m(-x) + m(x + mu)), m(y) = Phi(-y) / phi(y)."""
    from scipy.special import erfcx, log_ndtr

    x = _start(epsilon, mu)
    far = math.log(math.sqrt(math.pi / 2.0) * float(erfcx((x + mu) / math.sqrt(2.0))))
    one, two = float(log_ndtr(x)), far - x * x / 2.0 - math.log(2.0 * math.pi) / 2.0
    return float(np.logaddexp(one, two))


def delta_of(epsilon: float, mu: float) -> float:
    """Return the smallest delta such that mu-GDP, mu > 0, implies (epsilon, delta)-DP, rounded up.

    >>> round(delta_of(1.0, 1.0), 6), 1.0 - delta_of(0.0, 15.0) < 1e-13, delta_of(0.0, 20.0)
    (0.126937, True, 1.0)
    """
    log = log_delta(epsilon, mu)
    if log < -math.log(2.0):
        return exp_up(log)
    rest = _log_rest(epsilon, mu)
    return min(1.0, math.nextafter(1.0 - math.exp(rest - ROUNDING * (1.0 + abs(rest))), 2.0))


def excess(epsilon: float, mu: float, delta: float, *, upper: bool = True) -> float:
    """Return a number that is at most 0 only if delta(epsilon) <= delta; with `upper=False`, wherever that holds.

    Up to one half it is the difference of the logarithms of delta, and above it of those of 1 - delta, whose digits
    a logarithm of delta would lose.

    >>> excess(1.0, 1.0, 0.1269) > 0.0 > excess(1.0, 1.0, 0.127)
    True
    >>> excess(0.0, 18.255, 1.0 - 2.0**-53) > 0.0 > excess(0.0, 16.0, 1.0 - 2.0**-53)
    True
    """
    if delta <= 0.5:
        log = log_delta(epsilon, mu)  # rounded up
        return log - math.log(delta) - (0.0 if upper else 2.0 * ROUNDING * (1.0 + abs(log)))
    rest = math.log(1.0 - delta)
    error = ROUNDING * (1.0 + abs(rest))
    return rest - _log_rest(epsilon, mu) + (error if upper else -error)


def epsilon_of(mu: float, delta: float, *, upper: bool = True) -> float:
    """Return the smallest epsilon >= 0 such that mu-GDP implies (epsilon, delta)-DP, rounded up.

    Parameters
    ----------
    mu : >= 0.
    delta : in (0, 1).
    upper : whether to round up; else down.

    Examples
    --------
    >>> round(epsilon_of(math.sqrt(20) / 4, 1e-6), 9)
    5.550859868
    >>> epsilon_of(18.255, 1.0 - 2.0**-53) > epsilon_of(18.255, 1.0 - 2.0**-53, upper=False) > 0.0
    True
    """
    from scipy.optimize import brentq

    def above(epsilon: float) -> float:
        return excess(epsilon, mu, delta, upper=upper)

    if mu == 0.0 or above(0.0) <= 0.0:
        return 0.0
    high = mu * mu / 2.0 + mu * math.sqrt(-2.0 * math.log(delta)) + mu  # the Chernoff bound of zCDP
    if mu > STEEPEST:
        return high * (1.0 + ROUNDING) if upper else mu * mu / 2.0 * (1.0 - ROUNDING)
    while above(high) > 0.0:
        high *= 2.0
    found = float(brentq(above, 0.0, high, xtol=1e-300, rtol=1e-14))
    step = max(found * 1e-14, sys.float_info.min)
    while upper and above(found) > 0.0:
        found, step = found + step, 2.0 * step
    while not upper and found > 0.0 and above(found) <= 0.0:
        found, step = max(0.0, found - step), 2.0 * step
    return found
