"""The exact law of the argmax of scores with independent Laplace noise, by quadrature."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from privcheck.errors import PrivcheckError, words

Array = npt.NDArray[np.float64]

_NODES = 16
_REACH = 64.0


def log_probabilities(scores: Array, scale: float = 1.0) -> Array:
    r"""Return ln P(argmax_j (u_j + Z_j) = j) for independent Laplace Z_j of scale b.

    P(J = j) = integral of f(x - u_j) prod_{i != j} F(x - u_i) dx, f and F the density and distribution function of Z.
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

    Source: formulas.md 0.3 (closed form for K = 2) and 6.4 (values for K > 2).

    Examples
    --------
    >>> import numpy as np
    >>> law = np.exp(log_probabilities(np.array([2.0, 0.0])))
    >>> bool(abs(law[1] - (2 + 2) * np.exp(-2) / 4) < 1e-14)
    True
    >>> float(log_probabilities(np.array([0.0, 5000.0]))[0].round(6))
    -4992.868701

    """
    with np.errstate(over="ignore"):
        centred = (scores - np.max(scores)) / scale
    if not np.isfinite(centred).all():
        raise PrivcheckError("scores", words("scores further apart than floats reach"), "finite differences / scale")
    points, log_weights = _rule(np.unique(centred), centred.size)
    log_sum, own = np.zeros(points.size), []
    for score in centred:
        distance = points - score
        tail = -np.abs(distance) - np.log(2.0)
        log_cdf = np.where(distance < 0.0, tail, np.log1p(-0.5 * np.exp(-np.abs(distance))))
        log_sum += log_cdf
        own.append(tail - log_cdf)
    return np.array([_log_sum_exp(log_weights + log_sum + term) for term in own])


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
