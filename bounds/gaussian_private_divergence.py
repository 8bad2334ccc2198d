"""The divergence of differentially private learning for Gaussian laws of variance 1, vectorised."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from bounds.arrays import Array

ROUNDING = 1e-15
"""Added to what is computed by cancellation, so that a value is never below the infimum."""

_STEPS = 100


def gaussian_private_divergence(shift: ArrayLike, epsilon: float) -> tuple[Array, Array]:
    """Private divergence between N(0, 1) and N(s, 1), `D(s) = inf_R KL(R || N(s, 1)) + epsilon TV(N(0, 1), R)`.

    The minimiser has `ln dR/dN(s, 1) = clip(s (s/2 - x), l, l + epsilon)`, with l such that R is a probability; where
    nothing is clipped R is N(0, 1), and `D'(s) = s P(nothing is clipped)`. Convex near 0 and concave far out: it tends
    to epsilon.

    Parameters
    ----------
    shift : s, distance of the means in standard deviations, at least 0; any shape.
    epsilon : privacy budget, above 0; infinite gives `s^2 / 2`.

    Returns
    -------
    D, rounded up by at most 2e-15 (1 + D), and its derivative, both of the shape of `shift`.

    Source
    ------
    Jourdan & Azize 2025 (definition); clipping derived from the stationarity of the integrand.

    Examples
    --------
    >>> value, slope = gaussian_private_divergence([0.0, 1.0], 0.5)
    >>> value.round(6).tolist(), slope.round(6).tolist()
    ([0.0, 0.165868], [0.0, 0.181554])
    """
    from scipy.special import erf, ndtr

    shift = np.asarray(shift, float)
    if math.isinf(epsilon):
        return shift**2 / 2, shift
    s = np.where(shift > 0, shift, 1.0)
    level = _level(s, epsilon)
    upper, lower, raised, lowered = _clipped(s, level, epsilon)
    kept = ndtr(upper) - ndtr(lower)
    shared = np.exp(-(upper**2) / 2) - np.exp(-(lower**2) / 2)
    kl = level * raised + (level + epsilon) * lowered + s**2 / 2 * kept + s * shared / math.sqrt(2 * math.pi)
    value = kl + epsilon * (ndtr(lower) - lowered) + ROUNDING
    tv = erf(s / math.sqrt(8))
    # Pinsker: KL(R || N(s, 1)) + epsilon TV(N(0, 1), R) is at least 2 (tv - x)^2 + epsilon x, x being the second TV
    least = np.where(epsilon >= 4 * tv, 2 * tv**2, epsilon * tv - np.minimum(epsilon**2, 4 * epsilon * tv) / 8)
    value = np.clip(value, least, np.minimum(s**2 / 2, epsilon * tv))
    return np.where(shift > 0, value, 0.0), np.where(shift > 0, s * kept, 0.0)


def _level(s: Array, epsilon: float) -> Array:
    """Solve for l in [-epsilon, 0]: the mass of R increases with l. Newton's method, halving when it strays."""
    from scipy.special import ndtr

    low, high = np.full_like(s, -epsilon), np.zeros_like(s)
    level = np.full_like(s, -epsilon / 2)
    for _ in range(_STEPS):
        upper, lower, raised, lowered = _clipped(s, level, epsilon)
        surplus = (raised - ndtr(-upper)) + (lowered - ndtr(lower))
        low, high = np.where(surplus < 0, level, low), np.where(surplus < 0, high, level)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = level - surplus / (raised + lowered)
        following = np.where((step > low) & (step < high), step, low + (high - low) / 2)
        if np.all(np.abs(following - level) <= 1e-16 * epsilon):
            break
        level = following
    return level


def _clipped(s: Array, level: Array, epsilon: float) -> tuple[Array, Array, Array, Array]:
    """Return where the clipping begins above and below, and the mass of R in the two tails."""
    from scipy.special import log_ndtr

    upper = s / 2 - level / s
    lower = upper - epsilon / s
    with np.errstate(under="ignore"):
        raised = np.exp(level + log_ndtr(s - upper))
        lowered = np.exp(level + epsilon + log_ndtr(lower - s))
    return upper, lower, raised, lowered
