"""Eigenvalues of the noise that the tree mechanism adds to the statistics of private LinUCB."""

from __future__ import annotations

import math
from dataclasses import dataclass

from privcheck.bounds.settings.contextual_instance import ContextualInstance


@dataclass(frozen=True)
class Regulariser:
    """Bounds on the noise H_t (matrix) and h_t (vector) of the private statistics, each round with high probability.

    Parameters
    ----------
    rho_min, rho_max : `rho_min I <= H_t <= rho_max I`, both above 0.
    gamma : `|h_t|` in the norm of the inverse of H_t is at most this.
    """

    rho_min: float
    rho_max: float
    gamma: float


def regulariser(instance: ContextualInstance, *, printed: bool = False) -> Regulariser:
    """Bounds that hold together with probability `1 - alpha/(2n)` in each round, for the noise of the instance.

    As printed, the failure probabilities of the parts add up to `3 alpha/(4n)` (Wishart) and `alpha/n` (Gaussian);
    `ln(4n/alpha)` in place of `ln(2n/alpha)` corrects both, at a cost below 2 per cent for large n.

    Parameters
    ----------
    instance : its field `noise` selects the noise.
    printed : whether to return the printed bounds instead.

    Source
    ------
    Shariff & Sheffet 2018, Propositions 9 and 11; proofs Appendix C.

    Examples
    --------
    >>> paper = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)
    >>> round(regulariser(paper, printed=True).rho_min, 3)
    91545.473
    """
    rest = math.log((2 if printed else 4) * instance.horizon) - math.log(instance.alpha)
    return (_gaussian if instance.noise == "gaussian" else _wishart)(instance, rest)


def gaussian_noise(instance: ContextualInstance) -> float:
    """Standard deviation of every entry of a node's Gaussian noise, `4 sqrt(m) Ltilde^2 ln(4/delta)/epsilon`.

    >>> paper = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)
    >>> round(gaussian_noise(paper), 5)
    153.34384
    """
    scale = instance.row_norm_squared / instance.epsilon
    return 4 * math.sqrt(instance.levels) * scale * math.log(4 / instance.delta)


def wishart_freedom(instance: ContextualInstance) -> int:
    """Degrees of freedom k of a node's Wishart noise, `d + 1 + ceil(224 m ln(8m/delta) ln(2/delta)/epsilon^2)`.

    >>> paper = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)
    >>> wishart_freedom(paper)
    139115
    """
    m, delta = instance.levels, instance.delta
    noise = 224 * m / instance.epsilon**2 * math.log(8 * m / delta) * math.log(2 / delta)
    return instance.dimension + 1 + math.ceil(noise)


def wishart_shift(instance: ContextualInstance) -> float:
    """Multiple c of the identity that is subtracted from Wishart noise, eq. (4). Useful only when it is not negative.

    >>> paper = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)
    >>> round(wishart_shift(paper), 1)
    7258941.3
    """
    q, s = _wishart_root(instance), _wishart_spread(instance)
    return instance.row_norm_squared * ((q - s) ** 2 - 4 * q * s)


def _gaussian(instance: ContextualInstance, rest: float) -> Regulariser:
    noise, m, root = gaussian_noise(instance), instance.levels, math.sqrt(instance.dimension)
    upsilon = noise * math.sqrt(2 * m) * (4 * root + 2 * rest)
    return Regulariser(upsilon, 3 * upsilon, noise * math.sqrt(m / upsilon) * (root + math.sqrt(2 * rest)))


def _wishart(instance: ContextualInstance, rest: float) -> Regulariser:
    q, s, scale = _wishart_root(instance), _wishart_spread(instance), instance.row_norm_squared
    vector = math.sqrt(instance.dimension) + math.sqrt(2 * rest)
    if instance.noise == "wishart":
        return Regulariser(4 * scale * q * s, 8 * scale * q * s, math.sqrt(scale * q * vector))
    return Regulariser(scale * (q - s) ** 2, scale * (q + s) ** 2, math.sqrt(scale) * vector)


def _wishart_root(instance: ContextualInstance) -> float:
    return math.sqrt(instance.levels * wishart_freedom(instance))


def _wishart_spread(instance: ContextualInstance) -> float:
    """Half the width of the interval around sqrt(mk) that holds the root of every eigenvalue of `H_t/Ltilde^2`."""
    return math.sqrt(instance.dimension) + math.sqrt(2 * (math.log(8 * instance.horizon) - math.log(instance.alpha)))


def wishart_is_concentrated(instance: ContextualInstance) -> bool:
    """Whether all eigenvalues of the Wishart noise are bounded away from 0, and of the shifted noise too.

    >>> loose = ContextualInstance(dimension=5, horizon=5e7, epsilon=24.0, delta=0.1, alpha=2e-8, noise="wishart")
    >>> wishart_is_concentrated(loose)
    True
    """
    q, s = _wishart_root(instance), _wishart_spread(instance)
    return q > s and (instance.noise != "wishart" or wishart_shift(instance) >= 0)
