"""A Gaussian mechanism with too little noise for its sensitivity: the exact delta at the claimed epsilon."""

from __future__ import annotations

import math

from scipy import optimize, stats

from audits.wild.implementation import Shown

EPSILON, DELTA = 1.0, 0.1


def gaussian_delta(epsilon: float, mu: float) -> float:
    """Return delta of two unit normal laws whose means are mu apart (Balle and Wang 2018, Theorem 8)."""
    return float(stats.norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * stats.norm.cdf(-mu / 2 - epsilon / mu))


def short_gaussian_noise() -> Shown:
    """Two users with features (1, 0, 0, 0, 1) and (-1, 0, 0, 0, 1) and reward 1.

    The products with the reward differ by 2 in one coordinate, with noise sigma; the squares differ by 2 in one
    coordinate off the diagonal, where the mean of two draws has noise sigma / sqrt(2).
    """
    sigma = math.sqrt(math.log(2.5 / DELTA)) / EPSILON
    mu = math.hypot(2.0 / sigma, 2.0 / (sigma / math.sqrt(2.0)))
    least = optimize.brentq(lambda epsilon: gaussian_delta(epsilon, mu) - DELTA, 1e-6, 50.0)
    because = (
        f"the two reports are normal laws {mu:.3f} standard deviations apart, whose exact delta at epsilon "
        f"{EPSILON:g} is {gaussian_delta(EPSILON, mu):.3f} instead of {DELTA:g}; delta {DELTA:g} needs "
        f"epsilon {least:.3f}"
    )
    return Shown(EPSILON, least, because)
