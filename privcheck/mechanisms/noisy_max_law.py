"""The exact law of the argmax of scores with independent Laplace, exponential or Gumbel noise."""

from __future__ import annotations

import itertools
from functools import lru_cache

import numpy as np

from privcheck.arrays import Array
from privcheck.errors import PrivcheckError, words

_NODES = 16
"""Gauss-Legendre nodes per panel: on panels of at most unit length, the results agree with 64 nodes within 1e-14."""

_REACH = 64.0
"""Distance from a score, in units of the scale, up to which panels are laid: exp(-64) is 2e-28, far below the accuracy
of 1e-12.
"""


def log_probabilities(scores: Array, scale: float = 1.0) -> Array:
    r"""Return ln P(argmax_j (u_j + Z_j) = j) for independent Laplace Z_j of scale b.

    P(J = j) = integral of f(x - u_j) prod_{i != j} F(x - u_i) dx, with f the density and F the distribution
    function of Z.
    Between two neighbouring sorted scores the integrand is smooth: in units of b, a polynomial in exp(x) and exp(-x).
    Each such stretch is cut into panels that grow from its ends inwards, from 1 / K to 1, with 16 Gauss-Legendre nodes
    on each; more than 64 units from both ends the integrand is constant or negligible and one panel is enough. All
    terms are positive and summed in logarithms, so small probabilities have the same relative accuracy (1e-12) as
    large ones.

    Parameters
    ----------
    scores : u, shape (K,), finite.
    scale : b > 0, in the unit of the scores.

    Returns
    -------
    Natural logarithms of the probabilities, shape (K,).

    Source: the integral above. For K = 2 it is P(Z_1 - Z_2 > x) = (2 + x / b) exp(-x / b) / 4, x >= 0.

    Examples
    --------
    >>> import numpy as np
    >>> law = np.exp(log_probabilities(np.array([2.0, 0.0])))
    >>> bool(abs(law[1] - (2 + 2) * np.exp(-2) / 4) < 1e-14)
    True
    >>> float(log_probabilities(np.array([0.0, 5000.0]))[0].round(6))
    -4992.868701

    """
    centred = _centred(scores, scale)
    points, log_weights = _rule(np.unique(centred), centred.size)
    log_sum, own = np.zeros(points.size), []
    for score in centred:
        distance = points - score
        tail = -np.abs(distance) - np.log(2.0)
        log_cdf = np.where(distance < 0.0, tail, np.log1p(-0.5 * np.exp(-np.abs(distance))))
        log_sum += log_cdf
        own.append(tail - log_cdf)
    return np.array([_log_sum_exp(log_weights + log_sum + term) for term in own])


def exponential_log_probabilities(scores: Array, scale: float = 1.0) -> Array:
    r"""Return ln P(argmax_j (u_j + Z_j) = j) for independent one-sided exponential Z_j of mean b.

    P(J = j) = a_j integral over w in (0, 1) of prod_{i != j} (1 - a_i w), with a_i = exp((u_i - max u) / b): the
    substitution w = exp((max u - x) / b) in the integral of `log_probabilities`, whose integrand vanishes below max u.
    The integrand is a polynomial of degree K - 1, so Gauss-Legendre quadrature with K / 2 nodes is exact.

    Parameters and result are those of `log_probabilities`.

    Source: McKenna and Sheldon (2020), permute and flip, which has this law by Ding et al. (2021).

    Examples
    --------
    >>> import numpy as np
    >>> law = np.exp(exponential_log_probabilities(np.array([2.0, 0.0])))
    >>> bool(abs(law[1] - np.exp(-2) / 2) < 1e-14)
    True

    """
    behind = _centred(scores, scale)
    nodes, weights = _legendre(behind.size // 2 + 1)
    factors = 1.0 - np.exp(behind)[:, None] * (nodes + 1.0) / 2.0
    ones = np.ones((1, nodes.size))
    before = np.cumprod(np.concatenate((ones, factors[:-1])), axis=0)
    after = np.cumprod(np.concatenate((ones, factors[:0:-1])), axis=0)[::-1]
    law: Array = behind + np.log(before * after @ (weights / 2.0))
    return law


def gumbel_log_probabilities(scores: Array, scale: float = 1.0) -> Array:
    r"""Return ln P(argmax_j (u_j + Z_j) = j) for independent Gumbel Z_j of scale b: u_j / b - ln sum_i exp(u_i / b).

    Parameters and result are those of `log_probabilities`.

    Source: Gumbel (1954); it is the exponential mechanism of McSherry and Talwar (2007).

    Examples
    --------
    >>> import numpy as np
    >>> np.exp(gumbel_log_probabilities(np.array([np.log(3.0), 0.0]))).round(12).tolist()
    [0.75, 0.25]

    """
    behind = _centred(scores, scale)
    return behind - _log_sum_exp(behind)


@lru_cache(maxsize=16)
def _legendre(count: int) -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return nodes, weights


def _centred(scores: Array, scale: float) -> Array:
    with np.errstate(over="ignore"):
        centred: Array = (scores - np.max(scores)) / scale
    if not np.isfinite(centred).all():
        raise PrivcheckError("scores", words("scores further apart than floats reach"), "finite differences / scale")
    return centred


def _log_sum_exp(terms: Array) -> float:
    top = np.max(terms)
    return float(top + np.log(np.sum(np.exp(terms - top))))


def _rule(knots: Array, count: int) -> tuple[Array, Array]:
    """Return quadrature points and logarithms of weights for the stretches between the sorted, distinct `knots`."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    steps = np.minimum(2.0 ** np.arange(np.ceil(np.log2(count)) + _REACH) / count, 1.0)
    grid = np.concatenate(([0.0], np.cumsum(steps)))
    edges = [knots[0] - grid[::-1]]
    for left, right in itertools.pairwise(knots):
        half = grid[grid < (right - left) / 2.0]
        edges += [left + half, right - half[::-1]]
    cuts = np.concatenate([*edges, knots[-1] + grid])
    low, width = cuts[:-1], np.diff(cuts)
    low, width = low[width > 0.0], width[width > 0.0]
    points = low[:, None] + width[:, None] * (nodes + 1.0) / 2.0
    return points.ravel(), (np.log(width)[:, None] + np.log(weights / 2.0)).ravel()
