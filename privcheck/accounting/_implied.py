"""What a pure guarantee, and one of bounded range, imply in the other currencies."""

from __future__ import annotations

import math
from functools import lru_cache

from privcheck.accounting._gaussian_profile import ROUNDING

NEAR_HALF = 1e-8
"""Epsilon below which mu is taken to be its tangent at 0, sqrt(pi / 2) epsilon: never below, because mu is concave."""


def rho_of_pure(epsilon: float) -> float:
    """Return the smallest rho such that every epsilon-DP release is rho-zCDP, rounded up: epsilon tanh(epsilon / 2).

    Parameters
    ----------
    epsilon : >= 0; infinity gives infinity.

    Source: Bun and Steinke 2016, Proposition 3.3, with the constant that randomised response attains.

    Examples
    --------
    >>> round(rho_of_pure(1.0), 6), rho_of_pure(0.0)
    (0.462117, 0.0)
    """
    if epsilon == 0.0:
        return 0.0
    return math.nextafter(epsilon * math.tanh(epsilon / 2.0) * (1.0 + ROUNDING), math.inf)  # also where it underflows


@lru_cache(maxsize=4096)
def mu_of_pure(epsilon: float) -> float:
    """Return the smallest mu such that every epsilon-DP release is mu-GDP, rounded up: 2 Phi^-1(e^eps / (1 + e^eps)).

    Parameters
    ----------
    epsilon : >= 0; infinity gives infinity.

    Source: Dong, Roth and Su 2022, Proposition 2.12 (trade-off functions of randomised response and of the Gaussian).

    Examples
    --------
    >>> round(mu_of_pure(1.0), 6), mu_of_pure(0.0)
    (1.232035, 0.0)
    """
    if epsilon == 0.0 or math.isinf(epsilon):
        return epsilon
    if epsilon < NEAR_HALF:
        return math.nextafter(epsilon * math.sqrt(math.pi / 2.0) * (1.0 + ROUNDING), math.inf)
    from scipy.special import erfinv, ndtri_exp

    if epsilon < 1.0:  # Phi^-1 of a number near 1/2, of which a float would keep few digits
        return 2.0 * math.sqrt(2.0) * float(erfinv(math.tanh(epsilon / 2.0))) * (1.0 + ROUNDING)

    log = -math.log1p(math.exp(epsilon)) if epsilon < 700.0 else -epsilon
    return -2.0 * float(ndtri_exp(log)) * (1.0 + ROUNDING)


def rho_of_bounded_range(eta: float) -> float:
    """Return a rho that bounded range eta implies, rounded up: eta^2 / 8, or what epsilon = eta implies if smaller.

    A pair of laws has bounded range eta if the log-ratios of all outputs lie within an interval of length eta.

    Source: Cesar and Rogers 2021.

    Examples
    --------
    >>> rho_of_bounded_range(1.0) / 0.125 - 1.0 < 1e-15, rho_of_bounded_range(20.0) == rho_of_pure(20.0)
    (True, True)
    """
    return min(math.nextafter(eta * eta / 8.0, math.inf), rho_of_pure(eta))


def mu_of_bounded_range(eta: float) -> float:
    """Return the smallest mu that bounded range eta implies, rounded up: what epsilon = eta / 2 implies.

    Laws whose log-ratios lie between t - eta and t are functions of two coins with these two log-ratios. With F the
    logistic function, the coins are heads with probabilities F(x + eta / 2) and F(x - eta / 2) for some x, and
    mu = g(x + eta / 2) - g(x - eta / 2), g(y) = Phi^-1(F(y)). The derivative of g is even and falls away from 0, so x
    = 0 is the worst: randomised response with epsilon = eta / 2. For with z = g(y) it is Phi(z) Phi(-z) / phi(z), whose
    derivative has the sign of w(z) = z Phi(z) Phi(-z) - phi(z) (2 Phi(z) - 1); and w(0) = w(infinity) = 0, while
    w' = Phi(z) Phi(-z) - 2 phi(z)^2 is first negative and then positive on z > 0.

    Source: Dong, Durfee and Rogers 2020 for the two coins; the rest is derived here.

    Examples
    --------
    >>> mu_of_bounded_range(1.0) == mu_of_pure(0.5)
    True
    """
    return mu_of_pure(eta / 2.0)
