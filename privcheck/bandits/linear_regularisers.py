"""How large the noise of private LinUCB is: the shift of its Gram matrix, and the constants of its confidence width."""

from __future__ import annotations

import math
from typing import NamedTuple

from privcheck.errors import PrivcheckError, words


class NoiseBounds(NamedTuple):
    """Bounds on the noise H_t, h_t of the statistics, which hold together with probability 1 - alpha / (2 n) per round.

    Parameters
    ----------
    shift : the multiple of the identity that is added to the noisy Gram matrix; H_t includes it.
    rho_min, rho_max : rho_min I <= H_t <= rho_max I.
    gamma : h_t' H_t^-1 h_t <= gamma^2.
    """

    shift: float
    rho_min: float
    rho_max: float
    gamma: float


def gaussian_bounds(features: int, deviation: float, horizon: int, alpha: float) -> NoiseBounds:
    """Return the bounds for symmetric Gaussian noise.

    Parameters
    ----------
    features : d.
    deviation : the largest standard deviation of an entry off the diagonal of the noise of a prefix sum; that of an
        entry on the diagonal is sqrt(2) as large.
    horizon : n.
    alpha : the probability with which some confidence set may fail.

    Source
    ------
    Shariff and Sheffet 2018, Proposition 11, with ln(4 n / alpha) in place of ln(2 n / alpha): as printed, matrix and
    vector together fail with probability alpha / n.

    Examples
    --------
    >>> round(gaussian_bounds(5, 796.8, 5 * 10**7, 2e-8).rho_max)
    279324
    """
    root, rest = math.sqrt(features), math.log(4.0 * horizon / alpha)
    bound = deviation * math.sqrt(2.0) * (4.0 * root + 2.0 * rest)
    gamma = deviation / math.sqrt(bound) * (root + math.sqrt(2.0 * rest))
    return NoiseBounds(2.0 * bound, bound, 3.0 * bound, gamma)


def tight_gaussian_bounds(
    features: int, deviation: float, releases: int, alpha: float, *, shift: float = 2.0
) -> NoiseBounds:
    """Return tighter bounds for the symmetric Gaussian noise N, h of a number of releases.

    Parameters
    ----------
    features : d.
    deviation : the standard deviation s of an entry off the diagonal; that of an entry on it is sqrt(2) as large.
    releases : m >= 1; all of them stay within the bounds with probability 1 - alpha / 2.
    alpha : the probability with which some confidence set may fail.
    shift : what is added to the Gram matrix, in multiples of the bound U on the eigenvalues of N, above 1: then
        (shift - 1) U <= H <= (shift + 1) U.

    Source
    ------
    Derived. E lambda_max(N) <= 2 s sqrt(d) by Sudakov and Fernique: for unit vectors, u'Nu - v'Nv has the variance
    2 s^2 |uu' - vv'|_F^2 = 4 s^2 (1 - (u'v)^2) <= 4 s^2 |u - v|^2, which is that of 2 s g'(u - v), g standard normal,
    and E |g| <= sqrt(d). lambda_max is 1-Lipschitz in the Frobenius norm, in whose coordinates N has independent
    entries of standard deviation sqrt(2) s: lambda_max(N) <= 2 s sqrt(d) + sqrt(2) s t but with probability
    e^(-t^2 / 2), and so lambda_max(-N). Likewise |h| <= s (sqrt(d) + t). A release may fail with probability
    alpha / (2 m), half of it for the two ends of N and half for h. Proposition 11 of Shariff and Sheffet has
    sqrt(2) s (4 sqrt(d) + 2 ln(2 n / alpha)): logarithms where these are their roots.

    Examples
    --------
    >>> tight, printed = (bound(3, 1.0, 11, 5e-5) for bound in (tight_gaussian_bounds, gaussian_bounds))
    >>> round(tight.rho_min, 2), round(printed.rho_min, 2)
    (11.05, 48.51)
    """
    root = math.sqrt(features)
    bound = deviation * (2.0 * root + 2.0 * math.sqrt(math.log(8.0 * releases / alpha)))
    least = (shift - 1.0) * bound
    gamma = deviation / math.sqrt(least) * (root + math.sqrt(2.0 * math.log(4.0 * releases / alpha)))
    return NoiseBounds(shift * bound, least, (shift + 1.0) * bound, gamma)


def wishart_spread(features: int, horizon: int, alpha: float) -> float:
    """Return s = sqrt(d) + sqrt(2 ln(8 n / alpha)).

    The roots of the eigenvalues of a Wishart matrix of scale I with q^2 degrees of freedom lie within q - s and q + s.
    """
    return math.sqrt(features) + math.sqrt(2.0 * math.log(8.0 * horizon / alpha))


def wishart_bounds(
    features: int, scale: float, degrees: float, horizon: int, alpha: float, *, shifted: bool
) -> NoiseBounds:
    """Return the bounds for Wishart noise.

    Parameters
    ----------
    features : d.
    scale : Ltilde^2.
    degrees : the degrees of freedom m k of the noise of every prefix sum.
    horizon, alpha : n, and the probability of failure.
    shifted : whether c = Ltilde^2 ((q - s)^2 - 4 q s), with q = sqrt(m k), is subtracted, if it is positive.

    Raises
    ------
    PrivcheckError : so few degrees of freedom that the noise may be singular.

    Source
    ------
    Shariff and Sheffet 2018, Proposition 9 and equation (4), with ln(4 n / alpha) in place of ln(2 n / alpha) in gamma.
    They hold for exactly m nodes, not for "at most m".

    Examples
    --------
    >>> bounds = wishart_bounds(5, 2.0, 3756105, 5 * 10**7, 2e-8, shifted=True)
    >>> round(bounds.shift, 1), round(bounds.rho_max)
    (-7258941.3, 338008)
    """
    q, s = math.sqrt(degrees), wishart_spread(features, horizon, alpha)
    if q <= s:
        got = words(f"{degrees:.6g} degrees of freedom in a prefix sum, too few for its noise to be positive definite")
        raise PrivcheckError("noise", got, f"more than {s * s:.6g}", "use a smaller epsilon, or noise='calibrated'")
    vector = math.sqrt(features) + math.sqrt(2.0 * math.log(4.0 * horizon / alpha))
    shift = max(scale * ((q - s) ** 2 - 4.0 * q * s), 0.0) if shifted else 0.0
    gamma = math.sqrt(scale * q * vector) if shift > 0.0 else math.sqrt(scale) * vector
    return NoiseBounds(-shift, scale * (q - s) ** 2 - shift, scale * (q + s) ** 2 - shift, gamma)
